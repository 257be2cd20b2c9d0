"""Single-line refinement: every candidate starts from the best kernel so far, as in the paper."""

import numpy as np

from cudamaster.agents.nouns import Situation
from cudamaster.search.method import Start


def starts(situation: Situation, count: int, rng: np.random.Generator) -> list[Start]:
    """One start: the best, with the whole history."""
    return [Start(situation.best.number, count, tuple(a.number for a in situation.history))]
