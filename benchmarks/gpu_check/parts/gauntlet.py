"""Cheats that are after what only a GPU has are refused or gain nothing; honest kernels are accepted."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks.gpu_check.kernels import timed_workloads
from benchmarks.gpu_check.nouns import DONE, OBJECTION, Item, Part, Row, Session
from cudamaster.toolchain.kernel import KernelSource
from mskernelbench.catalog import load_operator
from mskernelbench.entries import EntryProblem, find_entry
from mskernelbench.operator import Precision
from mskernelbench.referee import Referee
from tests.gauntlet.kernels import NO_GAIN, Cheat, GauntletKernel, Harmless, honest, suspects

SEED = 20
"""That of the gauntlet."""


def kernels() -> list[GauntletKernel]:
    """The cheats of a GPU, then the honest ones."""
    return [*(kernel for kernel in suspects() if kernel.gpu), *honest()]


def items(session: Session) -> Sequence[Item]:
    """One for each of the session's operators' kernels."""
    return [
        Item(kernel.name, partial(_referee, session, kernel), partial(_judge, session, kernel))
        for kernel in kernels()
        if kernel.operator in session.operators
    ]


def sources(operators: Sequence[str]) -> Iterator[KernelSource]:
    """Theirs, where they have an entry."""
    for kernel in kernels():
        found = find_entry(kernel.source, load_operator(kernel.operator), Precision(kernel.precision), None)
        if kernel.operator in operators and not isinstance(found, EntryProblem):
            yield KernelSource(kernel.source, found.name)


def _referee(session: Session, kernel: GauntletKernel) -> Referee:
    operator, precision = load_operator(kernel.operator), Precision(kernel.precision)
    referee = Referee(session.device, operator, precision, seed=SEED, sets=("check",))
    referee.built(kernel.source)
    referee.built(operator.baseline(precision))
    return referee


def _judge(session: Session, kernel: GauntletKernel, referee: Referee) -> Row:
    """A cheat is timed as well, on one workload; an honest kernel is only checked."""
    cheat = isinstance(kernel, Cheat | Harmless)
    timed = timed_workloads(referee.operator, referee.precision, session.sizes)[:1] if cheat else ()
    verdict = referee.evaluate(kernel.source, timed=timed) if cheat else referee.evaluate(kernel.source)
    low = verdict.speedup.low if verdict.speedup else None
    right = (low is None or low <= NO_GAIN) if cheat else verdict.correct
    row: dict[str, Any] = {
        "cheat": cheat,
        "verdict": str(verdict.status),
        "rule": verdict.rule,
        "right": right,
    }
    return (
        row
        | {"status": DONE, "reason": verdict.reason, "low": low}
        | ({} if right else {OBJECTION: verdict.reason})
    )


def figures(rows: Sequence[Row]) -> Row:
    """How many are judged right, and which are not."""
    judged = [row for row in rows if row["status"] == DONE]
    return {
        "cheats": sum(row["cheat"] for row in judged),
        "honest": sum(not row["cheat"] for row in judged),
        "wrong": [row["key"] for row in judged if not row["right"]],
    }


PART = Part("gauntlet", "cheats gain nothing, honest kernels pass", 20.0, items, figures, sources)
