"""Workers against a program that misbehaves on request: each death is a value, and nothing survives."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cudamaster.toolchain.crowd import MOST_SLOWED, MOST_STARVED
from cudamaster.toolchain.errors import WorkerBroken
from cudamaster.toolchain.worker.ending import WorkerEnd
from cudamaster.toolchain.worker.hardening import WorkerLimits
from cudamaster.toolchain.worker.landlock import landlock_version
from cudamaster.toolchain.worker.starter import WorkerStarter
from cudamaster.toolchain.worker.worker import Worker

LIMITS = WorkerLimits(memory_bytes=1 << 30, shared_bytes=1 << 30)
DENIED = "Operation not permitted"


@pytest.fixture(scope="module")
def starter() -> Iterator[WorkerStarter]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        starter = WorkerStarter("misbehaving")
        yield starter
        starter.close()


@pytest.fixture
def worker(starter: WorkerStarter) -> Iterator[Worker]:
    worker = starter.start(LIMITS)
    yield worker
    worker.close()


def ask(
    worker: Worker, do: str, *arguments: object, files: tuple[int, ...] = (), seconds: float = 20.0
) -> Any:
    reply = worker.call({"do": do, "with": arguments}, files, seconds=seconds)
    assert not isinstance(reply, WorkerEnd), reply
    return reply.get("answer", reply)


def ending(worker: Worker, do: str, *arguments: object, seconds: float = 20.0) -> WorkerEnd:
    reply = worker.call({"do": do, "with": arguments}, seconds=seconds)
    assert isinstance(reply, WorkerEnd), reply
    return reply


def test_requests_are_answered_in_turn(worker: Worker) -> None:
    assert ask(worker, "echo", "a") == {"value": "a"}
    assert ask(worker, "echo", "x" * 1_000_000) == {"value": "x" * 1_000_000}


def test_files_travel_with_a_request_and_memory_is_shared(worker: Worker) -> None:
    file = os.memfd_create("shared")
    os.write(file, b"hello")
    assert ask(worker, "read_shared", files=(file,)) == {"value": "hello"}
    os.close(file)


def test_a_question_in_the_middle_of_a_request_is_answered(worker: Worker) -> None:
    asked: list[object] = []

    def answer(question: object, seconds: float) -> dict[str, object]:
        asked.append(question)
        assert 0 < seconds <= 20.0
        return {"answer": 42}

    reply = worker.call({"do": "ask", "with": [{"what": "6 x 7"}]}, seconds=20.0, answer=answer)
    assert not isinstance(reply, WorkerEnd)
    assert (asked, reply["answer"]) == ([{"what": "6 x 7"}], {"told": {"answer": 42}})


def test_a_child_starts_with_no_secrets_and_no_files_of_others(worker: Worker) -> None:
    facts = ask(worker, "facts")
    assert facts["environment"].keys() - {"CUDAMASTER_CPU"} == {"CUDAMASTER_CACHE_DIR"}
    assert facts["files"] == [0, 1, 2, 3, 4]  # 4 is the listing itself
    assert os.getpgid(facts["pid"]) == facts["pid"]


def test_leaving_with_success_is_an_ending(worker: Worker) -> None:
    end = ending(worker, "leave", 0)
    assert end.exit_code == 0
    assert end.reason == "the entry ended the process with exit(0)"
    assert ending(worker, "echo", 1) is end


def test_our_own_exit_code_is_not_believed_once_a_candidate_ran(worker: Worker) -> None:
    assert ending(worker, "leave", 97).exit_code == 97


@pytest.mark.parametrize(("do", "name"), [("segfault", "SIGSEGV"), ("abort", "SIGABRT")])
def test_a_crash_names_its_signal(worker: Worker, do: str, name: str) -> None:
    assert ending(worker, do).reason.startswith(f"the entry crashed with {name}")


def test_beside_other_work_a_call_may_take_longer(worker: Worker) -> None:
    begun = time.monotonic()
    end = worker.call({"do": "rest"}, seconds=0.2, crowd=lambda: 3.0)
    assert isinstance(end, WorkerEnd)
    assert end.timed_out
    assert 0.6 <= end.limit_seconds + 1e-9 <= time.monotonic() - begun


def test_who_has_computed_for_as_long_as_it_could_alone_gets_no_more_time(worker: Worker) -> None:
    end = worker.call({"do": "loop"}, seconds=1.0, crowd=lambda: 30.0)
    assert isinstance(end, WorkerEnd)
    assert end.timed_out
    assert MOST_SLOWED <= end.limit_seconds < 20


def test_what_a_call_may_compute_ends_it_before_its_time(worker: Worker) -> None:
    end = worker.call({"do": "loop"}, seconds=60.0, crowd=lambda: 1.0, processor_seconds=0.5)
    assert isinstance(end, WorkerEnd)
    assert end.reason == "the call did not end within 0.5 s of processor time"


def test_a_call_that_rests_may_do_so_beyond_what_it_may_compute(worker: Worker) -> None:
    end = worker.call({"do": "rest"}, seconds=2.0, crowd=lambda: 1.0, processor_seconds=0.5)
    assert isinstance(end, WorkerEnd)
    assert end.reason == "the call did not end within 2 s"


def test_what_it_waits_for_a_processor_does_not_count(worker: Worker) -> None:
    place = {min(os.sched_getaffinity(0))}
    os.sched_setaffinity(int(ask(worker, "facts")["pid"]), place)
    endless = f"import os\nos.sched_setaffinity(0, {place})\nwhile True: pass"
    others = [subprocess.Popen([sys.executable, "-c", endless]) for _ in range(3)]
    try:
        end = worker.call({"do": "loop"}, seconds=1.0, crowd=lambda: 1.0)
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert isinstance(end, WorkerEnd)
    assert end.timed_out
    assert 1.5 < end.limit_seconds <= MOST_STARVED


def test_what_others_take_to_answer_beside_other_work_counts_in_part(worker: Worker) -> None:
    def answer(question: object, seconds: float) -> dict[str, object]:
        time.sleep(1.0)
        return {"value": 42}

    request = {"do": "ask", "with": [{"what": "6 x 7"}]}
    reply = worker.call(request, seconds=1.2, crowd=lambda: 1.0, answer=answer)
    assert not isinstance(reply, WorkerEnd)
    asked_and_looped = {"do": "ask_and_loop", "with": [{"what": "6 x 7"}]}
    end = worker.call(asked_and_looped, seconds=0.5, crowd=lambda: 2.0, answer=answer)
    assert isinstance(end, WorkerEnd)
    assert end.limit_seconds >= 2.0


def test_an_endless_loop_is_killed_when_its_time_is_up(worker: Worker) -> None:
    started = time.monotonic()
    end = ending(worker, "loop", seconds=0.3)
    assert end.timed_out
    assert end.reason == "the call did not end within 0.3 s"
    assert time.monotonic() - started < 5


def test_memory_beyond_the_limit_is_refused(worker: Worker) -> None:
    assert ask(worker, "hog", 4) == {"out_of_memory": True}


def test_a_flood_of_output_is_cut_and_does_not_block(worker: Worker) -> None:
    ask(worker, "flood")
    assert worker.printed == "x" * 65536


def test_our_own_mistake_is_told_with_its_place(worker: Worker) -> None:
    assert "KeyError: 'our own'" in ask(worker, "raise_error")["broken"]
    assert ask(worker, "echo", 1) == {"value": 1}


@pytest.mark.parametrize(
    "text", ["\xff\xff\xff\xff", "\x02\0\0\0[]", "\x02\0\0\0xx", "\x02\0\0\0{}\x02\0\0\0{}"]
)
def test_forged_bytes_on_the_channel_end_the_worker(worker: Worker, text: str) -> None:
    if "\xff" in text:
        text = "\x7f\x7f\x7f\x7f"
    assert ending(worker, "forge", text).forged


def test_half_a_message_only_uses_up_the_time(worker: Worker) -> None:
    assert ending(worker, "forge", "\x09\0\0\0{", seconds=0.3).timed_out


def test_a_closed_channel_ends_the_worker(worker: Worker) -> None:
    assert ending(worker, "close_channel").forged


@pytest.mark.parametrize(
    "what",
    ["fork", "run", "connect", "make_memory", "survive_parent", "make_segment"],
)
def test_the_kernel_refuses(worker: Worker, what: str) -> None:
    assert ask(worker, "refused", what) == {"error": DENIED}


def test_limits_cannot_be_raised(worker: Worker) -> None:
    assert "not allowed" in ask(worker, "refused", "raise_limits")["error"]


def test_files_cannot_be_written_or_removed(worker: Worker, tmp_path: Path) -> None:
    (tmp_path / "old").write_text("old")
    for what, name in (("write_file", "new"), ("write_file", "old"), ("remove_file", "old")):
        error = ask(worker, "refused", what, str(tmp_path / name))["error"]
        assert error in (DENIED, "Permission denied")
    assert (tmp_path / "old").read_text() == "old"


@pytest.mark.skipif(landlock_version() == 0, reason="this kernel has no Landlock")
def test_only_named_files_can_be_read(starter: WorkerStarter, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    (tmp_path / "shown").mkdir()
    (tmp_path / "shown" / "file").write_text("f")
    worker = starter.start(WorkerLimits(1 << 30, 1 << 30, readable=(str(tmp_path / "shown"),)))
    assert ask(worker, "refused", "read_file", str(tmp_path / "secret")) == {"error": "Permission denied"}
    assert ask(worker, "refused", "read_file", str(tmp_path / "shown" / "file")) == {"error": None}
    worker.close()


def test_parts_of_a_package_outside_the_installation_can_still_be_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As `pip install --user` has packages; those of other folders on the path stay closed."""
    package = tmp_path / "elsewhere"
    package.mkdir()
    (package / "later.py").write_text("value = 42\n")
    (tmp_path / "theirs.txt").write_text("s")
    (package / "__init__.py").write_text(
        textwrap.dedent(
            f"""
            import importlib, pathlib
            class Importing:
                def answer(self, request, files):
                    try:
                        pathlib.Path({str(tmp_path / "theirs.txt")!r}).read_text()
                        read = True
                    except PermissionError:
                        read = False
                    return {{"value": importlib.import_module("elsewhere.later").value, "read": read}}
            def preload(): pass
            def prepare(harden): pass
            def open_program(ask, prepared): return Importing()
            """
        )
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    starter = WorkerStarter("elsewhere")
    try:
        worker = starter.start(LIMITS)
        assert ask(worker, "anything") == {"value": 42, "read": landlock_version() == 0}
    finally:
        starter.close()


def test_a_lower_limit_of_the_user_stays() -> None:
    """A process with devices may have more files open, where its user may."""
    script = textwrap.dedent(
        f"""
        import resource, sys
        resource.setrlimit(resource.RLIMIT_NOFILE, (500, 500))
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from cudamaster.toolchain.worker.hardening import WorkerLimits
        from cudamaster.toolchain.worker.starter import WorkerStarter
        starter = WorkerStarter("misbehaving")
        worker = starter.start(WorkerLimits(devices=("/dev/zero",)))
        print(worker.call({{"do": "echo", "with": ["there"]}}, seconds=20))
        starter.close()
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    assert "there" in done.stdout, done.stderr


def test_threads_that_were_there_before_are_filtered_too(worker: Worker) -> None:
    assert ask(worker, "refused_in_an_early_thread", "connect")["error"] == DENIED


def test_a_process_with_devices_opens_those_and_no_other_file_to_write(
    starter: WorkerStarter, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("theirs")
    limits = replace(LIMITS, devices=("/dev/zero",), readable=(str(tmp_path),))
    worker = starter.start(limits)
    try:
        assert ask(worker, "refused", "open_to_write", "/dev/zero")["error"] is None
        if landlock_version():
            refused = ask(worker, "refused", "open_to_write", str(tmp_path / "file"))
            assert refused["error"] == "Permission denied"
        assert ask(worker, "refused", "write_file", str(tmp_path / "file"))["error"] == DENIED
        assert ask(worker, "refused", "connect")["error"] == DENIED
    finally:
        worker.close()


def test_a_process_with_devices_names_the_threads_it_starts(starter: WorkerStarter, worker: Worker) -> None:
    """NVIDIA's driver opens each new thread's `comm` to write, and takes a refusal for a broken system."""
    driving = starter.start(replace(LIMITS, devices=("/dev/zero",)))
    try:
        assert ask(driving, "refused", "name_a_thread", "new")["error"] is None
    finally:
        driving.close()
    assert ask(worker, "refused", "name_a_thread", "new")["error"] == DENIED


def test_a_process_with_devices_reserves_all_the_addresses_it_likes(
    starter: WorkerStarter, worker: Worker
) -> None:
    assert ask(worker, "refused", "reserve", 1 << 10)["error"] == "Cannot allocate memory"
    wide = starter.start(replace(LIMITS, devices=("/dev/zero",)))
    try:
        assert ask(wide, "refused", "reserve", 1 << 10)["error"] is None
        assert ask(wide, "hog", 4) == {"out_of_memory": True}
    finally:
        wide.close()


def test_others_cannot_be_killed(worker: Worker) -> None:
    zygote = ask(worker, "facts")["parent"]
    for process in (os.getpid(), zygote, -1, 0):
        assert ask(worker, "refused", "kill", process) == {"error": DENIED}


def test_threads_are_allowed(worker: Worker) -> None:
    assert ask(worker, "sleep_in_thread") == {"threads": 3}


def test_many_workers_leave_no_file_open(starter: WorkerStarter) -> None:
    starter.start(LIMITS).close()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        starter.start(LIMITS).close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_workers_are_called_at_the_same_time(starter: WorkerStarter) -> None:
    workers = [starter.start(LIMITS) for _ in range(3)]
    ends: list[WorkerEnd] = []
    threads = [
        threading.Thread(target=lambda w=w: ends.append(ending(w, "loop", seconds=0.4))) for w in workers
    ]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(end.timed_out for end in ends)
    assert time.monotonic() - started < 3


def test_a_worker_closed_from_another_thread_ends_its_call(starter: WorkerStarter) -> None:
    worker = starter.start(LIMITS)
    timer = threading.Timer(0.2, worker.kill)
    timer.start()
    assert ending(worker, "loop").signal_name == "SIGKILL"


def test_when_the_zygote_is_killed_no_worker_survives_and_the_next_start_works(
    starter: WorkerStarter,
) -> None:
    worker = starter.start(LIMITS)
    facts = ask(worker, "facts")
    os.kill(facts["parent"], signal.SIGKILL)
    with pytest.raises(WorkerBroken):
        worker.call({"do": "loop"}, seconds=5)
    assert isinstance(worker.call({"do": "echo"}, seconds=5), WorkerEnd)
    worker.close()
    assert _gone(facts["pid"])
    again = starter.start(LIMITS)
    assert ask(again, "echo", 2) == {"value": 2}
    again.close()


def test_when_the_trusted_process_is_killed_nothing_survives() -> None:
    script = f"""
        import sys
        sys.path.insert(0, {str(Path(__file__).parent)!r})
        from cudamaster.toolchain.worker.hardening import WorkerLimits
        from cudamaster.toolchain.worker.starter import WorkerStarter
        starter = WorkerStarter("misbehaving")
        worker = starter.start(WorkerLimits())
        facts = worker.call({{"do": "facts"}}, seconds=10)["answer"]
        print(facts["pid"], facts["parent"], flush=True)
        worker.call({{"do": "loop"}}, seconds=100)
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        child, zygote = (int(number) for number in process.stdout.readline().split())
        process.kill()
    assert _gone(child)
    assert _gone(zygote)


def test_a_program_that_cannot_be_loaded_is_our_own_fault() -> None:
    with pytest.raises(WorkerBroken, match="no_such_program"):
        WorkerStarter("no_such_program").start(LIMITS)


def _gone(process: int) -> bool:
    for _ in range(100):
        try:
            state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False
