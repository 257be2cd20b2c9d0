"""Sampled launches written by hand: PTX text, executions a warp, what memory instructions' requests touch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch, Site
from cudamaster.toolchain.devices.virtual.ptx.nouns import TYPE_BYTES, Instruction, Kernel
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module

KINDS = {
    "ld": "load",
    "st": "store",
    "atom": "atomic",
    "red": "atomic",
    "ldmatrix": "ldmatrix",
    "cp": "async_copy",
}
NO_ACCESS = frozenset({"param", "commit_group", "wait_group", "wait_all"})
"""Modifiers of what has no counters."""


@dataclass(frozen=True)
class Touch:
    """What one warp-wide request touches."""

    sectors: float
    missed: float = 0.0
    lines: float = 1.0
    lanes: float = 32.0


def kernel_of(body: str, parameters: str = "", declarations: str = "") -> Kernel:
    """A kernel `k` with this body."""
    registers = (
        ".reg .pred %p<40>; .reg .b32 %r<400>; .reg .f32 %f<400>; .reg .b64 %rd<100>; .reg .f64 %fd<40>;"
    )
    text = (
        f".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k({parameters})\n"
        f"{{\n{registers}\n{declarations}\n{body}\n}}\n"
    )
    return parse_module(text).kernels["k"]


def code(body: str) -> list[Instruction]:
    """The instructions of a kernel with this body."""
    return [instruction for block in kernel_of(body).blocks for instruction in block]


def space_of(instruction: Instruction) -> str:
    """State space by the opcode."""
    spaces = ("shared", "global", "local", "const")
    if instruction.base == "cp":
        return "global"
    return next((space for space in spaces if space in instruction.modifiers), "generic")


def sampled(
    kernel: Kernel,
    *,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    executions: Mapping[int, float] | None = None,
    touches: Sequence[Touch] = (),
    footprint: Callable[[int], NDArray[np.uint64]] = lambda block: np.empty(0, np.uint64),
    allocations: tuple[tuple[int, int], ...] = (),
    samples: Sequence[int] | None = None,
    shared_bytes: int = 0,
    parameters: bytes = b"",
    lanes: float = 32.0,
) -> SampledLaunch:
    """Counters of the sampled blocks, all alike.

    `executions` are executions a warp by basic block, 1 where not given; `touches` belong to the memory
    instructions in order; `footprint` gives a block's sectors.
    """
    request = LaunchRequest("k", grid, block, shared_bytes, parameters)
    chosen = tuple(samples if samples is not None else default_samples(request))
    warps = request.warps_per_block * len(chosen)
    per_block = [warps * (executions or {}).get(i, 1) for i in range(len(kernel.blocks))]
    sites, rows = [], []
    for i, instructions in enumerate(kernel.blocks):
        for instruction in instructions:
            if instruction.base in KINDS and NO_ACCESS.isdisjoint(instruction.modifiers):
                width = {"v2": 2, "v4": 4}.get(
                    next((m for m in instruction.modifiers if m in ("v2", "v4")), ""), 1
                )
                size = TYPE_BYTES.get(instruction.type, 4) * width
                sites.append(Site(instruction, i, space_of(instruction), KINDS[instruction.base], size))
                touch = touches[len(sites) - 1] if len(sites) <= len(touches) else Touch(4, 4)
                rows.append(
                    [per_block[i] * n for n in (1, touch.lanes, touch.sectors, touch.missed, touch.lines)]
                )
    return SampledLaunch(
        request=request,
        kernel=kernel,
        sampled_blocks=chosen,
        block_counts=np.array([[n, n * lanes] for n in per_block], dtype=np.int64),
        sites=tuple(sites),
        site_counts=np.array(rows, dtype=np.int64).reshape(len(sites), 5),
        footprints=tuple(footprint(b) for b in chosen),
        allocations=allocations,
        seconds=0.0,
    )


def default_samples(request: LaunchRequest) -> list[int]:
    """First, last and middle block with neighbours in x and y."""
    total, width = request.block_count, request.grid[0]
    middle = total // 2
    wanted = {0, total - 1, middle, middle + 1, middle + width, total // 5}
    return sorted(b for b in wanted if b < total)


def run_of_sectors(first_byte: int, size: int) -> NDArray[np.uint64]:
    """Sectors of a range of addresses."""
    return np.arange(first_byte // 32, -(-(first_byte + size) // 32), dtype=np.uint64)
