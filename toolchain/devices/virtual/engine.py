"""Runs kernels of PTX modules on the CPU: whole grids with checks, or sampled blocks with counters.

One engine belongs to one process and one thread. Device memory is this process's memory, listed in the C
runtime's allocation table.
"""

import ctypes
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.frame import BACK_EDGE_COST
from cudamaster.toolchain.devices.virtual.codegen.warp_function import prepared
from cudamaster.toolchain.devices.virtual.counting import Counting, places_kept
from cudamaster.toolchain.devices.virtual.executable import Code, Executable
from cudamaster.toolchain.devices.virtual.faults import fault_of
from cudamaster.toolchain.devices.virtual.jit import QUICK, host_has_avx512
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.overlapping import Ordering
from cudamaster.toolchain.devices.virtual.ptx.nouns import Kernel, Module
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module
from cudamaster.toolchain.devices.virtual.runtime import (
    ORDER_REVERSED,
    POISON,
    TIMED,
    NativeFault,
    NativeLaunch,
    declare,
)
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.devices.virtual.tallies import ratio, scaled_to_grid, stretch, unseen
from cudamaster.toolchain.devices.virtual.translations import Job, Translator, translated
from cudamaster.toolchain.devices.virtual.variables import ModuleVariables
from cudamaster.toolchain.devices.virtual.watching import Watch
from cudamaster.toolchain.outputs import Fault

RUN_SLICE = 8192 * BACK_EDGE_COST
"""Back edges a warp may take before others run, while every warp of a block is run to its next barrier."""
SAMPLE_SLICE = BACK_EDGE_COST
"""One back edge: warps advance side by side, as the modelled L1 needs."""
TURN_SLICE = 64 * BACK_EDGE_COST
"""Little, so that blocks get as much as on hardware of what they share out as they run."""
POLL_SLICE = 4 * BACK_EDGE_COST
"""Of counted blocks among them: enough for a loop that polls to come round."""
WORKSPACE_BYTES = 4096

Order = Literal["forward", "reversed"]


class Engine:
    """Kernels by name, compiled when first launched."""

    def __init__(
        self,
        native: ctypes.CDLL,
        *,
        threads: int = 2,
        check_memory: bool = True,
        order: Order = "forward",
        limit_seconds: float = 60.0,
        spin_seconds: float = 5.0,
        translator: Translator = translated,
        shared: Callable[[int], int | None] | None = None,
        draws: random.Random | None = None,
    ) -> None:
        """`limit_seconds` of a processor bound each thread of a launch, `spin_seconds` polling in vain.

        `shared` gives memory for `__managed__` variables where host code is another process. `draws` chooses,
        in each launch anew, blocks whose warps take turns as those of counted ones do.
        """
        declare(native)
        self._native = native
        self.threads, self.check_memory, self.order = threads, check_memory, order
        self.limit_seconds, self.spin_seconds = limit_seconds, spin_seconds
        self._draws = draws or random.SystemRandom()
        """What no kernel can foresee, unless it is given."""
        self.holds: Callable[[LaunchRequest], int] = lambda request: 0
        """Blocks of a launch that the GPU has room for at a time; 0 where that is not known."""
        self.latency: Mapping[str, float] = load_gpu("h200").model.latency
        """Cycles that clocks of blocks go by."""
        self.watch: Watch | None = None
        """What watches whole launches for now."""
        self.processor_seconds = 0.0
        """Spent in kernels so far, by all threads."""
        self._modules: dict[str, Module] = {}
        self._variables = ModuleVariables(native, shared)
        self._translator = translator
        self._executables: dict[str, Executable] = {}
        self._workspace = native.vg_alloc(WORKSPACE_BYTES, 1)
        native.vg_name(self._workspace, b"the grid's workspace")

    def close(self) -> None:
        """Free the device memory that is the engine's own."""
        self._native.vg_free(self._workspace)

    def add_module(self, ptx: str) -> Module:
        """Parse `ptx` and place its variables; kernels are compiled when first launched."""
        module = parse_module(ptx)
        self._variables.add(module)
        for name in module.kernels:
            self._modules[name] = module
            self._executables.pop(name, None)
        return module

    def kernel(self, name: str) -> Kernel:
        """Return a kernel by its mangled name; KeyError if no module has it."""
        return self._modules[name].kernels[name]

    def symbol_address(self, name: str) -> int:
        """Return the address of a module variable; KeyError if there is none."""
        return self._variables.addresses[name]

    def write_symbol(self, name: str, data: bytes, offset: int = 0) -> None:
        """Copy `data` into a module variable, `offset` bytes from its start."""
        ctypes.memmove(self.symbol_address(name) + offset, data, len(data))

    def read_symbol(self, name: str, count: int, offset: int = 0) -> bytes:
        """Return `count` bytes of a module variable."""
        return ctypes.string_at(self.symbol_address(name) + offset, count)

    def launch(self, request: LaunchRequest) -> Fault | None:
        """Run every block; return what went wrong, if anything did. Raises Unsupported."""
        executable = self._prepare(request)
        code = executable.code(count=False)
        native = self._native_launch(request, code)
        native.threads = self._threads_for(executable)
        native.drawn = 1 + self._draws.randrange(2**63)
        if self.watch is None:
            return self._run(native, request, executable)
        self.watch.prepare(native, executable, code)
        fault = self._run(native, request, executable)
        self.watch.take(native, request, executable.kernel)
        return fault

    def sample(
        self, request: LaunchRequest, blocks: Sequence[int], l1_bytes: int = 0, most_issued: int = 0
    ) -> SampledLaunch | Fault:
        """Run the blocks with these linear indices, one after another, with counters. Raises Unsupported.

        `l1_bytes` is the L1 that each block has to itself; 0 for 128 KiB. A block that issues more than
        `most_issued` warp instructions, or waits for others, ends all, unless that is 0: then the sample
        `depends`, and its counters say nothing.
        """
        counting = self._counting(request, blocks, l1_bytes)
        counting.native.slice = SAMPLE_SLICE
        counting.native.most_issued = most_issued
        return self._count(request, counting)

    def sample_within(
        self, request: LaunchRequest, blocks: Sequence[int], l1_bytes: int = 0, residents: int = 1
    ) -> SampledLaunch | Fault:
        """Run every block once, and count those with these indices as they run among the others.

        `residents` blocks are there at a time, as far as there is memory, where they may wait for each other
        or take work from a queue: then in turns by clocks of their own, so that each gets as much of it as on
        hardware, and it is known for how long they wait. What is polled in vain is not counted.
        The counters are scaled to the mean of the grid. Raises Unsupported.
        """
        counting = self._counting(request, blocks, l1_bytes)
        native, executable = counting.native, counting.executable
        native.whole = counting.whole.ctypes.data
        has_clocks = self.may_wait(request)
        if has_clocks:
            native.residents = places_kept(native, residents)
            native.slice, native.short_slice = TURN_SLICE, POLL_SLICE
            executable.pace.give(native)
        single = has_clocks or executable.shares_work
        native.threads = 1 if single else self._threads_for(executable)
        sample = self._count(request, counting)
        if isinstance(sample, Fault):
            return sample
        return replace(
            scaled_to_grid(sample, counting.whole, native.longest),
            unseen=unseen(sample, counting.whole),
            longest_block=native.longest_block,
            stretch=stretch(native.elapsed, native.busy_place, native.residents, residents),
            depends=False,
        )

    def tally(self, request: LaunchRequest) -> int | Fault:
        """Run every block, and count nothing but the warp instructions that all of them issue."""
        counting = self._counting(request, (), 0)
        native, executable = counting.native, counting.executable
        native.whole = counting.whole.ctypes.data
        native.threads = self._threads_for(executable)
        native.drawn = 1 + self._draws.randrange(2**63)
        fault = self._run(native, request, executable)
        return fault if fault is not None else int(counting.whole[:, 0] @ executable.lengths)

    def shares_work(self, request: LaunchRequest) -> bool:
        """Whether blocks of a launch may do what others leave to them. Raises Unsupported."""
        return self._prepare(request).shares_work

    def may_wait(self, request: LaunchRequest) -> bool:
        """Whether they may wait for each other: samples do not tell for how long. Raises Unsupported."""
        return request.cooperative or self._prepare(request).may_wait

    def ordering(self, request: LaunchRequest) -> Ordering:
        """How it stands to the launches before and behind it. Raises Unsupported."""
        return self._prepare(request).ordering

    def takes_from_a_queue(self, request: LaunchRequest) -> bool:
        """Whether they may do so again and again. Raises Unsupported."""
        return self._prepare(request).takes_from_a_queue

    def _counting(self, request: LaunchRequest, blocks: Sequence[int], l1_bytes: int) -> Counting:
        executable = self._prepare(request)
        code = executable.code(count=True)
        native = self._native_launch(request, code)
        native.l1_bytes = l1_bytes
        native.lengths = executable.lengths.ctypes.data
        if executable.only_waits.any():
            native.only_waits = executable.only_waits.ctypes.data
        return Counting(native, executable, code, blocks)

    def _count(self, request: LaunchRequest, counting: Counting) -> SampledLaunch | Fault:
        begun, native, executable = time.perf_counter(), counting.native, counting.executable
        fault = self._run(native, request, executable)
        seconds = time.perf_counter() - begun
        footprints = counting.take_footprints(self._native, native)
        if fault is not None:
            return fault
        issued = counting.issued[0]
        instructions, on_paths = map(sum, counting.issued.tolist())
        return SampledLaunch(
            request=request,
            kernel=executable.kernel,
            sampled_blocks=tuple(counting.blocks),
            block_counts=counting.block_counts,
            sites=counting.code.counted,
            site_counts=counting.site_counts,
            footprints=footprints,
            allocations=self.allocations(),
            seconds=seconds,
            instructions=issued,
            longest=ratio(native.longest, instructions / max(1, len(issued))),
            longest_warp=ratio(on_paths * request.warps_per_block, instructions),
            path_counts=counting.paths.sum(axis=0),
            depends=bool(native.is_overrun or native.waits),
        )

    def _prepare(self, request: LaunchRequest) -> Executable:
        name = request.kernel
        if name not in self._executables:
            module = self._modules[name]
            mode = Mode(self.check_memory, count=True, avx512=host_has_avx512())
            job = Job(module, prepared(module, module.kernels[name]), mode, QUICK)
            self._executables[name] = Executable(job, self._translator, self._native, self.latency)
        return self._executables[name]

    def _threads_for(self, executable: Executable) -> int:
        return 1 if executable.needs_one_thread else self.threads

    def _native_launch(self, request: LaunchRequest, code: Code) -> NativeLaunch:
        translation, native = code.translation, NativeLaunch()
        native.function = code.address
        native.sites = ctypes.addressof(code.native_sites)
        native.variables = self._variables.table(self._modules[request.kernel])
        native.workspace = self._workspace if request.cooperative else 0
        native.context_bytes = translation.context_bytes
        native.shared_bytes = translation.shared_bytes + request.dynamic_shared_bytes
        native.local_bytes = translation.local_bytes
        native.parameter_bytes = len(request.parameters)
        native.grid[:], native.block[:], native.cluster[:] = request.grid, request.block, request.cluster
        native.site_count = len(code.sites)
        native.basic_blocks = len(self._executables[request.kernel].kernel.blocks)
        native.threads, native.slice, native.short_slice, native.residents = 1, RUN_SLICE, SAMPLE_SLICE, 1
        native.holds = self.holds(request)
        native.options = POISON | (ORDER_REVERSED if self.order == "reversed" else 0)
        native.options |= TIMED if self._executables[request.kernel].reads_clock else 0
        return native

    def _run(self, native: NativeLaunch, request: LaunchRequest, executable: Executable) -> Fault | None:
        ctypes.memset(self._workspace, 0, WORKSPACE_BYTES)
        parameters = ctypes.create_string_buffer(request.parameters, len(request.parameters) + 64)
        native.parameters = ctypes.addressof(parameters)
        native.begun, native.limit_seconds = time.monotonic(), self.limit_seconds
        native.spin_seconds = self.spin_seconds
        begun = time.process_time()
        kind = self._native.vg_launch(ctypes.byref(native))
        spent = time.process_time() - begun
        self.processor_seconds += spent
        executable.processor_seconds += spent
        fault: NativeFault = native.fault
        return fault_of(fault, request, executable.kernel) if kind else None

    def allocations(self) -> tuple[tuple[int, int], ...]:
        """(First address, bytes) of every live device buffer."""
        count = self._native.vg_list(None, 0)
        pairs = (ctypes.c_uint64 * (2 * count))()
        self._native.vg_list(ctypes.byref(pairs), count)
        return tuple(zip(pairs[::2], pairs[1::2], strict=True))
