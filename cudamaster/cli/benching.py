"""The suite at the command line: choose, say, check, work on each task, tell."""

import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING

import click

from cudamaster.bench.duration import duration_words
from cudamaster.bench.result_file import SCHEMA, ResultFile, open_result_file, pending
from cudamaster.bench.score import TaskStatus
from cudamaster.bench.suite import Task, left_to_do, work_on_all
from cudamaster.bench.task import Workplace
from cudamaster.cli import console
from cudamaster.cli.bench_view import BenchView, shown
from cudamaster.cli.choices import Choice, choose_model
from cudamaster.cli.interrupting import stopped_by_signals
from cudamaster.cli.keeping import kept_of_suite, require_place
from cudamaster.cli.opening import (
    Opening,
    OperatorChoice,
    choose_operator,
    close_quietly,
    command_line,
    opening,
)
from cudamaster.cli.operators import choose
from cudamaster.cli.session import ROUNDS, Request, require_search, settings_for
from cudamaster.cli.spending import require_team
from cudamaster.config import Config, folders, read_config
from cudamaster.errors import DONE, ENVIRONMENT, INTERRUPTED, UsageError
from cudamaster.report.bench import closing_line, kept_line
from cudamaster.report.document import Json, to_text
from cudamaster.report.figures import counted
from cudamaster.search.collaborators import Collaborators
from cudamaster.search.settings import Settings
from cudamaster.search.storing import place_name
from cudamaster.search.teams import BUILTIN
from cudamaster.store.atomic import held, require_writable
from cudamaster.store.journal import utc_now
from cudamaster.toolchain.cache import cache_folder
from mskernelbench.catalog import find_precision
from mskernelbench.memory import available_bytes
from mskernelbench.operator import Precision

TASK_BYTES = 5 << 30
"""Of memory, what a task of large tensors takes."""

if TYPE_CHECKING:
    from cudamaster.toolchain.device import Device


@dataclass(frozen=True, slots=True)
class BenchRequest:
    """The options of `bench`, as given."""

    operators: str
    precision: str
    operators_dir: Path | None
    device: str
    model: str | None
    base_url: str | None
    protocol: str | None
    from_baseline: bool
    search: str
    rounds: int | None
    """Most; None leaves it to us, and lets the expert end early."""
    candidates: int
    max_minutes: float | None
    max_usd: float | None
    max_tokens: int | None
    jobs: int | None
    out: Path
    results: Path | None
    no_store: bool
    runs_dir: Path | None
    seed: int
    as_json: bool


def bench(context: click.Context, request: BenchRequest) -> int:
    """Work on all tasks. All that can be refused is refused before the device is opened."""
    config = read_config()
    model = choose_model(request.model, config)
    require_search(request.search, model.name)
    chosen = chosen_tasks(request)
    asked = [settings_of(request, one, model, config, len(chosen)) for one in chosen]
    for settings in asked:
        require_team(settings, config)
    where = folders(runs=request.runs_dir, results=request.results)
    named = request.runs_dir is not None
    require_writable(where.runs, "runs", "give another with --runs-dir", by_option=named, leave=False)
    require_place(where.results, request.results, "--results", no_store=request.no_store)
    require_writable(request.out.absolute().parent, "result file's", "give another with --out", leave=False)
    means = opening(context)
    with means.device(request.device) as (device, reason), alone(request.out):
        jobs = jobs_of(request, device)
        parallel = max(1, min(request.candidates, _cores() // jobs))
        asked = [replace(settings, device=device.name, parallel=parallel) for settings in asked]
        file = open_result_file(request.out, head(means.collaborators(asked[0], device), request, asked[0]))
        say_choices(
            request, f"{device.name} ({reason})", model, f"{counted(len(asked), 'task')}, {jobs} at once"
        )
        large = Lock()
        tasks = [Task(one.operator, settings, large) for one, settings in zip(chosen, asked, strict=True)]
        return Session(means, device, file, where.runs, jobs).work(tasks, as_json=request.as_json)


def chosen_tasks(request: BenchRequest) -> list[OperatorChoice]:
    """Every operator at every precision that was asked for. Raises UnknownOperator, UnknownPrecision."""
    own = request.operators_dir
    names = [name.strip() for name in request.operators.split(",") if name.strip()]
    if not names:
        raise UsageError("--operators names none: give names with commas, or all")
    operators = choose(() if names == ["all"] else tuple(names), own)
    precisions = [str(p) for p in precisions_of(request.precision)]
    return [choose_operator(operator.name, p, own) for operator in operators for p in precisions]


def precisions_of(text: str) -> tuple[Precision, ...]:
    """`both`, or names with commas. Raises UnknownPrecision."""
    if text.strip().lower() == "both":
        return tuple(Precision)
    return tuple(dict.fromkeys(find_precision(name) for name in text.split(",")))


def settings_of(
    request: BenchRequest, chosen: OperatorChoice, model: Choice, config: Config, tasks: int
) -> Settings:
    """What the run of one task is to do: limits of all tasks are shared out."""
    usd, tokens = request.max_usd or model.max_usd, request.max_tokens
    if tokens is not None and tokens < tasks:
        raise UsageError(f"--max-tokens {tokens} leaves none for each of {tasks} tasks: give more")
    wanted = {f.name for f in fields(Request)} & {f.name for f in fields(BenchRequest)}
    given = {name: getattr(request, name) for name in wanted} | {
        "operator": chosen.operator.name,
        "precision": str(chosen.precision),
        "no_lessons": True,
        "max_usd": usd and usd / tasks,
        "max_tokens": tokens and tokens // tasks,
        "shapes": (),
        "matrices": (),
        "out": request.results,
    }
    results = folders(results=request.results).results
    return settings_for(Request(**given), chosen, model, config, results)


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Hold the result file against other processes, whatever their runs are. Raises UsageError."""
    name = hashlib.sha256(os.fsencode(out.resolve())).hexdigest()[:12]
    folder = cache_folder() / "locks" / f"bench-{name}"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with held(folder, wait=False):
            yield
    except BlockingIOError as cause:
        raise UsageError(f"another process writes {out}: wait for it, or give another --out") from cause


def jobs_of(request: BenchRequest, device: "Device") -> int:
    """Tasks at once. Raises UsageError for several on one GPU, whose times would be each other's."""
    measured = str(device.clock) == "measured"
    if measured and (request.jobs or 1) > 1:
        raise UsageError(f"--jobs {request.jobs} would time several kernels on {device.name} at once; give 1")
    return 1 if measured else request.jobs or fitting_jobs(_cores(), available_bytes())


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def fitting_jobs(cores: int, free_bytes: int) -> int:
    """As many tasks as there are cores, and memory for."""
    return max(1, min(cores, free_bytes // TASK_BYTES))


def head(means: Collaborators, request: BenchRequest, settings: Settings) -> Json:
    """A result file's head: all that is needed to repeat it."""
    kept = ("model", "role_models", "base_url", "protocol", "search", "candidates", "patience", "max_debugs")
    limits = ("max_minutes", "max_usd", "max_tokens", "seed", "operators_dir")
    asked = {name: value for name, value in asdict(settings).items() if name in kept + limits}
    return {
        "schema": SCHEMA,
        "command": command_line(sys.argv[1:]),
        "begun": utc_now().isoformat(),
        "device": place_name(means.device, means.spec.name),
        "device_title": means.spec.title,
        "clock": means.clock,
        "clock_version": means.clock_version,
        "versions": dict(means.versions),
        "settings": asked | {"rounds": request.rounds or ROUNDS, "from_baseline": request.from_baseline},
    }


def say_choices(request: BenchRequest, device: str, model: Choice, tasks: str) -> None:
    """Say what was chosen for the user, and why."""
    rounds, candidates = counted(request.rounds or ROUNDS, "round"), counted(request.candidates, "candidate")
    first = (
        ""
        if model.name == BUILTIN or request.from_baseline
        else ", after one of the expert where it knows the operator"
    )
    usd = request.max_usd or model.max_usd
    most = f"; at most ${usd:.2f} in all" if usd else ""
    rows = {
        "tasks": tasks,
        "device": device,
        "proposes": str(model),
        "budget": f"{rounds} of {candidates} for each{first}{most}",
        "results": f"{request.out}",
        "stores": kept_of_suite(folders(results=request.results).results, no_store=request.no_store),
    }
    for name, text in rows.items():
        console.progress().print(f"{name:<10} {text}", soft_wrap=True)


@dataclass(frozen=True, slots=True)
class Session:
    """One process's work on a suite."""

    means: Opening
    device: "Device"
    file: ResultFile
    runs: Path
    jobs: int

    def work(self, tasks: Sequence[Task], *, as_json: bool) -> int:
        """Work on what is left to do, and tell what all came to; returns the exit code."""
        self.file.expect([pending_row(task) for task in tasks])
        stderr = console.progress()
        stopping = stopped_by_signals(stderr.print, lambda: close_quietly(self.device))
        with stopping as stop, shown(stderr, len(tasks), str(self.device.clock)) as view:
            place = self._place(stop, view)
            left = left_to_do(tasks, place)
            view.skip(len(tasks) - len(left))
            stderr.print(f"time       {self._duration(tasks, left)}", soft_wrap=True)
            for row in work_on_all(left, place, self.jobs):
                view.finish(row)
            interrupted = stop.is_set()
        return tell(self.file, tasks, interrupted=interrupted, as_json=as_json)

    def _duration(self, tasks: Sequence[Task], left: Sequence[Task]) -> str:
        return duration_words(
            [task.settings for task in left],
            rows_of(self.file, tasks),
            jobs=self.jobs,
            cores=len(os.sched_getaffinity(0)),
            modelled=str(self.device.clock) == "modelled",
        )

    def _place(self, stop: Event, view: BenchView) -> Workplace:
        return Workplace(
            file=self.file,
            runs=self.runs,
            means=lambda settings: self.means.collaborators(settings, self.device),
            follow=view.follow,
            command=command_line(sys.argv[1:]),
            stop=stop,
        )


def pending_row(task: Task) -> Json:
    """The row of a task that was not begun."""
    return pending(task.settings.operator, task.settings.precision, str(task.operator.category))


def rows_of(file: ResultFile, tasks: Sequence[Task]) -> list[Json]:
    """What the file says of each task."""
    return [file.row((task.settings.operator, task.settings.precision)) for task in tasks]


def tell(file: ResultFile, tasks: Sequence[Task], *, interrupted: bool, as_json: bool) -> int:
    """Write the outcome to stdout, as the file's document or a line; returns the exit code."""
    rows = rows_of(file, tasks)
    if as_json:
        click.echo(to_text(file.document()))
    else:
        console.results().print(closing_line(rows, str(file.path)), soft_wrap=True)
        if tasks and tasks[0].settings.store and any("evaluation" in row for row in rows):
            console.results().print(kept_line(tasks[0].settings.results), soft_wrap=True)
    if interrupted:
        return INTERRUPTED
    return ENVIRONMENT if any(row["status"] == TaskStatus.BROKEN for row in rows) else DONE
