"""Stored results and some baselines under compute-sanitizer: no fault may be found in them."""

from collections.abc import Sequence
from functools import partial
from itertools import chain

from benchmarks.gpu_check.kernels import Kernel, baselines, compared_workload, stored_kernels
from benchmarks.gpu_check.nouns import DONE, FAILED, LAST, OBJECTION, SKIPPED, Item, Part, Row, Session
from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.device import Examining
from mskernelbench.materials import Materials


def items(session: Session) -> Sequence[Item]:
    """Stored results first."""
    kernels = chain(stored_kernels(session.operators), baselines(session.operators))
    return [
        Item(kernel.key, partial(prepare, session, kernel), partial(measure, session, kernel))
        for kernel in kernels
    ]


def prepare(session: Session, kernel: Kernel) -> Arguments:
    """A small call, since a watched one takes long."""
    session.device.build(kernel.source)
    workload = compared_workload(kernel.operator, kernel.precision)
    return Materials(kernel.operator, kernel.precision, session.seed).arguments(workload)


def measure(session: Session, kernel: Kernel, arguments: Arguments) -> Row:
    """What the tools find; the part ends where there is none."""
    if not isinstance(session.device, Examining):
        return {
            "status": SKIPPED,
            "reason": f"{session.device.name} has no tools to examine calls",
            LAST: True,
        }
    build = session.device.build(kernel.source)
    if not build.ok:
        return {"status": FAILED, "reason": build.first_error}
    found = session.device.examine(build, arguments)
    if found.missing and not found.checks:
        return {"status": SKIPPED, "reason": found.missing, LAST: True}
    faults = [f"{fault.kind}: {fault}" for fault in found.faults]
    row = {"status": DONE, "checks": list(found.checks), "faults": faults, "reason": found.missing or ""}
    return row | ({OBJECTION: faults[0]} if faults else {})


def figures(rows: Sequence[Row]) -> Row:
    """How many were examined, and in which something was found."""
    done = [row for row in rows if row["status"] == DONE]
    return {"examined": len(done), "faulty": {row["key"]: row["faults"] for row in done if row["faults"]}}


PART = Part("sanitizer", "compute-sanitizer finds nothing in our kernels", 5.0, items, figures)
