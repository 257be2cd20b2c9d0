"""Whole calls on heavy workloads, compared at drawn places, for as long as there is time."""

import time
from collections.abc import Sequence
from typing import NamedTuple

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from mskernelbench.guards import Refusal
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.spots import Asked, called_whole


class Told(NamedTuple):
    """What came of some whole calls."""

    right: tuple[Workload, ...]
    refusal: Refusal | None = None
    """What is wrong with the call that ended them."""


class WholeCalls(NamedTuple):
    """Calls of one candidate."""

    build: Build
    device: Device
    operator: Operator
    precision: Precision
    materials: Materials
    keeps_state: bool
    """Whether one call could leave something to the next."""

    def look(self, workloads: Sequence[Workload], seconds: float) -> Told:
        """Call it on each in turn; none begins after so many seconds, or after one that is wrong."""
        right: list[Workload] = []
        begun = time.monotonic()
        for workload in workloads:
            if time.monotonic() - begun > seconds:
                break
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
