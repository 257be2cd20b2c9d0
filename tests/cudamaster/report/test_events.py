from typing import Any

from cudamaster.report.events import ORDER, EventLines

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


def test_a_diagnosis_is_told_once_a_kernel_and_every_round_has_a_heading() -> None:
    lines = EventLines("modelled")
    event = {
        "event": "diagnosis",
        "number": 0,
        "round": 1,
        "value": {"bound": "memory", "sentence": "DRAM"},
    }

    assert lines.line(event) == "round 1    the baseline is memory-bound: DRAM"
    assert lines.line(event | {"round": 2}) == "round 2    the baseline is still the best, memory-bound"


def test_a_round_without_a_diagnosis_has_its_heading_too() -> None:
    assert EventLines("modelled").line({"event": "plan", "round": 3, "value": [PLAN]}) == "round 3"


def test_that_numbers_come_as_candidates_are_done_is_told_once_where_several_are_judged_at_once() -> None:
    def told(parallel: int) -> list[str | None]:
        lines = EventLines("modelled")
        lines.line({"event": "started", "settings": {"operator": "softmax", "parallel": parallel}})
        return [lines.line({"event": "plan", "round": r, "value": [PLAN] * 3}) for r in (1, 2)]

    assert told(1) == ["round 1", "round 2"]
    assert told(2) == [f"round 1\n{ORDER}", "round 2"]


def test_an_operator_without_strategies_is_named() -> None:
    lines = EventLines("modelled")
    lines.line({"event": "started", "settings": {"operator": "vector_add"}})

    told = lines.line({"event": "plan", "round": 1, "value": []})
    assert told == "the expert knows no strategy for vector_add"


def test_parameters_tell_candidates_of_one_strategy_apart() -> None:
    lines = EventLines("modelled")
    lines.line(proposal(1, "k") | {"plan": PLAN | {"parameters": {"TILE": 2048}}})

    told = lines.line(verdict(1, 1.5))
    assert told is not None
    assert "tile TILE=2048 " in told


def test_of_many_parameters_those_that_changed_are_told() -> None:
    lines = EventLines("modelled")
    many = {f"PARAMETER_{i}": i for i in range(5)}
    lines.line(proposal(1, "k") | {"plan": PLAN | {"parameters": many}})
    lines.line(proposal(2, "l") | {"plan": PLAN | {"parameters": many | {"PARAMETER_3": 64}}})

    first, second = lines.line(verdict(1, 1.5)), lines.line(verdict(2, 1.5))
    assert first is not None
    assert second is not None
    assert first.startswith("  #1   tile   ")
    assert second.startswith("  #2   tile PARAMETER_3=64 ")


def test_the_baseline_s_line_says_how_many_workloads_the_rounds_time() -> None:
    event = verdict(0, 1.0)
    event["value"]["workloads"] = [{"speedup": None}, {"speedup": {"centre": 1.0}}]

    told = EventLines("modelled", 12).line(event)
    assert told is not None
    assert told.endswith("; rounds time 1 of 12 workloads, the end all")


def test_what_an_earlier_session_told_is_known_and_not_told_again() -> None:
    lines = EventLines("modelled")
    lines.recall([proposal(1, "k"), verdict(1, 1.5), proposal(2, "l")])

    told = lines.line(verdict(2, 2.0))
    assert told is not None
    assert told.startswith("  #2   tile")
    assert lines.judged == 2


def test_events_for_the_journal_alone_have_no_line() -> None:
    assert EventLines("modelled").line({"event": "rewards", "value": []}) is None


def test_a_plan_that_cannot_be_used_is_told_with_what_is_wrong() -> None:
    lines, value = EventLines("modelled"), "the planner's answer cannot be used"
    diagnosis = {"number": 0, "round": 2, "value": {"bound": "memory", "sentence": "DRAM binds."}}
    assert lines.line({"event": "unplanned", "round": 1, "value": value}) == f"round 1    {value}"
    lines.line({"event": "diagnosis"} | diagnosis)
    assert lines.line({"event": "unplanned", "round": 2, "value": value}) == f"           {value}"


def test_a_coder_that_answers_with_the_baseline_is_told_so() -> None:
    lines = EventLines("modelled")
    lines.line(verdict(0, 1.0) | {"kernel": "k"})
    told = lines.line(proposal(1, "k"))
    assert told is not None
    assert told.endswith("the same source as the baseline")


def test_lessons_of_earlier_runs_are_told_of_once() -> None:
    lines = EventLines("modelled")
    recalled = [{"event": "recalled", "round": 1, "value": value} for value in ([], ["a", "b"], ["c"])]

    said = [lines.line(event) for event in recalled]
    assert said == [None, "           2 lessons of earlier runs shown to the language model", None]


def test_a_kernel_that_islands_start_from_again_is_not_called_the_best() -> None:
    def second_diagnosis(search: str) -> str | None:
        lines = EventLines("modelled")
        lines.line({"event": "started", "settings": {"operator": "softmax", "search": search}})
        value = {"bound": "memory", "sentence": "DRAM binds."}
        events = [{"event": "diagnosis", "number": 3, "round": r, "value": value} for r in (2, 3)]
        return [lines.line(event) for event in events][1]

    assert second_diagnosis("refine") == "round 3    #3 is still the best, memory-bound"
    assert second_diagnosis("evolve") == "round 3    #3 is started from again, memory-bound"


def of_some(event: dict[str, Any], timed: int) -> dict[str, Any]:
    rows = [{"speedup": {"centre": 1.0}}] * timed
    return event | {"value": event["value"] | {"workloads": rows}}


def test_a_round_s_figure_says_of_how_many_workloads_it_is() -> None:
    lines = EventLines("modelled", 9)
    lines.line(proposal(1, "k"))

    told = lines.line(of_some(verdict(1, 1.5), 2))
    assert told == f"  #1   {'tile':<28} correct, 1.50x modelled on 2 of 9 workloads"
    assert len(told) <= 80


def test_the_end_s_figure_says_that_it_takes_the_place_of_the_round_s() -> None:
    lines = EventLines("modelled", 9)
    lines.line(proposal(1, "k"))
    lines.line(of_some(verdict(1, 1.5), 2))

    told = lines.line(of_some(verdict(1, 2.1), 9) | {"event": "champion"})
    assert told == (
        "the end    #1 tile: correct, 2.10x modelled on all 9 workloads, 10.0 % of the roofline "
        "(takes the place of its round's 1.50x)"
    )


def test_the_end_of_a_run_on_one_workload_counts_none() -> None:
    told = EventLines("modelled", 1).line(of_some(verdict(1, 2.1), 1) | {"event": "champion"})
    assert told == "the end    #1 : correct, 2.10x modelled, 10.0 % of the roofline"


def test_an_end_that_finds_the_same_says_so_once() -> None:
    lines = EventLines("modelled", 9)
    lines.line(of_some(verdict(1, 1.5), 2))
    told = lines.line(of_some(verdict(1, 1.5), 9) | {"event": "champion"})
    assert told is not None
    assert told.endswith("on all 9 workloads, 10.0 % of the roofline")


def test_a_figure_that_the_end_refuses_is_said_to_be_void() -> None:
    lines = EventLines("modelled", 9)
    lines.line(proposal(1, "k"))
    lines.line(of_some(verdict(1, 1.5), 2))

    told = lines.line(verdict(1, None) | {"event": "champion"})
    assert told == "the end    #1 tile: wrong: why (the 1.50x of its round is void)"


def test_rounds_of_the_expert_and_of_the_language_model_are_told_apart() -> None:
    lines = EventLines("modelled")
    settings = {"operator": "softmax", "expert_rounds": 1}
    lines.line({"event": "started", "settings": settings})

    told = [lines.line({"event": "plan", "round": r, "value": [PLAN]}) for r in (1, 2, 3)]
    first, second = "the built-in expert plays this one", "from here on the language model plays"
    assert told == [f"round 1\n           {first}", f"round 2\n           {second}", "round 3"]
