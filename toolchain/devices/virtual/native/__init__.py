"""The C library of the virtual GPU: compiled on first use, kept in the cache, loaded once."""

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import llvmlite.binding as llvm

from cudamaster.toolchain.cache import cache_folder, publish_folder
from cudamaster.toolchain.errors import EnvironmentLacks

LIBRARY = "libvgpu.so"
FLAGS = (
    "-std=gnu11", "-O3", "-fPIC", "-shared", "-pthread", "-ffp-contract=off", "-fno-math-errno",
    "-fno-strict-aliasing",
)  # fmt: skip
NATIVE = "-march=native"
COMPILERS = ("cc", "gcc", "clang")
COMPILE_SECONDS = 300.0


def _sources() -> list[Path]:
    return sorted(Path(__file__).parent.glob("*.[ch]"))


def _compiler() -> str:
    for name in COMPILERS:
        found = shutil.which(name)
        if found:
            return found
    raise EnvironmentLacks("no C compiler (cc, gcc or clang) on PATH; the virtual GPU needs one")


def _key() -> str:
    """Return what the compiled library depends on, as a hash."""
    digest = hashlib.sha256(" ".join((*FLAGS, NATIVE)).encode())
    digest.update(f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}".encode())
    for source in _sources():
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def _compile(folder: Path) -> None:
    files = [str(source) for source in _sources() if source.suffix == ".c"]
    log = ""
    for flags in ((*FLAGS, NATIVE), FLAGS):
        command = [_compiler(), *flags, *files, "-o", str(folder / LIBRARY), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_SECONDS, check=False)
        if done.returncode == 0:
            return
        log = done.stderr
    raise EnvironmentLacks(f"the C compiler refuses the virtual GPU's library: {log[:2000]}")


@functools.cache
def load_native() -> ctypes.CDLL:
    """Return the library, its symbols visible to later ones; EnvironmentLacks without a compiler."""
    folder = cache_folder() / "virtual-library" / _key()
    if not (folder / LIBRARY).exists():
        publish_folder(folder, _compile)
    return ctypes.CDLL(str(folder / LIBRARY), mode=ctypes.RTLD_GLOBAL | os.RTLD_NOW)
