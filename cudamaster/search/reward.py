"""What a judged candidate earns, and how that compares within its round; pure arithmetic.

    refused    cheated -3 < build_failed -2 < launch_failed = timed_out -1.75 < wrong -1.5 < unsupported -1.25
    correct    max(log2(low), -1) + 0.5 * attainment                                        in [-1, ...)

`low` is the lower bound of the confidence interval of the geometric-mean speedup, so luck in timing earns
nothing. The logarithm makes 2x over the baseline, and 2x over that, worth the same. Attainment (roofline time
over time, 0 to 1) tells two equal speedups on different operators apart: what is left to gain. The floor of
-1 keeps every correct kernel, however slow, above every refused one; further from running is worse, and
cheating is worst.
"""

import math
from collections.abc import Sequence
from statistics import fmean, pstdev

from mskernelbench.evaluation import Evaluation, Status

REFUSED = {
    Status.CHEATED: -3.0,
    Status.BUILD_FAILED: -2.0,
    Status.LAUNCH_FAILED: -1.75,
    Status.TIMED_OUT: -1.75,
    Status.WRONG: -1.5,
    Status.UNSUPPORTED: -1.25,
}
SLOWEST = -1.0
ATTAINMENT_WEIGHT = 0.5
NOISE = 1e-9
"""A spread below this is rounding, not difference."""


def reward(evaluation: Evaluation) -> float:
    """The reward of one evaluation; see the table above. A correct candidate that was not timed earns 0."""
    if not evaluation.correct:
        return REFUSED[evaluation.status]
    if evaluation.speedup is None:
        return 0.0
    gain = math.log2(evaluation.speedup.low) if evaluation.speedup.low > 0 else SLOWEST
    return max(gain, SLOWEST) + ATTAINMENT_WEIGHT * (evaluation.attainment or 0.0)


def advantages(rewards: Sequence[float]) -> list[float]:
    """Each reward's distance from its round's mean in standard deviations (Shao et al. 2024); 0 if all agree.

    Group-relative: a round on a hard operator teaches as much as one on an easy one.
    """
    spread = pstdev(rewards) if rewards else 0.0
    if spread < NOISE:
        return [0.0] * len(rewards)
    mean = fmean(rewards)
    return [(value - mean) / spread for value in rewards]
