"""The zygote: a small trusted process that has loaded everything and forks a hardened child on request.

It is started as `python -m cudamaster.toolchain.worker.zygote PROGRAM SOCKET [shared]`, has one thread, runs
no candidate code, and ends, killing its children, when its parent's end of the socket closes for any reason.
For each child the parent sends three open files: the child's channel, the channel on which the zygote reports
how the child ended, and the pipe for what the child prints.
"""

import contextlib
import gc
import os
import select
import signal
import socket
import sys
import traceback
from typing import Any, NamedTuple

from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.worker.child import run_child
from cudamaster.toolchain.worker.hardening import SHARED, WorkerLimits, isolate_from_network
from cudamaster.toolchain.worker.program import ProgramModule, load_program
from cudamaster.toolchain.worker.wire import ConnectionEnded, receive_message, send_message


class _Child(NamedTuple):
    process: int
    report: socket.socket


class Zygote:
    """The loop: fork on request, report and clean up when a child ends."""

    def __init__(self, control: socket.socket, program: ProgramModule) -> None:
        self.control = control
        self.program = program
        self.children: dict[int, _Child] = {}
        self.poller = select.poll()
        self.poller.register(control, select.POLLIN)

    def serve(self) -> None:
        """Until the parent is gone."""
        try:
            while True:
                for ready, _ in self.poller.poll():
                    if ready == self.control.fileno():
                        self._fork()
                    else:
                        self._collect(ready)
        except ConnectionEnded:
            return
        finally:
            for child in self.children.values():
                _kill_group(child.process)

    def _fork(self) -> None:
        request, files = receive_message(self.control)
        channel, report, printed = files
        parent = os.getpid()
        process = os.fork()
        if process == 0:
            run_child(self.program, WorkerLimits.from_json(request["limits"]), channel, printed, parent)
        os.close(channel)
        os.close(printed)
        handle = os.pidfd_open(process)
        self.children[handle] = _Child(process, socket.socket(fileno=report))
        self.poller.register(handle, select.POLLIN)
        send_message(self.control, {"process": process}, [handle])

    def _collect(self, handle: int) -> None:
        """Kill what a child that ended left in its group, while its number is still its own; then report."""
        child = self.children.pop(handle)
        self.poller.unregister(handle)
        os.close(handle)
        _kill_group(child.process)
        _, status, usage = os.wait4(child.process, 0)
        with contextlib.suppress(ConnectionEnded):
            send_message(child.report, _ending(status, usage.ru_maxrss * 1024))
        child.report.close()


def _ending(status: int, peak_bytes: int) -> dict[str, Any]:
    code = os.waitstatus_to_exitcode(status)
    return {"exit_code": code if code >= 0 else None, "signal": max(0, -code), "peak_bytes": peak_bytes}


def _kill_group(leader: int) -> None:
    """The leader too: it may not lead yet."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(ProcessLookupError):
            kill(leader, signal.SIGKILL)


def main(program: str, control_file: str, namespaces: str = "own") -> None:
    """Load, say whether that worked, and serve; with the starter's network where `namespaces` is `shared`."""
    control = socket.socket(fileno=int(control_file))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        module = load_program(program)
        module.preload()
    except EnvironmentLacks as lacks:
        send_message(control, {"lacks": str(lacks)})
        return
    except Exception:  # noqa: BLE001 (a process boundary: the parent raises it)
        send_message(control, {"broken": traceback.format_exc()})
        return
    isolated = namespaces != SHARED and isolate_from_network()
    gc.collect()
    gc.freeze()
    send_message(control, {"ready": True, "isolated": isolated})
    Zygote(control, module).serve()


if __name__ == "__main__":
    main(*sys.argv[1:])
