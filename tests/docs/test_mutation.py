"""The page of the mutation score is what its file says, and no survivor is passed over."""

import json
from typing import Any

from benchmarks.mutation.__main__ import PAGE, STORED
from benchmarks.mutation.page import KINDS, explanations, page, survivors, tally

LEAST = 0.9
"""Share of the faults that the referee has to find."""


def stored() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(STORED.read_text())
    return document


def test_the_page_is_fresh() -> None:
    assert PAGE.read_text() == page(stored()), "run python -m benchmarks.mutation --page"


def test_every_survivor_is_explained_and_nothing_else_is() -> None:
    places = {place for place, _ in survivors(stored()["kernels"])}
    assert places == set(explanations())
    assert {entry["kind"] for entry in explanations().values()} <= set(KINDS)


def test_nine_faults_of_ten_are_found_in_ten_operators() -> None:
    kernels = stored()["kernels"]
    refused, faults = tally(kernels)
    assert refused / faults >= LEAST
    assert len({name.split()[0] for name in kernels}) >= 10
