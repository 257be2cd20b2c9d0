"""`wmma`: matrices between memory and fragments, and their products, as tiles of `mma.m16n8k*`.

The PTX ISA leaves the layout of a fragment open. Here a fragment is a row of `mma` tiles: A of 16-row tiles
(8-row for m8n*), B of 8-column tiles, C and D of both. Where f16 fragments have more registers than
elements need, the registers repeat, as on hardware.
"""

from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.codegen import access
from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import BITS, LANES, Value, constant, lane_constants
from cudamaster.toolchain.devices.virtual.isa.narrow import join, narrow, split, widen
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.isa.tensor import (
    FORMS,
    registers,
    rounding_of,
    small_product,
    write_fragment,
)
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Instruction, Integer, Operand

SHAPES = {
    "m16n16k16": (16, 16, 16), "m32n8k16": (32, 8, 16), "m8n32k16": (8, 32, 16), "m16n16k8": (16, 16, 8),
    "m8n8k4": (8, 8, 4), "m8n8k32": (8, 8, 32), "m8n8k128": (8, 8, 128),
}  # fmt: skip
SPACES = {"global": "global", "shared": "shared", "shared_cta": "shared"}
ELEMENT_BITS = {
    "f64": 64, "f32": 32, "s32": 32, "tf32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8,
    "s4": 4, "u4": 4, "b1": 1,
}  # fmt: skip
ROWS = [lane >> 2 for lane in range(LANES)]
QUADS = [lane & 3 for lane in range(LANES)]


@dataclass(frozen=True, slots=True)
class Places:
    """Where the elements of one register lie in the matrix, for each lane."""

    rows: list[int]
    columns: list[int]
    along_row: bool
    """Whether the parts of a register follow each other along the row, else down the column."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """One operand of a product: `a`, `b` or `c` (which stands for D too)."""

    letter: str
    shape: tuple[int, int, int]
    type: str

    @property
    def parts(self) -> int:
        """Elements in a register."""
        return max(1, 32 // ELEMENT_BITS[self.type])

    @property
    def register(self) -> str:
        """LLVM type of a register."""
        return "i64" if self.type == "f64" else "i32"

    @property
    def halves(self) -> int:
        """Groups of eight rows in a tile of A or C."""
        return min(self.shape[0], 16) // 8

    def places(self) -> list[Places]:
        """Return the places of the registers that hold all elements once."""
        height, width, depth = self.shape
        steps = range(0, depth, 4 * self.parts)
        tops, lefts = range(0, height, 16), range(0, width, 8)
        if self.letter == "a":
            return [self._a(top + 8 * half, k) for top in tops for k in steps for half in range(self.halves)]
        if self.letter == "b":
            return [self._b(k, left) for left in lefts for k in steps]
        columns = range(0, 2, self.parts)
        return [
            self._c(top + 8 * half, left + column)
            for top in tops
            for left in lefts
            for half in range(self.halves)
            for column in columns
        ]

    def _a(self, top: int, k: int) -> Places:
        return Places([top + row for row in ROWS], [k + self.parts * quad for quad in QUADS], True)

    def _b(self, k: int, left: int) -> Places:
        return Places([k + self.parts * quad for quad in QUADS], [left + row for row in ROWS], False)

    def _c(self, top: int, left: int) -> Places:
        return Places([top + row for row in ROWS], [left + 2 * quad for quad in QUADS], True)


def _fragment(emit: Emitter, ins: Instruction, letter: str, kind: str) -> Fragment:
    shape = next((SHAPES[word] for word in ins.modifiers if word in SHAPES), None)
    if shape is None or kind not in ELEMENT_BITS:
        raise emit.unsupported("this shape or type")
    return Fragment(letter, shape, kind)


# --- memory


class _Matrix:
    """A matrix in memory that `wmma.load` or `wmma.store` accesses part by part."""

    def __init__(self, emit: Emitter, ins: Instruction, address: Operand, stride: Operand | None) -> None:
        if not isinstance(address, Address):
            raise emit.unsupported(f"the address {address}")
        words = ins.modifiers
        self.emit = emit
        self.verb = "load" if words[1] == "load" else "store"
        self.space = next((SPACES[word] for word in words if word in SPACES), "generic")
        self.fragment = _fragment(emit, ins, "c" if words[2] == "d" else words[2], ins.type)
        self.row_major = "row" in words
        self.start = access.host_address(emit, access.location(emit, address), self.space)
        height, width, depth = self.fragment.shape
        sizes = {"a": (height, depth), "b": (depth, width), "c": (height, width)}[self.fragment.letter]
        dense = Integer(sizes[1] if self.row_major else sizes[0])
        self.stride = emit.resize(emit.get(stride or dense, "s32"), "i64", signed=True)

    def pieces(self, places: Places) -> list[tuple[int, int, str]]:
        """Return (first part, bytes, pointer to the checked host addresses) of each access of a register."""
        bits = ELEMENT_BITS[self.fragment.type]
        whole = bits * self.fragment.parts // 8
        if places.along_row == self.row_major:
            return [(0, whole, self._addresses(places, 0, whole))]
        if bits < 8:
            raise self.emit.unsupported("this layout")
        width = bits // 8
        return [(part, width, self._addresses(places, part, width)) for part in range(self.fragment.parts)]

    def _addresses(self, places: Places, part: int, width: int) -> str:
        emit, bits = self.emit, ELEMENT_BITS[self.fragment.type]
        rows, columns = places.rows, places.columns
        if places.along_row:
            columns = [column + part for column in columns]
        else:
            rows = [row + part for row in rows]
        major, minor = (rows, columns) if self.row_major else (columns, rows)
        line = emit.op("mul", lane_constants("i64", [bits * index for index in major]), self.stride)
        place = emit.op("add", line, lane_constants("i64", [bits * index for index in minor]))
        place = emit.op("ashr", place, constant("i64", 3))
        pointer = emit.spill(emit.op("add", place, self.start), f"wmma.{part}")
        access.count(emit, pointer, self.space, self.kind(width), emit.active_mask())
        return pointer

    def kind(self, width: int) -> access.Kind:
        """Return the access of `width` bytes a lane."""
        return access.Kind(self.verb, width)

    def transfer(self, pointer: str, width: int) -> str:
        """Load to, or store from, the buffer that is returned; checked."""
        emit = self.emit
        data = emit.buffer("wmma.data", f"i{8 * width}")
        site = access.site_of(emit, self.space, self.kind(width)) if emit.mode.check else -1
        emit.call_native(f"vg_{self.verb}_{width}x1", [], [data, pointer, site])
        return data


@instruction("wmma", "load", waits="warp")
def load_fragment(emit: Emitter, ins: Instruction) -> None:
    """Load a matrix into a fragment."""
    destination, address, stride = _with_stride(ins)
    matrix = _Matrix(emit, ins, address, stride)
    values = []
    for places in matrix.fragment.places():
        kind = matrix.fragment.register
        value = constant(kind, 0)
        for part, width, pointer in matrix.pieces(places):
            loaded = emit.load(f"i{8 * width}", matrix.transfer(pointer, width), lanes=True, align=32)
            moved = emit.op("shl", emit.resize(loaded, kind), constant(kind, 8 * width * part))
            value = emit.op("or", value, moved)
        values.append(value)
    for i, register in enumerate(registers(destination)):
        emit.put(register, values[i % len(values)])


@instruction("wmma", "store", writes=0, waits="warp")
def store_fragment(emit: Emitter, ins: Instruction) -> None:
    """Store a fragment to a matrix."""
    source, address, stride = _with_stride(ins)
    matrix = _Matrix(emit, ins, address, stride)
    for register, places in zip(registers(source), matrix.fragment.places(), strict=True):
        whole = matrix.fragment.register
        value = emit.lanes(emit.get(register, f"b{BITS[whole]}"))
        for part, width, pointer in matrix.pieces(places):
            kind = f"i{8 * width}"
            shifted = emit.op("lshr", value, constant(whole, 8 * width * part))
            emit.store(emit.resize(shifted, kind), emit.buffer("wmma.data", kind), align=32)
            matrix.transfer(pointer, width)


def _with_stride(ins: Instruction) -> tuple[Operand, Operand, Operand | None]:
    """Return registers, address and stride in that order; without a stride rows lie close together."""
    first, second, *strides = ins.operands
    stride = strides[0] if strides else None
    return (second, first, stride) if ins.modifiers[1] == "store" else (first, second, stride)


# --- products


@instruction("wmma", "mma", waits="warp")
def multiply_fragments(emit: Emitter, ins: Instruction) -> None:
    """D = A B + C, tile by tile."""
    product = _Product(emit, ins)
    d = registers(ins.operands[0])
    results = product.tiles()
    for register, value in zip(d, results, strict=True):
        emit.put(register, value)


class _Product:
    """One `wmma.mma` as calls of the `mma` functions of native/tensor.c and tensor_small.c."""

    def __init__(self, emit: Emitter, ins: Instruction) -> None:
        self.emit = emit
        types = [word for word in ins.modifiers if word in ELEMENT_BITS]
        if len(types) == 2:
            types = [types[0], "f16", "f16", types[1]]
        if len(types) != 4:
            raise emit.unsupported("these types")
        self.result_type, given = types[0], types[3]
        self.sum_type = "f32" if "f32" in (self.result_type, given) else given
        self.a, self.b, c = (
            _fragment(emit, ins, letter, kind) for letter, kind in zip("abc", types[1:], strict=True)
        )
        self.function, self.arguments = self._function(ins)
        sources = [registers(operand) for operand in ins.operands[1:]]
        self.values = [
            [emit.get(each, f"b{BITS[fragment.register]}") for each in group[: len(fragment.places())]]
            for group, fragment in zip(sources, (self.a, self.b, c), strict=True)
        ]
        if given != self.sum_type:
            self.values[2] = [part for pair in self.values[2] for part in self._widened(pair)]

    def _function(self, ins: Instruction) -> tuple[str, tuple[int, ...]]:
        """Return the C function of a tile, after `vg_mma_`, and its last arguments."""
        rows, _, depth = self.a.shape
        if ELEMENT_BITS[self.a.type] < 8:
            return small_product(self.a.type, self.b.type, rows, depth, ins.modifiers)
        saturating = "satfinite_" if "satfinite" in ins.modifiers else ""
        tile = "m8n8" if self.a.type == "f64" else "m16n8"
        form = f"{saturating}{tile}k{depth}_{self.sum_type}_{self.a.type}_{self.b.type}"
        if form not in FORMS:
            raise self.emit.unsupported("these types")
        return form, rounding_of(ins, FORMS[form])

    def _widened(self, pair: Value) -> list[Value]:
        """Return two f32, as bits, of two f16."""
        emit = self.emit
        return [emit.resize(widen(emit, half, "f16"), "i32") for half in split(emit, pair)]

    def _narrowed(self, low: Value, high: Value) -> Value:
        """Return two f16 of two f32."""
        emit = self.emit
        halves = [narrow(emit, emit.resize(value, "float"), "f16") for value in (low, high)]
        return join(emit, *halves)

    def tiles(self) -> list[Value]:
        """Return the registers of D."""
        height, width, _ = self.a.shape
        results: list[Value] = []
        a_tiles = _split(self.values[0], max(1, height // 16))
        b_tiles = _split(self.values[1], width // 8)
        c_tiles = _split(self.values[2], len(a_tiles) * len(b_tiles))
        for i, a in enumerate(a_tiles):
            for j, b in enumerate(b_tiles):
                results += self._tile(a, b, c_tiles[i * len(b_tiles) + j])
        if self.result_type == self.sum_type:
            return results
        return [self._narrowed(*pair) for pair in zip(results[::2], results[1::2], strict=True)]

    def _tile(self, a: list[Value], b: list[Value], c: list[Value]) -> list[Value]:
        emit, zero = self.emit, constant("i32", 0)
        kept, element = len(c), c[0].type
        if self.function.startswith(("m16", "satfinite_m16")) and self.a.halves == 1:
            a = [value for top in a for value in (top, zero)]
            c = [*c, *[zero] * kept]
        sources = [
            write_fragment(emit, f"mma.{letter}", values) for letter, values in (("a", a), ("b", b), ("c", c))
        ]
        result = emit.buffer("mma.d", element, LANES * len(c))
        emit.call_native(f"vg_mma_{self.function}", [], [result, *sources, *self.arguments])
        size = LANES * BITS[element] // 8
        return [emit.load(element, emit.offset(result, size * i), lanes=True, align=64) for i in range(kept)]


def _split(values: list[Value], count: int) -> list[list[Value]]:
    size = len(values) // count
    return [values[i * size : (i + 1) * size] for i in range(count)]
