"""How a worker ended, in figures and in one sentence a person can act on."""

import platform
import re
from dataclasses import dataclass

from cudamaster.toolchain.worker.syscalls import denied_name

OUT_OF_MEMORY = re.compile(
    r"bad_alloc|out of memory|[Cc]annot allocate memory|MemoryError|LLVM ERROR: .*alloc"
)
DENIED_CALL = re.compile(r"^system call (\d{1,4}) is denied$", re.MULTILINE)
GIB = 1 << 30


def printable(text: str) -> str:
    """`text` of a worker with `?` for what a terminal or a file may not take: control characters, surrogates.

    Line breaks and tabs stay.
    """
    return "".join(c if c.isprintable() or c in "\n\t" else "?" for c in text)


@dataclass(frozen=True, slots=True)
class WorkerEnd:
    """A worker that will answer no more, and why."""

    exit_code: int | None
    """What it exited with; None where a signal or the trusted side ended it."""
    signal_name: str | None
    """Such as `SIGSEGV`."""
    timed_out: bool
    """Whether the trusted side ended it because its time was up."""
    forged: bool
    """Whether the trusted side ended it because it sent bytes that are no message."""
    printed: str
    """What it printed, bounded."""
    peak_bytes: int
    """Largest resident size."""
    memory_bytes: int
    """Its limit."""
    limit_seconds: float
    """The time it had for the last request."""
    computed: bool = False
    """Whether that is what it might compute, not what it might take."""

    @property
    def reason(self) -> str:
        """One sentence about the entry that was being called."""
        limit = f"(limit {self.memory_bytes / GIB:.3g} GiB)"
        if self.timed_out and self.computed:
            return f"the call did not end within {self.limit_seconds:g} s of processor time"
        if self.timed_out:
            return f"the call did not end within {round(self.limit_seconds, 1):g} s"
        if self.forged:
            return "the entry wrote into the harness's own channel"
        if OUT_OF_MEMORY.search(self.printed):
            return f"host code of the entry ran out of memory {limit}"
        if self.signal_name == "SIGKILL":
            return f"the system killed the process, probably for its memory {limit}"
        if self.signal_name == "SIGXCPU":
            return "the entry used up its processor time"
        if self.signal_name == "SIGSYS":
            return f"the entry tried {self._denied_call}, which none may"
        if self.signal_name:
            return f"the entry crashed with {self.signal_name}{self._last_words}"
        return f"the entry ended the process with exit({self.exit_code}){self._last_words}"

    @property
    def _denied_call(self) -> str:
        """What it tried; the native library of a guest prints the number of a call that was caught."""
        found = DENIED_CALL.search(self.printed)
        name = denied_name(int(found[1]), platform.machine()) if found else None
        return f"the system call {name}" if name else "to start a process or a program (fork, clone, execve)"

    @property
    def _last_words(self) -> str:
        lines = [line.strip() for line in self.printed.splitlines() if line.strip()]
        return f' after printing "{printable(lines[-1][:200])}"' if lines else ""
