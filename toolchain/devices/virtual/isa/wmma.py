"""`wmma`: matrices between memory and fragments, and their products, as tiles of `mma.m16n8k*`.

The PTX ISA leaves the layout of a fragment open. Here a fragment is a row of `mma` tiles: A of 16-row tiles
(8-row for m8n32k16), B of 8-column tiles, C and D of both. Where f16 fragments have more registers than
elements need, the registers repeat, as on hardware.
"""

from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.codegen import access
from cudamaster.toolchain.devices.virtual.codegen.emitter import Emitter
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant, lane_constants
from cudamaster.toolchain.devices.virtual.isa.registry import instruction
from cudamaster.toolchain.devices.virtual.isa.tensor import FORMS, registers, write_fragment
from cudamaster.toolchain.devices.virtual.ptx.nouns import Address, Instruction, Operand

SHAPES = {
    "m16n16k16": (16, 16, 16), "m32n8k16": (32, 8, 16), "m8n32k16": (8, 32, 16), "m16n16k8": (16, 16, 8),
}  # fmt: skip
SPACES = {"global": "global", "shared": "shared", "shared_cta": "shared"}
ELEMENT_BYTES = {"f32": 4, "s32": 4, "tf32": 4, "f16": 2, "bf16": 2, "s8": 1, "u8": 1}
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
        """Elements in a 32-bit register."""
        return 4 // ELEMENT_BYTES[self.type]

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
    if shape is None or kind not in ELEMENT_BYTES:
        raise emit.unsupported("this shape or type")
    return Fragment(letter, shape, kind)


# --- memory


class _Matrix:
    """A matrix in memory that `wmma.load` or `wmma.store` accesses part by part."""

    def __init__(self, emit: Emitter, ins: Instruction, address: Operand, stride: Operand) -> None:
        if not isinstance(address, Address):
            raise emit.unsupported(f"the address {address}")
        words = ins.modifiers
        self.emit = emit
        self.verb = "load" if words[1] == "load" else "store"
        self.space = next((SPACES[word] for word in words if word in SPACES), "generic")
        self.fragment = _fragment(emit, ins, "c" if words[2] == "d" else words[2], ins.type)
        self.row_major = "row" in words
        self.start = access.host_address(emit, access.location(emit, address), self.space)
        self.stride = emit.resize(emit.get(stride, "s32"), "i64", signed=True)

    def pieces(self, places: Places) -> list[tuple[int, int, str]]:
        """Return (first part, bytes, pointer to the checked host addresses) of each access of a register."""
        width = ELEMENT_BYTES[self.fragment.type]
        if places.along_row == self.row_major:
            return [(0, width * self.fragment.parts, self._addresses(places, 0, width * self.fragment.parts))]
        return [(part, width, self._addresses(places, part, width)) for part in range(self.fragment.parts)]

    def _addresses(self, places: Places, part: int, width: int) -> str:
        emit, element = self.emit, ELEMENT_BYTES[self.fragment.type]
        rows, columns = places.rows, places.columns
        if places.along_row:
            columns = [column + part for column in columns]
        else:
            rows = [row + part for row in rows]
        major, minor = (rows, columns) if self.row_major else (columns, rows)
        line = emit.op("mul", lane_constants("i64", [element * index for index in major]), self.stride)
        place = emit.op("add", line, lane_constants("i64", [element * index for index in minor]))
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
    destination, address, stride = _with_stride(emit, ins)
    matrix = _Matrix(emit, ins, address, stride)
    values = []
    for places in matrix.fragment.places():
        value = constant("i32", 0)
        for part, width, pointer in matrix.pieces(places):
            loaded = emit.load(f"i{8 * width}", matrix.transfer(pointer, width), lanes=True, align=32)
            moved = emit.op("shl", emit.resize(loaded, "i32"), constant("i32", 8 * width * part))
            value = emit.op("or", value, moved)
        values.append(value)
    for i, register in enumerate(registers(destination)):
        emit.put(register, values[i % len(values)])


@instruction("wmma", "store", writes=0, waits="warp")
def store_fragment(emit: Emitter, ins: Instruction) -> None:
    """Store a fragment to a matrix."""
    source, address, stride = _with_stride(emit, ins)
    matrix = _Matrix(emit, ins, address, stride)
    for register, places in zip(registers(source), matrix.fragment.places(), strict=True):
        value = emit.lanes(emit.get(register, "b32"))
        for part, width, pointer in matrix.pieces(places):
            kind = f"i{8 * width}"
            shifted = emit.op("lshr", value, constant("i32", 8 * width * part))
            emit.store(emit.resize(shifted, kind), emit.buffer("wmma.data", kind), align=32)
            matrix.transfer(pointer, width)


def _with_stride(emit: Emitter, ins: Instruction) -> tuple[Operand, Operand, Operand]:
    """Return registers, address and stride in that order."""
    if len(ins.operands) != 3:
        raise emit.unsupported("the default stride")
    first, second, stride = ins.operands
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
    """One `wmma.mma` as calls of the `mma` functions of native/tensor.c."""

    def __init__(self, emit: Emitter, ins: Instruction) -> None:
        self.emit = emit
        types = [word for word in ins.modifiers if word in ELEMENT_BYTES]
        if len(types) == 2:
            types = [types[0], "f16", "f16", types[1]]
        if len(types) != 4 or types[0] != types[3]:
            raise emit.unsupported("these types")
        self.a, self.b, self.c = (
            _fragment(emit, ins, letter, kind) for letter, kind in zip("abc", types[1:], strict=True)
        )
        saturating = "satfinite_" if "satfinite" in ins.modifiers else ""
        form = f"{saturating}m16n8k{self.a.shape[2]}_{types[0]}_{types[1]}_{types[2]}"
        if form not in FORMS:
            raise emit.unsupported("these types")
        self.function = f"vg_mma_{form}"
        sources = [registers(operand) for operand in ins.operands[1:]]
        self.values = [
            [emit.get(register, "b32") for register in group[: len(fragment.places())]]
            for group, fragment in zip(sources, (self.a, self.b, self.c), strict=True)
        ]

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
        return results

    def _tile(self, a: list[Value], b: list[Value], c: list[Value]) -> list[Value]:
        emit, zero = self.emit, constant("i32", 0)
        kept = len(c)
        if self.a.halves == 1:
            a = [value for top in a for value in (top, zero)]
            c = [*c, *[zero] * kept]
        sources = [
            write_fragment(emit, f"mma.{letter}", values) for letter, values in (("a", a), ("b", b), ("c", c))
        ]
        result = emit.buffer("mma.d", "i32", LANES * len(c))
        emit.call_native(self.function, [], [result, *sources])
        return [
            emit.load("i32", emit.offset(result, 4 * LANES * i), lanes=True, align=64) for i in range(kept)
        ]


def _split(values: list[Value], count: int) -> list[list[Value]]:
    size = len(values) // count
    return [values[i * size : (i + 1) * size] for i in range(count)]
