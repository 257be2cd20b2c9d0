"""A block is as long as the longest path through its warps: it leads from one to another where they meet."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.launch import SampledLaunch

Make = Callable[..., Any]
STEPS = 1000


def walked(bench: Make, kernel: str, warps: int, *more: int) -> tuple[float, SampledLaunch]:
    """Steps along the longest path of one block, in multiples of STEPS."""
    b = bench("paths.cu")
    request = b.request(kernel, b.array(np.zeros(32 * warps), np.float32), STEPS, *more, block=32 * warps)
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
        ("handed_from_warp_to_warp", 8, 8),
        ("handed_from_warp_to_warp", 2, 2),
        ("together_at_an_mbarrier", 4, 2 + 1),
    ],
)
def test_the_longest_path_leads_through_the_barriers(
    bench: Make, kernel: str, warps: int, steps: int
) -> None:
    assert walked(bench, kernel, warps)[0] == pytest.approx(steps, rel=0.02)


@pytest.mark.parametrize(("use", "steps"), [(0, 8), (0.5, 8 + 0.5), (1, 8 + 1), (3, 1 + 8 * 3)])
def test_of_a_pipeline_with_two_buffers_the_slower_half_counts_and_how_it_begins_or_ends(
    bench: Make, use: float, steps: float
) -> None:
    found, _ = walked(bench, "through_two_buffers", 2, int(use * STEPS))
    assert found == pytest.approx(steps, rel=0.02)


def test_polls_of_an_mbarrier_in_vain_are_no_path(bench: Make) -> None:
    _, sample = walked(bench, "handed_from_warp_to_warp", 8)
    polls = [i for i, b in enumerate(sample.kernel.blocks) if any(one.base == "mbarrier" for one in b)]
    assert sample.path_counts[polls].sum() < 32


def test_a_path_of_turns_is_as_many_times_a_warps_work_as_there_are_warps(bench: Make) -> None:
    _, sample = walked(bench, "in_turns", 8)
    assert sample.longest_warp == pytest.approx(8, rel=0.1)


def test_warps_that_work_side_by_side_have_no_longer_path_than_one(bench: Make) -> None:
    _, sample = walked(bench, "side_by_side", 8)
    assert sample.longest_warp == 1.0
