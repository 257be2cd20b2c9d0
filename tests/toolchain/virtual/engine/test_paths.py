"""A block is as long as the longest path through its warps, which goes on from one to another at barriers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.launch import SampledLaunch

Make = Callable[..., Any]
STEPS = 1000


def walked(bench: Make, kernel: str, warps: int) -> tuple[float, SampledLaunch]:
    """Steps along the longest path of one block, in multiples of STEPS."""
    b = bench("paths.cu")
    request = b.request(kernel, b.array(np.zeros(32 * warps), np.float32), STEPS, block=32 * warps)
    sample = b.engine.sample(request, [0])
    assert isinstance(sample, SampledLaunch)
    loops = [i for i, block in enumerate(sample.kernel.blocks) if any("fma" in one.opcode for one in block)]
    return float(sample.path_counts[loops].sum()) / STEPS, sample


@pytest.mark.parametrize(
    ("kernel", "warps", "steps"),
    [
        ("in_turns", 8, 8),
        ("in_turns", 1, 1),
        ("side_by_side", 8, 1),
        ("long_then_short", 4, 4 + 4),
        ("in_pairs", 4, 4),
        ("handed_on", 2, 4),
        ("after_the_others", 4, 2),
    ],
)
def test_the_longest_path_leads_through_the_barriers(
    bench: Make, kernel: str, warps: int, steps: int
) -> None:
    assert walked(bench, kernel, warps)[0] == pytest.approx(steps, rel=0.02)


def test_a_path_of_turns_is_as_many_times_a_warps_work_as_there_are_warps(bench: Make) -> None:
    _, sample = walked(bench, "in_turns", 8)
    assert sample.longest_warp == pytest.approx(8, rel=0.1)


def test_warps_that_work_side_by_side_have_no_longer_path_than_one(bench: Make) -> None:
    _, sample = walked(bench, "side_by_side", 8)
    assert sample.longest_warp == 1.0
