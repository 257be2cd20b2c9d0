"""Rewrites a kernel for code generation: calls become the callee's body, votes at barriers two steps.

Call parameters become local variables of the lanes. `printf` is dropped; a failed `assert` becomes a fault.
A call through a pointer tries every function of the same shape. Not covered: recursion, device-side `malloc`.
"""

from dataclasses import dataclass, field

from cudamaster.toolchain.devices.virtual.analysis.rename import Renaming
from cudamaster.toolchain.devices.virtual.isa.registry import unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Address,
    Guard,
    Instruction,
    Integer,
    Kernel,
    Module,
    Operand,
    Register,
    Symbol,
    Variable,
    Vector,
)

FIRST_FUNCTION = 0x5000
FUNCTION_STEP = 16
VOTES = frozenset({"popc", "and", "or"})


def function_numbers(module: Module) -> dict[str, int]:
    """Return the number that stands for each function's address."""
    names = sorted(name for name, kernel in module.kernels.items() if not kernel.is_entry)
    return {name: FIRST_FUNCTION + FUNCTION_STEP * index for index, name in enumerate(names)}


def lower(module: Module, kernel: Kernel) -> Kernel:
    """Return `kernel` without calls and barrier votes; itself if it has none."""
    if not any(_must_change(i) for block in kernel.blocks for i in block):
        return kernel
    lowered = _Lowering(module)
    lowered.append(kernel, Renaming.none(kernel), (kernel.name,))
    return lowered.finish(kernel)


def _must_change(instruction: Instruction) -> bool:
    return instruction.base == "call" or _is_vote(instruction)


def _is_vote(instruction: Instruction) -> bool:
    return instruction.base in ("bar", "barrier") and "red" in instruction.modifiers


@dataclass(slots=True)
class _Lowering:
    """The new kernel while it grows."""

    module: Module
    blocks: list[list[Instruction]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    registers: dict[str, str] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    calls: int = 0

    def finish(self, kernel: Kernel) -> Kernel:
        """Return the new kernel."""
        return Kernel(
            kernel.name, kernel.is_entry, kernel.parameters, kernel.returns, self.registers,
            self.variables, self.blocks, self.labels, self.tables, kernel.directives,
        )  # fmt: skip

    def append(self, kernel: Kernel, renaming: Renaming, callers: tuple[str, ...]) -> None:
        """Append the body of `kernel` under new names; `callers` are the functions it lies in."""
        self.registers |= {renaming.name(name): kind for name, kind in kernel.registers.items()}
        self.variables |= {renaming.name(name): v for name, v in kernel.variables.items()}
        self.tables |= {
            renaming.name(name): tuple(map(renaming.name, labels))
            for name, labels in kernel.branch_tables.items()
        }
        places = []
        for block in kernel.blocks:
            places.append(len(self.blocks))
            self._append_block([renaming.instruction(i) for i in block], callers)
        self.labels |= {renaming.name(name): places[index] for name, index in kernel.labels.items()}

    def _append_block(self, block: list[Instruction], callers: tuple[str, ...]) -> None:
        last = block[-1]
        if _is_vote(last):
            self._vote(block)
        elif last.base == "call":
            self._call(block[:-1], last, callers)
        else:
            self.blocks.append(block)

    def _vote(self, block: list[Instruction]) -> None:
        """`bar.red.op d, number[, threads], p`: vote and wait, then read the result in a block of its own."""
        vote = block[-1]
        destination, number, *rest = vote.operands
        threads = rest[0] if len(rest) > 1 else Integer(0)
        way = next(modifier for modifier in vote.modifiers if modifier in VOTES)
        arrive = Instruction(f"barvote.arrive.{way}", (number, threads, rest[-1]), vote.guard, vote.source)
        read = Instruction(f"barvote.{way}", (destination, number), vote.guard, vote.source)
        self.blocks += [[*block[:-1], arrive], [read]]

    def _call(self, before: list[Instruction], call: Instruction, callers: tuple[str, ...]) -> None:
        function = call.operands[1]
        self.calls += 1
        after = f"after:{self.calls}"
        self.labels[after] = -1
        if isinstance(function, Register):
            self._call_indirectly(before, call, callers, after)
        elif isinstance(function, Symbol) and function.name in self.module.kernels:
            self.blocks.append([*before, *_skip(call, after)] or [_nothing(call)])
            self._inline(call, self.module.kernels[function.name], callers, after)
        else:
            self.blocks.append([*before, *self._known_function(call)] or [_nothing(call)])
        self.labels[after] = len(self.blocks)

    def _inline(self, call: Instruction, callee: Kernel, callers: tuple[str, ...], after: str) -> None:
        if callee.name in callers:
            raise unsupported(call, f"recursion of {callee.name}")
        returns, _, arguments = call.operands[:3]
        assert isinstance(returns, Vector)
        assert isinstance(arguments, Vector)
        names = [_symbol(call, operand) for operand in (*returns.items, *arguments.items)]
        formals = [variable.name for variable in (*callee.returns, *callee.parameters)]
        if len(names) != len(formals):
            raise unsupported(call, "other arguments than declared")
        bound = dict(zip(formals, names, strict=True))
        self.append(callee, Renaming.inlined(callee, f"{self.calls}:", bound, after), (*callers, callee.name))

    def _call_indirectly(
        self, before: list[Instruction], call: Instruction, callers: tuple[str, ...], after: str
    ) -> None:
        """Compare the pointer with every function of the call's shape; none of them is a trap."""
        numbers = function_numbers(self.module)
        candidates = [name for name in numbers if _shape(self.module.kernels[name]) == _call_shape(call)]
        test, number = f"is:{self.calls}", self.calls
        self.registers[test] = "pred"
        self.blocks.append([*before, *_skip(call, after)] or [_nothing(call)])
        for name in candidates:
            equal = (Register(test), call.operands[1], Integer(numbers[name]))
            compare = Instruction("setp.eq.s64", equal, None, call.source)
            entry = (Symbol(f"{name}:{number}"),)
            self.blocks.append([compare, Instruction("bra", entry, Guard(test, False), call.source)])
        self.blocks.append([Instruction("trap", (), None, call.source)])
        for name in candidates:
            self.labels[f"{name}:{number}"] = len(self.blocks)
            self.calls += 1
            self._inline(call, self.module.kernels[name], callers, after)

    def _known_function(self, call: Instruction) -> list[Instruction]:
        """Return what a function without a body is replaced by."""
        function = call.operands[1]
        name = function.name if isinstance(function, Symbol) else ""
        if name == "__assertfail":
            return [Instruction("assertfail", (), call.guard, call.source)]
        if name != "vprintf":
            raise unsupported(call, f"the function {name}")
        returns = call.operands[0]
        assert isinstance(returns, Vector)
        return [
            Instruction(
                "st.local.b32", (Address(Symbol(_symbol(call, r))), Integer(0)), call.guard, call.source
            )
            for r in returns.items
        ]


def _skip(call: Instruction, after: str) -> list[Instruction]:
    """Return the branch around a call that a guard may prevent."""
    if call.guard is None:
        return []
    guard = Guard(call.guard.register, not call.guard.negated)
    return [Instruction("bra", (Symbol(after),), guard, call.source)]


def _nothing(call: Instruction) -> Instruction:
    return Instruction("pmevent", (), None, call.source)


def _symbol(call: Instruction, operand: Operand) -> str:
    if not isinstance(operand, Symbol):
        raise unsupported(call, f"the argument {operand}")
    return operand.name


def _shape(kernel: Kernel) -> tuple[int, int]:
    return len(kernel.returns), len(kernel.parameters)


def _call_shape(call: Instruction) -> tuple[int, int]:
    returns, _, arguments = call.operands[:3]
    assert isinstance(returns, Vector)
    assert isinstance(arguments, Vector)
    return len(returns.items), len(arguments.items)
