from typing import Any

from cudamaster.report.events import EventLines

PLAN = {"strategy": "tile", "change": "c", "reason": "r"}


def proposal(number: int, kernel: str) -> dict[str, Any]:
    return {"event": "proposal", "number": number, "round": 1, "plan": PLAN, "value": kernel}


def verdict(number: int, low: float | None, kernel: str = "k") -> dict[str, Any]:
    speedup = None if low is None else {"centre": low, "low": low, "high": low}
    value = {
        "status": "wrong" if low is None else "correct",
        "reason": "why",
        "speedup": speedup,
        "attainment": 0.1,
    }
    return {"event": "evaluation", "number": number, "round": 1, "kernel": kernel, "value": value}


def test_a_candidate_is_told_with_its_strategy_and_clock() -> None:
    lines = EventLines("modelled")

    assert lines.line(proposal(1, "k")) is None
    assert (
        lines.line(verdict(1, 1.5)) == f"  #1   {'tile':<28} correct, 1.50x modelled, 10.0 % of the roofline"
    )
    assert lines.best == 1.5


def test_a_refusal_is_told_with_its_reason() -> None:
    lines = EventLines("modelled")
    lines.line(proposal(1, "k"))

    assert lines.line(verdict(1, None)) == f"  #1   {'tile':<28} wrong: why"
    assert lines.best is None


def test_a_slower_candidate_is_not_the_best() -> None:
    lines = EventLines("modelled")
    for number, low in enumerate([1.5, 1.2, 0.5]):
        lines.line(verdict(number + 1, low))

    assert (lines.best, lines.judged) == (1.5, 3)


def test_a_source_that_was_proposed_before_is_told_as_its_twin() -> None:
    lines = EventLines("modelled")
    lines.line(proposal(1, "k"))

    assert lines.line(proposal(2, "k")) == f"  #2   {'tile':<28} the same source as #1"


def test_a_diagnosis_is_told_once_a_kernel() -> None:
    lines = EventLines("modelled")
    event = {
        "event": "diagnosis",
        "number": 0,
        "round": 1,
        "value": {"bound": "memory", "sentence": "DRAM"},
    }

    assert lines.line(event) == "round 1    the baseline is memory-bound: DRAM"
    assert lines.line(event | {"round": 2}) is None


def test_what_an_earlier_session_told_is_known_and_not_told_again() -> None:
    lines = EventLines("modelled")
    lines.recall([proposal(1, "k"), verdict(1, 1.5), proposal(2, "l")])

    told = lines.line(verdict(2, 2.0))
    assert told is not None
    assert told.startswith("  #2   tile")
    assert lines.judged == 2


def test_events_for_the_journal_alone_have_no_line() -> None:
    assert EventLines("modelled").line({"event": "rewards", "value": []}) is None
