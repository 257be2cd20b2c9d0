import subprocess
import sys
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.cuda.locks import GpuLocks
from cudamaster.toolchain.errors import EnvironmentLacks

HOLDER = """
import sys, time
from pathlib import Path
from cudamaster.toolchain.devices.cuda.locks import GpuLocks
locks = GpuLocks(folder=lambda: Path(sys.argv[1]))
locks.take("GPU-1", "cuda:0")
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_held_gpu_is_waited_for_with_a_line_then_given_up_and_free_after_kill(
    holder: "subprocess.Popen[str]", tmp_path: Path
) -> None:
    said: list[str] = []
    locks = GpuLocks(folder=lambda: tmp_path, wait_seconds=0.3, say=said.append)
    with holder:
        with pytest.raises(EnvironmentLacks, match=f"still in use by .*process {holder.pid}.* after 0 s"):
            locks.take("GPU-1", "cuda:0")
        assert said == [
            f"cuda:0 is in use by another cudamaster (process {holder.pid}); waiting for it to end"
        ]
        assert locks.take("GPU-2", "cuda:1")
        holder.kill()
        holder.wait()
        assert locks.take("GPU-1", "cuda:0")


def test_a_lock_that_cannot_be_opened_is_told_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "gpus" / "GPU-1.lock").mkdir(parents=True)

    with pytest.raises(EnvironmentLacks, match=r"the lock .*GPU-1\.lock cannot be opened: Is a directory"):
        GpuLocks(folder=lambda: tmp_path).take("GPU-1", "cuda:0")


def test_a_process_may_take_its_lock_again_and_lets_go_as_often(tmp_path: Path) -> None:
    mine = GpuLocks(folder=lambda: tmp_path, wait_seconds=0)
    other = GpuLocks(folder=lambda: tmp_path, wait_seconds=0, say=lambda line: None)

    assert [mine.take("GPU-1", "cuda:0"), mine.take("GPU-1", "cuda:0")] == [True, False]
    mine.release("GPU-1")
    with pytest.raises(EnvironmentLacks):
        other.take("GPU-1", "cuda:0")
    mine.release("GPU-1")
    assert other.take("GPU-1", "cuda:0")
    other.release("GPU-1")
