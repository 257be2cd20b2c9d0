"""Loads and stores of lanes: the fast paths of `rows` put together."""

from typing import TYPE_CHECKING

from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value
from cudamaster.toolchain.devices.virtual.codegen.rows import (
    HALF,
    Access,
    branch_on_shape,
    half_of,
    shape_of,
)
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address

if TYPE_CHECKING:
    from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter


def load(emit: "Emitter", address: Address, space: str, form: tuple[int, int]) -> list[Value]:
    """Return the elements a lane loads, as integers; `form` is (bytes of an element, elements)."""
    access = Access(emit, address, space, "load", form)
    if access.is_scalar:
        return _load_scalar(emit, access)
    if access.in_rows:
        return _load_in_rows(emit, access)
    return _load_each(emit, access)


def _load_each(emit: "Emitter", access: Access) -> list[Value]:
    access.count_each()
    access.call(access.data(), emit.active_mask())
    return [
        emit.load(access.type, _element(access, i), lanes=True, align=_alignment(access))
        for i in range(access.count)
    ]


def _element(access: Access, index: int) -> str:
    return access.emit.offset(access.data(), index * LANES * access.element_bytes)


def _alignment(access: Access) -> int:
    return min(64, LANES * access.element_bytes)


def _load_scalar(emit: "Emitter", access: Access) -> list[Value]:
    if emit.full:
        access.make_room()
        access.count_halves((access.place, access.place), 1)
    else:
        access.count_each()
    fits = access.fits(access.place, 1)
    if fits is not None:
        slow, go = emit.new_label(), emit.new_label()
        emit.line(f"br i1 {fits.text}, label %{go}, label %{slow}")
        emit.label(slow)
        emit.call_native("vg_check", [], [access.spilled(), access.number])
        emit.line(f"br label %{go}")
        emit.label(go)
    pointer = access.pointer(access.place)
    return [
        emit.load(access.type, emit.offset(pointer, i * access.element_bytes), align=access.element_bytes)
        for i in range(access.count)
    ]


def _load_in_rows(emit: "Emitter", access: Access) -> list[Value]:
    row, same, other, done = (emit.new_label() for _ in range(4))
    access.make_room()
    shape = shape_of(access)
    branch_on_shape(access, shape, (row, same, other))
    ways = []
    for label, elements, lanes in ((row, _load_row, HALF), (same, _load_same, 1)):
        emit.label(label)
        firsts = access.firsts(shape)
        access.count_halves(firsts, lanes)
        if access.takes_turns and lanes > 1:
            access.count_each()
        halves = [elements(emit, access, access.pointer(first)) for first in firsts]
        ways.append(_joined(emit, access, halves))
        emit.line(f"br label %{done}")
    emit.label(other)
    ways.append(_load_each(emit, access))
    emit.line(f"br label %{done}")
    emit.label(done)
    return [_phi(emit, [way[i] for way in ways], (row, same, other)) for i in range(access.count)]


def _phi(emit: "Emitter", values: list[Value], labels: tuple[str, ...]) -> Value:
    pairs = ", ".join(f"[{value.text}, %{label}]" for value, label in zip(values, labels, strict=True))
    return Value(emit.raw(f"phi {values[0].full_type} {pairs}"), values[0].type, lanes=True)


def _load_row(emit: "Emitter", access: Access, pointer: str) -> list[str]:
    shape = f"<{HALF * access.count} x {access.type}>"
    whole = emit.raw(f"load {shape}, ptr {pointer}, align {access.element_bytes}")
    if access.count == 1:
        return [whole]
    return [
        emit.raw(
            f"shufflevector {shape} {whole}, {shape} poison, <{HALF} x i32> <"
            + ", ".join(f"i32 {access.count * lane + i}" for lane in range(HALF))
            + ">"
        )
        for i in range(access.count)
    ]


def _load_same(emit: "Emitter", access: Access, pointer: str) -> list[str]:
    shape = f"<{HALF} x {access.type}>"
    elements = []
    for i in range(access.count):
        place = emit.offset(pointer, i * access.element_bytes)
        one = emit.load(access.type, place, align=access.element_bytes)
        single = emit.raw(f"insertelement {shape} poison, {one.typed}, i64 0")
        elements.append(
            emit.raw(f"shufflevector {shape} {single}, {shape} poison, <{HALF} x i32> zeroinitializer")
        )
    return elements


def _joined(emit: "Emitter", access: Access, halves: list[list[str]]) -> list[Value]:
    shape = f"<{HALF} x {access.type}>"
    order = ", ".join(f"i32 {lane}" for lane in range(LANES))
    return [
        Value(
            emit.raw(f"shufflevector {shape} {low}, {shape} {high}, <{LANES} x i32> <{order}>"),
            access.type,
            lanes=True,
        )
        for low, high in zip(*halves, strict=True)
    ]


def store(emit: "Emitter", address: Address, space: str, form: tuple[int, int], values: list[Value]) -> None:
    """Store integers of `form[0]` bytes, `form[1]` a lane, in the active lanes."""
    access = Access(emit, address, space, "store", form)
    wide = [emit.lanes(value) for value in values]
    if access.in_rows:
        _store_in_rows(emit, access, wide)
    else:
        _store_each(emit, access, wide)


def _store_each(emit: "Emitter", access: Access, values: list[Value]) -> None:
    for i, value in enumerate(values):
        emit.store(value, _element(access, i), align=_alignment(access))
    if access.watched:
        pointers = (access.data(), access.spilled())
        emit.call_native("vg_watch_store", [], [*pointers, access.number, access.element_bytes])
        return
    access.count_each()
    access.call(access.data(), emit.active_mask())


def _store_in_rows(emit: "Emitter", access: Access, values: list[Value]) -> None:
    row, other, done = (emit.new_label() for _ in range(3))
    access.make_room()
    shape_found = shape_of(access)
    branch_on_shape(access, shape_found, (row, other, other))
    emit.label(row)
    shape = f"<{HALF * access.count} x {access.type}>"
    firsts = access.firsts(shape_found)
    access.count_halves(firsts, HALF)
    for half, first in enumerate(firsts):
        whole = _interleave(emit, access, [half_of(emit, value, half) for value in values])
        emit.line(f"store {shape} {whole}, ptr {access.pointer(first)}, align {access.element_bytes}")
    emit.line(f"br label %{done}")
    emit.label(other)
    _store_each(emit, access, values)
    emit.line(f"br label %{done}")
    emit.label(done)


def _interleave(emit: "Emitter", access: Access, parts: list[str]) -> str:
    """Return the elements in memory order: lane 0's, lane 1's …"""
    width = HALF
    while len(parts) > 1:
        order = ", ".join(f"i32 {i}" for i in range(2 * width))
        shape = f"<{width} x {access.type}>"
        parts = [
            emit.raw(f"shufflevector {shape} {a}, {shape} {b}, <{2 * width} x i32> <{order}>")
            for a, b in zip(parts[::2], parts[1::2], strict=True)
        ]
        width *= 2
    if access.count == 1:
        return parts[0]
    shape = f"<{width} x {access.type}>"
    order = ", ".join(f"i32 {i * HALF + lane}" for lane in range(HALF) for i in range(access.count))
    return emit.raw(f"shufflevector {shape} {parts[0]}, {shape} poison, <{width} x i32> <{order}>")
