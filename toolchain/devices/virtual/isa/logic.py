"""Bitwise logic and shifts."""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import BITS, constant
from cudamaster.toolchain.devices.virtual.isa.integer import is_signed, sources
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer


def _logic(emit: Emitter, ins: Instruction) -> None:
    a, b = sources(emit, ins, *ins.operands[1:3])
    emit.put(ins.operands[0], emit.op(ins.base, a, b))


@instruction("and", uniform=True)
def bitwise_and(emit: Emitter, ins: Instruction) -> None:
    """Bitwise and."""
    _logic(emit, ins)


@instruction("or", uniform=True)
def bitwise_or(emit: Emitter, ins: Instruction) -> None:
    """Bitwise or."""
    _logic(emit, ins)


@instruction("xor", uniform=True)
def bitwise_xor(emit: Emitter, ins: Instruction) -> None:
    """Bitwise exclusive or."""
    _logic(emit, ins)


@instruction("not", uniform=True)
def bitwise_not(emit: Emitter, ins: Instruction) -> None:
    """Bitwise complement."""
    (a,) = sources(emit, ins, ins.operands[1])
    emit.put(ins.operands[0], emit.op("xor", a, constant(a.type, -1)))


@instruction("cnot", uniform=True)
def logical_not(emit: Emitter, ins: Instruction) -> None:
    """1 for zero, else 0."""
    (a,) = sources(emit, ins, ins.operands[1])
    emit.put(ins.operands[0], emit.cast("zext", emit.compare("eq", a, constant(a.type, 0)), a.type))


def _shift(emit: Emitter, ins: Instruction, opcode: str) -> None:
    """Shift by an unsigned 32-bit amount that is clamped to the width."""
    (a,) = sources(emit, ins, ins.operands[1])
    width, amount = BITS[a.type], ins.operands[2]
    if isinstance(amount, Integer) and 0 <= amount.value < width:
        emit.put(ins.operands[0], emit.op(opcode, a, constant(a.type, amount.value)), signed=opcode == "ashr")
        return
    count = emit.get(amount, "u32")
    over = emit.compare("uge", count, constant("i32", width))
    clamped = emit.select(over, constant("i32", width - 1 if opcode == "ashr" else 0), count)
    shifted = emit.op(opcode, a, emit.resize(clamped, a.type))
    if opcode != "ashr":
        shifted = emit.select(over, constant(a.type, 0), shifted)
    emit.put(ins.operands[0], shifted, signed=opcode == "ashr")


@instruction("shl", uniform=True)
def shift_left(emit: Emitter, ins: Instruction) -> None:
    """Shift left."""
    _shift(emit, ins, "shl")


@instruction("shr", uniform=True)
def shift_right(emit: Emitter, ins: Instruction) -> None:
    """Shift right: with the sign for `.s`, with zeros for `.u` and `.b`."""
    _shift(emit, ins, "ashr" if is_signed(ins.type) else "lshr")
