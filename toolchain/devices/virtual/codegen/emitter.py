"""What an instruction function writes its code with: operands, masks, and calls of C helpers.

The emitter turns PTX operands into values and results into registers; guards (`@p`), divergence and
register widths are handled here, so that an instruction states its arithmetic only:

    @instruction("lop3")
    def lop3(emit: Emitter, instruction: Instruction) -> None:
        destination, a, b, c, table = instruction.operands
        x, y, z = (emit.get(operand, "b32") for operand in (a, b, c))
        …
        emit.put(destination, emit.op("or", x, y))

Values (`ir.Value`) are scalars (launch constants, literals) or thirty-two lanes; operations of `IrBuilder`
(`op`, `compare`, `select`, `cast`, `resize`, `intrinsic`, …) mix both and broadcast by themselves.

Memory: `emit.addresses(address, space, kind, bytes_a_lane)` checks and counts the access of the active lanes
(the memory modes' business) and returns a pointer to their 32 host addresses (`const uint64_t *`).

C helpers, in `native/*.c`, all have one shape; inactive lanes of an output may hold anything:

    // emit.call_native("vg_shuffle", ["i32", "i1"], [value, lane, 3])
    void vg_shuffle(VgWarp *warp, uint32_t mask, uint32_t *out, uint32_t *out_predicate,
                    const uint32_t *value, const uint32_t *lane, int32_t mode);

`mask` holds the active lanes, guard included. Outputs come first: a pointer to 32 elements each, or, for
`i1`, to one uint32_t with a bit a lane. Inputs: a Value with lanes (or a scalar, broadcast) is a pointer to
32 elements; an `i1` Value is a uint32_t bit mask by value; a Python int is an int32_t by value; a `str` (a
pointer such as `addresses` returns) is passed as it is. `warp->block`, `warp->tid` … are in `vgpu.h`.
A helper reports a fault by `vg_fault(...)` (does not return).
"""

from collections.abc import Sequence

from cudamaster.toolchain.devices.virtual.analysis.layout import Layout
from cudamaster.toolchain.devices.virtual.codegen import frame
from cudamaster.toolchain.devices.virtual.codegen.ir import LANES, Value, constant
from cudamaster.toolchain.devices.virtual.codegen.registers import LLVM_TYPES, Mode, Registers
from cudamaster.toolchain.devices.virtual.launch import Site
from cudamaster.toolchain.devices.virtual.ptx.nouns import TYPE_BYTES, Address, Kernel, Operand

__all__ = ["LLVM_TYPES", "Emitter", "Mode", "type_bytes"]


class Emitter(Registers):
    """Code of one kernel: registers, and what reaches memory or the C library."""

    def __init__(self, kernel: Kernel, layout: Layout, uniform: frozenset[str], mode: Mode) -> None:
        super().__init__(kernel, layout, uniform, mode)
        self.sites: list[Site] = []
        self.unaligned_sites: set[int] = set()
        """Numbers of the sites whose addresses need no alignment."""
        self.maps_addresses = any(i.base == "mapa" for block in kernel.blocks for i in block)
        """Whether generic addresses may be of other blocks' shared memory."""
        self._places: dict[int, int] = {}
        self._site_numbers: dict[tuple[int, str], int] = {}

    def addresses(
        self,
        address: Operand,
        space: str,
        kind: str,
        bytes_a_lane: int,
        *,
        mask: Value | None = None,
        aligned: bool = True,
        tag: str = "",
    ) -> str:
        """Return a pointer to the 32 host addresses of a checked and counted access.

        `space`: `global`, `shared`, `shared_cluster`, `local`, `const`, `param` or `generic`. `kind`: `load`,
        `store`, `atomic`, `ldmatrix`, `async_copy`. `mask` narrows the accessing lanes (default: active).
        `tag` tells apart two accesses of one instruction and names their buffers. `aligned=False` skips the
        alignment check.
        """
        from cudamaster.toolchain.devices.virtual.codegen import access

        if not isinstance(address, Address):
            raise self.unsupported(f"the address {address}")
        return access.checked_addresses(
            self, address, space, access.Kind(kind, bytes_a_lane, aligned, tag), mask
        )

    def buffer(self, name: str, kind: str, count: int = LANES) -> str:
        """Return a stack buffer of `count` elements, one per `name`, alive for the whole warp function."""
        pointer = f"%B.{name}.{kind}.{count}"
        self.entry[pointer] = f"{pointer} = alloca [{count} x {kind}], align 128"
        return pointer

    def spill(self, value: Value, name: str) -> str:
        """Store `value` in 32 lanes to the buffer `name` and return its pointer."""
        wide = self.lanes(value)
        pointer = self.buffer(name, wide.type)
        self.store(wide, pointer, align=64)
        return pointer

    def call_native(
        self,
        name: str,
        outputs: Sequence[str],
        inputs: Sequence[Value | int | str],
        *,
        mask: Value | None = None,
    ) -> list[Value]:
        """Call the C helper `name` as the module's docstring says; return a Value for each of `outputs`."""
        targets = [self.buffer(f"out{i}", "i32" if kind == "i1" else kind) for i, kind in enumerate(outputs)]
        active = mask or self.active_mask()
        arguments = ["ptr %warp", active.typed, *(f"ptr {t}" for t in targets)]
        arguments += [self._argument(value, i) for i, value in enumerate(inputs)]
        types = ", ".join(argument.split()[0] for argument in arguments)
        self.declarations[name] = f"declare void @{name}({types})"
        self.line(f"call void @{name}({', '.join(arguments)})")
        return [self._result(kind, target) for kind, target in zip(outputs, targets, strict=True)]

    def _argument(self, value: Value | int | str, index: int) -> str:
        if isinstance(value, int):
            return f"i32 {value}"
        if isinstance(value, str):
            return f"ptr {value}"
        if value.type == "i1":
            return self.bit_mask(value).typed
        return f"ptr {self.spill(value, f'in{index}')}"

    def _result(self, kind: str, target: str) -> Value:
        if kind == "i1":
            return self.predicate(self.load("i32", target))
        return self.load(kind, target, lanes=True, align=64)

    def place(self) -> int:
        """Return what stands for the line of the instruction in hand in a call of `vg_fault`.

        Code is kept for kernels that differ in nothing but their lines, so it holds no line.
        """
        if not self._places:
            every = (i for block in self.kernel.blocks for i in block)
            self._places.update({id(i): -1 - number for number, i in enumerate(every)})
        return self._places[id(self.instruction)]

    def yield_soon(self, weight: int = 1 << 30, polls: int = frame.POLLS_ANY) -> None:
        """Say that this instruction may be polling for other warps: shorten the time slice by `weight`.

        `polls`: for any, for those of its own cluster alone, or (0) for what another instruction polls for.
        """
        place = self.offset("%warp", frame.WARP_SLICE)
        left = self.op("sub", self.load("i32", place), constant("i32", weight))
        self.store(self.intrinsic("llvm.smax", left, constant("i32", 1)), place)
        spun = self.offset("%warp", frame.WARP_SPUN)
        before = self.op("or", self.load("i32", spun), constant("i32", frame.POLLS_OWN))
        self.store(constant("i32", polls) if polls else before, spun)

    def site(self, space: str, kind: str, bytes_a_lane: int, tag: str = "", *, aligned: bool = True) -> int:
        """Return the number of the memory access that the instruction in hand makes."""
        assert self.instruction is not None
        key = (id(self.instruction), tag)
        if key not in self._site_numbers:
            self._site_numbers[key] = len(self.sites)
            self.sites.append(Site(self.instruction, self.block_index, space, kind, bytes_a_lane))
            if not aligned:
                self.unaligned_sites.add(self._site_numbers[key])
        return self._site_numbers[key]


def type_bytes(ptx_type: str) -> int:
    """Bytes of one element."""
    return TYPE_BYTES[ptx_type]
