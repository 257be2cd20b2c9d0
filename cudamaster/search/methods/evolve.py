"""Evolution on islands: populations that grow apart, each from parents chosen by reward, and meet at times.

Every island begins with the baseline and what the expert found. Each round, the candidates are dealt out to
the islands in turn. A candidate's parent is drawn from its island's correct kernels with probability
proportional to exp(reward / TEMPERATURE), and its roles see its island's attempts only. Every few rounds, the
best of each island's own attempts also joins the next island. Islands with softmax selection follow
Romera-Paredes et al. 2024, Nature 625 (FunSearch); migration along a ring is older (Whitley et al. 1999).
"""

from collections import Counter

import numpy as np

from cudamaster.agents.nouns import Attempt, Situation
from cudamaster.search.method import Start

ISLANDS = 3
TEMPERATURE = 0.5
"""In rewards, which are log2 of speedups: a kernel twice as fast is chosen 7.4 times as often."""
MIGRATION_ROUNDS = 3
"""Rounds between two migrations."""


def starts(situation: Situation, count: int, rng: np.random.Generator) -> list[Start]:
    """A start for each island whose turn it is."""
    first = (situation.round - 1) * count
    turns = Counter((first + slot) % ISLANDS + 1 for slot in range(count))
    return [_start(situation, island, turns[island], rng) for island in sorted(turns)]


def _start(situation: Situation, island: int, count: int, rng: np.random.Generator) -> Start:
    seen = population(situation, island)
    parent = _drawn([situation.baseline, *(a for a in seen if a.evaluation.correct)], rng)
    return Start(parent.number, count, tuple(a.number for a in seen), island)


def population(situation: Situation, island: int) -> list[Attempt]:
    """An island's attempts: the common ones, its own, and the guests from the island before it."""
    guests = _guests(situation, (island - 2) % ISLANDS + 1)
    return [a for a in situation.history if a.island in (0, island) or a.number in guests]


def _guests(situation: Situation, home: int) -> set[int]:
    """Numbers of those that left `home`: at each migration so far, the best of its own."""
    guests = set()
    for migration in range(MIGRATION_ROUNDS, situation.round, MIGRATION_ROUNDS):
        own = [a for a in situation.history if a.island == home and a.round <= migration]
        correct = [a for a in own if a.evaluation.correct]
        guests |= {max(correct, key=lambda a: a.reward).number} if correct else set()
    return guests


def _drawn(attempts: list[Attempt], rng: np.random.Generator) -> Attempt:
    """One of them, by softmax of their rewards."""
    rewards = np.array([attempt.reward for attempt in attempts])
    chances = np.exp((rewards - rewards.max()) / TEMPERATURE)
    return attempts[int(rng.choice(len(attempts), p=chances / chances.sum()))]
