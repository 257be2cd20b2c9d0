"""Whole calls on heavy workloads, compared at drawn places, as many as do not cost too much."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from mskernelbench.call_cost import affordable_calls
from mskernelbench.guards import Refusal
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.spots import Asked, called_whole


class Told(NamedTuple):
    """What came of some whole calls."""

    right: tuple[Workload, ...]
    refusal: Refusal | None = None
    """What is wrong with the call that ended them."""

    @property
    def keys(self) -> frozenset[tuple[object, ...]]:
        """Of the rows of those that are right."""
        return frozenset(workload.key for workload in self.right)


class WholeCalls(NamedTuple):
    """Calls of one candidate."""

    build: Build
    device: Device
    operator: Operator
    precision: Precision
    materials: Materials
    keeps_state: bool
    """Whether one call could leave something to the next."""
    cost: Callable[[Workload], float]
    """Steps of a call."""

    def look(self, workloads: Sequence[Workload], steps: float) -> Told:
        """Call it on each in turn, for as many steps; none after one that is wrong."""
        right: list[Workload] = []
        for workload in affordable_calls(workloads, self.cost, steps):
            self.begin_anew()
            arguments = self.materials.arguments(workload)
            asked = Asked(self.operator, self.precision, workload, arguments)
            found = called_whole(self.device, self.build, asked)
            if isinstance(found, Refusal):
                return Told(tuple(right), found)
            if found:
                right.append(workload)
        return Told(tuple(right))

    def begin_anew(self) -> None:
        """Nothing that an earlier call left is there."""
        if self.keeps_state:
            self.device.release(self.build)
