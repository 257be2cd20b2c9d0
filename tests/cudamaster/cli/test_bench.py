import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from cudamaster.bench.result_file import read_result_file
from cudamaster.cli.benching import fitting_jobs
from cudamaster.cli.boundary import exit_code_of
from cudamaster.store.runs import list_runs
from cudamaster.toolchain.errors import EnvironmentLacks
from tests.doubles.scripted_bench import ALIKE, RIGHT_BUT_SLOW, WRONG_ONLY, BenchOpening, arguments
from tests.doubles.scripted_run import source

Output = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[3]


def rows(folder: Path) -> dict[str, dict[str, Any]]:
    return {row["operator"]: row for row in read_result_file(folder / "bench.json")["tasks"]}


def statuses(folder: Path) -> dict[str, str]:
    return {name: row["status"] for name, row in rows(folder).items()}


def test_the_file_names_what_repeats_it_and_what_each_task_came_to(tmp_path: Path) -> None:
    tied = source("seems faster", speedup=1.5)
    scripts = {"elu": WRONG_ONLY, "gelu": RIGHT_BUT_SLOW, "selu": [[tied]]}
    opening = BenchOpening(scripts=scripts, full_verdicts={tied: ALIKE})
    asked = arguments(tmp_path, "--seed", "7", operators="relu,elu,gelu,selu")
    assert exit_code_of(asked, opening) == 0

    document = read_result_file(tmp_path / "bench.json")
    assert document["schema"] == "cudamaster.bench/1"
    assert (document["device"], document["clock"]) == ("virtual:h200", "modelled")
    assert (document["clock_version"], document["versions"]) == ("model 1", {"cudamaster": "0"})
    assert (document["settings"]["model"], document["settings"]["seed"]) == ("builtin", 7)
    assert (document["settings"]["rounds"], document["settings"]["candidates"]) == (3, 3)

    assert statuses(tmp_path) == {"relu": "faster", "elu": "failed", "gelu": "no_gain", "selu": "tied"}
    relu = rows(tmp_path)["relu"]
    assert relu["evaluation"]["speedup"] == {"geomean": 2.5, "low": 2.475, "high": 2.525}
    assert (relu["rounds"], relu["candidates"], relu["cost_usd"], relu["scenario"]) == (1, 1, 0, "llm")
    assert len(relu["kernel_sha256"]) == len(relu["baseline_sha256"]) == 64
    assert rows(tmp_path)["selu"]["evaluation"]["speedup"]["geomean"] == 1.005
    assert "evaluation" not in rows(tmp_path)["gelu"]
    assert (tmp_path / "results/virtual-h200/relu/fp32/kernel.cu").exists()


def test_a_suite_that_stores_nothing_keeps_its_kernels_with_its_runs(tmp_path: Path, capsys: Output) -> None:
    asked = arguments(tmp_path, "--no-store", operators="relu")
    without_place = [word for word in asked if word not in ("--results", str(tmp_path / "results"))]
    assert exit_code_of(without_place, BenchOpening()) == 0

    assert "stores     the best kernels in the runs' folders alone" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()
    assert (tmp_path / "runs" / rows(tmp_path)["relu"]["run"] / "best/kernel.cu").exists()


def test_a_second_call_repeats_no_finished_task_and_adds_new_ones(tmp_path: Path, capsys: Output) -> None:
    exit_code_of(arguments(tmp_path, operators="relu,elu"), BenchOpening())
    first = rows(tmp_path)
    capsys.readouterr()
    opening = BenchOpening()
    assert exit_code_of(arguments(tmp_path, operators="elu,gelu"), opening) == 0

    assert opening.begun[1:] == [("gelu", "fp32")]  # the first is opened for the file's head
    assert {name: rows(tmp_path)[name] for name in first} == first
    assert list(rows(tmp_path)) == ["elu", "gelu", "relu"]
    assert "1 of 2 are finished already" in capsys.readouterr().err


def test_no_more_tasks_run_at_once_than_there_is_memory_for() -> None:
    assert [fitting_jobs(8, free << 30) for free in (1, 9, 16, 99)] == [1, 1, 3, 8]


def test_progress_is_a_line_a_task_and_json_stands_alone_on_stdout(tmp_path: Path, capsys: Output) -> None:
    opening = BenchOpening(scripts={"elu": WRONG_ONLY})
    exit_code_of(arguments(tmp_path, "--json", "--jobs", "2", operators="relu,elu"), opening)
    told = capsys.readouterr()

    assert json.loads(told.out) == read_result_file(tmp_path / "bench.json")
    lines = told.err.splitlines()
    assert lines[0] == "tasks      2 tasks, 2 at once"
    assert f"stores     the best kernels in {tmp_path / 'results'}, unless" in told.err
    assert any(line.startswith("time       about ") for line in lines)
    assert any("relu fp32: 2.50x modelled, 40.0 % of the roofline" in line for line in lines)
    assert any("elu fp32: no candidate was right" in line for line in lines)


def test_a_task_that_cannot_be_worked_on_hinders_no_other_and_is_tried_again(
    tmp_path: Path, capsys: Output
) -> None:
    lack = EnvironmentLacks("nvcc vanished")
    assert exit_code_of(arguments(tmp_path), BenchOpening(faults={"gelu": lack})) == 3
    assert statuses(tmp_path) == {"relu": "faster", "elu": "faster", "gelu": "broken"}
    assert rows(tmp_path)["gelu"]["reason"] == "nvcc vanished"
    assert "gelu fp32: could not be worked on: nvcc vanished" in capsys.readouterr().err

    opening = BenchOpening()
    assert exit_code_of(arguments(tmp_path), opening) == 0
    assert opening.begun[1:] == [("gelu", "fp32")]
    assert statuses(tmp_path)["gelu"] == "faster"


def test_a_run_that_is_damaged_is_begun_anew(tmp_path: Path) -> None:
    exit_code_of(arguments(tmp_path), BenchOpening(faults={"gelu": EnvironmentLacks("nvcc vanished")}))
    (tmp_path / "runs" / rows(tmp_path)["gelu"]["run"] / "journal.jsonl").write_text(
        '{"schema":"cudamaster.event/1","time":"2026-01-01T00:00:00+00:00","event":"started","settings":{}}\n'
    )
    assert exit_code_of(arguments(tmp_path), BenchOpening()) == 3
    assert "start a new run" in rows(tmp_path)["gelu"]["reason"]
    assert exit_code_of(arguments(tmp_path), BenchOpening()) == 0


def killed(folder: Path, events: int) -> None:
    """A process of the suite, killed outright once its runs have so many events."""
    program = [sys.executable, "-m", "tests.doubles.scripted_bench", str(folder), "0.02"]
    process = subprocess.Popen(program, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while process.poll() is None and sum(len(run.events()) for run in list_runs(folder / "runs")) < events:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL


@pytest.mark.slow
def test_a_killed_suite_is_whole_and_goes_on_where_it_was(tmp_path: Path) -> None:
    killed(tmp_path, events=20)
    before = statuses(tmp_path)
    assert "pending" in before.values() or "unfinished" in before.values()
    finished = [name for name, status in before.items() if status == "faster"]

    opening = BenchOpening()
    assert exit_code_of(arguments(tmp_path), opening) == 0
    assert set(statuses(tmp_path).values()) == {"faster"}
    assert not {name for name, _ in opening.begun[1:]} & set(finished)
    assert len(list_runs(tmp_path / "runs")) == 3  # a run under way was gone on with
    for run in list_runs(tmp_path / "runs"):
        paid = [event["key"] for event in run.events() if "key" in event]
        assert len(paid) == len(set(paid))


def test_ctrl_c_keeps_what_is_done(tmp_path: Path, capsys: Output) -> None:
    def interrupt() -> None:
        while not (tmp_path / "bench.json").exists() or "faster" not in statuses(tmp_path).values():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    code = exit_code_of(arguments(tmp_path, "--jobs", "1"), BenchOpening(seconds=0.05))
    assert code == 130
    assert "interrupted" in capsys.readouterr().err
    kept = statuses(tmp_path)
    assert "faster" in kept.values()
    assert set(kept.values()) & {"pending", "unfinished"}
    assert exit_code_of(arguments(tmp_path), BenchOpening()) == 0
    assert set(statuses(tmp_path).values()) == {"faster"}


def test_another_ground_does_not_go_into_the_same_file(tmp_path: Path, capsys: Output) -> None:
    exit_code_of(arguments(tmp_path, operators="relu"), BenchOpening())
    capsys.readouterr()
    code = exit_code_of(arguments(tmp_path, "--rounds", "2", operators="relu"), BenchOpening())
    assert code == 2
    assert "rounds 3, which is now 2" in capsys.readouterr().err
    assert exit_code_of(arguments(tmp_path, operators="relu"), BenchOpening(clock_version="model 2")) == 2
    assert "began with clock_version model 1, which is now model 2" in capsys.readouterr().err


def test_limits_of_money_and_tokens_are_for_all_tasks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    asked = arguments(tmp_path, "--max-usd", "6", "--max-tokens", "3001")
    asked[asked.index("builtin")] = "openai:gpt-5"
    assert exit_code_of(asked, BenchOpening()) == 0
    settings = read_result_file(tmp_path / "bench.json")["settings"]
    assert (settings["max_usd"], settings["max_tokens"]) == (2.0, 1000)


REFUSED = {
    "unknown operator": (["--operators", "rleu"], "no operator is called 'rleu'; nearest: relu"),
    "no operator": (["--operators", ","], "--operators names none"),
    "unknown precision": (["--precision", "fp16"], "there are fp32 and bf16"),
    "unknown device": (["--device", "virtual:h2000"], "did you mean virtual:h200?"),
    "a search the expert cannot follow": (["--search", "evolve"], "needs a language model"),
    "no jobs": (["--jobs", "0"], "--jobs"),
    "no money": (["--max-usd", "nan"], "--max-usd"),
    "fewer tokens than tasks": (["--max-tokens", "2"], "leaves none for each of 3 tasks"),
}


@pytest.mark.parametrize(("more", "words"), REFUSED.values(), ids=REFUSED)
def test_a_refused_request_is_one_sentence_and_leaves_no_file(
    more: list[str], words: str, tmp_path: Path, capsys: Output
) -> None:
    assert exit_code_of(arguments(tmp_path, *more), BenchOpening()) == 2
    told = capsys.readouterr()
    assert words in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert not (tmp_path / "bench.json").exists()


def test_a_file_that_another_process_writes_is_left_alone(tmp_path: Path, capsys: Output) -> None:
    from cudamaster.cli.benching import alone

    with alone(tmp_path / "bench.json"):
        assert exit_code_of(arguments(tmp_path), BenchOpening()) == 2
        assert (
            exit_code_of([*arguments(tmp_path), "--runs-dir", str(tmp_path / "other")], BenchOpening()) == 2
        )
    assert capsys.readouterr().err.count("another process writes") == 2
    assert exit_code_of(arguments(tmp_path), BenchOpening()) == 0
