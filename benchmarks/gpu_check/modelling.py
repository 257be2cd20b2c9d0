"""The virtual GPU's times, worked out while the GPU is busy with what is measured, and how the two agree."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from benchmarks.gpu_check.agreement import (
    Both,
    fitted,
    fitted_by_bound,
    ordered_right,
    rank_correlation,
)
from benchmarks.gpu_check.kernels import Kernel
from benchmarks.gpu_check.nouns import Row, Session
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.timing import TimingPlan

T = TypeVar("T")


def of_build(build: Build, action: Callable[[Build], T | RunFailure]) -> T | RunFailure:
    """What `action` gives; of a failed build, that it is one."""
    return action(build) if build.ok else RunFailure(FailureKind.BUILD_FAILED, build.first_error)


def modelled_times(session: Session, kernel: Kernel, arguments: Mapping[str, Arguments]) -> dict[str, Row]:
    """`modelled_ms`, or `model` that says why there is none, for each of the arguments by its name."""
    build, plan = session.model.build(kernel.source), TimingPlan(seed=session.seed)
    rows: dict[str, Row] = {}
    for name, each in arguments.items():
        time = of_build(build, partial(session.model.time, arguments=each, plan=plan))
        if isinstance(time, RunFailure):
            rows[name] = {"model": f"{time.kind}: {time.reason}"}
        else:
            rows[name] = {"modelled_ms": time.median_ms}
    session.model.release(build)
    return rows


def both(rows: Iterable[Row]) -> Iterator[Both]:
    """Every time that was measured and modelled."""
    for row in rows:
        for time in row.get("times", ()):
            if "ms" in time and "modelled_ms" in time:
                yield Both(time["subject"], time["bound"], time["ms"], time["modelled_ms"])


def agreement(rows: Iterable[Row]) -> Row:
    """Rank correlation, orders, and the factors that would calibrate the model."""
    times = list(both(rows))
    whole = fitted(times)
    return {
        "times": len(times),
        "rank_correlation": rank_correlation(times),
        "ordered_right": ordered_right(times, within_subject=False),
        "ordered_right_same_work": ordered_right(times, within_subject=True),
        "calibration": whole._asdict() if whole else None,
        "calibration_by_bound": {bound: fit._asdict() for bound, fit in fitted_by_bound(times).items()},
    }
