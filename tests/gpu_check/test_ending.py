"""A check that is ended or killed before its time leaves what it found, and tells it where it can."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.gpu_check.__main__ import kept_up_to_date
from benchmarks.gpu_check.kept_rows import DOCUMENT, begin, keep
from benchmarks.gpu_check.parts import PARTS
from cudamaster.toolchain.cache import VARIABLE, cache_folder

ROOT = Path(__file__).parents[2]
STARTS, ENDS = 120.0, 60.0
pytestmark = pytest.mark.timeout(240)


def begun(out: Path) -> "subprocess.Popen[str]":
    """A dry run that has written its document, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.gpu_check", "--device", "virtual:h200", "--small"]
    places = {VARIABLE: str(cache_folder()), "OUT": str(out / "back")}
    child = subprocess.Popen(
        [*command, "--operators", "vector_add", "--only", "baselines,pairs", "--out", str(out)],
        cwd=ROOT,
        env={**os.environ, **places},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + STARTS
    while not (out / DOCUMENT).exists():
        assert child.poll() is None, child.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return child


def test_asked_to_end_it_tells_its_table_and_says_how_it_goes_on(tmp_path: Path) -> None:
    child = begun(tmp_path)
    child.send_signal(signal.SIGTERM)
    said, complained = child.communicate(timeout=ENDS)

    assert child.returncode == 1
    assert "baselines" in said
    assert "agreement" in said
    assert "begun again with the same --out it goes on" in complained
    assert "Traceback" not in complained
    assert json.loads((tmp_path / "back" / DOCUMENT).read_text())["device"] == "virtual:h200"


def test_a_document_is_there_before_the_first_part_ends_and_grows_with_its_rows(tmp_path: Path) -> None:
    """Who is killed without a word cannot write any more."""
    part = PARTS[-1]
    begin(tmp_path, {"device": "cuda:0"})

    def rows() -> int:
        return len(json.loads((tmp_path / DOCUMENT).read_text())["parts"][part.name]["rows"])

    with kept_up_to_date(tmp_path, [part], seconds=0.05):
        assert rows() == 0
        keep(tmp_path, part.name, {"key": "a", "status": "skipped"})
        deadline = time.monotonic() + 20
        while rows() == 0 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert rows() == 1
