"""The process of a run is killed outright, at moments that a seed chooses, until it gets to its end."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cudamaster.search.run import outcome_in
from cudamaster.store.results import read_stored
from tests.doubles import scripted_run

ROOT = Path(__file__).parents[3]


def work(folder: Path, results: Path) -> "subprocess.Popen[bytes]":
    program = [sys.executable, "-m", "tests.doubles.scripted_run", str(folder), str(results), "0.03"]
    return subprocess.Popen(program, cwd=ROOT, stdout=subprocess.DEVNULL)


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_end_and_judges_nothing_twice(tmp_path: Path) -> None:
    run, chance = scripted_run.folder(tmp_path), random.Random(0)
    kills = 0
    while outcome_in(run) is None:
        assert kills < 30
        due = len(run.events()) + chance.randint(5, 16)
        process = work(run.path, tmp_path / "results")
        while process.poll() is None and len(run.events()) <= due:
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, 0.05))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
            kills += 1
        process.wait()

    outcome = outcome_in(run)
    assert outcome is not None
    assert outcome.best is not None
    assert kills > 0
    assert Path(outcome.best.kernel).read_text() == scripted_run.BETTER
    assert (outcome.rounds, outcome.candidates) == (3, 6)
    paid = [event["key"] for event in run.events() if "key" in event]
    assert len(paid) == len(set(paid))
    stored = read_stored(tmp_path / "results/virtual-h200/matrix_mul/fp32")
    assert stored is not None
    assert stored.kernel == scripted_run.BETTER
