"""The process of a run is killed outright in every step, before and after it is on the disk."""

import multiprocessing
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from cudamaster.search.outcome import Outcome
from cudamaster.search.run import outcome_in
from cudamaster.store.results import read_stored
from cudamaster.store.runs import RunFolder
from tests.doubles import killed_run, language_run, scripted_run

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.doubles.killed_run", "langgraph.graph", "langgraph.checkpoint.sqlite"])
KILLED = -signal.SIGKILL
MOST_SESSIONS = 80
UNTIMED = {"seconds": 0, "cost_usd": 0}


def session(kind: Callable[..., None], *places: Path) -> int:
    """A session in a process of its own; its exit code."""
    process = FORKS.Process(target=kind, args=places)
    process.start()
    process.join(60)
    assert process.exitcode is not None
    return process.exitcode


def sessions(run: RunFolder, kind: Callable[..., None], *places: Path) -> int:
    """Sessions until the run is finished; how many were killed."""
    codes = list[int]()
    while outcome_in(run) is None:
        codes.append(session(kind, run.path, *places))
        assert codes[-1] in (KILLED, 0)
        assert len(codes) < MOST_SESSIONS
    return codes.count(KILLED)


def served_run(root: Path, search: str) -> tuple[RunFolder, Outcome]:
    """A run by a server's models, from which the others' answers are taken."""
    folder = scripted_run.folder(root)
    with language_run.served() as server:
        return folder, language_run.work(folder, root / "r", language_run.model_at(server), search=search)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Outcome]:
    return served_run(tmp_path_factory.mktemp("undisturbed"), "refine")


def steps(run: RunFolder) -> dict[str, object]:
    """All that a run paid for, by key, without seconds; what others taught it is not its own."""
    paid = {e["key"]: e["value"] for e in run.events() if "key" in e and e["event"] != "recalled"}
    untimed = {key: value | UNTIMED for key, value in paid.items() if key.startswith("call/")}
    return paid | untimed


def require_same(run: RunFolder, undisturbed: tuple[RunFolder, Outcome]) -> None:
    """Every step, once each, and the outcome are those of the undisturbed run."""
    outcome, (other, expected) = outcome_in(run), undisturbed
    keys = [event["key"] for event in run.events() if "key" in event]
    assert len(keys) == len(set(keys))
    assert steps(run) == steps(other)
    assert outcome is not None
    assert outcome.best is not None
    assert expected.best is not None
    assert outcome.best.evaluation == expected.best.evaluation
    assert outcome.best.kernel_sha256 == expected.best.kernel_sha256
    assert (outcome.stopped_by, outcome.rounds, outcome.candidates, outcome.tokens) == (
        *(expected.stopped_by, expected.rounds, expected.candidates, expected.tokens),
    )


@pytest.mark.parametrize("search", ["refine", "evolve"])
def test_a_run_that_is_killed_after_every_event_pays_for_no_step_twice_and_ends_the_same(
    tmp_path: Path, search: str
) -> None:
    undisturbed = served_run(tmp_path / "undisturbed", search)
    run, recording = scripted_run.folder(tmp_path), undisturbed[0].path
    kills = sessions(run, killed_run.session_to_next_event, tmp_path / "r", recording)
    assert kills == len([e for e in run.events() if e["event"] != "resumed"])
    require_same(run, undisturbed)


def test_a_run_that_is_killed_in_every_step_before_its_answer_is_kept_ends_the_same(
    tmp_path: Path, undisturbed: tuple[RunFolder, Outcome]
) -> None:
    run, deaths = scripted_run.folder(tmp_path), tmp_path / "deaths"
    deaths.mkdir()
    places = tmp_path / "r", undisturbed[0].path, deaths
    kills = sessions(run, killed_run.session_to_next_answer, *places)
    assert kills > 20
    require_same(run, undisturbed)


def test_two_runs_at_once_do_not_disturb_each_other(
    tmp_path: Path, undisturbed: tuple[RunFolder, Outcome]
) -> None:
    runs, results = [scripted_run.folder(tmp_path) for _ in range(3)], tmp_path / "r"
    recording = undisturbed[0].path
    both = [
        FORKS.Process(target=killed_run.session_to_the_end, args=(run.path, results, recording))
        for run in runs
    ]
    for process in both:
        process.start()
    for process in both:
        process.join(60)
    assert [process.exitcode for process in both] == [0, 0, 0]
    for run in runs:
        require_same(run, undisturbed)
    stored = read_stored(results / "virtual-h200/matrix_mul/fp32")
    assert stored is not None
    assert stored.kernel == language_run.BETTER
    assert stored.record["run"] in [run.name for run in runs]
