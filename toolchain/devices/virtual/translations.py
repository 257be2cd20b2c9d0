"""Where translations come from: the disk cache by what they are made of, else the compiler.

A process that runs a candidate may read the cache but not write it, so it has translations made elsewhere.
"""

import contextlib
import functools
import hashlib
import struct
from pathlib import Path
from typing import NamedTuple, Protocol

from cudamaster.toolchain.cache import cache_folder, publish_file
from cudamaster.toolchain.devices.virtual.analysis.fingerprint import fingerprint
from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.jit import host_key
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel, Module
from cudamaster.toolchain.devices.virtual.translation import Translation, decoded, translate
from cudamaster.toolchain.errors import EnvironmentLacks

FOLDER = "virtual-code"
WRITERS = ("analysis/*.py", "codegen/*.py", "isa/*.py", "ptx/*.py", "jit.py", "translation.py")
"""Our sources that decide what the code of a kernel is."""


class Job(NamedTuple):
    """A kernel, prepared, and how it is to be translated."""

    module: Module
    kernel: Kernel
    mode: Mode
    level: int

    @property
    def key(self) -> str:
        """The hash under which the translation is kept."""
        made_by = f"{host_key()} {writers_digest()} {self.mode} {self.level}"
        return hashlib.sha256(f"{made_by}\n{fingerprint(self.module, self.kernel)}".encode()).hexdigest()

    def translate(self) -> Translation:
        """Do it. Raises Unsupported."""
        return translate(*self)


class Translator(Protocol):
    """Finds or makes translations."""

    def __call__(self, job: Job) -> Translation:
        """The job's translation. Raises Unsupported where the kernel cannot be run."""


@functools.cache
def writers_digest() -> str:
    """Return a hash that changes whenever our code generation does."""
    root, digest = Path(__file__).parent, hashlib.sha256()
    for file in sorted(file for pattern in WRITERS for file in root.glob(pattern)):
        digest.update(file.relative_to(root).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()


def translations_folder() -> Path:
    """The cache's part that holds translations, created: what a worker may read must exist when it starts."""
    folder = cache_folder() / FOLDER
    folder.mkdir(exist_ok=True)
    return folder


def path_of(key: str) -> Path:
    """Where the translation of this key is kept."""
    return cache_folder() / FOLDER / key[:2] / key


def stored(key: str) -> Translation | None:
    """The translation of this key; None where it was not made yet, or what is kept is damaged."""
    try:
        return decoded(path_of(key).read_bytes())
    except (OSError, ValueError, TypeError, KeyError, struct.error):
        return None


def translated(job: Job) -> Translation:
    """The translation from the cache, made and kept there where it is missing: a `Translator`."""
    key = job.key
    found = stored(key)
    if found is None:
        found = job.translate()
        with contextlib.suppress(OSError, EnvironmentLacks):  # a process that runs candidates may not write
            publish_file(path_of(key), found.encoded())
    return found
