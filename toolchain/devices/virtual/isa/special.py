"""The special-function unit in float32, and the coarse float64 starting values of reciprocal and root.

Accuracy is within the errors that the PTX ISA documents, not bit for bit that of the hardware.
"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.floating import finish, flush, inputs
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction


@instruction("ex2", "f32")
@instruction("lg2", "f32")
@instruction("sin", "f32")
@instruction("cos", "f32")
@instruction("tanh", "f32")
def approximate(emit: Emitter, ins: Instruction) -> None:
    """2^x, log2 x, sin x, cos x, tanh x."""
    require_known(ins, "approx", "ftz", "f32")
    name = f"vg_{ins.base}_ftz_f32" if "ftz" in ins.modifiers else f"vg_{ins.base}_f32"
    (result,) = emit.call_native(name, ["float"], [emit.get(ins.operands[1], "f32")])
    emit.put(ins.operands[0], result)


@instruction("rsqrt", "f32", uniform=True)
def reciprocal_root(emit: Emitter, ins: Instruction) -> None:
    """1 / sqrt x, each step correctly rounded."""
    require_known(ins, "approx", "ftz", "f32")
    (value,) = inputs(emit, ins, ins.operands[1])
    finish(
        emit,
        ins,
        flush(emit, ins, emit.op("fdiv", constant("float", 1.0), emit.intrinsic("llvm.sqrt", value))),
    )


@instruction("rsqrt", "f64", uniform=True)
def coarse_reciprocal_root(emit: Emitter, ins: Instruction) -> None:
    """1 / sqrt x with the lower 32 bits zero."""
    require_known(ins, "approx", "ftz", "f64")
    root = emit.intrinsic("llvm.sqrt", _flush_double(emit, emit.get(ins.operands[1], "f64")))
    emit.put(ins.operands[0], _upper_half(emit, emit.op("fdiv", constant("double", 1.0), root)))


@instruction("rcp", "approx", "f64", uniform=True)
def coarse_reciprocal(emit: Emitter, ins: Instruction) -> None:
    """1 / x with the lower 32 bits zero."""
    require_known(ins, "approx", "ftz", "f64")
    value = _flush_double(emit, emit.get(ins.operands[1], "f64"))
    quotient = emit.op("fdiv", constant("double", 1.0), value)
    emit.put(ins.operands[0], _upper_half(emit, _flush_double(emit, quotient)))


EXPONENT_64, SIGN_64, UPPER_64 = 0x7FF << 52, 1 << 63, -1 << 32


def _flush_double(emit: Emitter, value: Value) -> Value:
    """Replace a subnormal by a zero of its sign."""
    bits = emit.resize(value, "i64")
    tiny = emit.compare("eq", emit.op("and", bits, constant("i64", EXPONENT_64)), constant("i64", 0))
    zero = emit.op("and", bits, constant("i64", SIGN_64))
    return emit.resize(emit.select(tiny, zero, bits), "double")


def _upper_half(emit: Emitter, value: Value) -> Value:
    kept = emit.op("and", emit.resize(value, "i64"), constant("i64", UPPER_64))
    return emit.resize(kept, "double")
