"""What a device counted during one launch of a kernel: the facts that metrics are computed from."""

from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.toolchain.spec import DeviceSpec


@dataclass(frozen=True, slots=True)
class Counts:
    """One launch, whole grid. Byte counts are bytes; `…_requests` are warp-wide memory instructions."""

    spec: DeviceSpec
    seconds: float
    """Duration of the kernel itself."""
    clock_hz: float
    """SM clock during the launch."""

    instructions: float
    """Warp-wide machine instructions."""
    thread_instructions: float
    """The same, counted once an active lane."""
    entry_lanes: float
    """Active lanes a warp at the kernel's first instruction."""
    flops: float
    """Floating-point operations: FP64, FP32, half and tensor; a fused multiply-add is two."""
    busy: Mapping[str, float]
    """Share of the time that each unit is busy, 0 to 1: `issue` slots, the pipes `fma`, `alu`, `xu`,
    `fp64` and `tensor`, the load/store unit `lsu`, and the memories `l1`, `l2` and `dram`."""

    global_load_requests: float
    global_load_sectors: float
    global_store_requests: float
    global_store_sectors: float
    global_atomic_requests: float
    global_atomic_lanes: float
    l1_missed_sectors: float
    """Load sectors that went on to L2."""
    local_sectors: float
    shared_requests: float
    shared_wavefronts: float
    shared_ideal_wavefronts: float
    """Wavefronts if no two lanes met in a bank."""
    l2_bytes: float
    dram_read_bytes: float
    dram_write_bytes: float

    warps_per_sm: int
    """Warps that fit on an SM at one time."""
    resident_warps: float
    """Warps on an SM at one time, mean over the launch."""
    block_limits: Mapping[str, int]
    """Blocks an SM could hold if only `registers`, `shared memory`, `warps` or `blocks` limited it."""
    waves: float
    """Grid ÷ blocks resident at one time."""
    blocks: int
    stalls: Mapping[str, float]
    """Share of the warps' time by Nsight's stall reason (`long_scoreboard`, `barrier` …), 0 to 1."""
    latency_share: float
    """Share of the time that stands for waiting rather than for a busy resource, 0 to 1."""
    registers_per_thread: int
    spill_bytes_per_thread: int
    shared_bytes_per_block: int
    longest_block: float | None = None
    """Warp instructions of the busiest block ÷ the mean over the blocks."""
    longest_warp: float | None = None
    """Warp instructions along a block's longest path through its warps ÷ the mean over its warps."""
