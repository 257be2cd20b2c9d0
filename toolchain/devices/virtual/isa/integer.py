"""Integer arithmetic, extended-precision `.cc` forms included.

The carry flag is a predicate register of the kernel, `nouns.CARRY`: it outlives basic blocks as others do. A
subtraction is an addition of the complement, so it sets the flag where it does *not* borrow: compiled 128-bit
divisions read it with `addc` and count on that.
"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import LLVM_TYPES, Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import BITS, Value, constant
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import CARRY, Instruction, Operand, Register

WIDER = {"u16": "i32", "s16": "i32", "u32": "i64", "s32": "i64", "u64": "i128", "s64": "i128"}


def is_signed(ptx_type: str) -> bool:
    """Whether a type is a signed integer."""
    return ptx_type.startswith("s")


def sources(emit: Emitter, ins: Instruction, *operands: Operand) -> list[Value]:
    """Return operands as values of the instruction's type."""
    return [emit.get(operand, ins.type) for operand in operands]


@instruction("add", uniform=True)
def add(emit: Emitter, ins: Instruction) -> None:
    """Add; `.sat` clamps to 32 bits signed, `.cc` sets the carry."""
    a, b = sources(emit, ins, *ins.operands[1:3])
    if "sat" in ins.modifiers:
        emit.put(ins.operands[0], emit.intrinsic("llvm.sadd.sat", a, b))
        return
    total = emit.op("add", a, b)
    emit.put(ins.operands[0], total)
    if "cc" in ins.modifiers:
        _set_carry(emit, emit.compare("ult", total, a))


@instruction("sub", uniform=True)
def sub(emit: Emitter, ins: Instruction) -> None:
    """Subtract; `.sat` clamps to 32 bits signed, `.cc` clears the carry where it borrows."""
    a, b = sources(emit, ins, *ins.operands[1:3])
    if "sat" in ins.modifiers:
        emit.put(ins.operands[0], emit.intrinsic("llvm.ssub.sat", a, b))
        return
    emit.put(ins.operands[0], emit.op("sub", a, b))
    if "cc" in ins.modifiers:
        _set_carry(emit, emit.compare("uge", a, b))


def _set_carry(emit: Emitter, carry: Value) -> None:
    emit.put(Register(CARRY), carry)


def _carry_in(emit: Emitter, ins: Instruction) -> Value:
    return emit.cast("zext", emit.get(Register(CARRY), "pred"), LLVM_TYPES[ins.type])


def _add_with_carry(emit: Emitter, ins: Instruction, a: Value, b: Value) -> Value:
    carry = _carry_in(emit, ins)
    partial = emit.op("add", a, b)
    total = emit.op("add", partial, carry)
    if "cc" in ins.modifiers:
        over = emit.op("or", emit.compare("ult", partial, a), emit.compare("ult", total, partial))
        _set_carry(emit, over)
    return total


@instruction("addc")
def add_with_carry(emit: Emitter, ins: Instruction) -> None:
    """Add with the carry of the `.cc` instruction before."""
    a, b = sources(emit, ins, *ins.operands[1:3])
    emit.put(ins.operands[0], _add_with_carry(emit, ins, a, b))


@instruction("subc")
def subtract_with_borrow(emit: Emitter, ins: Instruction) -> None:
    """Subtract, and one more where the carry of the `.cc` instruction before is clear."""
    a, b = sources(emit, ins, *ins.operands[1:3])
    carry = _carry_in(emit, ins)
    borrow = emit.op("xor", carry, constant(carry.type, 1))
    partial = emit.op("sub", a, b)
    emit.put(ins.operands[0], emit.op("sub", partial, borrow))
    if "cc" in ins.modifiers:
        under = emit.op("or", emit.compare("ult", a, b), emit.compare("ult", partial, borrow))
        _set_carry(emit, emit.op("xor", under, constant("i1", True)))


def _product(emit: Emitter, ins: Instruction) -> Value:
    """Return `a * b` as `.lo`, `.hi` or `.wide` asks."""
    a, b = sources(emit, ins, *ins.operands[1:3])
    if "lo" in ins.modifiers:
        return emit.op("mul", a, b)
    extend = "sext" if is_signed(ins.type) else "zext"
    wide = WIDER[ins.type]
    product = emit.op("mul", emit.cast(extend, a, wide), emit.cast(extend, b, wide))
    if "wide" in ins.modifiers:
        return product
    high = emit.op("lshr", product, constant(wide, BITS[a.type]))
    return emit.cast("trunc", high, a.type)


@instruction("mul", uniform=True)
def multiply(emit: Emitter, ins: Instruction) -> None:
    """Low half, high half, or all of a product."""
    emit.put(ins.operands[0], _product(emit, ins))


@instruction("mad", uniform=True)
def multiply_add(emit: Emitter, ins: Instruction) -> None:
    """Multiply and add; the addend of `.wide` is twice as wide."""
    product = _product(emit, ins)
    addend = emit.get(ins.operands[3], f"b{BITS[product.type]}")
    if "sat" in ins.modifiers:
        emit.put(ins.operands[0], emit.intrinsic("llvm.sadd.sat", product, addend))
        return
    total = emit.op("add", product, addend)
    emit.put(ins.operands[0], total)
    if "cc" in ins.modifiers:
        _set_carry(emit, emit.compare("ult", total, product))


@instruction("madc")
def multiply_add_with_carry(emit: Emitter, ins: Instruction) -> None:
    """Multiply and add with the carry of the `.cc` instruction before."""
    product = _product(emit, ins)
    addend = emit.get(ins.operands[3], f"b{BITS[product.type]}")
    if "sat" in ins.modifiers:
        emit.put(ins.operands[0], _saturating_sum(emit, product, addend, _carry_in(emit, ins)))
        return
    emit.put(ins.operands[0], _add_with_carry(emit, ins, product, addend))


def _saturating_sum(emit: Emitter, *terms: Value) -> Value:
    """Add 32-bit signed integers, clamped once."""
    wide = [emit.resize(term, "i64", signed=True) for term in terms]
    total = emit.op("add", emit.op("add", wide[0], wide[1]), wide[2])
    for bound, name in ((-(1 << 31), "llvm.smax"), ((1 << 31) - 1, "llvm.smin")):
        total = emit.intrinsic(name, total, constant("i64", bound))
    return emit.resize(total, "i32")


def _narrow_24(emit: Emitter, value: Value, signed: bool) -> Value:
    up = emit.op("shl", value, constant("i32", 8))
    return emit.op("ashr" if signed else "lshr", up, constant("i32", 8))


def _product_24(emit: Emitter, ins: Instruction) -> Value:
    signed = is_signed(ins.type)
    a, b = (_narrow_24(emit, v, signed) for v in sources(emit, ins, *ins.operands[1:3]))
    if "lo" in ins.modifiers:
        return emit.op("mul", a, b)
    extend = "sext" if signed else "zext"
    wide = emit.op("mul", emit.cast(extend, a, "i64"), emit.cast(extend, b, "i64"))
    return emit.cast("trunc", emit.op("lshr", wide, constant("i64", 16)), "i32")


@instruction("mul24", uniform=True)
def multiply_24(emit: Emitter, ins: Instruction) -> None:
    """Product of 24-bit integers: its low 32 bits, or bits 16 to 47."""
    emit.put(ins.operands[0], _product_24(emit, ins))


@instruction("mad24", uniform=True)
def multiply_add_24(emit: Emitter, ins: Instruction) -> None:
    """`mul24` plus a 32-bit integer; `.sat` clamps to 32 bits signed."""
    product, addend = _product_24(emit, ins), emit.get(ins.operands[3], ins.type)
    if "sat" in ins.modifiers:
        emit.put(ins.operands[0], emit.intrinsic("llvm.sadd.sat", product, addend))
        return
    emit.put(ins.operands[0], emit.op("add", product, addend))


def _quotient(emit: Emitter, ins: Instruction, a: Value, b: Value) -> Value:
    """Divide without trapping: by zero gives all ones, the least integer by -1 itself.

    Up to 32 bits through doubles, which hold every operand exactly; their truncated quotient is exact, since
    a quotient that is no integer is at least 2^-32 away from one, and its rounding error is smaller.
    """
    if BITS[a.type] == 64:
        name = "vg_divide_s64" if is_signed(ins.type) else "vg_divide_u64"
        return emit.call_native(name, ["i64"], [a, b])[0]
    convert = "sitofp" if is_signed(ins.type) else "uitofp"
    quotient = emit.op("fdiv", emit.cast(convert, a, "double"), emit.cast(convert, b, "double"))
    whole = emit.cast("trunc", emit.intrinsic("llvm.fptosi.sat", quotient, result="i64"), a.type)
    is_zero = emit.compare("eq", b, constant(b.type, 0))
    return emit.select(is_zero, constant(a.type, -1), whole)


@instruction("div")
def divide(emit: Emitter, ins: Instruction) -> None:
    """Quotient, rounded towards zero."""
    a, b = sources(emit, ins, *ins.operands[1:3])
    emit.put(ins.operands[0], _quotient(emit, ins, a, b))


@instruction("rem")
def remainder(emit: Emitter, ins: Instruction) -> None:
    """Remainder with the dividend's sign; of zero the dividend, as the hardware's expansion gives."""
    a, b = sources(emit, ins, *ins.operands[1:3])
    product = emit.op("mul", _quotient(emit, ins, a, b), b)
    emit.put(ins.operands[0], emit.op("sub", a, product))


@instruction("neg", uniform=True)
def negate(emit: Emitter, ins: Instruction) -> None:
    """Two's complement."""
    (a,) = sources(emit, ins, ins.operands[1])
    emit.put(ins.operands[0], emit.op("sub", constant(a.type, 0), a))


@instruction("abs", uniform=True)
def absolute(emit: Emitter, ins: Instruction) -> None:
    """Absolute value; of the least integer itself."""
    (a,) = sources(emit, ins, ins.operands[1])
    emit.put(ins.operands[0], emit.intrinsic("llvm.abs", a, flags=["i1 false"]))


def _extreme(emit: Emitter, ins: Instruction, name: str) -> None:
    require_known(ins, "relu", WIDER)
    kind = next(word for word in ins.modifiers if word in WIDER)  # nvcc writes `max.s32.relu`
    a, b = (emit.get(operand, kind) for operand in ins.operands[1:3])
    prefix = "s" if is_signed(kind) else "u"
    result = emit.intrinsic(f"llvm.{prefix}{name}", a, b)
    if "relu" in ins.modifiers:
        result = emit.intrinsic("llvm.smax", result, constant(result.type, 0))
    emit.put(ins.operands[0], result)


@instruction("min", uniform=True)
def minimum(emit: Emitter, ins: Instruction) -> None:
    """The lesser of two integers; `.relu`: at least 0."""
    _extreme(emit, ins, "min")


@instruction("max", uniform=True)
def maximum(emit: Emitter, ins: Instruction) -> None:
    """The greater of two integers; `.relu`: at least 0."""
    _extreme(emit, ins, "max")
