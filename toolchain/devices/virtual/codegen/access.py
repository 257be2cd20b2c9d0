"""Addresses of memory accesses, one a lane or one for all, their bounds checks and counters."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant, lane_constants
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Integer, Register, Symbol

if TYPE_CHECKING:
    from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter


@dataclass(frozen=True, slots=True)
class Kind:
    """What an access does."""

    name: str
    """`load`, `store`, `atomic`, `ldmatrix`, `async_copy`."""
    bytes_a_lane: int
    aligned: bool = True
    tag: str = ""


def location(emit: "Emitter", address: Address) -> Value:
    """Return where `address` points within its own space: one offset or address, or one a lane."""
    return moved(emit, base_of(emit, address.base), address.offset)


def moved(emit: "Emitter", place: Value, offset: int) -> Value:
    """Return `place` moved by `offset` bytes."""
    return emit.op("add", place, constant(place.type, offset)) if offset else place


def base_of(emit: "Emitter", base: Register | Symbol | Integer) -> Value:
    """Return the base of an address: one offset or address, or one a lane."""
    match base:
        case Register(name):
            if name not in emit.kernel.registers:
                raise emit.unsupported(f"an address in {name}")
            return emit.register(name)
        case Symbol():
            return emit.symbol(base)
        case Integer(value):
            return constant("i64", value)


def host_address(emit: "Emitter", place: Value, space: str) -> Value:
    """Return `place` of `space` as an i64 address of this process."""
    wide = emit.resize(place, "i64")
    if space == "shared_cluster":
        return emit.call_native("vg_cluster_places", ["i64"], [wide, emit.place()])[0]
    window = window_of(emit, space)
    return wide if window is None else emit.op("add", wide, window)


def window_of(emit: "Emitter", space: str) -> Value | None:
    """Return the address of `space` in this process, one a lane for local memory; None where it has none."""
    match space:
        case "shared":
            return emit.field("i64", "%block", frame.BLOCK_SHARED)
        case "param":
            return emit.field("i64", "%block", frame.BLOCK_PARAMETERS)
        case "local":
            first = emit.field("i64", "%warp", frame.WARP_LOCAL)
            steps = [lane * emit.layout.local_bytes for lane in range(LANES)]
            return emit.op("add", first, lane_constants("i64", steps))
    return None


def checked_addresses(
    emit: "Emitter", address: Address, space: str, kind: Kind, mask: Value | None = None
) -> str:
    """Return a pointer to the 32 host addresses; they have been checked and counted as the mode asks."""
    pointer = emit.spill(host_address(emit, location(emit, address), space), f"address{kind.tag}")
    active = mask or emit.active_mask()
    if emit.mode.check and space != "param" and not is_watched(emit, space):
        _check(emit, pointer, space, kind, active)
    count(emit, pointer, space, kind, active)
    return pointer


def _check(emit: "Emitter", pointer: str, space: str, kind: Kind, mask: Value) -> None:
    emit.call_native("vg_check", [], [pointer, site_of(emit, space, kind)], mask=mask)


def is_watched(emit: "Emitter", space: str) -> bool:
    """Whether accesses of `space` are told to the runtime."""
    return emit.mode.watch and space not in ("const", "param")


def count(emit: "Emitter", pointer: str, space: str, kind: Kind, mask: Value) -> None:
    """Count or watch an access in a mode that does; parameter space has no counters."""
    if is_watched(emit, space):
        emit.call_native("vg_watch", [], [pointer, site_of(emit, space, kind)], mask=mask)
    if emit.mode.count and space != "param":
        emit.call_native("vg_count", [], [pointer, site_of(emit, space, kind)], mask=mask)


def site_of(emit: "Emitter", space: str, kind: Kind) -> int:
    """Return the number of this access of the instruction in hand."""
    return emit.site(space, kind.name, kind.bytes_a_lane, kind.tag, aligned=kind.aligned)
