"""Bit fields, permutations and counts: `lop3`, `shf`, `bfe`, `bfi`, `prmt`, `popc`, `clz`, `bfind` …"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import BITS, Value, constant
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer, Pair


@instruction("lop3", uniform=True)
def logic_of_three(emit: Emitter, ins: Instruction) -> None:
    """Look up every bit triple in an eight-bit table; `.and` and `.or` also combine "not zero" with q."""
    destination, *sources, table = ins.operands[:5]
    if len(sources) != 3 or not isinstance(table, Integer):
        raise emit.unsupported("these operands")
    result = _logic_of_three(emit, [emit.get(source, "b32") for source in sources], table)
    if isinstance(destination, Pair):
        some = emit.compare("ne", result, constant("i32", 0))
        way = "and" if "and" in ins.modifiers else "or"
        emit.put(destination.second, emit.op(way, some, emit.get(ins.operands[5], "pred")))
        destination = destination.first
    emit.put(destination, result)


def _logic_of_three(emit: Emitter, values: list[Value], table: Integer) -> Value:
    a, b, c = values
    if_clear = _logic_of_two(emit, b, c, table.value & 15)
    if_set = _logic_of_two(emit, b, c, table.value >> 4 & 15)
    differing = emit.op("and", a, emit.op("xor", if_clear, if_set))
    return emit.op("xor", if_clear, differing)


def _logic_of_two(emit: Emitter, x: Value, y: Value, table: int) -> Value:
    """Return the function whose value for bits x, y is bit 2x + y of `table`."""
    if table & 8:
        return emit.op("xor", _logic_of_two(emit, x, y, ~table & 15), constant("i32", -1))
    forms = {
        0: lambda: constant("i32", 0),
        1: lambda: emit.op("xor", emit.op("or", x, y), constant("i32", -1)),
        2: lambda: emit.op("and", emit.op("xor", x, constant("i32", -1)), y),
        3: lambda: emit.op("xor", x, constant("i32", -1)),
        4: lambda: emit.op("and", x, emit.op("xor", y, constant("i32", -1))),
        5: lambda: emit.op("xor", y, constant("i32", -1)),
        6: lambda: emit.op("xor", x, y),
        7: lambda: emit.op("xor", emit.op("and", x, y), constant("i32", -1)),
    }
    return forms[table]()


@instruction("shf", uniform=True)
def funnel_shift(emit: Emitter, ins: Instruction) -> None:
    """Shift the 64 bits b:a and keep the upper (`l`) or lower (`r`) half; by at most 32, or modulo 32."""
    destination, *sources = ins.operands
    low, high, amount = (emit.get(source, "b32") for source in sources)
    left = ins.modifiers[1] == "l"
    shifted = emit.intrinsic("llvm.fshl" if left else "llvm.fshr", high, low, amount)
    if ins.modifiers[2] == "clamp":
        beyond = emit.compare("uge", amount, constant("i32", 32))
        shifted = emit.select(beyond, low if left else high, shifted)
    emit.put(destination, shifted)


# --- fields: position and length are the low bytes of their operands


def _low_byte(emit: Emitter, operand: object, kind: str) -> Value:
    value = emit.get(operand, "b32")  # type: ignore[arg-type]
    return emit.resize(emit.op("and", value, constant("i32", 255)), kind)


def _ones(emit: Emitter, length: Value) -> Value:
    """Return `length` one bits, at most the type's width."""
    kind = length.type
    limited = emit.intrinsic("llvm.umin", length, constant(kind, BITS[kind] - 1))
    some = emit.op("sub", emit.op("shl", constant(kind, 1), limited), constant(kind, 1))
    return emit.select(emit.compare("ult", length, constant(kind, BITS[kind])), some, constant(kind, -1))


def _shifted_out(emit: Emitter, opcode: str, value: Value, amount: Value) -> Value:
    """Shift by an amount that may exceed the width: then zero, or for `ashr` the sign."""
    kind = value.type
    limited = emit.intrinsic("llvm.umin", amount, constant(kind, BITS[kind] - 1))
    shifted = emit.op(opcode, value, limited)
    if opcode == "ashr":
        return shifted
    return emit.select(emit.compare("ult", amount, constant(kind, BITS[kind])), shifted, constant(kind, 0))


@instruction("bfe", uniform=True)
def extract_field(emit: Emitter, ins: Instruction) -> None:
    """Take `length` bits from `position` on, sign-extended for signed types."""
    destination, source, position, length = ins.operands
    value = emit.get(source, ins.type)
    kind, width = value.type, BITS[value.type]
    at, count = _low_byte(emit, position, kind), _low_byte(emit, length, kind)
    if ins.type.startswith("u"):
        emit.put(destination, emit.op("and", _shifted_out(emit, "lshr", value, at), _ones(emit, count)))
        return
    moved = _shifted_out(emit, "ashr", value, at)
    unused = emit.intrinsic("llvm.usub.sat", constant(kind, width), count)
    unused = emit.intrinsic("llvm.umin", unused, constant(kind, width - 1))
    extended = emit.op("ashr", emit.op("shl", moved, unused), unused)
    emit.put(
        destination, emit.select(emit.compare("eq", count, constant(kind, 0)), constant(kind, 0), extended)
    )


@instruction("bfi", uniform=True)
def insert_field(emit: Emitter, ins: Instruction) -> None:
    """Replace `length` bits of b from `position` on by the low bits of a."""
    destination, inserted, around, position, length = ins.operands
    field, value = emit.get(inserted, ins.type), emit.get(around, ins.type)
    at, count = _low_byte(emit, position, value.type), _low_byte(emit, length, value.type)
    mask = _shifted_out(emit, "shl", _ones(emit, count), at)
    differing = emit.op("xor", value, _shifted_out(emit, "shl", field, at))
    emit.put(destination, emit.op("xor", value, emit.op("and", differing, mask)))


@instruction("bmsk", uniform=True)
def field_mask(emit: Emitter, ins: Instruction) -> None:
    """Return `length` ones from `position` on; `clamp` stops at bit 31, `wrap` takes both modulo 32."""
    destination, position, length = ins.operands
    at, count = emit.get(position, "b32"), emit.get(length, "b32")
    if "wrap" in ins.modifiers:
        at, count = (emit.op("and", value, constant("i32", 31)) for value in (at, count))
    emit.put(destination, _shifted_out(emit, "shl", _ones(emit, count), at))


@instruction("szext", uniform=True)
def extend_from(emit: Emitter, ins: Instruction) -> None:
    """Keep the low b bits, sign- or zero-extended; `clamp` keeps all from 32 bits on, `wrap` is modulo 32."""
    destination, source, width = ins.operands
    value, count = emit.get(source, ins.type), emit.get(width, "b32")
    if "wrap" in ins.modifiers:
        count = emit.op("and", count, constant("i32", 31))
    unused = emit.intrinsic("llvm.usub.sat", constant("i32", 32), count)
    limited = emit.intrinsic("llvm.umin", unused, constant("i32", 31))
    opcode = "ashr" if ins.type == "s32" else "lshr"
    extended = emit.op(opcode, emit.op("shl", value, limited), limited)
    none = emit.compare("eq", count, constant("i32", 0))
    emit.put(destination, emit.select(none, constant("i32", 0), extended))


# --- bytes in a new order

PERMUTATIONS = {
    "f4e": lambda start, i: start + i & 7,
    "b4e": lambda start, i: start - i & 7,
    "rc8": lambda start, i: start,
    "ecl": lambda start, i: max(start, i),
    "ecr": lambda start, i: min(start, i),
    "rc16": lambda start, i: 2 * (start & 1) + (i & 1),
}
"""Which source byte goes to byte `i`, from the two control bits."""


@instruction("prmt", uniform=True)
def permute_bytes(emit: Emitter, ins: Instruction) -> None:
    """Pick four of the eight bytes of b:a, each by a selector whose bit 3 spreads the byte's sign instead."""
    destination, low, high, control = ins.operands
    pair = _join(emit, emit.get(low, "b32"), emit.get(high, "b32"))
    mode = next((word for word in ins.modifiers[1:] if word != "b32"), "")
    if isinstance(control, Integer):
        selector = constant("i32", _fixed_selector(mode, control.value))
    else:
        selector = emit.get(control, "b32")
        if mode:
            selector = _selector_of_mode(emit, mode, selector)
    result = constant("i32", 0)
    for byte in range(4):
        picked = _picked_byte(emit, pair, emit.op("lshr", selector, constant("i32", 4 * byte)))
        result = emit.op("or", result, emit.op("shl", picked, constant("i32", 8 * byte)))
    emit.put(destination, result)


def _fixed_selector(mode: str, control: int) -> int:
    if not mode:
        return control
    return sum(PERMUTATIONS[mode](control & 3, byte) << 4 * byte for byte in range(4))


def _selector_of_mode(emit: Emitter, mode: str, control: Value) -> Value:
    start = emit.op("and", control, constant("i32", 3))
    selector = constant("i32", _fixed_selector(mode, 0))
    for number in range(1, 4):
        chosen = emit.compare("eq", start, constant("i32", number))
        selector = emit.select(chosen, constant("i32", _fixed_selector(mode, number)), selector)
    return selector


def _join(emit: Emitter, low: Value, high: Value) -> Value:
    upper = emit.op("shl", emit.resize(high, "i64"), constant("i64", 32))
    return emit.op("or", upper, emit.resize(low, "i64"))


def _picked_byte(emit: Emitter, pair: Value, selector: Value) -> Value:
    amount = emit.op("shl", emit.op("and", selector, constant("i32", 7)), constant("i32", 3))
    byte = emit.resize(emit.op("lshr", pair, emit.resize(amount, "i64")), "i8")
    sign = emit.op("ashr", byte, constant("i8", 7))
    spread = emit.compare("ne", emit.op("and", selector, constant("i32", 8)), constant("i32", 0))
    return emit.resize(emit.select(spread, sign, byte), "i32")


# --- counts and positions


@instruction("popc", uniform=True)
def count_ones(emit: Emitter, ins: Instruction) -> None:
    """Count the one bits."""
    value = emit.get(ins.operands[1], ins.type)
    emit.put(ins.operands[0], emit.resize(emit.intrinsic("llvm.ctpop", value), "i32"))


@instruction("clz", uniform=True)
def count_leading_zeros(emit: Emitter, ins: Instruction) -> None:
    """Count the zero bits above the highest one."""
    value = emit.get(ins.operands[1], ins.type)
    count = emit.intrinsic("llvm.ctlz", value, flags=["i1 false"])
    emit.put(ins.operands[0], emit.resize(count, "i32"))


@instruction("brev", uniform=True)
def reverse_bits(emit: Emitter, ins: Instruction) -> None:
    """Reverse the order of the bits."""
    value = emit.get(ins.operands[1], ins.type)
    emit.put(ins.operands[0], emit.intrinsic("llvm.bitreverse", value))


@instruction("bfind", uniform=True)
def find_highest(emit: Emitter, ins: Instruction) -> None:
    """Return the place of the highest significant bit, or its distance from the top; all ones for none."""
    destination, source = ins.operands
    value = emit.get(source, ins.type)
    kind, width = value.type, BITS[value.type]
    if ins.type.startswith("s"):
        value = emit.op("xor", value, emit.op("ashr", value, constant(kind, width - 1)))
    zeros = emit.intrinsic("llvm.ctlz", value, flags=["i1 false"])
    place = zeros
    if "shiftamt" not in ins.modifiers:
        place = emit.op("sub", constant(kind, width - 1), zeros)
    none = emit.compare("eq", value, constant(kind, 0))
    emit.put(destination, emit.resize(emit.select(none, constant(kind, -1), place), "i32"))


@instruction("fns")
def find_nth_set(emit: Emitter, ins: Instruction) -> None:
    """Find the n-th one bit above or below a base position."""
    destination, *sources = ins.operands
    (place,) = emit.call_native("vg_fns", ["i32"], [emit.get(source, "b32") for source in sources])
    emit.put(destination, place)
