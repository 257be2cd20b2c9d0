import json
from pathlib import Path

import pytest

from cudamaster.cli.boundary import exit_code_of
from tests.doubles import scripted_run

Output = pytest.CaptureFixture[str]


def test_runs_are_listed_with_their_state_and_speedup(tmp_path: Path, capsys: Output) -> None:
    folder = scripted_run.folder(tmp_path)
    scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge()).work()
    code = exit_code_of(["runs", "--json", "--runs-dir", str(tmp_path / "runs")])
    document = json.loads(capsys.readouterr().out)
    (row,) = document["runs"]

    assert (code, document["schema"]) == (0, "cudamaster.runs/1")
    assert (row["run"], row["state"], row["operator"], row["rounds"]) == (
        folder.name,
        "finished",
        "matrix_mul",
        3,
    )
    assert row["speedup_low"] == pytest.approx(2.475)


def test_a_run_whose_journal_is_broken_does_not_hide_the_others(tmp_path: Path, capsys: Output) -> None:
    broken, whole = scripted_run.folder(tmp_path), scripted_run.folder(tmp_path)
    broken.journal_path.write_text("nonsense\n")
    scripted_run.run(whole, tmp_path / "r", scripted_run.team(), scripted_run.judge()).work()

    assert exit_code_of(["runs", "--json", "--runs-dir", str(tmp_path / "runs")]) == 0
    told = capsys.readouterr()
    assert {row["run"] for row in json.loads(told.out)["runs"]} == {broken.name, whole.name}
    assert "is not JSON" in told.err


def test_a_run_at_work_is_told_from_one_whose_process_died(tmp_path: Path, capsys: Output) -> None:
    working, dead = scripted_run.folder(tmp_path), scripted_run.folder(tmp_path)
    for folder in (working, dead):
        folder.journal().append("started", settings={"operator": "matrix_mul", "precision": "fp32"})
    listing = ["runs", "--runs-dir", str(tmp_path / "runs")]
    with working.held():
        assert exit_code_of([*listing, "--json"]) == 0
        states = {row["run"]: row["state"] for row in json.loads(capsys.readouterr().out)["runs"]}
        assert exit_code_of(listing) == 0
    assert states == {working.name: "running", dead.name: "unfinished"}
    assert "running" in capsys.readouterr().out
    with working.held():  # asking left nothing behind
        assert working.busy
    assert not working.busy


def test_without_runs_the_folder_is_named(tmp_path: Path, capsys: Output) -> None:
    assert exit_code_of(["runs", "--runs-dir", str(tmp_path)]) == 0
    assert f"no runs in {tmp_path}" in capsys.readouterr().out


def test_a_file_in_the_place_of_the_runs_is_named(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CUDAMASTER_RUNS_DIR", str(tmp_path / "file"))

    assert exit_code_of(["runs"]) == 3
    assert f"{tmp_path / 'file'} cannot be used (Not a directory)" in capsys.readouterr().err


def test_a_run_whose_settings_were_changed_does_not_hide_the_others(tmp_path: Path, capsys: Output) -> None:
    folder = scripted_run.folder(tmp_path)
    scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge()).work()
    events = folder.events()
    events[0]["settings"] = [1]
    folder.journal_path.write_text("".join(json.dumps(event) + "\n" for event in events))

    assert exit_code_of(["runs", "--json", "--runs-dir", str(tmp_path / "runs")]) == 0
    told = capsys.readouterr()
    assert [row["run"] for row in json.loads(told.out)["runs"]] == [folder.name]
    assert f"the journal of run {folder.name} is damaged" in told.err
