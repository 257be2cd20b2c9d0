"""Branches, barriers, traps and scheduling hints.

Branches, returns and block barriers end basic blocks and are written by `codegen.terminators`; what a barrier
must tell the runtime beforehand is written here.
"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import constant
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction


@instruction("bra", writes=0)
@instruction("brx", writes=0)
@instruction("ret", writes=0)
@instruction("exit", writes=0)
def ends_block(emit: Emitter, ins: Instruction) -> None:
    """Written by `codegen.terminators`."""
    raise AssertionError(ins.opcode)


@instruction("call", writes=0)
def call(emit: Emitter, ins: Instruction) -> None:
    """Calls that could not be replaced by the callee's body."""
    raise unsupported(ins)


@instruction("trap", writes=0)
def trap(emit: Emitter, ins: Instruction) -> None:
    """End the launch with a fault if any lane comes here."""
    emit.call_native("vg_trap", [], [emit.place()])


@instruction("assertfail", writes=0)
def assertion_failed(emit: Emitter, ins: Instruction) -> None:
    """End the launch with a fault if any lane comes here: the device's `assert` failed."""
    emit.call_native("vg_assert", [], [emit.place()])


@instruction("brkpt", writes=0)
@instruction("pmevent", writes=0)
@instruction("setmaxnreg", writes=0)
@instruction("griddepcontrol", writes=0)
def no_effect(emit: Emitter, ins: Instruction) -> None:
    """Nothing."""


@instruction("nanosleep", writes=0)
def sleep(emit: Emitter, ins: Instruction) -> None:
    """Let other warps run."""
    emit.yield_soon(polls=0)


@instruction("bar", "warp", writes=0, waits=0)
def warp_barrier(emit: Emitter, ins: Instruction) -> None:
    """Nothing more than the wait for the members."""


@instruction("bar", writes=0)
@instruction("barrier", writes=0)
def block_barrier(emit: Emitter, ins: Instruction) -> None:
    """Tell the runtime how many threads the barrier waits for, where the instruction says so."""
    if "cluster" in ins.modifiers:
        _cluster_barrier(emit, ins)
        return
    if "arrive" in ins.modifiers:
        number, threads = (emit.get(operand, "u32") for operand in ins.operands)
        emit.call_native("vg_barrier_arrive", [], [number, threads])
    elif len(ins.operands) > 1:
        number, threads = (emit.get(operand, "u32") for operand in ins.operands)
        emit.call_native("vg_barrier_expect", [], [number, threads])


def _cluster_barrier(emit: Emitter, ins: Instruction) -> None:
    if "arrive" in ins.modifiers:
        emit.call_native("vg_cluster_arrive", [], [emit.place()])
    else:
        emit.call_native("vg_cluster_wait", [], [])


@instruction("barvote", "arrive", writes=0)
def vote_at_barrier(emit: Emitter, ins: Instruction) -> None:
    """First half of `bar.red`: vote, then wait. Operands: number, threads (0: all), predicate."""
    number, threads = (emit.get(operand, "u32") for operand in ins.operands[:2])
    emit.call_native("vg_barrier_expect", [], [number, threads])
    emit.call_native("vg_barrier_vote", [], [number, emit.lanes(emit.get(ins.operands[2], "pred"))])


@instruction("barvote")
def read_barrier_vote(emit: Emitter, ins: Instruction) -> None:
    """Second half of `bar.red`: how many threads voted yes, or whether all or any did."""
    number = emit.get(ins.operands[1], "u32")
    votes, voters = emit.call_native("vg_barrier_votes", ["i32", "i32"], [number])
    if "popc" in ins.modifiers:
        emit.put(ins.operands[0], votes)
    elif "and" in ins.modifiers:
        emit.put(ins.operands[0], emit.compare("eq", votes, voters))
    else:
        emit.put(ins.operands[0], emit.compare("ne", votes, constant("i32", 0)))
