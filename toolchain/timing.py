"""Times and the clocks they come from. A modelled time is never compared with a measured one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median, quantiles

from cudamaster.toolchain.errors import ClockMismatch
from cudamaster.toolchain.traces import Extent, Written


class Clock(StrEnum):
    """Where a time comes from."""

    MEASURED = "measured"
    """A GPU."""
    MODELLED = "modelled"
    """The virtual GPU's time model."""


@dataclass(frozen=True, slots=True)
class TimingPlan:
    """How often an entry is timed, and how."""

    samples: int = 20
    """Calls to time; a modelled clock needs, and takes, one."""
    cold_l2: bool = True
    """Whether caches are flushed before each sample."""
    seed: int = 0
    """Chooses the sampled blocks on a modelled clock."""
    anywhere: bool = False
    """Whether these lie anywhere; else some lie around the grid's middle, where neighbours share data."""
    first: bool = False
    """Whether each sample is a single call, and nothing is tried before it: on new data it is the first."""
    traces: bool = False
    """Whether to tell what the call left on its tensors, where the device can."""
    alone: bool = False
    """Whether blocks that depend on others are not to be counted as these run: then there is no time."""
    least_bytes: int = 0
    """What a right call reads and writes at least. A call of which only sampled blocks ran, and touched less,
    is sampled again on data that whole launches made."""
    within: bool = False
    """Whether sampled blocks are counted within whole launches: a block then sees what it sees in an untimed
    call, and of all other blocks it is known how much they do. A modelled clock alone knows a difference."""
    most_seconds: float | None = None
    """Wall time that a modelled call may take, where that is less than the device lets any take."""


class Slowdown(StrEnum):
    """Why a GPU clocks lower than it was asked to, as NVML tells it."""

    POWER_CAP = "power cap"
    """Of the kernel's own making: part of its speed."""
    HEAT = "heat"
    POWER_BRAKE = "power brake"
    HARDWARE = "hardware slowdown"


@dataclass(frozen=True, slots=True)
class ClockState:
    """A GPU's clock during one sample."""

    sm_mhz: float
    slowed_by: frozenset[Slowdown] = frozenset()
    temperature_celsius: float | None = None
    """Of the die; None where the device does not tell."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The times of one entry on one workload."""

    clock: Clock
    samples_ms: tuple[float, ...]
    """One device time a call, in milliseconds, at least one."""
    kernels: int
    """Kernel launches a call."""
    states: tuple[ClockState, ...] = ()
    """One a sample; empty where the device does not tell."""
    extents: Mapping[str, Extent] = field(default_factory=dict, compare=False)
    """How much of each tensor the call touches, by name; empty where the device does not tell."""
    moved_bytes: int = 0
    """Bytes of device memory that the call reads and writes without a kernel."""
    transferred_bytes: int = 0
    """Bytes that the call copies between the device and the host; 0 where the device does not tell."""
    written: Mapping[str, Written] = field(default_factory=dict, compare=False)
    """Of each output, some of what the call wrote; empty where the device does not tell."""
    steps: float = field(default=0.0, compare=False)
    """Instructions of all threads, estimated; 0 where the device does not tell."""

    def __post_init__(self) -> None:
        """Refuse states that belong to no sample."""
        if self.states and len(self.states) != len(self.samples_ms):
            raise ValueError(f"{len(self.samples_ms)} samples have {len(self.states)} clock states")

    @property
    def median_ms(self) -> float:
        """The reported time, in milliseconds."""
        return median(self.samples_ms)

    @property
    def spread(self) -> float:
        """Interquartile range over the median; 0 for a single sample."""
        if len(self.samples_ms) < 2:
            return 0.0
        low, _, high = quantiles(self.samples_ms, n=4, method="inclusive")
        return (high - low) / self.median_ms

    def speedup_over(self, baseline: "Timing") -> float:
        """`baseline` time ÷ this time. Raises ClockMismatch when the two clocks differ."""
        if baseline.clock is not self.clock:
            raise ClockMismatch(f"a {self.clock} time cannot be compared with a {baseline.clock} one")
        return baseline.median_ms / self.median_ms
