"""Puts a run's champion where results are kept, with the evidence, unless the kernel there is as fast."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from cudamaster.search.outcome import Best, Known, Outcome
from cudamaster.search.story import story_of
from cudamaster.store.codec import Json, encode
from cudamaster.store.results import (
    KERNEL,
    OWN_SIZES,
    RECORD,
    SCHEMA,
    Stored,
    comparable,
    digest_of,
    folder_of,
    read_stored,
    sealed,
    store_better,
)
from mskernelbench.spread import extremes_document

if TYPE_CHECKING:
    from cudamaster.search.run import Run


class Placed(NamedTuple):
    """Where a champion was put."""

    record: str
    """Path of the record that now holds the best kernel known."""
    stored: bool
    """Whether that is the champion."""
    before: Known | None = None
    """What was there before, where it can be compared with the champion."""


def store_champion(outcome: Outcome, run: "Run") -> Outcome:
    """The outcome with the place of its record, and of its kernel in the run's folder."""
    if outcome.best is None:
        return outcome
    placed = place_champion(outcome.best, run)
    best = replace(outcome.best, kernel=str(run.folder.best_path / KERNEL))
    return replace(outcome, best=best, record=placed.record, stored=placed.stored, before=placed.before)


def place_champion(best: Best, run: "Run") -> Placed:
    """Put the run's best kernel in its place, unless the kernel there is as fast.

    The run's folder keeps it as well, whatever is stored. A run on the user's own workloads is compared with
    nothing: its champion is kept there alone, or under `own-sizes` where the user named a results folder.
    """
    events = run.folder.events()
    story = story_of(events) if events else None  # what a coding agent submitted has none
    champion = Stored(Path(best.kernel).read_bytes().decode(), record_of(best, run), story)
    store_better(run.folder.best_path, champion)
    place = place_of(run)
    if place is None:
        return Placed(str(run.folder.best_path / RECORD), stored=True)
    record = str(place / RECORD)
    if run.settings.on_own_workloads:
        return Placed(record, store_better(place, champion))
    before = known_at(place, champion, run)
    if before is not None and before.judged_anew and before.speedup.low > champion.low:
        return Placed(record, stored=False, before=before)
    return Placed(record, store_better(place, champion), before)


def place_of(run: "Run") -> Path | None:
    """The champion's place among the results; None where the run's folder alone keeps it."""
    settings = run.settings
    if settings.on_own_workloads:
        return results_folder(run) / OWN_SIZES / run.folder.name if settings.results_asked else None
    return results_folder(run) if settings.store else None


def results_folder(run: "Run") -> Path:
    """Where results of this operator, precision and device are kept."""
    settings, means = run.settings, run.means
    return folder_of(
        Path(settings.results),
        place_name(means.device, means.spec.name),
        settings.operator,
        settings.precision,
    )


def place_name(device: str, model: str) -> str:
    """Names the hardware and not its slot: `virtual:h200` stays, `cuda:0` becomes `cuda:h200`."""
    kind = device.partition(":")[0]
    return f"{kind}:{model}"


def known_at(place: Path, champion: Stored, run: "Run") -> Known | None:
    """The stored kernel, which the champion can be compared with; None where there is none that is right.

    One of another model version or baseline is judged anew here. Where it is only as fast it gives way: then
    the record is of the model as it is.
    """
    present = read_stored(place)
    if present is None:
        return None
    same = present.kernel == champion.kernel
    if comparable(present.record, champion.record):
        return Known(present.speedup, same, judged_anew=False)
    verdict = run.means.judge.full(present.kernel)
    return Known(verdict.speedup, same, judged_anew=True) if verdict.speedup else None


def record_of(best: Best, run: "Run") -> Json:
    """The document `cudamaster.record/1`: the verdict, and all that is needed to reach it again."""
    settings, means = run.settings, run.means
    return sealed(
        {
            "schema": SCHEMA,
            "operator": settings.operator,
            "precision": settings.precision,
            "entry": means.entry,
            "device": place_name(means.device, means.spec.name),
            "clock": means.clock,
            "clock_version": means.clock_version,
            "kernel_sha256": best.kernel_sha256,
            "baseline_sha256": digest_of(means.judge.baseline()),
            **means.judge.digests(Path(best.kernel).read_text()),
            "evaluation": best.evaluation.document(),
            **extremes_document(best.evaluation),
            "strategy": best.plan.strategy,
            "parameters": dict(best.plan.parameters),
            "change": best.plan.change,
            "reason": best.plan.reason,
            "lesson": best.lesson,
            "model": settings.model,
            "seed": settings.seed,
            "run": run.folder.name,
            "settings": encode(replace(settings, results="")),  # a record tells nobody's folders
            "versions": dict(means.versions),
            "command": run.command,
            "time": run.now().isoformat(),
        }
    )
