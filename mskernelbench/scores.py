"""The figures of merit, each with its formula."""

from collections.abc import Sequence
from math import exp, fsum, log


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

    arXiv 2603.07169. T is an unbounded integer; the published 32-bit one wraps at the largest sizes.
    """
    total = sum(weights)
    return fsum(weight / total * speedup for weight, speedup in zip(weights, speedups, strict=True))


def attainment(roofline_ms: float, candidate_ms: float) -> float:
    """Roofline time ÷ achieved time, at most 1 (Williams, Waterman and Patterson, CACM 52(4), 2009)."""
    return min(1.0, roofline_ms / candidate_ms)


def success_share(speedups: Sequence[float | None], threshold: float) -> float:
    """Cumulative success at τ: the share of operators whose kernel is correct with a speedup of at least τ.

    arXiv 2603.07169; None stands for a kernel that is not correct.
    """
    return sum(s is not None and s >= threshold for s in speedups) / len(speedups)


def fast_p(speedups: Sequence[float | None], p: float) -> float:
    """The share of operators whose kernel is correct and more than p times as fast; fast_0 is the correct.

    A. Ouyang et al., KernelBench, arXiv 2502.10517. None stands for a kernel that is not correct.
    """
    return sum(s is not None and s > p for s in speedups) / len(speedups)
