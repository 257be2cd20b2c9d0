"""`wgmma`: products of a warp group, 64 rows, with float32 sums (native/wgmma.c).

A product is done when it is issued, so a missing wait goes unseen. Sparse and integer forms, and f16 sums,
are not here.
"""

import re

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, constant
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.isa.tensor import registers, write_fragment
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer, Operand, Vector

SHAPE = re.compile(r"m64n(\d+)k(\d+)")
DEPTHS = {"bf16": 16, "f16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32}
A_IN_REGISTERS, TRANSPOSED_A, TRANSPOSED_B, NEGATED = 1, 2, 4, 8
"""Flags of the C functions."""


@instruction("wgmma", "mma_async", waits="warp")
def multiply(emit: Emitter, ins: Instruction) -> None:
    """D = A B, or A B + D; each warp of the group has its sixteen rows."""
    columns, types = _form(ins)
    d, a, b, scale_d, *numbers = ins.operands
    flags = _flags(ins, a, numbers, types[0])
    keeps = emit.get(scale_d, "pred")
    sums = [
        emit.select(keeps, emit.get(register, "f32"), constant("float", 0.0)) for register in registers(d)
    ]
    if len(sums) != columns // 2:
        raise unsupported(ins, "these operands")
    results = write_fragment(emit, "wgmma.d", sums)
    fragment, descriptor = "null", "null"
    if isinstance(a, Vector):
        fragment = write_fragment(emit, "wgmma.a", [emit.get(register, "b32") for register in registers(a)])
    else:
        descriptor = emit.spill(emit.get(a, "b64"), "wgmma.a.descriptor")
    inputs = [results, fragment, descriptor, emit.spill(emit.get(b, "b64"), "wgmma.b.descriptor")]
    emit.call_native(f"vg_wgmma_{types[0]}_{types[1]}", [], [*inputs, columns, flags])
    for i, register in enumerate(registers(d)):
        place = emit.offset(results, 4 * LANES * i)
        emit.put(register, emit.load("float", place, lanes=True, align=64))


def _form(ins: Instruction) -> tuple[int, list[str]]:
    """Return the columns and the types of A and B."""
    shape = next((match for word in ins.modifiers if (match := SHAPE.fullmatch(word))), None)
    if shape is None or ins.modifiers[-3] != "f32":
        raise unsupported(ins)
    require_known(ins, "mma_async", "sync", "aligned", shape[0], "f32", DEPTHS)
    types = list(ins.modifiers[-2:])
    is_known = all(DEPTHS.get(kind) == int(shape[2]) for kind in types)
    if not is_known or (types[0] != types[1] and int(shape[2]) != 32):
        raise unsupported(ins)
    return int(shape[1]), types


def _flags(ins: Instruction, a: Operand, numbers: list[Operand], kind: str) -> int:
    """Return the flags of the literals: signs of A and B, then which operands are transposed."""
    literals = [number.value for number in numbers if isinstance(number, Integer)]
    in_registers = isinstance(a, Vector)
    expected = 2 + (0 if kind not in ("bf16", "f16") else 1 if in_registers else 2)
    if len(literals) != len(numbers) or len(literals) != expected:
        raise unsupported(ins, "these operands")
    signs, transposed = literals[:2], literals[2:]
    flags = A_IN_REGISTERS if in_registers else 0
    flags |= NEGATED if signs[0] * signs[1] < 0 else 0
    if transposed and transposed[-1]:
        flags |= TRANSPOSED_B
    if len(transposed) == 2 and transposed[0]:
        flags |= TRANSPOSED_A
    return flags


@instruction("wgmma", "fence", writes=0)
@instruction("wgmma", "commit_group", writes=0)
@instruction("wgmma", "wait_group", writes=0)
def order(emit: Emitter, ins: Instruction) -> None:
    """Nothing is left to order."""
