"""A GPU's primary context in this process: the one that the CUDA runtime uses too."""

from typing import Any

from cudamaster.toolchain.devices.cuda.driver import ADVICE, CudaDriver
from cudamaster.toolchain.errors import DriverFailed, EnvironmentLacks

OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"


class Context:
    """The context of the driver's handle `gpu`.

    Raises EnvironmentLacks where it cannot be made and it is known what helps, else DriverFailed.
    """

    def __init__(self, driver: CudaDriver, gpu: Any) -> None:
        self.driver = driver
        self.gpu = gpu
        try:
            self._context = driver.call("cuDevicePrimaryCtxRetain", gpu)
        except DriverFailed as failure:
            if failure.error not in ADVICE:
                raise
            words = f"the GPU cannot be used ({failure.error}): {ADVICE[failure.error]}"
            raise EnvironmentLacks(words) from failure

    def use(self) -> None:
        """Have this thread's later calls go to it."""
        self.driver.call("cuCtxSetCurrent", self._context)

    def wait(self) -> None:
        """Until everything asked of the GPU here is done. Raises DriverFailed with what went wrong."""
        self.driver.call("cuCtxSynchronize")

    def attribute(self, name: str) -> int:
        """The GPU's attribute of this name."""
        number = getattr(self.driver.binding.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
        return int(self.driver.call("cuDeviceGetAttribute", number, self.gpu))

    def let_go(self, name: str, *arguments: Any) -> None:
        """Give something back with the driver's function `name`; a lost context has lost it already."""
        getattr(self.driver.binding, name)(*arguments)

    def close(self) -> None:
        """Let go of it; the last one in the process destroys it."""
        self.let_go("cuDevicePrimaryCtxRelease", self.gpu)
