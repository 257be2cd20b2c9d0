"""Comparisons and choices of integers and single and double floats."""

from cudamaster.toolchain.devices.virtual.codegen.emitter import LLVM_TYPES, Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.floating import flush
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Operand, Pair

FLOAT_CONDITIONS = {
    "eq": "oeq", "ne": "one", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge",
    "equ": "ueq", "neu": "une", "ltu": "ult", "leu": "ule", "gtu": "ugt", "geu": "uge",
    "num": "ord", "nan": "uno",
}  # fmt: skip
UNSIGNED_CONDITIONS = {"lo": "ult", "ls": "ule", "hi": "ugt", "hs": "uge"}
TRUE_BITS = {"f16": ("i16", 0x3C00), "bf16": ("i16", 0x3F80), "f32": ("i32", 0x3F800000)}
"""What `set` gives for yes: 1.0 in each float type."""
COMBINATIONS = ("and", "or", "xor")


def condition(ins: Instruction, ptx_type: str) -> str:
    """Return LLVM's name of the comparison that is the opcode's first modifier."""
    name = ins.modifiers[1]
    if LLVM_TYPES[ptx_type] in ("float", "double"):
        return FLOAT_CONDITIONS[name]
    if name in ("eq", "ne"):
        return name
    if name in UNSIGNED_CONDITIONS:
        return UNSIGNED_CONDITIONS[name]
    return ("s" if ptx_type.startswith("s") else "u") + name


def compared(emit: Emitter, ins: Instruction, a: Operand, b: Operand) -> Value:
    """Return the comparison of two operands of the last type of the opcode."""
    left, right = (flush(emit, ins, emit.get(operand, ins.type)) for operand in (a, b))
    return emit.compare(condition(ins, ins.type), left, right)


def combined(emit: Emitter, ins: Instruction, result: Value, source: Operand) -> Value:
    """Combine a comparison with a predicate as `.and`, `.or` or `.xor` asks."""
    opcode = next((name for name in COMBINATIONS if name in ins.modifiers), None)
    if opcode is None:
        raise unsupported(ins, "a third source")
    return emit.op(opcode, result, emit.get(source, "pred"))


@instruction("setp", uniform=True)
def set_predicate(emit: Emitter, ins: Instruction) -> None:
    """Compare to a predicate, and to its complement where two are written; combine with a third."""
    destination, a, b, *third = ins.operands
    result = compared(emit, ins, a, b)
    opposite = emit.op("xor", result, constant("i1", True)) if isinstance(destination, Pair) else None
    if third:
        result = combined(emit, ins, result, third[0])
        opposite = combined(emit, ins, opposite, third[0]) if opposite else None
    if isinstance(destination, Pair):
        assert opposite is not None
        emit.put(destination.first, result)
        emit.put(destination.second, opposite)
    else:
        emit.put(destination, result)


@instruction("set", uniform=True)
def set_register(emit: Emitter, ins: Instruction) -> None:
    """Compare to all ones (integers) or 1.0 (floats), else zero."""
    destination, a, b, *third = ins.operands
    result = compared(emit, ins, a, b)
    if third:
        result = combined(emit, ins, result, third[0])
    target = ins.modifiers[-2]
    kind, yes = TRUE_BITS.get(target, (LLVM_TYPES[target], -1))
    emit.put(destination, emit.select(result, constant(kind, yes), constant(kind, 0)))


@instruction("selp", uniform=True)
def select_by_predicate(emit: Emitter, ins: Instruction) -> None:
    """The first source where the predicate holds, else the second."""
    destination, a, b, predicate = ins.operands
    chosen = emit.select(emit.get(predicate, "pred"), emit.get(a, ins.type), emit.get(b, ins.type))
    emit.put(destination, chosen)


@instruction("slct", uniform=True)
def select_by_sign(emit: Emitter, ins: Instruction) -> None:
    """The first source where the third is not negative, else the second; a NaN chooses the second."""
    destination, a, b, sign = ins.operands
    kind = ins.modifiers[-2]
    value = flush(emit, ins, emit.get(sign, ins.type))
    is_float = value.type == "float"
    holds = emit.compare("oge" if is_float else "sge", value, constant(value.type, 0))
    emit.put(destination, emit.select(holds, emit.get(a, kind), emit.get(b, kind)))
