import os
import subprocess
import sys
import threading
import time

from cudamaster.toolchain.processor_time import descended, used_by_threads, used_seconds

SPINS = "import time\nwhile time.process_time() < 0.5: pass\n"


def test_what_a_process_computes_counts_and_what_it_waits_does_not() -> None:
    before = used_seconds(os.getpid())
    time.sleep(0.5)
    waited = used_seconds(os.getpid())
    subprocess.run([sys.executable, "-c", SPINS], check=True)
    assert waited - before < 0.3
    assert used_seconds(os.getpid()) - waited >= 0.5


def test_those_that_it_started_are_found_with_theirs() -> None:
    script = "import subprocess\nsubprocess.run(['sleep', '100'])\n"
    with subprocess.Popen([sys.executable, "-c", script]) as child:
        while len(found := list(descended(child.pid))) < 2:
            time.sleep(0.01)
        assert found[0] == child.pid
        assert found[1] in list(descended(os.getpid()))
        os.kill(found[1], 9)


def test_each_thread_has_its_own() -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    used = used_by_threads(os.getpid())
    ended.set()
    thread.join()
    assert used[os.getpid(), str(os.getpid())] > used[os.getpid(), str(thread.native_id)]


def test_nothing_is_known_of_who_is_not_there() -> None:
    assert (used_seconds(-1), used_by_threads(-1)) == (0.0, {})
