"""What the constants in an address computation tell of its low bits."""

import pytest

from cudamaster.toolchain.devices.virtual.cost.alignment import UNKNOWN, Low, low_bits
from tests.doubles.sampled_launch import kernel_of

TID = "mov.u32 %r1, %tid.x;"


def low(body: str, name: str = "%r9") -> Low:
    return low_bits(kernel_of(f"{TID} {body} ret;")).of(name)


@pytest.mark.parametrize(
    ("body", "bits", "value"),
    [
        ("shl.b32 %r9, %r1, 3;", 3, 0),
        ("mul.lo.s32 %r9, %r1, 24;", 3, 0),
        ("shl.b32 %r2, %r1, 4; add.s32 %r9, %r2, 20;", 4, 4),
        ("shl.b32 %r2, %r1, 4; sub.s32 %r9, %r2, 4;", 4, 12),
        ("mad.lo.s32 %r9, %r1, 16, 8;", 4, 8),
        ("mov.u32 %r2, tile; add.s32 %r9, %r2, 4;", 4, 4),
        ("and.b32 %r9, %r1, -16;", 4, 0),
        ("shl.b32 %r2, %r1, 4; or.b32 %r9, %r2, 12;", 4, 12),
        ("shl.b32 %r2, %r1, 3; shl.b32 %r3, %r1, 4; selp.b32 %r9, %r2, %r3, %p1;", 3, 0),
        ("shl.b32 %r2, %r1, 4; @%p1 mov.u32 %r9, %r2; @!%p1 mov.u32 %r9, 8;", 3, 0),
        ("mul.wide.u32 %rd1, %r1, 8; cvt.u32.u64 %r9, %rd1;", 3, 0),
    ],
)
def test_low_bits(body: str, bits: int, value: int) -> None:
    assert low(body) == Low(bits, value)


@pytest.mark.parametrize(
    "body",
    [
        "ld.shared.u32 %r9, [%r1];",
        "ld.shared.v2.u32 {%r8, %r9}, [%r1];",
        "mul.hi.u32 %r9, %r1, 16;",
        "shl.b32 %r9, 16, %r1;",
        "add.s32 %r9, %r77, 16;",
        "cvt.rzi.s32.f32 %r9, %f1;",
    ],
)
def test_what_is_not_computed_of_constants_is_unknown(body: str) -> None:
    assert low(body) == UNKNOWN


LOOP = "shl.b32 %r9, %r1, 4; L: ld.shared.f32 %f1, [%r9]; add.s32 %r9, %r9, {step}; @%p1 bra L;"


def test_a_register_that_a_loop_advances_is_known_as_far_as_every_round_is() -> None:
    assert low(LOOP.format(step=4)) == Low(2, 0)
    assert low(LOOP.format(step=32)) == Low(4, 0)


def test_rounds_that_advance_together_begin_aligned() -> None:
    bits = low_bits(kernel_of(f"{TID} {LOOP.format(step=4)} ret;"))
    assert bits.stepping("%r9", 16) == Low(4, 0)
    assert bits.stepping("%r9", 8) == Low(3, 0)


def test_an_offset_makes_up_for_what_is_known_to_be_over() -> None:
    assert Low(4, 4).is_multiple(16, 12)
    assert not Low(4, 4).is_multiple(16)
    assert not Low(3, 0).is_multiple(16)
