"""What passes and what fails as a seven-point stencil, in both precisions."""

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "stencil_3d"


def step(keep: e.Round = e.fp32, factored: bool = False) -> Kernel:
    """One step in FP32 arithmetic whose every result is held as `keep` rounds it."""

    def kernel(case: Case) -> e.F32:
        u = keep(case.arrays["u_old"].astype(np.float32))
        r = keep(np.array(case.workload.shape["r"], np.float32))
        new = u.copy()
        if min(u.shape) > 2:
            c = u[1:-1, 1:-1, 1:-1]
            along_k = keep(u[1:-1, 1:-1, :-2] + u[1:-1, 1:-1, 2:])
            along_j = keep(u[1:-1, :-2, 1:-1] + u[1:-1, 2:, 1:-1])
            along_i = keep(u[:-2, 1:-1, 1:-1] + u[2:, 1:-1, 1:-1])
            total = keep(keep(along_k + along_j) + along_i)
            split = keep(keep((1 - 6 * r) * c) + keep(r * total))
            new[1:-1, 1:-1, 1:-1] = split if factored else keep(c + keep(r * keep(total - 6 * c)))
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
def test_a_cell_of_a_face_that_is_not_copied_exactly_fails(precision: Precision) -> None:
    def bent(case: Case) -> np.ndarray:
        new = case.answer.reference.copy()
        new.flat[0] = new.flat[0] * (1 + 4 * precision.unit_roundoff) if new.flat[0] else 2.0**-100
        return new

    assert len(refused(NAME, precision, bent)) == len(cases(NAME, precision))


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize("axis", range(3))
def test_a_step_that_leaves_out_a_neighbour_fails(precision: Precision, axis: int) -> None:
    def without_the_one_before(case: Case) -> np.ndarray:
        u, r = case.arrays["u_old"].astype(np.float64), case.workload.shape["r"]
        new = case.answer.reference.copy()
        if min(u.shape) > 2:
            new[1:-1, 1:-1, 1:-1] -= r * np.roll(u, 1, axis)[1:-1, 1:-1, 1:-1]
        return new

    assert len(refused(NAME, precision, without_the_one_before)) >= 6


@pytest.mark.parametrize("precision", Precision)
def test_a_periodic_step_and_the_step_of_a_plane_fail(precision: Precision) -> None:
    def periodic(case: Case) -> np.ndarray:
        u, r = case.arrays["u_old"].astype(np.float64), case.workload.shape["r"]
        around = sum(np.roll(u, shift, axis) for shift in (1, -1) for axis in range(3))
        return u + r * (around - 6 * u)

    def four_times_the_centre(case: Case) -> np.ndarray:
        u, r = case.arrays["u_old"].astype(np.float64), case.workload.shape["r"]
        new = case.answer.reference.copy()
        if min(u.shape) > 2:
            new[1:-1, 1:-1, 1:-1] += r * 2 * u[1:-1, 1:-1, 1:-1]
        return new

    assert len(refused(NAME, precision, periodic)) >= 12
    assert len(refused(NAME, precision, four_times_the_centre)) >= 8
