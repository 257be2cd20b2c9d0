"""`cp.async.bulk` and `cp.reduce.async.bulk`: rows of bytes (native/bulk.c), parts of tensors.

Copies to shared memory complete on an mbarrier, those to global memory in a bulk group. Not here: gather,
scatter and im2col::w modes, byte masks.
"""

import re
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.codegen import access
from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant
from cudamaster.toolchain.devices.virtual.isa.async_copy import CACHE_HINT, without_hint
from cudamaster.toolchain.devices.virtual.isa.atomics import KNOWN
from cudamaster.toolchain.devices.virtual.isa.mbarrier import barrier_place
from cudamaster.toolchain.devices.virtual.isa.modifiers import require_known
from cudamaster.toolchain.devices.virtual.isa.registry import instruction, unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Address,
    Instruction,
    Integer,
    Operand,
    Symbol,
    Vector,
)

ROW_BYTES, ELEMENT_BYTES = 16, 4
"""What the sites of rows, and of parts of tensors in global memory, count as one lane's access."""
MULTICAST = "multicast_cluster"
ON_BARRIER = "mbarrier_complete_tx_bytes"
IN_GROUP = "bulk_group"
SPACES = {"global": "global", "shared_cta": "shared", "shared_cluster": "shared_cluster"}
REDUCTIONS = ("add", "min", "max", "inc", "dec", "and", "or", "xor")
ELEMENTS = {
    "u32": 2, "b32": 2, "s32": 3, "u64": 4, "b64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9,
}  # fmt: skip
"""Numbered like CUtensorMapDataType."""
ELEMENT_BITS = 4
COPIES = -1
"""Stands for the reduction of what is none."""
DIMENSIONS = re.compile(r"([1-5])d")
IM2COL, WITHOUT_OFFSETS = "im2col", "im2col_no_offs"
NOT_OF_PIXELS = 2
"""Dimensions that have no offsets: channels and images."""
IM2COL_FORM = 8
"""Added to the rank, as in native/tensor_copy.c."""
MOST_NUMBERS = 8
"""Coordinates and offsets of five dimensions."""


@dataclass(frozen=True, slots=True)
class _Form:
    """What an opcode says."""

    to_space: str
    from_space: str
    reduction: int
    """`COPIES`, or the number of an operation with that of an element."""


def _form(ins: Instruction, *words: str) -> _Form:
    """Return the form of an opcode whose other modifiers are `words`; raise Unsupported without one."""
    reduces = "reduce" in ins.modifiers
    require_known(ins, SPACES, words, ON_BARRIER, IN_GROUP, CACHE_HINT, "async", "bulk", "reduce")
    spaces = [SPACES[word] for word in ins.modifiers if word in SPACES]
    if len(spaces) != 2 or (ON_BARRIER in ins.modifiers) == (IN_GROUP in ins.modifiers):
        raise unsupported(ins)
    to_space, from_space = spaces
    is_store = (to_space, from_space) == ("global", "shared")
    if is_store != (IN_GROUP in ins.modifiers) or (not is_store and to_space == "global"):
        raise unsupported(ins)
    return _Form(to_space, from_space, _reduction(ins) if reduces else COPIES)


def _reduction(ins: Instruction) -> int:
    operation, element = ins.modifiers[-2:] if "noftz" not in ins.modifiers else ins.modifiers[-3::2]
    if operation not in REDUCTIONS or element not in ELEMENTS:
        raise unsupported(ins)
    kind = {"s32": "u32", "s64": "u64"}.get(element, element) if operation == "add" else element
    if f"{operation}_{kind}" not in KNOWN:
        raise unsupported(ins)
    return REDUCTIONS.index(operation) << ELEMENT_BITS | ELEMENTS[element]


def _place(emit: Emitter, operand: Operand, space: str, tag: str) -> str:
    """Return the host addresses, which the C helper checks as far as the copy goes."""
    if not isinstance(operand, Address):
        raise emit.unsupported(f"the address {operand}")
    place = access.host_address(emit, access.location(emit, operand), space)
    return emit.spill(place, f"bulk.{tag}")


def _sites(emit: Emitter, form: _Form, global_bytes: int) -> tuple[int, int]:
    """Return the numbers of the accesses to the source and to the destination."""
    is_tensor = global_bytes != ROW_BYTES
    source_kind = "async_copy" if form.from_space == "global" else "load"
    if form.reduction != COPIES:
        target_kind = "atomic"
    else:
        target_kind = "store" if form.to_space == "global" else "async_copy"
    numbers = []
    for space, kind, tag in ((form.from_space, source_kind, ".from"), (form.to_space, target_kind, ".to")):
        is_global = space == "global"
        width = global_bytes if is_global else ROW_BYTES
        numbers.append(emit.site(space, kind, width, tag, aligned=not (is_global and is_tensor)))
    return numbers[0], numbers[1]


def _ranks(emit: Emitter, ins: Instruction, rest: list[Operand]) -> str:
    """Return the pointer to the blocks that a copy goes to, `null` for the one that is addressed."""
    if (MULTICAST in ins.modifiers) != (len(rest) == 1):
        raise unsupported(ins, "these operands")
    if not rest:
        return "null"
    ranks = emit.op("and", emit.get(rest[0], "b32"), constant("i32", 0xFFFF))
    return emit.spill(ranks, "bulk.ranks")


@instruction("cp", "async", "bulk", writes=0)
@instruction("cp", "reduce", "async", "bulk", writes=0)
def copy_row(emit: Emitter, ins: Instruction) -> None:
    """Queue a copy of a row of bytes, or an update by them."""
    reduction_words = (*REDUCTIONS, *ELEMENTS, "noftz") if "reduce" in ins.modifiers else ()
    form = _form(ins, MULTICAST, *reduction_words)
    destination, source, size, *rest = without_hint(ins)
    sites, barrier = _sites(emit, form, ROW_BYTES), "null"
    if ON_BARRIER in ins.modifiers:
        barrier = barrier_place(emit, ins, rest.pop(0), ".on", "shared_cluster")
    row: list[Value | int | str] = [
        _place(emit, destination, form.to_space, "to"),
        _place(emit, source, form.from_space, "from"),
        emit.get(size, "b32"),
        barrier,
        _ranks(emit, ins, rest),
        form.reduction,
        *sites,
    ]
    emit.call_native("vg_bulk_copy", [], row)


@instruction("cp", "async", "bulk", "tensor", writes=0)
@instruction("cp", "reduce", "async", "bulk", "tensor", writes=0)
def copy_box(emit: Emitter, ins: Instruction) -> None:
    """Queue a copy of a part of a tensor, or an update of it."""
    rank = next((int(match[1]) for word in ins.modifiers if (match := DIMENSIONS.fullmatch(word))), 0)
    reduces = "reduce" in ins.modifiers
    operation = next((word for word in ins.modifiers if word in REDUCTIONS), "")
    if not rank or reduces != bool(operation):
        raise unsupported(ins)
    form = _box_form(
        ins, (*REDUCTIONS, "tensor", "tile", IM2COL, WITHOUT_OFFSETS, f"{rank}d", MULTICAST), operation
    )
    if form.to_space == "global":
        _store_box(emit, ins, form, rank)
    else:
        _load_box(emit, ins, form, rank)


def _box_form(ins: Instruction, words: tuple[str, ...], operation: str) -> _Form:
    if not operation:
        return _form(ins, *words)
    kept = [word for word in ins.modifiers if word not in ("reduce", operation)]
    form = _form(Instruction(".".join(kept), (), None, ins.source), *words)
    return _Form(form.to_space, form.from_space, REDUCTIONS.index(operation) << ELEMENT_BITS)


def _load_box(emit: Emitter, ins: Instruction, form: _Form, rank: int) -> None:
    destination, tensor, barrier, *rest = without_hint(ins)
    offsets: tuple[Operand, ...] = ()
    if IM2COL in ins.modifiers:
        offsets = _items(ins, rest.pop(0) if rest else barrier, rank - NOT_OF_PIXELS)
    elif WITHOUT_OFFSETS in ins.modifiers:
        raise unsupported(ins)
    box, sites = _box(emit, ins, tensor, rank, offsets), _sites(emit, form, ELEMENT_BYTES)
    on = barrier_place(emit, ins, barrier, ".on", "shared_cluster")
    places = [_place(emit, destination, form.to_space, "to"), *box, on, _ranks(emit, ins, rest)]
    emit.call_native("vg_tensor_load", [], [*places, _mode(ins, rank), *sites])


def _store_box(emit: Emitter, ins: Instruction, form: _Form, rank: int) -> None:
    tensor, source, *rest = without_hint(ins)
    if rest or IM2COL in ins.modifiers:
        raise unsupported(ins, "these operands")
    no_offsets = (Integer(0),) * max(0, rank - NOT_OF_PIXELS)
    places = [*_box(emit, ins, tensor, rank, no_offsets), _place(emit, source, form.from_space, "from")]
    numbers = [form.reduction, _mode(ins, rank), *_sites(emit, form, ELEMENT_BYTES)]
    emit.call_native("vg_tensor_store", [], [*places, *numbers])


def _mode(ins: Instruction, rank: int) -> int:
    """Return the rank, with what stands for im2col added to it."""
    if not {IM2COL, WITHOUT_OFFSETS} & set(ins.modifiers):
        return rank
    if rank <= NOT_OF_PIXELS:
        raise unsupported(ins, "this rank")
    return rank + IM2COL_FORM


def _items(ins: Instruction, operand: Operand, count: int) -> tuple[Operand, ...]:
    match operand:
        case Vector(items) if len(items) == count:
            return items
        case _:
            raise unsupported(ins, "these operands")


def _box(
    emit: Emitter, ins: Instruction, tensor: Operand, rank: int, offsets: tuple[Operand, ...]
) -> tuple[str, str]:
    """Return pointers to the addresses of the tensor maps, and to the coordinates and then the offsets."""
    match tensor:
        case Vector((Address() as place, coordinates)):
            numbers = [emit.get(item, "b32") for item in _items(ins, coordinates, rank)]
        case _:
            raise unsupported(ins, "these operands")
    named = isinstance(place.base, Symbol) and place.base.name in emit.layout.parameters
    buffer = emit.buffer("bulk.coordinates", "i32", LANES * MOST_NUMBERS)
    numbers += [emit.resize(emit.get(item, "b16"), "i32") for item in offsets]
    for i, number in enumerate(numbers):
        emit.store(emit.lanes(number), emit.offset(buffer, 4 * LANES * i), align=64)
    return _place(emit, place, "param" if named else "generic", "map"), buffer


@instruction("cp", "async", "bulk", "prefetch", writes=0)
@instruction("cp", "async", "bulk", "prefetch", "tensor", writes=0)
def prefetch(emit: Emitter, ins: Instruction) -> None:
    """Nothing: L2 has no values of its own here."""
    tensor = ("tensor", "tile", IM2COL, *(f"{rank}d" for rank in range(1, 6)))
    require_known(ins, "async", "bulk", "prefetch", "L2", "global", CACHE_HINT, tensor)


@instruction("cp", "async", "bulk", "commit_group", writes=0)
def commit(emit: Emitter, ins: Instruction) -> None:
    """Close each lane's bulk group."""
    require_known(ins, "async", "bulk", "commit_group")
    emit.call_native("vg_bulk_commit", [], [])


@instruction("cp", "async", "bulk", "wait_group", writes=0)
def wait_for_groups(emit: Emitter, ins: Instruction) -> None:
    """Land all but the newest bulk groups."""
    require_known(ins, "async", "bulk", "wait_group", "read")
    (newest,) = ins.operands
    if not isinstance(newest, Integer):
        raise unsupported(ins, "these operands")
    emit.call_native("vg_bulk_wait_group", [], [newest.value])
