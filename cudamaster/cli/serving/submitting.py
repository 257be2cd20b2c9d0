"""A kernel that an agent submits: judged afresh on all workloads, and stored as a run's champion is."""

import threading

from cudamaster.agents.nouns import Plan
from cudamaster.cli.serving.messages import Service
from cudamaster.report.document import Json
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.outcome import Best
from cudamaster.search.run import Run
from cudamaster.search.settings import Settings
from cudamaster.search.standing import beats_baseline
from cudamaster.search.storing import place_champion
from cudamaster.store.results import digest_of
from cudamaster.store.runs import RunFolder
from mskernelbench.evaluation import Evaluation

SCHEMA = "cudamaster.submission/1"
STRATEGY = "submitted"


def submitted(source: str, note: str, settings: Settings, means: Collaborators, service: Service) -> Json:
    """`cudamaster.submission/1`: the verdict, whether the kernel was stored, why, and where."""
    verdict = means.judge.full(source)
    document: Json = {"schema": SCHEMA, "stored": False, "reason": "", "evaluation": verdict.document()}
    if not beats_baseline(verdict):
        return document | {"reason": why_not(verdict)}
    run = Run(folder_of(settings, service), settings, means, service.command, threading.Event())
    placed = place_champion(champion(source, note, verdict, run), run)
    words = (
        "it is the best kernel known here" if placed.stored else "a kernel that is as fast is stored already"
    )
    return document | {"stored": placed.stored, "reason": words, "record": placed.record}


def why_not(verdict: Evaluation) -> str:
    """Why there is nothing to store."""
    if not verdict.correct:
        return f"{verdict.status}: {verdict.reason}"
    return "it is correct, and not faster than the baseline over all workloads; under 10 % counts as none"


def folder_of(settings: Settings, service: Service) -> RunFolder:
    """Where what was submitted for these workloads is kept."""
    sizes = f"-{digest_of(' '.join(settings.shapes))[:8]}" if settings.shapes else ""
    return RunFolder(service.runs / f"mcp-{settings.operator}-{settings.precision}{sizes}")


def champion(source: str, note: str, verdict: Evaluation, run: Run) -> Best:
    """The kernel, kept among the folder's artefacts, as the best of a run of one candidate."""
    artefacts = run.folder.artefacts()
    digest = artefacts.keep(source)
    change = Plan(STRATEGY, note or "a kernel from outside", f"submitted by {run.settings.model}")
    return Best(1, 1, change, "", str(artefacts.path(digest)), digest, verdict)
