"""New names for a function's registers, labels and variables where its body is put into a caller."""

from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    CARRY,
    Address,
    Guard,
    Instruction,
    Kernel,
    Negated,
    Operand,
    Pair,
    Register,
    Symbol,
    Vector,
)


@dataclass(frozen=True, slots=True)
class Renaming:
    """Maps names of one body; names it does not hold stay."""

    names: dict[str, str]
    local_parameters: frozenset[str]
    """New names of call parameters: their `param` accesses become accesses of local memory."""
    after: str | None
    """Where a return goes; None in the kernel itself."""

    @classmethod
    def none(cls, kernel: Kernel) -> "Renaming":
        """Return the renaming of the kernel itself, whose call parameters become local all the same."""
        return cls({}, _call_parameters(kernel), None)

    @classmethod
    def inlined(cls, callee: Kernel, prefix: str, bound: dict[str, str], after: str) -> "Renaming":
        """Return the renaming of a callee: `prefix` before its own names, `bound` for its parameters."""
        own = [name for name in callee.registers if name != CARRY]
        own += [*callee.labels, *callee.branch_tables]
        own += [name for name, v in callee.variables.items() if v.space != "shared"]
        names = {name: prefix + name for name in own} | bound
        parameters = {prefix + name for name in _call_parameters(callee)}
        return cls(names, frozenset(parameters | set(bound.values())), after)

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
        operands = tuple(self.operand(operand) for operand in instruction.operands)
        opcode = instruction.opcode
        if instruction.base in ("ld", "st") and any(map(self._is_local_parameter, operands)):
            words = instruction.modifiers
            opcode = ".".join("local" if word.startswith("param") else word for word in words)
        return Instruction(opcode, operands, guard, instruction.source)

    def _is_local_parameter(self, operand: Operand) -> bool:
        return (
            isinstance(operand, Address)
            and isinstance(operand.base, Symbol)
            and operand.base.name in self.local_parameters
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
                assert isinstance(new, Register | Symbol) or new is base
                return Address(new if isinstance(new, Register | Symbol) else base, offset)
            case Vector(items):
                return Vector(tuple(map(self.operand, items)))
            case Pair(first, second):
                return Pair(self.operand(first), self.operand(second))
        return operand


def _call_parameters(kernel: Kernel) -> frozenset[str]:
    return frozenset(name for name, v in kernel.variables.items() if v.space == "param")
