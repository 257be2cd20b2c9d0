import pytest

from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES
from cudamaster.toolchain.devices.virtual.cost.duration import combine, copies_early, launch_overhead_s
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.doubles.sampled_launch import kernel_of


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


COPY = "cp.async.ca.shared.global [%r1], [%rd1], 16; cp.async.commit_group;"
READ = "ld.shared.f32 %f1, [%r2]; fma.rn.f32 %f2, %f1, %f1, %f2;"
WAIT, LAST = "cp.async.wait_group 0;", "cp.async.wait_group 1;"


@pytest.mark.parametrize(
    ("body", "early"),
    [
        (COPY + WAIT + READ, False),
        (COPY + WAIT + READ + COPY + WAIT + READ, False),
        (COPY + LAST + READ, True),
        (WAIT + COPY + READ, True),
        (COPY + READ + WAIT, True),
        (READ, False),
    ],
)
def test_copies_are_early_where_a_tile_is_read_while_they_are_under_way(body: str, early: bool) -> None:
    assert copies_early(kernel_of(f"{body} ret;")) is early
