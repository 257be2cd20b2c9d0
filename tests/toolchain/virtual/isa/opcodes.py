"""A table of PTX instructions that one hand-written kernel runs at once, each on its own inputs."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

THREADS = 128
Array = NDArray[Any]
Launch = Callable[[str, str, Sequence[Array], int], None]
"""Run a kernel of a PTX text on host arrays with so many threads in one block."""

REGISTERS = {
    "pred": ("pred", np.uint32), "u8": ("b32", np.uint32), "s8": ("b32", np.uint32),
    "b16": ("b16", np.uint16), "u16": ("b16", np.uint16), "s16": ("b16", np.uint16),
    "f16": ("b16", np.uint16), "bf16": ("b16", np.uint16), "e4m3x2": ("b16", np.uint16),
    "e5m2x2": ("b16", np.uint16), "b32": ("b32", np.uint32), "u32": ("b32", np.uint32),
    "s32": ("b32", np.uint32), "f16x2": ("b32", np.uint32), "bf16x2": ("b32", np.uint32),
    "tf32": ("b32", np.uint32), "u16x2": ("b32", np.uint32), "s16x2": ("b32", np.uint32),
    "f32": ("f32", np.float32), "b64": ("b64", np.uint64), "u64": ("b64", np.uint64),
    "s64": ("b64", np.uint64), "f64": ("f64", np.float64),
}  # fmt: skip
"""Register type and element in memory, by operand type."""


@dataclass
class Row:
    """One instruction: its text, its sources, the types of its results."""

    text: str
    sources: list[Array]
    kinds: Sequence[str]
    results: Sequence[str]


@dataclass
class Table:
    """Instructions by name; `run` fills `found`."""

    rows: dict[str, Row] = field(default_factory=dict)
    found: dict[str, list[Array]] = field(default_factory=dict)

    def add(self, name: str, results: str, kinds: str, sources: Sequence[Any], text: str = "") -> None:
        """Add an instruction; `results` and `kinds` are types, parted by spaces.

        `text` names destinations `%d0` … and sources `%s0` …; by default `name d0, s0, s1 …`. Sources are
        repeated to fill all threads.
        """
        into, of = results.split(), kinds.split()
        operands = ", ".join([f"%d{i}" for i in range(len(into))] + [f"%s{i}" for i in range(len(of))])
        arrays = [
            np.resize(np.asarray(source).view(REGISTERS[kind][1]), THREADS)
            for source, kind in zip(sources, of, strict=True)
        ]
        self.rows[name] = Row(text or f"{name} {operands};", arrays, of, into)

    def run(self, launch: Launch) -> None:
        """Run all instructions once."""
        inputs, places = _packed([source for row in self.rows.values() for source in row.sources])
        sizes = [np.zeros(THREADS, REGISTERS[kind][1]) for row in self.rows.values() for kind in row.results]
        outputs, targets = _packed(sizes)
        from_place, to_place = iter(places), iter(targets)
        lines: list[str] = []
        for number, row in enumerate(self.rows.values()):
            lines += _code(number, row, from_place, to_place)
        launch(_kernel(lines), "table", [inputs, outputs], THREADS)
        place = iter(targets)
        for name, row in self.rows.items():
            self.found[name] = [_slice(outputs, next(place), kind) for kind in row.results]


def _packed(arrays: list[Array]) -> tuple[NDArray[np.uint8], list[int]]:
    """Return all bytes in a row, and where each array begins (multiples of 8)."""
    places, parts, end = [], [], 0
    for array in arrays:
        places.append(end)
        data = array.tobytes()
        data += bytes(-len(data) % 8)
        parts.append(data)
        end += len(data)
    return np.frombuffer(bytearray(b"".join(parts) or bytes(8)), np.uint8), places


def _slice(outputs: NDArray[np.uint8], place: int, kind: str) -> Array:
    element = np.dtype(REGISTERS[kind][1])
    return outputs[place : place + THREADS * element.itemsize].view(element).copy()


def _code(number: int, row: Row, from_place: Any, to_place: Any) -> list[str]:
    lines = []
    for i, kind in enumerate(row.kinds):
        register = f"%c{number}s{i}"
        lines += [f".reg .{REGISTERS[kind][0]} {register};"]
        lines += _access("ld", kind, register, next(from_place))
    for i, kind in enumerate(row.results):
        lines.insert(0, f".reg .{REGISTERS[kind][0]} %c{number}d{i};")
    lines.append(re.sub(r"%([sd]\d+)", rf"%c{number}\1", row.text))
    for i, kind in enumerate(row.results):
        lines += _access("st", kind, f"%c{number}d{i}", next(to_place))
    return lines


def _access(verb: str, kind: str, register: str, place: int) -> list[str]:
    width = np.dtype(REGISTERS[kind][1]).itemsize
    address = f"[%{'in' if verb == 'ld' else 'out'}{width}+{place}]"
    if kind == "pred":
        if verb == "ld":
            return [f"ld.global.u32 %scratch, {address};", f"setp.ne.u32 {register}, %scratch, 0;"]
        return [f"selp.u32 %scratch, 1, 0, {register};", f"st.global.u32 {address}, %scratch;"]
    if verb == "ld":
        return [f"ld.global.b{8 * width} {register}, {address};"]
    return [f"st.global.b{8 * width} {address}, {register};"]


def _kernel(lines: list[str]) -> str:
    head = [
        ".version 9.0", ".target sm_90a", ".address_size 64",
        ".visible .entry table(.param .u64 from, .param .u64 to)", "{",
        ".reg .b32 %scratch, %thread;", ".reg .b64 %base_in, %base_out;",
        "ld.param.u64 %base_in, [from];", "ld.param.u64 %base_out, [to];", "mov.u32 %thread, %tid.x;",
    ]  # fmt: skip
    for width in (2, 4, 8):
        for side in ("in", "out"):
            head += [
                f".reg .b64 %{side}{width};",
                f"mul.wide.u32 %{side}{width}, %thread, {width};",
                f"add.s64 %{side}{width}, %{side}{width}, %base_{side};",
            ]
    return "\n".join([*head, *lines, "ret;", "}"])
