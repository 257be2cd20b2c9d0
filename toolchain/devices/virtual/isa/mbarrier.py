"""`mbarrier`: barriers in shared memory that count arrivals and bytes (native/mbarrier.c)."""

from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Operand

SPACES = ("shared", "shared_cta", "shared_cluster")
ORDERS = ("relaxed", "acquire", "release", "cta", "cluster")
BARRIER_BYTES = 8


def barrier_place(
    emit: Emitter, ins: Instruction, address: Operand, tag: str = "", space: str | None = None
) -> str:
    """Return the checked host addresses of the barriers; without a `space`, they are in the opcode's."""
    if space is None:
        named = [word for word in ins.modifiers if word in SPACES]
        space = named[-1].replace("shared_cta", "shared") if named else "generic"
    return emit.addresses(address, space, "atomic", BARRIER_BYTES, tag=tag)


def _operand(emit: Emitter, operands: tuple[Operand, ...], index: int) -> Value:
    """Return a count; 1 where it is left out."""
    return emit.get(operands[index], "b32") if len(operands) > index else constant("i32", 1)


@instruction("mbarrier", "init", writes=0)
def begin(emit: Emitter, ins: Instruction) -> None:
    """Set how many arrivals each phase expects."""
    require_known(ins, "init", SPACES, "b64")
    place = barrier_place(emit, ins, ins.operands[0])
    emit.call_native("vg_mbarrier_init", [], [place, _operand(emit, ins.operands, 1)])


@instruction("mbarrier", "inval", writes=0)
def end(emit: Emitter, ins: Instruction) -> None:
    """Make the memory ordinary again."""
    require_known(ins, "inval", SPACES, "b64")
    barrier_place(emit, ins, ins.operands[0])


@instruction("mbarrier", "arrive")
@instruction("mbarrier", "arrive", "expect_tx")
@instruction("mbarrier", "arrive_drop")
@instruction("mbarrier", "arrive_drop", "expect_tx")
def arrive(emit: Emitter, ins: Instruction) -> None:
    """Count down, and return a token of the phase; `expect_tx` first adds bytes to wait for."""
    require_known(ins, "arrive", "arrive_drop", "expect_tx", "noComplete", ORDERS, SPACES, "b64")
    destination, address = ins.operands[:2]
    place, count, verb = barrier_place(emit, ins, address), _operand(emit, ins.operands, 2), ins.modifiers[1]
    if "expect_tx" in ins.modifiers and verb == "arrive":
        verb = "arrive_expect_tx"
    elif "expect_tx" in ins.modifiers:
        emit.call_native("vg_mbarrier_expect_tx", [], [place, count])
        count = constant("i32", 1)
    (token,) = emit.call_native(f"vg_mbarrier_{verb}", ["i64"], [place, count])
    emit.put(destination, token)


@instruction("mbarrier", "expect_tx", writes=0)
@instruction("mbarrier", "complete_tx", writes=0)
def count_bytes(emit: Emitter, ins: Instruction) -> None:
    """Add bytes to wait for, or take them off."""
    require_known(ins, "expect_tx", "complete_tx", ORDERS, SPACES, "b64")
    place = barrier_place(emit, ins, ins.operands[0])
    emit.call_native(f"vg_mbarrier_{ins.modifiers[1]}", [], [place, _operand(emit, ins.operands, 1)])


@instruction("mbarrier", "test_wait")
@instruction("mbarrier", "try_wait")
def test(emit: Emitter, ins: Instruction) -> None:
    """Tell whether the phase of a token, or of a parity, is over."""
    require_known(ins, "test_wait", "try_wait", "parity", ORDERS, SPACES, "b64")
    destination, address, phase = ins.operands[:3]
    emit.yield_soon(polls=frame.POLLS_OWN)
    place = barrier_place(emit, ins, address)
    by_parity = "parity" in ins.modifiers
    name = "vg_mbarrier_test_parity" if by_parity else "vg_mbarrier_test"
    state = emit.get(phase, "b32" if by_parity else "b64")
    (over,) = emit.call_native(name, ["i1"], [place, state])
    emit.put(destination, over)


@instruction("mbarrier", "pending_count")
def pending_count(emit: Emitter, ins: Instruction) -> None:
    """Return the arrivals that a token's phase still waited for."""
    require_known(ins, "pending_count", "b64")
    destination, token = ins.operands
    (count,) = emit.call_native("vg_mbarrier_pending_count", ["i32"], [emit.get(token, "b64")])
    emit.put(destination, count)
