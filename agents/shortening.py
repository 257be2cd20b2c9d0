"""Keeps a prompt within its limit: what is dropped first, until it fits. A kernel is never cut.

The order: the example of the technique · the contrasting pair · strategies beyond the four most promising ·
history before the latest twelve · lessons before the latest twelve · lessons of earlier runs beyond three ·
the profile's lesser kernels and lines · history before the latest four · lessons of earlier runs ·
all lessons · all strategies · workloads beyond six.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

CHARACTERS_A_TOKEN = 3
"""Of prompts full of code, fewer than of prose: an estimate that is rather too high."""
LIMIT_TOKENS = 60_000
"""Of one prompt. The four main operators need 2,000 to 12,000 in a usual run."""

Variables = Mapping[str, Any]


def tokens_of(characters: int) -> int:
    """Tokens that a text of so many characters takes, rather too many."""
    return -(-characters // CHARACTERS_A_TOKEN)


def shortened(variables: Variables) -> Iterator[Variables]:
    """The variables as they are, then with one thing more dropped each time."""
    yield variables
    for drop in DROPS:
        variables = {**variables, **drop(variables)}
        yield variables


def _without(name: str, nothing: Any) -> Callable[[Variables], Variables]:
    return lambda variables: {name: nothing} if name in variables else {}


def _first(name: str, count: int) -> Callable[[Variables], Variables]:
    return lambda variables: {name: variables[name][:count]}


def _latest(name: str, count: int) -> Callable[[Variables], Variables]:
    return lambda variables: {name: variables[name][-count:]}


def _main_of_profile(variables: Variables) -> Variables:
    profile = variables["profile"]
    if not profile or not profile["kernels"]:
        return {}
    main = {**profile["kernels"][0], "hot_lines": profile["kernels"][0]["hot_lines"][:2]}
    return {"profile": {**profile, "kernels": [main]}}


DROPS: tuple[Callable[[Variables], Variables], ...] = (
    _without("example", None),
    _without("pair", None),
    _first("strategies", 4),
    _latest("history", 12),
    _latest("lessons", 12),
    _first("earlier", 3),
    _main_of_profile,
    _latest("history", 4),
    _without("earlier", []),
    _without("lessons", []),
    _without("strategies", []),
    _first("timed", 6),
)
