"""Scalar video instructions: `vadd`, `vabsdiff`, `vshl`, `vmad`, `vset` … on whole 32-bit registers.

What they compute is exact, in 64 bits; then it is limited (`.sat`), or cut to 32 bits, and added to a third
source or compared with it. Not here: parts of registers (`.b0`, `.h1`).
"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Operand, Register

KINDS = ("u32", "s32")
CONDITIONS = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
"""Of 64-bit numbers, which hold both signs' 32-bit ones."""
SECOND = ("add", "min", "max")
SHIFT_MODES = ("clamp", "wrap")
SCALES = {"shr7": 7, "shr15": 15}


def _exact(emit: Emitter, ins: Instruction, operand: Operand, kind: str) -> Value:
    if isinstance(operand, Register) and operand.name not in emit.kernel.registers:
        raise unsupported(ins, f"the part {operand.name} of a register")
    return emit.resize(emit.get(operand, "b32"), "i64", signed=kind == "s32")


def _cut(emit: Emitter, ins: Instruction, value: Value, kind: str) -> Value:
    """Return a 64-bit number in 32 bits, limited to those of `kind` with `.sat`."""
    if "sat" in ins.modifiers:
        low, high = (-(1 << 31), (1 << 31) - 1) if kind == "s32" else (0, (1 << 32) - 1)
        raised = emit.intrinsic("llvm.smax", value, constant("i64", low))
        value = emit.intrinsic("llvm.smin", raised, constant("i64", high))
    return emit.resize(value, "i32")


def _finish(emit: Emitter, ins: Instruction, value: Value, kind: str, sources: int) -> None:
    """Put a 32-bit result, after the second operation on it and the last source, if there is one."""
    second = next((word for word in ins.modifiers[1:] if word in SECOND), "")
    if len(ins.operands) != 1 + sources + bool(second):
        raise unsupported(ins, "these operands")
    if second:
        other = emit.get(ins.operands[-1], "b32")
        sign = "s" if kind == "s32" else "u"
        least_or_most = f"llvm.{sign}{second}"
        value = (
            emit.op("add", value, other) if second == "add" else emit.intrinsic(least_or_most, value, other)
        )
    emit.put(ins.operands[0], value)


def _types(ins: Instruction, count: int) -> tuple[str, ...]:
    found = tuple(word for word in ins.modifiers if word in KINDS)
    if len(found) != count:
        raise unsupported(ins, "these types")
    return found


def _combined(emit: Emitter, name: str, a: Value, b: Value) -> Value:
    match name:
        case "vadd" | "vsub":
            return emit.op(name[1:], a, b)
        case "vmin" | "vmax":
            return emit.intrinsic(f"llvm.s{name[1:]}", a, b)
        case _:
            return emit.intrinsic("llvm.abs", emit.op("sub", a, b), flags=["i1 false"])


@instruction("vadd", uniform=True)
@instruction("vsub", uniform=True)
@instruction("vmin", uniform=True)
@instruction("vmax", uniform=True)
@instruction("vabsdiff", uniform=True)
def combine(emit: Emitter, ins: Instruction) -> None:
    """Combine two sources of any signs."""
    require_known(ins, KINDS, "sat", SECOND)
    kind, *of = _types(ins, 3)
    a, b = (_exact(emit, ins, item, side) for item, side in zip(ins.operands[1:3], of, strict=True))
    _finish(emit, ins, _cut(emit, ins, _combined(emit, ins.base, a, b), kind), kind, 2)


@instruction("vset", uniform=True)
def compare(emit: Emitter, ins: Instruction) -> None:
    """1 where a comparison holds, else 0."""
    require_known(ins, KINDS, CONDITIONS, SECOND)
    of = _types(ins, 2)
    a, b = (_exact(emit, ins, item, side) for item, side in zip(ins.operands[1:3], of, strict=True))
    way = next((word for word in ins.modifiers if word in CONDITIONS), "")
    if not way:
        raise unsupported(ins)
    _finish(emit, ins, emit.cast("zext", emit.compare(CONDITIONS[way], a, b), "i32"), "u32", 2)


@instruction("vshl", uniform=True)
@instruction("vshr", uniform=True)
def shift(emit: Emitter, ins: Instruction) -> None:
    """Shift by at most 32, or by the lowest five bits."""
    require_known(ins, KINDS, "sat", SHIFT_MODES, SECOND)
    kind, of, count = _types(ins, 3)
    modes = set(SHIFT_MODES) & set(ins.modifiers)
    if count != "u32" or len(modes) != 1:
        raise unsupported(ins)
    a, by = _exact(emit, ins, ins.operands[1], of), _exact(emit, ins, ins.operands[2], count)
    if "wrap" in modes:
        by = emit.op("and", by, constant("i64", 31))
    else:
        by = emit.intrinsic("llvm.umin", by, constant("i64", 32))
    shifted = emit.op("shl" if ins.base == "vshl" else "ashr", a, by)
    if of == "u32" and "sat" in ins.modifiers:
        shifted = emit.intrinsic("llvm.umin", shifted, constant("i64", (1 << 32) - 1))
    _finish(emit, ins, _cut(emit, ins, shifted, kind), kind, 2)


@instruction("vmad", uniform=True)
def multiply_add(emit: Emitter, ins: Instruction) -> None:
    """a·b + c, plus one with `.po`, shifted to the right; its sign, and so its limits, come from a and b.

    64 bits hold it, without a sign where neither has one.
    """
    require_known(ins, KINDS, "sat", "po", SCALES)
    _, *of = _types(ins, 3)
    kind = "s32" if "s32" in of else "u32"
    if len(ins.operands) != 4:
        raise unsupported(ins, "these operands")
    a, b, c = (
        _exact(emit, ins, item, side) for item, side in zip(ins.operands[1:], (*of, kind), strict=True)
    )
    total = emit.op("add", emit.op("mul", a, b), c)
    if "po" in ins.modifiers:
        total = emit.op("add", total, constant("i64", 1))
    scale = next((SCALES[word] for word in ins.modifiers if word in SCALES), 0)
    total = emit.op("ashr" if kind == "s32" else "lshr", total, constant("i64", scale))
    if kind == "u32" and "sat" in ins.modifiers:
        total = emit.intrinsic("llvm.umin", total, constant("i64", (1 << 32) - 1))
    emit.put(ins.operands[0], _cut(emit, ins, total, kind))
