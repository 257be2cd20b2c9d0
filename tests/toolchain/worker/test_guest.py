"""Guests: they end with their workers, workers end as their guests do, and no lie of a guest is believed."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cudamaster.toolchain.worker.ending import WorkerEnd
from cudamaster.toolchain.worker.hardening import WorkerLimits
from cudamaster.toolchain.worker.starter import WorkerStarter
from cudamaster.toolchain.worker.worker import Worker


@pytest.fixture(scope="module")
def starter() -> Iterator[WorkerStarter]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        starter = WorkerStarter("hosting_guest")
        yield starter
        starter.close()


@pytest.fixture
def worker(starter: WorkerStarter) -> Iterator[Worker]:
    worker = starter.start(WorkerLimits(memory_bytes=1 << 30, shared_bytes=1 << 30))
    yield worker
    worker.close()


def ask(worker: Worker, do: str) -> Any:
    reply = worker.call({"do": do}, seconds=20.0)
    assert not isinstance(reply, WorkerEnd), reply
    return reply["answer"]


def ending(worker: Worker, do: str, *arguments: object) -> WorkerEnd:
    reply = worker.call({"do": do, "with": arguments}, seconds=20.0)
    assert isinstance(reply, WorkerEnd), reply
    return reply


def gone(process: int) -> bool:
    deadline = time.monotonic() + 10.0
    while Path(f"/proc/{process}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return not Path(f"/proc/{process}").exists()


def test_a_guest_has_the_link_and_no_other_file_and_makes_no_process(worker: Worker) -> None:
    answer = ask(worker, "facts")
    facts = answer["answer"]
    assert facts["parent"] == answer["worker"]
    assert (facts["link"], facts["files"][:4]) == (3, [0, 1, 2, 3])
    assert len(facts["files"]) == 5  # the folder that was listed
    assert "start a process" in ending(worker, "fork").reason


@pytest.mark.parametrize("how", ["kill", "close"])
def test_a_guest_ends_with_its_worker(starter: WorkerStarter, how: str) -> None:
    worker = starter.start(WorkerLimits(memory_bytes=1 << 30, shared_bytes=1 << 30))
    process = ask(worker, "facts")["answer"]["pid"]
    getattr(worker, how)()
    worker.close()
    assert gone(process)


def test_a_worker_ends_as_its_guest_does(starter: WorkerStarter) -> None:
    ends = []
    for do, arguments in (("exit", (0,)), ("exit", (7,)), ("segfault", ()), ("abort", ())):
        worker = starter.start(WorkerLimits(memory_bytes=1 << 30, shared_bytes=1 << 30))
        end = ending(worker, do, *arguments)
        ends.append((end.exit_code, end.signal_name, end.forged))
    assert ends == [(0, None, False), (7, None, False), (None, "SIGSEGV", False), (None, "SIGABRT", False)]


@pytest.mark.parametrize("do", ["close", "garbage"])
def test_a_guest_that_lets_go_of_the_link_or_lies_is_a_forger(worker: Worker, do: str) -> None:
    end = ending(worker, do)
    assert end.forged
    assert "harness's own channel" in end.reason


def test_a_guest_that_breaks_says_where(worker: Worker) -> None:
    assert "of the guest" in ending(worker, "raise").reason


def test_a_guest_that_computes_for_ever_is_waited_for_by_its_own_processor_time(worker: Worker) -> None:
    assert ask(worker, "rest")["answer"] == "rested"
    assert ask(worker, "loop") == {"busy": "0.2 s of processor time"}


def test_no_process_is_left(starter: WorkerStarter) -> None:
    """Of all workers and guests here, dead or closed: their zygote has no child but the living ones."""
    worker = starter.start(WorkerLimits(memory_bytes=1 << 30, shared_bytes=1 << 30))
    answer = ask(worker, "facts")
    zygote = int(Path(f"/proc/{answer['worker']}/stat").read_text().rsplit(")", 1)[1].split()[1])
    children = Path(f"/proc/{zygote}/task/{zygote}/children").read_text().split()
    assert children == [str(answer["worker"])]
    worker.close()
    assert gone(answer["worker"])
