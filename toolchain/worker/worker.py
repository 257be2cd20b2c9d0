"""The trusted side of one worker: ask, wait no longer than allowed, and say how it ended if it did."""

import contextlib
import math
import os
import secrets
import select
import selectors
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from cudamaster.toolchain.crowd import MOST_SLOWED, MOST_STARVED, waited_seconds
from cudamaster.toolchain.errors import EnvironmentLacks, WorkerBroken
from cudamaster.toolchain.processor_time import used_by_threads, used_seconds
from cudamaster.toolchain.worker.ending import WorkerEnd
from cudamaster.toolchain.worker.hardening import WorkerLimits
from cudamaster.toolchain.worker.wire import (
    ConnectionEnded,
    Message,
    MessageBuffer,
    WireBroken,
    receive_message,
    send_message,
)

PRINTED_BYTES = 64 * 1024
DYING_SECONDS = 2.0
"""How long a process may take to die after it let go of its channel; a living one closed it on purpose."""
LOOK_SECONDS = 1.0
"""How often is asked whether a call's time is up: not the clock alone says it."""
REPORT_SECONDS = 60.0
"""How long the zygote may take to report a death: a driver first ends what a killed process left on a GPU."""

Answer = Callable[[Any, float], Mapping[str, Any]]
"""Answers a question, which is the worker's word only, within so many seconds; must not raise."""


class Worker:
    """One child process. Calls from several threads wait for each other."""

    def __init__(
        self, handle: int, channel: socket.socket, report: socket.socket, printed: int, limits: WorkerLimits
    ) -> None:
        self.limits = limits
        self.end: WorkerEnd | None = None
        """How it ended; None while it lives."""
        self._handle, self._channel, self._report, self._pipe = handle, channel, report, printed
        self._printed = bytearray()
        self._lock = threading.Lock()
        self._handle_lock = threading.Lock()
        os.set_blocking(printed, False)

    def call(
        self,
        request: Mapping[str, Any],
        files: Sequence[int] = (),
        *,
        seconds: float,
        crowd: Callable[[], float] | None = None,
        processor_seconds: float = math.inf,
        answer: Answer | None = None,
    ) -> Message | WorkerEnd:
        """The reply to `request`, or how the worker ended instead; then every later call returns that.

        What the worker asks meanwhile, `answer` answers; without it a question counts as the reply.
        The worker is killed, with all it started, when `seconds` of wall time are over; with a `crowd`, when
        as many times as many are as that then says, and as many more as it waited for a processor, but no
        more where it has used what processor time it can have needed. Where it computes for more than
        `processor_seconds`, whatever the clock says, it is killed too. What is in a reply is the worker's
        word only. Raises WorkerBroken where the zygote died.
        """
        with self._lock:
            if self.end is not None:
                return self.end
            self._printed.clear()
            self._channel.settimeout(seconds)
            token, limit = secrets.token_hex(8), _Limit(seconds, crowd, self._handle, processor_seconds)
            try:
                send_message(self._channel, {**request, "token": token}, files)
                return self._reply(token, limit, answer)
            except (ConnectionEnded, ConnectionResetError):
                return self._collect(seconds)
            except TimeoutError:
                return self._collect(limit.seconds, timed_out=True, computed=limit.has_computed)
            except WireBroken:
                return self._collect(seconds, forged=True)
            except KeyboardInterrupt:
                self._collect(seconds, timed_out=True)
                raise

    def wait_until_ready(self, seconds: float) -> None:
        """Wait for the child to have hardened itself.

        Raises EnvironmentLacks, with its word for why this machine cannot, and WorkerBroken where it broke.
        """
        self._channel.settimeout(seconds)
        try:
            message, _ = receive_message(self._channel)
        except (ConnectionEnded, TimeoutError) as failure:
            self.close()
            raise WorkerBroken(f"a worker could not be prepared:\n{self.printed}") from failure
        if "lacks" in message:
            self.close()
            raise EnvironmentLacks(str(message["lacks"]))

    def kill(self) -> None:
        """End it now, whatever it is doing; harmless when it has ended."""
        with self._handle_lock, contextlib.suppress(OSError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def close(self) -> None:
        """End it and wait until nothing of it is left."""
        self.kill()
        with self._lock:
            if self.end is None:
                self._collect(0.0, timed_out=True)

    @property
    def printed(self) -> str:
        """What it printed during the last call, at most 64 KiB."""
        return self._printed.decode(errors="replace")

    def _reply(self, token: str, limit: "_Limit", answer: Answer | None) -> Message:
        """The next message that is no question."""
        while True:
            message = _with_token(token, self._wait(limit))
            if answer is None or "ask" not in message:
                return message
            begun = time.monotonic()
            send_message(self._channel, answer(message["ask"], limit.left()))
            limit.excuse(time.monotonic() - begun)

    def _wait(self, limit: "_Limit") -> Message:
        buffer = MessageBuffer()
        with selectors.DefaultSelector() as selector:
            selector.register(self._channel, selectors.EVENT_READ)
            selector.register(self._pipe, selectors.EVENT_READ)
            while (left := limit.left()) > 0:
                for key, _ in selector.select(min(left, LOOK_SECONDS)):
                    if key.fileobj is self._channel:
                        if (message := buffer.feed(self._received())) is not None:
                            self._drain()
                            return message
                    elif not self._drain():
                        selector.unregister(self._pipe)
        raise TimeoutError(f"no reply within {limit.seconds} s")

    def _received(self) -> bytes:
        chunk = self._channel.recv(1 << 18)
        if not chunk:
            raise ConnectionEnded
        return chunk

    def _drain(self) -> bool:
        """Read what is printed, keep the first 64 KiB; False when nobody can print any more."""
        while True:
            try:
                chunk = os.read(self._pipe, 1 << 16)
            except BlockingIOError:
                return True
            if not chunk:
                return False
            self._printed += chunk[: PRINTED_BYTES - len(self._printed)]
            if len(self._printed) == PRINTED_BYTES:
                return True

    def _ends_within(self, seconds: float) -> bool:
        """Whether the process ends by itself in this time."""
        waiting = select.poll()  # `select` knows no descriptor above 1023
        waiting.register(self._handle, select.POLLIN)
        return bool(waiting.poll(1000 * seconds))

    def _collect(
        self, seconds: float, timed_out: bool = False, forged: bool = False, computed: bool = False
    ) -> WorkerEnd:
        """Make sure it is dead, take the zygote's report and close everything."""
        ended = self._ends_within(0.0 if timed_out or forged else DYING_SECONDS)
        self.kill()
        report = self._reported()
        self._drain()
        by_itself = ended and not timed_out and not forged
        number = int(report["signal"]) if by_itself and report else 0
        self.end = WorkerEnd(
            exit_code=report["exit_code"] if by_itself and report else None,
            signal_name=signal.Signals(number).name if number else None,
            timed_out=timed_out,
            forged=not timed_out and not by_itself,
            printed=self.printed,
            peak_bytes=int(report["peak_bytes"]) if report else 0,
            memory_bytes=self.limits.memory_bytes,
            limit_seconds=seconds,
            computed=computed,
        )
        self._close_files()
        if report is None:
            raise WorkerBroken("the process that starts workers died")
        return self.end

    def _reported(self) -> Message | None:
        """What the zygote says of the death; None where it died itself, and its children with it."""
        self._report.settimeout(REPORT_SECONDS)
        try:
            return receive_message(self._report)[0]
        except (ConnectionEnded, OSError):
            return None

    def _close_files(self) -> None:
        self._channel.close()
        self._report.close()
        os.close(self._pipe)
        with self._handle_lock:
            os.close(self._handle)
            self._handle = -1


class _Limit:
    """How long a call may take, from now on."""

    def __init__(
        self, seconds: float, crowd: Callable[[], float] | None, handle: int, processor_seconds: float
    ) -> None:
        self.seconds, self._processor_seconds = seconds, processor_seconds
        self.has_computed = False
        """Whether it is over for what was computed, whatever the clock says."""
        self._alone, self._crowd, self._begun = seconds, crowd, time.monotonic()
        self._process = _number_of(handle) if crowd else 0
        self._waited_before = waited_seconds(self._process) if crowd else {}
        self._used_before = _Used.of(self._process) if crowd else _Used(0.0, {})

    def left(self) -> float:
        """Seconds of it that are left; how busy the machine is counts once it would be over."""
        passed = time.monotonic() - self._begun
        if self._crowd and passed > self._processor_seconds and self._computed() > self._processor_seconds:
            self.seconds, self.has_computed = self._processor_seconds, True
            return 0.0
        if passed >= self.seconds and self._crowd:
            with_starving = min(self._alone + self._starved(), MOST_STARVED * self._alone)
            self.seconds = max(self.seconds, self._alone * self._crowd(), with_starving)
        if passed > self._alone and self._has_used_enough():
            self.seconds = round(passed, 1)
            return 0.0
        return self.seconds - passed

    def _has_used_enough(self) -> bool:
        """Whether it would have taken too long alone too."""
        return bool(self._crowd) and self._computed() > MOST_SLOWED * self._alone

    def _computed(self) -> float:
        """Seconds that it would have taken at least, alone."""
        return _Used.of(self._process).seconds_alone(self._used_before)

    def _starved(self) -> float:
        """How long the thread that waited most for a processor did."""
        waits = waited_seconds(self._process)
        return max((now - self._waited_before.get(thread, 0.0) for thread, now in waits.items()), default=0.0)

    def excuse(self, answering_seconds: float) -> None:
        """Answering took so long, by no fault of the worker's as far as it would have been shorter alone."""
        if self._crowd:
            self._alone += answering_seconds * (1 - 1 / self._crowd())
            self.seconds = max(self.seconds, self._alone)


class _Used(NamedTuple):
    """What a worker and its guest have used of a processor."""

    seconds: float
    threads: Mapping[tuple[int, str], float]

    @classmethod
    def of(cls, process: int) -> "_Used":
        return cls(used_seconds(process), used_by_threads(process))

    def seconds_alone(self, before: "_Used") -> float:
        """Wall time since then that it takes at least: its processes wait for each other, not its threads."""
        busiest: dict[int, float] = {}
        for (process, thread), now in self.threads.items():
            grown = now - before.threads.get((process, thread), 0.0)
            busiest[process] = max(grown, busiest.get(process, 0.0))
        shared = (self.seconds - before.seconds) / len(os.sched_getaffinity(0))
        return max(shared, sum(busiest.values()))


def _number_of(handle: int) -> int:
    """The process that a handle stands for; -1 where it has ended, or cannot be seen."""
    told = Path(f"/proc/self/fdinfo/{handle}").read_text()
    return next((int(line.split()[1]) for line in told.splitlines() if line.startswith("Pid:")), -1)


def _with_token(token: str, reply: Message) -> Message:
    """The reply without its token. Raises WireBroken for another request's, or a made-up one."""
    if reply.pop("token", None) != token:
        raise WireBroken("a reply to no request")
    return reply
