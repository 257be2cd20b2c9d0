"""Work unevenly spread: no SM is done before its longest block, no block before its longest path."""

from dataclasses import replace

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.cost.counting import counts_of
from cudamaster.toolchain.devices.virtual.cost.l2_contents import L2Contents
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch, model_launch
from cudamaster.toolchain.devices.virtual.cost.verdict import bound_of
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.metrics import measure
from tests.doubles.known_kernels import resources
from tests.doubles.sampled_launch import kernel_of, sampled

GPU = load_gpu("h200")
CHAIN = "fma.rn.f32 %f1, %f1, %f2, %f3;" * 400
STREAMS = "".join(f"fma.rn.f32 %f{n}, %f{n}, %f300, %f301;" for n in range(1, 200))


def modelled(
    body: str, *, blocks: int, threads: int = 256, longest: float = 1.0, warp: float = 1.0
) -> ModelledLaunch:
    launch = sampled(kernel_of(f"{body} ret;"), grid=(blocks, 1, 1), block=(threads, 1, 1))
    launch = replace(launch, longest=longest, longest_warp=warp)
    return model_launch(launch, resources(), GPU, L2Contents(0.0))


def test_one_block_with_all_the_work_takes_as_long_as_it_does_alone() -> None:
    alone = modelled(STREAMS * 64, blocks=1)
    among_idle = modelled(STREAMS, blocks=64, longest=64.0)
    for resource in ("issue", "fma"):
        assert among_idle.demand.total(resource) == pytest.approx(alone.demand.total(resource), rel=0.01)
    assert among_idle.seconds == pytest.approx(alone.seconds, rel=0.02)


def test_a_block_no_longer_than_an_sm_has_to_do_anyway_changes_nothing() -> None:
    even, uneven = (modelled(STREAMS, blocks=40 * 132, longest=longest) for longest in (1.0, 4.0))
    assert uneven.seconds == even.seconds


def test_what_l2_and_dram_do_is_the_grids_however_it_is_spread() -> None:
    body = "ld.global.f32 %f1, [%rd1];" * 8
    even, uneven = (modelled(body, blocks=132, longest=longest) for longest in (1.0, 100.0))
    assert uneven.demand.total("l2") == even.demand.total("l2")
    assert uneven.demand.total("fabric") == pytest.approx(100 * even.demand.total("fabric"))


def test_a_block_lasts_as_long_as_its_longest_path() -> None:
    branch = f"setp.eq.s32 %p1, %r1, 0; @%p1 bra L; {CHAIN} L: ret;"
    launch = sampled(kernel_of(branch), grid=(132, 1, 1), block=(256, 1, 1), executions={1: 1 / 8})
    by_one = replace(launch, path_counts=np.full(3, len(launch.sampled_blocks)))
    mean, busiest = (model_launch(one, resources(), GPU, L2Contents(0.0)).latency for one in (launch, by_one))
    assert busiest.cycles > 5 * mean.cycles
    assert sum(busiest.by_instruction.values()) == pytest.approx(busiest.cycles, rel=0.1)


def test_a_launch_whose_blocks_wait_in_a_chain_is_longer_by_what_they_wait() -> None:
    launch = sampled(kernel_of(f"{CHAIN} ret;"), grid=(132, 1, 1), block=(256, 1, 1))
    alone, chained = (
        model_launch(replace(launch, stretch=stretch), resources(), GPU, L2Contents(0.0))
        for stretch in (1.0, 132.0)
    )
    assert chained.latency.cycles == pytest.approx(132 * alone.latency.cycles)
    assert chained.seconds > 50 * alone.seconds
    waits = sum(chained.latency.by_instruction.values())
    assert waits == pytest.approx(132 * sum(alone.latency.by_instruction.values()))


def test_the_sentence_and_the_metrics_name_the_imbalance() -> None:
    uneven = modelled(CHAIN, blocks=132, longest=100.0)
    assert "its busiest block does 100.0 times the mean block's work" in bound_of(uneven, 0.0)[1]
    assert measure(counts_of(uneven, GPU))["longest_block"] == 100.0
    by_warp = modelled(CHAIN, blocks=132, warp=8.0)
    assert "longest path through its warps is 8.0 times a mean warp's" in bound_of(by_warp, 0.0)[1]
    assert measure(counts_of(by_warp, GPU))["longest_warp"] == 8.0
    even = bound_of(modelled(CHAIN, blocks=132), 0.0)[1]
    assert "busiest block" not in even
    assert "longest path" not in even


def test_fewer_warps_are_resident_while_the_longest_block_is_alone() -> None:
    even, uneven = (modelled(CHAIN, blocks=4 * 132, longest=longest) for longest in (1.0, 40.0))
    assert measure(counts_of(uneven, GPU))["achieved_occupancy"] == pytest.approx(
        measure(counts_of(even, GPU))["achieved_occupancy"] / 4
    )
