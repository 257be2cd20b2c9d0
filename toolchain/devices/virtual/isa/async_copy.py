"""`cp.async`: copies from global to shared memory that land when their thread waits (native/async.c).

Tensor maps and copies to other blocks of a cluster are not here.
"""

from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.mbarrier import SPACES, barrier_place
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer, Negated, Operand, Register

CACHE_HINT = "L2_cache_hint"
HINTS = ("L2_64B", "L2_128B", "L2_256B", CACHE_HINT)


def _operands(ins: Instruction) -> tuple[Operand, ...]:
    """Return the operands without the cache policy, which is the last of an opcode with a hint."""
    return ins.operands[:-1] if CACHE_HINT in ins.modifiers else ins.operands


@instruction("cp", "async", writes=0)
def copy(emit: Emitter, ins: Instruction) -> None:
    """Queue a copy of 4, 8 or 16 bytes; what lies beyond the source size (or is ignored) becomes zero."""
    require_known(ins, "async", "ca", "cg", "shared", "shared_cta", "global", HINTS)
    destination, source, size, *rest = _operands(ins)
    if not isinstance(size, Integer) or len(rest) > 1 or not {"ca", "cg"} & set(ins.modifiers):
        raise unsupported(ins, "these operands")
    given = constant("i32", size.value)
    if rest:
        given = _source_bytes(emit, rest[0], size.value)
    whole = emit.compare("eq", given, constant("i32", size.value))
    reading = emit.op("and", emit.bit_mask(whole), emit.active_mask())
    sources = emit.addresses(source, "global", "async_copy", size.value, mask=reading, tag=".from")
    places = emit.addresses(destination, "shared", "async_copy", size.value, tag=".to")
    check = int(emit.mode.check)
    emit.call_native("vg_cp_async", [], [places, sources, given, size.value, check])


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
    emit.call_native("vg_cp_async_commit", [], [])


@instruction("cp", "async", "wait_group", writes=0)
def wait_for_groups(emit: Emitter, ins: Instruction) -> None:
    """Land all but the newest groups."""
    (newest,) = ins.operands
    if not isinstance(newest, Integer):
        raise unsupported(ins, "these operands")
    emit.call_native("vg_cp_async_wait_group", [], [newest.value])


@instruction("cp", "async", "wait_all", writes=0)
def wait_for_all(emit: Emitter, ins: Instruction) -> None:
    """Land everything."""
    emit.call_native("vg_cp_async_wait_all", [], [])


@instruction("cp", "async", "mbarrier", "arrive", writes=0)
def arrive_after_copies(emit: Emitter, ins: Instruction) -> None:
    """Arrive at a barrier once this lane's copies so far have landed."""
    require_known(ins, "async", "mbarrier", "arrive", "noinc", SPACES, "b64")
    place = barrier_place(emit, ins, ins.operands[0])
    emit.call_native("vg_cp_async_mbarrier_arrive", [], [place, int("noinc" in ins.modifiers)])


# --- rows of bytes

BULK = (
    "async",
    "bulk",
    "global",
    "shared_cta",
    "shared_cluster",
    "mbarrier_complete_tx_bytes",
    "bulk_group",
    CACHE_HINT,
)
UNIT = 16
"""Bytes to which both sides and the length are aligned; the C helper checks the rest of the row."""


@instruction("cp", "async", "bulk", writes=0)
def copy_row(emit: Emitter, ins: Instruction) -> None:
    """Queue a copy of a row: to shared memory, completing on a barrier, or to global, in a bulk group."""
    require_known(ins, BULK)
    if "mbarrier_complete_tx_bytes" in ins.modifiers and ins.modifiers[4] == "global":
        destination, source, size, barrier = _operands(ins)
        sources = emit.addresses(source, "global", "async_copy", UNIT, tag=".from")
        places = emit.addresses(destination, "shared", "async_copy", UNIT, tag=".to")
        row: list[Value | int | str] = [
            places,
            sources,
            emit.get(size, "b32"),
            barrier_place(emit, ins, barrier, ".on"),
        ]
        emit.call_native("vg_bulk_to_shared", [], row)
    elif "bulk_group" in ins.modifiers:
        destination, source, size = _operands(ins)
        sources = emit.addresses(source, "shared", "async_copy", UNIT, tag=".from")
        places = emit.addresses(destination, "global", "store", UNIT, tag=".to")
        emit.call_native("vg_bulk_to_global", [], [places, sources, emit.get(size, "b32")])
    else:
        raise unsupported(ins)


@instruction("cp", "async", "bulk", "commit_group", writes=0)
def commit_rows(emit: Emitter, ins: Instruction) -> None:
    """Close each lane's bulk group."""
    emit.call_native("vg_bulk_commit", [], [])


@instruction("cp", "async", "bulk", "wait_group", writes=0)
def wait_for_rows(emit: Emitter, ins: Instruction) -> None:
    """Land all but the newest bulk groups."""
    (newest,) = ins.operands
    if not isinstance(newest, Integer):
        raise unsupported(ins, "these operands")
    emit.call_native("vg_bulk_wait_group", [], [newest.value])


@instruction("cp", writes=0)
@instruction("cp", "async", "bulk", "tensor", writes=0)
@instruction("cp", "async", "bulk", "prefetch", writes=0)
@instruction("cp", "reduce", writes=0)
def other_copies(emit: Emitter, ins: Instruction) -> None:
    """Tensor maps, prefetches and reductions."""
    raise unsupported(ins)
