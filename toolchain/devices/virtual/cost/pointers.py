"""Which buffer a memory instruction walks: its address traced back to a parameter of the kernel.

The parameter is a pointer, or a tensor map, which begins with one (native/tensor_map.h).
"""

import functools
from collections.abc import Sequence

from cudamaster.toolchain.devices.virtual.cost.dataflow import (
    KEPT_INSTRUCTIONS,
    KEPT_KERNELS,
    address_of,
    reads,
    writes,
)
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    TYPE_BYTES,
    Address,
    Instruction,
    Kernel,
    Register,
    Symbol,
    Vector,
)

_POINTER_BYTES = 8


def site_allocations(launch: SampledLaunch) -> tuple[int | None, ...]:
    """For each site the index of the allocation its address comes from; None where unknown or mixed."""
    found: list[int | None] = []
    for site in launch.sites:
        pointers = [_value_at(place, launch) for place in _places(site.instruction, launch.kernel)]
        hits = {_holder(pointer, launch.allocations) for pointer in pointers} - {None}
        found.append(hits.pop() if len(hits) == 1 else None)
    return tuple(found)


@functools.lru_cache(KEPT_KERNELS)
def _writers(kernel: Kernel) -> dict[str, list[Instruction]]:
    table: dict[str, list[Instruction]] = {}
    for block in kernel.blocks:
        for instruction in block:
            for name in writes(instruction):
                table.setdefault(name, []).append(instruction)
    return table


@functools.lru_cache(KEPT_INSTRUCTIONS)
def _places(instruction: Instruction, kernel: Kernel) -> frozenset[int]:
    """Offsets of the 64-bit parameters that the instruction's global address is computed from."""
    writers = _writers(kernel)
    bases = [operand.base for operand in _addresses(instruction)]
    waiting = [base.name for base in bases if isinstance(base, Register)]
    seen: set[str] = set()
    places: set[int] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for writer in writers.get(name, ()):
            place = _parameter(writer, kernel)
            if place is not None:
                places.add(place)
            elif writer.base not in ("ld", "atom"):
                waiting.extend(reads(writer))
    return frozenset(places)


def _addresses(instruction: Instruction) -> list[Address]:
    """The addresses of the operands; where one is of a tensor map, that alone."""
    maps = [o.items[0] for o in instruction.operands if isinstance(o, Vector) and instruction.base == "cp"]
    return [o for o in maps or instruction.operands if isinstance(o, Address)]


def _value_at(place: int, launch: SampledLaunch) -> int:
    return int.from_bytes(launch.request.parameters[place : place + _POINTER_BYTES], "little")


def _parameter(instruction: Instruction, kernel: Kernel) -> int | None:
    """The offset from which a 64-bit `ld.param` loads, or whose address is taken, in the parameter block."""
    if instruction.base == "mov" and isinstance(instruction.operands[1], Symbol):
        return _offset(kernel, instruction.operands[1])
    if instruction.base != "ld" or "param" not in instruction.modifiers:
        return None
    if TYPE_BYTES.get(instruction.type) != _POINTER_BYTES:
        return None
    address = address_of(instruction)
    if address is None or not isinstance(address.base, Symbol):
        return None
    place = _offset(kernel, address.base)
    return None if place is None else place + address.offset


def _offset(kernel: Kernel, symbol: Symbol) -> int | None:
    """Where a symbol that is a parameter lies in the block of them."""
    found = (variable for variable in kernel.parameters if variable.name == symbol.name)
    return next((variable.offset + symbol.offset for variable in found), None)


def _holder(pointer: int, allocations: Sequence[tuple[int, int]]) -> int | None:
    """Index of the allocation that `pointer` lies in."""
    return next((i for i, (first, size) in enumerate(allocations) if first <= pointer < first + size), None)
