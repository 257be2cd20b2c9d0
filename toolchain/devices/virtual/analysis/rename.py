"""New names for a function's registers, labels and variables where its body is put into a caller."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    CARRY,
    Address,
    Guard,
    Instruction,
    Integer,
    Kernel,
    Negated,
    Operand,
    Pair,
    Register,
    Symbol,
    Vector,
)

FRAME = "%frame"
"""The register that points to the stack frame of the running function (see `frames`)."""


@dataclass(frozen=True, slots=True)
class Renaming:
    """Maps names of one body; names it does not hold stay."""

    names: dict[str, str]
    local_parameters: frozenset[str]
    """New names of call parameters: their `param` accesses become accesses of local memory."""
    after: str | None
    """Where a return goes; None in the kernel itself and in recursive functions."""
    places: Mapping[str, int] = field(default_factory=dict)
    """New names of what lies in the stack frame, and where from its start."""

    @classmethod
    def none(cls, kernel: Kernel, places: Mapping[str, int]) -> "Renaming":
        """Return the renaming of the kernel itself, whose call parameters become local all the same."""
        return cls({}, _call_parameters(kernel), None, places)

    @classmethod
    def recursive(cls, function: Kernel, prefix: str, places: Mapping[str, int]) -> "Renaming":
        """Return the renaming of a body that stands once; `places` are of its variables in the frame."""
        formals = [v.name for v in (*function.returns, *function.parameters)]
        names = _prefixed(function, prefix) | {name: prefix + name for name in formals}
        parameters = {prefix + name for name in (*_call_parameters(function), *formals)}
        return cls(names, frozenset(parameters), None, {names[name]: p for name, p in places.items()})

    @classmethod
    def inlined(
        cls,
        callee: Kernel,
        prefix: str,
        bound: dict[str, str],
        after: str,
        given: Mapping[str, int],
        own: Mapping[str, int],
    ) -> "Renaming":
        """Return the renaming of a callee: `prefix` before its own names, `bound` for its parameters.

        `given` are the places of the bound variables in the frame, `own` those of the callee's variables.
        """
        names = _prefixed(callee, prefix) | bound
        parameters = {prefix + name for name in _call_parameters(callee)}
        places = {names[name]: place for name, place in own.items()} | dict(given)
        return cls(names, frozenset(parameters | set(bound.values())), after, places)

    def name(self, name: str) -> str:
        """Return the new name."""
        return self.names.get(name, name)

    def instruction(self, instruction: Instruction) -> Instruction:
        """Return `instruction` under new names."""
        guard = instruction.guard
        if guard is not None:
            guard = Guard(self.name(guard.register), guard.negated)
        if instruction.base == "ret" and self.after is not None:
            return Instruction("bra", (Symbol(self.after),), guard, instruction.source)
        if instruction.base == "mov" and isinstance(instruction.operands[1], Symbol):
            return self._address(instruction, guard)
        operands = tuple(self.operand(operand) for operand in instruction.operands)
        opcode = instruction.opcode
        if instruction.base in ("ld", "st") and any(map(self._is_local_parameter, instruction.operands)):
            words = instruction.modifiers
            opcode = ".".join("local" if word.startswith("param") else word for word in words)
        return Instruction(opcode, operands, guard, instruction.source)

    def _address(self, move: Instruction, guard: Guard | None) -> Instruction:
        """Return a move of a variable's address, which may lie in the frame."""
        destination, source = (self.operand(operand) for operand in move.operands)
        if isinstance(source, Symbol) and source.name in self.places:
            place = Integer(self.places[source.name] + source.offset)
            return Instruction("add.s64", (destination, Register(FRAME), place), guard, move.source)
        return Instruction(move.opcode, (destination, source), guard, move.source)

    def _is_local_parameter(self, operand: Operand) -> bool:
        return (
            isinstance(operand, Address)
            and isinstance(operand.base, Symbol)
            and self.name(operand.base.name) in self.local_parameters
        )

    def operand(self, operand: Operand) -> Operand:
        """Return `operand` under new names."""
        match operand:
            case Register(name):
                return Register(self.name(name))
            case Symbol(name, offset):
                return Symbol(self.name(name), offset)
            case Negated(register):
                return Negated(Register(self.name(register.name)))
            case Address(base, offset):
                new = self.operand(base)
                if isinstance(new, Symbol) and new.name in self.places:
                    return Address(Register(FRAME), self.places[new.name] + new.offset + offset)
                assert isinstance(new, Register | Symbol) or new is base
                return Address(new if isinstance(new, Register | Symbol) else base, offset)
            case Vector(items):
                return Vector(tuple(map(self.operand, items)))
            case Pair(first, second):
                return Pair(self.operand(first), self.operand(second))
        return operand


def _prefixed(function: Kernel, prefix: str) -> dict[str, str]:
    """Return new names for all that is a function's own, shared variables and the carry flag left out."""
    own = [name for name in function.registers if name != CARRY]
    own += [*function.labels, *function.branch_tables]
    own += [name for name, v in function.variables.items() if v.space != "shared"]
    return {name: prefix + name for name in own}


def _call_parameters(kernel: Kernel) -> frozenset[str]:
    return frozenset(name for name, v in kernel.variables.items() if v.space == "param")
