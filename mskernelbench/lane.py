"""Whose calls are timed, on what, and what a time is judged by."""

from collections.abc import Collection
from dataclasses import dataclass

from cudamaster.toolchain.arguments import Access
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.timing import Clock, Timing
from mskernelbench.checking import COMPARISON
from mskernelbench.guards.evidence import TimeEvidence
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.roofline import roofline
from mskernelbench.sampled import right_in_samples

ALONE_FLOPS = 1 << 36
"""Above this, blocks that depend on others are not counted as all of these run: that takes too long."""


@dataclass(frozen=True, slots=True)
class Lane:
    """Whose work is timed, on what."""

    device: Device
    operator: Operator
    precision: Precision
    materials: Materials
    seed: int
    without: Collection[str] = ()
    """Guards that do not count."""

    def is_heavy(self, workload: Workload) -> bool:
        """Whether blocks that depend on others have no time on it."""
        return self.operator.flops(workload.shape) > ALONE_FLOPS

    def least_bytes(self, workload: Workload) -> int:
        """What a right call on the workload touches at least; what it reads and overwrites counts once."""
        least = self.operator.dram_bytes(workload.shape, self.precision)
        tensors = self.materials.arguments(workload).tensors
        return least - sum(tensor.array.nbytes for tensor in tensors if tensor.access is Access.IN_PLACE)

    def evidence(self, workload: Workload, timing: Timing) -> TimeEvidence:
        """What the guards look at."""
        roof = roofline(self.device.spec, self.operator, self.precision, workload)
        return TimeEvidence(
            workload,
            timing.median_ms,
            roof.floor_ms,
            self.device.clock,
            self.least_bytes(workload),
            {t.name: t.array.nbytes for t in self.materials.arguments(workload).tensors},
            timing.extents,
            timing.moved_bytes,
            timing.transferred_bytes,
        )

    def right_in_samples(self, workload: Workload, timing: Timing) -> bool:
        """Whether what the timed call wrote is right at the places that were looked at; False says little."""
        if not timing.written or COMPARISON in self.without:
            return False
        if timing.clock is Clock.MEASURED:  # and it was not refused for what it wrote
            return True
        arguments = self.materials.arguments(workload)
        return right_in_samples(self.operator, self.precision, workload, arguments, timing)
