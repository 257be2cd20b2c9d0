"""What launches of the CUDA runtime come to: the engine runs or samples them, faults become error codes."""

import ctypes
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.engine import Engine
from cudamaster.toolchain.devices.virtual.host import KernelFacts
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.overlapping import InFlight
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel
from cudamaster.toolchain.devices.virtual.sampling import (
    COSTLIER,
    SamplePlan,
    Samples,
    apart,
    joined,
    sampled_blocks,
    scalars_of,
    thread_instructions,
    warp_instructions,
)
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.outputs import Fault

_ILLEGAL_ADDRESS, _TIMEOUT, _ASSERT, _ILLEGAL_INSTRUCTION, _MISALIGNED, _LAUNCH_FAILURE = (
    700,
    702,
    710,
    715,
    716,
    719,
)
ERROR_CODES = {
    "out_of_bounds": _ILLEGAL_ADDRESS,
    "input_written": _ILLEGAL_ADDRESS,
    "misaligned": _MISALIGNED,
    "trap": _LAUNCH_FAILURE,
    "assert": _ASSERT,
    "illegal": _ILLEGAL_INSTRUCTION,
    "use_after_free": _ILLEGAL_ADDRESS,
    "deadlock": _TIMEOUT,
    "timed_out": _TIMEOUT,
}
"""What hardware reports for a fault of each kind; other kinds are launch failures (719)."""
WAITED_FOR = frozenset({"memcpy", "memset", "transfer", "synchronize", "cudaFree"})
"""Operations that begin, or end, when all launches before them have ended."""
UNEQUAL = 2.0
"""Times the mean that a block of those that share work may do; more, and it seems to do that of others."""
UNSEEN = 0.02
"""Share of a grid's instructions that may be in code of which nothing is known but that it ran."""
MOST_ISSUED = 1 << 25
"""Warp instructions after which a block that takes work from a queue is not waited for: it may take all."""
TOO_COSTLY = "its blocks depend on others, and to count them as all of these run is too costly here"


@dataclass(slots=True, eq=False)
class EngineMachine:
    """A `host.Machine` over one engine; what one call did is reset by `begin`."""

    engine: Engine
    native: ctypes.CDLL
    resources: Iterable[KernelResources] = ()
    plan: SamplePlan | None = None
    l1_share: Callable[[LaunchRequest], int] = lambda request: 0
    """Bytes of L1 that a block has to itself while sampled; 0 for the engine's own."""
    residents: Callable[[LaunchRequest], int] = lambda request: 1
    """How many blocks the whole GPU would hold at one time."""
    launches: list[LaunchRequest] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    fault: Fault | None = None
    """The first fault that stopped a launch."""
    incomplete: bool = False
    """Whether a launch of this call was only sampled, so that later ones may have seen wrong data."""
    hides: bool = False
    """Whether a launch that counts as another one does more than that."""
    memory_operations: list[tuple[str, int]] = field(default_factory=list)
    read_back: bool = False
    """Whether host code has read device memory in this call, so that what it launches may depend on it."""
    in_flight: InFlight = field(default_factory=InFlight)
    """What launches of this call may still run, on hardware."""
    samples: Samples = field(init=False)
    _reported: dict[str, KernelResources] = field(init=False)
    _symbol_bytes: dict[str, int] = field(default_factory=dict)
    _whole_run: float = 0.0

    def __post_init__(self) -> None:
        self._reported = {kernel.name: kernel for kernel in self.resources}
        self.samples = Samples(SamplePlan())
        self.engine.holds = self._holds
        self.native.vgrt_take_snapshot.restype = ctypes.c_void_p

    def _holds(self, request: LaunchRequest) -> int:
        return self.residents(request) if request.kernel in self._reported else 0

    def begin(self, plan: SamplePlan | None) -> None:
        """Start a call: run launches whole, or sample them as `plan` says."""
        self.plan = plan
        self.samples = Samples(plan or SamplePlan())
        self.launches, self.faults, self.memory_operations = [], [], []
        self.in_flight = InFlight()
        self.fault, self.incomplete, self.read_back = None, False, False
        self._whole_run, self.hides = 0.0, False

    def add_module(self, ptx: str) -> None:
        """Take a module that the library registers."""
        module = self.engine.add_module(ptx)
        self._symbol_bytes.update({name: variable.size for name, variable in module.variables.items()})

    def facts(self, kernel: str) -> KernelFacts | None:
        """What is known of the kernel: its PTX, and ptxas's report where there is one."""
        try:
            found = self.engine.kernel(kernel)
        except KeyError:
            return None
        return kernel_facts(found, self._reported.get(kernel))

    def symbol(self, name: str) -> tuple[int, int] | None:
        """Host address and bytes of a module variable."""
        try:
            return self.engine.symbol_address(name), self._symbol_bytes[name]
        except KeyError:
            return None

    def memory_operation(self, name: str, moved_bytes: int) -> None:
        """Note a fill or copy, or a host call that takes time."""
        self.memory_operations.append((name, moved_bytes))
        if name in WAITED_FOR:
            self.in_flight.wait()

    def launch(self, request: LaunchRequest) -> int:
        """Run or sample a launch; the CUDA error code it ends with."""
        self.launches.append(request)
        fault = self._run(request) if self.plan is None else self._sample(request, self.plan)
        if fault is None:
            return 0
        if fault.kind == "unsupported":
            raise Unsupported(f"this: {fault.message}", fault.line)
        self.faults.append(fault)
        self.fault = self.fault or fault
        return ERROR_CODES.get(fault.kind, _LAUNCH_FAILURE)

    def _run(self, request: LaunchRequest) -> Fault | None:
        fault, unordered = self.in_flight.run(request, self.engine)
        self.faults += [unordered] if unordered else []
        return fault

    def _sample(self, request: LaunchRequest, plan: SamplePlan) -> Fault | None:
        scalars = scalars_of(request.parameters, self.engine.allocations())
        if self.samples.is_due(request, scalars):
            return self._look(request, plan, lambda sample: self.samples.take(sample, scalars))
        if plan.within:
            return self._look_once(request, plan, lambda sample: self.samples.count_known(sample, scalars))
        if self.samples.is_drawn(request):
            return self._look(request, plan, lambda sample: self.samples.compare(sample, scalars))
        sample = self.samples.repeat(request, scalars)
        return self._repeat(request, sample) if self._may_run_whole(sample, plan) else None

    def _repeat(self, request: LaunchRequest, sample: SampledLaunch) -> Fault | None:
        """Run a launch that counts as another one, and note whether it does more."""
        issued = self.engine.tally(request)
        if isinstance(issued, Fault):
            return issued
        self.hides |= issued > COSTLIER * warp_instructions(sample)
        return None

    def _look(
        self, request: LaunchRequest, plan: SamplePlan, keep: Callable[[SampledLaunch], None]
    ) -> Fault | None:
        """Sample a launch; count it within the whole where that is cheap, or its blocks depend on others."""
        if plan.within:
            return self._look_within(request, plan, keep)
        if request.block_count > 1 and self.engine.may_wait(request) and not plan.alone:
            return self._look_within(request, plan, keep)
        snapshot = self.take_snapshot(plan) if self._may_be_undone(request, plan) else None
        sample_or_fault = self._sampled(request, plan, bounded=snapshot is not None)
        if isinstance(sample_or_fault, Fault):
            self.drop(snapshot)
            return sample_or_fault
        depends = (plan.alone or snapshot is not None) and self._depends(sample_or_fault)
        if depends and plan.alone:
            self.put_back(snapshot)
            return Fault("timed_out", TOO_COSTLY)
        runs_whole = depends or (
            not _is_whole(sample_or_fault) and self._may_run_whole(sample_or_fault, plan)
        )
        if snapshot and runs_whole:
            self.put_back(snapshot)
            return self._look_within(request, plan, keep)
        self.drop(snapshot)
        keep(sample_or_fault)
        return self.engine.launch(request) if runs_whole else None

    def _may_be_undone(self, request: LaunchRequest, plan: SamplePlan) -> bool:
        """Whether the launch may run again after it was sampled, from where it began."""
        if request.block_count <= plan.blocks:
            return False
        return self._whole_run < plan.whole_total or self.engine.shares_work(request)

    def _depends(self, sample: SampledLaunch) -> bool:
        """Whether blocks do something else when others do not run beside them."""
        shares = sample.longest > UNEQUAL and self.engine.shares_work(sample.request)
        return sample.depends or shares

    def _look_within(
        self, request: LaunchRequest, plan: SamplePlan, keep: Callable[[SampledLaunch], None]
    ) -> Fault | None:
        """Run a launch whole, and count some of its blocks as they run.

        Where none of them came by code that others were busy with, it runs again, and the busiest is counted.
        """
        blocks, l1_bytes = sampled_blocks(request.grid, plan), self.l1_share(request)
        residents = self.residents(request)
        snapshot = self.take_snapshot(plan)
        sample = self.engine.sample_within(request, blocks, l1_bytes, residents)
        if snapshot and isinstance(sample, SampledLaunch) and sample.unseen > UNSEEN:
            self.put_back(snapshot)
            snapshot = None
            blocks = tuple(sorted({*blocks, sample.longest_block}))
            sample = self.engine.sample_within(request, blocks, l1_bytes, residents)
        self.drop(snapshot)
        if isinstance(sample, Fault):
            return sample
        keep(sample)
        return None

    def _look_once(
        self, request: LaunchRequest, plan: SamplePlan, keep: Callable[[SampledLaunch], None]
    ) -> Fault | None:
        """As `_look_within`, of a launch like others that were looked at: it never runs again."""
        return self._look_within(request, replace(plan, snapshot_bytes=0), keep)

    def _sampled(self, request: LaunchRequest, plan: SamplePlan, *, bounded: bool) -> SampledLaunch | Fault:
        """`bounded`: whether blocks that depend on others need not come to their end."""
        parts = []
        most = MOST_ISSUED if self.engine.takes_from_a_queue(request) else sys.maxsize
        for blocks in apart(sampled_blocks(request.grid, plan), request.block_count):
            part = self.engine.sample(request, blocks, self.l1_share(request), most if bounded else 0)
            if isinstance(part, Fault) or part.depends:
                return part
            parts.append(part)
        return joined(parts)

    def take_snapshot(self, plan: SamplePlan) -> ctypes.c_void_p | None:
        """A copy of writable device memory; None where that is more than the plan allows."""
        taken = self.native.vgrt_take_snapshot(ctypes.c_uint64(plan.snapshot_bytes))
        return ctypes.c_void_p(taken) if taken else None

    def put_back(self, snapshot: ctypes.c_void_p | None) -> None:
        """Undo what was written since the snapshot, and drop it."""
        if snapshot:
            self.native.vgrt_put_back(snapshot)

    def drop(self, snapshot: ctypes.c_void_p | None) -> None:
        """Free the snapshot."""
        self.native.vgrt_drop_snapshot(snapshot)

    def _may_run_whole(self, sample: SampledLaunch, plan: SamplePlan) -> bool:
        """Whether the launch is cheap enough, and the call's budget is not spent; counted as run if so."""
        instructions = thread_instructions(sample)
        cheap = instructions < plan.whole_below and self._whole_run + instructions < plan.whole_total
        self._whole_run += instructions if cheap else 0.0
        self.incomplete |= not cheap
        return cheap


def _is_whole(sample: SampledLaunch) -> bool:
    return len(sample.sampled_blocks) == sample.request.block_count


def kernel_facts(kernel: Kernel, reported: KernelResources | None) -> KernelFacts:
    """Facts from the PTX; registers, shared and local bytes from ptxas where it reported on the kernel."""
    limits = kernel.directives.get("reqntid") or kernel.directives.get("maxntid") or ()
    threads = 1
    for extent in limits:
        threads *= extent
    cluster = (*kernel.directives.get("reqnctapercluster", ()), 1, 1, 1)[:3]
    declared = "reqnctapercluster" in kernel.directives
    return KernelFacts(
        parameters=kernel.parameters,
        registers=reported.registers if reported else 0,
        static_shared_bytes=reported.shared_bytes if reported else _shared_bytes(kernel),
        local_bytes=reported.stack_bytes if reported else 0,
        max_threads=threads if limits else 0,
        cluster=(cluster[0], cluster[1], cluster[2]) if declared else (0, 0, 0),
    )


def _shared_bytes(kernel: Kernel) -> int:
    end = 0
    for variable in kernel.variables.values():
        if variable.space == "shared":
            end = -(-end // variable.align) * variable.align + variable.size
    return end
