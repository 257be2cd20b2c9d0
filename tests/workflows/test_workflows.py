"""The workflows are well-formed, and the shell of the leaderboard's steps does what they say."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from cudamaster.bench.result_file import read_result_file
from cudamaster.cli.boundary import exit_code_of
from tests.doubles.scripted_bench import BenchOpening

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
ACTION = ROOT / ".github/actions/leaderboard/action.yml"
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
INPUTS = {"device": "auto", "operators": "relu,elu", "precision": "fp32", "rounds": "2"}


def read(path: Path) -> dict[Any, Any]:
    document: dict[Any, Any] = yaml.safe_load(path.read_text())
    return document


def steps() -> dict[str, dict[str, Any]]:
    return {step["name"]: step for step in read(ACTION)["runs"]["steps"]}


@pytest.mark.parametrize(("schema", "files"), [("github-workflows", WORKFLOWS), ("github-actions", [ACTION])])
def test_they_follow_githubs_schema(schema: str, files: list[Path]) -> None:
    program = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}"]
    done = subprocess.run([*program, *map(str, files)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_no_expression_stands_in_a_shell_or_a_script() -> None:
    jobs = [job for path in WORKFLOWS for job in read(path)["jobs"].values()]
    for step in [*steps().values(), *(step for job in jobs for step in job["steps"])]:
        assert not EXPRESSION.search(step.get("run", "") + step.get("with", {}).get("script", ""))


def test_the_workflow_gives_the_action_only_what_it_takes() -> None:
    action = read(ACTION)
    job = read(ROOT / ".github/workflows/leaderboard.yml")["jobs"]["leaderboard"]
    (used,) = [step for step in job["steps"] if step.get("uses") == "./.github/actions/leaderboard"]
    assert set(used["with"]) <= set(action["inputs"])
    needed = {name for name, about in action["inputs"].items() if about.get("required")}
    assert needed <= set(used["with"])
    named = {m for step in steps().values() for m in EXPRESSION.findall(str(step.get("env", "")))}
    assert {name.removeprefix("inputs.") for name in named if name.startswith("inputs.")} <= set(
        action["inputs"]
    )


def test_ci_runs_what_a_change_must_pass() -> None:
    (job,) = read(ROOT / ".github/workflows/ci.yml")["jobs"].values()
    runs = [step["run"] for step in job["steps"] if "run" in step]
    assert runs == [".ci/run"]
    assert os.access(ROOT / ".ci/run", os.X_OK)


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


class Runner:
    """A checkout with an installed command, in which the action's steps are run one after another.

    `python3 -m venv` makes a folder whose `cudamaster` is the scripted one, and `pip` writes down what it
    was asked for.
    """

    def __init__(self, folder: Path, **inputs: str) -> None:
        self.folder = folder
        self.inputs = {n: a.get("default", "") for n, a in read(ACTION)["inputs"].items()} | inputs
        self.outputs = folder / "outputs.txt"
        self.summary = folder / "summary.md"
        self.environment = {
            **os.environ,
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "GITHUB_OUTPUT": str(self.outputs),
            "GITHUB_STEP_SUMMARY": str(self.summary),
        }
        self.outputs.touch()
        command = f'#!/bin/sh\nexec {sys.executable} -m tests.doubles.scripted_cudamaster "$@"\n'
        program(folder / "bin/installed", command)
        program(folder / "bin/python", f'#!/bin/sh\necho "$@" >> {folder}/asked.txt\n')
        links = 'ln -s "$here/installed" .venv/bin/cudamaster; ln -s "$here/python" .venv/bin/python'
        program(folder / "bin/python3", f"#!/bin/sh\nhere={folder / 'bin'}\nmkdir -p .venv/bin\n{links}\n")

    def run(self, name: str, **more: str) -> "subprocess.CompletedProcess[str]":
        step = steps()[name]
        given = {key: EXPRESSION.sub(self._value, str(value)) for key, value in step.get("env", {}).items()}
        shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        environment = self.environment | given | more
        return subprocess.run(shell, cwd=self.folder, env=environment, capture_output=True, text=True)

    def _value(self, expression: "re.Match[str]") -> str:
        kind, _, name = expression[1].rpartition(".")
        if kind == "inputs":
            return self.inputs[name]
        assert kind == "steps.compare.outputs"
        return dict(line.split("=") for line in self.outputs.read_text().splitlines())[name]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results that a suite at 2.5x stored."""
    folder = tmp_path_factory.mktemp("stored")
    asked = ["bench", "--operators", "relu,elu", "--precision", "fp32", "--model", "builtin"]
    where = ["--out", "results/b.json", "--results", "results", "--runs-dir", "runs"]
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert exit_code_of([*asked, *where], BenchOpening()) == 0
    finally:
        os.chdir(before)
    return folder / "results"


@pytest.fixture
def checkout(tmp_path: Path, stored: Path) -> Path:
    shutil.copytree(stored, tmp_path / "results")
    return tmp_path


SHELL = [name for name, step in steps().items() if "run" in step and name != "Verdict"]


@pytest.mark.slow
def test_the_steps_bench_compare_and_let_pass(checkout: Path) -> None:
    runner = Runner(checkout, **INPUTS)
    for name in SHELL:
        done = runner.run(name)
        assert done.returncode == 0, f"{name}: {done.stderr}"
    document = read_result_file(checkout / "leaderboard/bench.json")
    assert [(row["operator"], row["status"]) for row in document["tasks"]] == [
        ("elu", "faster"),
        ("relu", "faster"),
    ]
    assert document["settings"]["rounds"] == 2
    assert (checkout / "leaderboard/results/virtual-h200/relu/fp32/kernel.cu").exists()
    assert "2 tasks compared with stored results, 0 regressions" in runner.summary.read_text()
    assert (checkout / "leaderboard/table.csv").read_text().startswith("team,")
    site = checkout / "leaderboard/site"
    assert "builtin, 2 x 3" in (site / "index.html").read_text()
    assert "How it was found" in (site / "virtual-h200/relu/fp32/index.html").read_text()
    assert runner.outputs.read_text() == "verdict=0\n"
    assert runner.run("Verdict").returncode == 0


def test_a_regression_fails_after_its_table_is_written(checkout: Path) -> None:
    runner = Runner(checkout, **INPUTS)
    for name in ("Install", "Bench", "Compare"):
        assert runner.run(name, SCRIPTED_SLOW="1").returncode == 0
    verdict = runner.run("Verdict")
    assert verdict.returncode == 1
    assert "::error::" in verdict.stdout
    assert "regression: relu fp32" in verdict.stdout
    assert "regression: relu fp32" in runner.summary.read_text()


def test_results_that_cannot_be_compared_fail_with_their_reason(checkout: Path) -> None:
    runner = Runner(checkout, **(INPUTS | {"against": "nowhere"}))
    assert runner.run("Install").returncode == 0
    shutil.copy(checkout / "results/b.json", checkout / "leaderboard/bench.json")
    assert runner.run("Compare").returncode == 0
    verdict = runner.run("Verdict")
    assert verdict.returncode == 2
    assert "nowhere cannot be read" in verdict.stdout
    assert "nowhere cannot be read" in runner.summary.read_text()
    assert "| builtin, 3 x 3 | 2 of 100 |" in runner.summary.read_text()


@pytest.mark.parametrize(
    ("device", "packages"), [("virtual", "."), ("cuda", ".[gpu,vendor]"), ("cuda:1", ".[gpu,vendor]")]
)
def test_a_gpu_gets_what_reaches_it(device: str, packages: str, tmp_path: Path) -> None:
    assert Runner(tmp_path, device=device).run("Install").returncode == 0
    assert (tmp_path / "asked.txt").read_text() == f"-m pip install --quiet {packages}\n"
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert set(re.findall(r"\w+", packages)) <= set(declared)


def test_a_device_that_is_not_there_stops_the_bench(checkout: Path) -> None:
    runner = Runner(checkout, **(INPUTS | {"device": "cuda"}))
    assert runner.run("Install").returncode == 0
    done = runner.run("Bench")
    assert done.returncode == 3
    assert "no NVIDIA driver here" in done.stderr
