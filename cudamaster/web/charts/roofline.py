"""Both kernels under the roof of their device (S. Williams et al., Communications of the ACM 52(4), 2009).

Work is what the operator declares: FLOPs against the DRAM bytes that no kernel can do without. An operator
without arithmetic is drawn by its bytes alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from cudamaster.agents.wording import quantity, scaled
from cudamaster.toolchain.spec import DeviceSpec
from cudamaster.web.charts.scale import Scale, Tick, logarithmic
from cudamaster.web.rows import Row
from mskernelbench.operator import Operator, Precision
from mskernelbench.roofline import peak_flops

WIDTH, HEIGHT = 920, 380
LEFT, RIGHT, TOP, FOOT = 96, 900, 16, 330
MS = 1e-3


@dataclass(frozen=True, slots=True)
class Work:
    """What a workload takes at least, and how long both kernels take."""

    row: Row
    flops: float
    bytes: float


@dataclass(frozen=True, slots=True)
class Point:
    """One workload: the same work, done at two rates."""

    x: float
    baseline: float
    best: float
    words: str


@dataclass(frozen=True, slots=True)
class RooflineChart:
    """The roof, and a pair of points for each workload."""

    width: int
    height: int
    left: int
    right: int
    top: int
    foot: int
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    x_title: str
    y_title: str
    roof: Sequence[tuple[float, float]]
    """Corners of the line."""
    limits: str
    """The peaks in words."""
    points: Sequence[Point]
    words: str


def roofline_chart(
    rows: Sequence[Row], operator: Operator, precision: Precision, spec: DeviceSpec
) -> RooflineChart | None:
    """The chart of at least one workload; None where the operator declares no DRAM bytes for it."""
    works = [_work(row, operator, precision) for row in rows]
    if any(work.bytes <= 0 for work in works):
        return None
    if all(work.flops > 0 for work in works):
        return _by_intensity(works, spec, peak_flops(spec, operator, precision))
    return _by_bytes(works, spec)


def _work(row: Row, operator: Operator, precision: Precision) -> Work:
    shape = row.shape
    return Work(row, float(operator.flops(shape)), float(operator.dram_bytes(shape, precision)))


def _by_intensity(works: Sequence[Work], spec: DeviceSpec, peak: float) -> RooflineChart:
    bandwidth, ridge = spec.dram_bytes_per_s, peak / spec.dram_bytes_per_s
    x = logarithmic([ridge, *(w.flops / w.bytes for w in works)], LEFT, RIGHT, room=3)
    rates = [rate for w in works for rate in _rates(w, w.flops)]
    y = logarithmic([peak, *rates], FOOT, TOP, room=2)
    floor = y.low / bandwidth
    roof = [(max(x.low, floor), max(x.low, floor) * bandwidth), (ridge, peak), (x.high, peak)]
    return _chart(
        x,
        y,
        titles=("arithmetic intensity, FLOP per DRAM byte", "FLOP/s"),
        roof=[(x.at(i), y.at(rate)) for i, rate in roof],
        limits=f"{scaled(peak, 'FLOP/s')}, {scaled(bandwidth, 'B/s')}",
        points=[_point(w, x.at(w.flops / w.bytes), y, w.flops, "FLOP/s") for w in works],
    )


def _by_bytes(works: Sequence[Work], spec: DeviceSpec) -> RooflineChart:
    bandwidth = spec.dram_bytes_per_s
    x = logarithmic([w.bytes for w in works], LEFT, RIGHT, room=3)
    y = logarithmic([bandwidth, *(rate for w in works for rate in _rates(w, w.bytes))], FOOT, TOP, room=2)
    return _chart(
        x,
        y,
        titles=("DRAM bytes of the workload", "B/s"),
        roof=[(x.start, y.at(bandwidth)), (x.end, y.at(bandwidth))],
        limits=scaled(bandwidth, "B/s"),
        points=[_point(w, x.at(w.bytes), y, w.bytes, "B/s") for w in works],
    )


def _rates(work: Work, amount: float) -> tuple[float, float]:
    """Of the baseline and of the best kernel, a second."""
    return amount / (work.row.baseline_ms * MS), amount / (work.row.best_ms * MS)


def _point(work: Work, x: float, y: Scale, amount: float, unit: str) -> Point:
    before, after = _rates(work, amount)
    attained = f"{100 * work.row.attainment:.0f} % of the roofline"
    words = f"{work.row.label}: {scaled(before, unit)} before, {scaled(after, unit)} after, {attained}"
    return Point(x, y.at(before), y.at(after), words)


def _chart(
    x: Scale,
    y: Scale,
    titles: tuple[str, str],
    roof: Sequence[tuple[float, float]],
    limits: str,
    points: Sequence[Point],
) -> RooflineChart:
    x_title, unit = titles
    return RooflineChart(
        width=WIDTH,
        height=HEIGHT,
        left=LEFT,
        right=RIGHT,
        top=TOP,
        foot=FOOT,
        x_ticks=x.ticks(quantity if unit == "FLOP/s" else lambda value: scaled(value, "B")),
        y_ticks=y.ticks(lambda value: scaled(value, unit)),
        x_title=x_title,
        y_title=unit,
        roof=roof,
        limits=limits,
        points=points,
        words=f"Roofline of the device ({limits}) with both kernels on each of {len(points)} workloads: "
        + "; ".join(point.words for point in points),
    )
