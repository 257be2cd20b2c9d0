"""The GPUs that can be modelled: one `<name>.toml` each, found by listing this folder.

`calibration.toml` is not one of them: it holds one factor a GPU.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from cudamaster.toolchain.errors import UnknownDevice
from cudamaster.toolchain.spec import DeviceSpec

_CALIBRATION = "calibration"


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """What the time model knows of a GPU beyond its data sheet."""

    sustained_clock_hz: float
    """SM clock that kernels are assumed to run at."""
    mma_sync_fraction: float
    """Share of the tensor peak that `mma.sync` and `wmma` reach; `wgmma` reaches all of it."""
    l1_bytes: int
    """L1 and shared memory of an SM together."""
    l1_lines_per_clk: float
    """128-byte lines whose tags L1 looks up, a clock and SM."""
    l1_wavefronts_per_clk: float
    """128-byte passes through L1's and shared memory's data banks, a clock and SM."""
    l2_to_sm_bytes_per_clk: float
    """Most bytes that L2 sends to one SM a clock."""
    l2_slices: int
    """Places in L2 that answer one atomic a clock each."""
    l2_usable_fraction: float
    """Share of L2 that a kernel's data can count on."""
    dram_efficiency: float
    """Share of the DRAM peak that streams reach."""
    dram_access_bytes: int
    """Bytes fetched for a lone 32-byte sector."""
    launch_us: float
    """Time of an empty kernel, the first of a call, in microseconds."""
    next_launch_us: float
    """Drain and fill between two kernels of one stream, in microseconds."""
    host_launch_us: float
    """Least time between two launches, in microseconds."""
    block_start_cycles: float
    branch_cycles: float
    overlap_exponent: float
    """p of the norm that combines bounds when resident blocks overlap freely."""
    per_clk: Mapping[str, float]
    """Warp-wide instructions a clock and SM: `issue` and each `Pipe` except the tensor one."""
    latency: Mapping[str, float]
    """Cycles by latency class."""
    calibration: float
    """Factor on modelled cycles; 1 is uncalibrated."""


@dataclass(frozen=True, slots=True)
class VirtualGpu:
    """One GPU that can be modelled."""

    device: DeviceSpec
    model: ModelSpec


def gpu_names() -> tuple[str, ...]:
    """Names that `load_gpu` knows."""
    stems = (
        entry.name.removesuffix(".toml")
        for entry in files(__name__).iterdir()
        if entry.name.endswith(".toml")
    )
    return tuple(sorted(stem for stem in stems if stem != _CALIBRATION))


@cache
def load_gpu(name: str) -> VirtualGpu:
    """The GPU called `name`; UnknownDevice names those that exist."""
    if name not in gpu_names():
        raise UnknownDevice(f"no virtual GPU is called {name!r}; there are {', '.join(gpu_names())}")
    table = _read(name)
    return VirtualGpu(
        DeviceSpec(name=name, **table["device"]),
        ModelSpec(calibration=_read(_CALIBRATION)[name], **table["model"]),
    )


def _read(stem: str) -> dict[str, Any]:
    return tomllib.loads((files(__name__) / f"{stem}.toml").read_text(encoding="utf-8"))
