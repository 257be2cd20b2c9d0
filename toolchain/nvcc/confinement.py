"""Which files the compiler may open: whatever a source makes it read, there are no secrets among them.

The source gate refuses what looks like reading files; this holds where a source gets past it.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from cudamaster.toolchain.nvcc.finder import Toolchain
from cudamaster.toolchain.worker.landlock import Confinement

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache", "/nix/store", "/gnu/store",
          "/dev/urandom", "/sys/devices/system/cpu")  # fmt: skip
"""Programs, headers and libraries of the system, in which any user may read."""
HOST_FOLDERS = ("bin", "lib", "lib32", "lib64", "libexec", "include", "share/gcc*", "*-linux-*")
"""Where a host compiler outside the system's folders keeps its parts, beneath its installation."""


def compiler_confinement(toolchain: Toolchain, folder: Path, libraries: Iterable[Path] = ()) -> Confinement:
    """The toolkit, the host compiler and the system to read and start; `folder` alone to write.

    The folders `libraries` are read as well.
    """
    toolkit = toolchain.nvcc.parent.parent
    found = (*toolchain.include_dirs, *toolchain.library_dirs, *_host_compiler(toolchain.host_compiler))
    programs = (*(Path(path) for path in SYSTEM), toolkit, *found, *libraries)
    return Confinement(programs=programs, writable=(folder, Path("/dev/null")))


def _host_compiler(program: Path) -> Iterator[Path]:
    """The parts of its installation: as it was named, and where links lead; never a home folder whole."""
    for place in dict.fromkeys((program.absolute(), program.resolve())):
        for pattern in HOST_FOLDERS:
            yield from place.parent.parent.glob(pattern)
