"""Loads and stores whose lanes access in a row: the shape of a warp's addresses, and if they are good.

Both halves of a warp are tried as vector accesses (sixteen addresses in a row) or scalar ones (all the same);
all else goes to the C library lane by lane. A shape is found once for all accesses off the same base. A check
compares with the allocation that the same instruction met last, and asks the C library where that fails.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.access import (
    Kind,
    base_of,
    count,
    host_address,
    is_watched,
    moved,
    site_of,
)
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant, lane_constants
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Register

if TYPE_CHECKING:
    from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter

HALF = 16
SCATTERED = ("local", "shared_cluster")
"""Spaces whose addresses follow each other in this process for one lane, or one block, only."""
INTEGERS = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}


@dataclass(frozen=True, slots=True)
class Shape:
    """How the addresses of a warp's two halves lie."""

    firsts: tuple[Value, Value]
    """Of lanes 0 and 16."""
    in_row: Value
    """Whether each half's lanes follow each other at the access's stride."""
    same: Value | None
    """Whether each half's lanes have one address; None where that is only worth finding out when needed."""


class Access:
    """One load or store of `count` elements of `element_bytes` a lane."""

    def __init__(
        self, emit: "Emitter", address: Address, space: str, name: str, form: tuple[int, int]
    ) -> None:
        self.emit, self.space, self.name, self.address = emit, space, name, address
        self.element_bytes, self.count = form
        self.stride = self.element_bytes * self.count
        self.type = INTEGERS[self.element_bytes]
        self.base = base_of(emit, address.base)
        self.kind = Kind(name, self.stride)
        self.checked = emit.mode.check and space != "param"
        self.counted = emit.mode.count and space not in ("const", "param")
        self.takes_turns = emit.mode.count and space == "const"
        """Whether to count how many addresses its lanes have, which is slow, and needless where it is one."""
        self.number = site_of(emit, space, self.kind) if space != "param" else -1
        self.watched = is_watched(emit, space)
        self._written: dict[str, Value] = {}
        self._units: dict[str, Value] = {}

    @property
    def in_rows(self) -> bool:
        """Whether the sixteen-lane fast paths apply."""
        return self.base.lanes and self.emit.all_lanes and self.space not in SCATTERED and not self.watched

    @property
    def is_scalar(self) -> bool:
        """Whether all lanes surely access one address, and at least one lane does."""
        return (
            not self.base.lanes and not self.emit.guarded and self.space not in SCATTERED and not self.watched
        )

    @property
    def place(self) -> Value:
        """Where the access is, within its space."""
        return moved(self.emit, self.base, self.address.offset)

    def spilled(self) -> str:
        """Return a pointer to the 32 host addresses."""
        return self.emit.spill(host_address(self.emit, self.place, self.space), "address")

    def count_each(self) -> None:
        """Count the access by the addresses of its lanes, or have it watched."""
        if self.counted or self.watched or self.takes_turns:
            count(self.emit, self.spilled(), self.space, self.kind, self.emit.active_mask())

    def make_room(self) -> None:
        """Make sure that there is room for one more access that is to be counted later."""
        emit = self.emit
        if not self.counted:
            return
        if emit.pending_room == 0:
            emit.pending_room = frame.PENDING_ROOM
            pending, full = (
                emit.load("ptr", emit.offset("%block", place))
                for place in (frame.BLOCK_PENDING, frame.BLOCK_PENDING_FULL)
            )
            is_full = Value(emit.raw(f"icmp ugt {pending.typed}, {full.text}"), "i1")
            count, go = emit.new_label(), emit.new_label()
            emit.line(f"br i1 {is_full.text}, label %{count}, label %{go}, !prof !0")
            emit.label(count)
            emit.declarations["vg_count_pending"] = "declare void @vg_count_pending(ptr)"
            emit.line("call void @vg_count_pending(ptr %block)")
            emit.line(f"br label %{go}")
            emit.label(go)
        emit.pending_room -= 1

    def count_halves(self, firsts: tuple[Value, Value], lanes: int) -> None:
        """Have the access of all lanes counted, by two places from each of which `lanes` are in a row.

        `make_room` comes before, where control surely comes through.
        """
        if not self.counted:
            return
        emit = self.emit
        pending = emit.load("ptr", emit.offset("%block", frame.BLOCK_PENDING)).text
        low, high = (host_address(emit, first, self.space) for first in firsts)
        emit.store(low, pending)
        emit.store(high, emit.offset(pending, frame.PENDING_HIGH))
        emit.store(constant("i32", self.number), emit.offset(pending, frame.PENDING_SITE))
        emit.store(constant("i32", lanes * self.stride), emit.offset(pending, frame.PENDING_SPAN))
        following = Value(emit.offset(pending, frame.PENDING_BYTES), "ptr")
        emit.store(following, emit.offset("%block", frame.BLOCK_PENDING))

    def call(self, buffer: str, mask: Value) -> None:
        """Let the C library load to, or store from, `buffer`: all first elements, all second elements …"""
        verb = "load" if self.name == "load" else "store"
        name = f"vg_{verb}_{self.element_bytes}x{self.count}"
        site = self.number if self.checked else -1
        self.emit.call_native(name, [], [buffer, self.spilled(), site], mask=mask)

    def data(self) -> str:
        """Return the buffer that `call` uses."""
        return self.emit.buffer("data", "i64", 4 * LANES)

    def fits(self, place: Value, lanes: int) -> Value | None:
        """Return an i1 that tells if `lanes` accesses in a row from scalar `place` are surely good.

        What an earlier call wrote is used again: calls must come in the order in which control does.
        """
        if not self.checked:
            return None
        if place.text not in self._units:
            self._units[place.text] = self._unit(place)
        emit, unit = self.emit, self._units[place.text]
        if self.space == "shared":
            end = emit.op("add", unit, constant("i64", lanes))
            return emit.compare("ule", end, self._limit(lanes))
        return emit.compare("ult", unit, self._limit(lanes))

    def _unit(self, place: Value) -> Value:
        """Return how far inside its allocation `place` is, in accesses; what is misaligned is huge."""
        emit, shift = self.emit, self.stride.bit_length() - 1
        offset = emit.resize(place, "i64")
        if self.space != "shared":
            offset = emit.op("sub", offset, self._known("low", lambda: emit.load("i64", self._range())))
        return emit.intrinsic("llvm.fshr", offset, offset, constant("i64", shift)) if shift else offset

    def _limit(self, lanes: int) -> Value:
        """Return how many places there are for `lanes` accesses in a row; in shared memory, for one."""
        emit = self.emit
        if self.space == "shared":
            return self._known("size", self._shared_places)
        offset = frame.RANGE_LANE if lanes == 1 else frame.RANGE_HALF
        return self._known(f"limit {lanes}", lambda: emit.load("i64", emit.offset(self._range(), offset)))

    def _shared_places(self) -> Value:
        size = self.emit.resize(self.emit.field("i32", "%block", frame.BLOCK_SHARED_BYTES), "i64")
        return self.emit.op("lshr", size, constant("i64", self.stride.bit_length() - 1))

    def _range(self) -> str:
        """Return a pointer to the allocation that the same instruction met last."""
        ranges = self.emit.field("ptr", "%block", frame.BLOCK_RANGES)
        place = frame.RANGE_BYTES * self.number
        return self._known("range", lambda: Value(self.emit.offset(ranges.text, place), "ptr")).text

    def _known(self, name: str, write: Callable[[], Value]) -> Value:
        if name not in self._written:
            self._written[name] = write()
        return self._written[name]

    def pointer(self, place: Value) -> str:
        """Return the host pointer of a scalar place."""
        if self.space != "shared":
            return self.emit.raw(f"inttoptr i64 {host_address(self.emit, place, self.space).text} to ptr")
        window = self.emit.field("ptr", "%block", frame.BLOCK_SHARED)
        return self.emit.offset(window.text, self.emit.resize(place, "i64").text)

    def firsts(self, shape: Shape) -> tuple[Value, Value]:
        """Return where lanes 0 and 16 access."""
        low, high = (moved(self.emit, first, self.address.offset) for first in shape.firsts)
        return low, high


def shape_of(access: Access) -> Shape:
    """Return the shape of the lanes' addresses, found before if the base was used before in this block."""
    emit = access.emit
    key = (access.base.text, access.stride)
    if key not in emit.shapes:
        emit.shapes[key] = _find_shape(access)
    return emit.shapes[key]


def _find_shape(access: Access) -> Shape:
    emit, base = access.emit, access.base
    low, high = (Value(emit.raw(f"extractelement {base.typed}, i64 {lane}"), base.type) for lane in (0, HALF))
    steps = lane_constants(base.type, [lane % HALF * access.stride for lane in range(LANES)])
    in_row = _equal(access, emit.op("add", _spread(access), steps))
    name = access.address.base.name if isinstance(access.address.base, Register) else ""
    again = emit.base_uses.get(name, 0) > 1 and access.name == "load"
    return Shape((low, high), in_row, _equal(access, _spread(access)) if again else None)


def _spread(access: Access) -> Value:
    """Return lane 0's base in the lower half and lane 16's in the upper."""
    base = access.base
    order = ", ".join(f"i32 {HALF * (lane // HALF)}" for lane in range(LANES))
    shuffled = f"shufflevector {base.typed}, {base.full_type} poison, <{LANES} x i32> <{order}>"
    return Value(access.emit.raw(shuffled), base.type, lanes=True)


def _equal(access: Access, wanted: Value) -> Value:
    emit = access.emit
    bits = emit.bit_mask(emit.compare("eq", access.base, wanted))
    return emit.compare("eq", bits, constant("i32", -1))


def branch_on_shape(access: Access, shape: Shape, labels: tuple[str, str, str]) -> None:
    """Branch to `labels`: each half's addresses are in a row, the same, or neither (or not surely good)."""
    row, same, other = labels
    not_in_row = other if same == other else access.emit.new_label()
    _branch(access, shape, HALF, row, not_in_row)
    if same != other:
        access.emit.label(not_in_row)
        _branch(access, shape, 1, same, other)


def _branch(access: Access, shape: Shape, lanes: int, yes: str, no: str) -> None:
    emit = access.emit
    result = shape.in_row if lanes == HALF else shape.same or _equal(access, _spread(access))
    for first in access.firsts(shape):
        fits = access.fits(first, lanes)
        if fits is not None:
            result = emit.op("and", result, fits)
    emit.line(f"br i1 {result.text}, label %{yes}, label %{no}")


def half_of(emit: "Emitter", value: Value, half: int) -> str:
    """Return lanes 0 to 15 or 16 to 31 as a `<16 x type>`."""
    lanes = ", ".join(f"i32 {HALF * half + i}" for i in range(HALF))
    return emit.raw(f"shufflevector {value.typed}, {value.full_type} poison, <{HALF} x i32> <{lanes}>")
