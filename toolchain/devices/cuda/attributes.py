"""A GPU's limits and peaks: from the driver's attributes, NVML's clocks and constants of its architecture.

Peaks are for the highest clock the GPU boosts to, so that no honest kernel lies above them; data sheets state
some for a lower one.
"""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from cudamaster.toolchain.devices.cuda.driver import CudaDriver
from cudamaster.toolchain.devices.cuda.nvml import NvmlGpu
from cudamaster.toolchain.spec import DeviceSpec

ATTRIBUTE = "CU_DEVICE_ATTRIBUTE_"
FIRST_WITH_OWN_CODE = 9
"""From this major compute capability on, tensor-core instructions need the `a` in `sm_90a`."""


class ComputeCapability(NamedTuple):
    """Which instructions a GPU has."""

    major: int
    minor: int

    def __str__(self) -> str:
        """`9.0`."""
        return f"{self.major}.{self.minor}"

    @property
    def generation(self) -> str:
        """nvcc's name of it, such as `sm_90`."""
        return f"sm_{self.major}{self.minor}"

    @property
    def architecture(self) -> str:
        """What is compiled for, such as `sm_90a`."""
        return self.generation + ("a" if self.major >= FIRST_WITH_OWN_CODE else "")


def known_capabilities() -> tuple[str, ...]:
    """Those whose peaks are known, such as `9.0`."""
    return tuple(_architectures())


def compute_capability(driver: CudaDriver, gpu: Any) -> ComputeCapability:
    """Of the driver's handle `gpu`. Raises DriverFailed."""
    return ComputeCapability(
        _attribute(driver, gpu, "COMPUTE_CAPABILITY_MAJOR"),
        _attribute(driver, gpu, "COMPUTE_CAPABILITY_MINOR"),
    )


def device_spec(driver: CudaDriver, gpu: Any, monitor: NvmlGpu) -> DeviceSpec:
    """Limits and peaks of the driver's handle `gpu`, which NVML knows as `monitor`.

    Raises KeyError where its compute capability is not one of `known_capabilities`, DriverFailed.
    """
    capability, title = compute_capability(driver, gpu), monitor.title
    constants = _architectures()[str(capability)]
    sm_count = _attribute(driver, gpu, "MULTIPROCESSOR_COUNT")
    clocks = sm_count * monitor.highest_sm_hz
    bus_bits = _attribute(driver, gpu, "GLOBAL_MEMORY_BUS_WIDTH")
    fp32_flops = 2 * clocks * constants["fp32_lanes"]
    bf16_flops = 2 * clocks * _tensor_fmas(constants, title)
    return DeviceSpec(
        name=short_name(title),
        title=title,
        architecture=capability.architecture,
        sm_count=sm_count,
        clock_hz=monitor.highest_sm_hz,
        fp32_flops=fp32_flops,
        bf16_tensor_flops=bf16_flops,
        tf32_tensor_flops=bf16_flops / 2 if constants.get("tf32_tensor", True) else fp32_flops,
        fp64_flops=2 * clocks * constants["fp64_lanes"],
        dram_bytes_per_s=2 * monitor.highest_memory_hz * bus_bits / 8,
        l2_bytes_per_s=clocks * constants["l2_bytes"],
        dram_bytes=int(driver.call("cuDeviceTotalMem", gpu)),
        l2_bytes=_attribute(driver, gpu, "L2_CACHE_SIZE"),
        shared_bytes_per_sm=_attribute(driver, gpu, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"),
        shared_bytes_per_block=_attribute(driver, gpu, "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
        registers_per_sm=_attribute(driver, gpu, "MAX_REGISTERS_PER_MULTIPROCESSOR"),
        warps_per_sm=_attribute(driver, gpu, "MAX_THREADS_PER_MULTIPROCESSOR") // 32,
        blocks_per_sm=_attribute(driver, gpu, "MAX_BLOCKS_PER_MULTIPROCESSOR"),
    )


def short_name(title: str) -> str:
    """`NVIDIA H200` is `h200`, `NVIDIA GeForce RTX 4090` is `geforce-rtx-4090`."""
    words = re.findall(r"[a-z0-9]+", title.lower())
    return "-".join(word for word in words if word != "nvidia") or "gpu"


def _tensor_fmas(constants: Mapping[str, Any], title: str) -> int:
    usual: int = constants["bf16_tensor_fmas"]
    return int(constants.get("geforce_bf16_tensor_fmas", usual)) if "GeForce" in title else usual


def _attribute(driver: CudaDriver, gpu: Any, name: str) -> int:
    attribute = getattr(driver.binding.CUdevice_attribute, ATTRIBUTE + name)
    return int(driver.call("cuDeviceGetAttribute", attribute, gpu))


@cache
def _architectures() -> Mapping[str, Mapping[str, Any]]:
    text = (files(__package__) / "architectures.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
