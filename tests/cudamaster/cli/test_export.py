"""Runs of language models written as training data; the models are a local server, the judge is scripted."""

import json
from pathlib import Path
from statistics import fmean

import pytest

from cudamaster.cli.boundary import exit_code_of
from cudamaster.search.reward import REFUSED
from cudamaster.search.scripted import ScriptedJudge
from cudamaster.store.codec import Json
from cudamaster.store.runs import RunFolder
from mskernelbench.evaluation import Status
from tests.doubles import language_run, scripted_run
from tests.doubles.language_run import BETTER, GOOD, MENDED, WRONG, fenced

Output = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    root = tmp_path_factory.mktemp("exported")
    folder = scripted_run.folder(root)
    with language_run.served() as server:
        language_run.work(folder, root / "r", language_run.model_at(server))
    return folder


def refused_at_the_end(root: Path, *sources: str) -> RunFolder:
    """A run whose verdict on every workload holds these wrong that were right on those of the rounds."""
    folder, judge = scripted_run.folder(root), ScriptedJudge(full_verdicts=dict.fromkeys(sources, WRONG))
    with language_run.served() as server:
        language_run.work(folder, root / "r", language_run.model_at(server), judge)
    return folder


def exported(run: RunFolder, form: str, capsys: Output) -> list[Json]:
    code = exit_code_of(["export", run.name, "--format", form, "--runs-dir", str(run.path.parent)])
    assert code == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def rewards(run: RunFolder) -> dict[int, float]:
    return {
        row["number"]: row["reward"] for e in run.events() if e["event"] == "rewards" for row in e["value"]
    }


def test_every_answer_with_a_verdict_becomes_a_chat_with_its_reward(run: RunFolder, capsys: Output) -> None:
    rows, earned = exported(run, "sft", capsys), rewards(run)
    by_role = {
        role: [row for row in rows if row["role"] == role] for role in ("planner", "coder", "debugger")
    }
    assert [len(found) for found in by_role.values()] == [2, 4, 1]
    assert [row["candidates"] for row in by_role["planner"]] == [[1, 2], [3, 4]]
    assert by_role["planner"][0]["reward"] == pytest.approx(fmean([earned[1], earned[2]]))
    assert by_role["debugger"][0]["reward"] == earned[1]
    assert {tuple(turn["role"] for turn in row["messages"]) for row in rows} == {
        ("system", "user", "assistant")
    }


def test_a_refused_source_earns_its_coder_the_refusal_though_it_was_mended(
    run: RunFolder, capsys: Output
) -> None:
    coders = {row["candidates"][0]: row for row in exported(run, "sft", capsys) if row["role"] == "coder"}
    assert coders[1]["reward"] == REFUSED[Status.WRONG]
    assert coders[1]["messages"][-1]["content"] == fenced("cuda", WRONG)
    assert coders[2]["reward"] == rewards(run)[2]


def test_a_source_that_every_workload_refuses_earns_the_refusal(tmp_path: Path, capsys: Output) -> None:
    run = refused_at_the_end(tmp_path, BETTER)
    found = {(row["role"], *row["candidates"]): row["reward"] for row in exported(run, "sft", capsys)}
    refused, by_rounds = REFUSED[Status.WRONG], rewards(run)
    assert by_rounds[3] > by_rounds[4] > refused
    assert (found["coder", 3], found["coder", 4]) == (refused, by_rounds[4])
    assert found["planner", 3, 4] == pytest.approx(fmean([refused, by_rounds[4]]))
    (chosen,) = [row["chosen"][-1] for row in exported(run, "pairs", capsys) if row["round"] == 2]
    assert chosen["content"] == fenced("cuda", GOOD + "// again\n")


def test_a_mend_that_every_workload_refuses_earns_the_refusal(tmp_path: Path, capsys: Output) -> None:
    run = refused_at_the_end(tmp_path, BETTER, GOOD, GOOD + "// again\n", MENDED)
    assert {row["reward"] for row in exported(run, "sft", capsys)} == {REFUSED[Status.WRONG]}
    assert exported(run, "pairs", capsys) == []


def test_pairs_that_no_round_gives_are_said_to_be_none_for_that_reason(
    tmp_path: Path, capsys: Output
) -> None:
    run = refused_at_the_end(tmp_path, BETTER, GOOD, GOOD + "// again\n", MENDED)
    assert exit_code_of(["export", run.name, "--format", "pairs", "--runs-dir", str(run.path.parent)]) == 0
    assert "answers were judged, but no round has two kernels whose rewards differ" in capsys.readouterr().err


def test_pairs_are_of_one_round_the_better_first(run: RunFolder, capsys: Output) -> None:
    rows = exported(run, "pairs", capsys)
    said = [(row["round"], row["chosen"][-1]["content"], row["rejected"][-1]["content"]) for row in rows]
    again = GOOD + "// again\n"
    assert said == [
        (1, fenced("cuda", GOOD), fenced("cuda", WRONG)),
        (2, fenced("cuda", BETTER), fenced("cuda", again)),
        (1, f"```cuda\n{MENDED}```\n", fenced("cuda", WRONG)),
    ]
    assert [row["same_prompt"] for row in rows] == [False, False, True]
    assert all(row["chosen_reward"] > row["rejected_reward"] for row in rows)


def test_the_same_prompt_is_the_same(run: RunFolder, capsys: Output) -> None:
    (mend,) = [row for row in exported(run, "pairs", capsys) if row["same_prompt"]]
    assert mend["chosen"][:-1] == mend["rejected"][:-1]


def test_events_are_the_journal_s_with_the_run_s_name(run: RunFolder, capsys: Output) -> None:
    assert exported(run, "events", capsys) == [{"run": run.name} | event for event in run.events()]


def test_out_writes_a_file_and_leaves_stdout_alone(run: RunFolder, tmp_path: Path, capsys: Output) -> None:
    asked = ["export", run.name, "latest", "--format", "sft", "--runs-dir", str(run.path.parent)]
    assert exit_code_of([*asked, "--out", str(tmp_path / "new" / "sft.jsonl")]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "14 lines of sft from 2 runs" in told.err
    assert len((tmp_path / "new" / "sft.jsonl").read_text().splitlines()) == 14


def test_a_run_without_language_models_has_events_only(tmp_path: Path, capsys: Output) -> None:
    folder = scripted_run.folder(tmp_path)
    scripted_run.run(folder, tmp_path / "r", scripted_run.team(), scripted_run.judge()).work()
    assert exported(folder, "sft", capsys) == exported(folder, "pairs", capsys) == []
    assert exported(folder, "events", capsys)


def test_a_journal_changed_by_hand_is_named(run: RunFolder, tmp_path: Path, capsys: Output) -> None:
    damaged = RunFolder(tmp_path / "runs" / "damaged")
    damaged.path.mkdir(parents=True)
    lines = run.journal_path.read_text().splitlines()
    lines = [line.replace('"round":1', '"round":"one"') for line in lines]
    damaged.journal_path.write_text("\n".join(lines) + "\n")
    (damaged.path / "artefacts").symlink_to(run.path / "artefacts")
    asked = ["export", "damaged", "--format", "events", "--runs-dir", str(tmp_path / "runs")]
    assert exit_code_of(asked) == 2
    assert "the journal of run damaged is damaged" in capsys.readouterr().err


def test_a_file_that_is_missing_is_named(run: RunFolder, tmp_path: Path, capsys: Output) -> None:
    bare = RunFolder(tmp_path / "runs" / "bare")
    bare.path.mkdir(parents=True)
    bare.journal_path.write_bytes(run.journal_path.read_bytes())
    assert exit_code_of(["export", "bare", "--format", "sft", "--runs-dir", str(tmp_path / "runs")]) == 3
    assert "is missing, and the run's journal needs it" in capsys.readouterr().err


def test_a_dash_for_a_file_is_stdout(
    run: RunFolder, tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = ["export", run.name, "--format", "events", "--runs-dir", str(run.path.parent)]
    assert exit_code_of([*asked, "--out", "-"]) == exit_code_of(asked) == 0

    once = capsys.readouterr().out.splitlines()
    assert once[: len(once) // 2] == once[len(once) // 2 :] != []
    assert list(tmp_path.iterdir()) == []
