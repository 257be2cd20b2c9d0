"""Arithmetic of f16, bf16 and pairs of them.

`add`, `sub` and `mul` compute in float32 and round back, which rounds as if once (except products of bf16
below 2^-126, where the last bit of a subnormal may be off); `fma` is rounded once by native/half.c.
"""

from collections.abc import Callable

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.compare import (
    FLOAT_CONDITIONS,
    TRUE_BITS,
    combined,
    set_register,
)
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.narrow import (
    MAGNITUDE,
    NAN,
    NARROW,
    ONE,
    PAIRS,
    SIGN,
    by_halves,
    is_nan,
    join,
    narrow,
    split,
    widen,
)
from cudamaster.toolchain.devices.virtual.isa.registry import Emit, instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Pair

TYPES = (*NARROW, *PAIRS)
OUTSIDE = 0x7FF7
"""The NaN that a tensor copy fills with (`fill` in native/tensor_copy.c) and that `.oob` makes zeros of."""
LEAST_NORMAL = 0x0400
"""Of f16; `.ftz` does not exist for bf16."""


def _flush(emit: Emitter, ins: Instruction, bits: Value) -> Value:
    """Replace a subnormal f16 by a zero of its sign, where the opcode says `.ftz`."""
    if "ftz" not in ins.modifiers:
        return bits
    magnitude = emit.op("and", bits, constant("i16", MAGNITUDE))
    is_tiny = emit.compare("ult", magnitude, constant("i16", LEAST_NORMAL))
    return emit.select(is_tiny, emit.op("and", bits, constant("i16", SIGN)), bits)


def _limit(emit: Emitter, ins: Instruction, bits: Value, kind: str) -> Value:
    """Apply `.sat` (to [0, 1], NaN to 0) or `.relu` (to at least 0, NaN stays)."""
    if "relu" not in ins.modifiers and "sat" not in ins.modifiers:
        return bits
    negative = emit.compare("slt", bits, constant("i16", 0))
    nan = is_nan(emit, bits, kind)
    zero = constant("i16", 0)
    if "relu" in ins.modifiers:
        return emit.select(nan, constant("i16", NAN), emit.select(negative, zero, bits))
    above = emit.compare("sgt", bits, constant("i16", ONE[kind]))
    limited = emit.select(above, constant("i16", ONE[kind]), emit.select(negative, zero, bits))
    return emit.select(nan, zero, limited)


Compute = Callable[[Emitter, Instruction, str, list[Value]], Value]
"""From the emitter, the instruction, the type and the sources' bits to the result's bits."""


def _in_halves(emit: Emitter, ins: Instruction, compute: Compute) -> None:
    """Flush, compute in each half, flush, limit, assign."""

    def whole(kind: str, bits: list[Value]) -> Value:
        result = compute(emit, ins, kind, [_flush(emit, ins, value) for value in bits])
        return _limit(emit, ins, _flush(emit, ins, result), kind)

    emit.put(ins.operands[0], by_halves(emit, ins.type, list(ins.operands[1:]), whole))


def _arithmetic(emit: Emitter, ins: Instruction) -> None:
    require_known(ins, "rn", "ftz", "sat", TYPES)

    def compute(emit: Emitter, ins: Instruction, kind: str, bits: list[Value]) -> Value:
        a, b = (widen(emit, value, kind) for value in bits)
        return narrow(emit, emit.op(f"f{ins.base}", a, b), kind)

    _in_halves(emit, ins, compute)


def _fused(emit: Emitter, ins: Instruction) -> None:
    require_known(ins, "rn", "ftz", "sat", "relu", "oob", TYPES)
    values = [emit.get(operand, ins.type) for operand in ins.operands[1:]]
    pair = ins.type in PAIRS
    if "ftz" in ins.modifiers:
        values = [_each_half(emit, ins, value, pair) for value in values]
    (result,) = emit.call_native(f"vg_fma_{ins.type}", ["i32" if pair else "i16"], values)
    result = _each_half(emit, ins, result, pair, limit=True)
    if "oob" in ins.modifiers:
        result = _zero_outside(emit, result, values[:2], pair)
    emit.put(ins.operands[0], result)


def _zero_outside(emit: Emitter, result: Value, factors: list[Value], pair: bool) -> Value:
    """Make zero of each half that has a factor from outside a tensor."""
    columns = zip(*(split(emit, value) if pair else (value,) for value in (result, *factors)), strict=True)
    halves = []
    for half, a, b in columns:
        outside = [emit.compare("eq", factor, constant("i16", OUTSIDE)) for factor in (a, b)]
        halves.append(emit.select(emit.op("or", *outside), constant("i16", 0), half))
    return join(emit, *halves) if pair else halves[0]


def _each_half(emit: Emitter, ins: Instruction, value: Value, pair: bool, *, limit: bool = False) -> Value:
    kind = ins.type.removesuffix("x2")
    halves = split(emit, value) if pair else (value,)
    flushed = [_flush(emit, ins, half) for half in halves]
    done = [_limit(emit, ins, half, kind) for half in flushed] if limit else flushed
    return join(emit, *done) if pair else done[0]


def _absolute(emit: Emitter, ins: Instruction) -> None:
    require_known(ins, "ftz", TYPES)
    _in_halves(emit, ins, lambda emit, ins, kind, bits: emit.op("and", bits[0], constant("i16", MAGNITUDE)))


def _negate(emit: Emitter, ins: Instruction) -> None:
    require_known(ins, "ftz", TYPES)
    _in_halves(emit, ins, lambda emit, ins, kind, bits: emit.op("xor", bits[0], constant("i16", SIGN)))


def _extreme(emit: Emitter, ins: Instruction) -> None:
    """A NaN loses against a number, unless `.NaN`; -0 is less than +0."""
    require_known(ins, "ftz", "NaN", "xorsign", "abs", TYPES)
    name = f"llvm.{ins.base}imum" + ("" if "NaN" in ins.modifiers else "num")

    def compute(emit: Emitter, ins: Instruction, kind: str, bits: list[Value]) -> Value:
        sign = None
        if "xorsign" in ins.modifiers:
            sign = emit.op("and", emit.op("xor", *bits), constant("i16", SIGN))
            bits = [emit.op("and", value, constant("i16", MAGNITUDE)) for value in bits]
        result = narrow(emit, emit.intrinsic(name, *(widen(emit, value, kind) for value in bits)), kind)
        return emit.op("or", result, sign) if sign is not None else result

    _in_halves(emit, ins, compute)


def _register() -> None:
    ways: dict[str, Emit] = {
        "add": _arithmetic, "sub": _arithmetic, "mul": _arithmetic, "abs": _absolute, "neg": _negate,
        "min": _extreme, "max": _extreme,
    }  # fmt: skip
    for base, way in ways.items():
        for kind in TYPES:
            instruction(base, kind, uniform=True)(way)
    for kind in TYPES:
        instruction("fma", kind)(_fused)


_register()


# --- comparisons


def _compared(emit: Emitter, ins: Instruction) -> list[Value]:
    """Return the comparison of an `f16` or `bf16`, or those of both halves of a pair, lower first."""
    name = ins.modifiers[1]
    if name not in FLOAT_CONDITIONS:
        raise unsupported(ins, f"the comparison .{name}")
    kind = ins.type
    if kind not in TYPES:
        raise unsupported(ins)
    a, b = (emit.get(operand, kind) for operand in ins.operands[1:3])
    sides = [split(emit, value) if kind in PAIRS else (value,) for value in (a, b)]
    return [
        emit.compare(
            FLOAT_CONDITIONS[name],
            *(widen(emit, _flush(emit, ins, half), kind.removesuffix("x2")) for half in halves),
        )
        for halves in zip(*sides, strict=True)
    ]


def _set_predicate(emit: Emitter, ins: Instruction) -> None:
    """One comparison (and its complement), or, of a pair, that of the lower and of the upper half."""
    require_known(ins, FLOAT_CONDITIONS, "ftz", "and", "or", "xor", TYPES)
    results = _compared(emit, ins)
    target = ins.operands[0]
    if len(results) == 1 and isinstance(target, Pair):
        results.append(emit.op("xor", results[0], constant("i1", True)))
    if len(ins.operands) == 4:
        results = [combined(emit, ins, result, ins.operands[3]) for result in results]
    targets = [target.first, target.second] if isinstance(target, Pair) else [target]
    if len(targets) != len(results):
        raise emit.unsupported("one predicate for two halves")
    for destination, result in zip(targets, results, strict=True):
        emit.put(destination, result)


def _set_register(emit: Emitter, ins: Instruction) -> None:
    """Compare to 1.0 (floating destination) or all ones (integer), else zero; pairs half by half."""
    if ins.type not in TYPES:
        set_register(emit, ins)
        return
    require_known(ins, FLOAT_CONDITIONS, "ftz", "and", "or", "xor", TYPES, "f32", "s16", "u16", "s32", "u32")
    results = _compared(emit, ins)
    if len(ins.operands) == 4:
        results = [combined(emit, ins, result, ins.operands[3]) for result in results]
    target = ins.modifiers[-2]
    if len(results) == 2:
        kind, yes = TRUE_BITS.get(target.removesuffix("x2"), ("i16", -1))
        chosen = [emit.select(result, constant(kind, yes), constant(kind, 0)) for result in results]
        emit.put(ins.operands[0], join(emit, *chosen))
        return
    kind, yes = TRUE_BITS.get(target, ("i16" if target.endswith("16") else "i32", -1))
    emit.put(ins.operands[0], emit.select(results[0], constant(kind, yes), constant(kind, 0)))


for _kind in TYPES:
    instruction("setp", _kind, uniform=True)(_set_predicate)
    instruction("set", _kind, uniform=True)(_set_register)


# --- the special-function unit on halves


def _transcendental(emit: Emitter, ins: Instruction) -> None:
    """Compute the float32 approximation and round it."""
    require_known(ins, "approx", "ftz", TYPES)
    name = f"vg_{ins.base}_ftz_f32" if "ftz" in ins.modifiers else f"vg_{ins.base}_f32"

    def compute(kind: str, bits: list[Value]) -> Value:
        (result,) = emit.call_native(name, ["float"], [widen(emit, bits[0], kind)])
        return narrow(emit, result, kind)

    emit.put(ins.operands[0], by_halves(emit, ins.type, [ins.operands[1]], compute))


for _kind in TYPES:
    instruction("ex2", _kind)(_transcendental)
    instruction("tanh", _kind)(_transcendental)
