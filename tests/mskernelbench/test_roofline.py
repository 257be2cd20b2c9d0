"""Where the roof lies."""

import pytest

from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision, Workload
from mskernelbench.roofline import peak_flops, roofline
from tests.doubles.scripted_device import SPEC

MATRIX_MUL, STENCIL = load_operator("matrix_mul"), load_operator("stencil_2d")
FP32, BF16 = Precision.FP32, Precision.BF16


def test_only_matrix_products_reach_the_tensor_cores() -> None:
    assert peak_flops(SPEC, MATRIX_MUL, BF16) == SPEC.bf16_tensor_flops
    assert peak_flops(SPEC, MATRIX_MUL, FP32) == SPEC.tf32_tensor_flops / 3
    assert peak_flops(SPEC, STENCIL, BF16) == SPEC.fp32_flops


def test_a_large_product_is_bound_by_compute_and_a_stencil_by_memory() -> None:
    product = Workload("user", {"M": 4096, "N": 4096, "K": 4096})
    roof = roofline(SPEC, MATRIX_MUL, BF16, product)
    assert roof.bound == "compute"
    assert roof.time_ms == pytest.approx(1e3 * 2 * 4096**3 / SPEC.bf16_tensor_flops)
    grid = Workload("user", {"r": 0.25, "nx": 8192, "ny": 8192})
    assert roofline(SPEC, STENCIL, FP32, grid).bound == "memory"


def test_a_workload_shorter_than_a_launch_is_bound_by_latency() -> None:
    assert roofline(SPEC, STENCIL, FP32, Workload("user", {"r": 0.25, "nx": 64, "ny": 64})).bound == "latency"


def test_the_floor_leaves_out_outputs_that_fit_into_l2() -> None:
    roof = roofline(SPEC, STENCIL, FP32, Workload("user", {"r": 0.25, "nx": 2048, "ny": 2048}))
    assert roof.floor_ms == pytest.approx(roof.time_ms / 2)
