"""The timed workloads of a verdict, as charts and tables show them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.report.figures import shape_text
from cudamaster.store.codec import Json
from mskernelbench.evaluation import Interval

PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"))
WHOLE = 100_000
"""Sizes below are written out."""


@dataclass(frozen=True, slots=True)
class Row:
    """One timed workload."""

    set: str
    shape: Mapping[str, int | float]
    pattern: str | None
    baseline_ms: float
    best_ms: float
    speedup: Interval
    attainment: float
    """Roofline time ÷ the best kernel's time."""
    bound: str
    error_ratio: float | None
    counted: bool = True
    """Whether a gain is one in the mean too."""
    vendor_ms: float | None = None
    """Of the vendor's own answer; None where it was not timed."""
    vendor_speedup: Interval | None = None
    """Vendor's time ÷ the best kernel's."""

    @property
    def credited(self) -> Interval:
        """What the mean is over."""
        return self.speedup if self.counted else self.speedup.without_gain

    @property
    def roofline_ms(self) -> float:
        """Where the best kernel does not reach the roofline: the time there."""
        return self.attainment * self.best_ms

    @property
    def label(self) -> str:
        """All sizes: `rows=1048576 cols=1048576 nnz=5238784 poisson5`."""
        return shape_text(self.shape, self.pattern)

    @property
    def short(self) -> str:
        """Large sizes rounded: `rows=1.05M cols=1.05M nnz=5.24M poisson5`."""
        return shape_text({name: _short(size) for name, size in self.shape.items()}, self.pattern)


def _short(size: float) -> str:
    if size < WHOLE:
        return f"{size}"
    least, prefix = next((least, prefix) for least, prefix in PREFIXES if size >= least)
    return f"{size / least:.3g}{prefix}"


def rows_of(evaluation: Json) -> tuple[Row, ...]:
    """The timed workloads of a document `cudamaster.evaluation/1`.

    Raises KeyError, TypeError or ValueError where it is none.
    """
    return tuple(_row(row) for row in evaluation["workloads"] if "speedup" in row)


def _row(row: Json) -> Row:
    made = Row(
        set=str(row["set"]),
        shape=dict(row["shape"]),
        pattern=row.get("pattern"),
        baseline_ms=float(row["baseline_ms"]),
        best_ms=float(row["candidate_ms"]),
        speedup=_interval(row["speedup"]),
        attainment=float(row["attainment"]),
        bound=str(row["bound"]),
        error_ratio=row.get("error_ratio"),
        counted=bool(row.get("counted", True)),
        vendor_ms=row.get("vendor_ms"),
        vendor_speedup=_interval(row["vendor_speedup"]) if "vendor_speedup" in row else None,
    )
    speedup, vendor = made.speedup, 1.0 if made.vendor_ms is None else made.vendor_ms
    figures = (made.baseline_ms, made.best_ms, made.attainment, vendor)
    if not all(0 < figure < math.inf for figure in (*figures, speedup.centre, speedup.low, speedup.high)):
        raise ValueError(f"times and speedup are not above 0 on {made.label}")
    return made


def _interval(figures: Json) -> Interval:
    return Interval(*(float(figures[name]) for name in ("median", "low", "high")))
