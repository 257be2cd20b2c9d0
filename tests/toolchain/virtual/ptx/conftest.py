"""PTX that nvcc writes for small sources, compiled once a session."""

import shutil
import subprocess
from collections.abc import Callable
from functools import cache

import pytest

Compile = Callable[..., str]


@pytest.fixture(scope="session")
def nvcc_ptx(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """`nvcc_ptx(source, architecture="90a")` is the text that `nvcc -ptx -lineinfo` writes."""
    if shutil.which("nvcc") is None:
        pytest.skip("nvcc is not installed")
    folder = tmp_path_factory.mktemp("ptx")

    @cache
    def compiled(source: str, architecture: str) -> str:
        name = f"{abs(hash((source, architecture)))}"
        (folder / f"{name}.cu").write_text(source)
        command = ["nvcc", "-std=c++17", "-O3", "-lineinfo", f"-arch=compute_{architecture}", "-ptx"]
        subprocess.run(
            [*command, f"{name}.cu", "-o", f"{name}.ptx"],
            cwd=folder,
            check=True,
            capture_output=True,
            timeout=110,
        )
        return (folder / f"{name}.ptx").read_text()

    return lambda source, architecture="90a": compiled(source, architecture)  # once, named or left out
