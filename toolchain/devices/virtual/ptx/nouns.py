"""The nouns of a parsed PTX module (PTX ISA 9.0): modules, kernels, blocks, instructions, operands."""

from dataclasses import dataclass, field

TYPE_BYTES = {
    "pred": 1, "b8": 1, "u8": 1, "s8": 1, "b16": 2, "u16": 2, "s16": 2, "f16": 2, "bf16": 2,
    "b32": 4, "u32": 4, "s32": 4, "f32": 4, "f16x2": 4, "bf16x2": 4, "tf32": 4,
    "b64": 8, "u64": 8, "s64": 8, "f64": 8, "b128": 16,
    "e4m3x2": 2, "e5m2x2": 2,
}  # fmt: skip
"""Bytes of one element of each PTX type."""

CARRY = "%carry"
"""The register that stands for the carry flag in a function that has one."""
CARRY_READERS = frozenset({"addc", "subc", "madc"})


@dataclass(frozen=True, slots=True)
class Register:
    """A register, with its sigil where it has one: `%r12`, `%tid.x`, or a name from an inline-asm scope."""

    name: str


@dataclass(frozen=True, slots=True)
class Integer:
    """An integer literal."""

    value: int


@dataclass(frozen=True, slots=True)
class Float:
    """A floating literal by its bits: `0f3F800000` is `Float(0x3F800000, 32)`."""

    bits: int
    width: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a variable, or the name of a label or function, plus an offset in bytes."""

    name: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Address:
    """`[base + offset]`; the base is a register, a symbol or an integer."""

    base: "Register | Symbol | Integer"
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Vector:
    """`{a, b, …}`; `_` is Register("_")."""

    items: "tuple[Operand, ...]"


@dataclass(frozen=True, slots=True)
class Pair:
    """`d|p`: a destination and the predicate written beside it."""

    first: "Operand"
    second: "Operand"


@dataclass(frozen=True, slots=True)
class Negated:
    """`!p`."""

    register: Register


Operand = Register | Integer | Float | Symbol | Address | Vector | Pair | Negated


@dataclass(frozen=True, slots=True)
class Guard:
    """`@p` or `@!p` before an instruction."""

    register: str
    negated: bool


@dataclass(frozen=True, slots=True)
class SourceLine:
    """Where an instruction comes from (`.loc`): innermost inlined place in the candidate's file, if any."""

    file: int
    line: int


@dataclass(slots=True, eq=False)
class Instruction:
    """One PTX instruction. Compared by identity, so it can key tables."""

    opcode: str
    """Complete, such as `ld.global.nc.v4.f32`."""
    operands: tuple[Operand, ...]
    """In source order. A call's are `(Vector(returns), function, Vector(arguments)[, Symbol(prototype)])`;
    a tensor address `[map, {x, y}]` is `Vector((Address(map), Vector((x, y))))`."""
    guard: Guard | None = None
    source: SourceLine | None = None
    modifiers: tuple[str, ...] = field(init=False)
    """The opcode split at the dots; the first is the base."""

    def __post_init__(self) -> None:
        """Split once, read often."""
        self.modifiers = tuple(self.opcode.replace("::", "_").split("."))

    @property
    def base(self) -> str:
        """`ld` of `ld.global.f32`."""
        return self.modifiers[0]

    @property
    def type(self) -> str:
        """The last modifier, which is the (destination or only) type of most instructions."""
        return self.modifiers[-1]


@dataclass(slots=True)
class Variable:
    """A declared variable or parameter."""

    name: str
    space: str
    """`param`, `global`, `const`, `shared` or `local`."""
    align: int
    size: int
    """Bytes; 0 for an unsized `extern .shared` array."""
    type: str = "b8"
    initial: bytes | None = None
    relocations: tuple[tuple[int, str, int], ...] = ()
    """(byte offset, symbol, addend) of initialisers that are addresses."""
    offset: int = 0
    """Byte offset within the parameter block (parameters only)."""
    managed: bool = False
    """Whether host code sees it too (`__managed__`)."""


@dataclass(slots=True, eq=False)
class Kernel:
    """A `.entry` or a `.func` with a body, split into basic blocks."""

    name: str
    is_entry: bool
    parameters: tuple[Variable, ...]
    returns: tuple[Variable, ...]
    """Return parameters of a `.func`."""
    registers: dict[str, str]
    """Type by register name."""
    variables: dict[str, Variable]
    """Shared, local and call-parameter variables declared inside, by name."""
    blocks: list[list[Instruction]]
    """Basic blocks. A block ends at a branch, return, barrier or call, before a label, and before each
    `.sync` warp instruction; the parser guarantees this so that later passes need not split."""
    labels: dict[str, int]
    """Block index by label."""
    branch_tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """`.branchtargets` lists by label, for `brx.idx`."""
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """`maxntid`, `reqntid`, `minnctapersm`, `reqnctapercluster` …, keyed without the dot."""


@dataclass(slots=True, eq=False)
class Module:
    """One PTX module."""

    version: tuple[int, int]
    target: str
    kernels: dict[str, Kernel]
    """Entries and functions with a body, by mangled name."""
    declared: frozenset[str]
    """Functions declared without a body (`vprintf`, `__assertfail`, …)."""
    variables: dict[str, Variable]
    """Module-level variables, by name."""
    files: dict[int, str]
    """`.file` names by number."""
