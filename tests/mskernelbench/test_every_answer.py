"""For every operator and precision: what its comparison must accept, and what it must refuse."""

import numpy as np
import pytest

from mskernelbench.answers import draw_inputs
from mskernelbench.catalog import operator_names
from mskernelbench.operator import Precision
from tests.mskernelbench.cases import Case, Kernel, cases, refused

EVERY = [(name, precision) for name in operator_names() for precision in Precision]
each = pytest.mark.parametrize(("name", "precision"), EVERY)


def interesting(case: Case) -> bool:
    """Whether the answer is more than zeros or one number, so that a constant can be told from it."""
    finite = case.answer.reference[np.isfinite(case.answer.reference)]
    return finite.size > 1 and float(np.ptp(finite)) > 0.05 * float(np.abs(finite).max())


def accepted_where_interesting(name: str, precision: Precision, kernel: Kernel) -> list[str]:
    wrong = set(refused(name, precision, kernel))
    return [
        c.workload.label for c in cases(name, precision) if interesting(c) and c.workload.label not in wrong
    ]


@each
def test_the_rounded_float64_answer_passes(name: str, precision: Precision) -> None:
    assert not refused(name, precision, lambda case: case.answer.reference)


@each
def test_zeros_ones_and_the_mean_fail(name: str, precision: Precision) -> None:
    def mean(case: Case) -> np.ndarray:
        return np.full_like(case.answer.reference, np.nanmean(case.answer.reference))

    assert not accepted_where_interesting(name, precision, lambda case: np.zeros_like(case.answer.reference))
    assert not accepted_where_interesting(name, precision, lambda case: np.ones_like(case.answer.reference))
    assert not accepted_where_interesting(name, precision, mean)


@each
def test_every_input_copied_to_the_output_fails(name: str, precision: Precision) -> None:
    for tensor in cases(name, precision)[0].arrays:

        def copied(case: Case, tensor: str = tensor) -> np.ndarray:
            source = case.arrays[tensor]
            return (
                np.resize(source, case.answer.reference.shape)
                if source.size
                else np.ones(case.answer.reference.shape)
            )

        assert refused(name, precision, copied), tensor


@each
def test_the_answer_to_another_seed_fails(name: str, precision: Precision) -> None:
    def stale(case: Case) -> np.ndarray:
        other = draw_inputs(case.operator, case.workload, precision, seed=2)
        (answer,) = case.operator.reference(case.workload, other).values()
        return answer

    assert not accepted_where_interesting(name, precision, stale)


@each
def test_an_unwritten_last_element_fails(name: str, precision: Precision) -> None:
    def tail(case: Case) -> np.ndarray:
        answer = case.answer.reference.copy()
        answer.flat[-1:] = np.nan if np.isfinite(answer.flat[-1]) else 0.0
        return answer

    assert len(refused(name, precision, tail)) == len(cases(name, precision))


@pytest.mark.parametrize("name", operator_names())
def test_an_output_rounded_to_bf16_fails_as_fp32(name: str) -> None:
    import ml_dtypes

    def rounded(case: Case) -> np.ndarray:
        return case.answer.reference.astype(ml_dtypes.bfloat16)

    assert not accepted_where_interesting(name, Precision.FP32, rounded)


@each
def test_inputs_are_rounded_to_the_precision_and_the_same_bytes_again(
    name: str, precision: Precision
) -> None:
    for case in cases(name, precision):
        again = draw_inputs(case.operator, case.workload, precision, seed=1)
        for tensor, array in case.arrays.items():
            assert array.dtype in (precision.dtype, np.dtype(np.int32), np.dtype(np.float32))
            assert array.tobytes() == again[tensor].tobytes()


@each
def test_check_labels_differ(name: str, precision: Precision) -> None:
    labels = [case.workload.label for case in cases(name, precision)]
    assert len(labels) == len(set(labels))
