import pytest

from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES
from cudamaster.toolchain.devices.virtual.cost.duration import combine, launch_overhead_s
from cudamaster.toolchain.devices.virtual.specs import load_gpu


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
