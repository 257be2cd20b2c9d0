import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="this system has no /dev/full")


def shell(command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    line = command.replace("cudamaster", f"{sys.executable} -m cudamaster")
    environment = {**os.environ, **variables}
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, text=True, check=False, env=environment, timeout=60
    )


@needs_full
@pytest.mark.parametrize("asked", ["operators --json", "operators", "--version"])
def test_a_full_stdout_is_one_sentence_and_exit_code_3(asked: str) -> None:
    done = shell(f"cudamaster {asked} >/dev/full")

    assert done.returncode == 3
    assert done.stderr.splitlines() == [
        "cudamaster: cannot write to stdout (No space left on device): send it where there is room"
    ]


@needs_full
def test_a_full_stderr_hides_neither_the_exit_code_nor_the_document() -> None:
    done = shell("cudamaster nonsense --json 2>/dev/full")

    assert done.returncode == 2
    assert json.loads(done.stdout)["exit_code"] == 2


def test_a_closed_stdout_is_no_fault() -> None:
    done = shell("cudamaster operators --json >&-")

    assert (done.returncode, done.stderr) == (0, "")


def test_what_an_encoding_lacks_is_replaced() -> None:
    done = shell("cudamaster operators", PYTHONIOENCODING="ascii")

    assert (done.returncode, done.stderr) == (0, "")
    assert "C = A?B" in done.stdout
