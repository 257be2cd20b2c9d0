from dataclasses import replace

import pytest

from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES
from cudamaster.toolchain.devices.virtual.cost.duration import combine, launch_overhead_s, overlap_exponent
from cudamaster.toolchain.devices.virtual.cost.subject import subject_of
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.doubles.known_kernels import resources
from tests.doubles.sampled_launch import kernel_of, sampled


def bounds(**cycles: float) -> dict[str, float]:
    return {r: cycles.get(r, 0.0) for resources in FAMILIES.values() for r in resources}


def test_one_bound_alone_is_the_time() -> None:
    assert combine(bounds(dram=100.0), 4).cycles == pytest.approx(100)


def test_resources_of_one_family_do_not_add_up() -> None:
    assert combine(bounds(dram=100.0, l2=99.0), 4).cycles == pytest.approx(100)


def test_two_equal_families_overlap_imperfectly() -> None:
    assert 100 < combine(bounds(dram=100.0, fma=100.0), 4).cycles < 125


def test_the_weights_are_shares_of_the_time() -> None:
    duration = combine(bounds(dram=100.0, fma=50.0, latency=80.0), 4)
    assert sum(duration.weights.values()) == pytest.approx(1)
    assert max(duration.weights, key=lambda f: duration.weights[f]) == "memory"
    assert duration.binding("memory") == "dram"


def test_a_short_kernel_cannot_follow_faster_than_the_host_launches() -> None:
    model = load_gpu("h200").model
    assert launch_overhead_s(0.1e-6, model, first=False) + 0.1e-6 == pytest.approx(
        model.host_launch_us * 1e-6
    )
    assert launch_overhead_s(1e-3, model, first=False) == pytest.approx(model.next_launch_us * 1e-6)


BLOCK_BARRIER = "bar.sync 0;"
MBARRIER = "mbarrier.test_wait.shared.b64 %p1, [%r1], %rd1;"
UNUSED = "setp.eq.s32 %p2, %r2, 0; @%p2 bra L; bar.sync 0; L: ret;"


def exponent(
    body: str, *, blocks: int = 132, longest: float = 1.0, executions: dict[int, int] | None = None
) -> float:
    launch = sampled(kernel_of(body), grid=(blocks, 1, 1), block=(128, 1, 1), executions=executions)
    return overlap_exponent(subject_of(replace(launch, longest=longest), resources(), load_gpu("h200")))


@pytest.mark.parametrize("barrier", [BLOCK_BARRIER, MBARRIER])
def test_a_lone_block_that_meets_alternates_between_loading_and_computing(barrier: str) -> None:
    assert exponent(f"{barrier} ret;") < exponent("ret;")


def test_a_barrier_that_never_runs_is_no_meeting() -> None:
    assert exponent(UNUSED, executions={1: 0}) == exponent("ret;") > exponent(UNUSED)


def test_blocks_side_by_side_fill_each_others_gaps_but_not_those_of_a_long_one() -> None:
    alike = exponent("bar.sync 0; ret;", blocks=4 * 132)
    assert alike == exponent("ret;")
    assert exponent("bar.sync 0; ret;", blocks=4 * 132, longest=4.0) == exponent("bar.sync 0; ret;")
