"""How well modelled times agree with measured ones: ranks, orders, and factors that would calibrate them."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.stats import spearmanr

CLEAR = 1.5
"""Measured times that differ by less are not asked to be ordered right."""
LEAST = 3
"""Times from which on ranks say anything."""


class Both(NamedTuple):
    """One kernel on one workload."""

    subject: str
    """Operator, precision and workload: two kernels of one subject do the same work."""
    bound: str
    measured_ms: float
    modelled_ms: float

    @property
    def factor(self) -> float:
        """What the modelled time would have to be multiplied by."""
        return self.measured_ms / self.modelled_ms


class Fitted(NamedTuple):
    """A calibration constant: measured ≈ factor × modelled."""

    factor: float
    """The median of the factors: half of the times lie above, half below."""
    quartiles: tuple[float, float]
    times: int


def rank_correlation(times: Sequence[Both]) -> float | None:
    """Spearman's ρ of measured and modelled times; None of fewer than LEAST, or where all are equal."""
    if len(times) < LEAST:
        return None
    measured, modelled = [t.measured_ms for t in times], [t.modelled_ms for t in times]
    if len(set(measured)) == 1 or len(set(modelled)) == 1:
        return None
    return float(spearmanr(measured, modelled).statistic)


def ordered_right(times: Sequence[Both], *, within_subject: bool) -> tuple[int, int]:
    """(pairs in the right order, pairs whose measured times differ clearly), of all or of the same work."""
    right = asked = 0
    for one, other in combinations(times, 2):
        if within_subject and one.subject != other.subject:
            continue
        slow, fast = sorted((one, other), key=lambda t: -t.measured_ms)
        if slow.measured_ms >= CLEAR * fast.measured_ms:
            asked += 1
            right += slow.modelled_ms > fast.modelled_ms
    return right, asked


def fitted(times: Sequence[Both]) -> Fitted | None:
    """The factor over all; None of fewer than LEAST."""
    if len(times) < LEAST:
        return None
    low, middle, high = np.exp(np.quantile(np.log([t.factor for t in times]), [0.25, 0.5, 0.75]))
    return Fitted(float(middle), (float(low), float(high)), len(times))


def fitted_by_bound(times: Sequence[Both]) -> Mapping[str, Fitted]:
    """The factor for each kind of limit that has enough times."""
    found = {bound: fitted([t for t in times if t.bound == bound]) for bound in {t.bound for t in times}}
    return {bound: fit for bound, fit in sorted(found.items()) if fit is not None}
