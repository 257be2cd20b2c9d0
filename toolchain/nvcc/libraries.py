"""Vendor libraries (cuBLAS, cuSPARSE …) that our own kernels may be linked with; a candidate's never are."""

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.nvcc.finder import CUDA_WHEELS, Toolchain


@dataclass(frozen=True, slots=True)
class LibraryFacts:
    """How a library is told apart from others."""

    title: str
    header: str
    """The header that defines its version."""
    version: str
    """What the names of the three parts of the version begin with."""
    wheel: str
    """What pip installs it as."""


LIBRARIES = {
    "cublas": LibraryFacts("cuBLAS", "cublas_api.h", "CUBLAS_VER", "nvidia-cublas"),
    "cusparse": LibraryFacts("cuSPARSE", "cusparse.h", "CUSPARSE_VER", "nvidia-cusparse"),
    "cufft": LibraryFacts("cuFFT", "cufft.h", "CUFFT_VER", "nvidia-cufft"),
    "cudnn": LibraryFacts("cuDNN", "cudnn_version.h", "CUDNN", "nvidia-cudnn-cu13"),
}
CCCL_HEADER = Path("cuda/std/__cccl/version.h")
PARTS = (r"_MAJOR", r"_MINOR", r"_PATCH(?:LEVEL)?")


@dataclass(frozen=True, slots=True)
class Library:
    """One vendor library of this machine."""

    title: str
    version: str
    """As its header says, such as `13.1.0`."""
    include_dir: Path
    file: Path
    """The shared library itself."""

    def flags(self) -> tuple[str, ...]:
        """For nvcc: to find its headers, to link it, and to find it again when the kernel is loaded."""
        folder = self.file.parent
        return (
            f"-I{self.include_dir}",
            f"-L{folder}",
            f"-l:{self.file.name}",
            "-Xlinker",
            f"-rpath={folder}",
        )


def find_library(name: str, toolchain: Toolchain) -> Library:
    """The library `name`, of the toolkit or the wheels. Raises EnvironmentLacks, saying how to get it."""
    facts = LIBRARIES[name]
    for include_dir, library_dirs in _places(name, toolchain):
        header = include_dir / facts.header
        file = next((f for folder in library_dirs for f in sorted(folder.glob(f"lib{name}.so*"))), None)
        if file is not None and header.is_file():
            return Library(facts.title, _version(header, facts.version), include_dir, file)
    raise EnvironmentLacks(f"{facts.title} is not installed: pip install {facts.wheel}")


def find_libraries(names: Sequence[str], toolchain: Toolchain) -> tuple[Library, ...]:
    """Each of `names`. Raises EnvironmentLacks for the first that is not there."""
    return tuple(find_library(name, toolchain) for name in names)


def versions(names: Sequence[str], toolchain: Toolchain) -> str:
    """Of the libraries `names`, or of the toolkit's own headers (CUB, Thrust) where there are none."""
    if names:
        return ", ".join(library.version for library in find_libraries(names, toolchain))
    headers = (folder / CCCL_HEADER for folder in toolchain.include_dirs)
    text = next((header.read_text(encoding="utf-8") for header in headers if header.is_file()), "")
    found = re.search(r"#define CCCL_VERSION (\d+)(\d{3})(\d{3})\b", text)
    return ".".join(str(int(part)) for part in found.groups()) if found else "of unknown version"


def installed_libraries(toolchain: Toolchain) -> tuple[Library, ...]:
    """All of this machine."""
    found = []
    for name in LIBRARIES:
        with suppress(EnvironmentLacks):
            found.append(find_library(name, toolchain))
    return tuple(found)


def missing_wheels(toolchain: Toolchain) -> tuple[str, ...]:
    """What pip installs the others as."""
    here = {library.title for library in installed_libraries(toolchain)}
    return tuple(facts.wheel for facts in LIBRARIES.values() if facts.title not in here)


def installed_folders(toolchain: Toolchain) -> tuple[Path, ...]:
    """Where a process that loads a kernel linked with any library of this machine reads."""
    return tuple(dict.fromkeys(library.file.parent for library in installed_libraries(toolchain)))


def _places(name: str, toolchain: Toolchain) -> Iterator[tuple[Path, tuple[Path, ...]]]:
    for include_dir in toolchain.include_dirs:
        yield include_dir, toolchain.library_dirs
    beside = toolchain.nvcc.parent.parent.parent / name  # where wheels put what is no part of the toolkit
    yield beside / "include", (beside / "lib",)
    if found := _headers_of_wheels(name):
        yield found, tuple(found.parent / folder for folder in ("lib", "lib64"))
    for place in sys.path:  # wheels beside a compiler that is none
        for wheel in (Path(place) / "nvidia" / folder for folder in (name, CUDA_WHEELS)):
            yield wheel / "include", (wheel / "lib",)


def _headers_of_wheels(name: str) -> Path | None:
    with suppress(RuntimeError, ImportError, ChildProcessError):  # versions of it know different libraries
        from cuda.pathfinder import find_nvidia_header_directory

        found: str | None = find_nvidia_header_directory(name)
        return Path(found) if found else None
    return None


def _version(header: Path, prefix: str) -> str:
    text = header.read_text(encoding="utf-8", errors="replace")
    found = (re.search(rf"#\s*define\s+{prefix}{part}\s+(\d+)", text) for part in PARTS)
    return ".".join(match[1] for match in found if match) or "of unknown version"
