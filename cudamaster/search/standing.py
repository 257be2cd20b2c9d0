"""Where a run stands: who leads, and whether another round is worth beginning."""

from collections.abc import Sequence

from cudamaster.search.context import Context, Judged
from mskernelbench.evaluation import Evaluation

GOOD_ENOUGH = 0.95
"""Share of the roofline at which there is nothing worth another round."""


def beats_baseline(evaluation: Evaluation) -> bool:
    """Whether a verdict says correct and, beyond the interval of the measurement, faster."""
    return evaluation.speedup is not None and evaluation.speedup.low > 1.0


def contenders(context: Context, attempts: Sequence[Judged]) -> list[Judged]:
    """Candidates that beat the baseline on the quick verdict, fastest first, each kernel once."""
    fast = [(context.evaluation(a), a) for a in attempts]
    ranked = sorted((-e.speedup.low, a["number"], a) for e, a in fast if beats_baseline(e) and e.speedup)
    seen: dict[str, Judged] = {}
    for _, _, attempt in ranked:
        seen.setdefault(attempt["kernel"], attempt)
    return list(seen.values())


def reason_to_stop(context: Context, round_number: int, attempts: Sequence[Judged]) -> str:
    """`attainment`, `rounds`, `minutes`, `usd` or `tokens`; empty while another round may begin."""
    settings, leading = context.settings, contenders(context, attempts)[:1]
    if any((context.evaluation(a).attainment or 0.0) >= GOOD_ENOUGH for a in leading):
        return "attainment"
    if round_number >= settings.rounds:
        return "rounds"
    if settings.max_minutes is not None and context.elapsed_minutes() >= settings.max_minutes:
        return "minutes"
    return context.purse.spent_out
