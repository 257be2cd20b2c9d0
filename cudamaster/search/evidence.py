"""Which versions a verdict was reached with."""

import hashlib
import platform
from importlib.metadata import version
from pathlib import Path

from cudamaster.toolchain import devices
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.timing import Clock

MODEL_FOLDERS = ("cost", "specs")
"""Parts of the virtual GPU that decide a modelled time."""


def versions() -> dict[str, str]:
    """Of cudamaster, nvcc, the host compiler and Python. Raises EnvironmentLacks without nvcc."""
    from cudamaster.toolchain.nvcc.finder import find_toolchain

    tools = find_toolchain()
    return {
        "cudamaster": version("cudamaster"),
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
    """Twelve hexadecimal digits that change whenever the time model does."""
    root = Path(devices.__path__[0]) / "virtual"
    files = sorted(
        path for name in MODEL_FOLDERS for path in (root / name).rglob("*") if path.suffix != ".pyc"
    )
    digest = hashlib.sha256()
    for path in files:
        if path.is_file():
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:12]


def driver_version() -> str:
    """NVIDIA's driver version, by NVML."""
    import pynvml

    pynvml.nvmlInit()
    try:
        return str(pynvml.nvmlSystemGetDriverVersion())
    finally:
        pynvml.nvmlShutdown()
