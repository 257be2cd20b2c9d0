"""A function's body: statements to basic blocks, names of inner scopes made unique."""

import re
from functools import lru_cache

from cudamaster.toolchain.devices.virtual.ptx import declarations
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    CARRY,
    CARRY_READERS,
    Guard,
    Instruction,
    Register,
    Symbol,
    Variable,
    Vector,
)
from cudamaster.toolchain.devices.virtual.ptx.operands import call_operands, operands, renamed
from cudamaster.toolchain.devices.virtual.ptx.places import Places
from cudamaster.toolchain.devices.virtual.ptx.text import error_at, first_line

_STATEMENT = re.compile(
    r"\s*(?:(\.loc\b[^\n]*)|([{}])|([A-Za-z_$%][\w$]*)\s*:(?!:)|([^;{}]*(?:\{[^{}]*\}[^;{}]*)*);)"
)
_TABLE = re.compile(r"\s*\.(?:branchtargets|calltargets|callprototype)\b")
_GUARD = re.compile(r"@\s*(!?)\s*([\w$%]+)\s*")
_OPCODE = re.compile(r"([a-z][\w.:]*)\s*(.*)$", re.DOTALL)
_UNUSED = "temp_param_reg"
"""nvcc declares it around every call and never reads it."""
_LEAVING = frozenset({"bra", "brx", "ret", "exit", "trap", "call"})
_BARRIERS = frozenset({"bar", "barrier"})
_YIELDING_LOADS = frozenset({"acquire", "volatile", "relaxed"})
_NO_RETURN = frozenset({"bra", "brx", "ret", "exit", "trap"})
_COLOURS = {"x": "r", "y": "g", "z": "b", "w": "a"}
"""Other names of a vector's elements."""


@lru_cache(maxsize=4096)
def _splits(opcode: str) -> tuple[bool, bool]:
    """Whether a block starts before, and whether it ends after, an instruction."""
    base, *modifiers = opcode.split(".")
    if base in _LEAVING:
        return False, True
    if base in _BARRIERS and modifiers[:1] != ["warp"]:
        return False, True
    spins = base == "ld" and not _YIELDING_LOADS.isdisjoint(modifiers) and ".shared" not in opcode
    return "sync" in modifiers, spins


class _Scope:
    """Names between one pair of braces; `names` also holds those of the scopes around it."""

    def __init__(self, number: int, around: "_Scope | None") -> None:
        self.number = number
        self.around = around
        self.names: dict[str, str] = dict(around.names) if around else {}
        self.vectors: dict[str, Vector] = dict(around.vectors) if around else {}
        self.labels: dict[str, str] = {}

    def unique(self, name: str) -> str:
        """The name as the function knows it: its own in the outermost scope, numbered further in."""
        return f"{name}${self.number}" if self.around else name

    def declare(self, name: str) -> str:
        """Return the unique name of a register declared here; `v.x` begins the vector `v`."""
        unique = self.unique(name)
        if self.around is not None or name[0] != "%":
            self.names[name] = unique
        vector, dot, letter = name.partition(".")
        if not dot:
            self.vectors.pop(name, None)
            return unique
        before = self.vectors[vector].items if letter != "x" else ()
        self.vectors[vector] = Vector((*before, Register(unique)))
        self.names[f"{vector}.{_COLOURS[letter]}"] = unique
        return unique

    def label(self, name: str) -> str:
        """The unique name of the label that `name` means here."""
        if name in self.labels or self.around is None:
            return self.labels.get(name, name)
        return self.around.label(name)


class Body:
    """Reads one body and holds what `Kernel` needs of it."""

    def __init__(self, text: str, places: Places) -> None:
        self.registers: dict[str, str] = {}
        self.variables: dict[str, Variable] = {}
        self.blocks: list[list[Instruction]] = []
        self.labels: dict[str, int] = {}
        self.branch_tables: dict[str, tuple[str, ...]] = {}
        self._text = text
        self._places = places
        self._scope = _Scope(0, None)
        self._scopes_seen = 0
        self._open_block: list[Instruction] = []
        self._waiting_labels: list[str] = []
        self._inner_branches: list[tuple[Instruction, _Scope]] = []
        self._inner_tables: list[tuple[str, _Scope]] = []
        self._table = ""

    def read(self, position: int) -> int:
        """Read from just behind the opening brace; return the place behind the closing one."""
        self._places.enter()
        match_at = _STATEMENT.match
        while True:
            match = match_at(self._text, position)
            if match is None:
                raise error_at(
                    self._text, position, f"not a PTX statement: {first_line(self._text, position)!r}"
                )
            kind, position = match.lastindex, match.end()
            if kind == 4:
                self._try_statement(match)
            elif kind == 1:
                self._places.follow(match[1])
            elif kind == 3:
                self._label(match[3], is_table=_TABLE.match(self._text, position) is not None)
            elif not self._brace(match[2]):
                break
        self._finish()
        return position

    def _brace(self, brace: str) -> bool:
        """Enter or leave a scope; False at the body's own closing brace."""
        if brace == "{":
            self._scopes_seen += 1
            self._scope = _Scope(self._scopes_seen, self._scope)
            return True
        around = self._scope.around
        if around is not None:
            self._scope = around
        return around is not None

    def _label(self, name: str, *, is_table: bool) -> None:
        unique = self._scope.unique(name)
        if self._scope.around is not None:
            self._scope.labels[name] = unique
        if is_table:
            self._table = unique
        else:
            self._close_block()
            self._waiting_labels.append(unique)

    def _try_statement(self, match: re.Match[str]) -> None:
        code = match[4].strip()
        if not code:
            return
        try:
            if code[0] == ".":
                self._directive(code)
            else:
                self._instruction(code)
        except ValueError as error:
            raise error_at(self._text, match.start(4), f"cannot read {error}") from None

    def _directive(self, code: str) -> None:
        word = re.split(r"[\s.]", code[1:], maxsplit=1)[0]
        if word == "reg":
            self._declare_registers(code)
        elif word in declarations.SPACES:
            self._declare_variables(code)
        elif word in ("branchtargets", "calltargets"):
            targets = code.split(None, 1)[1].split(",")
            self.branch_tables[self._table] = tuple(target.strip() for target in targets)
            self._inner_tables.append((self._table, self._scope))
        elif word not in ("callprototype", "pragma", "file"):
            raise ValueError(f"the directive .{word}")

    def _declare_registers(self, code: str) -> None:
        for name, kind in declarations.registers(code).items():
            if name != _UNUSED:
                self.registers[self._scope.declare(name)] = kind

    def _declare_variables(self, code: str) -> None:
        for variable in declarations.variables(code):
            unique = self._scope.unique(variable.name)
            if unique != variable.name:
                self._scope.names[variable.name] = unique
                variable.name = unique
            self.variables[unique] = variable

    def _instruction(self, code: str) -> None:
        guard = None
        if code[0] == "@":
            guarded = _GUARD.match(code)
            if guarded is None:
                raise ValueError(f"the guard of {code[:60]!r}")
            guard = Guard(self._scope.names.get(guarded[2], guarded[2]), guarded[1] == "!")
            code = code[guarded.end() :]
        match = _OPCODE.match(code)
        if match is None:
            raise ValueError(f"the instruction {code[:60]!r}")
        opcode = match[1]
        items = call_operands(match[2]) if opcode.startswith("call") else operands(match[2])
        scope = self._scope
        if scope.names:
            items = tuple([renamed(item, scope.names, self.registers, scope.vectors) for item in items])
        self._append(Instruction(opcode, items, guard, self._places.now))

    def _append(self, instruction: Instruction) -> None:
        starts, ends = _splits(instruction.opcode)
        if starts:
            self._close_block()
        self._open_block.append(instruction)
        if instruction.base in CARRY_READERS or "cc" in instruction.modifiers:
            self.registers[CARRY] = "pred"
        if self._scope.around is not None and instruction.base in ("bra", "brx"):
            self._inner_branches.append((instruction, self._scope))
        if ends:
            self._close_block()

    def _close_block(self) -> None:
        if self._open_block:
            self._place_labels()
            self.blocks.append(self._open_block)
            self._open_block = []

    def _place_labels(self) -> None:
        for name in self._waiting_labels:
            self.labels[name] = len(self.blocks)
        self._waiting_labels.clear()

    def _finish(self) -> None:
        """End with the `ret` that falling off the end means; name the targets of branches in inner scopes."""
        last = self._open_block[-1] if self._open_block else self.blocks[-1][-1] if self.blocks else None
        falls_off = last is None or last.guard is not None or last.base not in _NO_RETURN
        if self._waiting_labels or falls_off:
            self._open_block.append(Instruction("ret", (), None, self._places.now))
        self._close_block()
        for table, scope in self._inner_tables:
            self.branch_tables[table] = tuple(map(scope.label, self.branch_tables[table]))
        for instruction, scope in self._inner_branches:
            instruction.operands = tuple(
                [
                    Symbol(scope.label(item.name)) if isinstance(item, Symbol) else item
                    for item in instruction.operands
                ]
            )
