"""A kernel's source: one `.cu` text and the entry to call in it."""

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KernelSource:
    """One `.cu` file that defines `extern "C" void entry(...)`."""

    text: str
    """The whole CUDA C++ source."""
    entry: str
    """The symbol of the `extern "C"` host function that the harness calls."""
    filename: str = "kernel.cu"
    """How compiler messages and source lines name the file."""
    libraries: tuple[str, ...] = ()
    """Vendor libraries it is linked with, such as `cublas`: our own may have some, candidates none."""

    @property
    def digest(self) -> str:
        """SHA-256 of the text, hexadecimal: the kernel's name in stores and caches."""
        return hashlib.sha256(self.text.encode()).hexdigest()
