"""Which kernels may answer differently in another order of threads."""

import pytest

from cudamaster.toolchain.devices.virtual.ordering import rounds_in_any_order


@pytest.mark.parametrize(
    "line",
    [
        "atom.global.add.f32 %f1, [%rd1], %f2;",
        "red.global.add.f32 [%rd1], %f2;",
        "red.global.add.noftz.bf16x2 [%rd1], %r2;",
        "atom.shared.add.f64 %fd1, [%r1], %fd2;",
        "atom.global.cas.b32 %r1, [%rd1], %r2, %r3;",
        "atom.relaxed.gpu.global.add.f16x2 %r1, [%rd1], %r2;",
    ],
)
def test_atomic_floats_and_swaps_round_in_any_order(line: str) -> None:
    assert rounds_in_any_order(f"\t{line}\n")


@pytest.mark.parametrize(
    "line",
    [
        "atom.global.add.u32 %r1, [%rd1], 1;",
        "red.global.max.s32 [%rd1], %r2;",
        "add.f32 %f1, %f2, %f3;",
        "ld.global.f32 %f1, [atomic_f32];",
    ],
)
def test_other_kernels_do_not(line: str) -> None:
    assert not rounds_in_any_order(f"\t{line}\n")
