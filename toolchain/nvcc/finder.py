"""Finds the CUDA compiler and the host compiler it needs, or says what to install."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from cudamaster.toolchain.errors import EnvironmentLacks

NVCC_ADVICE = (
    'no nvcc found: install it with pip install "cuda-toolkit[nvcc,nvvm,crt,cudart,cccl]==13.0.2", '
    "or set CUDAMASTER_NVCC to an nvcc, or CUDA_HOME to a CUDA toolkit"
)
HOST_COMPILER_ADVICE = (
    "no host C++ compiler found: nvcc needs g++ (Debian, Ubuntu: apt install g++; "
    "Fedora: dnf install gcc-c++), or set NVCC_CCBIN to one"
)
CUDA_WHEELS = "cu13"
"""Where wheels of the toolkit's parts lie together, beneath `nvidia`."""
RUNTIME_HEADER = "include/cuda_runtime.h"
TARGETS = ("x86_64-linux", "sbsa-linux", "aarch64-linux")
"""How the toolkit names the machines that its host code may run on: servers of Arm's, and Jetson boards."""
PROBE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Toolchain:
    """One nvcc with the host compiler it uses."""

    nvcc: Path
    version: str
    """Such as `13.0.88`."""
    host_compiler: Path
    host_version: str
    found_by: str
    """Where it was found, in words."""
    include_dirs: tuple[Path, ...]
    """The toolkit's headers: the only ones besides the host compiler's that a kernel needs."""
    library_dirs: tuple[Path, ...]
    machine: str = field(default_factory=platform.machine)
    """What host code runs on, such as `x86_64`."""

    @property
    def fingerprint(self) -> str:
        """What two toolchains that build the same share; of machines, all but x86-64 are named."""
        machine = "" if self.machine == "x86_64" else f" for {self.machine}"
        return f"nvcc {self.version}, host compiler {self.host_version}{machine}"

    def tool(self, name: str) -> Path:
        """Another program of the same toolkit, such as `ptxas`; it may not exist."""
        return self.nvcc.parent / name


def find_toolchain(setting: str | None = None, environment: Mapping[str, str] = os.environ) -> Toolchain:
    """Find nvcc: `setting` or CUDAMASTER_NVCC, CUDA_HOME, the compiler wheels, PATH, in this order.

    Raises EnvironmentLacks, saying what to install, when there is no nvcc, no host compiler, or one of them
    does not run. A setting that names no program is an error too; a CUDA_HOME without a compiler, as images
    with only the runtime have it, is passed over.
    """
    nvcc, found_by = next(program_places("nvcc", setting, environment), (None, ""))
    if nvcc is None:
        raise EnvironmentLacks(NVCC_ADVICE)
    host_compiler = _host_compiler(environment)
    version = program_version([str(nvcc), "--version"], r"V(\d+\.\d+\.\d+)")
    nvcc = _started_by(nvcc)
    return Toolchain(
        nvcc=nvcc,
        version=version,
        host_compiler=host_compiler,
        host_version=program_version(
            [str(host_compiler), "-dumpfullversion", "-dumpversion"], r"^(\d[\w.]*)"
        ),
        found_by=found_by,
        include_dirs=_existing(nvcc, "include", *(f"targets/{t}/include" for t in TARGETS), "include/cccl"),
        library_dirs=_existing(nvcc, "lib64", "lib"),
    )


def program_places(
    name: str, setting: str | None, environment: Mapping[str, str]
) -> Iterator[tuple[Path, str]]:
    """Where NVIDIA's program `name` is, and how it was found: `setting` or CUDAMASTER_<NAME>, then as nvcc.

    Raises EnvironmentLacks for a setting that names no program.
    """
    variable = f"CUDAMASTER_{name.upper().replace('-', '_')}"
    named = setting or environment.get(variable)
    if named:
        yield _required(Path(named), variable), "setting"
    for home_variable in ("CUDA_HOME", "CUDA_PATH"):
        home = environment.get(home_variable)
        if home and os.access(program := Path(home) / "bin" / name, os.X_OK):
            yield program.resolve(), home_variable
    if found := _program_of_wheels(name):
        yield found, "wheels" if CUDA_WHEELS in found.parts else "cuda-pathfinder"
    if on_path := shutil.which(name, path=environment.get("PATH", os.defpath)):
        yield Path(on_path).resolve(), "PATH"


def _required(program: Path, variable: str) -> Path:
    if not os.access(program, os.X_OK):
        raise EnvironmentLacks(f"{variable} names {program}, which is no program; correct it or unset it")
    return program.resolve()


def _started_by(nvcc: Path) -> Path:
    """nvcc in its toolkit: on some machines the one on PATH is a script in another folder that starts it."""
    if (nvcc.parent.parent / RUNTIME_HEADER).is_file():
        return nvcc
    command = [str(nvcc), "--dryrun", "-x", "cu", "-c", os.devnull]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False)
    here = re.search(r"^#\$ _HERE_=(.+)$", shown.stderr, re.MULTILINE)
    itself = Path(here[1]) / nvcc.name if here else nvcc
    return itself.resolve() if os.access(itself, os.X_OK) else nvcc


def _program_of_wheels(name: str) -> Path | None:
    for place in sys.path:  # also of `pip install --target`, where cuda-pathfinder does not look
        if place and os.access(program := Path(place) / "nvidia" / CUDA_WHEELS / "bin" / name, os.X_OK):
            return program
    # ImportError: older than 1.4, where something else asks for it; ChildProcessError: a slow machine
    with suppress(ImportError, ChildProcessError):
        from cuda.pathfinder import find_nvidia_binary_utility

        found: str | None = find_nvidia_binary_utility(name)
        return Path(found) if found else None
    return None


def _host_compiler(environment: Mapping[str, str]) -> Path:
    names = [environment["NVCC_CCBIN"]] if environment.get("NVCC_CCBIN") else ["g++", "c++"]
    for name in names:
        if found := shutil.which(name, path=environment.get("PATH", os.defpath)):
            return Path(found)
    raise EnvironmentLacks(HOST_COMPILER_ADVICE)


def program_version(command: list[str], pattern: str) -> str:
    """What `command` says its version is. Raises EnvironmentLacks where it does not run or says none."""
    try:
        shown = subprocess.run(
            command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as failure:
        raise EnvironmentLacks(f"{command[0]} does not run: {failure}") from failure
    found = re.search(pattern, shown, re.MULTILINE)
    if found is None:
        raise EnvironmentLacks(f"{' '.join(command)} names no version")
    return found[1]


def _existing(nvcc: Path, *names: str) -> tuple[Path, ...]:
    root = nvcc.parent.parent
    return tuple(dict.fromkeys((root / name).resolve() for name in names if (root / name).is_dir()))
