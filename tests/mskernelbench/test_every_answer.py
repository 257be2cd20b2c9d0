"""For every operator and precision: what its comparison must accept, and what it must refuse.

An output of one element holds little: there a wrong kernel must be refused on a quarter of the workloads at
least, elsewhere on every one whose answer is more than zeros or one number.
"""

import ml_dtypes
import numpy as np
import pytest

from mskernelbench.answers import draw_inputs, element_dtype
from mskernelbench.catalog import operator_names
from mskernelbench.operator import Kind, Precision
from mskernelbench.poison import poisoned
from tests.mskernelbench.cases import Case, Kernel, by_workload, cases, refused

EVERY = [(name, precision) for name in operator_names() for precision in Precision]
each = pytest.mark.parametrize(("name", "precision"), EVERY)
LEAST_SHARE = 0.25
"""Of the workloads on which a wrong answer of one element must be refused."""


def interesting(case: Case) -> bool:
    """Whether the answer is more than zeros or one number, so that a constant can be told from it."""
    finite = case.answer.reference[np.isfinite(case.answer.reference)]
    return finite.size > 1 and float(np.ptp(finite)) > 0.05 * float(np.abs(finite).max())


def is_single(case: Case) -> bool:
    return case.answer.reference.size == 1


def escapes(asked: list[Case], kernel: Kernel) -> list[str]:
    """Labels of the cases in which a wrong `kernel` passes and must not."""
    passed = [case for case in asked if case.outcome(kernel).right]
    if not all(is_single(case) for case in asked):
        return [case.label for case in passed if interesting(case)]
    return [case.label for case in passed] if len(passed) > (1 - LEAST_SHARE) * len(asked) else []


def several(name: str, precision: Precision) -> list[Case]:
    """The cases of the outputs that have more than one element in any workload."""
    wide = {case.output for case in cases(name, precision) if not is_single(case)}
    return [case for case in cases(name, precision) if case.output in wide]


@each
def test_the_rounded_float64_answer_passes(name: str, precision: Precision) -> None:
    assert not refused(name, precision, lambda case: case.answer.reference)


@each
def test_zeros_ones_and_the_mean_fail(name: str, precision: Precision) -> None:
    def mean(case: Case) -> np.ndarray:
        return np.full_like(case.answer.reference, np.nanmean(case.answer.reference))

    asked = list(cases(name, precision))
    assert not escapes(asked, lambda case: np.zeros_like(case.answer.reference))
    assert not escapes(asked, lambda case: np.ones_like(case.answer.reference))
    assert not escapes(several(name, precision), mean)


def copied(case: Case, tensor: str) -> np.ndarray:
    """The input `tensor`, repeated or cut to the output's size."""
    source = case.arrays[tensor]
    shape = case.answer.reference.shape
    return np.resize(source, shape) if source.size else np.ones(shape)


@each
def test_every_input_copied_to_every_output_fails(name: str, precision: Precision) -> None:
    """Unless that is the operator: where the float64 answer is the input, element for element."""
    for output in dict.fromkeys(case.output for case in cases(name, precision)):
        asked = [case for case in cases(name, precision) if case.output == output]
        for tensor in asked[0].arrays:
            if all(np.array_equal(c.answer.reference, copied(c, tensor), equal_nan=True) for c in asked):
                assert asked[0].operator.exact
                continue
            assert not all(c.compare(copied(c, tensor)).right for c in asked), (tensor, output)


@each
def test_the_answer_to_another_seed_fails(name: str, precision: Precision) -> None:
    """Where it differs: some answers (A⁰, the order of sorted data) follow from the workload alone."""
    asked, passed, differing = 0, [], 0
    for label, group in by_workload(name, precision).items():
        other = draw_inputs(group[0].operator, group[0].workload, precision, seed=2)
        stale = group[0].operator.reference(group[0].workload, other)
        same = all(np.array_equal(stale[c.output], c.answer.reference, equal_nan=True) for c in group)
        single = all(is_single(case) for case in group)
        differing += not same
        if same or not (single or any(interesting(case) for case in group)):
            continue
        asked += 1
        if all(case.compare(stale[case.output]).right for case in group):
            passed.append((label, single))
    assert differing > len(by_workload(name, precision)) / 2
    assert [label for label, single in passed if not single] == []
    assert len(passed) <= (1 - LEAST_SHARE) * asked


@each
def test_an_unwritten_last_element_fails(name: str, precision: Precision) -> None:
    def tail(case: Case) -> np.ndarray:
        answer = case.answer.reference.copy()
        poison = float(poisoned((1,), case.dtype)[0])
        answer.flat[-1:] = 0.0 if np.isnan(answer.flat[-1]) else poison
        return answer

    for case in cases(name, precision):
        assert not case.outcome(tail).right, case.label


@pytest.mark.parametrize("name", operator_names())
def test_an_output_rounded_to_bf16_fails_as_fp32(name: str) -> None:
    def rounded(case: Case) -> np.ndarray:
        return case.answer.reference.astype(ml_dtypes.bfloat16).astype(np.float64)

    floats = [c for c in cases(name, Precision.FP32) if c.dtype == np.float32]
    changed = [c for c in floats if not np.array_equal(rounded(c), c.answer.reference, equal_nan=True)]
    assert changed
    assert not escapes(changed, rounded)


@each
def test_inputs_have_their_declared_type_and_are_the_same_bytes_again(
    name: str, precision: Precision
) -> None:
    for case in cases(name, precision):
        again = draw_inputs(case.operator, case.workload, precision, seed=1)
        types = {
            p.name: element_dtype(p, precision) for p in case.operator.signature if p.kind is Kind.TENSOR
        }
        for tensor, array in case.arrays.items():
            assert array.dtype == types[tensor] if tensor in types else array.ndim == 0, tensor
            assert array.tobytes() == again[tensor].tobytes()


@each
def test_check_labels_differ(name: str, precision: Precision) -> None:
    labels = [case.label for case in cases(name, precision)]
    assert len(labels) == len(set(labels))
