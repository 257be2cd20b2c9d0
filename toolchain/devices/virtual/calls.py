"""One call as the trusted side asks for it, and what it makes of the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.virtual.ordering import reached, rounds_in_any_order
from cudamaster.toolchain.devices.virtual.replies import decode_extents, decode_launched, decode_profile
from cudamaster.toolchain.nvcc.diagnostics import source_files
from cudamaster.toolchain.outputs import FailureKind, Fault, Outputs, RunFailure
from cudamaster.toolchain.profile import Profile
from cudamaster.toolchain.traces import Extent, Written, written
from cudamaster.toolchain.worker.replies import ReplyForged, decode_faults, forged, number
from cudamaster.toolchain.worker.segment import Segment
from cudamaster.toolchain.worker.wire import Message

MOVING = frozenset({"memset", "memcpy"})
"""Operations that may make outputs without a kernel."""


@dataclass(frozen=True, slots=True)
class Profiled:
    """A call's profile and how many kernels it launched."""

    profile: Profile
    launches: int
    launched: Mapping[str, int] | None
    """How often what was launched; None where that may have followed from data that was not there."""
    extents: Mapping[str, Extent]
    """How much of each tensor the call touches."""
    moved_bytes: int
    """Moved within device memory without a kernel."""
    transferred_bytes: int
    """Copied between the device and the host."""
    steps: float
    """Instructions of all threads, estimated."""
    written: Mapping[str, Written] = field(default_factory=dict)
    """Some of what it wrote into each output; empty where nobody asked."""


def build_fields(build: Build) -> dict[str, Any]:
    """What a worker needs of a build."""
    return {
        "library": str(build.library),
        "ptx": str(build.ptx),
        "entry": build.source.entry,
        "resources": [asdict(one) for one in build.resources],
        "source_files": _own_files(build),
    }


@lru_cache(maxsize=64)
def _own_files(build: Build) -> list[int]:
    """The numbers by which its PTX means the candidate's own file."""
    return sorted(source_files(ptx_text(build), build.source.filename))


def call_fields(arguments: Arguments, segments: tuple[Segment, ...]) -> dict[str, Any]:
    """What a worker needs of the arguments."""
    return {
        "label": arguments.label,
        "arguments": [_argument(item) for item in arguments.items],
        "segments": [
            {
                "nbytes": segment.nbytes,
                "writable": segment.writable,
                "tensors": [(p.name, p.offset, p.nbytes) for p in segment.placements],
                "blank": [t.name for t in arguments.tensors if _is_blank(t)],
            }
            for segment in segments
        ],
    }


def _is_blank(tensor: Tensor) -> bool:
    """Whether a call must write the tensor before it reads it: an output, unless the caller zeroed it."""
    return tensor.access is Access.OUTPUT and any(tensor.array.reshape(-1)[:1].tobytes())


def _argument(item: Tensor | Scalar) -> dict[str, Any]:
    if isinstance(item, Tensor):
        return {"name": item.name}
    return {"name": item.name, "value": item.value, "ctype": item.ctype}


def outputs_of(said: Message, arguments: Arguments, segment: Segment) -> Outputs | RunFailure:
    """The tensors as they are in shared memory, and what the worker said besides."""
    try:
        return Outputs(
            arrays={t.name: segment.read(t.name) for t in arguments.tensors if t.access is not Access.INPUT},
            changed_inputs=(),  # the system itself keeps inputs from being written
            overwritten_guards=segment.overwritten_guards(),
            faults=decode_faults(said["faults"]),
            notes=decode_faults(said["notes"]),
            leaked_bytes=int(number(said["leaked_bytes"])),
            seconds=number(said["seconds"]),
            kernels=_kernels(launched_of(said)),
        )
    except (KeyError, ReplyForged):
        return forged()


def profiled_of(said: Message) -> Profiled | RunFailure:
    """The profile in a reply; a call that did nothing on the device has none."""
    try:
        profile, launches = decode_profile(said["kernels"]), int(number(said["launches"]))
        launched = decode_launched(said["launched"])
        extents = decode_extents(said["extents"])
        moved, transferred = (int(number(said[f"{how}_bytes"])) for how in ("moved", "transferred"))
        steps = number(said["steps"])
    except (KeyError, ReplyForged):
        return forged()
    if not launches and not MOVING & {kernel.name for kernel in profile.kernels}:
        return RunFailure(FailureKind.LAUNCH_FAILED, "the entry launched no kernel and moved no bytes")
    return Profiled(profile, launches, launched, extents, moved, transferred, steps)


def written_of(arguments: Arguments, segment: Segment) -> Mapping[str, Written]:
    """Some of what a call left in each output, from places that nobody can know beforehand."""
    rng = np.random.default_rng()
    outputs = (tensor for tensor in arguments.tensors if tensor.access is Access.OUTPUT)
    return {t.name: written(t.array.reshape(-1), segment.view(t.name), rng) for t in outputs}


def launched_of(said: Message) -> Mapping[str, int] | None:
    """What a call launched; None where nobody knows."""
    try:
        return decode_launched(said["launched"])
    except (KeyError, ReplyForged):
        return None


def _kernels(launched: Mapping[str, int] | None) -> frozenset[str] | None:
    return None if launched is None else frozenset(words.partition("<<<")[0] for words in launched)


def launched_less(read: Mapping[str, int], timed: Mapping[str, int]) -> RunFailure | None:
    """Why a call that is timed has no time: it left out what it launched where its outputs are read."""
    left_out = next((words for words, count in read.items() if timed.get(words, 0) < count), None)
    if left_out is None:
        return None
    words = f"the entry leaves {left_out} out where only its time is taken"
    return RunFailure(FailureKind.LAUNCH_FAILED, words, Fault("other_launches", words))


def joined(first: Outputs, second: Outputs | RunFailure, ptx: str) -> Outputs:
    """The first call, with what the second says against it: watched, in another order, on other garbage.

    What the watch found comes first; it explains most of what the order changes. What is left allocated by
    one call only is no leak: it may be kept.
    """
    if isinstance(second, RunFailure):
        words = f"the call fails when threads run in reversed order: {second.reason}"
        fault = second.fault or Fault("order_dependent", words)
        return replace(first, faults=(*first.faults, fault))
    changed = [name for name, array in first.arrays.items() if not _same(array, second.arrays, name)]
    found, rounds = second.faults, rounds_in_any_order(reached(ptx, _of_both(first.kernels, second.kernels)))
    if not found and changed and not rounds:
        found = second.notes or (_order_fault(changed),)
    return replace(
        first,
        faults=tuple(dict.fromkeys((*first.faults, *found))),
        notes=second.notes,
        leaked_bytes=min(first.leaked_bytes, second.leaked_bytes),
        reordered=second.arrays if changed else {},
    )


def _of_both(one: frozenset[str] | None, other: frozenset[str] | None) -> frozenset[str] | None:
    return None if one is None or other is None else one | other


def _order_fault(changed: Sequence[str]) -> Fault:
    words = f"{', '.join(changed)} changes when the call is repeated with threads in reversed order"
    reasons = "a race, an assumed order, a variable that was never set, or state kept between calls"
    return Fault("order_dependent", f"{words}: {reasons}")


def _same(array: NDArray[Any], others: Mapping[str, NDArray[Any]], name: str) -> bool:
    return bool(np.array_equal(array.reshape(-1).view(np.uint8), others[name].reshape(-1).view(np.uint8)))


def ptx_text(build: Build) -> str:
    """The build's PTX; empty where it has none."""
    return build.ptx.read_text() if build.ptx else ""
