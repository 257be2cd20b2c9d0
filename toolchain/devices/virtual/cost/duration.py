"""Bounds to time: how much of the bounds' work overlaps, and what a launch costs besides.

The busiest resource of each family binds it; families overlap as the p-norm of their cycles (p large:
perfectly). A block that meets at barriers alternates between loading and computing, so with few blocks on
an SM to fill the gaps p is lower.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.cost.copying import copied_ahead, executed
from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES
from cudamaster.toolchain.devices.virtual.cost.scoreboard import is_barrier
from cudamaster.toolchain.devices.virtual.cost.subject import Subject
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction
from cudamaster.toolchain.devices.virtual.specs import ModelSpec

_LOWEST_EXPONENT = 1.5
_ENOUGH_BLOCKS = 4
"""Resident blocks that fill each other's gaps."""
_WAITS = frozenset({"test_wait", "try_wait"})


@dataclass(frozen=True, slots=True)
class Duration:
    """Time of one launch, without its overhead, and where it goes."""

    cycles: float
    bounds: Mapping[str, float]
    """Cycles that each resource is busy, at least 0."""
    weights: Mapping[str, float]
    """Share of the time that each family stands for; they sum to 1."""

    def busy(self, resource: str) -> float:
        """Share of the time that a resource is busy, 0 to 1."""
        return self.bounds[resource] / self.cycles if self.cycles else 0.0

    def binding(self, family: str) -> str:
        """The busiest resource of a family."""
        return max(FAMILIES[family], key=lambda resource: self.bounds[resource])


def combine(bounds: Mapping[str, float], exponent: float) -> Duration:
    """The p-norm of the families' cycles."""
    busiest = {family: max(bounds[r] for r in resources) for family, resources in FAMILIES.items()}
    longest = max(busiest.values())
    if longest == 0:
        return Duration(0.0, bounds, dict.fromkeys(FAMILIES, 1 / len(FAMILIES)))
    powers = {family: (cycles / longest) ** exponent for family, cycles in busiest.items()}
    total = sum(powers.values())
    return Duration(
        longest * total ** (1 / exponent), bounds, {family: power / total for family, power in powers.items()}
    )


def overlap_exponent(subject: Subject) -> float:
    """p for this launch: the model's, or less where blocks meet at barriers and few are resident."""
    model = subject.gpu.model
    if not any(_meets(instruction) for instruction, _ in executed(subject)):
        return model.overlap_exponent
    filled = max(copied_ahead(subject), min(1.0, max(0.0, subject.side_by_side - 1) / (_ENOUGH_BLOCKS - 1)))
    return _LOWEST_EXPONENT + filled * (model.overlap_exponent - _LOWEST_EXPONENT)


def _meets(instruction: Instruction) -> bool:
    """Whether a block's warps wait for each other here."""
    waits_at_mbarrier = instruction.base == "mbarrier" and not _WAITS.isdisjoint(instruction.modifiers)
    return is_barrier(instruction) or waits_at_mbarrier


def launch_overhead_s(kernel_s: float, model: ModelSpec, *, first: bool) -> float:
    """Seconds a launch adds to its kernel's own: start-up, or the gap behind the kernel before it."""
    if first:
        return model.launch_us * 1e-6
    return max(model.next_launch_us * 1e-6, model.host_launch_us * 1e-6 - kernel_s)
