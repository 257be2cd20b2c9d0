"""SIMD video instructions: `vadd4`, `vabsdiff2`, `vset4` … on the four bytes or two halves of registers.

Whole registers only: neither lane selectors (`.b7654`) nor byte masks are covered.
"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.compare import UNSIGNED_CONDITIONS
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction

KINDS = ("u32", "s32")
CONDITIONS = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
"""Elements are at most 16 bits wide, so signed comparisons of their 32-bit extensions hold for both signs."""


def _elements(emit: Emitter, value: Value, count: int, kind: str) -> list[Value]:
    """Return each element in 32 bits, the lowest first, sign- or zero-extended."""
    width = 32 // count
    opcode = "ashr" if kind == "s32" else "lshr"
    raised = [emit.op("shl", value, constant("i32", 32 - width * (i + 1))) for i in range(count)]
    return [emit.op(opcode, each, constant("i32", 32 - width)) for each in raised]


def _computed(emit: Emitter, ins: Instruction, a: Value, b: Value) -> Value:
    name = ins.base[1:-1]
    if name in ("add", "sub"):
        return emit.op(name, a, b)
    if name in ("min", "max"):
        return emit.intrinsic(f"llvm.s{name}", a, b)
    if name == "absdiff":
        return emit.intrinsic("llvm.abs", emit.op("sub", a, b), flags=["i1 false"])
    if name == "set":
        way = next(word for word in ins.modifiers if word in CONDITIONS or word in UNSIGNED_CONDITIONS)
        return emit.cast("zext", emit.compare(CONDITIONS[way], a, b), "i32")
    return _average(emit, a, b)


def _average(emit: Emitter, a: Value, b: Value) -> Value:
    """Half the sum, halves away from zero."""
    total = emit.op("add", a, b)
    up = emit.op("xor", emit.op("lshr", total, constant("i32", 31)), constant("i32", 1))
    return emit.op("ashr", emit.op("add", total, up), constant("i32", 1))


def _limited(emit: Emitter, ins: Instruction, value: Value, width: int) -> Value:
    if "sat" not in ins.modifiers:
        return value
    signed = ins.modifiers[1] == "s32"
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    raised = emit.intrinsic("llvm.smax", value, constant("i32", low))
    return emit.intrinsic("llvm.smin", raised, constant("i32", high))


def _by_element(emit: Emitter, ins: Instruction) -> None:
    """Compute element by element; `.add` sums the elements onto the third source instead of packing them."""
    require_known(ins, KINDS, "sat", "add", CONDITIONS)
    count = int(ins.base[-1])
    kinds = [word for word in ins.modifiers if word in KINDS][-2:]
    sides = [
        _elements(emit, emit.get(operand, "b32"), count, kind)
        for operand, kind in zip(ins.operands[1:3], kinds, strict=True)
    ]
    width = 32 // count
    results = [_limited(emit, ins, _computed(emit, ins, a, b), width) for a, b in zip(*sides, strict=True)]
    total = emit.get(ins.operands[3], "b32") if "add" in ins.modifiers else constant("i32", 0)
    for i, result in enumerate(results):
        if "add" in ins.modifiers:
            total = emit.op("add", total, result)
        else:
            kept = emit.op("and", result, constant("i32", (1 << width) - 1))
            total = emit.op("or", total, emit.op("shl", kept, constant("i32", width * i)))
    emit.put(ins.operands[0], total)


for _name in ("add", "sub", "min", "max", "absdiff", "avrg", "set"):
    for _count in (2, 4):
        instruction(f"v{_name}{_count}", uniform=True)(_by_element)
