"""Bounds to time: how much of the bounds' work overlaps, and what a launch costs besides.

The busiest resource of each family binds it; families overlap as the p-norm of their cycles (p large:
perfectly). A block that meets at barriers alternates between loading and computing, so with few blocks on
an SM to fill the gaps p is lower.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from cudamaster.toolchain.devices.virtual.cost.demand import FAMILIES
from cudamaster.toolchain.devices.virtual.cost.occupancy import Occupancy
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction, Integer, Kernel
from cudamaster.toolchain.devices.virtual.specs import ModelSpec

_LOWEST_EXPONENT = 1.5
_ENOUGH_BLOCKS = 4
"""Resident blocks that fill each other's gaps."""


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


def overlap_exponent(kernel: Kernel, residency: Occupancy, model: ModelSpec) -> float:
    """p for this launch: the model's, or less where blocks meet at barriers and few are resident."""
    opcodes = {instruction.opcode for block in kernel.blocks for instruction in block}
    meets = any(o.startswith(("bar.", "barrier.")) and not o.startswith("bar.warp") for o in opcodes)
    if not meets or copies_early(kernel):
        return model.overlap_exponent
    filled = min(1.0, (residency.resident_blocks - 1) / (_ENOUGH_BLOCKS - 1))
    return _LOWEST_EXPONENT + filled * (model.overlap_exponent - _LOWEST_EXPONENT)


def copies_early(kernel: Kernel) -> bool:
    """Whether asynchronous copies are under way while the block works on what came before.

    Bulk copies are taken to be. Others are if a wait leaves groups behind, or if a tile is read between a
    copy and its wait, where the code is gone through twice, as a loop does.
    """
    code = [i for block in kernel.blocks for i in block]
    under_way = worked = False
    for instruction in (*code, *code):
        kind = instruction.modifiers[2] if instruction.opcode.startswith("cp.async.") else ""
        if kind == "bulk":
            return True
        if kind in ("ca", "cg"):
            under_way, worked = True, False
        elif kind in ("wait_group", "wait_all"):
            if _groups_left(instruction) or (under_way and worked):
                return True
            under_way = False
        worked = worked or _reads_a_tile(instruction)
    return False


def _groups_left(wait: Instruction) -> int:
    left = wait.operands[0] if wait.operands else None
    return left.value if isinstance(left, Integer) else 0


def _reads_a_tile(instruction: Instruction) -> bool:
    is_load = instruction.base == "ld" and "shared" in instruction.modifiers
    return is_load or instruction.base in ("ldmatrix", "wmma", "mma")


def launch_overhead_s(kernel_s: float, model: ModelSpec, *, first: bool) -> float:
    """Seconds a launch adds to its kernel's own: start-up, or the gap behind the kernel before it."""
    if first:
        return model.launch_us * 1e-6
    return max(model.next_launch_us * 1e-6, model.host_launch_us * 1e-6 - kernel_s)
