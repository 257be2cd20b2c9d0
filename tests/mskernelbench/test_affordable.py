"""Which timed workloads are compared with the reference."""

from pathlib import Path

import pytest

from cudamaster.toolchain.timing import Clock
from mskernelbench.affordable import (
    QUICK_COUNT,
    a_harder_one,
    affordable,
    at_any_rate,
    harder,
    in_spots,
    on_other_kinds,
)
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
    probe, *_ = on_other_kinds([square(64), square(512)], GEMM)
    assert (probe.shape["M"], probe.values, probe.exact) == (512, "one_hot", False)
    assert on_other_kinds([], GEMM) == ()


def test_the_probe_of_one_long_sum_is_exact() -> None:
    probe, *_ = on_other_kinds([Workload("paper", {"N": 1 << 20}, "shifted")], load_operator("dot_product"))
    assert probe.exact


def test_every_other_kind_of_values_is_compared_on_a_size_beyond_its_checks() -> None:
    relu = load_operator("relu")
    sizes = [Workload("paper", {"N": count}, "outliers") for count in (2, 2**14, 2**18)]
    found = on_other_kinds(sizes, relu)
    at = {kind: {int(w.shape["N"]) for w in found if w.values == kind} for kind in (w.values for w in found)}
    assert set(at) == {"ordinary", "wide", "special", "near_zero", "mixed"}
    assert all(2**18 in sizes for sizes in at.values())
    assert len(found) == len(at) + 1


def test_the_last_is_taken_with_probing_values_or_with_some_harder_ones() -> None:
    (one,) = a_harder_one([square(64), square(512)], GEMM)
    assert (one.shape["M"], one.values) == (512, "one_hot")
    sorting = load_operator("sorting")
    (other,) = a_harder_one([Workload("real", {"N": 9})], sorting)
    assert other.values == "mixed"
    assert a_harder_one([], GEMM) == ()


def test_values_that_are_exact_at_small_sizes_alone_are_not_taken_to_large_ones() -> None:
    kinds = {w.values for w in on_other_kinds([square(256)], GEMM)}
    assert kinds == {"one_hot", "ordinary", "mixed", "nan_row"}
    power = load_operator("matrix_power")
    large = [Workload("paper", {"N": 512, "P": 11}, "banded")]
    assert "mixed" not in {w.values for w in (*on_other_kinds(large, power), *harder(large[0], power))}


def test_a_matrix_that_is_read_from_a_file_keeps_its_values(tmp_path: Path) -> None:
    spmv = load_operator("spmv_csr")
    own = Workload("user", {"rows": 9, "cols": 9, "nnz": 9}, "shifted", "file", matrix=tmp_path)
    assert on_other_kinds([own], spmv) == ()


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
