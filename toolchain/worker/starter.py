"""Starts workers: the trusted side of the zygote, which is started when the first worker is asked for."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from cudamaster.toolchain.cache import cache_folder
from cudamaster.toolchain.errors import EnvironmentLacks, ToolchainError, WorkerBroken
from cudamaster.toolchain.worker.hardening import FILTER, SHARED, UNFILTERED, WorkerLimits, may_go_unfiltered
from cudamaster.toolchain.worker.wire import ConnectionEnded, WireBroken, receive_message, send_message
from cudamaster.toolchain.worker.worker import Worker

START_SECONDS = 180.0
"""The zygote's first start may compile native code."""
CHILD_SECONDS = 30.0
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "HOME", "TMPDIR", "CUDAMASTER_CPU")
"""All that the zygote sees of this process's environment: no keys, no proxies."""

NO_FILTER = (
    "this machine cannot keep kernels' host code from its other processes and files ({}); run it where "
    f"seccomp filters are allowed, or set {UNFILTERED}=1 to run kernels that you trust"
)
GOING_WITHOUT = f"kernels run without a system-call filter ({{}}), as {UNFILTERED} allows"


class _Running(NamedTuple):
    process: subprocess.Popen[bytes]
    control: socket.socket
    log: int
    owner: int
    """The process that started it; a forked copy of that process must not use it."""


class WorkerStarter:
    """Starts workers that run one program (a module's name). Any thread may call any method.

    The program sees `variables` in its environment until its workers give their rights up. They have an
    empty network of their own, where the system lets them and unless they are to have ours.
    """

    def __init__(
        self, program: str, variables: Mapping[str, str] | None = None, *, own_namespaces: bool = True
    ) -> None:
        self.program = program
        self._own_namespaces = own_namespaces
        self._variables = dict(variables or {})
        self._running: _Running | None = None
        self._closed = False
        self._told = False
        self._lock = threading.Lock()

    def start(self, limits: WorkerLimits) -> Worker:
        """A hardened child, ready to be called.

        Raises EnvironmentLacks for what the program says the machine lacks and where it has no system-call
        filter, unless CUDAMASTER_UNFILTERED is set; WorkerBroken where it fails.
        """
        with self._lock:
            self._closed = False
            running = self._zygote()
            try:
                return self._hardened(running.control, limits)
            except (ConnectionEnded, WireBroken, OSError) as failure:
                words = _log(running.log)
                self._stop()
                raise WorkerBroken(f"no worker could be started: {failure}\n{words}") from failure

    def _hardened(self, control: socket.socket, limits: WorkerLimits) -> Worker:
        try:
            return _fork(control, limits)
        except EnvironmentLacks as lack:
            if not may_go_unfiltered():
                raise EnvironmentLacks(NO_FILTER.format(lack)) from lack
            if not self._told:
                print(GOING_WITHOUT.format(lack), file=sys.stderr, flush=True)
            self._told = True
            return _fork(control, replace(limits, left_out=(*limits.left_out, FILTER)))

    def warm(self) -> None:
        """Start the zygote in the background, so that the first worker need not wait for it."""
        if self._running is None:
            threading.Thread(target=self._start_quietly, daemon=True).start()

    def close(self) -> None:
        """End the zygote and all its workers."""
        with self._lock:
            self._closed = True
            self._stop()

    def _start_quietly(self) -> None:
        """What goes wrong here goes wrong again, and is told, when the first worker is asked for."""
        with self._lock, contextlib.suppress(ToolchainError):
            if not self._closed:
                self._zygote()

    def _zygote(self) -> _Running:
        running = self._running
        if running and (running.owner != os.getpid() or running.process.poll() is not None):
            self._stop()
        if self._running is None:
            self._running = _start_zygote(self.program, self._variables, self._own_namespaces)
            try:
                _check_ready(self._running)
            except BaseException:
                self._stop()
                raise
        return self._running

    def _stop(self) -> None:
        running, self._running = self._running, None
        if running is None:
            return
        running.control.close()
        os.close(running.log)
        if running.owner == os.getpid():
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.process.wait(CHILD_SECONDS)
            running.process.kill()
            running.process.wait()


def _start_zygote(program: str, variables: Mapping[str, str], own_namespaces: bool) -> _Running:
    ours, theirs = socket.socketpair()
    log = os.memfd_create("zygote-log")
    arguments = [program, str(theirs.fileno()), *([] if own_namespaces else [SHARED])]
    process = subprocess.Popen(
        [sys.executable, "-m", "cudamaster.toolchain.worker.zygote", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env={**_environment(), **variables},
        pass_fds=[theirs.fileno()],
        start_new_session=True,
    )
    theirs.close()
    return _Running(process, ours, log, os.getpid())


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    one_thread = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL")}
    paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
    return {**kept, **one_thread, "PYTHONPATH": paths, "CUDAMASTER_CACHE_DIR": str(cache_folder())}


def _check_ready(running: _Running) -> None:
    running.control.settimeout(START_SECONDS)
    try:
        message, _ = receive_message(running.control)
    except (ConnectionEnded, TimeoutError) as failure:
        raise WorkerBroken(f"the zygote did not start:\n{_log(running.log)}") from failure
    if "lacks" in message:
        raise EnvironmentLacks(message["lacks"])
    if "broken" in message:
        raise WorkerBroken(f"the zygote did not start:\n{message['broken']}")


def _fork(control: socket.socket, limits: WorkerLimits) -> Worker:
    channel, its_channel = socket.socketpair()
    report, its_report = socket.socketpair()
    printed, its_printed = os.pipe2(os.O_CLOEXEC)
    control.settimeout(CHILD_SECONDS)
    try:
        files = [its_channel.fileno(), its_report.fileno(), its_printed]
        send_message(control, {"limits": dict(limits.as_json())}, files)
        _, (handle,) = receive_message(control)
    except BaseException:
        channel.close()
        report.close()
        os.close(printed)
        raise
    finally:
        its_channel.close()
        its_report.close()
        os.close(its_printed)
    worker = Worker(handle, channel, report, printed, limits)
    worker.wait_until_ready(CHILD_SECONDS)
    return worker


def _log(file: int) -> str:
    return os.pread(file, 1 << 16, 0).decode(errors="replace")
