"""Loads and stores of lanes: the fast paths of `access` put together."""

from typing import TYPE_CHECKING

from cudamaster.toolchain.devices.virtual.codegen.access import HALF, Access, branch_on_shape, half_of
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address

if TYPE_CHECKING:
    from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter


def load(emit: "Emitter", address: Address, space: str, form: tuple[int, int]) -> list[Value]:
    """Return the elements a lane loads, as integers; `form` is (bytes of an element, elements)."""
    access = Access(emit, address, space, "load", form)
    if access.is_scalar:
        return _load_scalar(emit, access)
    if access.in_rows:
        return _join_halves(emit, access, [_load_half(emit, access, half) for half in range(2)])
    access.call(access.data(), emit.active_mask())
    return [
        emit.load(access.type, _element(access, i), lanes=True, align=_alignment(access, LANES))
        for i in range(access.count)
    ]


def _element(access: Access, index: int, lane: int = 0) -> str:
    return access.emit.offset(access.data(), (index * LANES + lane) * access.element_bytes)


def _alignment(access: Access, lanes: int) -> int:
    return min(64, lanes * access.element_bytes)


def _load_scalar(emit: "Emitter", access: Access) -> list[Value]:
    fits = access.fits(access.place, 1)
    if fits is not None:
        slow, go = emit.new_label(), emit.new_label()
        emit.line(f"br i1 {fits}, label %{go}, label %{slow}")
        emit.label(slow)
        emit.call_native("vg_check", [], [access.spilled(), access.number])
        emit.line(f"br label %{go}")
        emit.label(go)
    pointer = access.pointer(access.place)
    return [
        emit.load(access.type, emit.offset(pointer, i * access.element_bytes), align=access.element_bytes)
        for i in range(access.count)
    ]


def _load_half(emit: "Emitter", access: Access, half: int) -> list[str]:
    """Return each element as a `<16 x type>`."""
    row, same, other, done = (emit.new_label() for _ in range(4))
    first = branch_on_shape(emit, access, half, (row, same, other))
    ways = []
    for label, elements in ((row, _load_row), (same, _load_same)):
        emit.label(label)
        ways.append(elements(emit, access, access.pointer(first)))
        emit.line(f"br label %{done}")
    emit.label(other)
    access.call(access.data(), constant("i32", 0xFFFF << HALF * half))
    ways.append(
        [
            emit.raw(
                f"load <{HALF} x {access.type}>, ptr {_element(access, i, HALF * half)}, "
                f"align {_alignment(access, HALF)}"
            )
            for i in range(access.count)
        ]
    )
    emit.line(f"br label %{done}")
    emit.label(done)
    return [
        emit.raw(
            f"phi <{HALF} x {access.type}> "
            + ", ".join(f"[{way[i]}, %{label}]" for way, label in zip(ways, (row, same, other), strict=True))
        )
        for i in range(access.count)
    ]


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


def _join_halves(emit: "Emitter", access: Access, halves: list[list[str]]) -> list[Value]:
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
    if not access.in_rows:
        _spill_values(access, wide)
        access.call(access.data(), emit.active_mask())
        return
    for half in range(2):
        _store_half(emit, access, half, wide)


def _spill_values(access: Access, values: list[Value]) -> None:
    for i, value in enumerate(values):
        access.emit.store(value, _element(access, i), align=_alignment(access, LANES))


def _store_half(emit: "Emitter", access: Access, half: int, values: list[Value]) -> None:
    row, other, done = (emit.new_label() for _ in range(3))
    first = branch_on_shape(emit, access, half, (row, other, other))
    emit.label(row)
    whole = _interleave(emit, access, [half_of(emit, value, half) for value in values])
    shape = f"<{HALF * access.count} x {access.type}>"
    emit.line(f"store {shape} {whole}, ptr {access.pointer(first)}, align {access.element_bytes}")
    emit.line(f"br label %{done}")
    emit.label(other)
    _spill_values(access, values)
    access.call(access.data(), constant("i32", 0xFFFF << HALF * half))
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
