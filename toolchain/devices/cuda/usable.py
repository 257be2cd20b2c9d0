"""Whether a GPU can be used as it is here: by several processes at a time that share memory."""

from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.errors import EnvironmentLacks

REQUIRED = {
    "VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED": "maps no memory at chosen addresses",
    "HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED": "shares no memory between processes by open files",
}
"""Attributes that a GPU needs, and what one that lacks them cannot do, as in some virtual machines."""


def require_usable(context: Context, name: str) -> None:
    """Raises EnvironmentLacks where a GPU cannot be used by two processes at a time as they are here."""
    if context.attribute("COMPUTE_MODE") != context.driver.binding.CUcomputemode.CU_COMPUTEMODE_DEFAULT:
        raise EnvironmentLacks(
            f"{name} takes one process at a time, and kernels run in another than their judge: "
            "'sudo nvidia-smi -c DEFAULT' lets several use it"
        )
    if context.attribute("MPS_ENABLED"):
        raise EnvironmentLacks(
            f"{name} is used through CUDA MPS, where a kernel that faults ends what others run: end it with "
            "'echo quit | nvidia-cuda-mps-control'"
        )
    for attribute, lack in REQUIRED.items():
        if not context.attribute(attribute):
            raise EnvironmentLacks(
                f"{name} {lack} under this driver ({attribute}): use a GPU of the machine itself"
            )
