"""Memory accesses: addresses, bounds checks, counters, and fast paths for lanes that access in a row.

Sixteen lanes at a time are tried as one vector access (addresses in a row) or one scalar access (all the
same); all else goes to the C library lane by lane. A check compares with the allocation that the same
instruction met last, and asks the C library where that fails.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant, lane_constants
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Integer, Register, Symbol

if TYPE_CHECKING:
    from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter

HALF = 16
INTEGERS = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}
CHECKED_SPACES = frozenset({"global", "const", "generic"})
"""Spaces whose addresses are looked up in the allocation table."""


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
    base = _base(emit, address.base)
    return emit.op("add", base, constant(base.type, address.offset)) if address.offset else base


def _base(emit: "Emitter", base: Register | Symbol | Integer) -> Value:
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
    if space == "shared":
        return emit.op("add", wide, pointer_field(emit, "%block", frame.BLOCK_SHARED))
    if space == "param":
        return emit.op("add", wide, pointer_field(emit, "%block", frame.BLOCK_PARAMETERS))
    if space == "local":
        return emit.op("add", wide, local_window(emit))
    return wide


def local_window(emit: "Emitter") -> Value:
    """Return the address of each lane's local memory."""
    first = pointer_field(emit, "%warp", frame.WARP_LOCAL)
    return emit.op(
        "add", first, lane_constants("i64", [lane * emit.layout.local_bytes for lane in range(LANES)])
    )


def pointer_field(emit: "Emitter", structure: str, offset: int) -> Value:
    """Return a pointer field of `%warp` or `%block` as an i64."""
    return emit.load("i64", emit.offset(structure, offset))


def checked_addresses(
    emit: "Emitter", address: Address, space: str, kind: Kind, mask: Value | None = None
) -> str:
    """Return a pointer to the 32 host addresses; they have been checked and counted as the mode asks."""
    pointer = emit.spill(host_address(emit, location(emit, address), space), f"address{kind.tag}")
    active = mask or emit.active_mask()
    if emit.mode.check and space != "param":
        _check(emit, pointer, space, kind, active)
    count(emit, pointer, space, kind, active)
    return pointer


def _check(emit: "Emitter", pointer: str, space: str, kind: Kind, mask: Value) -> None:
    emit.call_native("vg_check", [], [pointer, site_of(emit, space, kind)], mask=mask)


def count(emit: "Emitter", pointer: str, space: str, kind: Kind, mask: Value) -> None:
    """Count an access in a counting mode; constant and parameter space have no counters."""
    if emit.mode.count and space not in ("const", "param"):
        emit.call_native("vg_count", [], [pointer, site_of(emit, space, kind)], mask=mask)


def site_of(emit: "Emitter", space: str, kind: Kind) -> int:
    """Return the number of this access of the instruction in hand."""
    return emit.site(space, kind.name, kind.bytes_a_lane, kind.tag, aligned=kind.aligned)


class Access:
    """One load or store of `count` elements of `element_bytes` a lane."""

    def __init__(
        self, emit: "Emitter", address: Address, space: str, name: str, form: tuple[int, int]
    ) -> None:
        self.emit, self.space, self.name = emit, space, name
        self.element_bytes, self.count = form
        self.stride = self.element_bytes * self.count
        self.type = INTEGERS[self.element_bytes]
        self.kind = Kind(name, self.stride)
        self.place = location(emit, address)
        self.checked = emit.mode.check and space != "param"
        self.number = site_of(emit, space, self.kind) if space != "param" else -1
        if emit.mode.count and space not in ("const", "param"):
            count(emit, self.spilled(), space, self.kind, emit.active_mask())

    @property
    def in_rows(self) -> bool:
        """Whether the sixteen-lane fast paths apply."""
        return self.place.lanes and self.emit.all_lanes and self.space != "local"

    @property
    def is_scalar(self) -> bool:
        """Whether all lanes surely access one address, and at least one lane does."""
        return not self.place.lanes and not self.emit.guarded and self.space != "local"

    def spilled(self) -> str:
        """Return a pointer to the 32 host addresses."""
        return self.emit.spill(host_address(self.emit, self.place, self.space), "address")

    def call(self, buffer: str, mask: Value) -> None:
        """Let the C library load to, or store from, `buffer`: all first elements, all second elements …"""
        verb = "load" if self.name == "load" else "store"
        name = f"vg_{verb}_{self.element_bytes}x{self.count}"
        site = self.number if self.checked else -1
        self.emit.call_native(name, [], [buffer, self.spilled(), site], mask=mask)

    def data(self) -> str:
        """Return the buffer that `call` uses."""
        return self.emit.buffer("data", "i64", 4 * LANES)

    def fits(self, place: Value, lanes: int) -> str | None:
        """Return an i1 that tells if `lanes` accesses in a row from scalar `place` are surely good."""
        if not self.checked:
            return None
        emit, shift = self.emit, self.stride.bit_length() - 1
        wide = emit.resize(place, "i64")
        if self.space == "shared":
            size = emit.resize(emit.load("i32", emit.offset("%block", frame.BLOCK_SHARED_BYTES)), "i64")
            end = emit.op("add", _rotate(emit, wide, shift), constant("i64", lanes))
            return emit.compare("ule", end, emit.op("lshr", size, constant("i64", shift))).text
        site = emit.offset(emit.load_pointer("%block", frame.BLOCK_RANGES), frame.RANGE_BYTES * self.number)
        offset = emit.op("sub", wide, emit.load("i64", site))
        limit = emit.load("i64", emit.offset(site, frame.RANGE_LANE if lanes == 1 else frame.RANGE_HALF))
        return emit.compare("ult", _rotate(emit, offset, shift), limit).text

    def pointer(self, place: Value) -> str:
        """Return the host pointer of a scalar place."""
        return self.emit.raw(f"inttoptr i64 {host_address(self.emit, place, self.space).text} to ptr")


def _rotate(emit: "Emitter", value: Value, shift: int) -> Value:
    """Divide by the alignment; what is misaligned becomes huge."""
    return emit.intrinsic("llvm.fshr", value, value, constant("i64", shift)) if shift else value


def half_of(emit: "Emitter", value: Value, half: int) -> str:
    """Return lanes 0 to 15 or 16 to 31 as a `<16 x type>`."""
    lanes = ", ".join(f"i32 {HALF * half + i}" for i in range(HALF))
    return emit.raw(f"shufflevector {value.typed}, {value.full_type} poison, <{HALF} x i32> <{lanes}>")


def branch_on_shape(emit: "Emitter", access: Access, half: int, labels: tuple[str, str, str]) -> Value:
    """Branch to `labels` (in a row, all the same, neither); return the scalar place of the first lane."""
    row, same, other = labels
    kind = access.place.type
    places = half_of(emit, access.place, half)
    first = Value(emit.raw(f"extractelement <{HALF} x {kind}> {places}, i64 0"), kind)
    single = emit.raw(f"insertelement <{HALF} x {kind}> poison, {first.typed}, i64 0")
    every = emit.raw(
        f"shufflevector <{HALF} x {kind}> {single}, <{HALF} x {kind}> poison, <{HALF} x i32> zeroinitializer"
    )
    steps = ", ".join(f"{kind} {i * access.stride}" for i in range(HALF))
    in_row = emit.raw(f"add <{HALF} x {kind}> {every}, <{steps}>")
    not_in_row = other if same == other else emit.new_label()
    _branch(emit, (kind, places, in_row), access.fits(first, HALF), row, not_in_row)
    if same != other:
        emit.label(not_in_row)
        _branch(emit, (kind, places, every), access.fits(first, 1), same, other)
    return first


def _branch(emit: "Emitter", compared: tuple[str, str, str], fits: str | None, yes: str, no: str) -> None:
    kind, left, right = compared
    equal = emit.raw(f"icmp eq <{HALF} x {kind}> {left}, {right}")
    bits = emit.raw(f"bitcast <{HALF} x i1> {equal} to i16")
    all_equal = emit.raw(f"icmp eq i16 {bits}, -1")
    if fits is not None:
        all_equal = emit.raw(f"and i1 {all_equal}, {fits}")
    emit.line(f"br i1 {all_equal}, label %{yes}, label %{no}")
