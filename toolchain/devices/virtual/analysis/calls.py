"""Who may call whom within a module: shapes of functions, targets of pointers, and who calls itself."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from cudamaster.toolchain.devices.virtual.isa.registry import unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Instruction,
    Kernel,
    Module,
    Operand,
    Register,
    Symbol,
    Vector,
)

FIRST_FUNCTION = 0x5000
FUNCTION_STEP = 16
MOST_INLINED = 3000
"""Instructions; above, a function stands once instead of in each of its callers."""


def function_numbers(module: Module) -> dict[str, int]:
    """Return the number that stands for each function's address."""
    names = sorted(name for name, kernel in module.kernels.items() if not kernel.is_entry)
    return {name: FIRST_FUNCTION + FUNCTION_STEP * index for index, name in enumerate(names)}


def calls_of(kernel: Kernel) -> Iterator[Instruction]:
    """Every call in a body."""
    return (block[-1] for block in kernel.blocks if block[-1].base == "call")


def call_arguments(call: Instruction) -> list[str]:
    """Return the variables that a call passes: those for results, then those for arguments."""
    returns, _, arguments = call.operands[:3]
    assert isinstance(returns, Vector)
    assert isinstance(arguments, Vector)
    return [_symbol(call, operand) for operand in (*returns.items, *arguments.items)]


def _symbol(call: Instruction, operand: Operand) -> str:
    if not isinstance(operand, Symbol):
        raise unsupported(call, f"the argument {operand}")
    return operand.name


def _shape(kernel: Kernel) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return tuple(v.size for v in kernel.returns), tuple(v.size for v in kernel.parameters)


@dataclass(slots=True)
class Calls:
    """The calls of one module."""

    module: Module
    _reached: dict[str, frozenset[str]] = field(default_factory=dict)
    _sizes: dict[str, int] = field(default_factory=dict)
    _addressed: frozenset[str] | None = None

    def targets(self, caller: Kernel, call: Instruction) -> list[str]:
        """Return the functions with a body that a call may reach, named or by pointer."""
        function = call.operands[1]
        if isinstance(function, Symbol):
            return [function.name] if function.name in self.module.kernels else []
        assert isinstance(function, Register)
        returns, _, _ = call.operands[:3]
        assert isinstance(returns, Vector)
        sizes = [caller.variables[name].size for name in call_arguments(call)]
        count = len(returns.items)
        wanted = tuple(sizes[:count]), tuple(sizes[count:])
        numbers = function_numbers(self.module)
        return [
            name
            for name in numbers
            if name in self.addressed() and _shape(self.module.kernels[name]) == wanted
        ]

    def addressed(self) -> frozenset[str]:
        """Return the functions whose address is taken, by code or by an initialiser."""
        if self._addressed is None:
            functions = function_numbers(self.module).keys()
            named = {name for v in self.module.variables.values() for _, name, _ in v.relocations}
            for kernel in self.module.kernels.values():
                for instruction in (i for block in kernel.blocks for i in block if i.base != "call"):
                    named.update(o.name for o in instruction.operands if isinstance(o, Symbol))
            self._addressed = frozenset(functions & named)
        return self._addressed

    def reached(self, name: str) -> frozenset[str]:
        """Return the functions that `name` may in the end call, itself among them if it recurses."""
        if name not in self._reached:
            found: set[str] = set()
            waiting = [name]
            while waiting:
                kernel = self.module.kernels[waiting.pop()]
                new = {target for call in calls_of(kernel) for target in self.targets(kernel, call)} - found
                found |= new
                waiting += new
            self._reached[name] = frozenset(found)
        return self._reached[name]

    def stands_apart(self, name: str) -> bool:
        """Whether a function is too large for its callers' bodies, or may be entered while it runs."""
        return name in self.reached(name) or self._size(name) > MOST_INLINED

    def _size(self, name: str) -> int:
        """Count the instructions of a function with those that its calls become."""
        if name not in self._sizes:
            kernel = self.module.kernels[name]
            called = [t for call in calls_of(kernel) for t in self.targets(kernel, call)]
            inlined = sum(self._size(target) for target in called if not self.stands_apart(target))
            self._sizes[name] = sum(map(len, kernel.blocks)) + inlined
        return self._sizes[name]
