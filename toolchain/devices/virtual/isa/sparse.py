"""Sparse products, `mma.sp`: of A only half is stored (native/tensor_sparse.c)."""

import re

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.isa.tensor import registers, write_fragment
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer

SPARSE_TYPES = ("bf16", "f16", "tf32", "s8", "u8", "e4m3", "e5m2", "s4", "u4")
"""Numbered as in native/tensor_sparse.c."""
DEPTHS = {
    "bf16": (16, 32),
    "f16": (16, 32),
    "tf32": (8, 16),
    "s8": (32, 64),
    "u8": (32, 64),
    "e4m3": (64,),
    "e5m2": (64,),
    "s4": (64, 128),
    "u4": (64, 128),
}
SUMS = {"f32": 0, "f16": 1, "s32": 2}
SATURATED = 3
SUMS_OF_TYPE = {
    "f16": ("f16", "f32"),
    "s8": ("s32",),
    "u8": ("s32",),
    "s4": ("s32",),
    "u4": ("s32",),
    "e4m3": ("f16", "f32"),
    "e5m2": ("f16", "f32"),
}
FAMILIES = ({"s8", "u8"}, {"s4", "u4"}, {"e4m3", "e5m2"})
"""Types that A and B may mix."""
LEAST_SELECTORS = {"bf16": 2, "f16": 2, "tf32": 2, "s8": 1, "u8": 1, "e4m3": 1, "e5m2": 1, "s4": 1, "u4": 1}
"""How many values the selector may have at a type's greatest depth; at half of it, twice as many."""
SHAPE = re.compile(r"m16n8k(\d+)")


@instruction("mma", "sp", "sync", waits="warp")
@instruction("mma", "sp_ordered_metadata", "sync", waits="warp")
def multiply(emit: Emitter, ins: Instruction) -> None:
    """D = A B + C where A holds half of its elements (two of four, say), and metadata says which."""
    depth, a, b, sums = _form(ins)
    d_registers = registers(ins.operands[0])
    sources = [
        write_fragment(emit, f"mma.{letter}", [emit.get(register, "b32") for register in registers(operand)])
        for letter, operand in zip("abce", ins.operands[1:5], strict=True)
    ]
    result = emit.buffer("mma.d", "i32", LANES * len(d_registers))
    numbers = (SPARSE_TYPES.index(a), SPARSE_TYPES.index(b), sums, depth, _selector(ins, a, depth))
    line = ins.source.line if ins.source else 0
    emit.call_native("vg_mma_sparse", [], [result, *sources, *numbers, line])
    for i, register in enumerate(d_registers):
        emit.put(register, emit.load("i32", emit.offset(result, 4 * LANES * i), lanes=True, align=64))


def _form(ins: Instruction) -> tuple[int, str, str, int]:
    """Return the depth, the types of A and B, and the number of the kind of sum. Raises Unsupported."""
    shape = next((match for word in ins.modifiers if (match := SHAPE.fullmatch(word))), None)
    d, a, b, c = ins.modifiers[-4:]
    if shape is None or len(ins.operands) != 6:
        raise unsupported(ins, "this shape and these types")
    require_known(ins, "sp", "sp_ordered_metadata", "sync", "aligned", "row", "col", "satfinite", shape[0],
                  SPARSE_TYPES, SUMS)  # fmt: skip
    depth = int(shape[1])
    mixes = a == b or any({a, b} <= family for family in FAMILIES)
    if not mixes or depth not in DEPTHS.get(a, ()) or d != c or d not in SUMS_OF_TYPE.get(a, ("f32",)):
        raise unsupported(ins, "this shape and these types")
    saturates = "satfinite" in ins.modifiers and d == "s32"
    return depth, a, b, SATURATED if saturates else SUMS[d]


def _selector(ins: Instruction, a: str, depth: int) -> int:
    """Return which of the lanes bring the metadata. Raises Unsupported."""
    selector = ins.operands[5]
    most = LEAST_SELECTORS[a] * (DEPTHS[a][-1] // depth)
    if not isinstance(selector, Integer) or not 0 <= selector.value < most:
        raise unsupported(ins, "this sparsity selector")
    return selector.value
