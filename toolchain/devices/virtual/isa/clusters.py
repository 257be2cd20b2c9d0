"""Shared memory of other blocks of a cluster: its addresses, and stores that complete on an mbarrier there.

An address of it is a block's own offset, or as `mapa` makes it (native/clusters.c).
"""

from cudamaster.toolchain.devices.virtual.codegen import frame, load_store
from cudamaster.toolchain.devices.virtual.codegen.emitter import LLVM_TYPES, Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import Value, constant
from cudamaster.toolchain.devices.virtual.isa.atomics import update_places
from cudamaster.toolchain.devices.virtual.isa.mbarrier import barrier_place
from cudamaster.toolchain.devices.virtual.isa.memory import address_operand, form_of, items_of
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import TYPE_BYTES, Instruction, Operand

SPACE = "shared_cluster"
RANK_AT = 24
"""The bit from which on an address has the rank of its block, plus one; 0 stands for the own block."""


@instruction("mapa")
def map_to_rank(emit: Emitter, ins: Instruction) -> None:
    """Return the address of the same place in the shared memory of another block."""
    require_known(ins, SPACE, "u32", "u64")
    destination, address, rank = ins.operands
    name = "vg_mapa_shared" if SPACE in ins.modifiers else "vg_mapa"
    inputs: list[Value | int | str] = [_wide(emit, address, ins), emit.get(rank, "b32"), emit.place()]
    (place,) = emit.call_native(name, ["i64"], inputs)
    emit.put(destination, emit.resize(place, LLVM_TYPES[ins.type]))


def _wide(emit: Emitter, operand: Operand, ins: Instruction) -> Value:
    return emit.resize(emit.get(operand, ins.type), "i64")


@instruction("getctarank")
def rank_of(emit: Emitter, ins: Instruction) -> None:
    """Return the rank of the block in whose shared memory an address lies."""
    require_known(ins, SPACE, "u32", "u64")
    destination, operand = ins.operands
    address = _wide(emit, operand, ins)
    if SPACE not in ins.modifiers:
        (rank,) = emit.call_native("vg_cluster_ranks", ["i32"], [address])
    else:
        upper = emit.resize(emit.op("lshr", address, constant("i64", RANK_AT)), "i32")
        own = emit.load("i32", emit.offset("%block", frame.BLOCK_CLUSTER_CTARANK))
        is_own = emit.compare("eq", upper, constant("i32", 0))
        rank = emit.select(is_own, own, emit.op("sub", upper, constant("i32", 1)))
    emit.put(destination, rank)


@instruction("cvta", SPACE)
def convert_address(emit: Emitter, ins: Instruction) -> None:
    """Convert an address of the cluster's shared memory to a generic one, or back (`.to`)."""
    address = _wide(emit, ins.operands[1], ins)
    if "to" in ins.modifiers:
        (converted,) = emit.call_native("vg_to_cluster_shared", ["i64"], [address])
    else:
        (converted,) = emit.call_native("vg_cluster_places", ["i64"], [address, emit.place()])
    emit.put(ins.operands[0], emit.resize(converted, LLVM_TYPES[ins.type]))


@instruction("isspacep", SPACE)
def is_address_of(emit: Emitter, ins: Instruction) -> None:
    """Whether a generic address lies in the shared memory of a block of the cluster."""
    (inside,) = emit.call_native("vg_is_cluster_shared", ["i1"], [emit.get(ins.operands[1], "u64")])
    emit.put(ins.operands[0], inside)


ASYNC_WORDS = ("async", "weak", "relaxed", "cluster", SPACE, "mbarrier_complete_tx_bytes")


@instruction("st", "async", writes=0)
def store(emit: Emitter, ins: Instruction) -> None:
    """Store to another block's shared memory, and count the bytes on a barrier there: both at once."""
    require_known(ins, ASYNC_WORDS, "v2", "v4", TYPE_BYTES)
    address, source, barrier = ins.operands
    form = form_of(ins)
    values = [emit.get(item, f"b{8 * form[0]}") for item in items_of(source)]
    load_store.store(emit, address_operand(ins, address), SPACE, form, values)
    _complete(emit, ins, barrier, form[0] * form[1])


@instruction("red", "async", writes=0)
def update(emit: Emitter, ins: Instruction) -> None:
    """Update another block's shared memory, and count the bytes on a barrier there: both at once."""
    if "mbarrier_complete_tx_bytes" not in ins.modifiers:
        raise unsupported(ins)
    address, source, barrier = ins.operands
    plain = Instruction(
        ".".join(word for word in ins.modifiers if word not in ("async", "mbarrier_complete_tx_bytes")),
        (address, source),
        ins.guard,
        ins.source,
    )
    update_places(emit, plain, address, [source])
    _complete(emit, ins, barrier, TYPE_BYTES[ins.type])


def _complete(emit: Emitter, ins: Instruction, barrier: Operand, count: int) -> None:
    place = barrier_place(emit, ins, barrier, ".on", SPACE)
    emit.call_native("vg_mbarrier_complete_tx", [], [place, constant("i32", count)])
