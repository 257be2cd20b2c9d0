"""The workers on one GPU, one for each of the builds used last, and the memory that they are lent.

Nothing here is called by two threads at a time: whoever uses a GPU holds its lock.
"""

import itertools
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.segment import DeviceSegment
from cudamaster.toolchain.devices.cuda.timing import Pace
from cudamaster.toolchain.worker.worker import Worker

KEPT_WORKERS = 3
"""Each has a context, which takes some 500 MB of the GPU's memory."""
KEPT_OUTPUTS = 2
"""Argument sets whose outputs a worker keeps mapped."""
KEPT_INPUT_BYTES = 4 << 30
"""Of the GPU's memory, and as much of this machine's; the latest inputs always stay."""
KEPT_INPUTS = 64
"""And no more than these: each holds an open file."""

NewSegment = Callable[[Mapping[str, NDArray[Any]]], DeviceSegment]


@dataclass(eq=False)
class HeldWorker:
    """A worker that has loaded one build, the outputs it writes, and what it was lent."""

    worker: Worker
    outputs: OrderedDict[str, DeviceSegment] = field(default_factory=OrderedDict)
    lent: set[str] = field(default_factory=set)
    """Names of the memory that it maps."""
    places: Iterator[int] = field(default_factory=itertools.count)
    """So that addresses differ from call to call."""
    paces: dict[tuple[str, bool], Pace] = field(default_factory=dict)
    """How its entry is timed, by label and whether caches are cold."""

    def close(self) -> None:
        """End the process first: then nothing writes to the memory any more."""
        self.worker.close()
        for segment in self.outputs.values():
            segment.close()
        self.outputs.clear()


class Pool:
    """Held workers by build, and inputs by label, the least used of each given up first."""

    def __init__(
        self,
        start: Callable[[Build], Worker],
        new_segment: NewSegment,
        most_input_bytes: int = KEPT_INPUT_BYTES,
    ) -> None:
        self._start = start
        self._new_segment = new_segment
        self._most_input_bytes = most_input_bytes
        self._held: OrderedDict[str, HeldWorker] = OrderedDict()
        self._inputs: OrderedDict[str, DeviceSegment] = OrderedDict()

    def worker(self, build: Build) -> HeldWorker:
        """The build's worker; a new one where there is none."""
        held = self._held.pop(build.key, None)
        if held is not None and held.worker.end is not None:
            held.close()
            held = None
        while len(self._held) >= KEPT_WORKERS:
            self._held.popitem(last=False)[1].close()
        held = held or HeldWorker(self._start(build))
        self._held[build.key] = held
        return held

    def inputs(self, arguments: Arguments) -> DeviceSegment:
        """The inputs of `arguments`, sealed; equal labels share them, whatever the build."""
        segment = self._inputs.pop(arguments.label, None)
        if segment is None:
            segment = self._new_segment(_arrays(arguments, written=False))
            segment.reset()
            segment.seal()
        self._inputs[arguments.label] = segment
        while len(self._inputs) > 1 and self._too_much():
            self._inputs.popitem(last=False)[1].close()
        return segment

    def outputs(self, held: HeldWorker, arguments: Arguments) -> DeviceSegment:
        """Where `held` writes what `arguments` have it write, with the first bytes in it."""
        segment = held.outputs.pop(arguments.label, None)
        if segment is None:
            while len(held.outputs) >= KEPT_OUTPUTS:
                held.outputs.popitem(last=False)[1].close()
            segment = self._new_segment(_arrays(arguments, written=True))
        segment.reset()
        held.outputs[arguments.label] = segment
        return segment

    def make_room(self) -> None:
        """End all workers, give all memory back: what one maps is not free, whoever else gave it back."""
        for key in list(self._held):
            self.drop(key)
        while self._inputs:
            self._inputs.popitem()[1].close()

    def names(self, held: HeldWorker) -> set[str]:
        """Of the memory that `held` may still be called on."""
        return {segment.name for segment in (*held.outputs.values(), *self._inputs.values())}

    def find(self, key: str) -> HeldWorker | None:
        """The worker of the build, where there is one."""
        return self._held.get(key)

    def drop(self, key: str) -> None:
        """End the worker of the build; harmless where there is none."""
        held = self._held.pop(key, None)
        if held:
            held.close()

    def _too_much(self) -> bool:
        """Whether more inputs are kept than may be."""
        nbytes = sum(segment.nbytes for segment in self._inputs.values())
        return nbytes > self._most_input_bytes or len(self._inputs) > KEPT_INPUTS


def _arrays(arguments: Arguments, *, written: bool) -> dict[str, NDArray[Any]]:
    chosen = (t for t in arguments.tensors if (t.access is not Access.INPUT) is written)
    return {t.name: np.ascontiguousarray(t.array) for t in chosen}
