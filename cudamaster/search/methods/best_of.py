"""Best of K: every candidate starts from the same first kernel, and none builds on another.

The first kernel is the fastest of those that were there before the search began, which the expert found; else
the baseline. The planner sees what was tried, so that no two candidates follow the same plan.
"""

from dataclasses import replace

import numpy as np

from cudamaster.agents.nouns import Situation
from cudamaster.search.method import Start

APART = 1
"""The island of the search's own candidates."""


def starts(situation: Situation, count: int, rng: np.random.Generator) -> list[Start]:
    """One start: the first kernel, with the whole history."""
    common = tuple(a for a in situation.history if a.island != APART)
    first = replace(situation, history=common).best
    return [Start(first.number, count, tuple(a.number for a in situation.history), APART)]
