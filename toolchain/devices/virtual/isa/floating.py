"""Single and double precision arithmetic; sixteen-bit floats are not covered here."""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.registry import Emit, instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Operand

DIRECTED = {"rz": 3, "rm": 1, "rp": 2}
"""Rounding modes that the host's default arithmetic lacks, by their number in `native/rounding.c`."""
EXPONENT_MASK = 0x7F800000
SIGN_BIT = 0x80000000


def flush(emit: Emitter, ins: Instruction, value: Value) -> Value:
    """Replace a subnormal f32 by a zero of its sign, where the opcode says `.ftz`."""
    if "ftz" not in ins.modifiers or value.type != "float":
        return value
    bits = emit.resize(value, "i32")
    exponent = emit.op("and", bits, constant("i32", EXPONENT_MASK))
    is_tiny = emit.compare("eq", exponent, constant("i32", 0))
    flushed = emit.select(is_tiny, emit.op("and", bits, constant("i32", SIGN_BIT)), bits)
    return emit.resize(flushed, "float")


def saturate(emit: Emitter, ins: Instruction, value: Value) -> Value:
    """Clamp to [0, 1], NaN to 0, where the opcode says `.sat`."""
    if "sat" not in ins.modifiers:
        return value
    zero, one = constant(value.type, 0.0), constant(value.type, 1.0)
    positive = emit.select(emit.compare("ogt", value, zero), value, zero)
    return emit.select(emit.compare("olt", positive, one), positive, one)


def inputs(emit: Emitter, ins: Instruction, *operands: Operand) -> list[Value]:
    """Return operands in the instruction's type, subnormals flushed where it says so."""
    return [flush(emit, ins, emit.get(operand, ins.type)) for operand in operands]


def finish(emit: Emitter, ins: Instruction, value: Value) -> None:
    """Apply `.ftz` and `.sat` to a result and assign it."""
    emit.put(ins.operands[0], saturate(emit, ins, flush(emit, ins, value)))


def rounding(ins: Instruction) -> int | None:
    """Return the number of a directed rounding mode, None for to nearest even."""
    return next((number for name, number in DIRECTED.items() if name in ins.modifiers), None)


def directed(emit: Emitter, operation: str, values: list[Value], mode: int) -> Value:
    """Compute `add`, `mul`, `fma`, `div`, `sqrt` lane by lane under another rounding mode."""
    kind = values[0].type
    padded = values + [values[-1]] * (3 - len(values))
    return emit.call_native(f"vg_{operation}_{'f32' if kind == 'float' else 'f64'}", [kind], [*padded, mode])[
        0
    ]


def _arithmetic(emit: Emitter, ins: Instruction, opcode: str) -> None:
    a, b = inputs(emit, ins, *ins.operands[1:3])
    mode = rounding(ins)
    if mode is None:
        finish(emit, ins, emit.op(f"f{opcode}", a, b))
        return
    if opcode == "sub":
        opcode, b = "add", emit.negate_float(b)
    finish(emit, ins, directed(emit, opcode, [a, b], mode))


def _fused(emit: Emitter, ins: Instruction) -> None:
    values = inputs(emit, ins, *ins.operands[1:4])
    mode = rounding(ins)
    if mode is None:
        finish(emit, ins, emit.intrinsic("llvm.fma", *values))
    elif values[0].type == "float" and emit.mode.avx512:
        finish(emit, ins, _fused_avx512(emit, values, mode))
    else:
        finish(emit, ins, directed(emit, "fma", values, mode))


def _fused_avx512(emit: Emitter, values: list[Value], mode: int) -> Value:
    """Use the rounding mode that an AVX-512 instruction carries."""
    name = "llvm.x86.avx512.vfmadd.ps.512"
    half = "<16 x float>"
    emit.declarations[name] = f"declare {half} @{name}({half}, {half}, {half}, i32)"
    parts = []
    for first in (0, 16):
        order = ", ".join(f"i32 {first + lane}" for lane in range(16))
        operands = ", ".join(
            f"{half} " + emit.raw(f"shufflevector {v.typed}, {v.full_type} poison, <16 x i32> <{order}>")
            for v in map(emit.lanes, values)
        )
        parts.append(emit.raw(f"call {half} @{name}({operands}, i32 {8 | mode})"))
    order = ", ".join(f"i32 {lane}" for lane in range(32))
    joined = emit.raw(f"shufflevector {half} {parts[0]}, {half} {parts[1]}, <32 x i32> <{order}>")
    return Value(joined, "float", lanes=True)


def _divide(emit: Emitter, ins: Instruction) -> None:
    """Correctly rounded also for `.approx` and `.full`, which may differ from hardware in the last bits."""
    a, b = inputs(emit, ins, *ins.operands[1:3])
    mode = rounding(ins)
    finish(emit, ins, emit.op("fdiv", a, b) if mode is None else directed(emit, "div", [a, b], mode))


def _square_root(emit: Emitter, ins: Instruction) -> None:
    (a,) = inputs(emit, ins, ins.operands[1])
    mode = rounding(ins)
    finish(emit, ins, emit.intrinsic("llvm.sqrt", a) if mode is None else directed(emit, "sqrt", [a], mode))


def _reciprocal(emit: Emitter, ins: Instruction) -> None:
    (a,) = inputs(emit, ins, ins.operands[1])
    one = constant(a.type, 1.0)
    mode = rounding(ins)
    finish(emit, ins, emit.op("fdiv", one, a) if mode is None else directed(emit, "div", [one, a], mode))


def _absolute(emit: Emitter, ins: Instruction) -> None:
    (a,) = inputs(emit, ins, ins.operands[1])
    finish(emit, ins, emit.intrinsic("llvm.fabs", a))


def _negate(emit: Emitter, ins: Instruction) -> None:
    (a,) = inputs(emit, ins, ins.operands[1])
    finish(emit, ins, emit.negate_float(a))


def _extreme(emit: Emitter, ins: Instruction) -> None:
    """A NaN loses against a number, unless `.NaN`; -0 is less than +0; `.abs` compares magnitudes."""
    values = inputs(emit, ins, *ins.operands[1:])
    if "abs" in ins.modifiers and "xorsign" not in ins.modifiers:
        values = [emit.intrinsic("llvm.fabs", value) for value in values]
    first, *rest = values
    name = f"llvm.{ins.base}imum" + ("" if "NaN" in ins.modifiers else "num")
    result = first
    sign = None
    for value in rest:
        if "xorsign" in ins.modifiers:
            sign = emit.op("xor", emit.resize(first, "i32"), emit.resize(value, "i32"))
            result, value = emit.intrinsic("llvm.fabs", result), emit.intrinsic("llvm.fabs", value)
        result = emit.intrinsic(name, result, value)
    if sign is not None:
        result = emit.intrinsic("llvm.copysign", result, emit.resize(sign, "float"))
    finish(emit, ins, result)


def computed(emit: Emitter, ins: Instruction, opcode: str, values: list[Value]) -> Value:
    """Return `add`, `sub`, `mul` or `fma` of f32 as the opcode's rounding, `.ftz` and `.sat` ask."""
    values = [flush(emit, ins, value) for value in values]
    mode = rounding(ins)
    if mode is None:
        result = emit.intrinsic("llvm.fma", *values) if opcode == "fma" else emit.op(f"f{opcode}", *values)
    elif opcode == "sub":
        result = directed(emit, "add", [values[0], emit.negate_float(values[1])], mode)
    else:
        result = directed(emit, opcode, values, mode)
    return saturate(emit, ins, flush(emit, ins, result))


def _register() -> None:
    ways: dict[str, Emit] = {
        "add": lambda emit, ins: _arithmetic(emit, ins, "add"),
        "sub": lambda emit, ins: _arithmetic(emit, ins, "sub"),
        "mul": lambda emit, ins: _arithmetic(emit, ins, "mul"),
        "fma": _fused,
        "mad": _fused,
        "div": _divide,
        "sqrt": _square_root,
        "rcp": _reciprocal,
        "abs": _absolute,
        "neg": _negate,
        "min": _extreme,
        "max": _extreme,
    }
    for base, way in ways.items():
        for kind in ("f32", "f64"):
            instruction(base, kind)(way)


_register()


@instruction("copysign")
def copy_sign(emit: Emitter, ins: Instruction) -> None:
    """The second operand with the sign of the first."""
    sign, magnitude = (emit.get(operand, ins.type) for operand in ins.operands[1:3])
    emit.put(ins.operands[0], emit.intrinsic("llvm.copysign", magnitude, sign))


TESTS = {
    "finite": 0x1F8, "infinite": 0x204, "number": 0x3FC, "notanumber": 0x003, "normal": 0x108,
    "subnormal": 0x090,
}  # fmt: skip
"""Classes of `llvm.is.fpclass` for each property."""


@instruction("testp")
def test_property(emit: Emitter, ins: Instruction) -> None:
    """Whether a number is finite, infinite, a number, not a number, normal or subnormal (zero is not)."""
    a = emit.get(ins.operands[1], ins.type)
    name = f"llvm.is.fpclass.{'v32' if a.lanes else ''}{'f32' if ins.type == 'f32' else 'f64'}"
    result = Value("", "i1", a.lanes)
    emit.declarations[name] = f"declare {result.full_type} @{name}({a.full_type}, i32)"
    text = emit.raw(f"call {result.full_type} @{name}({a.typed}, i32 {TESTS[ins.modifiers[1]]})")
    emit.put(ins.operands[0], Value(text, "i1", a.lanes))
