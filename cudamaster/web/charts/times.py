"""The time of each workload before and after, on one axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from cudamaster.agents.wording import quantity
from cudamaster.report.figures import times
from cudamaster.web.charts.scale import Scale, Tick, fitting
from cudamaster.web.rows import Row
from mskernelbench.ratios import ratio_text

WIDTH, RIGHT = 920, 840
"""Behind the right end of the axis stand the speedups."""
CHARACTER, GAP = 7.0, 16
"""Width of a label's characters, and between it and the axis."""
ROW, TOP, FOOT = 24, 12, 40


@dataclass(frozen=True, slots=True)
class Bar:
    """One workload."""

    y: float
    label: str
    baseline: float
    best: float
    low: float
    """Of the best kernel's time, as the speedup's interval has it."""
    high: float
    roofline: float
    vendor: float | None
    speedup: str
    slower: bool
    words: str
    """The same as a sentence."""


@dataclass(frozen=True, slots=True)
class TimeChart:
    """All workloads."""

    width: int
    height: int
    left: int
    right: int
    foot: float
    """Where the axis lies."""
    logarithmic: bool
    ticks: Sequence[Tick]
    bars: Sequence[Bar]
    words: str

    @property
    def with_vendor(self) -> bool:
        """Whether the vendor's own answer was timed somewhere."""
        return any(bar.vendor is not None for bar in self.bars)


def time_chart(rows: Sequence[Row]) -> TimeChart:
    """The chart of at least one workload."""
    values = [
        ms for row in rows for ms in (row.baseline_ms, row.best_ms, row.roofline_ms, row.vendor_ms) if ms
    ]
    left = round(CHARACTER * max(len(row.short) for row in rows)) + GAP
    axis = fitting(values, left, RIGHT)
    foot = TOP + ROW * len(rows)
    return TimeChart(
        width=WIDTH,
        height=foot + FOOT,
        left=left,
        right=RIGHT,
        foot=foot,
        logarithmic=axis.logarithmic,
        ticks=axis.ticks(),
        bars=[_bar(row, axis, TOP + ROW * (i + 0.5)) for i, row in enumerate(rows)],
        words=_words(rows),
    )


def _bar(row: Row, axis: Scale, y: float) -> Bar:
    return Bar(
        y=y,
        label=row.short,
        baseline=axis.at(row.baseline_ms),
        best=axis.at(row.best_ms),
        low=axis.at(row.baseline_ms / row.speedup.high),
        high=axis.at(row.baseline_ms / row.speedup.low),
        roofline=axis.at(row.roofline_ms),
        vendor=axis.at(row.vendor_ms) if row.vendor_ms else None,
        speedup=ratio_text(row.speedup.centre),
        slower=row.speedup.high < 1,
        words=f"{row.set} {row.label}: baseline {quantity(row.baseline_ms, 'ms')}, "
        f"best {quantity(row.best_ms, 'ms')}, {times(row.speedup)}{_vendor_words(row)}",
    )


def _vendor_words(row: Row) -> str:
    return f"; the vendor's own {quantity(row.vendor_ms, 'ms')}" if row.vendor_ms else ""


def _words(rows: Sequence[Row]) -> str:
    ordered = sorted(rows, key=lambda row: row.speedup.centre)
    least, most = ordered[0], ordered[-1]
    return (
        f"Time of {len(rows)} workloads in milliseconds, baseline against best kernel. Least gain "
        f"{times(least.speedup)} on {least.label}, most {times(most.speedup)} on {most.label}. "
        "Every figure is in the table below."
    )
