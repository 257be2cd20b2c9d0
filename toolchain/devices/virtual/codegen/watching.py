"""What watched code tells the runtime besides its accesses: where the lanes of a warp wait for each other."""

from typing import TYPE_CHECKING

from cudamaster.toolchain.devices.virtual.isa.registry import lookup
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Kernel

if TYPE_CHECKING:
    from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter

FENCES = frozenset({"fence", "membar"})
ORDERING = frozenset({"acquire", "release", "acq_rel", "cluster"})


def tell_ordering(emit: "Emitter", instruction: Instruction) -> None:
    """Tell that the lanes which run `instruction` have waited for each other, if it makes them."""
    if emit.mode.watch and lookup(instruction).waits is not None:
        emit.call_native("vg_watch_warp", [], [])


def has_fences(kernel: Kernel) -> bool:
    """Whether atomics and volatile accesses may order others: with fences, ordered ones, or clusters."""
    return any(
        i.base in FENCES or not ORDERING.isdisjoint(i.modifiers) for block in kernel.blocks for i in block
    )
