"""One call as the trusted side asks a GPU's worker for it, and what it makes of the claims in the reply."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cudamaster.toolchain.arguments import Arguments, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.cuda.segment import DeviceSegment
from cudamaster.toolchain.outputs import RunFailure
from cudamaster.toolchain.passing import argument_fields
from cudamaster.toolchain.worker.replies import NO_PARTS, ReplyForged, entries, forged, number, whole
from cudamaster.toolchain.worker.wire import Message

EACH, ROW = "each", "row"
NOTHING_DONE = "the entry launched no kernel and moved no bytes"


@dataclass(frozen=True, slots=True)
class Manner:
    """How often the entry is called in one request, and what is timed."""

    calls: int = 1
    do: str = EACH
    """Whether each call is timed, or all of them in a row."""
    flush: bool = False
    """Whether L2 is filled with something else before each."""


@dataclass(frozen=True, slots=True)
class Claims:
    """What a worker says of the calls in one request, and how long the trusted side waited for it."""

    launches: int
    """Of all calls."""
    moves: int
    """Copies and fills of all calls."""
    leaked_bytes: int
    seconds: float
    times_ms: tuple[float, ...]
    """Between events: of each call, or of the row."""
    waited_ms: float
    """The outside clock: from asking to having the answer."""

    @property
    def idle(self) -> bool:
        """Whether nothing was done on the GPU."""
        return not self.launches and not self.moves


def build_fields(build: Build) -> dict[str, Any]:
    """What a worker needs of a build."""
    return {"library": str(build.library), "entry": build.source.entry}


def item_fields(arguments: Arguments, segments: Sequence[DeviceSegment]) -> list[Any]:
    """The arguments, tensors as places in the `segments`, by the names that the worker knows them by."""
    places = {
        placement.name: {"memory": segment.name, "offset": placement.offset}
        for segment in segments
        for placement in segment.placements
    }
    return [places[i.name] if isinstance(i, Tensor) else argument_fields(i) for i in arguments.items]


def claims_of(said: Message, manner: Manner, waited_ms: float) -> Claims | RunFailure:
    """The claims in a reply: as many times as were asked for, all finite, or our program did not make it."""
    try:
        times_ms = tuple(number(ms) for ms in entries(said["times_ms"]))
        claims = Claims(
            launches=whole(said["launches"]),
            moves=whole(said["moves"]),
            leaked_bytes=whole(said["leaked_bytes"]),
            seconds=number(said["seconds"]),
            times_ms=times_ms,
            waited_ms=waited_ms,
        )
    except (ReplyForged, *NO_PARTS):
        return forged()
    return claims if _as_asked(times_ms, manner) else forged()


def _as_asked(times_ms: Sequence[float], manner: Manner) -> bool:
    expected = 1 if manner.do == ROW else manner.calls
    return len(times_ms) == expected and all(map(math.isfinite, times_ms))
