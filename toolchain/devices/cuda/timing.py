"""One entry's times on one GPU: samples of as many calls as it takes, by two clocks that agree."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import fmean

from cudamaster.toolchain.devices.cuda.agreement import (
    BATCH_BELOW_MS,
    LONG_MS,
    TRIES,
    Agreed,
    Row,
    agreed,
    agreed_cold,
    calls_for,
    unlikely_cold,
    unlikely_time,
    unlikely_wait,
)
from cudamaster.toolchain.devices.cuda.requests import NOTHING_DONE, ROW, Claims, Manner
from cudamaster.toolchain.outputs import FailureKind, Fault, RunFailure
from cudamaster.toolchain.timing import Clock, ClockState, Timing

PILOT_CALLS = 3
"""The first of a process loads kernels; the quickest counts."""
HEARINGS = 3
"""Of both clocks, before samples that they do not bear out are refused."""
LEAST_CLOCK_SHARE = 0.65
"""Of a GPU's clock that its power limit leaves."""
DISAGREE = "clocks_disagree"


@dataclass(frozen=True, slots=True)
class Pace:
    """How one entry is timed on one workload, found once for each process."""

    calls: int
    """That a sample takes the mean of."""
    launches: int
    """Kernels a call."""
    row_ms: float
    """What a call takes in a row, by events that the clock outside bears out; 0 where that is not known."""
    cold_ms: float = 0.0
    """What one takes from cold caches, likewise; 0 where that is not known."""
    sm_mhz: float = 0.0
    """The SM clock when that was found."""

    def at(self, sm_mhz: float) -> "Pace":
        """What the calls take at least at this clock: many of them may draw more power than a GPU is allowed,
        and slow it down, where a few do not.
        """
        share = max(LEAST_CLOCK_SHARE, min(1.0, self.sm_mhz / sm_mhz)) if sm_mhz else 1.0
        return replace(self, row_ms=share * self.row_ms, cold_ms=share * self.cold_ms)


@dataclass(frozen=True, slots=True)
class CallTimer:
    """Times the calls that `ask` makes."""

    ask: Callable[[Manner], Claims | RunFailure]
    """Makes the calls of one request; a claim that our memory contradicts is a failure."""
    state: Callable[[], ClockState]
    """Of the GPU's clock, asked right after each sample."""
    flush_ms: float
    """What one flush of L2 takes, by the outside clock."""
    cold: bool
    """Whether L2 is flushed before each call."""
    one_a_request: bool
    """Whether arguments are restored before each call, since it changes what it reads."""
    beside_ms: Callable[[], float]
    """What flush, events and the host take beside each of many calls, by the outside clock."""
    cold_share: float
    """Of what a call takes on average where many are timed, what a sample must claim; 0 to time none so."""
    counted: bool = True
    """Whether all launches are counted: a vendor library has a CUDA runtime of its own for its."""

    def timed(self, known: Pace | None, samples: int) -> tuple[Pace | None, Timing | RunFailure]:
        """So many samples at the pace that is `known` or found now; and that pace, where there is one.

        Where samples are not what was promised all is heard again: noise may have spoilt what was heard
        before, and who lies does so again.
        """
        pace = known or self.pace()
        found = self._at(pace, samples)
        for _ in range(HEARINGS - 1):
            if isinstance(pace, RunFailure) or not _is_doubt(found):
                break
            pace = self.pace()
            found = self._at(pace, samples)
        return (pace if isinstance(pace, Pace) else None), found

    def _at(self, pace: Pace | RunFailure, samples: int) -> Timing | RunFailure:
        return self.times(pace, samples) if isinstance(pace, Pace) else pace

    def pace(self) -> Pace | RunFailure:
        """Try the entry, and hear both clocks on it."""
        pilot = self._calls(PILOT_CALLS)
        if isinstance(pilot, RunFailure):
            return pilot
        time_ms = min(ms for claims in pilot for ms in claims.times_ms)
        found = agreed(self._row, time_ms)
        cold = self._cold(time_ms, found.least_ms) if isinstance(found, Agreed) else found
        for doubt in (found, cold):
            if isinstance(doubt, RunFailure):
                return doubt
            if isinstance(doubt, str):
                return _disagreeing(doubt)
        assert isinstance(found, Agreed)
        assert isinstance(cold, Agreed)
        launches = sum(claims.launches for claims in pilot) // PILOT_CALLS
        return Pace(calls_for(time_ms), launches, found.call_ms, cold.call_ms, self.state().sm_mhz)

    def _cold(self, time_ms: float, least_ms: float) -> Agreed | str | RunFailure:
        """The same from cold caches, of calls short by either clock, many of which can be asked for."""
        long = time_ms >= LONG_MS or least_ms >= BATCH_BELOW_MS
        if long or not self.cold or self.one_a_request or not self.cold_share:
            return Agreed(0.0, 0.0)
        return agreed_cold(self._batch, self.beside_ms())

    def first(self, samples: int) -> Timing | RunFailure:
        """So many samples of a call each, with nothing before the first one.

        None is repeated: where events and the time that was waited do not agree, the longer counts.
        """
        asked: list[Claims] = []
        states: list[ClockState] = []
        for _ in range(samples):
            claims = self.ask(Manner(1, flush=self.cold))
            if isinstance(claims, RunFailure):
                return claims
            asked.append(claims)
            states.append(self.state())
        times_ms = tuple(self._longer(claims) for claims in asked)
        return Timing(Clock.MEASURED, times_ms, asked[0].launches, tuple(states))

    def _longer(self, claims: Claims) -> float:
        """What one call took at most."""
        flush_ms = self.flush_ms if self.cold else 0.0
        doubt = unlikely_wait(claims.times_ms[0], claims.waited_ms, 1, flush_ms)
        return claims.waited_ms if doubt else claims.times_ms[0]

    def times(self, pace: Pace, samples: int) -> Timing | RunFailure:
        """So many samples."""
        times_ms: list[float] = []
        states: list[ClockState] = []
        for _ in range(samples):
            calls = self._calls(pace.calls, None if self.one_a_request else pace)
            if isinstance(calls, RunFailure):
                return calls
            states.append(self.state())
            times_ms.append(fmean(ms for claims in calls for ms in claims.times_ms))
        return Timing(Clock.MEASURED, tuple(times_ms), pace.launches, tuple(states))

    def _calls(self, calls: int, pace: Pace | None = None) -> list[Claims] | RunFailure:
        """So many calls, in one request or in as many, whose claims go with `pace` where there is one."""
        requests, calls_each = (calls, 1) if self.one_a_request else (1, calls)
        found: list[Claims] = []
        for _ in range(requests):
            claims = self._request(calls_each, pace)
            if isinstance(claims, RunFailure):
                return claims
            found.append(claims)
        return found

    def _request(self, calls: int, pace: Pace | None) -> Claims | RunFailure:
        """The claims of one request; a process that was kept waiting for is asked again."""
        doubt = None
        for _ in range(TRIES):
            claims = self.ask(Manner(calls, flush=self.cold))
            if isinstance(claims, RunFailure):
                return claims
            if claims.idle and self.counted:
                return RunFailure(FailureKind.LAUNCH_FAILED, NOTHING_DONE)
            flush_ms = self.flush_ms if self.cold else 0.0
            doubt = unlikely_wait(sum(claims.times_ms), claims.waited_ms, calls, flush_ms)
            if pace is not None and doubt is None:
                doubt = self._too_quick(fmean(claims.times_ms), pace)
            if doubt is None:
                return claims
        return _disagreeing(doubt or "")

    def _too_quick(self, mean_ms: float, pace: Pace) -> str | None:
        """Why a sample is doubted, also where the clock was lower when its pace was found."""

        def doubt(pace: Pace) -> str | None:
            few = unlikely_time(mean_ms, pace.row_ms)
            return few or unlikely_cold(mean_ms, pace.cold_ms, self.cold_share)

        return doubt(pace) and doubt(pace.at(self.state().sm_mhz))

    def _row(self, calls: int) -> Row | RunFailure:
        claims = self.ask(Manner(calls, do=ROW))
        if isinstance(claims, RunFailure):
            return claims
        return Row(claims.times_ms[0], claims.waited_ms)

    def _batch(self, calls: int) -> Row | RunFailure:
        claims = self.ask(Manner(calls, flush=True))
        if isinstance(claims, RunFailure):
            return claims
        return Row(sum(claims.times_ms), claims.waited_ms)


def _is_doubt(found: Timing | RunFailure) -> bool:
    return isinstance(found, RunFailure) and found.fault is not None and found.fault.kind == DISAGREE


def _disagreeing(reason: str) -> RunFailure:
    words = f"inconclusive: the call's events and the clock outside do not agree: {reason}"
    return RunFailure(FailureKind.LAUNCH_FAILED, words, Fault(DISAGREE, words))
