"""The dispatcher of a warp function: picks which lanes run next, at which basic block.

Lowest program counter first, so that lanes that took different ways meet again; every 64th time the next
higher one in turn, so that lanes that spin let others pass. Lanes that wait at a warp-wide instruction run
when nothing else can.
"""

from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, IrBuilder, Value, constant

FAIR_PERIOD = 64


def write_dispatcher(ir: IrBuilder, block_count: int, heads: frozenset[int]) -> None:
    """Append the blocks `dispatch`, `yield` and their helpers; `heads` have code for a full warp."""
    ir.label("dispatch")
    counters = ir.load("i32", ir.offset("%warp", frame.WARP_PC), lanes=True, align=64)
    lowest = ir.reduce("umin", counters)
    _branch(ir, ir.compare("uge", lowest, constant("i32", frame.BLOCKED)), "stuck", "runnable")
    ir.label("stuck")
    ir.line(f"ret {lowest.typed}")
    ir.label("runnable")
    _spend(ir)
    ir.label("choose")
    some_run = ir.compare("ult", lowest, constant("i32", frame.WAITING))
    forced = ir.op("xor", some_run, constant("i1", True))
    ir.store(ir.cast("zext", forced, "i32"), ir.offset("%warp", frame.WARP_FORCED))
    chosen = _fair_choice(ir, counters, lowest, some_run)
    mask = Value(ir.raw(f"bitcast <{LANES} x i1> {ir.compare('eq', counters, chosen).text} to i32"), "i32")
    ir.store(mask, ir.offset("%warp", frame.WARP_MASK))
    block = ir.op("and", chosen, constant("i32", frame.MOST_BLOCKS - 1))
    _branch(ir, ir.compare("eq", mask, constant("i32", -1)), "full", "partial")
    _switch(ir, "full", block, [f"F{i}" if i in heads else f"P{i}" for i in range(block_count)])
    _switch(ir, "partial", block, [f"P{i}" for i in range(block_count)])
    ir.label("nowhere")
    ir.line("unreachable")
    ir.label("yield")
    ir.line(f"ret i32 {frame.YIELDED}")


def _branch(ir: IrBuilder, condition: Value, yes: str, no: str) -> None:
    ir.line(f"br i1 {condition.text}, label %{yes}, label %{no}")


def _switch(ir: IrBuilder, name: str, block: Value, labels: list[str]) -> None:
    cases = " ".join(f"i32 {i}, label %{label}" for i, label in enumerate(labels))
    ir.label(name)
    ir.line(f"switch {block.typed}, label %nowhere [{cases}]")


def _spend(ir: IrBuilder) -> None:
    place = ir.offset("%warp", frame.WARP_SLICE)
    left = ir.op("sub", ir.load("i32", place), constant("i32", frame.DISPATCH_COST))
    ir.store(left, place)
    _branch(ir, ir.compare("slt", left, constant("i32", 0)), "yield", "choose")


def _fair_choice(ir: IrBuilder, counters: Value, lowest: Value, some_run: Value) -> Value:
    place = ir.offset("%warp", frame.WARP_DISPATCHES)
    number = ir.op("add", ir.load("i32", place), constant("i32", 1))
    ir.store(number, place)
    phase = ir.op("and", number, constant("i32", FAIR_PERIOD - 1))
    is_fair = ir.op("and", ir.compare("eq", phase, constant("i32", 0)), some_run)
    ir.line(f"br i1 {is_fair.text}, label %fair, label %chosen")
    ir.label("fair")
    memory = ir.offset("%warp", frame.WARP_LAST_FAIR)
    above = ir.compare("ugt", counters, ir.load("i32", memory))
    higher = ir.reduce("umin", ir.select(above, counters, constant("i32", frame.EXITED)))
    exists = ir.compare("ult", higher, constant("i32", frame.WAITING))
    turn = ir.select(exists, higher, lowest)
    ir.store(turn, memory)
    ir.line("br label %chosen")
    ir.label("chosen")
    return Value(ir.raw(f"phi i32 [{lowest.text}, %choose], [{turn.text}, %fair]"), "i32")
