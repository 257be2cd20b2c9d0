"""What is told of a run: the document `cudamaster.run/1` and the closing table."""

from pathlib import Path
from typing import TYPE_CHECKING

from cudamaster.agents.builtin.catalog import parameter_words
from cudamaster.report.document import Json
from cudamaster.report.figures import (
    clocked,
    counted,
    counts_as,
    interval_words,
    percent,
    shape_text,
    times,
)
from cudamaster.report.stopping import STOPPED_BY
from cudamaster.search.outcome import INTERRUPTED, Best, Known, Outcome
from cudamaster.store.results import KERNEL
from mskernelbench.evaluation import Evaluation, WorkloadResult, in_means, interval_document
from mskernelbench.ratios import RESOLUTION, faster_than, ratio_text
from mskernelbench.scores import geometric_mean
from mskernelbench.spread import extremes, extremes_document

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA = "cudamaster.run/1"
NAME_WIDTH = 12
"""Columns that names take, the gap included."""
WITHOUT_STRATEGY = (
    "have a language model write kernels (--model openai:NAME or anthropic:NAME), or a coding agent "
    "('cudamaster mcp'); 'cudamaster profile' says what binds the baseline"
)
"""What a user can do where the expert has nothing to try."""


def run_document(outcome: Outcome) -> Json:
    """The JSON document of `optimize` and `resume`."""
    settings = outcome.settings
    return {
        "schema": SCHEMA,
        "run": outcome.run,
        "operator": settings.operator,
        "precision": settings.precision,
        "device": settings.device,
        "clock": outcome.clock,
        "model": settings.model,
        "rounds": outcome.rounds,
        "candidates": outcome.candidates,
        "stopped_by": outcome.stopped_by,
        "baseline": baseline_document(outcome),
        "best": outcome.best and best_document(outcome.best),
        "cost_usd": outcome.cost_usd,
        "tokens": outcome.tokens,
        "seconds": round(outcome.seconds, 3),
        "record": outcome.record,
        "stored": outcome.stored,
        "folder": outcome.folder,
    }


def baseline_document(outcome: Outcome) -> Json | None:
    """The baseline's times on the workloads that the best was timed on, and how near the roofline it is."""
    timed = baseline_workloads(outcome)
    if not timed:
        return None
    rows: list[Json] = [
        {"set": w.set, "shape": dict(w.shape), "ms": w.baseline_ms, "attainment": baseline_attainment(w)}
        for w in timed
    ]
    return {
        "geomean_ms": geometric_mean([row["ms"] for row in rows]),
        "attainment": geometric_mean([row["attainment"] for row in rows]),
        "workloads": rows,
    }


def baseline_workloads(outcome: Outcome) -> list[WorkloadResult]:
    """The timed workloads of the best's verdict; of the baseline's own where nothing beat it."""
    verdict = outcome.best.evaluation if outcome.best else outcome.baseline
    return in_means(verdict.workloads) if verdict else []


def baseline_attainment(workload: WorkloadResult) -> float:
    """Roofline time ÷ baseline time; the roofline time is the candidate's time times its attainment."""
    assert workload.baseline_ms
    assert workload.candidate_ms
    assert workload.attainment
    return workload.attainment * workload.candidate_ms / workload.baseline_ms


def best_document(best: Best) -> Json:
    """The best kernel: what it is, and its figures."""
    figures: Json = {
        "speedup": interval_document(best.evaluation.speedup, "geomean"),
        "attainment": best.evaluation.attainment,
    }
    return {
        "kernel": best.kernel,
        "kernel_sha256": best.kernel_sha256,
        "strategy": best.plan.strategy,
        "round": best.round,
    } | {k: v for k, v in (figures | extremes_document(best.evaluation)).items() if v is not None}


def closing_table(outcome: Outcome) -> "Table":
    """The few lines a user wants at the end: what was gained, and why."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True, min_width=NAME_WIDTH - 2)
    table.add_column(overflow="fold")
    for name, text in closing_rows(outcome):
        table.add_row(name, text)
    return table


def closing_rows(outcome: Outcome) -> list[tuple[str, str]]:
    """The closing table as names and texts."""
    rows = [("baseline", _baseline_text(outcome))]
    if outcome.best is None:
        rows.append(("best", _nothing(outcome)))
    else:
        rows += _best_rows(outcome, outcome.best)
    stopped = STOPPED_BY[outcome.stopped_by]
    own = min(outcome.settings.expert_rounds, outcome.rounds)
    first = f", of which the built-in expert played {own}" if own else ""
    worked = f"{counted(outcome.rounds, 'round')}{first}, {counted(outcome.candidates, 'candidate')}"
    spent = f"{worked}, {outcome.seconds:.0f} s{_paid(outcome)}"
    rows.append(("stopped", f"{stopped} ({spent})"))
    if outcome.stopped_by == INTERRUPTED:
        rows.append(("go on with", f"cudamaster resume {outcome.run}"))
    return rows


def _paid(outcome: Outcome) -> str:
    """What language models took; empty where none was asked."""
    if not outcome.tokens:
        return ""
    cost = "at an unknown price" if outcome.cost_usd is None else f"${outcome.cost_usd:.2f}"
    return f", {outcome.tokens:,} tokens, {cost}"


def _nothing(outcome: Outcome) -> str:
    if outcome.stopped_by == INTERRUPTED and not outcome.candidates:
        return "none yet"
    if outcome.stopped_by == "no_plan" and not outcome.candidates:
        return "none: nobody wrote a kernel"
    return f"nothing beat the baseline{_why_nothing(outcome)}"


def _why_nothing(outcome: Outcome) -> str:
    """Why no kernel is the best, as the end of a sentence."""
    if outcome.candidates == 0:
        unknown = f": the expert knows no strategy for {outcome.settings.operator}; {WITHOUT_STRATEGY}"
        return unknown if outcome.stopped_by == "nothing_left" else ""
    if outcome.fastest is None:
        return ": no candidate was right"
    fastest = f": the fastest candidate is {ratio_text(outcome.fastest)} as fast on the rounds' workloads"
    if outcome.fastest < 1:
        return f"{fastest}, slower than the baseline"
    if outcome.fastest > RESOLUTION:
        return f"{fastest}, and not faster over all"
    return f"{fastest}; under 10 % counts as none" if outcome.clock == "modelled" else fastest


def _spread_rows(best: Best) -> list[tuple[str, str]]:
    """The two ends, where the workloads do not all gain alike."""
    ends = extremes(best.evaluation)
    if ends is None:
        return []
    return [("workloads", f"slowest {_end_text(ends.slowest)}, fastest {_end_text(ends.fastest)}")]


def _setting_rows(outcome: Outcome, best: Best) -> list[tuple[str, str]]:
    """What the parameters of the expert's strategy are."""
    words = parameter_words(best.plan.strategy, outcome.settings.operator, best.plan.parameters)
    return [("with", ", ".join(words))] if words else []


def _slower_rows(best: Best) -> list[tuple[str, str]]:
    """A warning of the workloads that lost, the worst of them named; a mean does not show them."""
    timed = [(row.speedup, row) for row in in_means(best.evaluation.workloads) if row.speedup]
    slower = [(speedup.centre, -i, row) for i, (speedup, row) in enumerate(timed) if speedup.high < 1]
    if not slower:
        return []
    of_all = f"{len(slower)} of {counted(len(timed), 'workload')}"
    return [("warning", f"slower than the baseline on {of_all}: {_end_text(min(slower)[2])}")]


def _end_text(row: WorkloadResult) -> str:
    assert row.speedup
    where = shape_text(row.shape, row.pattern)
    if not row.counted:
        return f"{counts_as(row.speedup)} on {where} ({'left out' if row.left_out else 'not proved'})"
    return f"{ratio_text(row.speedup.centre)} on {where}"


def _baseline_text(outcome: Outcome) -> str:
    figures = baseline_document(outcome)
    if figures is None:
        return "not judged yet"
    count, attained = len(figures["workloads"]), percent(figures["attainment"])
    mean = f"{figures['geomean_ms']:.4g} ms {outcome.clock}, geometric mean of {counted(count, 'workload')}"
    return f"{mean}; {attained} of the roofline"


def _best_rows(outcome: Outcome, best: Best) -> list[tuple[str, str]]:
    evaluation, speedup = best.evaluation, times(best.evaluation.speedup)
    milliseconds = geometric_mean([ms for w in in_means(evaluation.workloads) if (ms := w.candidate_ms)])
    bounds = sorted({w.bound for w in evaluation.workloads if w.bound})
    provisional = ", so far on the workloads of the rounds only" if outcome.stopped_by == INTERRUPTED else ""
    return [
        ("best", f"{milliseconds:.4g} ms {outcome.clock}"),
        ("speedup", f"{speedup}, {clocked(outcome.clock)}{provisional}"),
        *([("interval", legend)] if (legend := interval_words(speedup, outcome.clock)) else []),
        *_spread_rows(best),
        *_slower_rows(best),
        ("attainment", f"{percent(evaluation.attainment)} of the roofline, {' and '.join(bounds)}-bound"),
        ("changed", f"{best.plan.change} ({best.plan.strategy}, round {best.round})"),
        *_setting_rows(outcome, best),
        ("why", best.plan.reason),
        *([("lesson", best.lesson)] if best.lesson else []),
    ]


def place_lines(outcome: Outcome) -> list[str]:
    """Where the kernel lies and how it compares with what was stored, a line each that is never broken.

    A path is there to be copied.
    """
    if outcome.best is None:
        return []
    known = outcome.before
    held = outcome.record and (outcome.stored or (known is not None and known.same))
    rows = {"kernel": str(Path(str(outcome.record)).with_name(KERNEL)) if held else outcome.best.kernel}
    if known is not None:
        rows["compared"] = compared_words(outcome, outcome.best.evaluation, known)
    if outcome.record:
        rows["record" if held else "stored"] = outcome.record
    return [f"{name:<{NAME_WIDTH}}{path}" for name, path in rows.items()]


def compared_words(outcome: Outcome, found: Evaluation, known: Known) -> str:
    """How the run's best kernel stands beside the one that was stored, and what became of that."""
    there = times(known.speedup)
    if known.same:
        anew = "; its record, of another version, is made anew" if known.judged_anew else ""
        return f"the very same kernel was stored before, with {there}{anew}"
    both = f"{times(found.speedup)} now, {there} stored before"
    if known.judged_anew:
        both += " by another version and judged anew"
    if outcome.stored:
        return f"{both}: replaced"
    assert found.speedup
    if faster_than(known.speedup, found.speedup, outcome.clock):
        return f"{both}: the stored one is faster, and stays"
    told_apart = "under 10 %" if outcome.clock == "modelled" else "less than the measurement can tell"
    return f"{both}: {told_apart} counts as no difference, and the stored one stays"
