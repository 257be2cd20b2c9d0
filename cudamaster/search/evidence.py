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

MODEL_PARTS = ("cost/**/*", "specs/**/*", "sampling.py", "native/counters.c", "native/halves.c",
               "native/l1.h", "native/profile.*")  # fmt: skip
"""Parts of the virtual GPU that decide a modelled time."""


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
    root = Path(devices.__path__[0]) / "virtual"
    files = {path for part in MODEL_PARTS for path in root.glob(part)}
    digest = hashlib.sha256()
    for path in sorted(files):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + meaning_of(path))
    return digest.hexdigest()[:12]


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
