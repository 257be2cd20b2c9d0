"""Figures as people read them; one way of writing each, everywhere."""

import re
from collections.abc import Mapping

from cudamaster.toolchain.timing import Clock
from mskernelbench.evaluation import Interval
from mskernelbench.ratios import CONFIDENCE, ratio_text

BRACKETS = re.compile(r"x \[\d")
"""As `times` writes an interval."""


def times(speedup: Interval | None) -> str:
    """`1.84x`, with its interval where that is wider than the digits shown."""
    if speedup is None:
        return "none"
    centre, low, high = (ratio_text(value) for value in (speedup.centre, speedup.low, speedup.high))
    return centre if low == high else f"{centre} [{low[:-1]}, {high[:-1]}]"


def clock_text(version: str) -> str:
    """What times are of: `time model 807e0365256f`, which is no language model, or `driver 580.1`."""
    return f"time {version}" if version.startswith("model ") else version


def counts_as(credited: Interval) -> str:
    """What a workload is in the means, where its gain is not proved: `counts as 1.00x`."""
    return f"counts as {ratio_text(credited.centre)}"


def interval_words(shown: str, clock: str) -> str:
    """What the brackets in a text are; empty where it has none."""
    if not BRACKETS.search(shown):
        return ""
    if clock == Clock.MODELLED:
        return "[low, high]: from the modelled ratio to 1; the time model tells no difference under 10 %"
    return f"[low, high]: the {100 * CONFIDENCE:.0f} % interval of what was measured"


def slower_words(speedup: Interval) -> str:
    """That a kernel is slower than the baseline, and whether the clock can tell; empty where it is not."""
    if round(speedup.centre, 2) >= 1:  # as it is shown
        return ""
    return "slower than the baseline" + (", by less than the clock can tell" if speedup.high >= 1 else "")


def percent(share: float | None) -> str:
    """`8.1 %`, and `0.02 %` where one decimal would say nothing; what does not exist is `unknown`."""
    if share is None:
        return "unknown"
    return f"{100 * share:.1g} %" if 0 < 100 * share < 0.05 else f"{100 * share:.1f} %"


def clocked(clock: str) -> str:
    """What a figure's clock means, so that a modelled time is never taken for a measured one."""
    return "modelled (not measured on a GPU)" if clock == "modelled" else "measured"


def shape_text(shape: Mapping[str, object], pattern: str | None = None) -> str:
    """`M=64 N=2048`, with a sparse matrix's pattern behind it."""
    sizes = " ".join(f"{name}={value}" for name, value in shape.items())
    return f"{sizes} {pattern}" if pattern else sizes


def with_parameters(strategy: str, parameters: Mapping[str, object]) -> str:
    """`by_size TILE=2048`: a strategy at its tuning parameters."""
    return f"{strategy} {shape_text(parameters)}".rstrip()


def counted(number: int, noun: str) -> str:
    """`1 kernel`, `2 kernels`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
