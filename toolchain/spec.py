"""A device's limits and peaks, as its vendor states them: the roofline's corners."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeviceSpec:
    """One GPU model. Rates are for the boost clock unless named otherwise."""

    name: str
    """Short name, such as `h200`."""
    title: str
    """The vendor's name."""
    architecture: str
    """nvcc's name, such as `sm_90a`."""
    sm_count: int
    clock_hz: float
    """SM clock the peaks are stated at."""
    fp32_flops: float
    """FP32 FMA peak outside tensor cores, FLOP/s."""
    bf16_tensor_flops: float
    """Dense BF16 tensor-core peak with FP32 accumulation, FLOP/s."""
    tf32_tensor_flops: float
    """Dense TF32 tensor-core peak, FLOP/s."""
    fp64_flops: float
    """FP64 peak outside tensor cores, FLOP/s."""
    dram_bytes_per_s: float
    l2_bytes_per_s: float
    dram_bytes: int
    l2_bytes: int
    shared_bytes_per_sm: int
    shared_bytes_per_block: int
    """Largest block after opting in; 48 KiB without."""
    registers_per_sm: int
    warps_per_sm: int
    blocks_per_sm: int

    def roofline_ms(self, flops: float, dram_bytes: float, peak_flops: float) -> float:
        """Least time for this work, in milliseconds: max of compute and DRAM time (Williams et al. 2009)."""
        return 1e3 * max(flops / peak_flops, dram_bytes / self.dram_bytes_per_s)
