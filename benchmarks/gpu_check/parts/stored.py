"""Stored results, judged by the referee on the GPU: are they right there, and faster than the baseline?"""

from collections.abc import Sequence
from functools import partial

from benchmarks.gpu_check.kernels import Kernel, stored_kernels, timed_workloads
from benchmarks.gpu_check.nouns import DONE, Item, Kept, Part, Row, Session
from mskernelbench.referee import Referee


def items(session: Session, kept: Kept) -> Sequence[Item]:
    """One for each stored kernel."""
    return [
        Item(kernel.key, partial(_referee, session, kernel), partial(_judge, session, kernel))
        for kernel in stored_kernels(session.operators)
    ]


def _referee(session: Session, kernel: Kernel) -> Referee:
    referee = Referee(session.device, kernel.operator, kernel.precision, seed=session.seed, sets=("check",))
    referee.built(kernel.text)
    referee.built(kernel.operator.baseline(kernel.precision))
    return referee


def _judge(session: Session, kernel: Kernel, referee: Referee) -> Row:
    timed = timed_workloads(kernel.operator, kernel.precision, session.sizes)
    verdict = referee.evaluate(kernel.text, timed=timed)
    times = [
        {"set": row.set, "shape": dict(row.shape), "label": workload.label, "ms": row.candidate_ms}
        for workload in timed
        for row in verdict.workloads
        if row.candidate_ms is not None and (row.set, row.shape) == (workload.set, workload.shape)
    ]
    about = {"operator": kernel.operator.name, "precision": str(kernel.precision), "kernel": kernel.origin}
    return about | {"status": DONE, "evaluation": verdict.document(), "times": times}


def figures(rows: Sequence[Row]) -> Row:
    """How many are right, how many surely faster."""
    verdicts = [row["evaluation"] for row in rows if row["status"] == DONE]
    correct = [verdict for verdict in verdicts if verdict["status"] == "correct"]
    return {
        "judged": len(verdicts),
        "correct": len(correct),
        "faster": sum(verdict.get("speedup", {"low": 0.0})["low"] > 1 for verdict in correct),
    }


PART = Part("stored", "stored results against their baselines", 30.0, items, figures)
