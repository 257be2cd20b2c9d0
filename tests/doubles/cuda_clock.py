"""A GPU and its host as both clocks see them: launches that jitter, outliers, clocks that change.

Calls queue on one stream: each begins when the host has asked for it and the one before is over. Its numbers
are what is published of data-centre GPUs, widened: they were not measured here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.cuda.agreement import BATCH, RESOLUTION_MS
from cudamaster.toolchain.devices.cuda.requests import ROW, Claims, Manner
from cudamaster.toolchain.devices.cuda.timing import CallTimer
from cudamaster.toolchain.timing import ClockState

Times = NDArray[np.float64]
BOOST_MHZ = 1980.0
FLUSH_MS, OWN_MS = 0.07, 0.003
LAUNCH_MS = 0.0035
"""What the host takes for one command."""
EVENT_MS = 0.0015
"""What two events find between them where nothing is."""
JITTER, OUTLIERS, OUTLIER_MS = 0.03, 0.002, 0.05
"""Of logarithms of times; of commands, on the host and on the GPU."""
PREEMPTIONS, PREEMPTED_MS = 0.0003, 4.0
"""Of commands, those before which the host has to wait for a processor; other programs use it as well."""
ANSWER_MS, KEPT_WAITING, WAIT_MS = 0.4, 0.05, 8.0
"""An answer's way; the share of answers that a busy machine keeps back, and for how long at most."""


@dataclass
class NoisyCalls:
    """Answers as a worker does whose entry takes `call_ms` at the boost clock."""

    call_ms: float
    rng: np.random.Generator
    mhz: Callable[[float, Manner], float] = lambda now_ms, manner: BOOST_MHZ
    """The SM clock at a time since the beginning, while it is asked so."""
    now_ms: float = 0.0
    asked: int = 0
    last_mhz: float = BOOST_MHZ
    claims: Callable[[Manner, Times], Times] = lambda manner, times: times
    """What it says of times that were so."""
    beside: float = field(init=False)

    def __post_init__(self) -> None:
        self.beside = self._beside_ms()

    def ask(self, manner: Manner) -> Claims:
        """What both clocks say of these calls."""
        self.asked += 1
        self.last_mhz = self.mhz(self.now_ms, manner)
        times, took_ms = self._calls(manner, self.call_ms * BOOST_MHZ / self.last_mhz)
        waited_ms = took_ms + self._answer_ms()
        self.now_ms += waited_ms
        return Claims(manner.calls, 0, 0, 0.0, tuple(self.claims(manner, times)), waited_ms)

    def timer(self, cold_share: float = 0.75) -> CallTimer:
        """What takes samples of it, on a machine whose own calls jitter likewise."""
        return CallTimer(
            self.ask,
            lambda: ClockState(self.last_mhz),
            FLUSH_MS,
            True,
            False,
            lambda: self.beside,
            cold_share,
        )

    def _calls(self, manner: Manner, call_ms: float) -> tuple[Times, float]:
        n = manner.calls
        if manner.do == ROW:
            over = self._over(self._host(n), self._jittered(call_ms, n))
            return self._ticks(over[-1:] + EVENT_MS), float(over[-1])
        asked, work = self._host(4 * n), np.zeros(4 * n)  # a flush, an event, the call, an event
        work[0::4] = self._jittered(FLUSH_MS if manner.flush else 0.0, n)
        work[2::4] = self._jittered(call_ms, n) + EVENT_MS
        over = self._over(asked, work)
        return self._ticks(over[3::4] - over[1::4]), float(over[-1])

    def _over(self, asked: Times, work: Times) -> Times:
        """When each command is over: it begins once it was asked for and the one before is over."""
        done = np.cumsum(work)
        began: Times = np.maximum.accumulate(np.cumsum(asked) - (done - work))
        return began + done

    def _host(self, commands: int) -> Times:
        """What it takes for each of so many."""
        waits = np.where(self.rng.random(commands) < PREEMPTIONS, PREEMPTED_MS, 0.0)
        times: Times = self._jittered(LAUNCH_MS, commands) + waits
        return times

    def _jittered(self, mean_ms: float, count: int) -> Times:
        if not mean_ms:
            return np.zeros(count)
        times: Times = mean_ms * np.exp(self.rng.normal(0, JITTER, count)) + self._outliers(count)
        return times

    def _outliers(self, count: int) -> Times:
        hit = self.rng.random(count) < OUTLIERS
        return np.where(hit, OUTLIER_MS, 0.0)

    def _ticks(self, times: Times) -> Times:
        begin = self.rng.random(times.shape) * RESOLUTION_MS
        found: Times = np.floor((begin + times) / RESOLUTION_MS) * RESOLUTION_MS
        return found

    def _answer_ms(self) -> float:
        late = self.rng.random() < KEPT_WAITING
        return float(self.rng.exponential(ANSWER_MS) + 0.2 + late * self.rng.random() * WAIT_MS)

    def _beside_ms(self) -> float:
        """As the station finds it: the quicker batches of three."""
        found = {BATCH: float("inf"), 2 * BATCH: float("inf")}
        for _ in range(3):
            for calls in found:
                times, took_ms = self._calls(Manner(calls, flush=True), OWN_MS)
                found[calls] = min(found[calls], took_ms - float(times.sum()))
        return (found[2 * BATCH] - found[BATCH]) / BATCH
