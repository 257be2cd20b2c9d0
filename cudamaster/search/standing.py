"""Where a run stands: who leads, and whether another round is worth beginning."""

from collections.abc import Sequence

from cudamaster.search.context import Context, Judged, evaluation_key
from cudamaster.store.codec import decode
from mskernelbench.evaluation import Evaluation
from mskernelbench.ratios import faster_than

GOOD_ENOUGH = 0.95
"""Share of the roofline at which there is nothing worth another round."""


def beats_baseline(evaluation: Evaluation) -> bool:
    """Whether a verdict says correct and, beyond the interval of the measurement, faster."""
    return evaluation.speedup is not None and evaluation.speedup.low > 1.0


def refused_at_the_end(context: Context, attempt: Judged) -> bool:
    """Whether the verdict on every workload refuses the candidate's source; few sources ever have one."""
    key = evaluation_key(attempt["kernel"], "full")
    return context.ledger.holds(key) and not decode(Evaluation, context.ledger.paid(key)).correct


def contenders(context: Context, attempts: Sequence[Judged]) -> list[Judged]:
    """Candidates that beat the baseline on the quick verdict, fastest first, each kernel once."""
    fast = [(context.evaluation(a), a) for a in attempts]
    ranked = sorted((-e.speedup.low, a["number"], a) for e, a in fast if beats_baseline(e) and e.speedup)
    seen: dict[str, Judged] = {}
    for _, _, attempt in ranked:
        seen.setdefault(attempt["kernel"], attempt)
    return list(seen.values())


def reason_to_stop(context: Context, round_number: int, attempts: Sequence[Judged]) -> str:
    """`attainment`, `rounds`, `flat`, `minutes`, `usd` or `tokens`; empty while another round may begin."""
    settings, leading = context.settings, contenders(context, attempts)[:1]
    if any((context.evaluation(a).attainment or 0.0) >= GOOD_ENOUGH for a in leading):
        return "attainment"
    if round_number >= settings.rounds:
        return "rounds"
    if settings.patience and flat_rounds(context, round_number, attempts) >= settings.patience:
        return "flat"
    if settings.max_minutes is not None and context.elapsed_minutes() >= settings.max_minutes:
        return "minutes"
    return context.purse.spent_out


def flat_rounds(context: Context, round_number: int, attempts: Sequence[Judged]) -> int:
    """How many rounds in a row, up to this one, gained nothing; those before the first gain do not count."""
    for number in range(round_number, 0, -1):
        before = [a for a in attempts if a["round"] < number]
        if _gains(context, before, [a for a in attempts if a["round"] <= number]):
            return round_number - number
    return 0


def _gains(context: Context, before: Sequence[Judged], after: Sequence[Judged]) -> bool:
    """Whether the leader of `after` is faster than that of `before`, or the baseline, as can be told."""
    now, earlier = _lead(context, after), _lead(context, before)
    if not now or not now.speedup or not earlier or not earlier.speedup:
        return now is not None
    return faster_than(now.speedup, earlier.speedup, now.clock)


def _lead(context: Context, attempts: Sequence[Judged]) -> Evaluation | None:
    return next((context.evaluation(a) for a in contenders(context, attempts)), None)
