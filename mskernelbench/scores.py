"""The figures of merit, each with its formula.

The speedup on one workload, baseline time ÷ candidate time, is `ratios.speedup`, since it has an interval.
A task is an operator at a precision; over all of them a task without a kernel counts like a wrong one.
"""

from collections.abc import Collection, Mapping, Sequence
from math import exp, fsum, log
from typing import TypeAlias

Task: TypeAlias = tuple[str, str]
"""An operator's name and a precision."""
THRESHOLDS = (1.0, 2.0, 4.0, 8.0)
"""The τ at which the paper reports cumulative success."""


def geometric_mean(ratios: Sequence[float]) -> float:
    """exp(mean(ln rᵢ)): the only mean under which normalised ratios agree whatever they are normalised to.

    P. J. Fleming and J. J. Wallace, How not to lie with statistics, CACM 29(3), 1986. Raises ValueError when
    empty.
    """
    if not ratios:
        raise ValueError("no ratios to average")
    return exp(fsum(log(ratio) for ratio in ratios) / len(ratios))


def paper_score(weights: Sequence[int], speedups: Sequence[float]) -> float:
    """P = Σ T(Nᵢ)·Sᵢ / Σ T(Nᵢ), T the baseline's complexity at size i and Sᵢ the speedup there.

    arXiv 2603.07169. T is an unbounded integer; the published 32-bit one wraps at the largest sizes. Raises
    ValueError where no weight is positive.
    """
    total = sum(weights)
    if total <= 0 or min(weights) < 0:
        raise ValueError(f"weights must be positive, not {list(weights)}")
    return fsum(weight / total * speedup for weight, speedup in zip(weights, speedups, strict=True))


def attainment(roofline_ms: float, candidate_ms: float) -> float:
    """Roofline time ÷ achieved time, at most 1 (Williams, Waterman and Patterson, CACM 52(4), 2009)."""
    return min(1.0, roofline_ms / candidate_ms)


def success_share(speedups: Sequence[float | None], threshold: float) -> float:
    """Cumulative success at τ: the share of operators whose kernel is correct with a speedup of at least τ.

    |{i : kernel i is correct and Sᵢ ≥ τ}| / n, arXiv 2603.07169. None stands for a kernel that is not
    correct.
    """
    return sum(s is not None and s >= threshold for s in speedups) / len(speedups)


def cumulative_success(
    speedups: Sequence[float | None], thresholds: Sequence[float] = THRESHOLDS
) -> dict[float, float]:
    """`success_share` at every τ: never rising, since who reaches 4 has reached 2."""
    return {threshold: success_share(speedups, threshold) for threshold in thresholds}


def over_tasks(found: Mapping[Task, float | None], tasks: Collection[Task]) -> list[float | None]:
    """A speedup for each of `tasks`; None where nothing correct was found or nothing was tried.

    What `cumulative_success` and `fast_p` are taken over. Raises ValueError for a task that is not one of
    `tasks`.
    """
    if strangers := sorted(set(found) - set(tasks)):
        raise ValueError(f"no such task: {strangers[0]}")
    return [found.get(task) for task in tasks]


def fast_p(speedups: Sequence[float | None], p: float) -> float:
    """The share of operators whose kernel is correct and more than p times as fast; fast_0 is the correct.

    |{i : kernel i is correct and Sᵢ > p}| / n, A. Ouyang et al., KernelBench, arXiv 2502.10517. None stands
    for a kernel that is not correct.
    """
    return sum(s is not None and s > p for s in speedups) / len(speedups)
