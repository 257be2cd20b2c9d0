"""One task of the suite: its run is begun or gone on with, and its outcome becomes a row."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from cudamaster.agents.errors import AgentsError
from cudamaster.bench.result_file import ResultFile
from cudamaster.bench.score import TaskStatus
from cudamaster.errors import CudamasterError, GroundChanged, RunDamaged
from cudamaster.report.document import Json
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.outcome import INTERRUPTED, Outcome
from cudamaster.search.run import Run, outcome_in
from cudamaster.search.settings import Settings
from cudamaster.store.codec import decode
from cudamaster.store.journal import Listener, utc_now
from cudamaster.store.results import digest_of
from cudamaster.store.runs import RunFolder, new_run
from cudamaster.toolchain.errors import ToolchainError
from mskernelbench.errors import BenchmarkError
from mskernelbench.evaluation import Evaluation

Follow = Callable[[Settings, RunFolder], AbstractContextManager[Listener]]
"""Opens what is told a run's events."""


@dataclass(frozen=True, slots=True)
class Workplace:
    """What all tasks of a suite work with."""

    file: ResultFile
    runs: Path
    means: Callable[[Settings], Collaborators]
    follow: Follow
    command: str
    """The command line, as evidence."""
    stop: Event
    """Set it, and tasks under way end with what they have."""


def work_on(settings: Settings, place: Workplace) -> Json:
    """Bring one task as far as it goes; its row, which is in the file too.

    What hinders one task is said in its row, and hinders no other.
    """
    row = place.file.row((settings.operator, settings.precision))
    folder = run_folder(row, place.runs, settings)
    begun = _about(row) | {"run": folder.name}
    place.file.put(begun | {"status": str(TaskStatus.UNFINISHED)})
    try:
        result = begun | _worked(folder, settings, place)
    except (CudamasterError, AgentsError, ToolchainError, BenchmarkError) as fault:
        result = begun | _hindered(fault, stopped=place.stop.is_set())
    place.file.put(result)
    return result


def _about(row: Json) -> Json:
    return {name: row[name] for name in ("operator", "precision", "scenario")}


def run_folder(row: Json, runs: Path, settings: Settings) -> RunFolder:
    """The run that the row names, where it is still there; else a new one."""
    name = Path(row.get("run", "")).name
    if name and (runs / name).is_dir():
        return RunFolder(runs / name)
    return new_run(runs, settings.operator, settings.precision, utc_now())


def _worked(folder: RunFolder, settings: Settings, place: Workplace) -> Json:
    means = place.means(settings)
    outcome = outcome_in(folder)
    if outcome is None:
        with place.follow(settings, folder) as listener:
            outcome = Run(folder, settings, means, place.command, place.stop).work([listener])
    if outcome.stopped_by == INTERRUPTED:
        return {"status": str(TaskStatus.UNFINISHED)}
    return outcome_row(outcome, folder, digest_of(means.judge.baseline()))


def _hindered(fault: Exception, *, stopped: bool) -> Json:
    """A run that cannot be gone on with is not named, so that the next attempt begins anew."""
    if stopped:
        return {"status": str(TaskStatus.UNFINISHED)}
    lost = {"run": ""} if isinstance(fault, RunDamaged | GroundChanged) else {}
    return {"status": str(TaskStatus.BROKEN), "reason": str(fault)} | lost


def outcome_row(outcome: Outcome, folder: RunFolder, baseline_sha256: str) -> Json:
    """A finished task's row, but for what names it: its status, and the figures that this allows."""
    spent: Json = {
        "rounds": outcome.rounds,
        "candidates": outcome.candidates,
        "stopped_by": outcome.stopped_by,
        "tokens": outcome.tokens,
        "minutes": round(outcome.seconds / 60, 4),
        "baseline_sha256": baseline_sha256,
    }
    if outcome.cost_usd is not None:
        spent["cost_usd"] = outcome.cost_usd
    if outcome.best is not None:
        plan = {"strategy": outcome.best.plan.strategy, "parameters": dict(outcome.best.plan.parameters)}
        return spent | _judged(TaskStatus.FASTER, outcome.best.kernel_sha256, outcome.best.evaluation) | plan
    tied = _tied(folder.events())
    if tied is not None:
        return spent | _judged(TaskStatus.TIED, *tied)
    return spent | {"status": str(TaskStatus.FAILED if outcome.fastest is None else TaskStatus.NO_GAIN)}


def _judged(status: TaskStatus, kernel_sha256: str, evaluation: Evaluation) -> Json:
    vendor = evaluation.vendor.document().get("speedup") if evaluation.vendor else None
    figures: Json = {"evaluation": evaluation.document()} | ({"vendor_speedup": vendor} if vendor else {})
    return {"status": str(status), "kernel_sha256": kernel_sha256} | figures


def _tied(events: list[Json]) -> tuple[str, Evaluation] | None:
    """The fastest of the kernels that are right on every workload and not told from the baseline."""
    judged = [(e["kernel"], decode(Evaluation, e["value"])) for e in events if e["event"] == "champion"]
    alike = [
        (v.speedup.centre, k, v) for k, v in judged if v.speedup and v.speedup.low <= 1 <= v.speedup.high
    ]
    return max(alike)[1:] if alike else None
