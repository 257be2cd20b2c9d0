"""Judges the baselines of many operators: the suite's own health, one row an operator and precision."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cudamaster.toolchain.device import Device
from cudamaster.toolchain.errors import ToolchainError
from mskernelbench.errors import BenchmarkError
from mskernelbench.evaluation import Evaluation, WorkloadResult
from mskernelbench.memory import buffer_bytes
from mskernelbench.operator import Operator, Precision
from mskernelbench.referee import SETS, Referee
from mskernelbench.scores import geometric_mean
from mskernelbench.strictness import complaints

LARGE_BYTES = 2**31
"""Operators whose largest buffers exceed this are not judged at the same time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is judged, and how."""

    device: Device
    seed: int = 0
    sets: Sequence[str] = SETS
    parallel: int = 2
    """Operators judged at once."""


@dataclass(frozen=True, slots=True)
class SetFigures:
    """A baseline on one set of timed workloads."""

    workloads: int
    baseline_ms: float
    """Geometric mean."""
    attainment: float
    """Geometric mean."""
    bounds: tuple[str, ...]
    """What limits the roofline there, the most frequent first."""


@dataclass(frozen=True, slots=True)
class Row:
    """One operator at one precision."""

    operator: str
    category: str
    precision: str
    status: str
    """The baseline's, or `broken` where it could not be judged."""
    reason: str
    """What is wrong, in one sentence; empty where nothing is."""
    error_ratio: float | None
    """Worst |error| ÷ bound of the baseline."""
    compared: int
    """Workloads whose outputs were compared with the reference."""
    sets: "dict[str, SetFigures]"
    seconds: float
    """Wall time of it all."""

    @property
    def sound(self) -> bool:
        """Whether the baseline is right, and the comparison strict."""
        return self.status == "correct" and not self.reason

    def document(self) -> dict[str, Any]:
        """As JSON; figures that do not exist are absent."""
        about = {key: getattr(self, key) for key in ("operator", "category", "precision", "status")}
        figures = {"reason": self.reason or None, "error_ratio": self.error_ratio}
        sets = {
            name: {
                "workloads": s.workloads,
                "ms": s.baseline_ms,
                "attainment": s.attainment,
                "bounds": list(s.bounds),
            }
            for name, s in self.sets.items()
        }
        known = {key: value for key, value in figures.items() if value is not None}
        return about | known | {"compared": self.compared, "sets": sets, "seconds": round(self.seconds, 1)}


def judge_baselines(
    operators: Sequence[Operator], precisions: Sequence[Precision], plan: Plan
) -> Iterator[Row]:
    """A row for every operator and precision, each as soon as it is done."""
    large = Lock()
    with ThreadPoolExecutor(plan.parallel) as pool:
        futures = [
            pool.submit(_alone_where_large, operator, precision, plan, large)
            for operator in operators
            for precision in precisions
            if precision in operator.precisions
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _alone_where_large(operator: Operator, precision: Precision, plan: Plan, large: Lock) -> Row:
    alone: AbstractContextManager[Any] = large if is_large(operator, plan.sets) else nullcontext()
    with alone:
        return judge_baseline(operator, precision, plan)


def is_large(operator: Operator, sets: Sequence[str] = SETS) -> bool:
    """Whether two such operators at once could take more memory than a small machine has."""
    judged = [w for w in operator.workloads if w.set in sets]
    return max((buffer_bytes(operator, w) for w in judged), default=0) > LARGE_BYTES


def judge_baseline(operator: Operator, precision: Precision, plan: Plan) -> Row:
    """One row: wrong answers are tried on the comparison, then the baseline is judged as a candidate is."""
    begun = time.perf_counter()
    try:
        said = complaints(operator, precision)
        evaluation = _evaluated(operator, precision, plan)
    except (BenchmarkError, ToolchainError) as fault:  # one row's; the others are judged
        return _row(operator, precision, "broken", str(fault), (), time.perf_counter() - begun)
    reason = "; ".join(said) if evaluation.correct else evaluation.reason
    seconds = time.perf_counter() - begun
    return _row(operator, precision, str(evaluation.status), reason, evaluation.workloads, seconds)


def _evaluated(operator: Operator, precision: Precision, plan: Plan) -> Evaluation:
    referee = Referee(plan.device, operator, precision, seed=plan.seed, sets=plan.sets)
    return referee.evaluate(operator.baseline(precision))


def _row(
    operator: Operator,
    precision: Precision,
    status: str,
    reason: str,
    rows: Sequence[WorkloadResult],
    seconds: float,
) -> Row:
    errors = [row.error_ratio for row in rows if row.error_ratio is not None]
    names = dict.fromkeys(row.set for row in rows if row.baseline_ms is not None)
    return Row(
        operator.name,
        str(operator.category),
        str(precision),
        status,
        reason,
        max(errors, default=None),
        len(errors),
        {name: _figures([row for row in rows if row.set == name]) for name in names},
        seconds,
    )


def _figures(rows: Sequence[WorkloadResult]) -> SetFigures:
    timed = [row for row in rows if row.baseline_ms is not None and row.attainment is not None]
    bounds = Counter(row.bound for row in timed if row.bound)
    return SetFigures(
        len(timed),
        geometric_mean([row.baseline_ms for row in timed if row.baseline_ms]),
        geometric_mean([row.attainment for row in timed if row.attainment]),
        tuple(name for name, _ in bounds.most_common()),
    )
