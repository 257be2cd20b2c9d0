from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.agents.nouns import Plan
from cudamaster.report.evaluation import workload_rows
from cudamaster.report.run import best_document, closing_rows, place_lines
from cudamaster.search.outcome import Best, Known, Outcome
from mskernelbench.evaluation import Interval, WorkloadResult
from tests.doubles import scripted_run
from tests.doubles.situations import evaluation


def outcome(**changes: object) -> Outcome:
    nothing = Outcome(
        "run",
        "/runs/run",
        scripted_run.settings(Path("results")),
        "modelled",
        3,
        9,
        "rounds",
        None,
        None,
        7.0,
    )
    return replace(nothing, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"candidates": 0, "stopped_by": "nothing_left"}, "the expert knows no strategy for matrix_mul"),
        ({"fastest": None}, "no candidate was right"),
        ({"candidates": 0, "stopped_by": "interrupted"}, "none yet"),
        ({"candidates": 0, "stopped_by": "no_plan"}, "none: nobody wrote a kernel"),
        ({"fastest": 1.05}, "1.05x as fast on the rounds' workloads; under 10 % counts as none"),
        ({"fastest": 3.0}, "not faster over all"),
        ({"fastest": 0.5}, "0.50x as fast on the rounds' workloads, slower than the baseline"),
    ],
)
def test_a_run_without_a_best_says_why(changes: dict[str, object], why: str) -> None:
    assert why in dict(closing_rows(outcome(**changes)))["best"]


def known(speedup: float, *, same: bool = False, judged_anew: bool = False) -> Known:
    return Known(Interval(speedup, speedup, speedup), same, judged_anew)


def test_a_path_is_a_line_of_its_own_however_long() -> None:
    deep = "/a" * 100
    kept = outcome(best=replace(best_of(), kernel=f"{deep}/kernel.cu"), record="/r/record.json")

    kernel, compared, record = place_lines(replace(kept, before=known(4.1)))
    assert (kernel, record) == (f"kernel      {deep}/kernel.cu", "stored      /r/record.json")
    assert compared.startswith("compared    4.00x [3.96, 4.04] now, 4.10x stored before: ")
    stored = replace(kept, stored=True)
    assert place_lines(stored) == ["kernel      /r/kernel.cu", "record      /r/record.json"]
    assert place_lines(outcome()) == []


@pytest.mark.parametrize(
    ("before", "stored", "words"),
    [
        (
            known(4.1),
            False,
            "4.10x stored before: under 10 % counts as no difference, and the stored one stays",
        ),
        (known(9.0), False, "9.00x stored before: the stored one is faster, and stays"),
        (known(3.0), True, "3.00x stored before: replaced"),
        (
            known(3.0, judged_anew=True),
            True,
            "3.00x stored before by another version and judged anew: replaced",
        ),
        (known(4.0, same=True, judged_anew=True), True, "its record, of another version, is made anew"),
        (known(4.0, same=True), False, "the very same kernel was stored before, with 4.00x"),
    ],
)
def test_how_the_kernel_compares_with_the_stored_one_is_said(before: Known, stored: bool, words: str) -> None:
    found = outcome(best=best_of(), record="/r/record.json", stored=stored, before=before)

    assert words in place_lines(found)[1]
    assert ("kernel      k.cu" in place_lines(found)) == (not stored and not before.same)


def timed(speedup: Interval, pattern: str) -> WorkloadResult:
    return WorkloadResult("real", {"rows": 9}, 0.5, 1.0, 1.0, speedup, 0.1, "memory", 9, pattern)


def best_of(*rows: WorkloadResult) -> Best:
    verdict = replace(evaluation(speedup=4.0), workloads=rows)
    return Best(1, 1, Plan("tile", "c", "r"), "", "k.cu", "sha", verdict)


def test_workloads_that_go_different_ways_are_told_by_their_ends_with_a_warning() -> None:
    best = best_of(timed(Interval(0.79, 0.79, 0.79), "poisson5"), timed(Interval(22.8, 22.8, 22.8), "rmat"))
    told = dict(closing_rows(outcome(best=best)))

    assert told["workloads"] == "slowest 0.79x on rows=9 poisson5, fastest 22.80x on rows=9 rmat"
    assert told["warning"] == "slower than the baseline on 1 of 2 workloads: 0.79x on rows=9 poisson5"
    assert best_document(best)["slowest"]["shape"] == {"rows": 9}


def test_a_gain_that_is_not_proved_is_told_in_the_words_of_evaluate() -> None:
    doubtful = replace(timed(Interval(9.0, 9.0, 9.0), "banded"), counted=False)
    best = best_of(doubtful, timed(Interval(2.0, 2.0, 2.0), "rmat"))

    told = dict(closing_rows(outcome(best=best)))["workloads"]
    assert told == "slowest counts as 1.00x on rows=9 banded (not proved), fastest 2.00x on rows=9 rmat"
    assert "counts as 1.00x" in workload_rows(best.evaluation)[0]


def test_an_interval_is_explained_where_one_is_printed() -> None:
    rows = dict(closing_rows(outcome(best=best_of(timed(Interval(2.0, 2.0, 2.0), "rmat")))))
    assert rows["speedup"].startswith("4.00x [3.96, 4.04]")
    assert rows["interval"].startswith("[low, high]: ")


def test_the_parameters_of_an_expert_s_strategy_are_said_in_words() -> None:
    best = best_of(timed(Interval(2.0, 2.0, 2.0), "rmat"))
    plan = Plan("register_tile", "c", "r", parameters={"BM": 128, "TM": 8})
    told = dict(closing_rows(outcome(best=replace(best, plan=plan))))
    assert told["with"] == "BM=128 rows of a block's tile, TM=8 rows that a thread computes"
    assert "with" not in dict(closing_rows(outcome(best=best)))  # of a language model's plan


def test_a_workload_that_cannot_be_told_from_the_baseline_is_no_warning() -> None:
    best = best_of(timed(Interval(0.95, 0.95, 1.0), "poisson5"), timed(Interval(2.0, 2.0, 2.0), "rmat"))
    assert "warning" not in dict(closing_rows(outcome(best=best)))


def test_rounds_that_the_expert_played_before_a_language_model_are_said() -> None:
    asked = replace(outcome().settings, expert_rounds=1)
    told = dict(closing_rows(outcome(rounds=2, settings=asked)))["stopped"]
    assert told == "all rounds are done (2 rounds, of which the built-in expert played 1, 9 candidates, 7 s)"
