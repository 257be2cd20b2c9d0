"""Which timed workloads are compared with the reference."""

import pytest

from cudamaster.toolchain.timing import Clock
from mskernelbench.affordable import QUICK_COUNT, affordable, at_any_rate, in_spots, probes
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision, Workload

GEMM = load_operator("matrix_mul")


def square(size: int, name: str = "user") -> Workload:
    return Workload(name, {"M": size, "N": size, "K": size}, "shifted")


def sizes(*shapes: Workload, quick: bool = False, clock: Clock = Clock.MODELLED) -> list[int]:
    return [int(w.shape["M"]) for w in affordable(shapes, GEMM, Precision.FP32, clock, quick=quick)]


def test_all_that_are_cheap_are_compared_lightest_first() -> None:
    assert sizes(square(512), square(64), square(4096)) == [64, 512]


def test_a_quick_verdict_compares_a_couple() -> None:
    assert sizes(square(32), square(96), square(64), square(128), quick=True) == [32, 64]
    assert QUICK_COUNT == 2


def test_a_measured_clock_affords_more() -> None:
    assert sizes(square(2048), square(256), clock=Clock.MEASURED) == [256, 2048]


def test_the_lightest_of_the_users_own_shapes_may_cost_more() -> None:
    assert sizes(square(1200), square(1024)) == [1024]
    assert sizes(square(1024, "paper")) == []


def test_what_would_take_hours_is_not_compared() -> None:
    assert sizes(square(16384)) == sizes(square(16384), quick=True) == []


@pytest.mark.parametrize("name", ["matrix_mul", "softmax_attention", "spmv_csr", "stencil_2d"])
@pytest.mark.parametrize("precision", list(Precision))
def test_every_operator_has_a_timed_workload_that_is_compared(name: str, precision: Precision) -> None:
    operator = load_operator(name)
    timed = [w for w in operator.workloads if w.set != "check"]
    assert affordable(timed, operator, precision, Clock.MODELLED, quick=False)
    assert affordable(timed, operator, precision, Clock.MODELLED, quick=True)


def test_the_heaviest_that_is_compared_is_probed_at_its_size() -> None:
    (probe,) = probes([square(64), square(512)], GEMM)
    assert (probe.shape["M"], probe.values, probe.exact) == (512, "one_hot", False)
    assert probes([], GEMM) == probes([square(64)], load_operator("relu")) == ()


def test_the_probe_of_one_long_sum_is_exact() -> None:
    (probe,) = probes([Workload("paper", {"N": 1 << 20}, "shifted")], load_operator("dot_product"))
    assert probe.exact


def test_what_no_sample_tells_is_compared_up_to_a_limit_and_one_beyond_it() -> None:
    scan = load_operator("prefix_sum")
    real = scan.in_set("real")
    drawn = set()
    for _ in range(20):
        light, heavy = at_any_rate(real, scan, Precision.FP32)
        assert [w.shape["N"] for w in light] == [128_256, 4096 * 4096]
        drawn |= {w.shape["N"] for w in heavy}
    assert drawn == {50_000_017}


def test_the_lightest_is_always_compared_in_spots_and_others_the_less_often_the_heavier_they_are() -> None:
    heavy = square(4096)
    assert tuple(in_spots([heavy], GEMM, Precision.FP32)) == (heavy,)
    drawn = [len(in_spots([heavy], GEMM, Precision.FP32, least=0)) for _ in range(300)]
    assert 0 < sum(drawn) < 100
