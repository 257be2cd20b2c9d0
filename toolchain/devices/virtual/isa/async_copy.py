"""`cp.async`: copies from global to shared memory that land when their thread waits (native/async.c)."""

from cudamaster.toolchain.devices.virtual.codegen import access
from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.mbarrier import SPACES, barrier_place
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Address,
    Instruction,
    Integer,
    Negated,
    Operand,
    Register,
)

CACHE_HINT = "L2_cache_hint"
HINTS = ("L2_64B", "L2_128B", "L2_256B", CACHE_HINT)


def without_hint(ins: Instruction) -> tuple[Operand, ...]:
    """Return the operands without the cache policy, which is the last of an opcode with a hint."""
    return ins.operands[:-1] if CACHE_HINT in ins.modifiers else ins.operands


@instruction("cp", "async", writes=0)
def copy(emit: Emitter, ins: Instruction) -> None:
    """Queue a copy of 4, 8 or 16 bytes; what lies beyond the source size (or is ignored) becomes zero."""
    require_known(ins, "async", "ca", "cg", "shared", "shared_cta", "global", HINTS)
    destination, source, size, *rest = without_hint(ins)
    if not isinstance(size, Integer) or len(rest) > 1 or not {"ca", "cg"} & set(ins.modifiers):
        raise unsupported(ins, "these operands")
    given = constant("i32", size.value)
    if rest:
        given = _source_bytes(emit, rest[0], size.value)
    whole = emit.compare("eq", given, constant("i32", size.value))
    reading = emit.op("and", emit.bit_mask(whole), emit.active_mask())
    sources = emit.addresses(source, "global", "async_copy", size.value, mask=reading, tag=".from")
    mask = _distinct(emit, destination, sources) if emit.mode.watch else None
    places = emit.addresses(destination, "shared", "async_copy", size.value, mask=mask, tag=".to")
    check = int(emit.mode.check)
    emit.call_native("vg_cp_async", [], [places, sources, given, size.value, check])


def _distinct(emit: Emitter, destination: Operand, sources: str) -> Value:
    """Return the mask of lanes that do not repeat a copy, as a library has those do that are left over."""
    if not isinstance(destination, Address):
        raise emit.unsupported(f"the address {destination}")
    places = emit.spill(access.host_address(emit, access.location(emit, destination), "shared"), "distinct")
    return emit.bit_mask(emit.call_native("vg_distinct_copies", ["i1"], [places, sources])[0])


def _source_bytes(emit: Emitter, operand: Operand, size: int) -> Value:
    """Return how many bytes are read: `src-size`, or nothing where the predicate `ignore-src` holds."""
    is_predicate = isinstance(operand, Negated) or (
        isinstance(operand, Register) and emit.kernel.registers.get(operand.name) == "pred"
    )
    if is_predicate:
        return emit.select(emit.get(operand, "pred"), constant("i32", 0), constant("i32", size))
    return emit.intrinsic("llvm.umin", emit.get(operand, "b32"), constant("i32", size))


@instruction("cp", "async", "commit_group", writes=0)
def commit(emit: Emitter, ins: Instruction) -> None:
    """Close each lane's group."""
    require_known(ins, "async", "commit_group")
    emit.call_native("vg_cp_async_commit", [], [])


@instruction("cp", "async", "wait_group", writes=0)
def wait_for_groups(emit: Emitter, ins: Instruction) -> None:
    """Land all but the newest groups."""
    require_known(ins, "async", "wait_group")
    (newest,) = ins.operands
    if not isinstance(newest, Integer):
        raise unsupported(ins, "these operands")
    emit.call_native("vg_cp_async_wait_group", [], [newest.value])


@instruction("cp", "async", "wait_all", writes=0)
def wait_for_all(emit: Emitter, ins: Instruction) -> None:
    """Land everything."""
    require_known(ins, "async", "wait_all")
    emit.call_native("vg_cp_async_wait_all", [], [])


@instruction("cp", "async", "mbarrier", "arrive", writes=0)
def arrive_after_copies(emit: Emitter, ins: Instruction) -> None:
    """Arrive at a barrier once this lane's copies so far have landed."""
    require_known(ins, "async", "mbarrier", "arrive", "noinc", SPACES, "b64")
    place = barrier_place(emit, ins, ins.operands[0])
    emit.call_native("vg_cp_async_mbarrier_arrive", [], [place, int("noinc" in ins.modifiers)])


@instruction("cp", writes=0)
def other_copies(emit: Emitter, ins: Instruction) -> None:
    """What is not known."""
    raise unsupported(ins)
