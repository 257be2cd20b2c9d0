"""One run at the command line, begun or gone on with: choose, say, check, work, tell."""

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cudamaster.cli import console
from cudamaster.cli.choices import Choice, choose_model
from cudamaster.cli.following import followed
from cudamaster.cli.interrupting import stopped_by_signals
from cudamaster.cli.keeping import kept_of_run, require_place
from cudamaster.cli.opening import (
    Opening,
    OperatorChoice,
    choose_operator,
    close_quietly,
    command_line,
    opening,
)
from cudamaster.cli.spending import require_team, spending_words
from cudamaster.config import Config, folders, operators_dir, read_config
from cudamaster.errors import DONE, INTERRUPTED, RunDamaged, UsageError
from cudamaster.report.document import to_text
from cudamaster.report.events import EventLines
from cudamaster.report.figures import counted
from cudamaster.report.run import closing_table, place_lines, run_document
from cudamaster.search.method import REFINE
from cudamaster.search.outcome import INTERRUPTED as BY_INTERRUPTION
from cudamaster.search.outcome import Outcome
from cudamaster.search.run import Run, outcome_in, settings_of
from cudamaster.search.settings import Settings
from cudamaster.search.teams import BUILTIN
from cudamaster.search.user_workloads import user_workloads, workloads_timed
from cudamaster.store.atomic import require_writable
from cudamaster.store.codec import Malformed, well_formed
from cudamaster.store.journal import utc_now
from cudamaster.store.runs import RunFolder, find_run, new_run

if TYPE_CHECKING:
    from cudamaster.toolchain.device import Device

ROUNDS = 3
"""Where the user names no number."""
PATIENCE = 1
"""Of the expert then: what it tries in one round is ranked by what it learnt, so a flat one bodes no gain."""


@dataclass(frozen=True, slots=True)
class Request:
    """The options of `optimize`, as given."""

    operator: str
    precision: str
    device: str
    model: str | None
    base_url: str | None
    protocol: str | None
    from_baseline: bool
    search: str
    no_lessons: bool
    rounds: int | None
    """Most; None leaves it to us, and lets the expert end early."""
    candidates: int
    max_minutes: float | None
    max_usd: float | None
    max_tokens: int | None
    shapes: tuple[str, ...]
    matrices: tuple[Path, ...]
    operators_dir: Path | None
    out: Path | None
    no_store: bool
    runs_dir: Path | None
    seed: int
    as_json: bool


def begin(context: click.Context, request: Request) -> int:
    """Start a new run. All that can be refused is refused before the device is opened and the run is made."""
    chosen = choose_operator(request.operator, request.precision, operators_dir(request.operators_dir))
    config = read_config()
    model = choose_model(request.model, config)
    require_search(request.search, model.name)
    require_language_model(request, model.name)
    user_workloads(chosen.operator, request.shapes, request.matrices)  # what is wrong with them is said now
    where = folders(runs=request.runs_dir, results=request.out)
    named = request.runs_dir is not None
    settings = settings_for(request, chosen, model, config, where.results)
    require_team(settings, config)
    require_writable(where.runs, "runs", "give another with --runs-dir", by_option=named, leave=False)
    require_place(where.results, request.out, "--out", no_store=request.no_store)
    with opening(context).device(request.device) as (device, reason):
        settings = replace(settings, device=device.name)
        run = new_run(where.runs, settings.operator, settings.precision, utc_now())
        places = {"run": f"{run.name} in {where.runs}", "stores": kept_of_run(settings, device)}
        say_choices(settings, chosen, f"{device.name} ({reason})", str(model), places)
        return work(opening(context), run, settings, device, as_json=request.as_json)


def settings_for(
    request: Request, chosen: OperatorChoice, model: Choice, config: Config, results: Path
) -> Settings:
    """What a run of this request is to do."""
    expert_rounds = expert_rounds_of(request, chosen, model.name)
    return Settings(
        operator=chosen.operator.name,
        precision=str(chosen.precision),
        device=request.device,
        model=model.name,
        rounds=(request.rounds or ROUNDS) + expert_rounds,
        patience=PATIENCE if request.rounds is None and model.name == BUILTIN else 0,
        candidates=request.candidates,
        max_minutes=request.max_minutes,
        max_usd=request.max_usd or model.max_usd,
        max_tokens=request.max_tokens,
        role_models={} if model.name == BUILTIN else dict(config.models),
        base_url=request.base_url or config.base_url,
        protocol=request.protocol or config.protocol,
        expert_rounds=expert_rounds,
        search=request.search,
        lessons=not request.no_lessons,
        seed=request.seed,
        shapes=request.shapes,
        matrices=tuple(str(path) for path in request.matrices),
        operators_dir=str(operators_dir(request.operators_dir) or ""),
        parallel=min(request.candidates, _judged_at_once()),
        results=str(results.resolve()),
        results_asked=request.out is not None,
        store=not request.no_store,
    )


def _judged_at_once() -> int:
    """One more than processors: while one candidate waits for its compiler or answers, another runs."""
    return 1 + len(os.sched_getaffinity(0))


def require_language_model(request: Request, model: str) -> None:
    """Raise UsageError for the expert and what only a language model's server is told."""
    if model == BUILTIN and (request.base_url or request.protocol):
        raise UsageError("--base-url and --protocol are for language models: name one, --model openai:NAME")


def require_search(search: str, model: str) -> None:
    """Raise UsageError for the expert and a search it cannot follow."""
    if model == BUILTIN and search != REFINE:
        raise UsageError(
            f"--search {search} needs a language model (--model): the expert renders its kernels from "
            "templates, and starts from none"
        )


def expert_rounds_of(request: Request, chosen: OperatorChoice, model: str) -> int:
    """One before a language model's, where the expert knows the operator and nobody asked it to stay out."""
    from cudamaster.agents.builtin.catalog import strategies_for

    stays_out = model == BUILTIN or request.from_baseline
    return 0 if stays_out or not strategies_for(chosen.operator, chosen.precision) else 1


def say_choices(
    settings: Settings, chosen: OperatorChoice, device: str, model: str, places: dict[str, str]
) -> None:
    """Say what was chosen for the user, and why."""
    entry = chosen.operator.entry_symbol(chosen.precision)
    operator = f"{settings.operator} {settings.precision}, entry {entry}"
    minutes = f", at most {settings.max_minutes:g} min" if settings.max_minutes else ""
    spending = spending_words(settings, read_config())
    rows = {
        "operator": f"{operator} ({chosen.reason})" if chosen.reason else operator,
        "device": device,
        "proposes": model,
        "budget": f"{rounds_words(settings)}{minutes}{spending}",
    }
    stderr = console.progress()
    for name, text in (rows | places).items():
        stderr.print(f"{name:<10} {text}", soft_wrap=True)


def rounds_words(settings: Settings) -> str:
    """`at most 3 rounds of 3 candidates`, the expert's before a language model's apart."""
    most = "at most " if settings.patience else ""
    each = counted(settings.candidates, "candidate")
    own = settings.expert_rounds
    if not own:
        return f"{most}{counted(settings.rounds, 'round')} of {each}"
    asked = counted(settings.rounds - own, "round")
    first = f"{counted(own, 'round')} of the built-in expert (--from-baseline leaves it out)"
    return f"{settings.rounds} rounds of {each}: {first}, then {asked} of the language model"


def go_on(context: click.Context, name: str, runs_dir: Path | None, as_json: bool) -> int:
    """Continue a stored run, or show a finished one again."""
    run = find_run(folders(runs=runs_dir).runs, name)
    finished = outcome_in(run)
    if finished:
        return tell(finished, as_json=as_json)
    settings = settings_of(run)
    if settings.store:
        mend = "make it writable, or start anew with --out"
        require_writable(Path(settings.results), "results", mend, by_option=False)
    require_writable(run.path, "run's", "make it writable", by_option=runs_dir is not None)
    with opening(context).device(settings.device) as (device, _):
        console.progress().print(
            f"run        {run.name} goes on, {settings.operator} {settings.precision} on {device.name}"
        )
        return work(opening(context), run, settings, device, as_json=as_json)


def work(means: Opening, run: RunFolder, settings: Settings, device: "Device", *, as_json: bool) -> int:
    """Bring the run to its outcome and tell it."""
    stderr = console.progress()
    chosen = choose_operator(settings.operator, settings.precision, settings.own_operators)
    lines = EventLines(str(device.clock), workloads_timed(chosen.operator, settings))
    recall(lines, run)
    stopping = stopped_by_signals(stderr.print, lambda: close_quietly(device))
    with stopping as stop, followed(stderr, settings, lines) as listener:
        collaborators = means.collaborators(settings, device)
        outcome = Run(run, settings, collaborators, command_line(sys.argv[1:]), stop).work([listener])
    return tell(outcome, as_json=as_json)


def recall(lines: EventLines, run: RunFolder) -> None:
    """Have the lines know what an earlier session was told. Raises RunDamaged."""
    try:
        with well_formed():
            lines.recall(run.events())
    except Malformed as fault:
        raise RunDamaged(run.name, f"in its events, {fault}") from fault


def tell(outcome: Outcome, *, as_json: bool) -> int:
    """Write the outcome to stdout, as a document or a table; returns the exit code."""
    if as_json:
        click.echo(to_text(run_document(outcome)))
    else:
        stdout = console.results()
        stdout.print(closing_table(outcome))
        for line in place_lines(outcome):
            stdout.print(line, soft_wrap=True, markup=False, highlight=False)
    return INTERRUPTED if outcome.stopped_by == BY_INTERRUPTION else DONE
