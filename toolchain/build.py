"""The outcome of compiling a kernel, failed or not."""

from dataclasses import dataclass
from pathlib import Path

from cudamaster.toolchain.kernel import KernelSource


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message of the compiler, placed in the candidate's source."""

    severity: str
    """`error` or `warning`."""
    message: str
    """The compiler's own words, one line."""
    line: int | None
    """1-based line of the candidate's source; None where the message has no place in it."""
    filename: str = "kernel.cu"
    """The file the line belongs to."""

    def __str__(self) -> str:
        """`kernel.cu:12: error: words`."""
        place = f"{self.filename}:{self.line}" if self.line else self.filename
        return f"{place}: {self.severity}: {self.message}"


@dataclass(frozen=True, slots=True)
class KernelResources:
    """What ptxas reports for one `__global__` function (`-Xptxas -v`)."""

    name: str
    """Mangled name, as in the PTX."""
    registers: int
    """32-bit registers a thread."""
    shared_bytes: int
    """Static shared memory a block."""
    spill_store_bytes: int
    """Bytes of spill stores a thread."""
    spill_load_bytes: int
    """Bytes of spill loads a thread."""
    stack_bytes: int
    """Stack frame a thread."""


@dataclass(frozen=True, slots=True)
class Build:
    """One compiled kernel source; `library` is None exactly when the build failed."""

    source: KernelSource
    key: str
    """Hash of source, flags and compiler version: the build cache's key."""
    architecture: str
    """What it was compiled for, such as `sm_90a`."""
    library: Path | None
    """The shared library with the entry (and, on the virtual GPU, the PTX)."""
    ptx: Path | None
    """The PTX text with `.loc` lines; None when the build failed."""
    host_object: Path | None
    """The host object file before linking, for gates that look at its symbols."""
    resources: tuple[KernelResources, ...]
    diagnostics: tuple[Diagnostic, ...]
    log: str
    """What the compiler printed, bounded to 64 KiB."""
    seconds: float
    """Wall time of the compile; the original's when it came from the cache."""
    cached: bool
    """True when nothing was compiled this time."""

    @property
    def ok(self) -> bool:
        """Whether there is something to run."""
        return self.library is not None

    @property
    def first_error(self) -> str:
        """The first error as one line, or the log's last line when nothing could be placed."""
        errors = [str(d) for d in self.diagnostics if d.severity == "error"]
        return errors[0] if errors else (self.log.strip().splitlines() or ["no output"])[-1]
