"""Opens GPUs by name, or says in one sentence what is missing and what mends it."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cudamaster.toolchain.devices.cuda.attributes import (
    compute_capability,
    device_spec,
    known_capabilities,
)
from cudamaster.toolchain.devices.cuda.driver import CudaDriver, load_driver
from cudamaster.toolchain.devices.cuda.locks import GpuLocks
from cudamaster.toolchain.devices.cuda.nvml import GpuProcess, Nvml, NvmlGpu, open_nvml
from cudamaster.toolchain.devices.cuda.selection import SHARED, Selection, parse_selection
from cudamaster.toolchain.errors import EnvironmentLacks, UnknownDevice
from cudamaster.toolchain.nvcc.architectures import generations
from cudamaster.toolchain.nvcc.finder import Toolchain, find_toolchain
from cudamaster.toolchain.spec import DeviceSpec

BUS_ID_BYTES = 32
SETTLING_SECONDS = 10.0
"""For which processes of a run that was just ended, perhaps in a hung kernel, may still be on the GPU."""
LOOK_SECONDS = 0.1
LOCKS = GpuLocks()


@dataclass(frozen=True, slots=True, eq=False)
class Gpu:
    """One GPU of this machine."""

    index: int
    """As the driver counts the visible ones."""
    handle: Any
    """The driver's `CUdevice`."""
    monitor: NvmlGpu
    """Clocks, heat and processes."""

    @property
    def name(self) -> str:
        """`cuda:0 (NVIDIA H200)`."""
        return f"cuda:{self.index} ({self.monitor.title})"


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """The driver, NVML and compiler of this machine: what GPUs are reached through."""

    driver: CudaDriver
    nvml: Nvml
    toolchain: Toolchain

    def gpus(self) -> tuple[Gpu, ...]:
        """All visible ones. Raises DriverFailed, EnvironmentLacks."""
        count = self.driver.call("cuDeviceGetCount")
        return tuple(self._gpu(index) for index in range(count))

    def _gpu(self, index: int) -> Gpu:
        handle = self.driver.call("cuDeviceGet", index)
        bus_id = self.driver.call("cuDeviceGetPCIBusId", BUS_ID_BYTES, handle)
        return Gpu(index, handle, self.nvml.gpu_at(bus_id.split(b"\0")[0].decode()))

    def lacks(self, gpu: Gpu) -> str | None:
        """Why `gpu` cannot be used, in one sentence with what helps; None where it can."""
        return self._older_driver() or _slice(gpu) or self._architecture(gpu)

    def spec(self, gpu: Gpu) -> DeviceSpec:
        """Limits and peaks of a GPU that lacks nothing."""
        return device_spec(self.driver, gpu.handle, gpu.monitor)

    def _older_driver(self) -> str | None:
        version = int(self.driver.call("cuDriverGetVersion"))
        major, minor = version // 1000, version % 1000 // 10
        if major >= int(self.toolchain.version.split(".")[0]):
            return None  # within one major version older drivers run what newer compilers made for their GPU
        return (
            f"the driver is older than the toolkit: it runs CUDA {major}.{minor}, and nvcc is "
            f"{self.toolchain.version}; update the driver, or set CUDAMASTER_NVCC to an nvcc {major}"
        )

    def _architecture(self, gpu: Gpu) -> str | None:
        capability = compute_capability(self.driver, gpu.handle)
        if capability.generation not in generations(self.toolchain):
            return (
                f"nvcc {self.toolchain.version} does not compile for compute capability {capability}; set "
                "CUDAMASTER_NVCC to one that does"
            )
        if str(capability) not in known_capabilities():
            known = ", ".join(known_capabilities())
            return f"the peaks of compute capability {capability} are not known, only those of {known}"
        return None


def _slice(gpu: Gpu) -> str | None:
    if not gpu.monitor.is_sliced():
        return None
    return (
        "it is in MIG mode, and a slice's peaks are not known: use a whole GPU ('sudo nvidia-smi -i "
        f"{gpu.index} -mig 0' ends the mode)"
    )


@dataclass(eq=False)
class OpenedGpus:
    """GPUs of one kind, held until `close`: what a device is made of."""

    machine: Machine
    gpus: tuple[Gpu, ...]
    """At least one."""
    spec: DeviceSpec
    name: str
    """Such as `cuda:0,1`; opens the same again."""
    _held: ExitStack

    def close(self) -> None:
        """Let go of the locks and of NVML."""
        self._held.close()


def open_machine() -> Machine:
    """This machine's driver, nvcc and NVML. Raises EnvironmentLacks, saying which is missing."""
    driver, toolchain = load_driver(), find_toolchain()
    return Machine(driver, open_nvml(), toolchain)


@contextmanager
def machine_opened() -> Iterator[Machine]:
    """This machine for as long as the block runs. Raises EnvironmentLacks."""
    machine = open_machine()
    try:
        yield machine
    finally:
        machine.nvml.close()


def open_gpus(argument: str | None, machine: Machine | None = None, locks: GpuLocks = LOCKS) -> OpenedGpus:
    """Open and lock the GPUs that `argument` names (see `selection`); `machine` is closed with them.

    Waits for another run to end. Raises UnknownDevice; EnvironmentLacks where something is missing, or
    another process is on the GPU and it is not `shared`.
    """
    selection = parse_selection(argument)
    machine = machine or open_machine()
    with ExitStack() as undo:
        undo.callback(machine.nvml.close)
        gpus = _selected(selection, machine)
        spec = _one_kind(machine, gpus)
        if not selection.shared:
            # in one order, so that no two runs wait for each other
            for gpu in sorted(gpus, key=lambda gpu: gpu.monitor.uuid):
                _hold(gpu, locks, undo)
        return OpenedGpus(machine, gpus, spec, _name(gpus, selection), undo.pop_all())


def _selected(selection: Selection, machine: Machine) -> tuple[Gpu, ...]:
    there = machine.gpus()
    gpus = tuple(there[index] for index in selection.among(len(there)))
    for gpu in gpus:
        if lack := machine.lacks(gpu):
            raise EnvironmentLacks(f"{gpu.name} cannot be used: {lack}")
    return gpus


def _one_kind(machine: Machine, gpus: tuple[Gpu, ...]) -> DeviceSpec:
    spec = machine.spec(gpus[0])
    for other in gpus[1:]:
        if machine.spec(other) != spec:
            raise UnknownDevice(
                f"{gpus[0].name} and {other.name} are of different kinds: times on them do not compare; "
                "name GPUs of one kind"
            )
    return spec


def _hold(gpu: Gpu, locks: GpuLocks, undo: ExitStack) -> None:
    uuid = gpu.monitor.uuid
    first = locks.take(uuid, gpu.name)
    undo.callback(locks.release, uuid)
    if first:
        _require_alone(gpu)


def _require_alone(gpu: Gpu) -> None:
    """Raises EnvironmentLacks where another process is on the GPU: this run has its lock, and no worker yet.

    This process itself may be: what it opened before can be seen for a while, or is its user's own. So may
    those that started it and wait for it.
    """
    deadline, own = time.monotonic() + SETTLING_SECONDS, _line_of_descent()
    while processes := tuple(p for p in gpu.monitor.processes() if p.pid not in own):
        if time.monotonic() >= deadline:
            raise EnvironmentLacks(
                f"{gpu.name} is busy with {_listed(processes)}, which would disturb times: end that, name "
                f"another GPU, or accept it with --device cuda:{gpu.index},{SHARED}"
            )
        time.sleep(LOOK_SECONDS)


def _line_of_descent() -> set[int]:
    """This process, its parent, the parent of that, and so on, as far as they can be seen."""
    process, found = os.getpid(), set[int]()
    while process > 0 and process not in found:
        found.add(process)
        with suppress(OSError):
            after_name = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2]
            process = int(after_name.split()[1])
    return found


def _listed(processes: tuple[GpuProcess, ...]) -> str:
    return "process " + ", ".join(f"{process.pid}{_command(process.pid)}" for process in processes)


def _command(pid: int) -> str:
    """` (python)`, where the number is one of this system's processes."""
    try:
        return f" ({Path(f'/proc/{pid}/comm').read_text(encoding='utf-8').strip()})"
    except OSError:
        return ""


def _name(gpus: tuple[Gpu, ...], selection: Selection) -> str:
    words = [str(gpu.index) for gpu in gpus] + ([SHARED] if selection.shared else [])
    return f"cuda:{','.join(words)}"
