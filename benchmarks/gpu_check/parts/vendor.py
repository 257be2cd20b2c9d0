"""NVIDIA's own libraries on the workloads of the baselines, where they are installed: right, and how fast."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from benchmarks.gpu_check.kernels import Kernel, baselines, compared_workload, timed_workloads
from benchmarks.gpu_check.nouns import DONE, OBJECTION, SKIPPED, Item, Part, Row, Session
from benchmarks.gpu_check.vendor import Arm, built_arm, vendor_row
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.kernel import KernelSource
from mskernelbench.answers import Answer
from mskernelbench.materials import Materials
from mskernelbench.operator import Workload
from mskernelbench.vendor.arms import find_arm


class Prepared(NamedTuple):
    """What an arm is measured with."""

    arm: Arm | str | None
    arguments: dict[str, Arguments]
    """By the label of the workload."""
    workloads: tuple[Workload, ...]
    compared: Workload
    answers: dict[str, Answer]
    """Right outputs of `compared`."""


def items(session: Session) -> Sequence[Item]:
    """One for each baseline whose operator has an arm."""
    return [
        Item(kernel.key, partial(prepare, session, kernel), partial(measure, session, kernel))
        for kernel in _with_arms(session.operators)
    ]


def sources(operators: Sequence[str]) -> Iterator[KernelSource]:
    """The arms."""
    for kernel in _with_arms(operators):
        if arm := find_arm(kernel.operator, kernel.precision):
            yield arm.source


def _with_arms(operators: Sequence[str]) -> Iterator[Kernel]:
    return (kernel for kernel in baselines(operators) if find_arm(kernel.operator, kernel.precision))


def prepare(session: Session, kernel: Kernel) -> Prepared:
    """Build it, and draw what it is called with."""
    operator, precision = kernel.operator, kernel.precision
    materials = Materials(operator, precision, session.seed)
    timed = timed_workloads(operator, precision, session.sizes)
    compared = compared_workload(operator, precision)
    arguments = {workload.label: materials.arguments(workload) for workload in (*timed, compared)}
    arm = built_arm(session, kernel)
    return Prepared(arm, arguments, timed, compared, dict(materials.answers(compared)))


def measure(session: Session, kernel: Kernel, prepared: Prepared) -> Row:
    """Its times once it is right; what it lacks, where it cannot be called."""
    about = {"operator": kernel.operator.name, "precision": str(kernel.precision)}
    compared = prepared.compared, prepared.answers
    row = vendor_row(session, prepared.arm, prepared.arguments, compared, prepared.workloads)
    if not row:
        return about | {"status": SKIPPED, "reason": f"{session.device.name} does not run it"}
    vendor = row["vendor"]
    if "lacks" in vendor:
        return about | row | {"status": SKIPPED, "reason": vendor["lacks"]}
    wrong = {OBJECTION: "the vendor's outputs are wrong"} if float(vendor["error_ratio"]) > 1 else {}
    return about | row | {"status": DONE} | wrong


def figures(rows: Sequence[Row]) -> Row:
    """How many were timed, and how many are right."""
    done = [row["vendor"] for row in rows if row["status"] == DONE]
    return {
        "arms": len(done),
        "right": sum(float(arm["error_ratio"]) <= 1 for arm in done),
        "libraries": ", ".join(sorted({arm["library"] for arm in done})) or None,
    }


PART = Part("vendor", "vendor arms on the same workloads", 10.0, items, figures, sources)
