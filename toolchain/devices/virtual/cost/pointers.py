"""Which buffer a memory instruction walks: its address traced back to a pointer parameter of the kernel."""

from collections.abc import Mapping, Sequence

from cudamaster.toolchain.devices.virtual.cost.dataflow import address_of, reads, writes
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.ptx.nouns import (
    TYPE_BYTES,
    Address,
    Instruction,
    Kernel,
    Register,
    Symbol,
)

_POINTER_BYTES = 8


def site_allocations(launch: SampledLaunch) -> tuple[int | None, ...]:
    """For each site the index of the allocation its address comes from; None where unknown or mixed."""
    writers = _writers(launch.kernel)
    found: list[int | None] = []
    for site in launch.sites:
        pointers = _pointers(site.instruction, writers, launch)
        hits = {_holder(pointer, launch.allocations) for pointer in pointers} - {None}
        found.append(hits.pop() if len(hits) == 1 else None)
    return tuple(found)


def _writers(kernel: Kernel) -> dict[str, list[Instruction]]:
    table: dict[str, list[Instruction]] = {}
    for block in kernel.blocks:
        for instruction in block:
            for name in writes(instruction):
                table.setdefault(name, []).append(instruction)
    return table


def _pointers(
    instruction: Instruction, writers: Mapping[str, Sequence[Instruction]], launch: SampledLaunch
) -> set[int]:
    """Values of the 64-bit parameters that the instruction's global address is computed from."""
    bases = [operand.base for operand in instruction.operands if isinstance(operand, Address)]
    waiting = [base.name for base in bases if isinstance(base, Register)]
    seen: set[str] = set()
    values: set[int] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for writer in writers.get(name, ()):
            value = _parameter(writer, launch)
            if value is not None:
                values.add(value)
            elif writer.base not in ("ld", "atom"):
                waiting.extend(reads(writer))
    return values


def _parameter(instruction: Instruction, launch: SampledLaunch) -> int | None:
    """The value that a 64-bit `ld.param` loads from the launch's parameter block."""
    if instruction.base != "ld" or "param" not in instruction.modifiers:
        return None
    if TYPE_BYTES.get(instruction.type) != _POINTER_BYTES:
        return None
    address = address_of(instruction)
    if address is None or not isinstance(address.base, Symbol):
        return None
    symbol = address.base.name
    for variable in launch.kernel.parameters:
        if variable.name == symbol:
            at = variable.offset + address.base.offset + address.offset
            return int.from_bytes(launch.request.parameters[at : at + _POINTER_BYTES], "little")
    return None


def _holder(pointer: int, allocations: Sequence[tuple[int, int]]) -> int | None:
    """Index of the allocation that `pointer` lies in."""
    return next((i for i, (first, size) in enumerate(allocations) if first <= pointer < first + size), None)
