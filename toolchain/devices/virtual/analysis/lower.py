"""Rewrites a kernel for code generation: calls become the callee's body, votes at barriers two steps.

Call parameters become local variables of the lanes. A function that recurses, or is large, is not put into
its callers but stands once behind the kernel; calls jump to it and it jumps back, with frames on a stack
(`frames`). A call through a pointer compares with every function of the same shape whose address is taken.
"""

from dataclasses import dataclass, field

from cudamaster.toolchain.devices.virtual.analysis import frames
from cudamaster.toolchain.devices.virtual.analysis.builtins import builtin_call
from cudamaster.toolchain.devices.virtual.analysis.calls import (
    Calls,
    call_arguments,
    calls_of,
    function_numbers,
)
from cudamaster.toolchain.devices.virtual.analysis.frames import Frame
from cudamaster.toolchain.devices.virtual.analysis.rename import FRAME, Renaming
from cudamaster.toolchain.devices.virtual.isa.registry import unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Address,
    Guard,
    Instruction,
    Integer,
    Kernel,
    Module,
    Register,
    Symbol,
    Variable,
)

VOTES = frozenset({"popc", "and", "or"})


def lower(module: Module, kernel: Kernel) -> Kernel:
    """Return `kernel` without calls and barrier votes; itself if it has none."""
    if not any(_must_change(i) for block in kernel.blocks for i in block):
        return kernel
    lowered = _Lowering(module, Calls(module))
    lowered.append_kernel(kernel)
    return lowered.finish(kernel)


def _must_change(instruction: Instruction) -> bool:
    return instruction.base == "call" or _is_vote(instruction)


def _is_vote(instruction: Instruction) -> bool:
    return instruction.base in ("bar", "barrier") and "red" in instruction.modifiers


@dataclass(frozen=True, slots=True)
class _Body:
    """A body that is being appended: the kernel's, or a function's."""

    kernel: Kernel
    renaming: Renaming
    frame: Frame | None
    """Of the recursive function that the body is, or is part of."""

    @property
    def frame_bytes(self) -> int:
        return self.frame.size if self.frame else 0

    @property
    def is_recursive(self) -> bool:
        return self.frame is not None and self.frame.function is self.kernel


@dataclass(slots=True)
class _Lowering:
    """The new kernel while it grows."""

    module: Module
    calls: Calls
    blocks: list[list[Instruction]] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    registers: dict[str, str] = field(default_factory=dict)
    variables: dict[str, Variable] = field(default_factory=dict)
    call_count: int = 0
    frames: dict[str, Frame] = field(default_factory=dict)
    """Of the recursive functions that are called, in the order in which their bodies will stand."""
    resumes: dict[str, list[str]] = field(default_factory=dict)
    """The labels that each recursive function returns to."""

    def finish(self, kernel: Kernel) -> Kernel:
        """Return the new kernel."""
        return Kernel(
            kernel.name, kernel.is_entry, kernel.parameters, kernel.returns, self.registers,
            self.variables, self.blocks, self.labels, self.tables, kernel.directives,
        )  # fmt: skip

    def append_kernel(self, kernel: Kernel) -> None:
        """Append the kernel, then the bodies of the recursive functions that it reaches."""
        places = frames.outgoing_places(self.calls, kernel, 0)
        reached = [t for call in calls_of(kernel) for t in self.calls.targets(kernel, call)]
        if any(self.calls.stands_apart(name) for top in reached for name in (top, *self.calls.reached(top))):
            self._begin_stack()
        self._append(_Body(kernel, Renaming.none(kernel, places), None))
        done = 0
        while done < len(self.frames):
            self._append_recursive(list(self.frames.values())[done])
            done += 1
        for name, labels in self.resumes.items():
            self.tables[f"returns:{name}"] = tuple(labels)

    def _begin_stack(self) -> None:
        """Point to the bottom of the stack before anything else."""
        self.registers |= {FRAME: "b64", frames.RETURN: "b32"}
        self.variables[frames.STACK] = frames.STACK_VARIABLE
        self.blocks.append([Instruction("mov.b64", (frames.FRAME_REGISTER, Symbol(frames.STACK)))])

    def _append_recursive(self, frame: Frame) -> None:
        function = frame.function
        places = frame.places | frames.outgoing_places(self.calls, function, frame.size)
        self.labels[f"enter:{function.name}"] = len(self.blocks)
        self._append(_Body(function, Renaming.recursive(function, f"{function.name}:", places), frame))

    def _append(self, body: _Body) -> None:
        """Append a body under new names."""
        kernel, renaming = body.kernel, body.renaming
        self.registers |= {renaming.name(name): kind for name, kind in kernel.registers.items()}
        self.variables |= {renaming.name(name): v for name, v in kernel.variables.items()}
        self.tables |= {
            renaming.name(name): tuple(map(renaming.name, labels))
            for name, labels in kernel.branch_tables.items()
        }
        places = []
        for index, block in enumerate(kernel.blocks):
            places.append(len(self.blocks))
            self._append_block(body, index, [renaming.instruction(i) for i in block])
        self.labels |= {renaming.name(name): places[index] for name, index in kernel.labels.items()}

    def _append_block(self, body: _Body, index: int, block: list[Instruction]) -> None:
        last = block[-1]
        if _is_vote(last):
            self._vote(block)
        elif last.base == "call":
            self._call(body, index, block)
        elif last.base == "ret" and body.is_recursive:
            self.blocks.append([*block[:-1], *self._return(body, last)])
        else:
            self.blocks.append(block)

    def _return(self, body: _Body, ret: Instruction) -> list[Instruction]:
        number = Register(frames.RETURN)
        load = Instruction("ld.local.b32", (number, Address(frames.FRAME_REGISTER)), ret.guard, ret.source)
        table = Symbol(f"returns:{body.kernel.name}")
        return [load, Instruction("brx.idx", (number, table), ret.guard, ret.source)]

    def _vote(self, block: list[Instruction]) -> None:
        """`bar.red.op d, number[, threads], p`: vote and wait, then read the result in a block of its own."""
        vote = block[-1]
        destination, number, *rest = vote.operands
        threads = rest[0] if len(rest) > 1 else Integer(0)
        way = next(modifier for modifier in vote.modifiers if modifier in VOTES)
        arrive = Instruction(f"barvote.arrive.{way}", (number, threads, rest[-1]), vote.guard, vote.source)
        read = Instruction(f"barvote.{way}", (destination, number), vote.guard, vote.source)
        self.blocks += [[*block[:-1], arrive], [read]]

    def _call(self, body: _Body, index: int, block: list[Instruction]) -> None:
        """Write the call that ends `block`; after it all ways meet at one label."""
        call, original = block[-1], body.kernel.blocks[index][-1]
        self.call_count += 1
        after = f"after:{self.call_count}"
        self.labels[after] = -1
        targets = self.calls.targets(body.kernel, original)
        before = [*block[:-1], *_skip(call, after)]
        if isinstance(call.operands[1], Register):
            self._choose(body, index, before, targets, after)
        elif targets:
            self.blocks.append(before or [_nothing(call)])
            self._enter(body, index, targets[0], after)
        else:
            known = builtin_call(call)
            self.blocks.append([*block[:-1], *known] or [_nothing(call)])
        self.labels[after] = len(self.blocks)

    def _choose(
        self, body: _Body, index: int, before: list[Instruction], targets: list[str], after: str
    ) -> None:
        """Compare the pointer with every function that it may point to; none of them is a trap."""
        call = body.renaming.instruction(body.kernel.blocks[index][-1])
        numbers, number = function_numbers(self.module), self.call_count
        test = Register(f"is:{number}")
        self.registers[test.name] = "pred"
        self.blocks.append(before or [_nothing(call)])
        for name in targets:
            equal = (test, call.operands[1], Integer(numbers[name]))
            compare = Instruction("setp.eq.s64", equal, None, call.source)
            way = (Symbol(f"{name}:{number}"),)
            self.blocks.append([compare, Instruction("bra", way, Guard(test.name, False), call.source)])
        self.blocks.append([Instruction("trap", (), None, call.source)])
        for name in targets:
            self.labels[f"{name}:{number}"] = len(self.blocks)
            self.call_count += 1
            self._enter(body, index, name, after)

    def _enter(self, body: _Body, index: int, name: str, after: str) -> None:
        callee, call = self.module.kernels[name], body.kernel.blocks[index][-1]
        formals = [variable.name for variable in (*callee.returns, *callee.parameters)]
        if len(call_arguments(call)) != len(formals):
            raise unsupported(call, "other arguments than declared")
        if self.calls.stands_apart(callee.name):
            self._jump(body, index, callee, after)
            return
        given = [body.renaming.name(argument) for argument in call_arguments(call)]
        bound = dict(zip(formals, given, strict=True))
        places = {name: p for name, p in body.renaming.places.items() if name in given}
        own = frames.outgoing_places(self.calls, callee, body.frame_bytes)
        renaming = Renaming.inlined(callee, f"{self.call_count}:", bound, after, places, own)
        self._append(_Body(callee, renaming, body.frame))

    def _jump(self, body: _Body, index: int, callee: Kernel, after: str) -> None:
        """Call a recursive function: keep what must outlive the call, step to its frame, and back."""
        call = body.kernel.blocks[index][-1]
        frame = self.frames.get(callee.name)
        if frame is None:
            frame = self.frames[callee.name] = frames.frame_of(self.calls, callee)
        resumes = self.resumes.setdefault(callee.name, [])
        resume = f"resume:{self.call_count}:{callee.name}"
        kept, again = [], []
        if body.is_recursive and body.frame is not None:
            kept = frames.keep(body.frame, index, call, body.renaming.names)
            again = frames.restore(body.frame, index, call, body.renaming.names)
        entry = frames.enter(len(resumes), body.frame_bytes, frame, call)
        jump = Instruction("bra", (Symbol(f"enter:{callee.name}"),), None, call.source)
        resumes.append(resume)
        self.blocks.append([*kept, *entry, jump])
        self.labels[resume] = len(self.blocks)
        leave = frames.leave(body.frame_bytes, call)
        self.blocks.append([leave, *again, Instruction("bra", (Symbol(after),), None, call.source)])


def _skip(call: Instruction, after: str) -> list[Instruction]:
    """Return the branch around a call that a guard may prevent."""
    if call.guard is None:
        return []
    guard = Guard(call.guard.register, not call.guard.negated)
    return [Instruction("bra", (Symbol(after),), guard, call.source)]


def _nothing(call: Instruction) -> Instruction:
    return Instruction("pmevent", (), None, call.source)
