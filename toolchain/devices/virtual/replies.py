"""What a worker says about a call, between JSON and the toolchain's nouns.

The worker's half encodes; the trusted half decodes and takes nothing for granted: a number is finite.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from cudamaster.toolchain.outputs import FailureKind, Fault, RunFailure
from cudamaster.toolchain.profile import HotLine, KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock

MOST_TEXT = 2000
MOST_ENTRIES = 1000


class ReplyForged(Exception):
    """A reply that our own worker program would not have sent."""


def encode_failure(failure: RunFailure) -> dict[str, Any]:
    """For `decode_failure`."""
    fault = None if failure.fault is None else encode_fault(failure.fault)
    return {"kind": failure.kind.value, "reason": failure.reason, "fault": fault}


def decode_failure(fields: Any) -> RunFailure:
    """Raises ReplyForged."""
    try:
        fault = None if fields["fault"] is None else decode_fault(fields["fault"])
        return RunFailure(FailureKind(fields["kind"]), _text(fields["reason"]), fault)
    except (AttributeError, KeyError, TypeError, ValueError) as failure:
        raise ReplyForged("a failure without its parts") from failure


def decode_faults(faults: Any) -> tuple[Fault, ...]:
    """Raises ReplyForged."""
    return tuple(decode_fault(fault) for fault in _entries(faults))


def encode_fault(fault: Fault) -> dict[str, Any]:
    """For `decode_fault`."""
    return asdict(fault)


def decode_fault(fields: Any) -> Fault:
    """Raises ReplyForged."""
    try:
        return Fault(
            kind=_text(fields["kind"]),
            message=_text(fields["message"]),
            kernel=None if fields["kernel"] is None else _text(fields["kernel"]),
            line=None if fields["line"] is None else int(fields["line"]),
            block=None if fields["block"] is None else _three(fields["block"]),
            thread=None if fields["thread"] is None else _three(fields["thread"]),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as failure:
        raise ReplyForged("a fault without its parts") from failure


def encode_profile(profile: Profile) -> list[dict[str, Any]]:
    """For `decode_profile`."""
    return [asdict(kernel) for kernel in profile.kernels]


def decode_profile(kernels: Any) -> Profile:
    """Raises ReplyForged."""
    try:
        return Profile(Clock.MODELLED, tuple(_kernel(fields) for fields in _entries(kernels)))
    except (AttributeError, KeyError, TypeError, ValueError) as failure:
        raise ReplyForged("a profile without its parts") from failure


def number(value: Any) -> float:
    """A finite number that is at least 0. Raises ReplyForged."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ReplyForged(f"{str(value)[:40]} is no amount")
    return float(value)


def _kernel(fields: Mapping[str, Any]) -> KernelProfile:
    launch = fields["launch"]
    return KernelProfile(
        name=_text(fields["name"]),
        launch=Launch(_three(launch["grid"]), _three(launch["block"]), int(launch["dynamic_shared_bytes"])),
        launches=int(fields["launches"]),
        time_ms=number(fields["time_ms"]),
        metrics={_text(name): float(value) for name, value in fields["metrics"].items()},
        bound=_text(fields["bound"]),
        bound_by=_text(fields["bound_by"]),
        hot_lines=tuple(
            HotLine(int(line["line"]), number(line["share"]), _text(line["why"]))
            for line in _entries(fields["hot_lines"])
        ),
    )


def _entries(value: Any) -> Sequence[Any]:
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        raise ReplyForged("no list, or an endless one")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ReplyForged("no text")
    return value[:MOST_TEXT]


def _three(value: Any) -> tuple[int, int, int]:
    x, y, z = value
    return int(x), int(y), int(z)
