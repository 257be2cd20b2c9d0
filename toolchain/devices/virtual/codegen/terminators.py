"""How a basic block ends: branches, returns, barriers, and jumps between the copies of blocks.

Every block exists twice: `F<n>` for a warp whose 32 lanes all run it, `P<n>` for any mask. A jump goes from
copy to copy without the dispatcher while all living lanes go the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.analysis.flow import Flow, label_target
from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.registry import lookup
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Register, Symbol

TERMINATORS = frozenset({"bra", "brx", "ret", "exit", "trap", "bar", "barrier", "barvote"})


def ends_block(instruction: Instruction) -> bool:
    """Whether `write_end` rather than an instruction function writes this."""
    if instruction.base in ("bar", "barrier"):
        return "warp" not in instruction.modifiers
    if instruction.base == "barvote":
        return "arrive" in instruction.modifiers
    return instruction.base in TERMINATORS


@dataclass(frozen=True, slots=True)
class _Edge:
    """A jump from the LLVM block `label` by which the lanes of `mask` get to block `target`."""

    label: str
    mask: Value
    target: int


def _merged(emit: Emitter, edges: Sequence[_Edge]) -> tuple[Value, Value]:
    """Return the mask and the target of whichever jump was taken."""
    masks = ", ".join(f"[{edge.mask.text}, %{edge.label}]" for edge in edges)
    targets = ", ".join(f"[{edge.target}, %{edge.label}]" for edge in edges)
    return Value(emit.raw(f"phi i32 {masks}"), "i32"), Value(emit.raw(f"phi i32 {targets}"), "i32")


class Terminators:
    """Writes the ends of the blocks of one kernel."""

    def __init__(self, emit: Emitter, flow: Flow, heads: frozenset[int]) -> None:
        self.emit, self.flow, self.heads = emit, flow, heads
        self._apart: list[_Edge] = []
        self._split: list[tuple[_Edge, _Edge]] = []

    def flush(self) -> None:
        """Write back what the blocks that may follow read."""
        self.emit.flush(self.flow.live_out(self.emit.block_index))

    def write_end(self, instruction: Instruction) -> None:
        """Write the last instruction of a block."""
        emit = self.emit
        emit.begin_instruction(instruction)
        if instruction.base == "bra":
            self._branch(instruction)
        elif instruction.base == "brx":
            self._indexed_branch(instruction)
        elif instruction.base in ("ret", "exit", "trap"):
            self._leave(instruction)
        else:
            self._barrier(instruction)

    def jump(self, target: int) -> None:
        """Send all running lanes to block `target`; values have been written back."""
        emit = self.emit
        if target <= emit.block_index:
            self._spend(target)
        if emit.full:
            emit.line(f"br label %{self._full_copy(target)}")
            return
        mask = emit.block_mask()
        if target in self.heads:
            partial = emit.new_label()
            self._test(emit.compare("eq", mask, constant("i32", -1)), f"F{target}", partial)
            emit.label(partial)
        live = emit.load("i32", emit.offset("%warp", frame.WARP_LIVE))
        self._apart.append(_Edge(emit.here, mask, target))
        self._test(emit.compare("eq", mask, live), f"P{target}", "apart")

    def write_shared(self) -> None:
        """Write what many jumps end in: lanes go to the dispatcher, one way or two."""
        emit = self.emit
        for label, edges in (("apart", [(edge,) for edge in self._apart]), ("split", self._split)):
            if edges:
                emit.label(label)
                ways = [_merged(emit, way) for way in zip(*edges, strict=True)]
                for mask, target in ways:
                    self.set_counters(mask, target)
                emit.line("br label %dispatch")

    def _full_copy(self, target: int) -> str:
        if target in self.heads:
            return f"F{target}"
        self.emit.store(constant("i32", -1), self.emit.offset("%warp", frame.WARP_MASK))
        return f"P{target}"

    def _spend(self, target: int) -> None:
        """Take a jump backwards off the time slice; leave the warp function when it is used up."""
        emit = self.emit
        place = emit.offset("%warp", frame.WARP_SLICE)
        left = emit.op("sub", emit.load("i32", place), constant("i32", frame.BACK_EDGE_COST))
        emit.store(left, place)
        over, go = emit.new_label(), emit.new_label()
        self._test(emit.compare("sle", left, constant("i32", 0)), over, go)
        emit.label(over)
        self.set_counters(emit.block_mask(), constant("i32", target))
        emit.line("br label %yield")
        emit.label(go)

    def _test(self, condition: Value, yes: str, no: str) -> None:
        self.emit.line(f"br i1 {condition.text}, label %{yes}, label %{no}")

    def set_counters(self, mask: Value, target: Value) -> None:
        """Set the program counters of the lanes of `mask`."""
        emit = self.emit
        place = emit.offset("%warp", frame.WARP_PC)
        if mask.text != "-1":
            old = emit.load("i32", place, lanes=True, align=64)
            target = emit.select(emit.predicate(mask), target, old)
        emit.store(emit.lanes(target), place, align=64)

    def _branch(self, instruction: Instruction) -> None:
        emit = self.emit
        target = label_target(emit.kernel, instruction, instruction.operands[0])
        self.flush()
        if instruction.guard is None:
            self.jump(target)
            return
        taken = self._scalar_guard(instruction)
        yes, no = emit.new_label(), emit.new_label()
        if taken is not None:
            self._test(taken, yes, no)
        else:
            mask, some = emit.active_mask(), emit.new_label()
            self._test(emit.compare("eq", mask, emit.block_mask()), yes, some)
            emit.label(some)
            others = _Edge(emit.here, emit.block_mask(), emit.block_index + 1)
            self._split.append((others, _Edge(emit.here, mask, target)))
            self._test(emit.compare("eq", mask, constant("i32", 0)), no, "split")
        emit.label(yes)
        self.jump(target)
        emit.label(no)
        self._fall_through()

    def _scalar_guard(self, instruction: Instruction) -> Value | None:
        """Return whether all lanes branch, where the guard is a launch constant."""
        emit, guard = self.emit, instruction.guard
        assert guard is not None
        value = emit.get(Register(guard.register), "pred")
        if value.lanes:
            return None
        return emit.op("xor", value, constant("i1", True)) if guard.negated else value

    def _fall_through(self) -> None:
        """Go on with the next block, unless its code follows at once."""
        following = self.emit.block_index + 1
        if not (self.emit.full and following not in self.heads):
            self.jump(following)

    def fall_through(self) -> None:
        """End a block whose last instruction does not end it."""
        following = self.emit.block_index + 1
        if not (self.emit.full and following not in self.heads):
            self.flush()
            self.jump(following)

    def _indexed_branch(self, instruction: Instruction) -> None:
        emit = self.emit
        index = emit.get(instruction.operands[0], "u32")
        table = instruction.operands[1]
        assert isinstance(table, Symbol)
        self.flush()
        if emit.guarded:
            self.set_counters(emit.block_mask(), constant("i32", emit.block_index + 1))
        target = constant("i32", 0)
        for number, label in enumerate(emit.kernel.branch_tables[table.name]):
            chosen = emit.compare("eq", index, constant("i32", number))
            target = emit.select(chosen, constant("i32", emit.kernel.labels[label]), target)
        self.set_counters(emit.active_mask(), target)
        emit.line("br label %dispatch")

    def _leave(self, instruction: Instruction) -> None:
        emit = self.emit
        mask = emit.active_mask()
        if instruction.base == "trap":
            lookup(instruction).emit(emit, instruction)
        self.flush()
        if emit.guarded:
            self.set_counters(emit.block_mask(), constant("i32", emit.block_index + 1))
        self._retire(mask, constant("i32", frame.EXITED))

    def _retire(self, mask: Value, state: Value) -> None:
        """Take lanes out of the living ones and go to the dispatcher."""
        emit = self.emit
        self.set_counters(mask, state)
        place = emit.offset("%warp", frame.WARP_LIVE)
        rest = emit.op("xor", mask, constant("i32", -1))
        emit.store(emit.op("and", emit.load("i32", place), rest), place)
        emit.line("br label %dispatch")

    def _barrier(self, instruction: Instruction) -> None:
        """Block the lanes (or, for `arrive`, let them go on) after telling the runtime what it must know."""
        emit = self.emit
        lookup(instruction).emit(emit, instruction)
        mask, is_cluster = emit.active_mask(), "cluster" in instruction.modifiers
        number = constant("i32", 0) if is_cluster else emit.get(instruction.operands[0], "u32")
        self.flush()
        if instruction.base != "barvote" and "arrive" in instruction.modifiers:
            self.jump(emit.block_index + 1)
            return
        if emit.guarded:
            self.set_counters(emit.block_mask(), constant("i32", emit.block_index + 1))
        state = emit.op("shl", number, constant("i32", frame.BARRIER_SHIFT))
        flags = frame.BLOCKED | (frame.ALIGNED if is_aligned(instruction) else 0)
        flags |= frame.AT_CLUSTER if is_cluster else 0
        self._retire(mask, emit.op("or", state, constant("i32", flags | (emit.block_index + 1))))


def is_aligned(instruction: Instruction) -> bool:
    """Whether all lanes of a warp must execute this very barrier together (`bar`, or `.aligned`)."""
    return instruction.base == "bar" or "aligned" in instruction.modifiers
