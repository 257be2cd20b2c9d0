"""The virtual GPU's times, worked out while the GPU is busy with what is measured, and how the two agree."""

from collections.abc import Iterable, Iterator, Mapping

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
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import TimingPlan


def modelled_times(session: Session, kernel: Kernel, arguments: Mapping[str, Arguments]) -> dict[str, Row]:
    """`modelled_ms`, or `model` that says why there is none, for each of the arguments by its name."""
    build = session.model.build(kernel.source)
    if not build.ok:
        return {name: {"model": build.first_error} for name in arguments}
    plan = TimingPlan(seed=session.seed)
    found = {name: session.model.time(build, each, plan) for name, each in arguments.items()}
    session.model.release(build)
    return {
        name: {"model": f"{time.kind}: {time.reason}"}
        if isinstance(time, RunFailure)
        else {"modelled_ms": time.median_ms}
        for name, time in found.items()
    }


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
