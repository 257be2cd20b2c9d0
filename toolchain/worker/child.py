"""A worker's process: hardens itself, then answers requests until it dies. It never returns to the zygote."""

import fcntl
import functools
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from cudamaster.toolchain.errors import ToolchainError
from cudamaster.toolchain.worker.guest import GuestForged
from cudamaster.toolchain.worker.hardening import WorkerLimits, follow_parent, harden
from cudamaster.toolchain.worker.program import Program, ProgramModule
from cudamaster.toolchain.worker.seccomp import NoFilter
from cudamaster.toolchain.worker.wire import ConnectionEnded, receive_message, send_message

CHANNEL = 3
"""The channel's file number in the child; 0 to 2 are the null device and what is printed."""
NO_MESSAGE = b"\xff" * 8
"""What the trusted side takes for the word of somebody who is not our program."""
ANSWERED_AND_DONE = 0
OUR_OWN_FAULT = 97
"""Exit code where the worker broke; the trusted side believes it only before any candidate code ran."""


def run_child(
    module: ProgramModule, limits: WorkerLimits, channel: int, printed: int, parent: int
) -> NoReturn:
    """Become a worker; `parent` is the zygote's process number."""
    try:
        follow_parent(parent)
        connection = _keep_only(channel, printed)
        _restore_signals()
        give_up = functools.partial(harden, limits, interpreter_paths())
        prepared = module.prepare(give_up)
        _tell_a_lack(give_up, connection)
        line = _Line(connection)
        program = module.open_program(line.ask, prepared)
        send_message(connection, {"ready": True})
        _answer(program, line)
    except ToolchainError as failure:
        print(failure, file=sys.stderr, flush=True)
        os._exit(OUR_OWN_FAULT)
    except BaseException:  # noqa: BLE001 (a process boundary: nothing may return into the zygote's loop)
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(OUR_OWN_FAULT)
    os._exit(ANSWERED_AND_DONE)


def _tell_a_lack(give_up: Callable[[], None], connection: socket.socket) -> None:
    """Harden this process, or say why the machine cannot and end."""
    try:
        give_up()
    except NoFilter as lack:
        send_message(connection, {"lacks": lack.strerror or str(lack)})
        os._exit(OUR_OWN_FAULT)


def interpreter_paths() -> list[str]:
    """Where the interpreter, this package and those that are loaded may still have to be read from."""
    package = Path(__file__).resolve().parents[1]
    return [sys.prefix, sys.base_prefix, str(package), *_packages_elsewhere()]


def _packages_elsewhere() -> Iterator[str]:
    """Packages outside the interpreter's installation, as `pip install --user` has them, and their libraries.

    Parts of a package may be imported, or its libraries loaded, when they are first used.
    """
    for name, module in list(sys.modules.items()):
        for folder in getattr(module, "__path__", ()) if "." not in name else ():
            if not Path(folder).is_relative_to(sys.prefix) and not Path(folder).is_relative_to(
                sys.base_prefix
            ):
                yield from (folder, f"{folder}.libs")


def _keep_only(channel: int, printed: int) -> socket.socket:
    """The channel, with every other open file of the zygote closed."""
    channel, printed, null = (
        _moved_up(file) for file in (channel, printed, os.open(os.devnull, os.O_RDONLY))
    )
    for source, target in ((null, 0), (printed, 1), (printed, 2), (channel, CHANNEL)):
        os.dup2(source, target, inheritable=False)
    os.closerange(CHANNEL + 1, os.sysconf("SC_OPEN_MAX"))
    return socket.socket(fileno=CHANNEL)


def _moved_up(file: int) -> int:
    """A copy whose number is out of the way of 0 to 3."""
    return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 16)


def _restore_signals() -> None:
    """SIGXFSZ stays ignored, as Python has it: a refused write is enough."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


class _Line:
    """The connection, with the token of the request in hand."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.token = ""
        self._lock = threading.Lock()

    def say(self, message: Mapping[str, Any]) -> None:
        """Send what belongs to the request in hand."""
        send_message(self.connection, {**message, "token": self.token})

    def ask(self, question: Mapping[str, Any]) -> Mapping[str, Any]:
        """Ask the trusted side, which reads nothing else from here meanwhile."""
        with self._lock:
            self.say({"ask": dict(question)})
            return receive_message(self.connection)[0]


def _answer(program: Program, line: _Line) -> None:
    while True:
        try:
            request, files = receive_message(line.connection)
        except ConnectionEnded:
            return
        line.token = request.pop("token")
        try:
            line.say(_reply(program, request, files))
        except GuestForged:
            line.connection.sendall(NO_MESSAGE)


def _reply(program: Program, request: dict[str, Any], files: list[int]) -> dict[str, Any]:
    """What the program answers, or our own fault in words."""
    try:
        return {"answer": dict(program.answer(request, files))}
    except GuestForged:
        raise
    except MemoryError:
        return {"out_of_memory": True}
    except Exception:  # noqa: BLE001 (a process boundary: the parent raises it)
        return {"broken": traceback.format_exc()}
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
