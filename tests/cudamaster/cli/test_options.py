"""Options that several commands share."""

import pytest

from cudamaster.cli.options import parse_sets
from cudamaster.errors import UnknownName


def test_all_sets_are_judged_but_over_the_published_baseline_those_it_was_made_for() -> None:
    assert parse_sets(None) == ("check", "paper", "real")
    assert parse_sets(None, "published") == ("check", "paper")
    assert parse_sets("real, check", "published") == ("real", "check")


@pytest.mark.parametrize("text", ["papers", "check,papers", ",", ""])
def test_a_set_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(UnknownName, match="workload set"):
        parse_sets(text)
