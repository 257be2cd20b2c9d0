"""Sums of small products, and pairs of 16-bit integers: `dp4a`, `dp2a`, `sad`, `add.u16x2` …"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.narrow import join, split
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction


@instruction("sad", uniform=True)
def sum_of_difference(emit: Emitter, ins: Instruction) -> None:
    """c + |a - b|."""
    a, b, c = (emit.get(operand, ins.type) for operand in ins.operands[1:])
    sign = "s" if ins.type.startswith("s") else "u"
    larger, smaller = (emit.intrinsic(f"llvm.{sign}{name}", a, b) for name in ("max", "min"))
    emit.put(ins.operands[0], emit.op("add", c, emit.op("sub", larger, smaller)))


def _element(emit: Emitter, value: Value, width: int, index: int, kind: str) -> Value:
    """Return element `index` of `width` bits, sign- or zero-extended as `kind` says."""
    raised = emit.op("shl", value, constant("i32", 32 - width * (index + 1)))
    return emit.op("ashr" if kind == "s32" else "lshr", raised, constant("i32", 32 - width))


@instruction("dp4a", uniform=True)
def dot_of_four(emit: Emitter, ins: Instruction) -> None:
    """c plus the dot product of four bytes and four bytes."""
    a, b, total = (emit.get(operand, "b32") for operand in ins.operands[1:])
    kinds = ins.modifiers[1:3]
    for byte in range(4):
        x, y = (_element(emit, value, 8, byte, kind) for value, kind in zip((a, b), kinds, strict=True))
        total = emit.op("add", total, emit.op("mul", x, y))
    emit.put(ins.operands[0], total)


@instruction("dp2a", uniform=True)
def dot_of_two(emit: Emitter, ins: Instruction) -> None:
    """c plus the dot product of two 16-bit numbers and the lower or upper two bytes."""
    a, b, total = (emit.get(operand, "b32") for operand in ins.operands[1:])
    upper = 2 if "hi" in ins.modifiers else 0
    for index in range(2):
        x = _element(emit, a, 16, index, ins.modifiers[-2])
        y = _element(emit, b, 8, upper + index, ins.modifiers[-1])
        total = emit.op("add", total, emit.op("mul", x, y))
    emit.put(ins.operands[0], total)


@instruction("add", "u16x2", uniform=True)
@instruction("add", "s16x2", uniform=True)
@instruction("min", "u16x2", uniform=True)
@instruction("min", "s16x2", uniform=True)
@instruction("max", "u16x2", uniform=True)
@instruction("max", "s16x2", uniform=True)
def pairwise(emit: Emitter, ins: Instruction) -> None:
    """Add or compare two 16-bit integers at once; `.relu`: at least 0."""
    require_known(ins, "u16x2", "s16x2", "relu")
    sides = [split(emit, emit.get(operand, "b32")) for operand in ins.operands[1:]]
    sign = "s" if "s16x2" in ins.modifiers else "u"
    lower, upper = (
        emit.op("add", *halves) if ins.base == "add" else emit.intrinsic(f"llvm.{sign}{ins.base}", *halves)
        for halves in zip(*sides, strict=True)
    )
    if "relu" in ins.modifiers:
        lower, upper = (emit.intrinsic("llvm.smax", half, constant("i16", 0)) for half in (lower, upper))
    emit.put(ins.operands[0], join(emit, lower, upper))
