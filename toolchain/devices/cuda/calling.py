"""Has workers call entries on memory of ours: one request at a time, on one GPU."""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.pool import HeldWorker, Pool
from cudamaster.toolchain.devices.cuda.requests import Claims, Manner, build_fields, claims_of, item_fields
from cudamaster.toolchain.devices.cuda.segment import DeviceSegment
from cudamaster.toolchain.devices.cuda.sharing import SharedMemory
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.worker.replies import understood

FLUSH = "flush"


class Asked(NamedTuple):
    """A request that was answered: what the worker claims, and the memory that it was called on."""

    claims: Claims
    inputs: DeviceSegment
    outputs: DeviceSegment


class Caller:
    """Lends workers of `pool` the memory that a request needs. `name` is the GPU's, for sentences."""

    def __init__(
        self, pool: Pool, flush: SharedMemory, seconds: float, name: str, hung: Callable[[], None]
    ) -> None:
        self._pool = pool
        self._flush = flush
        self._seconds = seconds
        self._name = name
        self._hung = hung
        """Called when a call did not end, and its worker is gone."""

    def ask(self, build: Build, arguments: Arguments, manner: Manner) -> Asked | RunFailure:
        """Have the build's worker call the entry on fresh outputs.

        Raises DriverFailed where memory cannot be had, and what `hung` raises.
        """
        held = self._pool.worker(build)
        inputs, outputs = self._pool.inputs(arguments), self._pool.outputs(held, arguments)
        request, files = self._request(held, inputs, outputs, manner)
        request |= build_fields(build)
        request["items"] = item_fields(arguments, (inputs, outputs))
        begun = time.perf_counter()
        reply = held.worker.call(request, files, seconds=self._seconds)
        waited_ms = 1e3 * (time.perf_counter() - begun)
        said = understood(reply, held.worker.limits, self._name)
        claims = said if isinstance(said, RunFailure) else claims_of(said, manner, waited_ms)
        if isinstance(claims, RunFailure):
            self._end(build, claims)
            return claims
        return Asked(claims, inputs, outputs)

    def _request(
        self, held: HeldWorker, inputs: DeviceSegment, outputs: DeviceSegment, manner: Manner
    ) -> tuple[dict[str, Any], list[int]]:
        """What the call needs of memory, and the files of what this worker has not been lent before."""
        lent = {inputs.name: (inputs.memory, False), outputs.name: (outputs.memory, True)}
        if manner.flush:
            lent[FLUSH] = (self._flush, True)
        new = {name: memory for name, memory in lent.items() if name not in held.lent}
        kept = {*lent, *self._pool.names(held), FLUSH}
        held.lent = (held.lent | lent.keys()) & kept
        request = {
            "do": manner.do,
            "calls": manner.calls,
            "flush": FLUSH if manner.flush else None,
            "new": [
                {"name": name, "nbytes": memory.nbytes, "writable": writable}
                for name, (memory, writable) in new.items()
            ],
            "kept": sorted(kept),
            "lent": sorted(lent),
            "place": next(held.places),
        }
        return request, [memory.file for memory, _ in new.values()]

    def _end(self, build: Build, failure: RunFailure) -> None:
        """After a failure nothing in the worker can be trusted; after a hang, perhaps not the GPU either."""
        self._pool.drop(build.key)
        if failure.kind is FailureKind.TIMED_OUT:
            self._hung()
