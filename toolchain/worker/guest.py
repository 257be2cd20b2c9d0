"""A guest: the process in which a worker has code run that could overwrite what the worker counts.

A worker forks its guest before it gives its rights up; both give up the same. The guest has no way to the
trusted side but through its worker, and ends with it; a worker whose guest ends does so in the same way.
"""

import ctypes
import os
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from cudamaster.toolchain.worker.hardening import PR_SET_PDEATHSIG
from cudamaster.toolchain.worker.seccomp import end_who_starts_processes
from cudamaster.toolchain.worker.wire import ConnectionEnded, Message, MessageBuffer, WireBroken, send_message

LINK = 3
"""The link's file number in the guest; the worker's own channel has the same number in the worker."""
BROKEN = 97
"""Exit code where the guest's program failed outside the code it runs."""
DYING_SECONDS = 2.0
"""How long a guest may take to die after it let go of the link."""

Serve = Callable[[socket.socket], None]
"""What a guest does until its worker is gone."""


class GuestForged(Exception):
    """A guest that sent what its program would not have sent, or let go of the link on purpose."""


class Guest:
    """The worker's side of a guest. One thread at a time."""

    def __init__(self, process: int, link: socket.socket) -> None:
        self._process, self._link = process, link
        self._buffer = MessageBuffer()

    def send(self, message: Mapping[str, Any]) -> None:
        """Tell the guest; ends as the guest ended where it has."""
        try:
            send_message(self._link, message)
        except ConnectionEnded:
            self._follow()

    def receive(self) -> Message:
        """The guest's next message; ends as the guest ended where it has. Raises GuestForged."""
        try:
            while True:
                chunk = self._link.recv(1 << 18)
                if not chunk:
                    self._follow()
                if (message := self._buffer.feed(chunk)) is not None:
                    return message
        except ConnectionResetError:
            self._follow()
        except WireBroken as broken:
            raise GuestForged(str(broken)) from broken

    def _follow(self) -> NoReturn:
        deadline = time.monotonic() + DYING_SECONDS
        process, status = os.waitpid(self._process, os.WNOHANG)
        while not process and time.monotonic() < deadline:
            time.sleep(0.002)
            process, status = os.waitpid(self._process, os.WNOHANG)
        if not process:
            raise GuestForged("the link was closed")
        _end_with(os.waitstatus_to_exitcode(status))


def fork_guest(serve: Serve, harden: Callable[[], None]) -> Guest:
    """Fork a guest that gives its rights up with `harden` and then does `serve`."""
    ours, theirs = socket.socketpair()
    parent = os.getpid()
    process = os.fork()
    if process == 0:
        _become_guest(serve, harden, theirs, parent)
    theirs.close()
    return Guest(process, ours)


def _become_guest(serve: Serve, harden: Callable[[], None], link: socket.socket, parent: int) -> NoReturn:
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL))
        if os.getppid() != parent:
            os._exit(1)
        os.dup2(link.fileno(), LINK, inheritable=False)
        os.closerange(LINK + 1, os.sysconf("SC_OPEN_MAX"))
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
