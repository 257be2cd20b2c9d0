"""What is said of an operator whose comparison lets wrong answers pass, or refuses right ones."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mskernelbench.operator import Arrays, Operator, Precision, Rounding, Workload
from mskernelbench.strictness import complaints
from tests.mskernelbench.small_operators import NEGATE, ORDER, WEIGHTED_SUM

FP32 = Precision.FP32


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize("operator", [NEGATE, ORDER, WEIGHTED_SUM], ids=lambda operator: operator.name)
def test_of_a_strict_operator_nothing_is_said(operator: Operator, precision: Precision) -> None:
    assert complaints(operator, precision) == []


def loose(operator: Operator) -> Operator:
    """With a bound that everything finite keeps."""

    def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> dict[str, Any]:
        references = operator.reference(workload, arrays)
        return {name: (Rounding(1, np.full_like(ref, 1e18)),) for name, ref in references.items()}

    return replace(operator, rounding=rounding, exact=False)


@pytest.mark.parametrize(
    "said",
    [
        "zeros pass (N=37 ordinary)",
        "ones pass (N=37 ordinary)",
        "the mean of the answer passes (N=37 ordinary)",
        "the input x passes as the output x",
        "the answer to another seed passes (N=37 ordinary)",
        "an output rounded to BF16 passes (N=37 ordinary)",
    ],
)
def test_every_wrong_answer_that_passes_is_named(said: str) -> None:
    assert said in complaints(loose(NEGATE), FP32)


def test_outputs_of_one_element_are_asked_for_too() -> None:
    found = complaints(loose(WEIGHTED_SUM), FP32)
    assert "zeros pass (N=1000 shifted)" in found
    assert "the answer to another seed passes (N=1000 shifted)" in found
    assert not any("mean" in sentence for sentence in found)


def test_an_unwritten_whole_number_that_passes_is_named() -> None:
    assert "an unwritten last element passes (N=37 ordinary order)" in complaints(loose(ORDER), FP32)


def test_a_reference_that_ignores_the_data_is_named() -> None:
    def reference(workload: Workload, arrays: Arrays) -> dict[str, Any]:
        return {"x": np.arange(float(workload.shape["N"]))}

    found = complaints(replace(NEGATE, reference=reference), FP32)
    assert "another seed changes the answers of 0 of 3 workloads only" in found


def test_an_answer_that_its_own_bound_refuses_is_named() -> None:
    def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> dict[str, Any]:
        return {"total": (Rounding(0, np.array([np.nan])),)}

    found = complaints(replace(WEIGHTED_SUM, rounding=rounding), FP32)
    assert "the right answer is refused (N=37 shifted)" in found
