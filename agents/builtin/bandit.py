"""Thompson sampling over strategies: a pure function of rewards so far, priors and a seeded generator.

Thompson (1933), Biometrika 25: draw from the posterior of each arm, pull the arm with the largest draw. The
reward of an arm's next pull is modelled as normal with known spread and a normal prior, so the posterior of
its mean is normal as well (Russo et al. 2018, A Tutorial on Thompson Sampling, section 3).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

PRIOR_WEIGHT = 1.0
"""How many rewards the prior counts for."""
SPREAD = 0.6
"""Standard deviation of a reward around its arm's mean, in log2 speedup: what a parameter changes."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One strategy as the bandit sees it."""

    name: str
    prior: float
    """Reward expected before anything was tried."""
    rewards: tuple[float, ...] = ()
    """Of its candidates so far."""


def posterior(arm: Arm) -> tuple[float, float]:
    """Mean and standard deviation of what the arm's next pull may earn.

    Only the better half of the rewards counts: the best setting is kept and the others are thrown away, so a
    bad neighbour of a good setting says little against the strategy.
    """
    kept = sorted(arm.rewards, reverse=True)[: math.ceil(len(arm.rewards) / 2)]
    weight = PRIOR_WEIGHT + len(kept)
    mean = (PRIOR_WEIGHT * arm.prior + sum(kept)) / weight
    return mean, SPREAD / math.sqrt(weight + len(arm.rewards) - len(kept))


def draw(arms: Sequence[Arm], rng: np.random.Generator) -> Mapping[str, float]:
    """One draw from each arm's posterior, by name."""
    return {arm.name: float(rng.normal(*posterior(arm))) for arm in arms}


def choose(arms: Sequence[Arm], rng: np.random.Generator) -> Arm:
    """The arm with the largest draw. Raises ValueError when there is no arm."""
    draws = draw(arms, rng)
    return max(arms, key=lambda arm: draws[arm.name])
