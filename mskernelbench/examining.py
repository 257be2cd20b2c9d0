"""A champion's call under the device's tools for memory and races: the last thing that can refuse it."""

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device, Examining
from mskernelbench.evaluation import Status
from mskernelbench.guards import Refusal
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator


def examined(device: Device, build: Build, operator: Operator, materials: Materials) -> Refusal | str:
    """The fault that a tool finds in a call on the heaviest `check` workload; else what was examined.

    That is an empty text on a device whose own runs see everything.
    """
    if not isinstance(device, Examining):
        return ""
    workload = max(operator.in_set("check"), key=lambda workload: operator.weight(workload.shape))
    found = device.examine(build, materials.arguments(workload))
    if found.faults:
        first = found.faults[0]
        return Refusal(Status.WRONG, f"{first} in check workload {workload.label}", rule=first.kind)
    return found.missing or f"{', '.join(found.checks)} found nothing"
