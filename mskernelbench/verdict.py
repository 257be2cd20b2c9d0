"""Puts verdicts together: an Evaluation from a refusal, or from the rows of a correct candidate."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import Evaluation, Interval, Status, WorkloadResult, in_means
from mskernelbench.guards import Refusal
from mskernelbench.operator import BaselineKind
from mskernelbench.ratios import over_all, ratio_text
from mskernelbench.scores import geometric_mean, paper_score
from mskernelbench.spread import directions

TOO_COSTLY = "what sampled blocks do may not be all of the work, and whole calls are too costly here"
"""Why a gain is not proved."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What every verdict of one referee shares."""

    operator: str
    precision: str
    device: str
    clock: Clock
    seed: int
    draw: int
    """What some inputs follow from that no candidate could know before."""
    baseline: BaselineKind = BaselineKind.FAIR

    @property
    def compared_with(self) -> str:
        """What speedups are over, in a sentence: `the baseline`, `the published baseline`."""
        return "the baseline" if self.baseline is BaselineKind.FAIR else f"the {self.baseline} baseline"


def refused(bench: Bench, entry: str, refusal: Refusal, rows: Sequence[WorkloadResult] = ()) -> Evaluation:
    """The verdict on a candidate that is not accepted, with the workloads it was checked on."""
    return Evaluation(
        operator=bench.operator,
        precision=bench.precision,
        entry=entry,
        device=bench.device,
        clock=str(bench.clock),
        status=refusal.status,
        reason=refusal.reason,
        seed=bench.seed,
        draw=bench.draw,
        guard=refusal.guard,
        rule=refusal.rule,
        workloads=tuple(rows),
        baseline=bench.baseline,
    )


def accepted(bench: Bench, entry: str, rows: Sequence[WorkloadResult]) -> Evaluation:
    """The verdict on a correct candidate; figures exist where workloads were timed."""
    overall = _overall(rows, bench.clock)
    return Evaluation(
        operator=bench.operator,
        precision=bench.precision,
        entry=entry,
        device=bench.device,
        clock=str(bench.clock),
        status=Status.CORRECT,
        reason=_sentence(rows, overall, bench) + _left_out(rows),
        seed=bench.seed,
        draw=bench.draw,
        speedup=overall,
        paper_score=_paper_score(rows),
        attainment=_attainment(rows),
        workloads=tuple(rows),
        baseline=bench.baseline,
    )


def counting(verdict: Evaluation, counted: Sequence[bool]) -> Evaluation:
    """`verdict` with the gains of those rows alone that are `counted`, one truth for each of its rows."""
    rows = tuple(replace(row, counted=c) for row, c in zip(verdict.workloads, counted, strict=True))
    if not verdict.correct:
        return replace(verdict, workloads=rows)
    clock, vendor = Clock(verdict.clock), verdict.vendor
    beside = vendor_overall(rows, clock)
    return replace(
        verdict,
        speedup=_overall(rows, clock),
        paper_score=_paper_score(rows),
        attainment=_attainment(rows),
        vendor=vendor and replace(vendor, speedup=beside),
        workloads=rows,
    )


def vendor_overall(rows: Sequence[WorkloadResult], clock: Clock) -> Interval | None:
    """The mean over the vendor's own; None where it has no time."""
    found = [row.vendor_speedup for row in in_means(rows) if row.vendor_speedup is not None]
    return over_all(found, clock) if found else None


def _overall(rows: Sequence[WorkloadResult], clock: Clock) -> Interval | None:
    speedups = _speedups(rows)
    return over_all(speedups, clock) if speedups else None


def _speedups(rows: Sequence[WorkloadResult]) -> list[Interval]:
    """Those that means are over."""
    return [row.speedup for row in in_means(rows) if row.speedup is not None]


def _attainment(rows: Sequence[WorkloadResult]) -> float | None:
    attained = [row.attainment for row in in_means(rows) if row.attainment is not None]
    return geometric_mean(attained) if attained else None


def _paper_score(rows: Sequence[WorkloadResult]) -> float | None:
    paper = [row for row in in_means(rows) if row.set == "paper" and row.weight]
    if not paper:
        return None
    return paper_score(
        [int(row.weight) for row in paper if row.weight],
        [row.speedup.centre for row in paper if row.speedup],
    )


def _sentence(rows: Sequence[WorkloadResult], overall: Interval | None, bench: Bench) -> str:
    """What was found, in one sentence."""
    timed = len(_speedups(rows))
    right = _right(rows)
    if overall is None:
        return right
    where = f"over {_workloads(timed, 'timed')} (geometric mean, {bench.clock})"
    if overall.low <= 1 <= overall.high:
        return f"{right}; {_no_difference(rows, overall, bench)} {where}"
    return f"{right}; {overall.centre:.3g} times as fast as {bench.compared_with} {where}"


def _left_out(rows: Sequence[WorkloadResult]) -> str:
    """What was not timed since it does not fit on the device, and what since it is too costly there."""
    told = ""
    for counted in (True, False):
        reasons = [row.left_out for row in rows if row.left_out and row.counted is counted]
        if reasons:
            ending = "" if counted else f" and {'counts' if len(reasons) == 1 else 'count'} as no gain"
            words = f"{_workloads(len(reasons), 'timed')} {_were(len(reasons))} left out{ending}"
            told += f"; {words}: {reasons[0]}"
    return told


def _no_difference(rows: Sequence[WorkloadResult], overall: Interval, bench: Bench) -> str:
    """That the mean is none, and what single workloads say where they say more."""
    speedups = _speedups(rows)
    faster, slower, _ = directions(speedups)
    if bench.clock is Clock.MODELLED:
        average = f"within 10 % of {bench.compared_with} on average ({ratio_text(overall.centre)})"
        mean = f"{average}, which the time model cannot tell from none"
    else:
        average = f"no difference from {bench.compared_with}: {ratio_text(overall.centre)} on average"
        mean = f"{average}, and its interval holds 1"
    if not faster and not slower:
        return f"{mean},"
    low, high = min(s.centre for s in speedups), max(s.centre for s in speedups)
    ways = f"faster on {_workloads(faster, '')}, slower on {slower} ({ratio_text(low)} to {ratio_text(high)})"
    return f"{mean}: {ways},"


def _right(rows: Sequence[WorkloadResult]) -> str:
    """On how many workloads the outputs were compared, on how many some of them, and on how many none."""
    checked = sum(row.set == "check" for row in rows)
    compared = sum(row.set != "check" and row.error_ratio is not None for row in rows)
    sampled = sum(row.sampled and row.error_ratio is None for row in rows)
    if not compared:
        right = f"right on {_workloads(checked, 'checked')}"
    else:
        right = f"right on {checked} checked and {_workloads(compared, 'timed')}"
    less = [f"{_workloads(sampled, 'larger timed')} {_were(sampled)} compared in samples"] if sampled else []
    if unseen := sum(not row.seen and not row.left_out for row in rows):
        less.append(f"{_workloads(unseen, 'larger timed')} {_were(unseen)} not compared")
        if not (any(not row.counted for row in rows) or compared or sampled):
            less[-1] += ", nor was any other"
    if unwatched := sum(row.unwatched for row in rows):
        words = "not watched for races and unset memory, which takes too long"
        less.append(f"{_workloads(unwatched, 'checked')} {_were(unwatched)} {words}")
    less += _not_proved(rows)
    return f"{right} ({', '.join(less)})" if less else right


def _not_proved(rows: Sequence[WorkloadResult]) -> list[str]:
    """Why some gains are none in the means, or are in them as they are."""
    told = []
    timed = [row for row in rows if row.speedup is not None]
    if uncounted := sum(not row.counted for row in timed):
        gains = sum(row.speedup is not None and row.speedup.centre > 1 for row in timed)
        are, count = ("is", "counts") if uncounted == 1 else ("are", "count")
        told.append(
            f"{uncounted} of {gains} gain{_s(gains)} {are} not proved here and {count} as none: {TOO_COSTLY}"
        )
    if unproved := sum(row.unproved for row in rows):
        told.append(f"no gain is proved, but {unproved} of them count all the same: {TOO_COSTLY}")
    if slow := [row.slow_values for row in rows if row.slow_values]:
        kinds = ", ".join(f"'{kind}'" for kind in dict.fromkeys(slow))
        where = _workloads(len(slow), "timed")
        told.append(f"the gain on {where} is less on other values, {kinds}, and counts as it is there")
    return told


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _workloads(count: int, kind: str) -> str:
    return f"{count} {kind} workload".replace("  ", " ") + ("" if count == 1 else "s")
