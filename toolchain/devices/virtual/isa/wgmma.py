"""`wgmma`: products of a warp group, 64 rows (native/wgmma.c).

Sums of floats are float32, and rounded once where they are to be f16. A product is done when it is issued,
so a missing wait goes unseen. In sparse forms A holds half of its elements.
"""

import math
import re
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.narrow import join, narrow, split, widen
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.isa.sparse import SATURATED as SATURATED_SUM
from cudamaster.toolchain.devices.virtual.isa.sparse import SPARSE_TYPES
from cudamaster.toolchain.devices.virtual.isa.sparse import SUMS as SPARSE_SUMS
from cudamaster.toolchain.devices.virtual.isa.tensor import registers, write_fragment
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer, Operand, Vector

SHAPE = re.compile(r"m64n(\d+)k(\d+)")
DEPTHS = {"bf16": 16, "f16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}
FLOATS = ("bf16", "f16", "tf32", "e4m3", "e5m2")
SUMS = {"f32": FLOATS, "f16": ("f16", "e4m3", "e5m2"), "s32": ("s8", "u8", "b1")}
"""The types of A and B that each type of sum goes with."""
UNIT_BYTES = 16
"""What a watched product reads at a time."""
MIXED_DEPTH = 32
"""Of products whose two types may differ."""
A_IN_REGISTERS, TRANSPOSED_A, TRANSPOSED_B, NEGATED, SATURATED = 1, 2, 4, 8, 16
"""Flags of the C functions."""


@dataclass(frozen=True, slots=True)
class Form:
    """What an opcode says of a product."""

    columns: int
    sums: str
    a: str
    b: str
    saturates: bool
    depth: int
    is_sparse: bool

    @property
    def registers(self) -> int:
        """Of the sums, in each lane."""
        return self.columns // (4 if self.sums == "f16" else 2)


@instruction("wgmma", "mma_async", waits="warp", updates=True)
def multiply(emit: Emitter, ins: Instruction) -> None:
    """D = A B, or A B + D; each warp of the group has its sixteen rows."""
    form = _form(ins)
    d, a, b, *rest = ins.operands
    metadata, (scale_d, *numbers) = (rest[:2], rest[2:]) if form.is_sparse else ([], rest)
    flags = _flags(ins, form, a, numbers)
    keeps = emit.get(scale_d, "pred")
    if len(registers(d)) != form.registers:
        raise unsupported(ins, "these operands")
    zero = constant("i32", 0) if form.sums == "s32" else constant("float", 0.0)
    kept = [value for register in registers(d) for value in _sums(emit, form, register)]
    results = write_fragment(emit, "wgmma.d", [emit.select(keeps, value, zero) for value in kept])
    fragment, descriptor = "null", "null"
    if isinstance(a, Vector):
        fragment = write_fragment(emit, "wgmma.a", [emit.get(register, "b32") for register in registers(a)])
    else:
        descriptor = emit.spill(emit.get(a, "b64"), "wgmma.a.descriptor")
    inputs: list[Value | int | str] = [
        results,
        fragment,
        descriptor,
        emit.spill(emit.get(b, "b64"), "wgmma.b.descriptor"),
    ]
    line = ins.source.line if ins.source else 0
    watching = emit.site("shared", "load", UNIT_BYTES) if emit.mode.watch else -1
    name = f"vg_wgmma_{form.a}_{form.b}"
    if form.is_sparse:
        name = "vg_wgmma_sparse"
        inputs += [
            emit.spill(emit.get(metadata[0], "b32"), "wgmma.metadata"),
            *_numbers(ins, form, metadata[1]),
        ]
    emit.call_native(name, [], [*inputs, form.columns, flags, line, watching])
    _take(emit, form, registers(d), results)


def _numbers(ins: Instruction, form: Form, selector: Operand) -> tuple[int, ...]:
    """Return what the C function of sparse products takes: types, the kind of sum, depth, selector."""
    most = 1 if DEPTHS[form.a] == MIXED_DEPTH else 2
    if not isinstance(selector, Integer) or not 0 <= selector.value < most:
        raise unsupported(ins, "this sparsity selector")
    kind = SPARSE_SUMS["s32" if form.sums == "s32" else "f32"]
    kind = SATURATED_SUM if form.saturates else kind
    types = (SPARSE_TYPES.index(form.a), SPARSE_TYPES.index(form.b))
    return (*types, kind, form.depth, selector.value)


def _sums(emit: Emitter, form: Form, register: Operand) -> list[Value]:
    """Return the sums in a register: one, or two of f16 as float32."""
    if form.sums != "f16":
        return [emit.get(register, "f32" if form.sums == "f32" else "b32")]
    return [widen(emit, half, "f16") for half in split(emit, emit.get(register, "b32"))]


def _take(emit: Emitter, form: Form, targets: tuple[Operand, ...], results: str) -> None:
    """Assign what the C function left at `results`."""
    kind = "i32" if form.sums == "s32" else "float"
    each = 2 if form.sums == "f16" else 1
    for i, register in enumerate(targets):
        places = (emit.offset(results, 4 * LANES * (each * i + part)) for part in range(each))
        found = [emit.load(kind, place, lanes=True, align=64) for place in places]
        if each == 2:
            found = [join(emit, *(narrow(emit, value, "f16") for value in found))]
        emit.put(register, found[0])


def _form(ins: Instruction) -> Form:
    """Return what the opcode says. Raises Unsupported."""
    shape = next((match for word in ins.modifiers if (match := SHAPE.fullmatch(word))), None)
    words = [word for word in ins.modifiers if word not in ("satfinite", "and", "popc")]
    is_sparse, of_bits = "sp" in ins.modifiers, {"and", "popc"} & set(ins.modifiers)
    sums, *types = words[-3:]
    if shape is None or sums not in SUMS:
        raise unsupported(ins)
    require_known(
        ins, "mma_async", "sp", "sync", "aligned", "satfinite", "and", "popc", shape[0], SUMS, DEPTHS
    )
    depth, saturates = int(shape[2]), "satfinite" in ins.modifiers
    dense_depth = depth // 2 if is_sparse else depth
    is_known = all(kind in SUMS[sums] and DEPTHS[kind] == dense_depth for kind in types)
    is_odd = "b1" in types and (is_sparse or saturates or len(of_bits) != 2)
    mixes = types[0] != types[1] and dense_depth != MIXED_DEPTH
    if not is_known or is_odd or mixes or (saturates and sums != "s32"):
        raise unsupported(ins)
    return Form(int(shape[1]), sums, types[0], types[1], saturates, depth, is_sparse)


def _flags(ins: Instruction, form: Form, a: Operand, numbers: list[Operand]) -> int:
    """Return the flags of the literals: signs of A and B, then which operands are transposed."""
    literals = [number.value for number in numbers if isinstance(number, Integer)]
    in_registers = isinstance(a, Vector)
    expected = 2 + (0 if form.a not in ("bf16", "f16") else 1 if in_registers else 2)
    if len(literals) != len(numbers) or len(literals) != (0 if form.sums == "s32" else expected):
        raise unsupported(ins, "these operands")
    signs, transposed = literals[:2], literals[2:]
    flags = (A_IN_REGISTERS if in_registers else 0) | (SATURATED if form.saturates else 0)
    flags |= NEGATED if math.prod(signs) < 0 else 0
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
    require_known(ins, "fence", "commit_group", "wait_group", "sync", "aligned")
