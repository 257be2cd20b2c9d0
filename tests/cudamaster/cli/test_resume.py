import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cudamaster.agents.errors import UnknownStrategy
from cudamaster.agents.nouns import Plan, Situation
from cudamaster.cli.boundary import exit_code_of
from cudamaster.search.scripted import ScriptedTeam
from cudamaster.store.runs import RunFolder, list_runs
from tests.doubles import scripted_run
from tests.doubles.scripted_opening import ScriptedOpening

Output = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[3]
SLOW_OPTIMIZE = """
import sys
from cudamaster.cli.boundary import exit_code_of
from tests.doubles import scripted_run
from tests.doubles.scripted_opening import ScriptedOpening
opening = ScriptedOpening(scripted_run.team(seconds=0.1), scripted_run.judge(0.1))
sys.exit(exit_code_of(sys.argv[1:], opening))
"""


def test_ctrl_c_exits_with_130_shows_the_best_so_far_and_can_be_resumed(
    tmp_path: Path, capsys: Output
) -> None:
    runs, results = tmp_path / "runs", tmp_path / "results"
    folders = ["--runs-dir", str(runs)]
    optimize = ["optimize", "gemm", "--precision", "fp32", "--json", "--out", str(results), *folders]
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_OPTIMIZE, *optimize],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not any(e["event"] == "rewards" for run in list_runs(runs) for e in run.events()):
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    document = json.loads(out)

    assert process.returncode == 130
    assert "keeping the best so far" in err.decode()
    assert document["stopped_by"] == "interrupted"
    assert document["best"]["round"] == 1
    assert not list(results.rglob("record.json"))

    assert exit_code_of(["resume", "latest", "--json", *folders], ScriptedOpening()) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert resumed["run"] == document["run"]
    assert Path(resumed["best"]["kernel"]).read_text() == scripted_run.BETTER


def test_a_finished_run_is_told_again_without_opening_a_device(tmp_path: Path, capsys: Output) -> None:
    folders = ["--runs-dir", str(tmp_path / "runs")]
    optimize = ["optimize", "gemm", "--precision", "fp32", "--json", "--out", str(tmp_path / "r"), *folders]
    exit_code_of(optimize, ScriptedOpening())
    first = capsys.readouterr().out
    opening = ScriptedOpening()

    assert exit_code_of(["resume", "latest", "--json", *folders], opening) == 0
    assert capsys.readouterr().out == first
    assert opening.opened == []


@pytest.mark.parametrize(
    ("fault", "code"), [(UnknownStrategy("the playbook has no such strategy"), 3), (RuntimeError("lost"), 70)]
)
def test_a_team_that_fails_ends_the_run_with_one_sentence_and_it_goes_on_later(
    fault: Exception, code: int, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Lost(ScriptedTeam):
        def write(self, situation: Situation, plan: Plan) -> str:
            raise fault

    monkeypatch.setenv("CUDAMASTER_LOG_DIR", str(tmp_path / "log"))
    folders = ["--runs-dir", str(tmp_path / "runs")]
    optimize = ["optimize", "gemm", "--precision", "fp32", "--out", str(tmp_path / "r"), *folders]
    assert exit_code_of(optimize, ScriptedOpening(team=Lost(scripted_run.ROUNDS))) == code
    told = [line for line in capsys.readouterr().err.splitlines() if line.startswith("cudamaster: ")]
    assert len(told) == 1
    assert str(fault) in told[0]

    assert exit_code_of(["resume", "latest", "--json", *folders], ScriptedOpening()) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert Path(resumed["best"]["kernel"]).read_text() == scripted_run.BETTER


def test_an_unknown_run_is_a_usage_error(tmp_path: Path, capsys: Output) -> None:
    assert exit_code_of(["resume", "nothing", "--runs-dir", str(tmp_path)], ScriptedOpening()) == 2
    assert "there are no runs in" in capsys.readouterr().err


def test_a_journal_changed_by_hand_is_named_and_not_resumed(tmp_path: Path, capsys: Output) -> None:
    folder = scripted_run.folder(tmp_path)
    folder.journal_path.write_text("{}\n")

    assert exit_code_of(["resume", folder.name, "--runs-dir", str(tmp_path / "runs")], ScriptedOpening()) == 3
    assert "journal.jsonl:1 is not a cudamaster.event/1 event" in capsys.readouterr().err


def test_an_empty_name_does_not_mean_the_only_run(tmp_path: Path, capsys: Output) -> None:
    scripted_run.folder(tmp_path)

    assert exit_code_of(["resume", "", "--runs-dir", str(tmp_path / "runs")], ScriptedOpening()) == 2
    assert "it is empty" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("rounds", "x", "'x' is not a whole number"),
        ("rounds", 0, "rounds is 0, below 1"),
        ("shapes", [5], "5 is not a text"),
        ("shapes", "M=4", "'M=4' is not a list"),
        ("operator", None, "None is not a text"),
        ("max_minutes", "nan", "max_minutes is nan"),
    ],
)
def test_settings_changed_by_hand_are_named_and_not_resumed(
    tmp_path: Path, capsys: Output, field: str, value: object, words: str
) -> None:
    folder = begun(tmp_path)
    events = folder.events()[:1]
    events[0]["settings"][field] = value
    folder.journal_path.write_text("".join(json.dumps(event) + "\n" for event in events))

    assert exit_code_of(["resume", folder.name, "--runs-dir", str(tmp_path / "runs")], ScriptedOpening()) == 2
    told = capsys.readouterr().err
    assert f"the journal of run {folder.name} is damaged: in its settings, " in told
    assert words in told


def test_an_outcome_changed_by_hand_is_named(tmp_path: Path, capsys: Output) -> None:
    folder = begun(tmp_path)
    events = folder.events()
    events[-1]["outcome"] = 5
    folder.journal_path.write_text("".join(json.dumps(event) + "\n" for event in events))

    assert exit_code_of(["resume", folder.name, "--runs-dir", str(tmp_path / "runs")], ScriptedOpening()) == 2
    assert "is damaged: in its outcome, 5 is not an object" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("kind", "change", "code", "words"),
    [
        ("evaluation", {"value": 5}, 2, "is damaged: in its events, "),
        ("proposal", {"plan": 3}, 2, "is damaged: in its events, "),
        ("evaluation", {"time": "yesterday"}, 3, "lacks the event's name or time"),
    ],
)
def test_an_event_changed_by_hand_is_named(
    tmp_path: Path, capsys: Output, kind: str, change: dict[str, object], code: int, words: str
) -> None:
    folder = begun(tmp_path)
    events = folder.events()[:-1]
    next(event for event in events if event["event"] == kind).update(change)
    folder.journal_path.write_text("".join(json.dumps(event) + "\n" for event in events))
    runs = ["--runs-dir", str(tmp_path / "runs")]

    assert exit_code_of(["resume", folder.name, *runs], ScriptedOpening()) == code
    assert words in capsys.readouterr().err


def begun(tmp_path: Path) -> RunFolder:
    folder = scripted_run.folder(tmp_path)
    scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge()).work()
    return folder
