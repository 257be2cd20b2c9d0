"""The virtual GPU's time for all that was measured: does it rank as the GPU does, and what is it off by?"""

from collections.abc import Iterator, Sequence
from functools import partial

from benchmarks.gpu_check.agreement import (
    Both,
    fitted,
    fitted_by_bound,
    ordered_right,
    rank_correlation,
)
from benchmarks.gpu_check.kernels import Kernel, baselines, stored_kernels
from benchmarks.gpu_check.nouns import DONE, FAILED, Item, Kept, Part, Row, Session
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.timing import TimingPlan
from mskernelbench.materials import Materials
from mskernelbench.operator import Workload
from mskernelbench.roofline import roofline


def items(session: Session, kept: Kept) -> Sequence[Item]:
    """One for each kernel that has measured times, stored results first: their order matters most."""
    kernels = [*stored_kernels(session.operators), *baselines(session.operators)]
    rows = {row["key"]: row for part in ("stored", "baselines") for row in kept.get(part, ())}
    measured = [(kernel, rows[kernel.key]) for kernel in kernels if rows.get(kernel.key, {}).get("times")]
    return [
        Item(kernel.key, partial(model, session, kernel, row), lambda row: row) for kernel, row in measured
    ]


def model(session: Session, kernel: Kernel, row: Row) -> Row:
    """Modelled times beside the measured ones of the row."""
    build = session.model.build(kernel.source)
    if not build.ok:
        return {"status": FAILED, "reason": build.first_error}
    materials = Materials(kernel.operator, kernel.precision, session.seed)
    by_label = {workload.label: workload for workload in kernel.operator.workloads}
    times = []
    for time in row["times"]:
        workload = by_label[time["label"]]
        found = session.model.time(build, materials.arguments(workload), TimingPlan(seed=session.seed))
        modelled: Row = (
            {"reason": f"{found.kind}: {found.reason}"}
            if isinstance(found, RunFailure)
            else {"modelled_ms": found.median_ms}
        )
        times.append(_about(session, kernel, workload) | {"measured_ms": time.get("ms")} | modelled)
    session.model.release(build)
    return {"status": DONE, "times": times}


def _about(session: Session, kernel: Kernel, workload: Workload) -> Row:
    subject = f"{kernel.operator.name}/{kernel.precision}/{workload.set}/{workload.label}"
    roof = roofline(session.device.spec, kernel.operator, kernel.precision, workload)
    return {"subject": subject, "bound": roof.bound}


def both(rows: Sequence[Row]) -> Iterator[Both]:
    """Every time that was measured and modelled."""
    for row in rows:
        for time in row.get("times", ()):
            if time.get("measured_ms") and time.get("modelled_ms"):
                yield Both(time["subject"], time["bound"], time["measured_ms"], time["modelled_ms"])


def figures(rows: Sequence[Row]) -> Row:
    """Rank correlation, orders and the factors."""
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


PART = Part("modelled", "modelled against measured times", 40.0, items, figures)
