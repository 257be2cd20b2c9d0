"""Runs a command within bounds of time, memory and output, and says how it ended.

The command leads a process group of its own, which is killed whole when the command ends, when its time is
up, and when this process ends, by whatever signal.
What it may see and touch is restricted where its caller says how and the kernel can.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from cudamaster.toolchain.processor_time import used_seconds
from cudamaster.toolchain.worker.landlock import Confinement, confine
from cudamaster.toolchain.worker.seccomp import forbid_new_privileges

MIB = 1 << 20
LOOK_SECONDS = 0.5
"""How often is asked how much of a processor a command has used, where that is limited."""
DRAIN_SECONDS = 1.0
"""How long output is read after the command ended; only a process that left the group holds it open."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What a command may use."""

    seconds: float
    """Wall time, and processor time of each process."""
    memory_bytes: int
    """Address space of each process."""
    output_bytes: int = 64 * 1024
    """Kept bytes of standard output and error together; what follows is dropped."""
    file_bytes: int = 256 * MIB
    """Size of the largest file that may be written."""
    processor_seconds: float | None = None
    """Of a processor, by the command and all that it starts together; None for as many as `seconds` allow."""


@dataclass(frozen=True, slots=True)
class ProcessResult:
    """How a command ended; exactly one of `exit_code`, `signal_name` and `timed_out` says so."""

    exit_code: int | None
    signal_name: str | None
    """Such as `SIGSEGV`; None where it exited by itself or its time was up."""
    timed_out: bool
    """Whether its time was up, of the clock or of a processor."""
    output: str
    """Standard output and error in the order written."""
    truncated: bool
    """Whether some output was dropped."""
    seconds: float
    """Wall time."""
    processor_seconds: float
    """Of the command and of what it started and waited for."""
    overran_processor: bool = False
    """Whether it was a processor's time that was up."""

    @property
    def ok(self) -> bool:
        """Whether it exited with 0."""
        return self.exit_code == 0


def run_bounded(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    limits: ProcessLimits,
    confinement: Confinement | None = None,
) -> ProcessResult:
    """Run `command` in `folder` with exactly `environment` and no input.

    With a `confinement` it opens nothing else, `/dev/null` included; a kernel without Landlock ignores it.
    Raises OSError where the kernel refuses the confinement.
    """
    started, overran = time.monotonic(), False
    process = _started([*_limited(limits), *command], folder, environment, confinement)
    try:
        with _outlived_by_none(process.pid):
            _let_begin(process)
            output, overran = _collect(process, started + limits.seconds, limits)
    finally:
        timed_out, processor_seconds = _end(process)
    result = _result(
        process.returncode,
        timed_out,
        output,
        limits.output_bytes,
        (time.monotonic() - started, processor_seconds),
    )
    return replace(result, overran_processor=timed_out and overran)


def _started(
    command: list[str], folder: Path, environment: Mapping[str, str], confinement: Confinement | None
) -> subprocess.Popen[bytes]:
    """The command, from a thread that confines itself first: what a thread gave up, its programs lack too.

    No code of ours runs between fork and exec that way, which is not safe beside other threads.
    """

    def start() -> subprocess.Popen[bytes]:
        if confinement is not None:
            forbid_new_privileges()
            confine(confinement)
        return subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    with ThreadPoolExecutor(1, "start-command") as thread:
        return thread.submit(start).result()


def _let_begin(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as line:
        line.write(b"begin\n")


@contextlib.contextmanager
def _outlived_by_none(leader: int) -> Iterator[None]:
    """A shell kills the group should this process end within the block, which closes what the shell reads.

    What the kernel would kill with its parent (PR_SET_PDEATHSIG) is the leader alone, and with the thread.
    """
    watcher = subprocess.Popen(
        ["/bin/sh", "-c", 'read -r _ || kill -s KILL -- "-$1"', "sh", str(leader)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        watcher.communicate(b"ended\n")


def _limited(limits: ProcessLimits) -> list[str]:
    """A shell that lowers its own limits, waits for a line and becomes the command, which has no other input.

    Safe to start from any thread.
    """
    lowered = {
        "-c": 0,
        "-v": limits.memory_bytes // 1024,
        "-f": limits.file_bytes // 512,
        "-t": int(limits.processor_seconds or limits.seconds) + 1,
    }
    ulimits = " && ".join(f"ulimit {flag} {value}" for flag, value in lowered.items())
    return ["/bin/sh", "-c", f'{ulimits} && read -r _ && exec "$@"', "sh"]


def _collect(
    process: subprocess.Popen[bytes], deadline: float, limits: ProcessLimits
) -> tuple[bytearray, bool]:
    """Read until the command has ended and all it wrote is read, or its time is up; a byte more than kept.

    And whether it was its time of a processor.
    """
    assert process.stdout is not None
    kept, overran, most = bytearray(), False, limits.processor_seconds
    ended = os.pidfd_open(process.pid)
    try:
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            selector.register(ended, selectors.EVENT_READ)
            while selector.get_map() and (left := deadline - time.monotonic()) > 0 and not overran:
                for ready in [key.fileobj for key, _ in selector.select(min(left, LOOK_SECONDS))]:
                    if ready == ended:
                        _kill_group(process.pid)
                        deadline = min(deadline, time.monotonic() + DRAIN_SECONDS)
                    elif chunk := os.read(process.stdout.fileno(), 1 << 16):
                        kept += chunk[: limits.output_bytes + 1 - len(kept)]
                        continue
                    selector.unregister(ready)
                overran = most is not None and used_seconds(process.pid) > most
    finally:
        os.close(ended)
    return kept, overran


def _end(process: subprocess.Popen[bytes]) -> tuple[bool, float]:
    """Kill what is left of the group, then collect the leader; whether it had to be killed, and its seconds.

    The leader is collected last, so that its number still names the group.
    """
    running = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    _kill_group(process.pid)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.stdout is not None
    process.stdout.close()
    return running, usage.ru_utime + usage.ru_stime


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def _result(
    code: int, timed_out: bool, output: bytearray, kept: int, seconds: tuple[float, float]
) -> ProcessResult:
    died = code < 0 and not timed_out
    return ProcessResult(
        exit_code=None if died or timed_out else code,
        signal_name=signal.Signals(-code).name if died else None,
        timed_out=timed_out,
        output=output[:kept].decode(errors="replace"),
        truncated=len(output) > kept,
        seconds=seconds[0],
        processor_seconds=seconds[1],
    )
