"""The C library of the virtual GPU: compiled on first use, kept in the cache, loaded once."""

import ctypes
import functools
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from cudamaster.toolchain.cache import cache_folder, held, publish_folder, require_room
from cudamaster.toolchain.devices.virtual.processor import processor
from cudamaster.toolchain.errors import EnvironmentLacks

FOLDER = "virtual-library"
LIBRARY = "libvgpu.so"
FLAGS = (
    "-std=gnu11", "-O3", "-fPIC", "-pthread", "-ffp-contract=off", "-fno-math-errno",
    "-fno-strict-aliasing",
)  # fmt: skip
COMPILERS = ("cc", "gcc", "clang")
COMPILE_SECONDS = 300.0
ROOM_BYTES = 32 << 20
"""Free in the cache when a compile starts."""


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
    digest = hashlib.sha256(" ".join((*FLAGS, *map(str, processor()))).encode())
    for source in _sources():
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()


def _compile(folder: Path) -> None:
    """Compile the files side by side, the largest first, and link them."""
    require_room(folder, ROOM_BYTES)
    files = sorted(_sources(), key=lambda source: source.stat().st_size, reverse=True)
    names = [file.name for file in files if file.suffix == ".c"]
    log = ""
    for flags in ((*FLAGS, f"-march={processor().march}"), FLAGS):
        with tempfile.TemporaryDirectory(dir=folder) as place, ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = [Path(place) / f"{name}.o" for name in names]
            log = "".join(pool.map(functools.partial(_compile_file, flags), names, objects))
            if not log:
                made = str(folder / LIBRARY)
                log = _run([*flags, "-shared", *map(str, objects), "-o", made, "-lm"], Path(place))
        if not log:
            return
    raise EnvironmentLacks(f"the C compiler refuses the virtual GPU's library: {_errors(log)}")


def _compile_file(flags: Sequence[str], name: str, target: Path) -> str:
    return _run([*flags, "-c", str(Path(__file__).parent / name), "-o", str(target)], target.parent)


def _run(arguments: Sequence[str], place: Path) -> str:
    """Run the compiler with its temporary files in `place`; what it says of a failure, empty for none."""
    command = [_compiler(), *arguments]
    done = subprocess.run(
        command,
        env={**os.environ, "TMPDIR": str(place)},
        capture_output=True,
        text=True,
        timeout=COMPILE_SECONDS,
        check=False,
    )
    return done.stderr or f"{command[0]} ended with {done.returncode}" if done.returncode else ""


def _errors(log: str) -> str:
    """The first lines that name an error, without the warnings around them."""
    lines = [line for line in log.splitlines() if "error" in line.lower()] or log.splitlines()
    return "\n".join(lines[:5])


@functools.cache
def load_native() -> ctypes.CDLL:
    """Return the library, its symbols visible to later ones; EnvironmentLacks without a compiler."""
    key = _key()
    folder = cache_folder() / FOLDER / key
    if not folder.exists():
        with held(key):  # processes that start together compile it once
            if not folder.exists():
                publish_folder(folder, _compile)
    return ctypes.CDLL(str(folder / LIBRARY), mode=ctypes.RTLD_GLOBAL | os.RTLD_NOW)
