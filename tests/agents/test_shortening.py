"""What a prompt drops to fit, and that it always fits or says so."""

from dataclasses import replace

import pytest

from cudamaster.agents.errors import Unwritten
from cudamaster.agents.nouns import Plan
from cudamaster.agents.prompts import coder_prompt, planner_prompt
from cudamaster.agents.role import all_roles
from cudamaster.agents.shortening import DROPS, LIMIT_TOKENS, shortened
from tests.doubles.situations import attempt, evaluation, profile, situation

PLAN = Plan("tile", "Stage a tile.", "L1 binds")


def test_each_step_drops_one_thing_in_the_stated_order() -> None:
    full = {
        "example": "e", "pair": "p", "strategies": list(range(9)), "history": list(range(40)),
        "lessons": list(range(40)), "earlier": list(range(8)), "profile": None, "timed": list(range(9)),
    }  # fmt: skip
    steps = list(shortened(full))
    assert len(steps) == len(DROPS) + 1
    assert steps[0] == full
    assert (steps[1]["example"], steps[1]["pair"]) == (None, "p")
    assert steps[4]["history"] == list(range(28, 40))
    assert steps[-1]["history"] == [36, 37, 38, 39]
    assert (steps[-1]["lessons"], steps[-1]["strategies"], len(steps[-1]["timed"])) == ([], [], 6)


def test_a_long_history_loses_its_beginning_and_keeps_its_end() -> None:
    tried = [
        replace(attempt(n, PLAN, reward=0.1, verdict=evaluation(speedup=1.1)), lesson="so " * 3000)
        for n in range(1, 60)
    ]
    prompt = planner_prompt(all_roles()["planner"], situation(history=tuple(tried)), 3)
    assert prompt.tokens <= LIMIT_TOKENS
    assert "attempt 59, tile" in prompt.task
    assert "attempt 3, tile" not in prompt.task


def test_a_short_history_is_shown_whole() -> None:
    tried = [
        attempt(n, PLAN, reward=0.1, verdict=evaluation(speedup=1.1), seen=profile()) for n in range(1, 20)
    ]
    prompt = planner_prompt(all_roles()["planner"], situation(history=tuple(tried)), 3)
    assert all(f"attempt {n}, tile" in prompt.task for n in range(1, 20))


def test_a_kernel_that_does_not_fit_is_told_and_never_cut() -> None:
    huge = attempt(
        1, PLAN, reward=1.0, verdict=evaluation(speedup=2.0), source="// " + "x" * 4 * LIMIT_TOKENS
    )
    with pytest.raises(Unwritten, match="the kernel itself is too long"):
        coder_prompt(all_roles()["coder"], situation(history=(huge,)), PLAN)
