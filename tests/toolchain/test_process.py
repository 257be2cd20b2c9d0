"""A bounded command: every way it can end is a value, and nothing of it stays."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cudamaster.toolchain.process import MIB, ProcessLimits, ProcessResult, run_bounded
from cudamaster.toolchain.worker.landlock import Confinement, landlock_version

LIMITS = ProcessLimits(seconds=10.0, memory_bytes=1 << 30)


def shell(script: str, folder: Path, limits: ProcessLimits = LIMITS) -> ProcessResult:
    return run_bounded(
        ["/bin/sh", "-c", script], folder=folder, environment={"PATH": "/usr/bin:/bin"}, limits=limits
    )


def test_output_and_exit_code_come_back(tmp_path: Path) -> None:
    result = shell("echo out; echo err >&2; exit 3", tmp_path)
    assert (result.exit_code, result.signal_name, result.timed_out) == (3, None, False)
    assert result.output == "out\nerr\n"
    assert not result.ok


def test_a_signal_is_named(tmp_path: Path) -> None:
    assert shell("kill -SEGV $$", tmp_path).signal_name == "SIGSEGV"


def test_the_environment_is_exactly_what_was_given(tmp_path: Path) -> None:
    assert run_bounded(["/usr/bin/env"], folder=tmp_path, environment={"A": "1"}, limits=LIMITS).output in (
        "A=1\n",
        f"A=1\nPWD={tmp_path}\n",
    )


def test_a_command_out_of_time_is_killed_with_its_children(tmp_path: Path) -> None:
    limits = ProcessLimits(seconds=0.5, memory_bytes=1 << 30)
    result = shell("sleep 100 & echo $!; sleep 100", tmp_path, limits)
    assert result.timed_out
    assert result.seconds < 5
    assert _gone(int(result.output))


def test_processor_time_of_all_it_starts_counts_together(tmp_path: Path) -> None:
    spin = "i=0; while [ $i -lt 100000000 ]; do i=$((i+1)); done"
    limits = ProcessLimits(seconds=60.0, memory_bytes=1 << 30, processor_seconds=1.0)
    result = shell(f"({spin}) & ({spin}) & ({spin}) & wait", tmp_path, limits)
    assert result.timed_out
    assert result.overran_processor
    assert result.seconds < 30


def test_waiting_is_no_processor_time(tmp_path: Path) -> None:
    limits = ProcessLimits(seconds=10.0, memory_bytes=1 << 30, processor_seconds=0.5)
    result = shell("sleep 1.5; echo done", tmp_path, limits)
    assert (result.ok, result.overran_processor) == (True, False)


def test_a_child_left_behind_is_killed_and_not_waited_for(tmp_path: Path) -> None:
    result = shell("sleep 100 & echo $!", tmp_path)
    assert result.ok
    assert result.seconds < 5
    assert _gone(int(result.output))


OUTLIVING = """
from pathlib import Path
from cudamaster.toolchain.process import ProcessLimits, run_bounded
script = "sleep 100 & echo $! > pid; mv pid started; wait"
run_bounded(["/bin/sh", "-c", script], folder=Path("."), environment={"PATH": "/usr/bin:/bin"},
            limits=ProcessLimits(seconds=100.0, memory_bytes=1 << 30))
"""


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_of_it_outlives_this_process(tmp_path: Path, signal_number: signal.Signals) -> None:
    ours = subprocess.Popen([sys.executable, "-c", OUTLIVING], cwd=tmp_path)
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    child = int((tmp_path / "started").read_text())
    ours.send_signal(signal_number)
    ours.wait()
    assert _gone(child)


@pytest.mark.parametrize("left_behind", ["yes", "setsid sleep 3"])
def test_a_child_that_holds_the_output_open_is_not_waited_for(tmp_path: Path, left_behind: str) -> None:
    result = shell(f"{left_behind} & exit 0", tmp_path)
    assert result.ok
    assert result.seconds < 5


def test_long_output_is_cut_and_does_not_block(tmp_path: Path) -> None:
    limits = ProcessLimits(seconds=10.0, memory_bytes=1 << 30, output_bytes=1000)
    result = shell("head -c 3000000 /dev/zero | tr '\\0' x", tmp_path, limits)
    assert result.ok
    assert result.output == "x" * 1000
    assert result.truncated


def test_memory_is_bounded(tmp_path: Path) -> None:
    result = shell(
        "head -c 400000000 /dev/zero | tail -c 300000000 >/dev/null; echo done",
        tmp_path,
        ProcessLimits(seconds=10.0, memory_bytes=100 * MIB),
    )
    assert "memory exhausted" in result.output


def test_file_size_is_bounded(tmp_path: Path) -> None:
    shell(
        "head -c 3000000 /dev/zero > file",
        tmp_path,
        ProcessLimits(seconds=10.0, memory_bytes=1 << 30, file_bytes=MIB),
    )
    assert (tmp_path / "file").stat().st_size == MIB


def test_a_command_that_does_not_exist_says_so(tmp_path: Path) -> None:
    result = run_bounded(["/no/such"], folder=tmp_path, environment={}, limits=LIMITS)
    assert result.exit_code == 127


def _gone(pid: int) -> bool:
    for _ in range(100):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        if state == "Z":
            return True
        time.sleep(0.02)
    return pytest.fail(f"{pid} is still there")


@pytest.mark.skipif(landlock_version() == 0, reason="this kernel confines no files")
def test_a_confined_command_opens_only_what_it_may(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("password")
    own = tmp_path / "own"
    own.mkdir()
    system = tuple(Path(path) for path in ("/usr", "/bin", "/lib", "/lib64", "/etc/ld.so.cache"))
    script = "echo mine > a; mkdir b; mv a b/c; cat b/c; cat ../secret; echo > ../new; exit 5"
    result = run_bounded(
        ["/bin/sh", "-c", script],
        folder=own,
        environment={"PATH": "/usr/bin:/bin"},
        limits=LIMITS,
        confinement=Confinement(programs=system, writable=(own,)),
    )
    assert result.exit_code == 5
    assert "mine" in result.output
    assert "password" not in result.output
    assert not (tmp_path / "new").exists()
    assert (tmp_path / "secret").read_text() == "password", "this process itself stays free"
