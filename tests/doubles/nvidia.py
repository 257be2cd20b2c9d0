"""NVIDIA's two libraries as a machine with GPUs has them: `cuda.bindings.driver` and `pynvml`.

Only what finding and opening GPUs calls is there; enumerations and errors are the real modules'.
"""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pynvml
from cuda.bindings import driver as binding

SUCCESS = binding.CUresult.CUDA_SUCCESS
H200_ATTRIBUTES = {
    "COMPUTE_CAPABILITY_MAJOR": 9,
    "COMPUTE_CAPABILITY_MINOR": 0,
    "MULTIPROCESSOR_COUNT": 132,
    "GLOBAL_MEMORY_BUS_WIDTH": 6144,
    "L2_CACHE_SIZE": 52428800,
    "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR": 233472,
    "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN": 232448,
    "MAX_REGISTERS_PER_MULTIPROCESSOR": 65536,
    "MAX_THREADS_PER_MULTIPROCESSOR": 2048,
    "MAX_BLOCKS_PER_MULTIPROCESSOR": 32,
}


@dataclass
class Card:
    """One GPU and the state it is in."""

    title: str = "NVIDIA H200"
    bus_id: str = "00000000:1B:00.0"
    uuid: str = "GPU-11111111-2222-3333-4444-555555555555"
    attributes: dict[str, int] = field(default_factory=lambda: dict(H200_ATTRIBUTES))
    memory_bytes: int = 150_000_000_000
    highest_mhz: dict[int, int] = field(
        default_factory=lambda: {pynvml.NVML_CLOCK_SM: 1980, pynvml.NVML_CLOCK_MEM: 3201}
    )
    sm_mhz: int = 1755
    reasons: int | Exception = pynvml.nvmlClocksEventReasonNone
    """What keeps the clock down, or how it refuses to tell."""
    celsius: int | None = 41
    processes: list[tuple[int, int | None]] | None = field(default_factory=list)
    """Number and memory; None where nobody may know."""
    lost: bool = False
    """Whether it fell off the bus."""
    mig: tuple[int, int] | None = (0, 0)
    """Current and pending mode; None where the GPU has no such mode."""


@dataclass
class FakeBinding:
    """`cuda.bindings.driver` over these cards; `cuInit` gives `starts`."""

    cards: list[Card]
    version: int = 13000
    starts: Any = SUCCESS
    CUresult: Any = binding.CUresult
    CUdevice_attribute: Any = binding.CUdevice_attribute

    def cuInit(self, Flags: int) -> tuple[Any]:  # noqa: N802, N803 (the real names)
        assert Flags == 0
        return (self.starts,)

    def cuDriverGetVersion(self) -> tuple[Any, int]:  # noqa: N802
        return SUCCESS, self.version

    def cuDeviceGetCount(self) -> tuple[Any, int]:  # noqa: N802
        return SUCCESS, len(self.cards)

    def cuDeviceGet(self, ordinal: int) -> tuple[Any, Any]:  # noqa: N802
        if ordinal >= len(self.cards):
            return binding.CUresult.CUDA_ERROR_INVALID_DEVICE, None
        return SUCCESS, binding.CUdevice(ordinal)

    def cuDeviceGetPCIBusId(self, length: int, dev: Any) -> tuple[Any, bytes]:  # noqa: N802
        short = self.cards[int(dev)].bus_id[4:]  # the driver writes four digits of the domain, NVML eight
        return SUCCESS, short.encode().ljust(length, b"\0")

    def cuDeviceTotalMem(self, dev: Any) -> tuple[Any, int]:  # noqa: N802
        return SUCCESS, self.cards[int(dev)].memory_bytes

    def cuDeviceGetAttribute(self, attrib: Any, dev: Any) -> tuple[Any, int]:  # noqa: N802
        assert isinstance(attrib, binding.CUdevice_attribute)
        return SUCCESS, self.cards[int(dev)].attributes[attrib.name.removeprefix("CU_DEVICE_ATTRIBUTE_")]


@dataclass
class FakeNvml:
    """`pynvml` over these cards; `opened` counts those who have not closed it."""

    cards: list[Card]
    starts: Exception | None = None
    opened: int = 0

    def __getattr__(self, name: str) -> Any:
        """Constants and exceptions are the real ones; other functions are no part of the double."""
        value = getattr(pynvml, name)
        if callable(value) and not isinstance(value, type):
            raise AttributeError(f"pynvml.{name} is not faked")
        return value

    def nvmlInit(self) -> None:  # noqa: N802
        if self.starts:
            raise self.starts
        self.opened += 1

    def nvmlShutdown(self) -> None:  # noqa: N802
        self.opened -= 1

    def nvmlSystemGetDriverVersion(self) -> str:  # noqa: N802
        return "580.65.06"

    def nvmlDeviceGetHandleByPciBusId(self, pciBusId: str) -> Card:  # noqa: N802, N803
        for card in self.cards:
            if pciBusId in (card.bus_id, card.bus_id[4:]):
                return card
        raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)

    def nvmlDeviceGetName(self, handle: Card) -> str:  # noqa: N802
        return handle.title

    def nvmlDeviceGetUUID(self, handle: Card) -> str:  # noqa: N802
        return handle.uuid

    def nvmlDeviceGetMaxClockInfo(self, handle: Card, type: int) -> int:  # noqa: N802
        return handle.highest_mhz[type]

    def nvmlDeviceGetClockInfo(self, handle: Card, type: int) -> int:  # noqa: N802
        assert type == pynvml.NVML_CLOCK_SM
        if handle.lost:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST)
        return handle.sm_mhz

    def nvmlDeviceGetTemperature(self, handle: Card, sensor: int) -> int:  # noqa: N802
        assert sensor == pynvml.NVML_TEMPERATURE_GPU
        if handle.celsius is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return handle.celsius

    def nvmlDeviceGetCurrentClocksEventReasons(self, handle: Card) -> int:  # noqa: N802
        if isinstance(handle.reasons, Exception):
            raise handle.reasons
        return handle.reasons

    def nvmlDeviceGetComputeRunningProcesses(self, handle: Card) -> list[SimpleNamespace]:  # noqa: N802
        if handle.processes is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NO_PERMISSION)
        return [SimpleNamespace(pid=pid, usedGpuMemory=used) for pid, used in handle.processes]

    def nvmlDeviceGetMigMode(self, device: Card) -> list[int]:  # noqa: N802
        if device.mig is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return list(device.mig)
