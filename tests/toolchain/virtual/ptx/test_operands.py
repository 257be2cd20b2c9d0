"""Operand texts and the nouns they become."""

import pytest

from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Address,
    Float,
    Integer,
    Negated,
    Operand,
    Pair,
    Register,
    Symbol,
    Vector,
)
from cudamaster.toolchain.devices.virtual.ptx.operands import call_operands, operand, operands

R1, R2 = Register("%r1"), Register("%r2")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%tid.x", Register("%tid.x")),
        ("_", Register("_")),
        ("_Z3foo", Symbol("_Z3foo")),
        ("$L__BB0_1", Symbol("$L__BB0_1")),
        ("sym+16", Symbol("sym", 16)),
        ("-7", Integer(-7)),
        ("0xFFU", Integer(255)),
        ("017", Integer(15)),
        ("0b101", Integer(5)),
        ("4*8+1", Integer(33)),
        ("(1<<4)", Integer(16)),
        ("WARP_SZ", Integer(32)),
        ("0f3F800000", Float(0x3F800000, 32)),
        ("0d3FF0000000000000", Float(0x3FF0000000000000, 64)),
        ("1.0", Float(0x3FF0000000000000, 64)),
        ("!%p1", Negated(Register("%p1"))),
        ("%r1|%p3", Pair(R1, Register("%p3"))),
        ("%p1|_", Pair(Register("%p1"), Register("_"))),
        ("{%r1, _}", Vector((R1, Register("_")))),
        ("[%rd1]", Address(Register("%rd1"))),
        ("[%rd1+-8]", Address(Register("%rd1"), -8)),
        ("[%rd1 - 8]", Address(Register("%rd1"), -8)),
        ("[%rd1+4*16]", Address(Register("%rd1"), 64)),
        ("[shared_tile+128]", Address(Symbol("shared_tile"), 128)),
        ("[16]", Address(Integer(16))),
        ("[%rd1, {%r1, %r2}]", Vector((Address(Register("%rd1")), Vector((R1, R2))))),
    ],
)
def test_one_text_is_one_operand(text: str, expected: Operand) -> None:
    assert operand(text) == expected


def test_brackets_and_braces_hold_their_commas() -> None:
    assert operands("{%r1,%r2}, [%rd1, {%r1}], 3") == (
        Vector((R1, R2)),
        Vector((Address(Register("%rd1")), Vector((R1,)))),
        Integer(3),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(ret), f, (a, b)", (Vector((Symbol("ret"),)), Symbol("f"), Vector((Symbol("a"), Symbol("b"))))),
        ("f", (Vector(()), Symbol("f"), Vector(()))),
        ("f, (a)", (Vector(()), Symbol("f"), Vector((Symbol("a"),)))),
        ("%rd1, (a), proto", (Vector(()), Register("%rd1"), Vector((Symbol("a"),)), Symbol("proto"))),
    ],
)
def test_every_form_of_call_has_the_same_order(text: str, expected: tuple[Operand, ...]) -> None:
    assert call_operands(text) == expected


@pytest.mark.parametrize("text", ["", "1 2", "%r1 +", "[", "{%r1"])
def test_what_is_no_operand_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the message is the caller's
        operand(text)
