"""The workers a virtual device keeps, one for each of the builds used last, and the memory they share."""

import contextlib
import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterator

from cudamaster.toolchain.arguments import Access, Arguments
from cudamaster.toolchain.worker.hardening import WorkerLimits
from cudamaster.toolchain.worker.segment import Segment
from cudamaster.toolchain.worker.starter import WorkerStarter
from cudamaster.toolchain.worker.worker import Worker

KEPT_WORKERS = 4
SECOND = " (second)"
"""Behind the key of a build: its other worker."""
KEPT_WORKLOADS = 2
"""Argument sets that stay mapped in a worker,"""
KEPT_OUTPUT_BYTES = 1 << 28
"""unless what it writes of them is larger."""
ALWAYS_FILLED_BYTES = 1 << 27
"""Arguments that calls are compared on, and so can be told from others by nothing, are no larger."""
KEPT_INPUT_BYTES = 1 << 30
"""Inputs that stay in shared memory; the latest always do."""
KEPT_INPUTS = 64
"""And no more than these, however small they are: each holds two open files."""
SHARED_BYTES = 8 << 30
LEAST_ROOM_BYTES = 1 << 30
"""Arguments up to this size fit every worker, so that what it has compiled serves small and large calls."""


class HeldWorker:
    """A worker that has loaded one build, and the outputs it writes. One call at a time: hold `lock`."""

    def __init__(self, worker: Worker) -> None:
        self.worker = worker
        self.lock = threading.Lock()
        self.tainted = False
        """Whether a call went wrong in it, so that its state cannot be trusted for another."""
        self._outputs: OrderedDict[str, Segment] = OrderedDict()
        self._apart = itertools.count()

    def fits(self, limits: WorkerLimits) -> bool:
        """Whether it lives and may use as much as `limits` says."""
        mine = self.worker.limits
        enough = mine.memory_bytes >= limits.memory_bytes and mine.shared_bytes >= limits.shared_bytes
        return self.worker.end is None and not self.tainted and enough

    def outputs(self, arguments: Arguments, *, read: bool, moved: bool) -> Segment:
        """Where this worker writes the outputs of `arguments`, with their first bytes in it.

        Large ones that nobody will `read`, of a call that is only timed, are new memory that holds zeros;
        smaller ones are as in a call that is read, so that a candidate cannot tell. Where they are `moved`,
        neither they nor the inputs lie where an earlier call had them.
        """
        read = read or arguments.nbytes <= ALWAYS_FILLED_BYTES
        written = {t.name: t.array for t in arguments.tensors if t.access is not Access.INPUT}
        stay = read and not moved and sum(array.nbytes for array in written.values()) <= KEPT_OUTPUT_BYTES
        label = arguments.label if stay else f"{arguments.label}/apart {next(self._apart)}"
        segment = self._outputs.pop(label, None)
        if segment is not None:
            segment.reset(written)
        else:
            blank = [] if read else [t.name for t in arguments.tensors if t.access is Access.OUTPUT]
            segment = Segment(written, writable=True, blank=blank)
        self._outputs[label] = segment
        if len(self._outputs) > KEPT_WORKLOADS:
            self._outputs.popitem(last=False)[1].close()
        return segment

    def drop_large(self) -> None:
        """Give back the outputs that take much memory."""
        for label in [label for label, kept in self._outputs.items() if kept.nbytes > KEPT_OUTPUT_BYTES]:
            self._outputs.pop(label).close()

    @property
    def labels(self) -> list[str]:
        """The argument sets whose outputs are kept, the last one asked for at the end."""
        return list(self._outputs)

    def close(self) -> None:
        """End the worker, even in the middle of a call, and give its memory back."""
        self.worker.kill()
        self.retire()

    def retire(self) -> None:
        """End the worker when no call is under way in it, and give its memory back."""
        with self.lock:
            self.worker.close()
            while self._outputs:
                self._outputs.popitem()[1].close()


class WorkerPool:
    """Held workers by key, the least used ones ended first. Any thread may call any method."""

    def __init__(self, starter: WorkerStarter, memory_bytes: int) -> None:
        self._starter = starter
        self._memory_bytes = memory_bytes
        self._held: OrderedDict[str, HeldWorker] = OrderedDict()
        self._inputs: OrderedDict[str, Segment] = OrderedDict()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def borrow(
        self, key: str, arguments: Arguments, readable: tuple[str, ...], *, wait: bool = True
    ) -> Iterator[HeldWorker]:
        """The worker of `key`, for the caller alone; a new one where there is none that fits.

        Who does not `wait` for another call's end is given a second one.
        """
        room = max(LEAST_ROOM_BYTES, 1 << arguments.nbytes.bit_length())
        limits = WorkerLimits(
            memory_bytes=self._memory_bytes + 2 * room,
            shared_bytes=max(SHARED_BYTES, (KEPT_WORKLOADS + 1) * room),
            readable=readable,
        )
        while True:
            held = self._find(key if wait or self._is_free(key) else key + SECOND, limits)
            with held.lock:
                if held.fits(limits):
                    try:
                        yield held
                    finally:
                        held.drop_large()
                        if held.tainted:
                            held.worker.close()
                    return

    def inputs(self, arguments: Arguments) -> Segment:
        """The inputs of `arguments` in shared memory; equal labels share them, whatever the build."""
        with self._lock:
            segment = self._inputs.pop(arguments.label, None)
            if segment is None:
                read = {t.name: t.array for t in arguments.tensors if t.access is Access.INPUT}
                segment = Segment(read, writable=False)
            self._inputs[arguments.label] = segment
            while len(self._inputs) > 1 and self._too_much():
                self._inputs.popitem(last=False)
            return segment

    def _is_free(self, key: str) -> bool:
        with self._lock:
            held = self._held.get(key)
        return held is None or not held.lock.locked()

    def _too_much(self) -> bool:
        """Whether more inputs are kept than may be."""
        nbytes = sum(kept.nbytes for kept in self._inputs.values())
        return nbytes > KEPT_INPUT_BYTES or len(self._inputs) > KEPT_INPUTS

    def drop(self, key: str) -> None:
        """End the workers of `key`; harmless where there are none."""
        with self._lock:
            dropped = [self._held.pop(name, None) for name in (key, key + SECOND)]
        for held in dropped:
            if held:
                held.close()

    def close(self) -> None:
        """End all workers."""
        for key in list(self._held):
            self.drop(key)
        with self._lock:
            self._inputs.clear()

    def _find(self, key: str, limits: WorkerLimits) -> HeldWorker:
        with self._lock:
            held = self._held.pop(key, None)
            stale = [] if held is None or held.fits(limits) else [held]
            if held is None or stale:
                held = HeldWorker(self._starter.start(limits))
            self._held[key] = held
            idle = [old for old, kept in self._held.items() if old != key and not kept.lock.locked()]
            for old in idle[: max(0, len(self._held) - KEPT_WORKERS)]:
                stale.append(self._held.pop(old))
        for unused in stale:
            unused.retire()
        return held
