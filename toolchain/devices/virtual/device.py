"""The virtual GPU as a device: trusted, with every candidate in a worker of its own.

Outputs and guard bands are read from shared memory here; only faults and counters are the worker's word.
"""

import functools
import math
import os
import threading
import time
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.cache import remove_stale
from cudamaster.toolchain.crowd import crowd_now
from cudamaster.toolchain.devices.virtual.calls import (
    Profiled,
    build_fields,
    call_fields,
    joined,
    launched_less,
    launched_of,
    outputs_of,
    profiled_of,
    ptx_text,
    written_of,
)
from cudamaster.toolchain.devices.virtual.pool import WorkerPool
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.devices.virtual.translation_service import TranslationService
from cudamaster.toolchain.devices.virtual.translations import translations_folder
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import Toolchain, find_toolchain
from cudamaster.toolchain.outputs import FailureKind, Outputs, RunFailure
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.timing import Clock, Timing, TimingPlan
from cudamaster.toolchain.worker.replies import understood
from cudamaster.toolchain.worker.segment import Segment
from cudamaster.toolchain.worker.starter import WorkerStarter
from cudamaster.toolchain.worker.wire import Message

PROGRAM = "cudamaster.toolchain.devices.virtual.program"
FORWARD, REVERSED = "forward", "reversed"
WATCHED_BELOW_BYTES = 4 << 20
"""Calls on fewer bytes than this are run a second time, watched and in the reversed order of threads; of
others some accesses are watched in passing."""
SMALL_LAUNCH_SECONDS = 6.0
"""Time for one launch of such a call; ones that are watched get twice that."""
SMALL_CALL_SECONDS = 10.0
"""The same for all that host code and kernels of such a call do together."""
LAUNCH_SHARE = 0.8
"""Share of a call's time after which the worker itself ends a launch, and can say where it was."""
KEPT_PROFILES = 256
T = TypeVar("T")
_ProfileKey = tuple[str, str, int, bool, bool]
"""A build, its arguments, and what of the plan chooses the samples."""


@dataclass(frozen=True, slots=True)
class VirtualLimits:
    """What one call of an entry may take."""

    seconds: float = 60.0
    """Wall time of a machine that does nothing else; beside other work it is more (`toolchain/crowd.py`)."""
    memory_bytes: int = 4 << 30
    """Host memory and device allocations, besides twice the size of the arguments."""
    threads: int = 2
    """Processors that run one launch."""

    def session_options(self) -> dict[str, int]:
        """For the worker's session."""
        return {"threads": self.threads, "allocation_limit_bytes": self.memory_bytes}


class VirtualDevice:
    """The virtual GPU called `gpu`. Raises UnknownDevice, and EnvironmentLacks where there is no nvcc."""

    clock = Clock.MODELLED

    def __init__(
        self,
        gpu: str = "h200",
        *,
        toolchain: Toolchain | None = None,
        limits: VirtualLimits = VirtualLimits(),
    ) -> None:
        self.spec = load_gpu(gpu).device
        self.name = f"virtual:{gpu}"
        self.limits = limits
        self._toolchain = toolchain or find_toolchain()
        self._starter = WorkerStarter(PROGRAM)
        self._pool = WorkerPool(self._starter, limits.memory_bytes)
        self._translations = TranslationService(self._starter, len(os.sched_getaffinity(0)))
        self._profiles: OrderedDict[_ProfileKey, Profiled] = OrderedDict()
        self._launched: OrderedDict[tuple[str, str], Mapping[str, int]] = OrderedDict()
        self._lock = threading.Lock()
        self._turns: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        remove_stale(time.time())

    def build(self, source: KernelSource) -> Build:
        """Compile `source` for this GPU, or find it compiled."""
        self._starter.warm()
        return compile_kernel(source, self.spec.architecture, self._toolchain)

    def run(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        """Call the entry once; small calls once more, watched, and with threads in reversed order.

        What left memory allocated finds its arguments at other addresses: by those it may know them again.
        Watching may take too long, by what it computes and not by how busy the machine is; then the entry is
        called twice more without, and the outputs say so.
        """
        if arguments.nbytes >= WATCHED_BELOW_BYTES:
            return self._run(build, arguments, _Manner(self.limits.seconds, in_passing=True))
        small = _Manner(self.limits.seconds, SMALL_LAUNCH_SECONDS, SMALL_CALL_SECONDS)
        first = self._run(build, arguments, small)
        if isinstance(first, RunFailure):
            return first
        second = self._run(build, arguments, small.watched(moved=first.leaked_bytes > 0))
        if isinstance(second, RunFailure) and second.kind is FailureKind.TIMED_OUT:
            return self._twice(build, arguments, small) or replace(first, unwatched=True)
        return joined(first, second, ptx_text(build))

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        """The modelled time of one call: a single sample, whatever the plan asks for."""
        profiled = self._profiled(build, arguments, plan)
        if isinstance(profiled, RunFailure):
            return profiled
        return Timing(
            Clock.MODELLED,
            (profiled.profile.time_ms,),
            profiled.launches,
            extents=profiled.extents,
            moved_bytes=profiled.moved_bytes,
            transferred_bytes=profiled.transferred_bytes,
            written=profiled.written,
            steps=profiled.steps,
        )

    def profile(self, build: Build, arguments: Arguments) -> Profile | RunFailure:
        """Count what a call's launches do in sampled blocks, and model their times."""
        profiled = self._profiled(build, arguments, TimingPlan())
        return profiled if isinstance(profiled, RunFailure) else profiled.profile

    def release(self, build: Build) -> None:
        """End every process that still holds `build`."""
        self._pool.drop(build.key)

    def close(self) -> None:
        """End every process."""
        self._pool.close()
        self._translations.close()
        self._starter.close()

    def _run(self, build: Build, arguments: Arguments, manner: "_Manner") -> Outputs | RunFailure:
        def understand(said: Message, outputs: Segment) -> Outputs | RunFailure:
            self._note_launched(build, arguments, launched_of(said))
            return outputs_of(said, arguments, outputs)

        return self._call(build, arguments, manner, understand)

    def _twice(self, build: Build, arguments: Arguments, manner: "_Manner") -> RunFailure | None:
        """How an entry fails that is called twice more in one process: it may end its first call only."""
        for _ in range(2):
            outputs = self._run(build, arguments, manner)
            if isinstance(outputs, RunFailure):
                return outputs
        return None

    def _note_launched(self, build: Build, arguments: Arguments, found: Mapping[str, int] | None) -> None:
        """Remember what each call launches whose outputs are read: one that is timed launches no less."""
        key = (build.key, arguments.label)
        with self._lock:
            if found is not None:
                known = self._launched.get(key, found)
                self._launched[key] = {
                    words: min(known[words], found[words]) for words in known.keys() & found
                }
            while len(self._launched) > KEPT_PROFILES:
                self._launched.popitem(last=False)

    def _profiled(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Profiled | RunFailure:
        key = (build.key, arguments.label, plan.seed, plan.anywhere, plan.within)
        known = self._known_profile(key, plan)
        if known is not None:
            return known
        with self._turns[build.key]:
            return self._known_profile(key, plan) or self._profiled_anew(build, arguments, plan, key)

    def _known_profile(self, key: _ProfileKey, plan: TimingPlan) -> Profiled | None:
        with self._lock:
            known = self._profiles.get(key)
        return known if known is not None and (known.written or not plan.traces) else None

    def _profiled_anew(
        self, build: Build, arguments: Arguments, plan: TimingPlan, key: _ProfileKey
    ) -> Profiled | RunFailure:
        def understand(said: Message, outputs: Segment) -> Profiled | RunFailure:
            found = profiled_of(said)
            if isinstance(found, RunFailure) or not plan.traces:
                return found
            return replace(found, written=written_of(arguments, outputs))

        most = self.limits.seconds if plan.most_seconds is None else plan.most_seconds
        manner = _Manner(min(most, self.limits.seconds), plan=plan)
        found = self._call(build, arguments, manner, understand)
        if isinstance(found, Profiled):
            read = self._launched.get((build.key, arguments.label))
            less = launched_less(read, found.launched) if read and found.launched is not None else None
            if less:
                return less
            with self._lock:
                self._profiles[key] = found
                while len(self._profiles) > KEPT_PROFILES:
                    self._profiles.popitem(last=False)
        return found

    def _call(
        self,
        build: Build,
        arguments: Arguments,
        manner: "_Manner",
        understand: Callable[[Message, Segment], T | RunFailure],
    ) -> T | RunFailure:
        """Have the build's worker call the entry, and `understand` its reply before its next call."""
        if build.library is None:
            raise ValueError("a failed build cannot be called")
        readable = (str(build.library.parent), str(translations_folder()))
        with self._pool.borrow(build.key, arguments, readable, wait=manner.plan is None) as held:
            inputs = self._pool.inputs(arguments)
            outputs = held.outputs(arguments, read=manner.read, moved=manner.moved)
            request = {
                **build_fields(build),
                **call_fields(arguments, (inputs, outputs)),
                **manner.fields(),
                "label": held.labels[-1],
                "kept": held.labels,
                "gpu": self.spec.name,
                "options": self.limits.session_options(),
            }
            reply = held.worker.call(
                request,
                (inputs.file, outputs.file),
                seconds=manner.seconds,
                crowd=crowd_now,
                processor_seconds=manner.processor_seconds,
                answer=functools.partial(self._translations.answer, build),
            )
            said = understood(reply, held.worker.limits, "the virtual GPU")
            result = said if isinstance(said, RunFailure) else understand(said, outputs)
            held.tainted = isinstance(result, RunFailure)
            return result


@dataclass(frozen=True, slots=True)
class _Manner:
    """How an entry is called: run whole in this order of warps, perhaps watched, or sampled by a plan."""

    seconds: float
    launch_seconds: float = math.inf
    """Of a processor, where `seconds` are wall time."""
    processor_seconds: float = math.inf
    """What all of the call may compute."""
    order: str = FORWARD
    plan: TimingPlan | None = None
    watch: bool = False
    in_passing: bool = False
    """Whether some of its accesses are watched, and nothing else is different."""
    moved: bool = False
    """Whether all arguments lie at addresses that no earlier call had."""

    def watched(self, *, moved: bool) -> "_Manner":
        """Watched and in the reversed order, for twice as long."""
        launch, call = 2 * self.launch_seconds, 2 * self.processor_seconds
        return _Manner(self.seconds, launch, call, REVERSED, watch=True, moved=moved)

    @property
    def read(self) -> bool:
        """Whether somebody looks at the outputs."""
        return self.plan is None or self.plan.traces

    def fields(self) -> dict[str, Any]:
        """For the worker."""
        plan = self.plan or TimingPlan()
        return {
            "order": self.order,
            "launch_seconds": min(self.launch_seconds, LAUNCH_SHARE * self.seconds),
            "profile": self.plan is not None,
            "seed": plan.seed,
            "anywhere": plan.anywhere,
            "least_bytes": plan.least_bytes,
            "within": plan.within,
            "alone": plan.alone,
            "watch": self.watch or self.in_passing,
            "in_passing": self.in_passing,
        }
