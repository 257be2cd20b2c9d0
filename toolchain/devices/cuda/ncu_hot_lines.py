"""Which source lines warps were on when Nsight Compute sampled them, and what they waited for there."""

from collections import Counter as Tally
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple, Protocol

from cudamaster.toolchain.devices.cuda.ncu_metrics import Counter
from cudamaster.toolchain.profile import HotLine

SAMPLES = "smsp__pcsamp_warps_issue_stalled_"
NOT_ISSUED = "_not_issued"
LEAST_SHARE = 0.02
MOST_LINES = 8
REASONS = {
    "long_scoreboard": "waits for global or local memory",
    "short_scoreboard": "waits for shared memory, a shuffle or a special function",
    "barrier": "waits at a barrier",
    "wait": "waits for a result of fixed latency",
    "math_pipe_throttle": "waits for an arithmetic pipe",
    "lg_throttle": "waits for the queue of global memory instructions",
    "mio_throttle": "waits for the queue to shared memory",
    "membar": "waits for a memory fence",
    "branch_resolving": "waits for a branch's target",
    "not_selected": "waits for its turn",
    "no_instructions": "waits for instructions to be fetched",
    "selected": "issues",
    "gmma": "waits for the tensor cores",
}


class Place(Protocol):
    """The part of `ncu_report.ISourceInfo` that is used."""

    def file_name(self) -> str:
        """As the compiler wrote it."""

    def line(self) -> int:
        """1-based."""


class Sampled(Protocol):
    """The part of `ncu_report.IAction` that hot lines need."""

    def metric_names(self) -> Iterable[str]:
        """All counters of the launch."""

    def metric_by_name(self, metric_name: str) -> Counter | None:
        """None where it was not collected."""

    def source_info(self, address: int) -> Place | None:
        """Where an instruction comes from."""


class _Sample(NamedTuple):
    address: int
    reason: str
    samples: int


def hot_lines(actions: Sequence[Sampled], filename: str) -> tuple[HotLine, ...]:
    """The lines of `filename` that hold most samples of all launches, the most first.

    Shares are of all samples, those of headers and of unknown places included.
    """
    by_line: defaultdict[int, Tally[str]] = defaultdict(Tally)
    total = 0
    for action in actions:
        for sample in _samples(action):
            total += sample.samples
            if line := _line(action.source_info(sample.address), filename):
                by_line[line][sample.reason] += sample.samples
    lines = (HotLine(line, tally.total() / total, _why(tally)) for line, tally in by_line.items())
    hot = sorted((one for one in lines if one.share >= LEAST_SHARE), key=lambda one: (-one.share, one.line))
    return tuple(hot[:MOST_LINES])


def _samples(action: Sampled) -> Iterator[_Sample]:
    for name in action.metric_names():
        if not name.startswith(SAMPLES) or name.endswith(NOT_ISSUED):
            continue
        counter = action.metric_by_name(name)
        addresses = counter.correlation_ids() if counter else None
        if counter is None or addresses is None:
            continue
        for instance in range(counter.num_instances()):
            if count := counter.as_uint64(instance):
                yield _Sample(addresses.as_uint64(instance), name.removeprefix(SAMPLES), count)


def _line(place: Place | None, filename: str) -> int | None:
    if place is None or PurePath(place.file_name()).name != filename:
        return None
    return place.line() or None


def _why(tally: Tally[str]) -> str:
    """The commonest reason, and the second where it is a quarter of it or more."""
    (first, most), *rest = tally.most_common(2)
    words = [REASONS.get(first, first)]
    words += [REASONS.get(reason, reason) for reason, count in rest if count >= most / 4]
    return "; ".join(words)
