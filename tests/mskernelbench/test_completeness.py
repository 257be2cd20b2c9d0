"""What an operator's declaration lacks is said with its remedy."""

from dataclasses import replace

import pytest

from mskernelbench.completeness import contract
from mskernelbench.operator import Contract, Operator
from tests.mskernelbench.small_operators import NEGATE, ORDER, STEP, WEIGHTED_SUM


@pytest.mark.parametrize("operator", [NEGATE, ORDER, STEP, WEIGHTED_SUM], ids=lambda operator: operator.name)
def test_outputs_may_be_in_place_or_not_or_both(operator: Operator) -> None:
    assert list(contract(operator)) == []


@pytest.mark.parametrize(
    ("operator", "given", "said"),
    [
        (STEP, Contract.IN_PLACE, "its output 'before' is not: declare it in_place(\"before\", …) where"),
        (STEP, Contract.IN_PLACE, "else give Contract.POISONED"),
        (NEGATE, Contract.POISONED, "all its outputs are in_place: give Contract.IN_PLACE"),
        (NEGATE, Contract.ZEROED, "all its outputs are in_place: give Contract.IN_PLACE"),
    ],
)
def test_a_contract_that_does_not_fit_is_said_with_what_does(
    operator: Operator, given: Contract, said: str
) -> None:
    (words,) = contract(replace(operator, contract=given))
    assert said in words
