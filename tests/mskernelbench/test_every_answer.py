"""For every operator and precision: what its comparison must accept, and what it must refuse."""

import pytest

from mskernelbench.answers import draw_inputs, element_dtype
from mskernelbench.catalog import operator_names
from mskernelbench.operator import Kind, Precision
from mskernelbench.strictness import TRIALS, Trial
from tests.mskernelbench.cases import cases, seconds_of

EVERY = [(name, precision) for name in operator_names() for precision in Precision]
each = pytest.mark.parametrize(("name", "precision"), EVERY)


@each
def test_inputs_and_answers_of_all_checks_are_made_within_two_seconds(
    name: str, precision: Precision
) -> None:
    assert cases(name, precision)
    assert seconds_of[name, precision] < 2


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.__name__)
@each
def test_right_answers_pass_and_wrong_ones_fail(name: str, precision: Precision, trial: Trial) -> None:
    assert list(trial(cases(name, precision), precision)) == []


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
