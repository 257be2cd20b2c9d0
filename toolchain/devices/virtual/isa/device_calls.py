"""Calls of the CUDA runtime's device functions (`analysis.builtins`), stacks, and memory from `alloca`."""

from cudamaster.toolchain.devices.virtual.codegen import load_store
from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Instruction, Operand


def _passed(emit: Emitter, place: Operand) -> Value:
    """Return the 64-bit argument in a call parameter."""
    assert isinstance(place, Address)
    (value,) = load_store.load(emit, place, "local", (8, 1))
    return emit.lanes(value)


def _return(emit: Emitter, place: Operand, value: Value, size: int) -> None:
    assert isinstance(place, Address)
    load_store.store(emit, place, "local", (size, 1), [value])


@instruction("devicecall", "vprintf", writes=0)
def print_formatted(emit: Emitter, ins: Instruction) -> None:
    """Print a line for each lane; operands: the places of the result, the format, the arguments' address."""
    result, *given = ins.operands
    values = [_passed(emit, place) for place in given]
    (count,) = emit.call_native("vg_vprintf", ["i32"], values)
    _return(emit, result, count, 4)


@instruction("devicecall", "malloc", writes=0)
def allocate(emit: Emitter, ins: Instruction) -> None:
    """Take memory from the device's heap; null where it is used up."""
    result, size = ins.operands
    (pointer,) = emit.call_native("vg_malloc", ["i64"], [_passed(emit, size)])
    _return(emit, result, pointer, 8)


@instruction("devicecall", "free", writes=0)
def release(emit: Emitter, ins: Instruction) -> None:
    """Give memory back to the device's heap."""
    emit.call_native("vg_free_memory", [], [_passed(emit, ins.operands[0])])


@instruction("stackcheck", writes=0)
def check_stack(emit: Emitter, ins: Instruction) -> None:
    """End the launch with a fault where a lane's stack, the first operand, lies above the second."""
    top, limit = (emit.get(operand, "b64") for operand in ins.operands)
    above = emit.bit_mask(emit.compare("ugt", top, limit))
    overflowing = emit.op("and", above, emit.active_mask())
    emit.call_native("vg_stack_overflow", [], [emit.place()], mask=overflowing)
