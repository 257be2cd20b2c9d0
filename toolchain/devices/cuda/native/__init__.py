"""The library between a candidate and the CUDA runtime: compiled on first use, kept in the cache."""

import hashlib
import subprocess
from pathlib import Path

from cudamaster.toolchain.cache import cache_folder, publish_folder
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.nvcc.finder import Toolchain

SOURCE = Path(__file__).with_name("counting.c")
LIBRARY = "libcounting.so"
FLAGS = ("-x", "c", "-std=gnu11", "-O2", "-fPIC", "-shared", "-Wl,-z,now,-z,relro")
COMPILE_SECONDS = 60.0


def counting_library(toolchain: Toolchain) -> Path:
    """Where it is. Raises EnvironmentLacks where the host compiler does not compile it."""
    words = "\0".join((*FLAGS, toolchain.host_version, SOURCE.read_text()))
    folder = cache_folder() / "counting" / hashlib.sha256(words.encode()).hexdigest()

    def fill(target: Path) -> None:
        command = [str(toolchain.host_compiler), *FLAGS, str(SOURCE), "-o", str(target / LIBRARY)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_SECONDS, check=False)
        if done.returncode:
            raise EnvironmentLacks(f"{command[0]} does not compile {SOURCE.name}: {done.stderr[:1000]}")

    if not (folder / LIBRARY).exists():
        publish_folder(folder, fill)
    return folder / LIBRARY
