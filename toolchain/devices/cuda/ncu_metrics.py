"""Our metrics from Nsight Compute's counters, by what each declares that it is made of."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from cudamaster.toolchain.metrics import METRICS
from cudamaster.toolchain.metrics.declaring import Metric

SUM, RATIO = " + ", " / "
LAUNCH_COUNTERS = tuple(f"launch__{what}_dim_{axis}" for what in ("grid", "block") for axis in "xyz")
DYNAMIC_SHARED = "launch__shared_mem_per_block_dynamic"
SECONDS = "gpu__time_duration.sum"
STALL_SAMPLES = "group:smsp__pcsamp_warp_stall_reasons"
"""Samples of where warps are, by instruction and reason."""
_UNITS = {
    "ns": 1e-3, "nsecond": 1e-3, "us": 1.0, "usecond": 1.0, "ms": 1e3, "msecond": 1e3, "s": 1e6,
    "second": 1e6, "byte": 1.0, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12,
}  # fmt: skip
"""Factors to microseconds and bytes; `byte/block` counts like `byte`, every other unit is ours already."""
_PLAIN = re.compile(r"[a-z]\w*(\.\w+)*")


class Counter(Protocol):
    """The part of `ncu_report.IMetric` that is used."""

    def value(self) -> Any:
        """A number, a text, or None where nothing was counted."""

    def unit(self) -> str:
        """Such as `ns`, `byte/block`, `%`."""

    def num_instances(self) -> int:
        """Values by instruction, where the counter has such."""

    def as_uint64(self, instance: int) -> int:
        """One of them."""

    def correlation_ids(self) -> "Counter | None":
        """The instructions' addresses, as instances."""


class Counted(Protocol):
    """Something with counters by name: the part of `ncu_report.IAction` that metrics need."""

    def metric_by_name(self, metric_name: str) -> Counter | None:
        """None where it was not collected."""


def wanted_counters() -> tuple[str, ...]:
    """Every counter that a metric is made of, and what tells a launch, its time and its hot lines."""
    of_metrics = (name for metric in METRICS.values() for name in _parts(metric))
    return tuple(dict.fromkeys((SECONDS, *of_metrics, *LAUNCH_COUNTERS, DYNAMIC_SHARED, STALL_SAMPLES)))


def metric_values(counted: Counted) -> dict[str, float]:
    """Values of all metrics whose counters are there, in our units."""
    values = {name: _value(metric, counted) for name, metric in METRICS.items() if metric.ncu}
    return {name: value for name, value in values.items() if value is not None}


def counter_value(counted: Counted, name: str) -> float | None:
    """A counter in our units; None where it was not collected or is no number."""
    counter = counted.metric_by_name(name)
    value = None if counter is None else counter.value()
    if counter is None or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return value * _UNITS.get(counter.unit().partition("/")[0], 1.0)


def means(rows: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each name's values over the rows that have it."""
    found: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, []).append(value)
    return {name: sum(values) / len(values) for name, values in found.items()}


def _parts(metric: Metric) -> list[str]:
    parts = re.split(r" [+/] ", metric.ncu) if metric.ncu else []
    assert all(_PLAIN.fullmatch(part) for part in parts), metric.name
    return parts


def _value(metric: Metric, counted: Counted) -> float | None:
    values = [counter_value(counted, name) for name in _parts(metric)]
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return None
    if metric.ncu and RATIO in metric.ncu:
        part, whole = known
        return (100 if metric.unit == "%" else 1) * part / whole if whole else None
    return sum(known)
