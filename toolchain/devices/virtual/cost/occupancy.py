"""How many blocks of a launch fit on an SM, and what keeps more from fitting (CUDA's occupancy rules)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.specs import VirtualGpu
from cudamaster.toolchain.spec import DeviceSpec

_REGISTER_UNIT = 256
"""Registers are given to a warp in units of this many."""
_SHARED_UNIT = 128
_LEAST_L1_BYTES = 4096
_FEW_WAVES = 4
"""Up to this many waves run in lock step; more blur into each other."""
_RESERVED_SHARED_BYTES = 1024
"""The system keeps this much shared memory of every block since compute capability 8.0."""


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Resident blocks of a launch."""

    blocks_per_sm: int
    warps_per_sm: int
    warps_possible: int
    """The SM's own limit of warps."""
    limits: Mapping[str, int]
    """Blocks that would fit on an SM if only this limited them."""
    limiter: str
    """`registers`, `shared memory`, `warps`, `blocks`, or `grid` where the grid is too small to fill SMs."""
    sm_count: int
    block_count: int

    @property
    def theoretical(self) -> float:
        """Warps that fit ÷ the SM's limit, 0 to 1."""
        return self.warps_per_sm / self.warps_possible

    @property
    def waves(self) -> float:
        """Grid ÷ blocks resident on the whole GPU."""
        return self.block_count / (self.sm_count * self.blocks_per_sm)

    @property
    def busiest_blocks(self) -> int:
        """Blocks that the busiest SM runs over the launch."""
        return -(-self.block_count // self.sm_count)

    @property
    def resident_blocks(self) -> int:
        """Blocks on the busiest SM at one time."""
        return min(self.blocks_per_sm, self.busiest_blocks)

    @property
    def rounds(self) -> float:
        """Times that an SM's places for blocks are filled: whole ones while waves end together."""
        waves = self.busiest_blocks / self.blocks_per_sm
        return float(-(-waves // 1)) if waves <= _FEW_WAVES else waves + 0.5

    @property
    def resident_warps(self) -> float:
        """Warps on an SM, mean over the SMs that have any and the launch."""
        warps_per_block = self.warps_per_sm / self.blocks_per_sm
        busy_sms = min(self.sm_count, self.block_count)
        return self.block_count * warps_per_block / (busy_sms * self.rounds)

    @property
    def resident_on_gpu(self) -> int:
        """Blocks on the whole GPU at one time."""
        return min(self.block_count, self.sm_count * self.blocks_per_sm)


def occupancy(request: LaunchRequest, resources: KernelResources, spec: DeviceSpec) -> Occupancy:
    """Resident blocks of `request` on one SM; at least one: what cannot run is refused earlier."""
    warps = request.warps_per_block
    warp_registers = _round_up(max(resources.registers, 1) * 32, _REGISTER_UNIT)
    reserved = _RESERVED_SHARED_BYTES if spec.architecture >= "sm_80" else 0
    shared = _round_up(resources.shared_bytes + request.dynamic_shared_bytes, _SHARED_UNIT) + reserved
    limits = {
        "warps": spec.warps_per_sm // warps,
        "registers": spec.registers_per_sm // warp_registers // warps,
        "shared memory": spec.shared_bytes_per_sm // shared if shared else spec.blocks_per_sm,
        "blocks": spec.blocks_per_sm,
    }
    limiter = min(limits, key=lambda name: limits[name])
    blocks = max(1, limits[limiter])
    if request.block_count < spec.sm_count * blocks:
        limiter = "grid"
    return Occupancy(
        blocks, blocks * warps, spec.warps_per_sm, limits, limiter, spec.sm_count, request.block_count
    )


def residents(request: LaunchRequest, resources: Iterable[KernelResources], spec: DeviceSpec) -> int:
    """Blocks of a launch that the whole GPU holds at one time; one where nothing is known of the kernel."""
    known = next((one for one in resources if one.name == request.kernel), None)
    return occupancy(request, known, spec).resident_on_gpu if known else 1


def l1_share_bytes(request: LaunchRequest, resources: Iterable[KernelResources], gpu: VirtualGpu) -> int:
    """L1 that one of the resident blocks can count on: what shared memory leaves, divided among them."""
    known = next((one for one in resources if one.name == request.kernel), None)
    if known is None:
        return 0
    resident = occupancy(request, known, gpu.device).resident_blocks
    shared = resident * (known.shared_bytes + request.dynamic_shared_bytes)
    return max(_LEAST_L1_BYTES, int((gpu.model.l1_bytes - shared) / resident))


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
