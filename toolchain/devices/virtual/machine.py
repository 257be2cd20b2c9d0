"""What launches of the CUDA runtime come to: the engine runs or samples them, faults become error codes."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.engine import Engine
from cudamaster.toolchain.devices.virtual.host import KernelFacts
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel
from cudamaster.toolchain.devices.virtual.sampling import (
    SamplePlan,
    Samples,
    sampled_blocks,
    thread_instructions,
)
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
    "deadlock": _TIMEOUT,
    "timed_out": _TIMEOUT,
}
"""What hardware reports for a fault of each kind; other kinds are launch failures (719)."""
_NOT_STOPPING = frozenset({"race", "uninitialised", "order_dependent"})


@dataclass(slots=True, eq=False)
class EngineMachine:
    """A `host.Machine` over one engine; what one call did is reset by `begin`."""

    engine: Engine
    resources: Iterable[KernelResources] = ()
    plan: SamplePlan | None = None
    launches: list[LaunchRequest] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    fault: Fault | None = None
    """The first fault that stopped a launch."""
    memory_operations: list[tuple[str, int]] = field(default_factory=list)
    samples: Samples = field(init=False)
    _reported: dict[str, KernelResources] = field(init=False)

    def __post_init__(self) -> None:
        self._reported = {kernel.name: kernel for kernel in self.resources}
        self.samples = Samples(SamplePlan())

    def begin(self, plan: SamplePlan | None) -> None:
        """Start a call: run launches whole, or sample them as `plan` says."""
        self.plan = plan
        self.samples = Samples(plan or SamplePlan())
        self.launches, self.faults, self.memory_operations = [], [], []
        self.fault = None

    def add_module(self, ptx: str) -> None:
        """Take a module that the library registers."""
        self.engine.add_module(ptx)

    def facts(self, kernel: str) -> KernelFacts | None:
        """What is known of the kernel: its PTX, and ptxas's report where there is one."""
        try:
            found = self.engine.kernel(kernel)
        except KeyError:
            return None
        return kernel_facts(found, self._reported.get(kernel))

    def symbol(self, name: str) -> tuple[int, int] | None:
        """Host address and bytes of a module variable."""
        return self.engine.symbol_address(name)

    def memory_operation(self, name: str, moved_bytes: int) -> None:
        """Note a fill or copy within device memory."""
        self.memory_operations.append((name, moved_bytes))

    def launch(self, request: LaunchRequest) -> int:
        """Run or sample a launch; the CUDA error code it ends with."""
        self.launches.append(request)
        fault = self._run(request) if self.plan is None else self._sample(request, self.plan)
        if fault is None:
            return 0
        self.faults.append(fault)
        if fault.kind in _NOT_STOPPING:
            return 0
        self.fault = self.fault or fault
        return ERROR_CODES.get(fault.kind, _LAUNCH_FAILURE)

    def _run(self, request: LaunchRequest) -> Fault | None:
        return self.engine.launch(request)

    def _sample(self, request: LaunchRequest, plan: SamplePlan) -> Fault | None:
        if self.samples.is_due(request):
            sample = self.engine.sample(request, sampled_blocks(request.grid, plan))
            if isinstance(sample, Fault):
                return sample
            self.samples.take(sample)
        else:
            sample = self.samples.repeat(request)
        cheap = thread_instructions(sample) < plan.whole_below
        return self.engine.launch(request) if cheap and not _is_whole(sample) else None


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
