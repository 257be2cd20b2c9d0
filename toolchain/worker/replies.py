"""What a worker says about a call, between JSON and the toolchain's nouns.

The worker's half encodes; the trusted half decodes and takes nothing for granted: a number is finite, and a
text short and fit to print.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from cudamaster.toolchain.outputs import FailureKind, Fault, RunFailure
from cudamaster.toolchain.stages import note_spent
from cudamaster.toolchain.worker.ending import GIB, WorkerEnd, printable
from cudamaster.toolchain.worker.hardening import WorkerLimits
from cudamaster.toolchain.worker.wire import Message

log = logging.getLogger(__name__)
MOST_TEXT = 2000
MOST_WORDS = 10_000
MOST_ENTRIES = 1000
MOST_AMOUNT = float(1 << 63)
NO_PARTS = (AttributeError, KeyError, TypeError, ValueError, OverflowError)
"""What reading a reply raises that lacks something, or has something else in its place."""


class ReplyForged(Exception):
    """A reply that our own worker program would not have sent."""


def understood(reply: Message | WorkerEnd, limits: WorkerLimits, whose: str) -> Message | RunFailure:
    """What our worker program, `whose`, said, or why it could not: the candidate's end, or our unknown.

    A fault of our own inside a call is nobody's wrong answer: it is logged with its place, and the call is
    unsupported.
    """
    if isinstance(reply, WorkerEnd):
        return RunFailure(FailureKind.TIMED_OUT if reply.timed_out else FailureKind.CRASHED, reply.reason)
    if "out_of_memory" in reply:
        limit = limits.memory_bytes / GIB
        return RunFailure(FailureKind.CRASHED, f"the call ran out of memory (limit {limit:.3g} GiB)")
    try:
        if "broken" in reply:
            return _broken(words_of(reply, "broken"), whose)
        said = answer_of(reply)
        note_spent(said.pop("spent", None))
        return decode_failure(said["failure"]) if "failure" in said else said
    except ReplyForged:
        return forged()


def _broken(words: str, whose: str) -> RunFailure:
    log.error("%s failed in a call:\n%s", whose, words)
    last = words.strip().splitlines()[-1][:300] if words.strip() else "no words"
    return RunFailure(FailureKind.UNSUPPORTED, f"{whose} itself failed on this call: {last}")


def forged() -> RunFailure:
    """For a reply that our program would not have sent."""
    return RunFailure(FailureKind.CRASHED, "the entry wrote into the harness's own channel")


def encode_failure(failure: RunFailure) -> dict[str, Any]:
    """For `decode_failure`."""
    fault = None if failure.fault is None else encode_fault(failure.fault)
    return {"kind": failure.kind.value, "reason": failure.reason, "fault": fault}


def decode_failure(fields: Any) -> RunFailure:
    """Raises ReplyForged."""
    try:
        fault = None if fields["fault"] is None else decode_fault(fields["fault"])
        return RunFailure(FailureKind(fields["kind"]), text(fields["reason"]), fault)
    except NO_PARTS as failure:
        raise ReplyForged("a failure without its parts") from failure


def decode_faults(faults: Any) -> tuple[Fault, ...]:
    """Raises ReplyForged."""
    return tuple(decode_fault(fault) for fault in entries(faults))


def encode_fault(fault: Fault) -> dict[str, Any]:
    """For `decode_fault`."""
    return asdict(fault)


def decode_fault(fields: Any) -> Fault:
    """Raises ReplyForged."""
    try:
        return Fault(
            kind=text(fields["kind"]),
            message=text(fields["message"]),
            kernel=None if fields["kernel"] is None else text(fields["kernel"]),
            line=None if fields["line"] is None else whole(fields["line"]),
            block=None if fields["block"] is None else three(fields["block"]),
            thread=None if fields["thread"] is None else three(fields["thread"]),
            other_line=None if fields["other_line"] is None else whole(fields["other_line"]),
        )
    except NO_PARTS as failure:
        raise ReplyForged("a fault without its parts") from failure


def number(value: Any) -> float:
    """A number from 0 to 2^63. Raises ReplyForged."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST_AMOUNT:
        raise ReplyForged("no amount")
    return float(value)


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


def entries(value: Any) -> Sequence[Any]:
    """A list of no endless length. Raises ReplyForged."""
    if not isinstance(value, list) or len(value) > MOST_ENTRIES:
        raise ReplyForged("no list, or an endless one")
    return value


def text(value: Any) -> str:
    """Words fit to print, cut where they are endless. Raises ReplyForged."""
    if not isinstance(value, str):
        raise ReplyForged("no text")
    return printable(value[:MOST_TEXT])


def whole(value: Any) -> int:
    """A number without its fraction. Raises ReplyForged."""
    return int(number(value))


def three(value: Any) -> tuple[int, int, int]:
    """Raises ReplyForged, or ValueError and TypeError where these are no three."""
    x, y, z = value
    return whole(x), whole(y), whole(z)
