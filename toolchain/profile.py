"""What a device counted during one call of an entry, kernel by kernel."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cudamaster.toolchain.timing import Clock


@dataclass(frozen=True, slots=True)
class HotLine:
    """One source line that costs time."""

    line: int
    """1-based line of the candidate's source."""
    share: float
    """Share of the kernel's modelled or sampled cycles, 0 to 1."""
    why: str
    """What the line costs, in words: `global loads, 32 sectors/request`."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How a kernel was launched."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    dynamic_shared_bytes: int


@dataclass(frozen=True, slots=True)
class KernelProfile:
    """One kernel of a call; launches of the same kernel and shape are one entry with a count."""

    name: str
    """Demangled name."""
    launch: Launch
    launches: int
    time_ms: float
    """Time of all its launches, in milliseconds, of the profile's clock."""
    metrics: Mapping[str, float]
    """Values by the names declared in `toolchain.metrics`; absent where the device could not tell."""
    bound: str
    """`memory`, `compute` or `latency`."""
    bound_by: str
    """The binding resource and the runner-up, in one sentence."""
    hot_lines: tuple[HotLine, ...]
    symbol: str = ""
    """Mangled name; empty for what is no kernel."""
    occupancy_limiter: str = ""
    """What keeps more warps off an SM: `registers`, `shared memory`, `warps`, `blocks` or `grid`."""
    instruction_mix: Mapping[str, float] = field(default_factory=dict)
    """Share of the executed warp instructions by kind, the commonest first; empty where not counted."""
    machine_mix: Mapping[str, float] = field(default_factory=dict)
    """The same of the instructions in the machine code, each counted once; empty without a disassembler."""


@dataclass(frozen=True, slots=True)
class Profile:
    """All kernels of one call, the most expensive first."""

    clock: Clock
    kernels: tuple[KernelProfile, ...]
    counted_by: str = ""
    """Who counted, where that is not the device itself: `ncu 2025.3.1`, or a virtual GPU's model."""
    note: str = ""
    """Why nothing better counted and what would allow it; said once a device."""

    @property
    def time_ms(self) -> float:
        """Time of the whole call, in milliseconds."""
        return sum(kernel.time_ms for kernel in self.kernels)
