"""What passes and what fails as a five-point stencil, in both precisions."""

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "stencil_2d"


def step(keep: e.Round = e.fp32, factored: bool = False) -> Kernel:
    """One step in FP32 arithmetic whose every result is held as `keep` rounds it."""

    def kernel(case: Case) -> e.F32:
        u = keep(case.arrays["u_old"].astype(np.float32))
        r = keep(np.array(case.workload.shape["r"], np.float32))
        new = u.copy()
        if min(u.shape) > 2:
            c = u[1:-1, 1:-1]
            total = keep(keep(u[1:-1, :-2] + u[1:-1, 2:]) + keep(u[:-2, 1:-1] + u[2:, 1:-1]))
            if factored:
                new[1:-1, 1:-1] = keep(keep((1 - 4 * r) * c) + keep(r * total))
            else:
                new[1:-1, 1:-1] = keep(c + keep(r * keep(total - 4 * c)))
        return new

    return kernel


@pytest.mark.parametrize("factored", [False, True])
@pytest.mark.parametrize("precision", Precision)
def test_fp32_arithmetic_in_either_form_passes(precision: Precision, factored: bool) -> None:
    assert not refused(NAME, precision, step(factored=factored))


def test_fp32_arithmetic_stays_below_half_the_bound() -> None:
    assert worst(NAME, Precision.FP32, step()) <= 0.5


@pytest.mark.parametrize("keep", [e.tf32, e.fp16, e.bf16])
def test_narrow_arithmetic_fails_as_fp32(keep: e.Round) -> None:
    assert len(refused(NAME, Precision.FP32, step(keep))) >= len(cases(NAME, Precision.FP32)) - 1


def test_bf16_arithmetic_fails_as_bf16() -> None:
    assert len(refused(NAME, Precision.BF16, step(e.bf16))) >= 5


@pytest.mark.parametrize("precision", Precision)
def test_a_step_that_leaves_out_a_neighbour_or_updates_edges_fails(precision: Precision) -> None:
    def without_up(case: Case) -> np.ndarray:
        u, r = case.arrays["u_old"].astype(np.float64), case.workload.shape["r"]
        new = case.answer.reference.copy()
        if min(u.shape) > 2:
            new[1:-1, 1:-1] -= r * u[:-2, 1:-1]
        return new

    def periodic(case: Case) -> np.ndarray:
        u, r = case.arrays["u_old"].astype(np.float64), case.workload.shape["r"]
        around = sum(np.roll(u, shift, axis) for shift in (1, -1) for axis in (0, 1))
        return u + r * (around - 4 * u)

    assert len(refused(NAME, precision, without_up)) >= 6
    assert len(refused(NAME, precision, periodic)) >= 9
