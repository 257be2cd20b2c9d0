"""Conversions between integers, f32, f64 and bf16; f16, fp8 and tf32 are not covered here."""

from cudamaster.toolchain.devices.virtual.codegen.emitter import LLVM_TYPES, Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import BITS, Value, constant
from cudamaster.toolchain.devices.virtual.isa.floating import flush, rounding, saturate
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction

INTEGER_ROUNDING = {"rni": "roundeven", "rzi": "trunc", "rmi": "floor", "rpi": "ceil"}
COVERED = frozenset({"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f32", "f64", "bf16"})
BFLOAT16_NAN = 0x7FFF
PACKED = {f"{sign}{width}": width for sign in "us" for width in (2, 4, 8, 16)}
"""Bits of what `cvt.pack` packs."""


def widen_bfloat16(emit: Emitter, bits: Value) -> Value:
    """Return bf16 bits (i16) as an f32 of the same value."""
    return emit.resize(emit.op("shl", emit.cast("zext", bits, "i32"), constant("i32", 16)), "float")


def narrow_bfloat16(emit: Emitter, value: Value) -> Value:
    """Return an f32 as bf16 bits in the low half of an i32, rounded to nearest even, NaN as 0x7fff."""
    bits = emit.resize(value, "i32")
    odd = emit.op("and", emit.op("lshr", bits, constant("i32", 16)), constant("i32", 1))
    rounded = emit.op("add", emit.op("add", bits, odd), constant("i32", 0x7FFF))
    kept = emit.op("lshr", rounded, constant("i32", 16))
    return emit.select(emit.compare("uno", value, value), constant("i32", BFLOAT16_NAN), kept)


def truncate_bfloat16(emit: Emitter, value: Value) -> Value:
    """Return an f32 as bf16 bits in the low half of an i32, rounded towards zero, NaN as 0x7fff."""
    kept = emit.op("lshr", emit.resize(value, "i32"), constant("i32", 16))
    return emit.select(emit.compare("uno", value, value), constant("i32", BFLOAT16_NAN), kept)


def _to_bfloat16(emit: Emitter, ins: Instruction, value: Value) -> Value:
    if "relu" in ins.modifiers:
        is_negative = emit.compare("olt", value, constant("float", 0.0))
        value = emit.select(is_negative, constant("float", 0.0), value)
    if "rz" in ins.modifiers:
        return truncate_bfloat16(emit, value)
    if "rn" not in ins.modifiers:
        raise unsupported(ins)
    return narrow_bfloat16(emit, value)


@instruction("cvt", "bf16x2", "f32")
def to_bfloat16_pair(emit: Emitter, ins: Instruction) -> None:
    """Two f32 to two bf16: the first source to the upper half."""
    upper, lower = (_to_bfloat16(emit, ins, emit.get(operand, "f32")) for operand in ins.operands[1:3])
    emit.put(ins.operands[0], emit.op("or", emit.op("shl", upper, constant("i32", 16)), lower))


@instruction("cvt", "pack", uniform=True)
def pack(emit: Emitter, ins: Instruction) -> None:
    """Two s32 to narrower integers, clamped: the first above the second, a third source above both."""
    require_known(ins, "pack", "sat", PACKED, "s32", "b32")
    kind, (target, *sources) = ins.modifiers[3], ins.operands
    width = PACKED.get(kind, 0)
    if len(sources) != (2 if width == 16 else 3) or "s32" not in ins.modifiers[4:]:
        raise unsupported(ins, "these operands")
    least, most = (-1 << width - 1, (1 << width - 1) - 1) if kind[0] == "s" else (0, (1 << width) - 1)
    packed = emit.op("shl", emit.get(sources[2], "b32"), constant("i32", 2 * width)) if width < 16 else None
    for place, source in ((0, sources[1]), (width, sources[0])):
        limited = emit.intrinsic("llvm.smax", emit.get(source, "b32"), constant("i32", least))
        limited = emit.intrinsic("llvm.smin", limited, constant("i32", most))
        part = emit.op(
            "shl", emit.op("and", limited, constant("i32", (1 << width) - 1)), constant("i32", place)
        )
        packed = part if packed is None else emit.op("or", packed, part)
    assert packed is not None
    emit.put(target, packed)


@instruction("cvt", uniform=True)
def convert(emit: Emitter, ins: Instruction) -> None:
    """Convert the last type to the last but one."""
    target, source = ins.modifiers[-2:]
    if not {target, source} <= COVERED:
        raise unsupported(ins)
    value = flush(emit, ins, emit.get(ins.operands[1], source))
    if source == target == "bf16" and len(ins.modifiers) == 3:
        emit.put(ins.operands[0], value)
        return
    if source == "bf16":
        value, source = widen_bfloat16(emit, value), "f32"
    if target == "bf16":
        if source != "f32":
            raise unsupported(ins)
        emit.put(ins.operands[0], emit.cast("trunc", _to_bfloat16(emit, ins, value), "i16"))
        return
    result = _converted(emit, ins, value, (source, target))
    emit.put(ins.operands[0], result, signed=target.startswith("s"))


def _converted(emit: Emitter, ins: Instruction, value: Value, types: tuple[str, str]) -> Value:
    from_float, to_float = (LLVM_TYPES[kind] in ("float", "double") for kind in types)
    if from_float and to_float:
        return saturate(emit, ins, flush(emit, ins, _between_floats(emit, ins, value, types[1])))
    if from_float:
        return _to_integer(emit, ins, value, types[1])
    if to_float:
        return _from_integer(emit, ins, value, types)
    return _between_integers(emit, ins, value, types)


def _between_floats(emit: Emitter, ins: Instruction, value: Value, target: str) -> Value:
    kind = LLVM_TYPES[target]
    if value.type == kind:
        way = next((way for name, way in INTEGER_ROUNDING.items() if name in ins.modifiers), None)
        return emit.intrinsic(f"llvm.{way}", value) if way else value
    if BITS[kind] > BITS[value.type]:
        return emit.cast("fpext", value, kind)
    return narrow_double(emit, ins, value)


def narrow_double(emit: Emitter, ins: Instruction, value: Value) -> Value:
    """Round a double to f32; directed modes step back from the nearest where it went too far."""
    nearest = emit.cast("fptrunc", value, "float")
    mode = next((name for name in ("rz", "rm", "rp") if name in ins.modifiers), None)
    if mode is None:
        return nearest
    back = emit.cast("fpext", nearest, "double")
    above, below = emit.compare("ogt", back, value), emit.compare("olt", back, value)
    negative = emit.compare("slt", emit.resize(value, "i64"), constant("i64", 0))
    positive = emit.op("xor", negative, constant("i1", True))
    if mode == "rz":
        outward = emit.select(negative, below, above)
        return _step(emit, nearest, outward, constant("i32", -1))
    wrong = above if mode == "rm" else below
    away = negative if mode == "rm" else positive
    return _step(emit, nearest, wrong, emit.select(away, constant("i32", 1), constant("i32", -1)))


def _step(emit: Emitter, value: Value, where: Value, by: Value) -> Value:
    """Move to a neighbouring float, away from zero for 1 and towards it for -1."""
    bits = emit.resize(value, "i32")
    return emit.resize(emit.select(where, emit.op("add", bits, by), bits), "float")


def _to_integer(emit: Emitter, ins: Instruction, value: Value, target: str) -> Value:
    """Round, then clamp to the target's range; NaN becomes 0."""
    way = next((way for name, way in INTEGER_ROUNDING.items() if name in ins.modifiers), "trunc")
    if way != "trunc":
        value = emit.intrinsic(f"llvm.{way}", value)
    sign = "s" if target.startswith("s") else "u"
    return emit.intrinsic(f"llvm.fpto{sign}i.sat", value, result=LLVM_TYPES[target])


def _from_integer(emit: Emitter, ins: Instruction, value: Value, types: tuple[str, str]) -> Value:
    opcode = "sitofp" if types[0].startswith("s") else "uitofp"
    kind = LLVM_TYPES[types[1]]
    is_directed = any(mode in ins.modifiers for mode in ("rz", "rm", "rp"))
    if not is_directed:
        return saturate(emit, ins, emit.cast(opcode, value, kind))
    if BITS[value.type] > 32:  # to f32: see convert_narrow
        (result,) = emit.call_native(f"vg_f64_from_{types[0]}", ["double"], [value, int(rounding(ins) or 0)])
        return saturate(emit, ins, result)
    exact = emit.cast(opcode, value, "double")
    return exact if kind == "double" else saturate(emit, ins, narrow_double(emit, ins, exact))


def _between_integers(emit: Emitter, ins: Instruction, value: Value, types: tuple[str, str]) -> Value:
    source, target = types
    if "sat" in ins.modifiers:
        return _clamped(emit, value, source, target)
    return emit.resize(value, LLVM_TYPES[target], signed=source.startswith("s"))


def _clamped(emit: Emitter, value: Value, source: str, target: str) -> Value:
    """Clamp to the target's range, computed in a type that holds both."""
    width, signed = BITS[LLVM_TYPES[target]], target.startswith("s")
    wide = emit.cast("sext" if source.startswith("s") else "zext", value, "i128")
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    clamped = emit.intrinsic("llvm.smax", wide, constant("i128", low))
    clamped = emit.intrinsic("llvm.smin", clamped, constant("i128", high))
    return emit.cast("trunc", clamped, LLVM_TYPES[target])
