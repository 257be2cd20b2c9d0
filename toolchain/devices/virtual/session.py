"""One candidate library inside the worker's process: calls of its entry, run or sampled.

    session = Session(library, spec=gpu.device, resources=build.resources)
    with session.buffers([Region(address, nbytes, writable=False, name="x"), ...]):
        report = session.call("softmax", [address_x, address_y, Scalar("n", 1024, "int")])

A faulty candidate is a value in the report. What the virtual GPU lacks is raised as `Unsupported`.
"""

import contextlib
import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.calling import HostReport
from cudamaster.toolchain.devices.virtual.cost.host_calls import TRANSFER
from cudamaster.toolchain.devices.virtual.engine import Engine, Order
from cudamaster.toolchain.devices.virtual.extents import touched_bytes
from cudamaster.toolchain.devices.virtual.host import CudaError, CudaRuntime
from cudamaster.toolchain.devices.virtual.hosting import GuestHost, Host, OwnHost, Region
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.machine import EngineMachine
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.sampling import SamplePlan
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.devices.virtual.translations import Translator, translated
from cudamaster.toolchain.devices.virtual.watching import FEW_ACCESSES, Watch
from cudamaster.toolchain.outputs import Fault
from cudamaster.toolchain.passing import Argument
from cudamaster.toolchain.spec import DeviceSpec

ENOUGH = 0.9
"""Share of what it must touch that the sampled blocks of a call have to account for."""


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """How a session runs kernels."""

    threads: int = 2
    order: Order = "forward"
    """Warp order of run mode."""
    check_memory: bool = True
    allocation_limit_bytes: int | None = None
    """Most device memory the candidate may allocate; None for all of the device's."""


@dataclass(frozen=True, slots=True, eq=False)
class CallReport:
    """What one call of an entry did."""

    launches: tuple[LaunchRequest, ...]
    """Every launch that passed the runtime's checks, in order, replays of graphs included."""
    fault: Fault | None
    """The first fault that stopped a launch; the launches after it did not run."""
    faults: tuple[Fault, ...]
    """Every fault, those of a watched call that did not stop a launch included."""
    notes: tuple[Fault, ...]
    """Of a watched call: what may be harmless."""
    refused_launch: str | None
    """The first launch that the runtime's checks refused, with its error."""
    violation: str | None
    """What the host code did that the harness forbids, such as copying into an input."""
    refused_bytes: int
    """Of the first allocation that was refused; 0 where none was."""
    error: CudaError | None
    """The last error left behind, as cudaPeekAtLastError gives it; sticky after a fault."""
    leaked_bytes: int
    """Device memory allocated in this call and still live."""
    seconds: float
    """Wall time of the call."""
    follows_data: bool = False
    """Whether host code read device memory while launches were only sampled: it may have seen wrong data."""
    samples: tuple[tuple[SampledLaunch, int], ...] = ()
    """Sampled launches in order, each with the number of launches it stands for (sample mode only)."""
    order: tuple[int, ...] = ()
    """Of each launch which of the samples it counts as (sample mode only)."""
    memory_operations: tuple[tuple[str, int], ...] = ()
    """`memset` and `memcpy` within device memory: name, bytes read and written."""

    @property
    def repeats(self) -> frozenset[tuple[bytes, bytes]]:
        """Parameters of launches beside those of the sample that each counts as, where they differ."""
        pairs = zip(self.launches, self.order, strict=False)
        both = {(launch.parameters, self.samples[place][0].request.parameters) for launch, place in pairs}
        return frozenset((own, other) for own, other in both if own != other)

    @property
    def moved_bytes(self) -> int:
        """Bytes of device memory read and written by fills and copies within it."""
        return sum(moved for name, moved in self.memory_operations if name != TRANSFER)

    @property
    def transferred_bytes(self) -> int:
        """Bytes copied between the device and the host."""
        return sum(moved for name, moved in self.memory_operations if name == TRANSFER)

    @property
    def failed(self) -> bool:
        """Whether the call went wrong as hardware would report too, or did what the harness forbids."""
        return any((self.fault, self.refused_launch, self.error, self.violation))

    @property
    def reason(self) -> str:
        """One sentence on what went wrong; empty where nothing did."""
        error = f"the entry left {self.error}" if self.error else ""
        reason = str(self.fault) if self.fault else self.refused_launch or self.violation or error
        if reason and self.refused_bytes:
            return f"{reason}, after an allocation of {self.refused_bytes} bytes was refused"
        return reason


@dataclass(slots=True, eq=False)
class Session:
    """A loaded candidate. One a process: the CUDA runtime's state is the process's."""

    library: Path
    spec: DeviceSpec
    options: SessionOptions = SessionOptions()
    resources: tuple[KernelResources, ...] = ()
    """What ptxas said of each kernel, for occupancy queries and checks of launches."""
    l1_share: Callable[[LaunchRequest], int] = lambda request: 0
    """Bytes of L1 that a sampled block has to itself; 0 for the engine's own."""
    residents: Callable[[LaunchRequest], int] = lambda request: 1
    """How many blocks the whole GPU would hold at one time."""
    translator: Translator = translated
    """Where the kernels' machine code comes from."""
    _native: ctypes.CDLL = field(init=False)
    _machine: EngineMachine = field(init=False)
    _runtime: CudaRuntime = field(init=False)
    guest: GuestHost | None = None
    """Where the host code runs; None for this process, which suits trusted code only."""
    _host: Host = field(init=False)
    _regions: Sequence[Region] = ()

    def __post_init__(self) -> None:
        """Load the library. Raises Unsupported for runtime calls we lack, PtxError for PTX we cannot read."""
        self._native = load_native()
        options = self.options
        engine = Engine(
            self._native,
            threads=options.threads,
            check_memory=options.check_memory,
            order=options.order,
            translator=self.translator,
            shared=self.guest.share if self.guest else None,
        )
        engine.latency = load_gpu(self.spec.name).model.latency
        self._machine = EngineMachine(
            engine, self._native, self.resources, l1_share=self.l1_share, residents=self.residents
        )
        self._runtime = CudaRuntime(self._native, self._machine)
        limit = options.allocation_limit_bytes
        self._runtime.set_device(self.spec, self.spec.dram_bytes if limit is None else limit)
        self._host = self.guest.connect(self._machine) if self.guest else OwnHost(self._runtime)
        self._host.load(self.library)

    @contextlib.contextmanager
    def buffers(self, regions: Sequence[Region]) -> Iterator[None]:
        """Let kernels touch `regions`; every access is checked against them."""
        registered: list[int] = []
        try:
            for region in regions:
                if self._register(region):
                    raise ValueError(f"the region {region.name} overlaps another")
                registered.append(region.address)
            self._regions = regions
            yield
        finally:
            self._regions = ()
            for address in registered:
                self._native.vg_unregister(ctypes.c_void_p(address))

    def watch(self, regions: Sequence[Region], *, in_passing: bool = False) -> None:
        """Have the next call watched: races, and reads of memory that nothing has written.

        In passing only some of its accesses are, and of memory only what blocks share.
        """
        if in_passing:
            self._machine.engine.watch = Watch(FEW_ACCESSES, in_passing=True)
            return
        self._native.vg_track(1)
        for region in regions:
            if region.blank:
                self._native.vg_blank(ctypes.c_void_p(region.address))
        self._machine.engine.watch = Watch()

    def pace(self, order: Order, launch_seconds: float) -> None:
        """Choose the order of warps in run mode, and the wall time of one launch, for later calls."""
        self._machine.engine.order = order
        self._machine.engine.limit_seconds = launch_seconds

    @property
    def processor_seconds(self) -> float:
        """Spent in kernels so far, by all threads."""
        return self._machine.engine.processor_seconds

    def _register(self, region: Region) -> int:
        address, nbytes = ctypes.c_void_p(region.address), ctypes.c_size_t(region.nbytes)
        code: int = self._native.vg_register(address, nbytes, int(region.writable), region.name.encode())
        return code

    def call(self, entry: str, arguments: Sequence[Argument], plan: SamplePlan | None = None) -> CallReport:
        """Call `extern "C" void entry(arguments…, stream)` once.

        Without a plan every launch runs whole. With one, each launch is sampled as the plan says, and runs
        whole besides where that is cheap; a fault that skipped work may have caused counts only if it occurs
        again when all launches run whole. After a fault the entry is left where it was. A call that touches
        less than it must is counted within whole launches, and so is one whose launches seem to do more than
        is known of.
        Raises Unsupported, or AttributeError where there is no such entry.
        """
        if plan is None:
            return self._call_once(entry, arguments, None)
        if plan.within:
            return self._call_once(entry, arguments, plan)
        before = self._machine.take_snapshot(plan)
        report = self._call_once(entry, arguments, plan)
        if not self._must_run_within(report, plan):
            self._machine.drop(before)
            return report
        self._machine.put_back(before)
        return self._call_once(entry, arguments, plan.whole())

    def _must_run_within(self, report: CallReport, plan: SamplePlan) -> bool:
        """Whether samples do not show what the call does."""
        machine = self._machine
        if machine.hides and not report.failed:
            return True
        return machine.incomplete and (report.fault is not None or not self._touches_enough(report, plan))

    def _touches_enough(self, report: CallReport, plan: SamplePlan) -> bool:
        """Whether sampled blocks may have touched what they must; they touch less where data were missing."""
        buffers = [(region.name, region.address, region.nbytes) for region in self._regions]
        touched = touched_bytes(report.samples, buffers, report.moved_bytes, report.repeats)
        return report.failed or touched >= ENOUGH * plan.least_bytes

    def _call_once(self, entry: str, arguments: Sequence[Argument], plan: SamplePlan | None) -> CallReport:
        self._machine.begin(plan)
        live = self._device_bytes()
        start = time.perf_counter()
        said = self._host.call(entry, arguments, self._regions)
        seconds = time.perf_counter() - start
        watch, self._machine.engine.watch = self._machine.engine.watch, None
        self._native.vg_track(0)
        return self._report(said, seconds, max(0, self._device_bytes() - live), watch or Watch())

    def _device_bytes(self) -> int:
        """Live device memory of the candidate, pinned host memory left out."""
        total: int = self._native.vg_live_bytes() - self._native.vgrt_host_bytes()
        return total

    def _report(self, said: HostReport, seconds: float, leaked_bytes: int, watch: Watch) -> CallReport:
        machine = self._machine
        return CallReport(
            launches=tuple(machine.launches),
            fault=machine.fault,
            faults=(*watch.faults, *machine.faults),
            notes=tuple(watch.notes),
            refused_launch=said.refused_launch,
            violation=said.violation,
            refused_bytes=said.refused_bytes,
            error=said.error,
            leaked_bytes=leaked_bytes,
            seconds=seconds,
            follows_data=machine.incomplete and machine.read_back,
            samples=tuple(machine.samples.counted()),
            order=tuple(machine.samples.order),
            memory_operations=tuple(machine.memory_operations),
        )
