"""A GPU's primary context in this process: the one that the CUDA runtime uses too."""

from typing import Any

from cudamaster.toolchain.devices.cuda.driver import CudaDriver

OUT_OF_MEMORY = "CUDA_ERROR_OUT_OF_MEMORY"


class Context:
    """The context of the driver's handle `gpu`. Raises DriverFailed where it cannot be made."""

    def __init__(self, driver: CudaDriver, gpu: Any) -> None:
        self.driver = driver
        self.gpu = gpu
        self._context = driver.call("cuDevicePrimaryCtxRetain", gpu)

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
