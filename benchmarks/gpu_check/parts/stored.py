"""Stored results, judged by the referee on the GPU: are they right there, and faster than the baseline?"""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from benchmarks.gpu_check.kernels import Kernel, stored_kernels, timed_workloads
from benchmarks.gpu_check.modelling import modelled_times
from benchmarks.gpu_check.nouns import DONE, OBJECTION, Item, Part, Row, Session
from cudamaster.toolchain.kernel import KernelSource
from mskernelbench.materials import Materials
from mskernelbench.operator import Workload
from mskernelbench.referee import Referee


def items(session: Session) -> Sequence[Item]:
    """One for each stored kernel."""
    return [
        Item(kernel.key, partial(_prepare, session, kernel), partial(_judge, kernel))
        for kernel in stored_kernels(session.operators)
    ]


def sources(operators: Sequence[str]) -> Iterator[KernelSource]:
    """Theirs; those of the baselines are another part's."""
    return (kernel.source for kernel in stored_kernels(operators))


class Prepared(NamedTuple):
    """What a kernel is judged with, and its modelled times by the label of the workload."""

    referee: Referee
    workloads: tuple[Workload, ...]
    modelled: dict[str, Row]


def _prepare(session: Session, kernel: Kernel) -> Prepared:
    referee = Referee(session.device, kernel.operator, kernel.precision, seed=session.seed, sets=("check",))
    referee.built(kernel.text)
    referee.built(kernel.operator.baseline(kernel.precision))
    timed = timed_workloads(kernel.operator, kernel.precision, session.sizes)
    materials = Materials(kernel.operator, kernel.precision, session.seed)
    arguments = {workload.label: materials.arguments(workload) for workload in timed}
    return Prepared(referee, timed, modelled_times(session, kernel, arguments))


def _judge(kernel: Kernel, prepared: Prepared) -> Row:
    verdict = prepared.referee.evaluate(kernel.text, timed=prepared.workloads)
    times = [
        {"set": row.set, "label": workload.label, "subject": kernel.subject(workload), "bound": row.bound}
        | {"ms": row.candidate_ms}
        | prepared.modelled[workload.label]
        for workload in prepared.workloads
        for row in verdict.workloads
        if row.candidate_ms is not None and (row.set, row.shape) == (workload.set, workload.shape)
    ]
    about = {"operator": kernel.operator.name, "precision": str(kernel.precision), "kernel": kernel.origin}
    objection = {} if verdict.correct else {OBJECTION: verdict.reason}
    return about | {"status": DONE, "evaluation": verdict.document(), "times": times} | objection


def figures(rows: Sequence[Row]) -> Row:
    """How many are right, how many surely faster."""
    verdicts = [row["evaluation"] for row in rows if row["status"] == DONE]
    correct = [verdict for verdict in verdicts if verdict["status"] == "correct"]
    return {
        "judged": len(verdicts),
        "correct": len(correct),
        "faster": sum(verdict.get("speedup", {"low": 0.0})["low"] > 1 for verdict in correct),
    }


PART = Part("stored", "stored results against their baselines", 25.0, items, figures, sources)
