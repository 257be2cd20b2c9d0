"""Messages that two sentences make up."""

import pytest

from cudamaster.errors import TeamFailed


@pytest.mark.parametrize("fault", ["is its address right?", "is its address right", "it ends here."])
def test_a_fault_and_what_follows_are_parted_by_one_mark(fault: str) -> None:
    ended = fault if fault[-1] in ".?" else f"{fault}."
    assert str(TeamFailed("r1", ValueError(fault))).startswith(f"{ended} What was paid for")
