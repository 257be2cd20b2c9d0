"""How many calls make one sample, and whether a worker's events agree with the clock outside it.

Events tell only of the streams that wait for them, and are read where a candidate's code runs. The outside
clock is neither: rows of N and of 2N calls are waited for, and what the second takes longer is N calls,
whatever streams they used; the answer's way cancels out. In a row caches are warm and the host may be what
takes the time, so that rows bound the times of short calls loosely; batches of calls that are timed each from
cold caches, as samples are, bound them closely.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

from cudamaster.toolchain.devices.cuda.stopwatch import MOST_CALLS
from cudamaster.toolchain.outputs import RunFailure

RESOLUTION_MS = 0.0005
"""Of CUDA events: 0.5 µs (CUDA runtime API, cudaEventElapsedTime)."""
PRECISION = 0.01
"""What a sample's error from the resolution may be of it, as one standard deviation."""
SHORT_MS = 0.020
"""Calls that take longer are samples by themselves."""
ROW_MS = 20.0
"""What a row should take at least, for the outside clock to tell."""
MOST_IN_ROW = 1 << 15
SHORT_ROW, GROSS_MS = 8, 1.0
"""Calls in a row that is tried first, and the difference of a call's times that shows in it."""
SLACK_MS = 0.002
"""Difference of a call's times that a busy host makes."""
LEAST_SHARE, HOST_MS = 0.7, 0.2
"""Of what a call takes in a row, what it may take in a sample, less what the host may take between two."""
BATCH = MOST_CALLS // 2
"""Calls in the shorter of two batches."""
BATCH_BELOW_MS = 0.5
"""Calls that take longer are bounded closely enough by rows."""
BATCH_SLACK_MS = 0.02
"""What the host may take longer beside one call than beside ours."""
LONG_MS = 2000.0
"""A call that takes longer shows in the wait for its own sample what a row would."""
TOLERANCE = 0.2
"""How much longer than the events say a call may take outside."""
ANSWER_MS = 100.0
"""For a request and its answer: a busy machine keeps a process waiting."""
CALL_MS = 0.2
"""For what the host does for one call beside it."""
TRIES, ROW_TRIES = 5, 16


class Row(NamedTuple):
    """Calls in a row, by both clocks."""

    claimed_ms: float
    waited_ms: float


class Agreed(NamedTuple):
    """Events and the outside clock agree."""

    call_ms: float
    """What a call takes by the events that the clock outside bears out; 0 where none was made."""
    least_ms: float
    """By that of both clocks which says less."""


def calls_for(time_ms: float) -> int:
    """Calls of so many milliseconds that one sample takes the mean of.

    An interval that begins anywhere between two ticks counts one tick more or less: its standard deviation is
    at most half a resolution, and that of a mean of n of them a √n-th of that.
    """
    if time_ms >= SHORT_MS:
        return 1
    if time_ms <= 0.0:
        return MOST_CALLS
    return min(MOST_CALLS, math.ceil((RESOLUTION_MS / 2 / (PRECISION * time_ms)) ** 2))


def row_length(time_ms: float) -> int:
    """Calls in the shorter row."""
    return min(MOST_IN_ROW, max(1, math.ceil(ROW_MS / time_ms))) if time_ms > 0 else MOST_IN_ROW


def agreed(row: Callable[[int], Row | RunFailure], time_ms: float) -> Agreed | str | RunFailure:
    """What a call of about `time_ms` takes by the outside clock; why not, where events do not agree with it.

    A short row tells what differs grossly, before a long one takes the longer for it.
    """
    if time_ms >= LONG_MS:
        return Agreed(0.0, 0.0)
    calls = row_length(time_ms)
    found = _agreed(row, min(SHORT_ROW, calls), GROSS_MS)
    if calls <= SHORT_ROW or not isinstance(found, Agreed):
        return found
    return _agreed(row, calls, SLACK_MS)


def agreed_cold(batch: Callable[[int], Row | RunFailure], beside_ms: float) -> Agreed | str | RunFailure:
    """What a call takes from cold caches by the outside clock, where events do agree with it.

    Beside each call of a batch there are a flush and what belongs to it, which take `beside_ms`.
    """
    return _agreed(batch, BATCH, BATCH_SLACK_MS, beside_ms)


def _agreed(
    row: Callable[[int], Row | RunFailure], calls: int, slack_ms: float, beside_ms: float = 0.0
) -> Agreed | str | RunFailure:
    """The same by rows of `calls`, of several those that the events explain best: a busy machine keeps
    processes waiting. Both times of a row stay together, since the clock may step between two.
    """
    best: dict[int, Row] = {}
    outside = claimed = 0.0
    for _ in range(ROW_TRIES):
        for length in (calls, 2 * calls):
            found = row(length)
            if isinstance(found, RunFailure):
                return found
            best[length] = min(found, best.get(length, found), key=_unexplained_ms)
        once, twice = best[calls], best[2 * calls]
        outside = (twice.waited_ms - once.waited_ms) / calls - beside_ms
        claimed = max(0.0, twice.claimed_ms - once.claimed_ms) / calls
        if outside <= (1 + TOLERANCE) * claimed + slack_ms:
            return Agreed(claimed, max(0.0, min(outside, claimed)))
    return f"a call takes {outside:.4g} ms by the clock outside, and {claimed:.4g} ms by its events"


def _unexplained_ms(row: Row) -> float:
    return row.waited_ms - row.claimed_ms


def unlikely_time(mean_ms: float, outside_ms: float) -> str | None:
    """Why a sample cannot be of calls that take so long in a row at its clock; None where it may be.

    A row has its data in the caches, and a sample has not.
    """
    if mean_ms >= LEAST_SHARE * outside_ms - HOST_MS:
        return None
    return f"a timed call claims {mean_ms:.4g} ms, and calls in a row take {outside_ms:.4g} ms each"


def unlikely_cold(mean_ms: float, cold_ms: float, share: float) -> str | None:
    """Why a sample cannot be of calls that take so long in a batch at its clock: less than this share."""
    if mean_ms >= share * cold_ms - 2 * RESOLUTION_MS:
        return None
    return f"a timed call claims {mean_ms:.4g} ms, and many such calls take {cold_ms:.4g} ms each"


def unlikely_wait(claimed_ms: float, waited_ms: float, calls: int, flush_ms: float) -> str | None:
    """Why a sample's events cannot be right, by how long it was waited for; None where they may be."""
    if claimed_ms > waited_ms:
        return f"the events claim {claimed_ms:.4g} ms, and {waited_ms:.4g} ms passed"
    most = (1 + TOLERANCE) * claimed_ms + ANSWER_MS + calls * (CALL_MS + 2 * flush_ms)
    if waited_ms > most:
        return f"the events claim {claimed_ms:.4g} ms, and it took {waited_ms:.4g} ms to have the answer"
    return None
