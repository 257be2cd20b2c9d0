"""The state of a GPU's clock beside one sample of a time."""

from cudamaster.toolchain.devices.cuda.nvml import NvmlGpu
from cudamaster.toolchain.timing import ClockState


def clock_state(gpu: NvmlGpu) -> ClockState:
    """Clock, slowdowns and heat now: read it right after a sample, while the clock is still up."""
    return ClockState(gpu.sm_mhz(), gpu.slowdowns(), gpu.temperature_celsius())
