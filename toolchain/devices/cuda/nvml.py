"""What NVML tells of one GPU: name, clocks, heat, processes. Nothing here ever changes a setting."""

from contextlib import suppress
from typing import Any, NamedTuple

from cudamaster.toolchain.devices.cuda.nvml_library import NvmlLibrary
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.timing import Slowdown


class GpuProcess(NamedTuple):
    """A process with a CUDA context on the GPU; in a container its number may be the host's."""

    pid: int
    memory_bytes: int | None
    """None where the system does not tell."""


class NvmlGpu:
    """One GPU, as NVML sees it; asking raises EnvironmentLacks where it does not answer.

    `nvml` is the module `pynvml`, or what stands in for it.
    """

    def __init__(self, nvml: Any, handle: Any) -> None:
        self._nvml = nvml
        self._handle = handle

    @property
    def title(self) -> str:
        """The vendor's name, such as `NVIDIA H200`."""
        return str(self._ask("nvmlDeviceGetName"))

    @property
    def uuid(self) -> str:
        """Such as `GPU-3f2a…`."""
        return str(self._ask("nvmlDeviceGetUUID"))

    @property
    def highest_sm_hz(self) -> float:
        """The SM clock it boosts to at most."""
        return 1e6 * float(self._ask("nvmlDeviceGetMaxClockInfo", self._nvml.NVML_CLOCK_SM))

    @property
    def highest_memory_hz(self) -> float:
        """The memory clock at most; data moves on both edges."""
        return 1e6 * float(self._ask("nvmlDeviceGetMaxClockInfo", self._nvml.NVML_CLOCK_MEM))

    def sm_mhz(self) -> float:
        """The SM clock now."""
        return float(self._ask("nvmlDeviceGetClockInfo", self._nvml.NVML_CLOCK_SM))

    def temperature_celsius(self) -> float | None:
        """Of the die; None where it has no sensor that may be read."""
        with suppress(self._nvml.NVMLError):
            sensor = self._nvml.NVML_TEMPERATURE_GPU
            return float(self._nvml.nvmlDeviceGetTemperature(self._handle, sensor))
        return None

    def slowdowns(self) -> frozenset[Slowdown]:
        """What keeps the SM clock down now; an idle GPU's low clock and a set clock are no slowdowns.

        None where nobody may know the reasons, as in some containers: the clock itself shows what they do.
        """
        reasons = 0
        untold = self._nvml.NVMLError_NotSupported, self._nvml.NVMLError_NoPermission
        try:
            with suppress(*untold, self._nvml.NVMLError_FunctionNotFound):
                reasons = int(self._nvml.nvmlDeviceGetCurrentClocksEventReasons(self._handle))
        except self._nvml.NVMLError as failure:
            raise _silent("nvmlDeviceGetCurrentClocksEventReasons", failure) from failure
        heat = self._nvml.nvmlClocksEventReasonSwThermalSlowdown
        hot = self._nvml.nvmlClocksEventReasonHwThermalSlowdown
        brake = self._nvml.nvmlClocksEventReasonHwPowerBrakeSlowdown
        hardware = self._nvml.nvmlClocksEventReasonHwSlowdown
        found = {
            Slowdown.POWER_CAP: reasons & self._nvml.nvmlClocksEventReasonSwPowerCap,
            Slowdown.HEAT: reasons & (heat | hot),
            Slowdown.POWER_BRAKE: reasons & brake,
            # this bit is also set beside the two that say why the hardware slows down
            Slowdown.HARDWARE: reasons & hardware and not reasons & (hot | brake),
        }
        return frozenset(slowdown for slowdown, is_set in found.items() if is_set)

    def processes(self) -> tuple[GpuProcess, ...]:
        """Those with a CUDA context on it that NVML names: none, where it may not."""
        running: list[Any] = []
        with suppress(self._nvml.NVMLError_NotSupported, self._nvml.NVMLError_NoPermission):
            running = self._nvml.nvmlDeviceGetComputeRunningProcesses(self._handle)
        return tuple(GpuProcess(process.pid, process.usedGpuMemory) for process in running)

    def is_sliced(self) -> bool:
        """Whether it is cut into MIG slices; no, where it cannot be."""
        with suppress(self._nvml.NVMLError_NotSupported, self._nvml.NVMLError_NoPermission):
            current, _ = self._nvml.nvmlDeviceGetMigMode(self._handle)
            return bool(current == self._nvml.NVML_DEVICE_MIG_ENABLE)
        return False

    def _ask(self, function: str, *arguments: Any) -> Any:
        """What NVML says of this GPU. Raises EnvironmentLacks where it does not."""
        try:
            return getattr(self._nvml, function)(self._handle, *arguments)
        except self._nvml.NVMLError as failure:
            raise _silent(function, failure) from failure


def _silent(function: str, failure: Exception) -> EnvironmentLacks:
    return EnvironmentLacks(f"the GPU does not answer ({function}): {failure}")


class Nvml:
    """NVML, opened. `module` is `pynvml`, or what stands in for it."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def gpu_at(self, bus_id: str) -> NvmlGpu:
        """The GPU at this place of the PCI bus. Raises EnvironmentLacks where NVML does not know it."""
        try:
            return NvmlGpu(self._module, self._module.nvmlDeviceGetHandleByPciBusId(bus_id))
        except self._module.NVMLError as failure:
            raise EnvironmentLacks(f"NVML does not know the GPU at PCI bus {bus_id}: {failure}") from failure

    @property
    def driver_version(self) -> str:
        """Such as `580.65.06`."""
        return str(self._module.nvmlSystemGetDriverVersion())

    def close(self) -> None:
        """Let go of it."""
        self._module.nvmlShutdown()


def _installed() -> Any:
    try:
        import pynvml
    except ImportError:
        return NvmlLibrary()
    return pynvml


def open_nvml(module: Any = None) -> Nvml:
    """NVML of this machine, by `pynvml` where that is installed; raises EnvironmentLacks.

    Calls count, so that each has its own `close`.
    """
    module = module or _installed()
    try:
        module.nvmlInit()
    except module.NVMLError as failure:
        raise EnvironmentLacks(
            f"NVML does not answer: {failure}; it comes with NVIDIA's driver (libnvidia-ml.so.1), in a "
            "container with the capability 'utility' (NVIDIA_DRIVER_CAPABILITIES)"
        ) from failure
    return Nvml(module)
