"""The C sources of the virtual GPU's library, read by compilers for other machines where there are some."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cudamaster.toolchain.devices.virtual import native

COMPILERS = [
    ["aarch64-linux-gnu-gcc"],
    ["x86_64-linux-gnu-gcc", "-march=x86-64", "-Wno-psabi"],
    ["clang", "-Wno-psabi"],
]


@pytest.mark.parametrize("compiler", COMPILERS, ids=" ".join)
def test_other_compilers_and_machines_take_the_sources_without_a_warning(compiler: list[str]) -> None:
    if shutil.which(compiler[0]) is None:
        pytest.skip(f"no {compiler[0]} here")
    sources = map(str, Path(native.__file__).parent.glob("*.c"))
    command = [*compiler, *native.FLAGS, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *sources]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr[:2000]
