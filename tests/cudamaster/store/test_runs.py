from datetime import UTC, datetime
from pathlib import Path

import pytest

from cudamaster.errors import BrokenStore, RunBusy, RunNotFound
from cudamaster.store.runs import RunFolder, find_run, list_runs, new_run, started


def made(runs: Path, hour: int, operator: str = "softmax") -> RunFolder:
    run = new_run(runs, operator, "fp32", datetime(2026, 1, 1, hour, tzinfo=UTC))
    run.journal().append("started", settings={})
    return run


def test_a_run_is_named_by_time_operator_and_precision(tmp_path: Path) -> None:
    assert made(tmp_path, 9).name.startswith("20260101-090000-softmax-fp32-")


def test_runs_are_listed_oldest_first(tmp_path: Path) -> None:
    late, early = made(tmp_path, 10), made(tmp_path, 9)

    assert list_runs(tmp_path) == [early, late]


def test_a_run_is_found_by_its_name_its_beginning_and_as_the_latest(tmp_path: Path) -> None:
    early, late = made(tmp_path, 9), made(tmp_path, 10)

    assert find_run(tmp_path, early.name) == early
    assert find_run(tmp_path, "20260101-09") == early
    assert find_run(tmp_path, "latest") == late


def test_a_beginning_of_several_names_is_refused_with_them(tmp_path: Path) -> None:
    early, late = made(tmp_path, 9), made(tmp_path, 10)

    with pytest.raises(RunNotFound, match=f"{early.name}, {late.name}"):
        find_run(tmp_path, "2026")


def test_an_unknown_run_names_the_nearest(tmp_path: Path) -> None:
    run = made(tmp_path, 9)

    with pytest.raises(RunNotFound, match=f"did you mean {run.name}"):
        find_run(tmp_path, run.name.replace("softmax", "softmix"))


def test_without_runs_the_message_says_how_to_start_one(tmp_path: Path) -> None:
    with pytest.raises(RunNotFound, match="cudamaster optimize"):
        find_run(tmp_path / "none", "latest")


def test_a_held_run_is_busy_for_others(tmp_path: Path) -> None:
    run = made(tmp_path, 9)

    with run.held(), pytest.raises(RunBusy, match="another process"), run.held():
        pass


def test_a_run_that_never_began_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(BrokenStore, match="cannot be resumed"):
        started([], RunFolder(tmp_path))
