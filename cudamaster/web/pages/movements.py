"""Which metrics differ between the kernels before and after, in words."""

from collections.abc import Iterator
from dataclasses import dataclass

from cudamaster.agents.bottleneck import TELLING, heaviest
from cudamaster.agents.wording import figure, quantity, scaled
from cudamaster.toolchain.metrics import METRICS
from cudamaster.toolchain.metrics.declaring import Metric
from cudamaster.toolchain.profile import KernelProfile, Profile

ACRONYMS = {
    name: name.upper() for name in ("dram", "l1", "l2", "sm", "fma", "alu", "xu", "fp64", "lg", "mio")
}
MOST = 9
LEAST_FACTOR = 1.25
LEAST_POINTS = 5.0
"""Of a percentage, in percentage points."""
LARGE = 1e5
ALWAYS = ("dram_throughput", "sm_throughput", "instructions_executed")
"""Ranked with those that tell what binds."""


@dataclass(frozen=True, slots=True)
class Movement:
    """One metric that moved."""

    title: str
    before: str
    after: str
    rose: bool
    better: bool | None
    """Whether that is the direction one wants; None where neither is."""
    meaning: str
    factor: float
    """Larger ÷ smaller value."""


@dataclass(frozen=True, slots=True)
class Movements:
    """The metrics of two calls that moved most."""

    before: str
    """The heaviest kernel of the call before, with its share."""
    after: str
    before_bound: str
    before_by: str
    """The binding resource and the runner-up."""
    after_bound: str
    after_by: str
    moved: tuple[Movement, ...]


def movements(before: Profile | None, after: Profile | None) -> Movements | None:
    """What moved between the heaviest kernels of two calls; None where one is not known."""
    one, other = heaviest(before), heaviest(after)
    if before is None or after is None or one is None or other is None:
        return None
    return Movements(
        before=_named(one, before),
        after=_named(other, after),
        before_bound=one.bound,
        before_by=one.bound_by,
        after_bound=other.bound,
        after_by=other.bound_by,
        moved=tuple(_moved(one, other)),
    )


def _named(kernel: KernelProfile, profile: Profile) -> str:
    share = kernel.time_ms / profile.time_ms if profile.time_ms else 1.0
    return kernel.name if share > 0.995 else f"{kernel.name} ({100 * share:.0f} % of the call)"


def _moved(one: KernelProfile, other: KernelProfile) -> Iterator[Movement]:
    wanted = dict.fromkeys((*TELLING.get(one.bound, ()), *TELLING.get(other.bound, ()), *ALWAYS))
    known = [METRICS[name] for name in wanted if name in one.metrics and name in other.metrics]
    pairs = [(metric, one.metrics[metric.name], other.metrics[metric.name]) for metric in known]
    far = sorted((p for p in pairs if _far(*p)), key=lambda p: -_factor(*p))[:MOST]
    for metric, before, after in far:
        yield Movement(
            title=words(metric.name),
            before=_amount(before, metric.unit),
            after=_amount(after, metric.unit),
            rose=after > before,
            better=None if metric.better == "neither" else (after > before) == (metric.better == "higher"),
            meaning=metric.meaning,
            factor=_factor(metric, before, after),
        )


def _amount(value: float, unit: str) -> str:
    """Large amounts with a prefix: `65.9 MB`, `4.4 M instructions`."""
    if value < LARGE or unit == "%":
        return quantity(value, unit)
    return scaled(value, "B") if unit == "byte" else f"{figure(value)} {unit}s"


def _far(metric: Metric, before: float, after: float) -> bool:
    if metric.unit == "%":
        return abs(after - before) >= LEAST_POINTS
    return max(before, after) > 0 and _factor(metric, before, after) >= LEAST_FACTOR


def _factor(metric: Metric, before: float, after: float) -> float:
    """Larger ÷ smaller; what is near nothing counts as one unit, so that 0 has a factor too."""
    low, high = sorted((before, after))
    return (high + 1) / (low + 1) if low < 1 or metric.unit == "%" else high / low


def words(metric: str) -> str:
    """`dram_throughput` as `DRAM throughput`."""
    return " ".join(ACRONYMS.get(word, word) for word in metric.split("_"))
