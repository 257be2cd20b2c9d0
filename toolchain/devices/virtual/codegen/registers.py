"""Operands and results of instructions: masks, guards, and registers as values or in the warp's context."""

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cudamaster.toolchain.devices.virtual.analysis.layout import Layout
from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.ir import BITS, LANES, SUFFIX, IrBuilder, Value, constant
from cudamaster.toolchain.devices.virtual.codegen.special import special_register
from cudamaster.toolchain.devices.virtual.isa.registry import unsupported
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    Float,
    Instruction,
    Integer,
    Kernel,
    Negated,
    Operand,
    Register,
    Symbol,
)

if TYPE_CHECKING:
    from cudamaster.toolchain.devices.virtual.codegen.rows import Shape

LLVM_TYPES = {
    "pred": "i1", "b8": "i8", "u8": "i8", "s8": "i8", "b16": "i16", "u16": "i16", "s16": "i16",
    "f16": "i16", "bf16": "i16", "b32": "i32", "u32": "i32", "s32": "i32", "f32": "float",
    "f16x2": "i32", "bf16x2": "i32", "tf32": "i32", "e4m3x2": "i16", "e5m2x2": "i16",
    "b64": "i64", "u64": "i64", "s64": "i64", "f64": "double", "b128": "i128",
}  # fmt: skip
"""The LLVM element type in which each PTX type is handled; 16-bit floats are kept as their bits."""


@dataclass(frozen=True, slots=True)
class Mode:
    """How a kernel is compiled."""

    check: bool
    """Check every access against the allocation table, shared and local memory."""
    count: bool
    """Count blocks, sectors, wavefronts."""
    avx512: bool = False
    """Whether the host has AVX-512F."""
    watch: bool = False
    """Tell the runtime of every access, checked, so that it can find races and reads of unset memory."""


class Registers(IrBuilder):
    """Code of one kernel; the block being written has a mask, the instruction in hand a guard."""

    def __init__(self, kernel: Kernel, layout: Layout, uniform: frozenset[str], mode: Mode) -> None:
        super().__init__()
        self.kernel, self.layout, self.uniform, self.mode = kernel, layout, uniform, mode
        self.block_index = 0
        self.full = True
        """Whether the block being written runs with all 32 lanes."""
        self.instruction: Instruction | None = None
        self.shapes: dict[tuple[str, int], Shape] = {}
        """What was found out about addresses in this block, by their base and stride."""
        self.base_uses: dict[str, int] = {}
        """How often each register is the base of an address in the chain of blocks being written."""
        self.pending_room = 0
        """For how many accesses that are counted later there surely is room, in this chain of blocks."""
        self._mask: Value | None = None
        self._guard: Value | None = None
        self._known: dict[str, Value] = {}
        self._dirty: dict[str, None] = {}

    # --- masks

    def active_mask(self) -> Value:
        """Return the running lanes, guard included, as an i32 with a bit a lane."""
        if self._guard is None:
            return self._mask or constant("i32", -1)
        return self.bit_mask(self._guard)

    @property
    def all_lanes(self) -> bool:
        """Whether all 32 lanes surely execute the instruction in hand."""
        return self.full and self._guard is None

    @property
    def guarded(self) -> bool:
        """Whether the instruction in hand has a guard, so that no lane at all may execute it."""
        return self._guard is not None

    def bit_mask(self, predicate: Value) -> Value:
        """Return an `i1` value as an i32 with a bit a lane."""
        wide = self.lanes(predicate)
        return Value(self.raw(f"bitcast {wide.typed} to i32"), "i32")

    def predicate(self, bits: Value) -> Value:
        """Return an i32 with a bit a lane as an `i1` value in lanes."""
        return Value(self.raw(f"bitcast {bits.typed} to <{LANES} x i1>"), "i1", lanes=True)

    def begin_block(self, index: int, full: bool, mask: Value | None) -> None:
        """Forget register values; from here on the code belongs to `index`, run by the lanes of `mask`."""
        self.block_index, self.full, self._mask, self._guard = index, full, mask, None
        self.shapes.clear()
        self.pending_room = 0
        self._known.clear()
        self._dirty.clear()

    def continue_block(self, index: int) -> None:
        """Go on with block `index`, which nothing but the code so far leads to; values stay known."""
        self.block_index, self._guard = index, None

    def block_mask(self) -> Value:
        """Return the lanes that run the block, as an i32 with a bit a lane; guards do not count."""
        return self._mask or constant("i32", -1)

    def replace_mask(self, mask: Value) -> None:
        """Let other lanes run from here on."""
        self._mask = mask

    def begin_instruction(self, instruction: Instruction) -> None:
        """Take up `instruction` and its guard."""
        self.instruction, self._guard = instruction, None
        if instruction.guard is None:
            return
        guard = self.get(Register(instruction.guard.register), "pred")
        if instruction.guard.negated:
            guard = self.op("xor", guard, constant("i1", True))
        self._guard = self.lanes(guard)
        if not self.full and self._mask is not None:
            self._guard = self.op("and", self._guard, self.predicate(self._mask))

    # --- operands

    def get(self, operand: Operand, ptx_type: str) -> Value:
        """Return an operand in `LLVM_TYPES[ptx_type]`: reinterpreted, truncated or zero-extended."""
        return self.resize(self._read(operand, ptx_type), LLVM_TYPES[ptx_type])

    def _read(self, operand: Operand, ptx_type: str) -> Value:
        match operand:
            case Register(name):
                return self.register(name) if name in self.kernel.registers else special_register(self, name)
            case Integer(value):
                return constant(LLVM_TYPES[ptx_type], value)
            case Float():
                return _literal(operand, LLVM_TYPES[ptx_type])
            case Negated(register):
                return self.op("xor", self.get(register, "pred"), constant("i1", True))
            case Symbol():
                return self.symbol(operand)
        raise self.unsupported(f"the operand {operand}")

    def register(self, name: str) -> Value:
        """Return the value of a register in its own or an equally wide type."""
        if name not in self._known:
            self._known[name] = self._load_register(name)
        return self._known[name]

    def _load_register(self, name: str) -> Value:
        kind = LLVM_TYPES[self.kernel.registers[name]]
        if name not in self.layout.registers:
            return constant(kind, 0)
        place = self.offset("%warp", self.layout.registers[name])
        if kind == "i1":
            bits = self.load("i32", place)
            return self.cast("trunc", bits, "i1") if name in self.uniform else self.predicate(bits)
        if name in self.uniform:
            return self.load(kind, place)
        return self.load(kind, place, lanes=True, align=min(64, 4 * BITS[kind]))

    def symbol(self, symbol: Symbol) -> Value:
        """Return the address of a variable within its own space; host addresses for global and constant."""
        layout, name = self.layout, symbol.name
        if name == "WARP_SZ":
            return constant("i32", LANES)
        for offsets in (layout.shared, layout.local, layout.parameters, layout.functions):
            if name in offsets:
                return constant("i64", offsets[name] + symbol.offset)
        if name in layout.variables:
            table = self.field("ptr", "%block", frame.BLOCK_VARIABLES)
            base = self.load("i64", self.offset(table.text, 8 * layout.variables[name]))
            return self.op("add", base, constant("i64", symbol.offset)) if symbol.offset else base
        raise self.unsupported(f"the symbol {name}")

    def put(self, destination: Operand, value: Value, *, signed: bool = False) -> None:
        """Assign to a register, in the active lanes only; narrower values are zero- or sign-extended."""
        if not isinstance(destination, Register):
            raise self.unsupported(f"the destination {destination}")
        name = destination.name
        if name == "_":
            return
        kind = LLVM_TYPES[self.kernel.registers[name]]
        if BITS[value.type] != BITS[kind]:
            value = self.resize(value, kind, signed=signed)
        if name in self.uniform:
            assert not value.lanes, f"{name} was taken for a launch constant"
        elif self._guard is not None:
            old = self.resize(self.register(name), value.type)
            value = self.select(self._guard, self.lanes(value), self.lanes(old))
        self._known[name] = value
        self._dirty[name] = None

    def flush(self, live: frozenset[str] | set[str]) -> None:
        """Write changed registers that are `live` after this block back to the warp's context."""
        names = [name for name in self._dirty if name in live and name in self.layout.registers]
        partial = None if self.full or self._mask is None or not names else self.predicate(self._mask)
        for name in names:
            self._store_register(name, self._known[name], partial)
        self._dirty.clear()

    def _store_register(self, name: str, value: Value, partial: Value | None) -> None:
        kind = LLVM_TYPES[self.kernel.registers[name]]
        place = self.offset("%warp", self.layout.registers[name])
        if name in self.uniform:
            self.store(self.cast("zext", value, "i32") if kind == "i1" else value, place)
        elif kind == "i1":
            self._store_predicate(value, place)
        else:
            align = min(64, 4 * BITS[kind])
            value = self.lanes(value)
            if partial is None:
                self.store(value, place, align=align)
            else:
                self._store_lanes(value, place, align, partial)

    def _store_lanes(self, value: Value, place: str, align: int, lanes: Value) -> None:
        """Store some lanes: in one instruction where the host has one for this width."""
        if self.mode.avx512 and 32 <= BITS[value.type] <= 64:
            name = f"llvm.masked.store.v{LANES}{SUFFIX.get(value.type, value.type)}.p0"
            self.declarations[name] = f"declare void @{name}({value.full_type}, ptr, i32, {lanes.full_type})"
            self.line(f"call void @{name}({value.typed}, ptr {place}, i32 {align}, {lanes.typed})")
        else:
            old = self.load(value.type, place, lanes=True, align=align)
            self.store(self.select(lanes, value, old), place, align=align)

    def _store_predicate(self, value: Value, place: str) -> None:
        bits = self.bit_mask(value)
        if not self.full and self._mask is not None:
            inverse = self.op("xor", self._mask, constant("i32", -1))
            kept = self.op("and", self.load("i32", place), inverse)
            bits = self.op("or", self.op("and", bits, self._mask), kept)
        self.store(bits, place)

    def unsupported(self, why: str) -> Exception:
        """Return the exception for something about the instruction in hand that is not known."""
        assert self.instruction is not None
        return unsupported(self.instruction, why)


def _literal(literal: Float, kind: str) -> Value:
    if kind == "double" and literal.width == 64:
        return Value(f"0x{literal.bits:016X}", kind)
    if kind in ("float", "double"):
        form = ("<f", "<I") if literal.width == 32 else ("<d", "<Q")
        return constant(kind, struct.unpack(form[0], struct.pack(form[1], literal.bits))[0])
    return constant(kind, literal.bits)
