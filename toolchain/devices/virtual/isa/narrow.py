"""Sixteen-bit floats as values: their bits as i16, widened to float32 to compute and rounded back."""

from collections.abc import Callable

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.convert import narrow_bfloat16, widen_bfloat16
from cudamaster.toolchain.devices.virtual.ptx.nouns import Operand

SIGN, MAGNITUDE, NAN = 0x8000, 0x7FFF, 0x7FFF
INFINITY = {"f16": 0x7C00, "bf16": 0x7F80}
ONE = {"f16": 0x3C00, "bf16": 0x3F80}
LARGEST = {"f16": 65504.0, "bf16": float.fromhex("0x1.fep127")}
NARROW = ("f16", "bf16")
PAIRS = ("f16x2", "bf16x2")


def widen(emit: Emitter, bits: Value, kind: str) -> Value:
    """Return the exact float32 of 16 bits (an i16) of type `f16` or `bf16`."""
    if kind == "bf16":
        return widen_bfloat16(emit, bits)
    return emit.cast("fpext", emit.cast("bitcast", bits, "half"), "float")


def narrow(emit: Emitter, value: Value, kind: str) -> Value:
    """Return the nearest `f16` or `bf16` (ties to even) of a float32, as an i16; any NaN becomes 0x7fff."""
    if kind == "bf16":
        return emit.cast("trunc", narrow_bfloat16(emit, value), "i16")
    bits = emit.cast("bitcast", emit.cast("fptrunc", value, "half"), "i16")
    return emit.select(emit.compare("uno", value, value), constant("i16", NAN), bits)


def is_nan(emit: Emitter, bits: Value, kind: str) -> Value:
    """Return whether 16 bits are a NaN."""
    magnitude = emit.op("and", bits, constant("i16", MAGNITUDE))
    return emit.compare("ugt", magnitude, constant("i16", INFINITY[kind]))


def split(emit: Emitter, pair: Value) -> tuple[Value, Value]:
    """Return the lower and the upper half of an i32."""
    upper = emit.op("lshr", pair, constant("i32", 16))
    return emit.cast("trunc", pair, "i16"), emit.cast("trunc", upper, "i16")


def join(emit: Emitter, lower: Value, upper: Value) -> Value:
    """Return two i16 as one i32."""
    high = emit.op("shl", emit.cast("zext", upper, "i32"), constant("i32", 16))
    return emit.op("or", high, emit.cast("zext", lower, "i32"))


def by_halves(
    emit: Emitter, ptx_type: str, operands: list[Operand], compute: Callable[[str, list[Value]], Value]
) -> Value:
    """Apply `compute(kind, bits of each operand)` to an `f16` or `bf16`, or to both halves of a pair."""
    values = [emit.get(operand, ptx_type) for operand in operands]
    if ptx_type in NARROW:
        return compute(ptx_type, values)
    kind = ptx_type.removesuffix("x2")
    halves = [split(emit, value) for value in values]
    lower, upper = (compute(kind, [half[i] for half in halves]) for i in range(2))
    return join(emit, lower, upper)
