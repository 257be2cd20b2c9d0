import os
import subprocess
import sys

import pytest

from cudamaster.cli import BLAS_THREADS, share_processors

WHILE_LOADING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is started without
class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == "cudamaster.cli.boundary":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Impatient())
from cudamaster.cli import main
main(["--version"])
"""
WHEN_DONE = """
import atexit, os, signal
atexit.register(lambda: os.kill(os.getpid(), signal.SIGINT))
from cudamaster.cli import main
main(["operators", "--json"])
"""
INTERRUPTED_WITH_WORK_LEFT = """
import threading, time
from cudamaster.cli import leave
threading.Thread(target=time.sleep, args=(60,)).start()
print("told", end="")
leave(130)
"""


def ended(program: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def test_ctrl_c_while_the_program_is_loaded_is_130_and_nothing_else() -> None:
    assert ended(WHILE_LOADING) == (130, "")


def test_ctrl_c_after_the_work_is_done_changes_nothing() -> None:
    assert ended(WHEN_DONE) == (0, "")


def test_numpy_leaves_half_of_the_processors_to_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BLAS_THREADS, "")
    monkeypatch.delenv(BLAS_THREADS)
    processors = len(os.sched_getaffinity(0))

    share_processors()

    assert int(os.environ[BLAS_THREADS]) in (1, processors // 2)
    assert int(os.environ[BLAS_THREADS]) <= processors


def test_who_says_how_many_threads_numpy_may_have_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BLAS_THREADS, "7")

    share_processors()

    assert os.environ[BLAS_THREADS] == "7"


def test_who_interrupts_is_told_and_does_not_wait_for_threads_that_go_on() -> None:
    program = [sys.executable, "-c", INTERRUPTED_WITH_WORK_LEFT]
    done = subprocess.run(program, capture_output=True, text=True, timeout=30, check=False)

    assert (done.returncode, done.stdout) == (130, "told")
