"""One kernel as one LLVM function that runs one warp until it returns, blocks at a barrier or yields.

Registers that outlive a basic block live in the warp's context; within a block they are SSA values. Blocks
that only the block before leads to are written into its full-warp copy, so that their values stay known.
"""

from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.analysis.alloca import with_alloca
from cudamaster.toolchain.devices.virtual.analysis.flow import Flow, analyse, branch_targets
from cudamaster.toolchain.devices.virtual.analysis.layout import Layout, plan
from cudamaster.toolchain.devices.virtual.analysis.literals import with_literals
from cudamaster.toolchain.devices.virtual.analysis.lower import lower
from cudamaster.toolchain.devices.virtual.analysis.uniform import launch_constants
from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.dispatcher import write_dispatcher
from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter, Mode
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant
from cudamaster.toolchain.devices.virtual.codegen.terminators import Terminators, ends_block
from cudamaster.toolchain.devices.virtual.codegen.watching import tell_ordering
from cudamaster.toolchain.devices.virtual.isa.registry import lookup, unsupported
from cudamaster.toolchain.devices.virtual.launch import Site
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Instruction, Kernel, Module, Register

FUNCTION_NAME = "vg_warp"
ATTRIBUTES = 'nounwind "min-legal-vector-width"="512" "prefer-vector-width"="512"'


@dataclass(frozen=True, slots=True)
class WarpFunction:
    """The IR of a kernel and what the runtime must know to run it."""

    kernel: Kernel
    text: str
    """A whole LLVM module that defines `FUNCTION_NAME(ptr warp, ptr block)`."""
    layout: Layout
    sites: tuple[Site, ...]
    unaligned_sites: frozenset[int]
    """Sites whose addresses need no alignment."""


def write_warp_function(module: Module, kernel: Kernel, mode: Mode) -> WarpFunction:
    """Return the code of `kernel`; raise Unsupported where it cannot be run."""
    kernel = prepared(module, kernel)
    flow = analyse(kernel)
    uniform = launch_constants(kernel, flow)
    layout = plan(module, kernel, uniform, flow.crossing)
    emit = Emitter(kernel, layout, uniform, mode)
    heads = chain_heads(kernel)
    _Blocks(emit, flow, heads).write()
    write_dispatcher(emit, len(kernel.blocks), heads)
    return WarpFunction(kernel, _assemble(emit), layout, tuple(emit.sites), frozenset(emit.unaligned_sites))


def prepared(module: Module, kernel: Kernel) -> Kernel:
    """Return `kernel` as code is written for it; a prepared one is left as it is."""
    return with_literals(with_alloca(lower(module, kernel)))


def chain_heads(kernel: Kernel) -> frozenset[int]:
    """Return the blocks that control may enter other than from the block right before."""
    heads = {0, *kernel.labels.values()}
    for index, block in enumerate(kernel.blocks):
        heads.update(branch_targets(kernel, block[-1]))
        last = block[-1]
        if ends_block(last) and last.base != "bra":
            heads.add(index + 1)
    return frozenset(heads)


def _assemble(emit: Emitter) -> str:
    entry = ["entry:", *(f"  {line}" for line in emit.entry.values())]
    entry += [
        f"  %pcs = getelementptr i8, ptr %warp, i64 {frame.WARP_PC}",
        f"  %start = load <{LANES} x i32>, ptr %pcs, align 64",
        f"  %living = icmp ult <{LANES} x i32> %start, splat (i32 {frame.BLOCKED})",
        f"  %bits = bitcast <{LANES} x i1> %living to i32",
        f"  %live = getelementptr i8, ptr %warp, i64 {frame.WARP_LIVE}",
        "  store i32 %bits, ptr %live",
        "  br label %dispatch",
    ]
    head = f"define i32 @{FUNCTION_NAME}(ptr align 64 %warp, ptr align 8 %block) #0 {{"
    return "\n".join(
        [
            *emit.declarations.values(),
            head,
            *entry,
            *emit.lines,
            "}",
            f"attributes #0 = {{ {ATTRIBUTES} }}",
            '!0 = !{!"branch_weights", i32 1, i32 10000}',
            "",
        ]
    )


class _Blocks:
    """Writes both copies of every basic block."""

    def __init__(self, emit: Emitter, flow: Flow, heads: frozenset[int]) -> None:
        self.emit, self.flow, self.heads = emit, flow, heads
        self.ends = Terminators(emit, flow, heads)

    def write(self) -> None:
        """Write the full-warp copies, chain by chain, then the masked ones."""
        for index in range(len(self.emit.kernel.blocks)):
            if index in self.heads:
                self.emit.label(f"F{index}")
                self.emit.begin_block(index, full=True, mask=None)
                self.emit.base_uses = self._base_uses(index)
            else:
                self.emit.continue_block(index)
            self._body(index)
        for index in range(len(self.emit.kernel.blocks)):
            self._begin_partial(index)
            self._body(index)
        self.ends.write_shared()

    def _base_uses(self, head: int) -> dict[str, int]:
        """Count the address bases in the chain of blocks that `head` leads."""
        uses: dict[str, int] = {}
        blocks = self.emit.kernel.blocks
        for index in range(head, len(blocks)):
            if index != head and index in self.heads:
                break
            for operand in (operand for i in blocks[index] for operand in i.operands):
                if isinstance(operand, Address) and isinstance(operand.base, Register):
                    uses[operand.base.name] = uses.get(operand.base.name, 0) + 1
        return uses

    def _begin_partial(self, index: int) -> None:
        emit = self.emit
        emit.label(f"P{index}")
        mask = emit.load("i32", emit.offset("%warp", frame.WARP_MASK))
        emit.begin_block(index, full=False, mask=mask)
        first = emit.kernel.blocks[index][0]
        waits = lookup(first).waits
        if waits is not None:
            emit.begin_instruction(first)
            self._wait(first, waits)

    def _body(self, index: int) -> None:
        if self.emit.mode.count:
            self._count(index)
        block = self.emit.kernel.blocks[index]
        for instruction in block:
            if ends_block(instruction):
                assert instruction is block[-1], "the parser ends a block here"
                self.ends.write_end(instruction)
                return
            self._write(instruction)
        self.ends.fall_through()

    def _write(self, instruction: Instruction) -> None:
        """Write one instruction; one that nvcc would not write and `ptxas` not take is refused."""
        self.emit.begin_instruction(instruction)
        tell_ordering(self.emit, instruction)
        try:
            lookup(instruction).emit(self.emit, instruction)
        except (KeyError, ValueError, IndexError, StopIteration) as error:
            raise unsupported(instruction, f"these operands or modifiers ({error})") from error

    def _count(self, index: int) -> None:
        emit = self.emit
        counters, once = emit.field("ptr", "%block", frame.BLOCK_COUNTERS), f"<i64 1, i64 {LANES}>"
        place = emit.offset(counters.text, 16 * index)
        if not emit.full:
            lanes = emit.resize(emit.intrinsic("llvm.ctpop", emit.block_mask()), "i64")
            once = emit.raw(f"insertelement <2 x i64> <i64 1, i64 0>, {lanes.typed}, i64 1")
        old = emit.raw(f"load <2 x i64>, ptr {place}, align 8")
        emit.line(f"store <2 x i64> {emit.raw(f'add <2 x i64> {old}, {once}')}, ptr {place}, align 8")

    def _wait(self, instruction: Instruction, waits: int | str) -> None:
        """Let the running lanes go on together with all members, or wait for those that are still to come."""
        emit, mask = self.emit, self.emit.block_mask()
        members = self._members(instruction, waits, mask)
        counters = emit.load("i32", emit.offset("%warp", frame.WARP_PC), lanes=True, align=64)
        here = constant("i32", frame.WAITING | emit.block_index)
        arrived = emit.op("or", mask, emit.bit_mask(emit.compare("eq", counters, here)))
        living = emit.bit_mask(emit.compare("ne", counters, constant("i32", frame.EXITED)))
        absent = emit.op("and", emit.op("xor", arrived, constant("i32", -1)), emit.op("and", members, living))
        forced = emit.load("i32", emit.offset("%warp", frame.WARP_FORCED))
        complete = emit.compare("eq", absent, constant("i32", 0))
        may_go = emit.op("or", complete, emit.compare("ne", forced, constant("i32", 0)))
        go, wait = emit.new_label(), emit.new_label()
        emit.line(f"br i1 {may_go.text}, label %{go}, label %{wait}")
        emit.label(wait)
        self.ends.set_counters(mask, here)
        emit.line("br label %dispatch")
        emit.label(go)
        self._go_on(arrived, emit.op("and", arrived, members), mask, here)

    def _go_on(self, arrived: Value, together: Value, mask: Value, here: Value) -> None:
        """Run the members; lanes that arrived for another set of members keep waiting."""
        emit = self.emit
        none = emit.compare("eq", together, constant("i32", 0))
        together = emit.select(none, mask, together)
        self.ends.set_counters(arrived, here)
        self.ends.set_counters(together, constant("i32", emit.block_index))
        emit.store(together, emit.offset("%warp", frame.WARP_MASK))
        emit.replace_mask(together)

    def _members(self, instruction: Instruction, waits: int | str, mask: Value) -> Value:
        """Return the members that the first running lane names."""
        if waits == "warp":
            return constant("i32", -1)
        assert isinstance(waits, int)
        members = self.emit.get(instruction.operands[waits], "b32")
        if not members.lanes:
            return members
        first = self.emit.intrinsic("llvm.cttz", mask, flags=["i1 true"])
        return Value(self.emit.raw(f"extractelement {members.typed}, {first.typed}"), "i32")
