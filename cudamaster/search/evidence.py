"""Which versions a verdict was reached with."""

import ast
import hashlib
import platform
from contextlib import closing
from pathlib import Path

from cudamaster.own_version import own_version
from cudamaster.toolchain import devices
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.timing import Clock

_COUNTING = (
    "async.c",
    "l1.h",
    "profile.*",
    "counters.c",
    "halves.c",
    "meeting.*",
    "pace.*",
    "paths.*",
    "row_count.c",
    "scattered.c",
    "stretches.c",
    "tally.c",
)
_STEPS = ("sampling.py", "tallies.py", "waiting.py")
MODEL_PARTS = ("cost/**/*", "specs/**/*", *_STEPS, *(f"native/{part}" for part in _COUNTING))
"""Parts of the virtual GPU that decide a modelled time: all that counts is among them."""


def versions() -> dict[str, str]:
    """Of cudamaster, nvcc, the host compiler and Python. Raises EnvironmentLacks without nvcc."""
    from cudamaster.toolchain.nvcc.finder import find_toolchain

    tools = find_toolchain()
    return {
        "cudamaster": own_version(),
        "nvcc": tools.version,
        "host_compiler": tools.host_version,
        "python": platform.python_version(),
    }


def clock_version(device: Device) -> str:
    """Names what times depend on besides kernel and device: the time model's sources, or the driver."""
    if device.clock is Clock.MODELLED:
        return f"model {model_digest()}"
    return f"driver {driver_version()}"


def model_digest() -> str:
    """Twelve hexadecimal digits that change whenever the time model does, but not for a comment in Python."""
    root = virtual_gpu()
    digest = hashlib.sha256()
    for path in model_files(root):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + meaning_of(path))
    return digest.hexdigest()[:12]


def virtual_gpu() -> Path:
    """The folder of its sources."""
    return Path(devices.__path__[0]) / "virtual"


def model_files(root: Path) -> list[Path]:
    """Those of the sources in `root` that are the time model's."""
    files = {path for part in MODEL_PARTS for path in root.glob(part)}
    return sorted(path for path in files if path.is_file() and path.suffix != ".pyc")


def meaning_of(path: Path) -> bytes:
    """A file's content; of Python's, its syntax tree without comments and docstrings."""
    if path.suffix != ".py":
        return path.read_bytes()
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                node.value = ast.Constant("")
    return ast.dump(tree).encode()


def driver_version() -> str:
    """NVIDIA's driver version, by NVML. Raises EnvironmentLacks."""
    from cudamaster.toolchain.devices.cuda.nvml import open_nvml

    with closing(open_nvml()) as nvml:
        return nvml.driver_version
