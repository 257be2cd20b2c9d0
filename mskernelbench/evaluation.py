"""What became of a candidate: a status, and exactly the figures that the status allows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from mskernelbench.operator import BaselineKind

SCHEMA = "cudamaster.evaluation/1"


class Status(StrEnum):
    """The verdict on a candidate."""

    BUILD_FAILED = "build_failed"
    LAUNCH_FAILED = "launch_failed"
    TIMED_OUT = "timed_out"
    UNSUPPORTED = "unsupported"
    WRONG = "wrong"
    CHEATED = "cheated"
    CORRECT = "correct"


@dataclass(frozen=True, slots=True)
class Interval:
    """A ratio with its confidence interval; modelled, all three are equal but for the model's resolution."""

    centre: float
    low: float
    high: float

    @property
    def without_gain(self) -> "Interval":
        """The same where it is a loss, else none."""
        return Interval(min(1.0, self.centre), min(1.0, self.low), min(1.0, self.high))

    def scaled(self, factor: float) -> "Interval":
        """Of a time that is shorter by this factor."""
        return Interval(factor * self.centre, factor * self.low, factor * self.high)


NO_GAIN = Interval(1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class WorkloadResult:
    """One workload: checked (error ratio), timed (times, speedup, attainment), or both."""

    set: str
    """`check`, `paper`, `real` or `user`."""
    shape: Mapping[str, int | float]
    error_ratio: float | None = None
    """Worst |error| ÷ bound over the outputs, at most 1 in a correct kernel; None where none was compared."""
    baseline_ms: float | None = None
    candidate_ms: float | None = None
    speedup: Interval | None = None
    attainment: float | None = None
    """Roofline time ÷ candidate time, 0 to 1."""
    bound: str | None = None
    """`memory`, `compute` or `latency`."""
    weight: float | None = None
    """The paper's T for this shape."""
    pattern: str | None = None
    """Structure of a sparse matrix."""
    vendor_ms: float | None = None
    """The vendor's own answer's time; None where it was not timed."""
    vendor_speedup: Interval | None = None
    """Vendor's time ÷ candidate's time."""
    pairs_ms: tuple[tuple[float, float], ...] = ()
    """Measured: the baseline's and the candidate's time of every pair, from which the speedup follows."""
    sampled: bool = False
    """Whether some of the outputs of the timed call were compared instead, and are right."""
    left_out: str | None = None
    """Why it was not timed: its size, and what the device has free; or that its call is too costly here."""
    counted: bool = True
    """Whether a gain is one in the means too; False where nobody compared or could have, where nothing proves
    the time, or where a call that the candidate makes too costly has none."""
    unwatched: bool = False
    """Whether races and reads of unset memory were not looked for: that takes too long."""
    unproved: bool = False
    """Whether its time is that of blocks that do not show their work, and it counts since no other does."""
    slow_values: str | None = None
    """The kind of values on which it gains least, where its time and speedup are those there."""

    @property
    def counts(self) -> bool:
        """Whether it was timed, and the means have its speedup as it is."""
        return self.speedup is not None and self.counted

    @property
    def credited(self) -> "WorkloadResult":
        """The row as it stands in the means: where a gain does not count, the time is the baseline's.

        So no candidate gains by what cannot be proved of it, nor hides where it is slow.
        """
        if self.counted or self.baseline_ms is None:
            return self
        if self.speedup is None:
            return replace(self, candidate_ms=self.baseline_ms, speedup=NO_GAIN)
        gain = max(1.0, self.speedup.centre)
        return replace(
            self,
            candidate_ms=self.candidate_ms and gain * self.candidate_ms,
            speedup=self.speedup.without_gain,
            attainment=self.attainment and self.attainment / gain,
            vendor_speedup=self.vendor_speedup and self.vendor_speedup.scaled(1 / gain),
        )

    @property
    def seen(self) -> bool:
        """Whether outputs were compared, all of them or some."""
        return self.sampled or self.error_ratio is not None

    @property
    def key(self) -> tuple[object, ...]:
        """Tells the rows of one verdict apart."""
        return (self.set, self.pattern, *self.shape.items())

    def document(self) -> dict[str, Any]:
        """As JSON; figures that do not exist are absent."""
        figures: dict[str, Any] = {
            "error_ratio": self.error_ratio,
            "baseline_ms": self.baseline_ms,
            "candidate_ms": self.candidate_ms,
            "speedup": interval_document(self.speedup, "median"),
            "attainment": self.attainment,
            "bound": self.bound,
            "pattern": self.pattern,
            "vendor_ms": self.vendor_ms,
            "vendor_speedup": interval_document(self.vendor_speedup, "median"),
            "pairs_ms": [list(pair) for pair in self.pairs_ms] or None,
            "sampled": self.sampled or None,
            "left_out": self.left_out,
            "counted": None if self.counted else False,
            "unwatched": self.unwatched or None,
            "unproved": self.unproved or None,
            "slow_values": self.slow_values,
        }
        return {"set": self.set, "shape": dict(self.shape)} | {
            k: v for k, v in figures.items() if v is not None
        }


@dataclass(frozen=True, slots=True)
class Vendor:
    """How a candidate compares with the vendor's own answer, or why that has no time."""

    library: str
    """What it calls, with its version where it was timed: `cuBLAS 13.1.0`."""
    speedup: Interval | None = None
    """Geometric mean of vendor's time ÷ candidate's time over the workloads where both were timed."""
    lacks: str | None = None
    """Why it has no time."""

    def document(self) -> dict[str, Any]:
        """As JSON; what does not exist is absent."""
        figures = {"speedup": interval_document(self.speedup, "geomean"), "lacks": self.lacks}
        return {"library": self.library} | {k: v for k, v in figures.items() if v is not None}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The referee's verdict on one candidate.

    Speedup and attainment exist exactly when it is correct and was timed.
    """

    operator: str
    precision: str
    entry: str
    device: str
    clock: str
    """`measured` or `modelled`."""
    status: Status
    reason: str
    """One sentence a person can act on."""
    seed: int
    draw: int | None = None
    """What the inputs follow from of those comparisons that are made on data no candidate can know."""
    guard: str | None = None
    """The rule that refused it; set exactly when the status is `cheated`."""
    rule: str | None = None
    """What refused it, whatever its status: a guard, `comparison`, `compiler`, `entry`, what a device saw."""
    speedup: Interval | None = None
    """Geometric mean over the timed workloads; a gain that does not count is none."""
    paper_score: float | None = None
    """The paper's P over those of the set `paper`."""
    attainment: float | None = None
    """Geometric mean over the timed workloads, likewise."""
    workloads: tuple[WorkloadResult, ...] = ()
    baseline: BaselineKind = BaselineKind.FAIR
    """What the speedups are over."""
    vendor: Vendor | None = None
    """The vendor's own answer beside it; None where there is none that this device could run."""

    def __post_init__(self) -> None:
        """A result cannot lie: refuse figures that the status does not allow."""
        figures = (self.speedup, self.attainment, self.paper_score, self.vendor)
        if self.status is not Status.CORRECT and any(figures):
            raise ValueError(f"a candidate that is {self.status} has no speedup")
        if (self.guard is not None) != (self.status is Status.CHEATED):
            raise ValueError("a guard is named exactly when the status is cheated")

    @property
    def correct(self) -> bool:
        """Whether the candidate was accepted."""
        return self.status is Status.CORRECT

    def document(self) -> dict[str, Any]:
        """The JSON document `cudamaster.evaluation/1`; figures the status does not allow are absent."""
        figures: dict[str, Any] = {
            "rule": self.rule,
            "draw": self.draw,
            "speedup": interval_document(self.speedup, "geomean"),
            "paper_score": self.paper_score,
            "attainment": self.attainment,
            "vendor": self.vendor.document() if self.vendor else None,
        }
        head: dict[str, Any] = {
            "schema": SCHEMA,
            "operator": self.operator,
            "precision": self.precision,
            "entry": self.entry,
            "device": self.device,
            "clock": self.clock,
            "status": str(self.status),
            "reason": self.reason,
            "guard": self.guard,
            "baseline": str(self.baseline),
        }
        tail = {"seed": self.seed, "workloads": [w.document() for w in self.workloads]}
        return head | {k: v for k, v in figures.items() if v is not None} | tail


def in_means(rows: Sequence[WorkloadResult]) -> list[WorkloadResult]:
    """The rows that means are over, each as it is credited; none where no call has a time."""
    if not any(row.speedup for row in rows):
        return []
    return [credited for row in rows if (credited := row.credited).speedup]


def credited_speedups(evaluation: Mapping[str, Any]) -> list[Interval]:
    """The speedups that the mean of a document `cudamaster.evaluation/1` is over."""
    rows = in_means([_of_document(row) for row in evaluation["workloads"]])
    return [row.speedup for row in rows if row.speedup]


def _of_document(row: Mapping[str, Any]) -> WorkloadResult:
    """What the means ask of a row."""
    told = row.get("speedup")
    return WorkloadResult(
        row["set"],
        row["shape"],
        baseline_ms=row.get("baseline_ms"),
        candidate_ms=row.get("candidate_ms"),
        speedup=Interval(told["median"], told["low"], told["high"]) if told else None,
        counted=row.get("counted", True),
    )


def interval_document(interval: Interval | None, centre: str) -> dict[str, float] | None:
    """An interval as JSON, its centre under the given name."""
    if interval is None:
        return None
    return {centre: interval.centre, "low": interval.low, "high": interval.high}
