import json
import threading
from pathlib import Path

import pytest

from cudamaster.cli.boundary import exit_code_of
from cudamaster.store.runs import RunFolder
from tests.doubles import scripted_run

Output = pytest.CaptureFixture[str]


def finished(tmp_path: Path, *rounds: list[str]) -> RunFolder:
    folder = scripted_run.folder(tmp_path)
    team = scripted_run.team(rounds) if rounds else scripted_run.team()
    scripted_run.run(folder, tmp_path / "r", team, scripted_run.judge()).work()
    return folder


def test_the_path_of_the_latest_run_s_kernel_stands_alone(tmp_path: Path, capsys: Output) -> None:
    run = finished(tmp_path)
    assert exit_code_of(["best", "--runs-dir", str(tmp_path / "runs")]) == 0
    told = capsys.readouterr()

    assert (told.out, told.err) == (f"{run.path / 'best' / 'kernel.cu'}\n", "")
    assert Path(told.out.strip()).read_text() == scripted_run.BETTER


def test_a_run_is_told_as_optimize_tells_it(tmp_path: Path, capsys: Output) -> None:
    run = finished(tmp_path)
    assert exit_code_of(["best", run.name[:20], "--json", "--runs-dir", str(tmp_path / "runs")]) == 0
    document = json.loads(capsys.readouterr().out)

    assert (document["schema"], document["run"]) == ("cudamaster.run/1", run.name)


def test_a_run_that_gained_nothing_has_no_best(tmp_path: Path, capsys: Output) -> None:
    run = finished(tmp_path, [scripted_run.SLOW])
    assert exit_code_of(["best", "--runs-dir", str(tmp_path / "runs")]) == 1
    told = capsys.readouterr()

    assert told.out == ""
    assert told.err == f"cudamaster: in run {run.name} nothing beat the baseline\n"


def test_an_unfinished_run_is_to_be_gone_on_with(tmp_path: Path, capsys: Output) -> None:
    folder, stop = scripted_run.folder(tmp_path), threading.Event()
    run = scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge(), stop)
    run.work([lambda event: stop.set()])

    assert exit_code_of(["best", "--runs-dir", str(tmp_path / "runs")]) == 2
    assert f"is not finished: 'cudamaster resume {folder.name}' goes on" in capsys.readouterr().err
