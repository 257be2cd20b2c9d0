"""A piece's answer is the whole workload's answer at its places, for every operator that can be cut."""

import numpy as np
import pytest

from mskernelbench.answers import draw_inputs, right_answers
from mskernelbench.catalog import load_operator, operator_names
from mskernelbench.operator import Operator, Precision
from mskernelbench.pieces import Wanted, stretches

OPERATORS = [load_operator(name) for name in operator_names()]
CUT = [operator for operator in OPERATORS if operator.cut is not None]


@pytest.mark.parametrize("operator", CUT, ids=lambda operator: operator.name)
@pytest.mark.parametrize("precision", Precision)
def test_a_pieces_answer_is_the_wholes_answer_there(operator: Operator, precision: Precision) -> None:
    assert operator.cut is not None
    rng, compared = np.random.default_rng(3), 0
    for workload in operator.in_set("check")[:5]:
        arrays = draw_inputs(operator, workload, precision, seed=3)
        for name, answer in right_answers(operator, workload, arrays, precision).items():
            flat = answer.reference.reshape(-1)
            places = np.sort(rng.choice(flat.size, min(flat.size, 40), replace=False))
            wanted = Wanted(name, answer.reference.shape, places)
            for piece in operator.cut(workload, arrays, wanted):
                own = right_answers(operator, piece.workload, piece.arrays, precision)[name]
                whole = np.unravel_index(places[piece.covered], wanted.dimensions)
                np.testing.assert_allclose(
                    own.reference[piece.coordinates], answer.reference[whole], rtol=1e-12
                )
                np.testing.assert_allclose(own.bound[piece.coordinates], answer.bound[whole], rtol=1e-6)
                compared += len(piece.covered)
    assert compared > 40


def test_most_operators_can_be_cut() -> None:
    whole = {operator.name for operator in OPERATORS if operator.cut is None and operator.outputs is not None}
    assert len(CUT) >= 30, whole


def test_stretches_end_at_gaps_and_at_ends_of_lines() -> None:
    wanted = Wanted("y", (3, 4), np.array([0, 1, 3, 4, 5, 9]))
    assert [s.tolist() for s in stretches(wanted)] == [[0, 1], [2], [3, 4], [5]]
