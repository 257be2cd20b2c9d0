import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cudamaster.agents.errors import BadStrategy
from cudamaster.cli.boundary import exit_code_of, log, sentence_and_code
from mskernelbench.errors import BaselineMissing
from tests.doubles.scripted_opening import ScriptedOpening

Output = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[3]
OPTIMIZE = ("optimize", "gemm", "--precision", "fp32")
SCRIPTED = """
import sys
from cudamaster.cli.boundary import exit_code_of
from tests.doubles.scripted_opening import ScriptedOpening
sys.exit(exit_code_of(sys.argv[1:], ScriptedOpening()))
"""


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOTDIR])
def test_a_file_that_the_system_refuses_is_named_with_exit_code_3(number: int) -> None:
    sentence, code = sentence_and_code(OSError(number, os.strerror(number), "/there/it.is"))

    assert code == 3
    assert sentence.startswith(f"/there/it.is cannot be used ({os.strerror(number)})")


def test_too_little_memory_is_no_fault_of_ours() -> None:
    assert sentence_and_code(MemoryError())[1] == 3


def test_a_file_that_we_should_have_made_is_our_fault() -> None:
    assert sentence_and_code(FileNotFoundError(errno.ENOENT, "No such file", "x"))[1] == 70


def test_a_traceback_goes_elsewhere_where_the_log_folder_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CUDAMASTER_LOG_DIR", str(tmp_path / "file"))
    path = log(ValueError("lost"))

    assert isinstance(path, Path)
    assert "ValueError: lost" in path.read_text()
    path.unlink()


def test_a_runs_folder_that_is_a_file_is_2_by_option_and_3_otherwise(
    tmp_path: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("CUDAMASTER_RUNS_DIR", str(tmp_path / "file" / "runs"))
    out = ["--out", str(tmp_path / "r")]

    assert exit_code_of([*OPTIMIZE, *out], ScriptedOpening()) == 3
    named = [*OPTIMIZE, *out, "--runs-dir", str(tmp_path / "file" / "runs")]
    assert exit_code_of(named, ScriptedOpening()) == 2
    assert capsys.readouterr().err.count("cannot write the runs folder") == 2


@pytest.mark.parametrize("blocks", [8, 60])
def test_a_disk_that_fills_up_in_a_run_is_one_sentence_and_exit_code_3(tmp_path: Path, blocks: int) -> None:
    """A limit of file sizes, in KiB, stands for the full disk: 8 stops the checkpoint, 60 the journal."""
    line = f'ulimit -f {blocks}; exec {sys.executable} -c "$0" "$@"'
    folders = ["--runs-dir", str(tmp_path / "runs"), "--out", str(tmp_path / "r")]
    done = subprocess.run(
        ["bash", "-c", line, SCRIPTED, *OPTIMIZE, *folders],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    told = done.stderr.splitlines()[-1]

    assert done.returncode == 3
    assert told.startswith("cudamaster: ")
    assert "Traceback" not in done.stderr


def test_what_a_contributor_left_out_is_a_usage_error_and_one_sentence() -> None:
    for fault in (BadStrategy("x/strategy.toml lacks the key 'title'"), BaselineMissing("x lacks a file")):
        assert sentence_and_code(fault) == (str(fault), 2)
