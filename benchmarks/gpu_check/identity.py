"""Which device is checked, with which driver or model: rows of two such must not be mixed."""

import platform
import re
from dataclasses import asdict

from benchmarks.gpu_check.nouns import Row
from cudamaster.search.evidence import clock_version, model_digest
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.nvcc.finder import find_toolchain


def identity_of(device: Device, model: Device, seed: int) -> Row:
    """What every row of a check shares. Raises EnvironmentLacks without nvcc."""
    return {
        "device": device.name,
        "gpu": re.sub(r"[^a-z0-9]+", "-", device.spec.title.lower()).strip("-"),
        "title": device.spec.title,
        "clock": str(device.clock),
        "clock_version": clock_version(device),
        "spec": asdict(device.spec),
        "model": {"device": model.name, "version": model_digest()},
        "seed": seed,
        "versions": {"nvcc": find_toolchain().version, "python": platform.python_version()},
    }
