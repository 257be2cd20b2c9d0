"""What a build is made of, as hashes that a second compile of the same source with the same nvcc gives again.

nvcc names what is internal to a file by a hash of where it was compiled, writes that into symbols and debug
information, and names its headers by where they are installed; all that differs from one place to the next,
and is left out.
"""

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.elf import machine_code, read_symbols

DEBUG_SECTION = re.compile(r"^\s*\.section\s+\.debug\w*\s*\{.*?^\s*\}", re.MULTILINE | re.DOTALL)
FOLDER = re.compile(r"""^(\s*\.file\s+\d+\s+")[^"\n]*/""", re.MULTILINE)
PLACE = re.compile(r"((?:_GLOBAL__N__|_INTERNAL_))[0-9a-f]{8}")


def digests(build: Build) -> dict[str, str]:
    """SHA-256 of the PTX and of the host object, hexadecimal; empty for a build without them."""
    found = {}
    if build.ptx:
        found["ptx_sha256"] = ptx_digest(build.ptx.read_text())
    if build.host_object:
        found["object_sha256"] = object_digest(build.host_object)
    return found


def ptx_digest(text: str) -> str:
    """Of the kernels: debug sections and folders of files do not count."""
    return _digest([_without_place(FOLDER.sub(r"\1", DEBUG_SECTION.sub("", text))).encode()])


def object_digest(path: Path) -> str:
    """Of the code and the names of a host object."""
    symbols = read_symbols(path)
    names = [*symbols.undefined, "", *symbols.defined]
    return _digest([*sorted(machine_code(path)), *sorted(_without_place(name).encode() for name in names)])


def _without_place(text: str) -> str:
    return PLACE.sub(r"\1", text)


def _digest(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()
