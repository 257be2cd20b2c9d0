"""Calls whose sampled blocks are counted within whole launches: a plan says so, or they depend on others."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Scalar
from cudamaster.toolchain.devices.virtual.hosting import Region
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.sampling import SamplePlan
from cudamaster.toolchain.devices.virtual.session import Session
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.toolchain.virtual.host.recording import Build

COUNT = 1000
PLAIN = SamplePlan(blocks=6, whole_below=1.0)
"""Nothing runs whole for being cheap."""
ONCE = SamplePlan(blocks=6, same_launches=1, drawn_repeats=0)
"""Of like launches, the first alone is looked at."""
WITHIN = SamplePlan(blocks=6, within=True)


class Bench:
    """A session whose GPU holds twelve blocks, and an output `y`."""

    def __init__(self, built: Build) -> None:
        library = built(Path(__file__).with_name("shares.cu"))
        self.session = Session(library, load_gpu("h200").device, residents=lambda request: 12)
        self.x, self.y = np.ones(COUNT, np.float32), np.zeros(COUNT, np.float32)

    def regions(self) -> list[Region]:
        return [
            Region(array.ctypes.data, array.nbytes, writable=name == "y", name=name)
            for name, array in (("x", self.x), ("y", self.y))
        ]

    def call(self, entry: str, plan: SamplePlan, *sizes: int, read: bool = False) -> SampledLaunch:
        arrays: list[Any] = [a.ctypes.data for a in ((self.y, self.x) if read else (self.y,))]
        numbers = [Scalar(f"n{i}", size, "int") for i, size in enumerate(sizes)]
        report = self.session.call(entry, [*arrays, *numbers], plan)
        assert not report.failed, report.reason
        ((sample, _),) = report.samples
        return sample


@pytest.fixture
def bench(built: Build) -> Iterator[Bench]:
    made = Bench(built)
    with made.session.buffers(made.regions()):
        yield made


def issued(sample: SampledLaunch) -> float:
    lengths = np.array([len(block) for block in sample.kernel.blocks])
    return float(sample.block_counts[:, 0] @ lengths) / len(sample.sampled_blocks)


def shares(y: NDArray[np.float32]) -> list[int]:
    return np.bincount(y.astype(int), minlength=12).tolist()


@pytest.mark.parametrize("plan", [PLAIN, WITHIN])
def test_an_honest_queue_is_shared_out_evenly_however_it_is_sampled(bench: Bench, plan: SamplePlan) -> None:
    sample = bench.call("queue", plan, 960, 12)
    assert shares(bench.y[:960]) == [80] * 12
    assert sample.longest == pytest.approx(1.0, abs=0.02)


def test_one_queue_is_as_much_work_for_fewer_blocks(bench: Bench) -> None:
    many, few = (bench.call("queue", PLAIN, 960, blocks) for blocks in (12, 8))
    assert issued(few) == pytest.approx(1.5 * issued(many), rel=0.02)


def test_blocks_that_wait_for_others_are_counted_among_them_all(bench: Bench) -> None:
    sample = bench.call("chain", PLAIN, 12)
    assert len(sample.sampled_blocks) < 12
    assert np.all(bench.y[:12] > 0)


def test_a_block_that_alone_is_busy_is_counted_though_no_plan_names_it(bench: Bench) -> None:
    sample = bench.call("uneven", WITHIN, 7, 60, read=True)
    assert 7 in sample.sampled_blocks
    assert sample.longest > 5
    loads = sum(c[0] for s, c in zip(sample.sites, sample.site_counts, strict=True) if s.kind == "load")
    assert loads == pytest.approx(4000 * len(sample.sampled_blocks) / 60, rel=0.01)


def test_all_of_a_call_is_right_where_it_is_counted_within(bench: Bench) -> None:
    bench.call("uneven", WITHIN, 7, 60, read=True)
    assert bench.y[:60].tolist() == [4000.0 if block == 7 else 0.0 for block in range(60)]


def test_a_cheap_launch_is_counted_within_the_whole_though_nothing_asks_for_it(bench: Bench) -> None:
    plain, cheap = (bench.call("uneven", plan, 7, 60, read=True) for plan in (PLAIN, SamplePlan(blocks=6)))
    assert plain.longest == pytest.approx(1.0, abs=0.2)
    assert cheap.longest > 5


@pytest.mark.parametrize("plan", [ONCE, replace(ONCE, within=True)])
def test_one_of_many_launches_that_does_more_counts_for_itself(bench: Bench, plan: SamplePlan) -> None:
    numbers = [Scalar("at", 20, "int"), Scalar("launches", 30, "int")]
    report = bench.session.call("one_of_many", [bench.y.ctypes.data, *numbers], plan)
    found = [(issued(s), n) for s, n in report.samples if s.request.block_count == 60]
    light, heavy = min(found), max(found)
    assert (light[1], heavy[1]) == (29, 1)
    assert heavy[0] > 100 * light[0]
