"""NVIDIA's tools that watch one call of an entry (`ncu`, `compute-sanitizer`): found, and run as a child.

The call is made by our own small program, `profiling_call`, which gives up what a call does not need. Only
builds that passed the object gate are called so.
"""

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudamaster.toolchain.arguments import Arguments, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.cache import private_folder
from cudamaster.toolchain.devices.cuda.equipment import DRIVER_READABLE, driver_devices
from cudamaster.toolchain.nvcc.finder import program_places, program_version
from cudamaster.toolchain.passing import argument_fields
from cudamaster.toolchain.process import ProcessLimits, ProcessResult, run_bounded
from cudamaster.toolchain.worker.child import interpreter_paths

PROGRAM = "cudamaster.toolchain.devices.cuda.profiling_call"
CALL, SAID = "call.json", "said.json"
KEPT_VARIABLES = (
    "PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDAMASTER_NVCC", "NVCC_CCBIN"
)  # fmt: skip
"""All that tools see of this process's environment: no keys, no proxies."""
LIMITS = ProcessLimits(seconds=120.0, memory_bytes=1 << 47, output_bytes=1 << 20, file_bytes=1 << 40)
"""CUDA reserves addresses for all memory of host and GPUs, so their number says nothing."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One of NVIDIA's programs."""

    program: Path
    version: str
    found_by: str
    """Where it was found, in words."""


def find_tool(name: str, environment: Mapping[str, str] = os.environ) -> Tool | None:
    """The program `name`: CUDAMASTER_<NAME>, CUDA_HOME, the wheels, PATH, in this order; None where none is.

    Raises EnvironmentLacks for a setting that names no program, and for one that does not run.
    """
    for program, found_by in program_places(name, None, environment):
        return Tool(program, program_version([str(program), "--version"], r"(?i)version (\S+)"), found_by)
    return None


@contextmanager
def prepared_call(build: Build, arguments: Arguments, *, confined: bool = True) -> Iterator[Path]:
    """A folder with a call that a tool can make, for as long as the block runs.

    The process that makes it confines itself before it loads the build, unless `confined` says no.
    """
    with private_folder() as folder:
        call = _call(build, arguments, folder) | {"confined": _rights(build) if confined else None}
        (folder / CALL).write_text(json.dumps(call))
        yield folder


def _rights(build: Build) -> dict[str, list[str]]:
    """What the call's process reads besides the system's libraries, and the device files it uses."""
    own = (*interpreter_paths(), *DRIVER_READABLE, *_import_paths())
    return {"readable": [*own, str(Path(str(build.library)).parent)], "devices": list(driver_devices())}


def _import_paths() -> list[str]:
    return [str(Path(place).resolve()) for place in sys.path if place]


def _call(build: Build, arguments: Arguments, folder: Path) -> dict[str, Any]:
    """For `profiling_call`; each tensor's bytes are written into a file of the folder."""
    items: list[Any] = []
    for index, item in enumerate(arguments.items):
        if isinstance(item, Tensor):
            (folder / f"{index}.bytes").write_bytes(item.array.tobytes())
            items.append({"file": f"{index}.bytes"})
        else:
            items.append(argument_fields(item))
    return {"library": str(build.library), "entry": build.source.entry, "items": items}


def call_command(folder: Path) -> list[str]:
    """The command line that makes the call in `folder`."""
    return [sys.executable, "-m", PROGRAM, str(folder)]


def run_tool(command: Sequence[str], folder: Path, gpu: str) -> ProcessResult:
    """Run a tool in `folder`, where alone it finds a home; it sees only the GPU of this UUID or index."""
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    own = {
        "HOME": str(folder),
        "TMPDIR": str(folder),
        "PYTHONPATH": os.pathsep.join(_import_paths()),
        "CUDA_VISIBLE_DEVICES": gpu,
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        "NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT": "1",  # ncu would copy its sections into HOME
    }
    return run_bounded(command, folder=folder, environment=kept | own, limits=LIMITS)


def call_failed(folder: Path) -> str | None:
    """Why the call in `folder` failed, in its program's words; None where it returned."""
    said = folder / SAID
    if not said.is_file():
        return "the call ended its process"
    failed = json.loads(said.read_text())["failed"]
    return None if failed is None else str(failed)
