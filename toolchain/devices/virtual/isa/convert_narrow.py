"""Conversions to and from f16, bf16 (beyond those of f32), tf32 and fp8.

A wide source first becomes a float32 that "rounds on" as the exact value would (round to odd), so that the
result is rounded once in every mode. Stochastic rounding and the 4- and 6-bit formats are not here.
"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import LLVM_TYPES, Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.convert import INTEGER_ROUNDING, narrow_double
from cudamaster.toolchain.devices.virtual.isa.floating import flush, saturate
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.narrow import LARGEST, NARROW, join, narrow, split, widen
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction

INTEGERS = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64")
SCALARS = (*INTEGERS, *NARROW, "f32", "f64")
DIRECTED = ("rz", "rm", "rp")
FP8_PAIRS = ("e4m3x2", "e5m2x2")


# --- scalars


def _convert(emit: Emitter, ins: Instruction) -> None:
    """Convert the last type to the last but one, one of them narrow."""
    require_known(ins, SCALARS, "rn", "ftz", DIRECTED, INTEGER_ROUNDING, "sat", "relu", "satfinite")
    target, source = ins.modifiers[-2:]
    if target in NARROW:
        value = _as_float(emit, ins, source)
        emit.put(ins.operands[0], _to_narrow(emit, ins, value, target))
        return
    value = widen(emit, emit.get(ins.operands[1], source), source)
    if target in INTEGERS:
        emit.put(ins.operands[0], _to_integer(emit, ins, value, target), signed=target.startswith("s"))
    else:
        wide = flush(emit, ins, emit.cast("fpext", value, LLVM_TYPES[target]))
        emit.put(ins.operands[0], saturate(emit, ins, wide))


def _as_float(emit: Emitter, ins: Instruction, source: str) -> Value:
    """Return the source as a float32: exact, or rounded to odd."""
    value = emit.get(ins.operands[1], source)
    if source in NARROW:
        return widen(emit, value, source)
    if source == "f32":
        return flush(emit, ins, value)
    opcode = "sitofp" if source.startswith("s") else "uitofp"
    if source in ("u8", "s8", "u16", "s16"):
        return emit.cast(opcode, value, "float")
    if source in ("u32", "s32"):
        value, source = emit.cast(opcode, value, "double"), "f64"
    return emit.call_native(f"vg_odd_f32_from_{source}", ["float"], [value])[0]


def _to_narrow(emit: Emitter, ins: Instruction, value: Value, kind: str) -> Value:
    """Round a float32, to an integer first where asked; limit as `.sat`, `.relu`, `.satfinite` say."""
    way = next((way for name, way in INTEGER_ROUNDING.items() if name in ins.modifiers), None)
    if way is not None:
        value = emit.intrinsic(f"llvm.{way}", value)
    value = _limited(emit, ins, value, kind)
    mode = next((name for name in DIRECTED if name in ins.modifiers), None)
    if mode is None:
        return narrow(emit, value, kind)
    return emit.call_native(f"vg_{kind}_{mode}", ["i16"], [value])[0]


def _limited(emit: Emitter, ins: Instruction, value: Value, kind: str) -> Value:
    zero, one = constant("float", 0.0), constant("float", 1.0)
    if "sat" in ins.modifiers:
        positive = emit.select(emit.compare("ogt", value, zero), value, zero)
        value = emit.select(emit.compare("olt", positive, one), positive, one)
    if "relu" in ins.modifiers:
        value = emit.select(emit.compare("ole", value, zero), zero, value)
    if "satfinite" in ins.modifiers:
        for sign, condition in ((1, "ogt"), (-1, "olt")):
            bound = constant("float", sign * LARGEST[kind])
            value = emit.select(emit.compare(condition, value, bound), bound, value)
    return value


def _to_integer(emit: Emitter, ins: Instruction, value: Value, target: str) -> Value:
    """Round, then clamp to the target's range; NaN becomes 0."""
    way = next((way for name, way in INTEGER_ROUNDING.items() if name in ins.modifiers), None)
    if way is None:
        raise unsupported(ins, "no rounding to an integer")
    sign = "s" if target.startswith("s") else "u"
    rounded = emit.intrinsic(f"llvm.{way}", value)
    return emit.intrinsic(f"llvm.fpto{sign}i.sat", rounded, result=LLVM_TYPES[target])


instruction("cvt", "f16")(_convert)
for _other in (*INTEGERS, "f64", "ftz", *DIRECTED, *INTEGER_ROUNDING, "f16", "sat", "satfinite"):
    instruction("cvt", "bf16", _other)(_convert)


def _directed(emit: Emitter, ins: Instruction) -> None:
    """A 64-bit integer to f32, rounded in a given direction, by way of a double that rounds on alike."""
    source = ins.type
    (exact,) = emit.call_native(
        f"vg_sticky_f64_from_{source}", ["double"], [emit.get(ins.operands[1], source)]
    )
    emit.put(ins.operands[0], narrow_double(emit, ins, exact))


for _mode in DIRECTED:
    for _source in ("s64", "u64"):
        instruction("cvt", "f32", _source, _mode)(_directed)


# --- pairs


@instruction("cvt", "f16x2")
def to_half_pair(emit: Emitter, ins: Instruction) -> None:
    """Two f32 to two f16, the first source to the upper half; or two fp8, exactly."""
    if ins.type in FP8_PAIRS:
        _from_fp8(emit, ins)
        return
    _to_pair(emit, ins, "f16")


def _to_pair(emit: Emitter, ins: Instruction, kind: str) -> None:
    require_known(ins, f"{kind}x2", "f32", "rn", "rz", "relu", "satfinite")
    if ins.type != "f32":
        raise unsupported(ins)
    upper, lower = (_to_narrow(emit, ins, emit.get(operand, "f32"), kind) for operand in ins.operands[1:3])
    emit.put(ins.operands[0], join(emit, lower, upper))


@instruction("cvt", "bf16x2", "f32", "satfinite")
def to_bounded_bfloat16_pair(emit: Emitter, ins: Instruction) -> None:
    """Two f32 to two bf16, at most the largest finite one."""
    _to_pair(emit, ins, "bf16")


def _to_fp8(emit: Emitter, ins: Instruction) -> None:
    """Two f32 (the first to the upper byte) or a pair of f16 to two fp8; out of range to the largest."""
    target, source = ins.modifiers[-2:]
    require_known(ins, FP8_PAIRS, "f32", "f16x2", "rn", "satfinite", "relu")
    if source == "f32":
        upper, lower = (emit.get(operand, "f32") for operand in ins.operands[1:3])
    else:
        lower, upper = (widen(emit, half, "f16") for half in split(emit, emit.get(ins.operands[1], source)))
    name = f"vg_{target.removesuffix('x2')}_from_f32"
    low, high = (emit.call_native(name, ["i16"], [_relu(emit, ins, value)])[0] for value in (lower, upper))
    emit.put(ins.operands[0], emit.op("or", emit.op("shl", high, constant("i16", 8)), low))


def _relu(emit: Emitter, ins: Instruction, value: Value) -> Value:
    zero = constant("float", 0.0)
    return emit.select(emit.compare("ole", value, zero), zero, value) if "relu" in ins.modifiers else value


def _from_fp8(emit: Emitter, ins: Instruction) -> None:
    require_known(ins, FP8_PAIRS, "f16x2", "rn", "relu")
    packed = emit.get(ins.operands[1], ins.type)
    name = f"vg_f32_from_{ins.type.removesuffix('x2')}"
    lower, upper = (
        _relu(emit, ins, emit.call_native(name, ["float"], [byte])[0])
        for byte in (packed, emit.op("lshr", packed, constant("i16", 8)))
    )
    emit.put(ins.operands[0], join(emit, narrow(emit, lower, "f16"), narrow(emit, upper, "f16")))


for _pair in FP8_PAIRS:
    instruction("cvt", _pair, "satfinite")(_to_fp8)


# --- tf32: a float32 whose 13 low bits are zero

DROPPED_BITS = 13


@instruction("cvt", "tf32")
def to_tf32(emit: Emitter, ins: Instruction) -> None:
    """Round a float32 to ten fraction bits: ties away from zero (`rna`) or to even, or towards zero."""
    require_known(ins, "tf32", "f32", "rna", "rn", "rz", "relu", "satfinite")
    if ins.type != "f32":
        raise unsupported(ins)
    value = _relu(emit, ins, emit.get(ins.operands[1], "f32"))
    bits = emit.resize(value, "i32")
    rounded = emit.op(
        "and", emit.op("add", bits, _half_unit(emit, ins, bits)), constant("i32", -1 << DROPPED_BITS)
    )
    if "satfinite" in ins.modifiers:
        rounded = _largest_if_infinite(emit, rounded)
    is_nan = emit.compare("uno", value, value)
    emit.put(ins.operands[0], emit.select(is_nan, constant("i32", 0x7FFFFFFF), rounded))


def _half_unit(emit: Emitter, ins: Instruction, bits: Value) -> Value:
    half = 1 << (DROPPED_BITS - 1)
    if "rna" in ins.modifiers:
        return constant("i32", half)
    if "rz" in ins.modifiers:
        return constant("i32", 0)
    odd = emit.op("and", emit.op("lshr", bits, constant("i32", DROPPED_BITS)), constant("i32", 1))
    return emit.op("add", odd, constant("i32", half - 1))


def _largest_if_infinite(emit: Emitter, bits: Value) -> Value:
    magnitude = emit.op("and", bits, constant("i32", 0x7FFFFFFF))
    infinite = emit.compare("uge", magnitude, constant("i32", 0x7F800000))
    sign = emit.op("and", bits, constant("i32", -0x80000000))
    return emit.select(infinite, emit.op("or", sign, constant("i32", 0x7F7FE000)), bits)
