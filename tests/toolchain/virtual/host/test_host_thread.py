"""Host code that is run to its end, or left where it is."""

import threading

from cudamaster.toolchain.devices.virtual.host_thread import HostThread


def test_host_code_runs_to_its_end() -> None:
    done: list[int] = []
    host = HostThread()
    host.run(lambda: done.append(threading.get_ident()))
    assert not host.abandoned
    assert done != [threading.get_ident()]


def test_abandoned_host_code_never_goes_on() -> None:
    steps: list[str] = []
    host = HostThread()

    def entry() -> None:
        steps.append("before")
        host.abandon()

    host.run(entry)
    assert host.abandoned
    assert steps == ["before"]
