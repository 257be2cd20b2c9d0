"""One GPU and all that is done on it: its memory, its workers, and one call at a time.

Everything here is trusted: candidates run in workers, on memory that lies in this process's hands. Runs wait
for timings and the other way about, since whatever else a GPU does disturbs a time.
"""

import functools
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.agreement import BATCH
from cudamaster.toolchain.devices.cuda.calling import Caller
from cudamaster.toolchain.devices.cuda.clocks import clock_state
from cudamaster.toolchain.devices.cuda.context import OUT_OF_MEMORY, Context
from cudamaster.toolchain.devices.cuda.equipment import Equipment
from cudamaster.toolchain.devices.cuda.fingerprint import Fingerprint
from cudamaster.toolchain.devices.cuda.health import require_health
from cudamaster.toolchain.devices.cuda.opening import Gpu
from cudamaster.toolchain.devices.cuda.pool import Pool
from cudamaster.toolchain.devices.cuda.requests import Claims, Manner
from cudamaster.toolchain.devices.cuda.segment import DeviceSegment
from cudamaster.toolchain.devices.cuda.sharing import SharedMemory
from cudamaster.toolchain.devices.cuda.stopwatch import Stopwatch
from cudamaster.toolchain.devices.cuda.timing import CallTimer
from cudamaster.toolchain.devices.cuda.usable import require_usable
from cudamaster.toolchain.devices.cuda.workers import GpuWorkers
from cudamaster.toolchain.errors import DriverFailed, WorkerBroken
from cudamaster.toolchain.outputs import TOO_LARGE, FailureKind, Fault, Outputs, RunFailure
from cudamaster.toolchain.timing import Timing, TimingPlan
from cudamaster.toolchain.worker.ending import GIB
from cudamaster.toolchain.worker.worker import Worker

FLUSH_L2_SIZES = 4
FLUSHES = 3
"""Of which the quickest tells how long one takes."""
TRIED_BYTES = 1 << 16
"""Of a buffer, for a kernel of ours that takes some microseconds."""
T = TypeVar("T")


class Station:
    """`gpu`, whose `driver` is started. Any thread may call any method. Raises DriverFailed."""

    def __init__(self, driver: Any, gpu: Gpu, equipment: Equipment) -> None:
        self.name = gpu.name
        self._gpu, self._equipment = gpu, equipment
        self._lock = threading.RLock()
        with ExitStack() as undo:
            self._context = Context(driver, gpu.handle)
            undo.callback(self._context.close)
            self._context.use()
            require_usable(self._context, self.name)
            self._fingerprint = Fingerprint(self._context, equipment.fingerprint_code)
            undo.callback(self._fingerprint.close)
            nbytes = max(equipment.limits.flush_bytes, FLUSH_L2_SIZES * equipment.spec.l2_bytes)
            self._flush = SharedMemory(self._context, nbytes)
            undo.callback(self._flush.close)
            self._workers = GpuWorkers(equipment, gpu.monitor.uuid, self.name)
            undo.callback(self._workers.close)
            self._pool = Pool(self._start, self._segment)
            undo.callback(self._pool.make_room)
            if equipment.limits.cold_share:
                _ = self._beside_ms  # now, while no other thread of this process keeps it waiting
            self._undo = undo.pop_all()
        self._caller = Caller(
            self._pool, self._flush, equipment.limits.seconds, self.name, self._require_health
        )

    def warm(self) -> None:
        """Start the process that workers come from, in the background."""
        self._workers.warm()

    @property
    def left_out(self) -> tuple[str, ...]:
        """What of its workers' hardening the driver does not work with; nothing before one was started."""
        return self._workers.left_out or ()

    def run(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        """Call the entry once, and again where it left memory allocated: it may keep that on purpose."""
        with self._using():
            once = functools.partial(self._run, build, arguments)
            first = self._fitting(build, arguments, once)
            if isinstance(first, RunFailure) or not first.leaked_bytes:
                return first
            second = self._fitting(build, arguments, once)
            if isinstance(second, RunFailure):
                return second
            return replace(first, leaked_bytes=min(first.leaked_bytes, second.leaked_bytes))

    def time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        """Samples of the entry's time; none where its events and the clock here do not agree."""
        with self._using():
            return self._fitting(build, arguments, lambda: self._time(build, arguments, plan))

    def timed_outputs(self, build: Build, arguments: Arguments) -> Mapping[str, NDArray[Any]] | None:
        """What the latest call on `arguments` left in the outputs; None where there was none lately."""
        with self._using():
            held = self._pool.find(build.key)
            segment = held.outputs.get(arguments.label) if held else None
            return None if segment is None else _written(arguments, segment)

    @contextmanager
    def exclusively(self) -> Iterator[None]:
        """Do nothing else on this GPU in the block."""
        with self._lock:
            yield

    def release(self, key: str) -> None:
        """End the worker of the build `key`; harmless where there is none."""
        with self._using():
            self._pool.drop(key)

    def close(self) -> None:
        """End all processes and give everything back."""
        with self._using():
            self._undo.close()

    @contextmanager
    def _using(self) -> Iterator[None]:
        with self._lock:
            self._context.use()
            yield

    def _run(self, build: Build, arguments: Arguments) -> Outputs | RunFailure:
        asked = self._caller.ask(build, arguments, Manner())
        if isinstance(asked, RunFailure):
            return asked
        return Outputs(
            arrays=_written(arguments, asked.outputs),
            changed_inputs=asked.inputs.changed(),
            overwritten_guards=asked.outputs.overwritten_guards(),
            faults=(),
            leaked_bytes=asked.claims.leaked_bytes,
            seconds=asked.claims.seconds,
        )

    def _time(self, build: Build, arguments: Arguments, plan: TimingPlan) -> Timing | RunFailure:
        timer = CallTimer(
            ask=functools.partial(self._whole, build, arguments),
            state=lambda: clock_state(self._gpu.monitor),
            flush_ms=self._flush_ms,
            beside_ms=lambda: self._beside_ms,
            cold_share=self._equipment.limits.cold_share,
            cold=plan.cold_l2,
            one_a_request=any(tensor.access is Access.IN_PLACE for tensor in arguments.tensors),
            counted=not build.source.libraries,
        )
        if plan.first:
            return timer.first(plan.samples)
        paces, kind = self._pool.worker(build).paces, (arguments.label, plan.cold_l2)
        pace, found = timer.timed(paces.get(kind), plan.samples)
        if pace is not None:
            paces[kind] = pace  # kept for each worker: what another one promised, this one must show
        return found

    def _whole(self, build: Build, arguments: Arguments, manner: Manner) -> Claims | RunFailure:
        """The claims of calls that left inputs and guard bands whole: nobody else looks at them."""
        asked = self._caller.ask(build, arguments, manner)
        if isinstance(asked, RunFailure):
            return asked
        if changed := asked.inputs.changed():
            return _broken("changed_inputs", f"changed its input {', '.join(changed)}")
        if written := asked.outputs.overwritten_guards():
            return _broken("overwritten_guards", f"wrote outside {', '.join(written)}")
        return asked.claims

    def _fitting(
        self, build: Build, arguments: Arguments, action: Callable[[], T | RunFailure]
    ) -> T | RunFailure:
        """What `action` gives; where memory is short, after giving up what others keep."""
        try:
            return action()
        except DriverFailed as failure:
            if failure.error != OUT_OF_MEMORY:
                raise
        self._pool.make_room()
        try:
            return action()
        except DriverFailed as failure:
            if failure.error != OUT_OF_MEMORY:
                raise
            return self._too_large(arguments)

    def _too_large(self, arguments: Arguments) -> RunFailure:
        free, _ = self._context.driver.call("cuMemGetInfo")
        words = (
            f"{arguments.label} needs {arguments.nbytes / GIB:.3g} GiB of device memory, and {self.name} has "
            f"{int(free) / GIB:.3g} GiB free"
        )
        return RunFailure(FailureKind.UNSUPPORTED, words, Fault(TOO_LARGE, words))

    @functools.cached_property
    def _flush_ms(self) -> float:
        """What filling the flush buffer takes, by this process's own clock."""
        found = []
        for _ in range(FLUSHES):
            begun = time.perf_counter()
            self._context.driver.call("cuMemsetD32", self._flush.address, 0, self._flush.nbytes // 4)
            self._context.wait()
            found.append(1e3 * (time.perf_counter() - begun))
        return min(found)

    @functools.cached_property
    def _beside_ms(self) -> float:
        """What a worker's stopwatch takes beside each call that it times, tried here on a kernel of ours."""
        watch = Stopwatch(self._context)
        place = self._flush.address
        quickest: dict[int, float] = {}
        for _ in range(FLUSHES):
            for calls in (BATCH, 2 * BATCH):
                begun = time.perf_counter()
                times_ms = watch.each(
                    lambda: self._fingerprint.begin(place, TRIED_BYTES), calls, (place, self._flush.nbytes)
                )
                beside_ms = 1e3 * (time.perf_counter() - begun) - sum(times_ms)
                quickest[calls] = min(beside_ms, quickest.get(calls, beside_ms))
        watch.close()
        return (quickest[2 * BATCH] - quickest[BATCH]) / BATCH

    def _segment(self, arrays: Mapping[str, NDArray[Any]]) -> DeviceSegment:
        return DeviceSegment(self._context, self._fingerprint, arrays)

    def _start(self, build: Build) -> Worker:
        assert build.library is not None
        try:
            return self._workers.start(str(build.library.parent))
        except WorkerBroken as broken:
            if OUT_OF_MEMORY not in str(broken):
                raise
            raise DriverFailed("cuDevicePrimaryCtxRetain", OUT_OF_MEMORY, 2) from broken

    def _require_health(self) -> None:
        require_health(self._workers.start, self.name)


def _written(arguments: Arguments, outputs: DeviceSegment) -> dict[str, NDArray[Any]]:
    return {t.name: outputs.read(t.name) for t in arguments.tensors if t.access is not Access.INPUT}


def _broken(rule: str, what: str) -> RunFailure:
    words = f"the entry {what} where only its time is taken"
    return RunFailure(FailureKind.LAUNCH_FAILED, words, Fault(rule, words))
