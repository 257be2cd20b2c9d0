"""The expert's planner: which strategies to try next, at which settings. Never the same pair twice."""

import numpy as np

from cudamaster.agents.builtin.bandit import choose
from cudamaster.agents.builtin.branch import Branch, Narrowing
from cudamaster.agents.builtin.catalog import strategies_for
from cudamaster.agents.nouns import Plan, Situation


def plan_round(situation: Situation, count: int, rng: np.random.Generator) -> list[Plan]:
    """Up to `count` plans, chosen by Thompson sampling; fewer, or none, when that is all that is left.

    The first round's plans come from as many different strategies as there are. Settings that make no
    difference, as far as can be told, are left for when nothing else is.
    """
    plans = list[Plan]()
    for idle in (False, True):
        plans += _chosen(situation, count - len(plans), rng, Narrowing(tuple(plans), idle))
    return plans


def _chosen(situation: Situation, count: int, rng: np.random.Generator, narrowing: Narrowing) -> list[Plan]:
    strategies = strategies_for(situation.operator, situation.precision)
    fresh = {s.name: Branch(s, situation, narrowing) for s in strategies}
    branches, plans = dict(fresh), list[Plan]()
    while branches and len(plans) < count:
        name = choose([branch.arm for branch in branches.values()], rng).name
        plan = branches[name].take(rng)
        if plan is not None:
            plans.append(plan)
        else:
            del fresh[name]
        if plan is None or not situation.history:
            del branches[name]
        branches = branches or dict(fresh)
    return plans
