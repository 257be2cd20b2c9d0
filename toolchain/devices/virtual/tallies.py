"""What single blocks and warps of a launch issue, and what that says of the whole grid."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.launch import SampledLaunch

SECTOR_BYTES, BANK_BYTES = 32, 4
Counts = NDArray[np.int64]


def ratio(most: float, mean: float) -> float:
    """How much the most is over the mean; 1 where nothing is done."""
    return max(1.0, most / mean) if mean > 0 else 1.0


def stretch(elapsed: int, work: int, there: int, places: int) -> float:
    """How much longer a launch takes than the work in a mean place.

    With fewer blocks `there` than the GPU has `places` for, a chain through all is shorter by as much.
    """
    found = ratio(elapsed, work)
    if there <= 1 or there >= places:
        return found
    return float(found ** (math.log(places) / math.log(there)))


def scaled_to_grid(sample: SampledLaunch, whole: Counts, longest: int) -> SampledLaunch:
    """The sample as if its blocks were the mean of the grid, whose counts of basic blocks are `whole`.

    Memory instructions count as often more, or less, as their basic blocks do. Those that no sampled block
    came to count as if no two lanes met: a block that knows that it is counted gains nothing by leaving to
    others what is slow.
    """
    share = len(sample.sampled_blocks) / sample.request.block_count
    lengths = np.array([len(block) for block in sample.kernel.blocks], dtype=np.int64)
    mean = float(whole[:, 0] @ lengths) / sample.request.block_count
    places = np.array([site.block_index for site in sample.sites], dtype=np.int64)
    factors = share * whole[:, 0] / np.maximum(1, sample.block_counts[:, 0])
    is_seen = sample.block_counts[places, :1] > 0
    counts = np.where(is_seen, sample.site_counts * factors[places, None], _at_worst(sample, share * whole))
    return replace(
        sample,
        block_counts=np.rint(share * whole).astype(np.int64),
        site_counts=np.rint(counts).astype(np.int64),
        path_counts=np.rint(sample.path_counts * factors).astype(np.int64),
        longest=ratio(longest, mean),
    )


def _at_worst(sample: SampledLaunch, executions: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """What the sites count if their basic blocks are executed so often, and no two lanes meet."""
    worst = np.zeros(sample.site_counts.shape)
    for number, site in enumerate(sample.sites):
        requests, lanes = executions[site.block_index]
        is_shared = site.space in ("shared", "shared_cluster")
        pieces = lanes * -(-site.bytes_per_lane // (BANK_BYTES if is_shared else SECTOR_BYTES))
        worst[number] = (requests, lanes, pieces, 0, 0) if is_shared else (requests, lanes, *[pieces] * 3)
    return worst


def unseen(sample: SampledLaunch, whole: Counts) -> float:
    """Share of the grid's instructions that is in basic blocks which no sampled block executed."""
    lengths = np.array([len(block) for block in sample.kernel.blocks], dtype=np.int64)
    missed = whole[:, 0] * (sample.block_counts[:, 0] == 0)
    return float(missed @ lengths) / max(1.0, float(whole[:, 0] @ lengths))


def of_parts(ends: SampledLaunch, others: SampledLaunch) -> tuple[float, float]:
    """The longest block and warp of a grid that has these ends, and blocks like `others` between them."""
    total = ends.request.block_count
    rest = (total - len(ends.sampled_blocks)) / len(others.sampled_blocks)
    own, issued = float(ends.instructions.sum()), rest * float(others.instructions.sum())
    most = max(_most(ends.instructions), _most(others.instructions))
    warp = ends.longest_warp * own + others.longest_warp * issued
    return ratio(most, (own + issued) / total), ratio(warp, own + issued)


def _most(values: Sequence[int] | Counts) -> float:
    return float(max(values, default=0))
