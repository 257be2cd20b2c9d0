"""LLVM IR as text: values of one lane or thirty-two, and the operations on them.

An operation on scalars gives a scalar; where any operand has lanes, the others are broadcast. So an
instruction is written once and runs once a warp on launch constants, once a lane otherwise.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

LANES = 32

BITS = {
    "i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "i128": 128,
    "float": 32, "double": 64, "half": 16, "bfloat": 16,
}  # fmt: skip
"""Width of each LLVM element type."""

SUFFIX = {"float": "f32", "double": "f64", "half": "f16", "bfloat": "bf16"}
"""How intrinsics name the types whose suffix is not the type itself."""


@dataclass(frozen=True, slots=True)
class Value:
    """An SSA value or constant."""

    text: str
    type: str
    """LLVM element type: `i1`, `i8` … `i64`, `float`, `double`, `half`, `bfloat`, `ptr`."""
    lanes: bool = False
    """True for `<32 x type>`."""

    @property
    def typed(self) -> str:
        """`<32 x i32> %t7`."""
        return f"{self.full_type} {self.text}"

    @property
    def full_type(self) -> str:
        """`<32 x i32>` or `i32`."""
        return f"<{LANES} x {self.type}>" if self.lanes else self.type


def constant(kind: str, number: int | float | bool) -> Value:
    """Return a scalar constant; integers are wrapped to the type's width."""
    if kind in ("float", "double"):
        return Value(_float_text(kind, float(number)), kind)
    if kind == "i1":
        return Value("true" if number else "false", kind)
    width = BITS[kind]
    wrapped = int(number) & ((1 << width) - 1)
    return Value(str(wrapped - (1 << width) if wrapped >> (width - 1) else wrapped), kind)


def _float_text(kind: str, number: float) -> str:
    if kind == "float" and number == number and abs(number) != float("inf"):
        number = struct.unpack("<f", struct.pack("<f", number))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"


def lane_constants(kind: str, numbers: Sequence[int]) -> Value:
    """Return a vector constant with one number a lane."""
    return Value("<" + ", ".join(constant(kind, n).typed for n in numbers) + ">", kind, lanes=True)


class IrBuilder:
    """Appends instructions to a list of lines and remembers what must be declared."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.declarations: dict[str, str] = {}
        self.entry: dict[str, str] = {}
        """Lines of the function's first block by the value they define."""
        self.here = "entry"
        """The label of the LLVM block being written."""
        self._count = 0

    def line(self, text: str) -> None:
        """Append one instruction without a result."""
        self.lines.append("  " + text)

    def raw(self, text: str) -> str:
        """Append `%new = text` and return the new name."""
        self._count += 1
        name = f"%t{self._count}"
        self.lines.append(f"  {name} = {text}")
        return name

    def new_label(self) -> str:
        """Return a label not used before."""
        self._count += 1
        return f"L{self._count}"

    def label(self, name: str) -> None:
        """Begin a basic block."""
        self.here = name
        self.lines.append(f"{name}:")

    def constant(self, kind: str, number: int | float | bool) -> Value:
        """Return a scalar constant."""
        return constant(kind, number)

    def lanes(self, value: Value) -> Value:
        """Return `value` in thirty-two lanes."""
        if value.lanes:
            return value
        if not value.text.startswith("%"):
            return Value(f"splat ({value.typed})", value.type, lanes=True)
        first = self.raw(f"insertelement <{LANES} x {value.type}> poison, {value.typed}, i64 0")
        vector = f"<{LANES} x {value.type}>"
        return Value(
            self.raw(f"shufflevector {vector} {first}, {vector} poison, <{LANES} x i32> zeroinitializer"),
            value.type,
            lanes=True,
        )

    def alike(self, *values: Value) -> list[Value]:
        """Return the values all scalar or all in lanes."""
        if any(v.lanes for v in values):
            return [self.lanes(v) for v in values]
        return list(values)

    def op(self, opcode: str, first: Value, second: Value) -> Value:
        """Two-operand instruction such as `add`, `fmul`, `lshr`, `and`; the result has the first's type."""
        a, b = self.alike(first, second)
        return Value(self.raw(f"{opcode} {a.typed}, {b.text}"), a.type, a.lanes)

    def negate_float(self, value: Value) -> Value:
        """`fneg`."""
        return Value(self.raw(f"fneg {value.typed}"), value.type, value.lanes)

    def compare(self, condition: str, first: Value, second: Value) -> Value:
        """`icmp` or `fcmp`, by the type of `first`: conditions such as `slt`, `ult`, `olt`, `uno`."""
        a, b = self.alike(first, second)
        opcode = "icmp" if a.type.startswith("i") else "fcmp"
        return Value(self.raw(f"{opcode} {condition} {a.typed}, {b.text}"), "i1", a.lanes)

    def select(self, condition: Value, yes: Value, no: Value) -> Value:
        """Lane-wise choice."""
        c, a, b = self.alike(condition, yes, no)
        return Value(self.raw(f"select {c.typed}, {a.typed}, {b.typed}"), a.type, a.lanes)

    def cast(self, opcode: str, value: Value, kind: str) -> Value:
        """Conversion instruction such as `zext`, `trunc`, `sitofp`, `fpext`, `bitcast`; none if alike."""
        if value.type == kind:
            return value
        target = f"<{LANES} x {kind}>" if value.lanes else kind
        return Value(self.raw(f"{opcode} {value.typed} to {target}"), kind, value.lanes)

    def resize(self, value: Value, kind: str, *, signed: bool = False) -> Value:
        """Bits of `value` in type `kind`: bit cast, truncation, or zero (or sign) extension."""
        if value.type == kind:
            return value
        have, want = BITS[value.type], BITS[kind]
        if have == want:
            return self.cast("bitcast", value, kind)
        if not value.type.startswith("i"):
            value = self.cast("bitcast", value, f"i{have}")
        middle = self.cast("trunc" if have > want else "sext" if signed else "zext", value, f"i{want}")
        return self.cast("bitcast", middle, kind)

    def intrinsic(
        self, name: str, *values: Value, result: str | None = None, flags: Sequence[str] = ()
    ) -> Value:
        """Call an overloaded LLVM intrinsic such as `llvm.fma` or `llvm.fptosi.sat`.

        Overloaded on the operand type; `result` adds a different element type before it. `flags` are
        immediate operands such as `i1 false`.
        """
        operands = self.alike(*values)
        lanes, kind = operands[0].lanes, operands[0].type
        kinds = [kind] if result is None else [result, kind]
        full = name + "".join(f".{'v32' if lanes else ''}{SUFFIX.get(k, k)}" for k in kinds)
        target = Value("", result or kind, lanes)
        return self._call(full, target, operands, flags)

    def _call(self, full: str, target: Value, operands: Sequence[Value], flags: Sequence[str]) -> Value:
        arguments = ", ".join([v.typed for v in operands] + list(flags))
        types = ", ".join([v.full_type for v in operands] + [f.split()[0] for f in flags])
        self.declarations[full] = f"declare {target.full_type} @{full}({types})"
        return Value(self.raw(f"call {target.full_type} @{full}({arguments})"), target.type, target.lanes)

    def reduce(self, name: str, value: Value) -> Value:
        """Reduce thirty-two lanes to a scalar, `llvm.vector.reduce.<name>`."""
        full = f"llvm.vector.reduce.{name}.v32{value.type}"
        return self._call(full, Value("", value.type), [self.lanes(value)], ())

    def field(self, kind: str, structure: str, offset: int) -> Value:
        """Return a field of `structure` that stays as it is while the function runs."""
        name = f"%{structure[1:]}.{offset}.{kind}"
        self.entry[f"{name}.place"] = f"{name}.place = getelementptr i8, ptr {structure}, i64 {offset}"
        self.entry[name] = f"{name} = load {kind}, ptr {name}.place"
        return Value(name, kind)

    def load(self, kind: str, pointer: str, *, lanes: bool = False, align: int = 0) -> Value:
        """Load a scalar or a vector of lanes."""
        shape = f"<{LANES} x {kind}>" if lanes else kind
        suffix = f", align {align}" if align else ""
        return Value(self.raw(f"load {shape}, ptr {pointer}{suffix}"), kind, lanes)

    def store(self, value: Value, pointer: str, *, align: int = 0) -> None:
        """Store a scalar or a vector of lanes."""
        suffix = f", align {align}" if align else ""
        self.line(f"store {value.typed}, ptr {pointer}{suffix}")

    def offset(self, pointer: str, count: int | str) -> str:
        """Return `pointer` moved by `count` bytes."""
        return self.raw(f"getelementptr i8, ptr {pointer}, i64 {count}") if count else pointer
