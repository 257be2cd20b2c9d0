"""What a worker says about a call, between JSON and the toolchain's nouns.

The worker's half encodes; the trusted half decodes and takes nothing for granted: a number is finite, and a
text short and fit to print.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from cudamaster.toolchain.outputs import FailureKind, Fault, RunFailure
from cudamaster.toolchain.profile import HotLine, KernelProfile, Launch, Profile
from cudamaster.toolchain.timing import Clock
from cudamaster.toolchain.worker.ending import printable

MOST_TEXT = 2000
MOST_WORDS = 10_000
MOST_ENTRIES = 1000
MOST_AMOUNT = float(1 << 63)
NO_PARTS = (AttributeError, KeyError, TypeError, ValueError, OverflowError)
"""What reading a reply raises that lacks something, or has something else in its place."""


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
    except NO_PARTS as failure:
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
            line=None if fields["line"] is None else _whole(fields["line"]),
            block=None if fields["block"] is None else _three(fields["block"]),
            thread=None if fields["thread"] is None else _three(fields["thread"]),
            other_line=None if fields["other_line"] is None else _whole(fields["other_line"]),
        )
    except NO_PARTS as failure:
        raise ReplyForged("a fault without its parts") from failure


def encode_profile(profile: Profile) -> list[dict[str, Any]]:
    """For `decode_profile`."""
    return [asdict(kernel) for kernel in profile.kernels]


def decode_profile(kernels: Any) -> Profile:
    """Raises ReplyForged."""
    try:
        return Profile(Clock.MODELLED, tuple(_kernel(fields) for fields in _entries(kernels)))
    except NO_PARTS as failure:
        raise ReplyForged("a profile without its parts") from failure


def number(value: Any) -> float:
    """A number from 0 to 2^63. Raises ReplyForged."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_AMOUNT:
        raise ReplyForged("no amount")
    return float(value)


def decode_launched(counts: Any) -> Mapping[str, int] | None:
    """How often what was launched; None where data that was not there may decide it. Raises ReplyForged."""
    if counts is None:
        return None
    if not isinstance(counts, dict):
        raise ReplyForged("no counts")
    return {str(words): _whole(count) for words, count in counts.items()}


def answer_of(reply: Mapping[str, Any]) -> dict[str, Any]:
    """The answer in a message. Raises ReplyForged."""
    answer = reply.get("answer")
    if not isinstance(answer, dict):
        raise ReplyForged("no answer")
    return dict(answer)


def words_of(reply: Mapping[str, Any], name: str) -> str:
    """The end of what a message says under `name`, fit to print. Raises ReplyForged."""
    words = reply.get(name)
    if not isinstance(words, str):
        raise ReplyForged("no words")
    return printable(words[-MOST_WORDS:])


def _kernel(fields: Mapping[str, Any]) -> KernelProfile:
    launch = fields["launch"]
    return KernelProfile(
        name=_text(fields["name"]),
        launch=Launch(
            _three(launch["grid"]), _three(launch["block"]), _whole(launch["dynamic_shared_bytes"])
        ),
        launches=_whole(fields["launches"]),
        time_ms=number(fields["time_ms"]),
        metrics={_text(name): _finite(value) for name, value in fields["metrics"].items()},
        bound=_text(fields["bound"]),
        bound_by=_text(fields["bound_by"]),
        hot_lines=tuple(
            HotLine(_whole(line["line"]), number(line["share"]), _text(line["why"]))
            for line in _entries(fields["hot_lines"])
        ),
        symbol=_text(fields["symbol"]),
        occupancy_limiter=_text(fields["occupancy_limiter"]),
        instruction_mix={_text(kind): number(share) for kind, share in fields["instruction_mix"].items()},
    )


def _entries(value: Any) -> Sequence[Any]:
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        raise ReplyForged("no list, or an endless one")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ReplyForged("no text")
    return printable(value[:MOST_TEXT])


def _whole(value: Any) -> int:
    return int(number(value))


def _finite(value: Any) -> float:
    found = float(value)
    if not math.isfinite(found):
        raise ReplyForged("no figure")
    return found


def _three(value: Any) -> tuple[int, int, int]:
    x, y, z = value
    return _whole(x), _whole(y), _whole(z)
