"""A guest: the process in which a worker has code run that could overwrite what the worker counts.

A worker forks its guest before it gives its rights up; both give up the same. The guest has no way to the
trusted side but through its worker, and ends with it; a worker whose guest ends does so in the same way.
"""

import contextlib
import ctypes
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from cudamaster.toolchain.worker.hardening import PR_SET_PDEATHSIG
from cudamaster.toolchain.worker.seccomp import NoFilter, end_who_starts_processes
from cudamaster.toolchain.worker.wire import ConnectionEnded, Message, MessageBuffer, WireBroken, send_message

LINK = 3
"""The link's file number in the guest; the worker's own channel has the same number in the worker."""
BROKEN = 97
"""Exit code where the guest's program failed outside the code it runs."""
BUSY_SECONDS = 10.0
"""Processor time that a guest may take before it says anything: honest host code takes milliseconds."""
LOOK_SECONDS = 0.5
"""How often its worker looks, while it waits, how much that was."""
DYING_SECONDS = 2.0
"""How long a guest may take to die after it let go of the link."""

PROCESSOR_CLOCK = 2
"""Together with a process number, a clock of its processor time: `CPUCLOCK_SCHED` of Linux."""

Serve = Callable[[socket.socket], None]
"""What a guest does until its worker is gone."""


class GuestForged(Exception):
    """A guest that sent what its program would not have sent, or let go of the link on purpose."""


class GuestBusy(Exception):
    """A guest that has computed for too long, and said nothing; the message has the time."""


class Guest:
    """The worker's side of a guest. One thread at a time."""

    def __init__(self, process: int, link: socket.socket, busy_seconds: float) -> None:
        self._process, self._link, self._busy_seconds = process, link, busy_seconds
        self._clock = ~process << 3 | PROCESSOR_CLOCK
        self._buffer = MessageBuffer()

    def send(self, message: Mapping[str, Any]) -> None:
        """Tell the guest; ends as the guest ended where it has."""
        try:
            send_message(self._link, message)
        except ConnectionEnded:
            self._follow()

    def receive(self) -> Message:
        """The guest's next message; ends as the guest ended where it has. Raises GuestForged, GuestBusy."""
        try:
            while True:
                self._await_bytes()
                chunk = self._link.recv(1 << 18)
                if not chunk:
                    self._follow()
                if (message := self._buffer.feed(chunk)) is not None:
                    return message
        except ConnectionResetError:
            self._follow()
        except WireBroken as broken:
            raise GuestForged(str(broken)) from broken

    def _await_bytes(self) -> None:
        """Wait until the link can be read."""
        begun = time.clock_gettime(self._clock)
        while not select.select([self._link], [], [], LOOK_SECONDS)[0]:
            if time.clock_gettime(self._clock) - begun > self._busy_seconds:
                raise GuestBusy(f"{self._busy_seconds:g} s of processor time")

    def _follow(self) -> NoReturn:
        deadline = time.monotonic() + DYING_SECONDS
        process, status = os.waitpid(self._process, os.WNOHANG)
        while not process and time.monotonic() < deadline:
            time.sleep(0.002)
            process, status = os.waitpid(self._process, os.WNOHANG)
        if not process:
            raise GuestForged("the link was closed")
        _end_with(os.waitstatus_to_exitcode(status))


def fork_guest(serve: Serve, harden: Callable[[], None], busy_seconds: float = BUSY_SECONDS) -> Guest:
    """Fork a guest that gives its rights up with `harden` and then does `serve`.

    It may take so much processor time before it says anything.
    """
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    process = os.fork()
    if process == 0:
        _become_guest(serve, harden, theirs, parent)
    theirs.close()
    return Guest(process, ours, busy_seconds)


def _become_guest(serve: Serve, harden: Callable[[], None], link: socket.socket, parent: int) -> NoReturn:
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
        if os.getppid() != parent:
            os._exit(1)
        os.dup2(link.fileno(), LINK, inheritable=False)
        os.closerange(LINK + 1, os.sysconf("SC_OPEN_MAX"))
        with contextlib.suppress(NoFilter):  # the worker says so, unless it is to go without
            end_who_starts_processes()
        harden()
        serve(socket.socket(fileno=LINK))
    except BaseException:  # noqa: BLE001 (a process boundary: nothing may return into the worker's code)
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(BROKEN)
    os._exit(0)


def _end_with(code: int) -> NoReturn:
    """End this process as another one did that `os.waitstatus_to_exitcode` says this of."""
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(abs(code))
