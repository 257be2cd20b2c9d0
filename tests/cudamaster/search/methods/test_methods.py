"""What each way to search starts candidates from, and which hills it climbs."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cudamaster.agents.nouns import Attempt, Plan, Situation
from cudamaster.errors import UnknownName
from cudamaster.search.method import Start, find_method, method_names
from cudamaster.search.methods.evolve import ISLANDS, MIGRATION_ROUNDS, population
from cudamaster.search.outcome import Outcome
from mskernelbench.evaluation import Status
from tests.doubles import scripted_run
from tests.doubles.landscape import Climbers, Hills, place_of
from tests.doubles.situations import attempt, evaluation, situation

PLAN = Plan("tile", "Stage a tile.", "L1 binds")


def tried(number: int, speedup: float, island: int = 0, round_number: int = 1) -> Attempt:
    """A correct attempt of this speedup."""
    verdict = evaluation(speedup=speedup)
    made = attempt(number, PLAN, verdict=verdict, reward=float(np.log2(speedup)))
    return replace(made, island=island, round=round_number)


def starts(name: str, now: Situation, count: int = 3, seed: int = 0) -> list[Start]:
    return find_method(name)(now, count, np.random.default_rng(seed))


def now_in(round_number: int, history: Sequence[Attempt]) -> Situation:
    return replace(situation(history=tuple(history)), round=round_number)


def test_the_folder_s_modules_are_what_there_is_to_choose_from() -> None:
    assert method_names() == ["best-of", "evolve", "refine"]
    with pytest.raises(UnknownName, match="did you mean evolve"):
        find_method("evolv")


@pytest.mark.parametrize("name", method_names())
def test_a_first_round_starts_all_its_candidates_from_the_baseline(name: str) -> None:
    chosen = starts(name, now_in(1, []), 4)
    assert {start.parent for start in chosen} == {0}
    assert sum(start.candidates for start in chosen) == 4


@pytest.mark.parametrize("name", method_names())
def test_the_same_random_numbers_make_the_same_choice(name: str) -> None:
    now = now_in(5, [tried(n, 1 + n / 10, n % ISLANDS + 1, 1 + n // 3) for n in range(1, 12)])
    assert starts(name, now, 4, seed=7) == starts(name, now, 4, seed=7)


def test_refining_starts_from_the_fastest_and_sees_everything() -> None:
    (start,) = starts("refine", now_in(3, [tried(1, 1.2), tried(2, 1.9), tried(3, 1.4)]))
    assert (start.parent, start.candidates, start.sees) == (2, 3, (1, 2, 3))


def test_best_of_starts_from_the_expert_s_best_whatever_was_found_since() -> None:
    history = [tried(1, 1.2), tried(2, 1.4), tried(3, 3.0, island=1, round_number=2)]
    (start,) = starts("best-of", now_in(3, history))
    assert (start.parent, start.sees) == (2, (1, 2, 3))


def test_islands_take_turns_where_candidates_are_fewer() -> None:
    turns = [start.island for r in range(1, 5) for start in starts("evolve", now_in(r, []), 2)]
    assert turns == [1, 2, 1, 3, 2, 3, 1, 2]


def test_an_island_does_not_see_another_s_attempts_before_they_migrate() -> None:
    history = [tried(1, 1.1), *(tried(n, 1 + n / 10, n - 1, 2) for n in (2, 3, 4))]
    before = now_in(MIGRATION_ROUNDS, history)
    after = now_in(MIGRATION_ROUNDS + 1, history)
    assert [a.number for a in population(before, 1)] == [1, 2]
    assert [a.number for a in population(after, 1)] == [1, 2, 4], "the last island's best is its guest"
    assert [a.number for a in population(after, 2)] == [1, 2, 3]


def test_parents_are_drawn_by_reward_and_refused_ones_never() -> None:
    wrong = replace(attempt(3, PLAN, verdict=evaluation(Status.WRONG), reward=-1.5), island=1)
    now = now_in(4, [tried(1, 1.0, island=1), tried(2, 2.0, island=1), wrong])
    drawn = [starts("evolve", now, 1, seed)[0].parent for seed in range(300)]
    assert 3 not in drawn
    odds = drawn.count(2) / (drawn.count(0) + drawn.count(1))
    assert 2.2 < odds < 6.0, "twice as fast is e² times as likely as each of the other two"


def climbed(tmp_path: Path, search: str, hills: Hills, rounds: int, candidates: int = 3) -> Outcome:
    """A run over these hills."""
    team = Climbers(hills)
    means = replace(scripted_run.collaborators(scripted_run.team(), scripted_run.judge()), team=team)
    folder = scripted_run.folder(tmp_path / search)
    run = scripted_run.run(
        folder, tmp_path / "r" / search, scripted_run.team(), scripted_run.judge(),
        rounds=rounds, candidates=candidates, search=search,
    )  # fmt: skip
    return replace(run, means=means).work()


def top(outcome: Outcome) -> tuple[str, int] | None:
    assert outcome.best is not None
    return place_of(Path(outcome.best.kernel).read_text())


ONE_HILL = {"only": (1.5, 2.0, 3.0, 4.0, 5.0, 6.0)}
A_TRAP = {"trap": (2.0, 2.1), "slow": (1.3, 1.6, 4.0, 8.0), "flat": (1.2, 1.25)}
"""The first step of the trap is the best first step, and its last."""


def test_on_one_hill_refining_is_highest_in_the_same_rounds(tmp_path: Path) -> None:
    reached = {name: top(climbed(tmp_path, name, ONE_HILL, 4)) for name in method_names()}
    assert reached["refine"] == ("only", 3)
    assert reached["best-of"] == ("only", 0)
    assert reached["evolve"] in [("only", 1), ("only", 2), ("only", 3)]


def test_islands_leave_a_trap_that_refining_stays_in(tmp_path: Path) -> None:
    reached = {name: climbed(tmp_path, name, A_TRAP, 6) for name in method_names()}
    assert top(reached["refine"])[0] == "trap"  # type: ignore[index]
    assert top(reached["best-of"]) == ("trap", 0)
    assert top(reached["evolve"])[0] == "slow"  # type: ignore[index]
    assert reached["evolve"].fastest > reached["refine"].fastest  # type: ignore[operator]
