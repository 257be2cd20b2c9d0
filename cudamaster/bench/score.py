"""What one task came to, as figures that a result file's row states; a row that cannot be so is malformed."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from cudamaster.store.codec import Json, Malformed, well_formed
from mskernelbench.evaluation import Interval, Status, credited_speedups
from mskernelbench.operator import Precision
from mskernelbench.scores import Task, geometric_mean

SAME = 1e-9
"""Two ways of writing one figure differ by less."""
MOST = 1e9
"""No task takes as many minutes or dollars, and no mean of such figures is infinite."""


class TaskStatus(StrEnum):
    """What became of a task."""

    PENDING = "pending"
    """Not begun."""
    UNFINISHED = "unfinished"
    """Begun; its run goes on when the same command is given again."""
    BROKEN = "broken"
    """Could not be worked on; tried again when the same command is given again."""
    FAILED = "failed"
    """No candidate was right."""
    NO_GAIN = "no_gain"
    """Candidates were right, and none proved as fast as the baseline on every workload."""
    TIED = "tied"
    """The best is right on every workload, and no difference from the baseline can be told."""
    FASTER = "faster"
    """The best is right on every workload, and faster over all beyond its interval."""

    @property
    def done(self) -> bool:
        """Whether nothing is left to do."""
        return self in (TaskStatus.FAILED, TaskStatus.NO_GAIN, TaskStatus.TIED, TaskStatus.FASTER)

    @property
    def judged(self) -> bool:
        """Whether a kernel was held right on every workload: then, and only then, there are figures."""
        return self in (TaskStatus.TIED, TaskStatus.FASTER)


@dataclass(frozen=True, slots=True)
class Score:
    """One task's figures."""

    operator: str
    precision: str
    status: TaskStatus
    speedup: Interval | None = None
    """Geometric mean over the timed workloads."""
    paper_score: float | None = None
    """The paper's P; None where no `paper` workload was timed."""
    attainment: float | None = None
    vendor_speedup: Interval | None = None
    """Time of the vendor's library ÷ the kernel's; None where the library was not timed."""
    cost_usd: float | None = None
    """Of language models; None where it is not known."""
    minutes: float | None = None
    """Wall time worked; None where nobody wrote it down."""
    baseline_sha256: str = ""
    kernel_sha256: str = ""

    @property
    def task(self) -> Task:
        """Operator and precision."""
        return (self.operator, self.precision)


def score_of(row: Json) -> Score:
    """The figures of one row of a result file. Raises Malformed."""
    with well_formed():
        status = TaskStatus(row["status"])
        name_of(row["scenario"])
        name_of(row.get("run", "none"), empty=True)
        score = Score(
            operator=name_of(row["operator"]),
            precision=Precision(row["precision"]).value,
            status=status,
            cost_usd=_amount(row.get("cost_usd"), "cost_usd"),
            minutes=_amount(row.get("minutes"), "minutes"),
            baseline_sha256=_digest(row.get("baseline_sha256", "")),
        )
        if status.judged != ("evaluation" in row):
            raise ValueError(f"a task that is {status} has {'no' if status.judged else 'an'} evaluation")
        return judged_score(score, row) if status.judged else score


def judged_score(score: Score, row: Json) -> Score:
    """`score` with the figures of the row's evaluation, a document `cudamaster.evaluation/1`."""
    evaluation = row["evaluation"]
    if (evaluation["operator"], evaluation["precision"]) != score.task:
        raise ValueError("its evaluation is of another task")
    if evaluation["status"] != Status.CORRECT:
        raise ValueError(f"its evaluation is {evaluation['status']}, which has no speedup")
    speedup = interval_of(evaluation["speedup"], "geomean")
    _require_mean(speedup, evaluation)
    vendor = row.get("vendor_speedup") or evaluation.get("vendor", {}).get("speedup")
    if (speedup.low > 1) != (score.status is TaskStatus.FASTER):
        raise ValueError(f"it is called {score.status} at a speedup of at least {speedup.low:.3f}")
    return Score(
        operator=score.operator,
        precision=score.precision,
        status=score.status,
        speedup=speedup,
        paper_score=_amount(evaluation.get("paper_score"), "paper_score"),
        attainment=_share(evaluation.get("attainment")),
        vendor_speedup=interval_of(vendor, "geomean") if vendor else None,
        cost_usd=score.cost_usd,
        minutes=score.minutes,
        baseline_sha256=score.baseline_sha256,
        kernel_sha256=_digest(row["kernel_sha256"]),
    )


def interval_of(document: Mapping[str, Any], centre: str) -> Interval:
    """A speedup and its ends, in their order and above 0."""
    found = Interval(*(_number(document[name], name) for name in (centre, "low", "high")))
    if not 0 < found.low <= found.centre * (1 + SAME) or not found.centre <= found.high * (1 + SAME):
        raise ValueError(f"a speedup of {found.centre} is not between {found.low} and {found.high}")
    return found


def _require_mean(speedup: Interval, evaluation: Mapping[str, Any]) -> None:
    """A speedup is that of its own workloads."""
    for row in evaluation["workloads"]:
        if "speedup" in row:
            interval_of(row["speedup"], "median")
    timed = credited_speedups(evaluation)
    if not timed:
        raise ValueError("its evaluation has a speedup and no timed workload")
    mean = geometric_mean([one.centre for one in timed])
    if not math.isclose(mean, speedup.centre, rel_tol=SAME):
        raise ValueError(f"its speedup is {speedup.centre}, and that of its workloads {mean}")


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise Malformed(f"{name} is {value!r}, which is no number")
    return float(value)


def _amount(value: object, name: str) -> float | None:
    if value is None:
        return None
    if not 0 <= _number(value, name) <= MOST:
        raise Malformed(f"{name} is {value!r}, {'below 0' if _number(value, name) < 0 else 'too much'}")
    return _number(value, name)


def _share(value: object) -> float | None:
    share = _amount(value, "attainment")
    if share is not None and share > 1:
        raise Malformed(f"attainment is {value!r}, above 1")
    return share


def name_of(value: object, *, empty: bool = False) -> str:
    """A name, of which every character can be seen. Raises Malformed."""
    if not isinstance(value, str) or not (value or empty) or not value.isprintable():
        raise Malformed(f"{value!r} is no name")
    return value


def _digest(value: object) -> str:
    if not isinstance(value, str) or (value and (len(value) != 64 or set(value) - set("0123456789abcdef"))):
        raise Malformed(f"{value!r} is no SHA-256")
    return value
