"""Print how fast the virtual GPU runs kernels: `python -m benchmarks.virtual_gpu [kernel …]`.

Thread-instructions a second; what checks, counters and compiling cost. Figures are of one core, in CPU
time; each kernel's result is checked against NumPy. How much quicker two threads are is told by the clock,
which other work on the machine spoils, and by what a launch costs both of them in CPU time: the most that
the clock could show. What two threads of this machine can do at all is told by work that shares nothing:
hashing, which no memory bounds, and a copy, which is nothing but memory. What it can do of a kernel is told
by two processes, each with half of the grid and memory of its own (`apart`): their processors share caches
and execution units, on some machines a core, but nothing of ours. Two threads are to be 1.7 times as quick
as one, or as much quicker as these two processes are where that is less.

Ratios of threads are medians of turns that follow each other, beside their quartiles.
"""

import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.virtual_gpu.cases import CASES, ptx_of
from benchmarks.virtual_gpu.scaling import Scaling, Spread, apart, machine, scaling
from benchmarks.virtual_gpu.trial import SAMPLED_BLOCKS, Trial

PROMISED = {"gemm_naive": 12.0}
PROMISED_ELSEWHERE = 3.0
PROMISED_CHECKS, PROMISED_COUNTERS = 2.0, 4.0
PROMISED_COMPILE_MS = 200.0
"""The median of all kernels."""
PROMISED_SCALING = 1.7
TRIAL_SECONDS = 6.0


@dataclass(frozen=True)
class Row:
    """What one kernel's trials found."""

    name: str
    rate: float
    """Thread-instructions a second, checked."""
    unchecked_rate: float
    counted_rate: float
    """In sampled blocks."""
    compile_ms: float
    scaling: Scaling
    """Of two threads."""
    apart: Spread
    """How much quicker two processes are that share nothing but the machine, by CPU time."""
    is_right: bool

    @property
    def is_kept(self) -> bool:
        """Whether it is as promised."""
        return (
            self.is_right
            and self.rate >= 1e9 * PROMISED.get(self.name, PROMISED_ELSEWHERE)
            and self.unchecked_rate <= PROMISED_CHECKS * self.rate
            and self.rate <= PROMISED_COUNTERS * self.counted_rate
            and self.scaling.cpu.median >= min(PROMISED_SCALING, self.apart.median)
        )

    def __str__(self) -> str:
        return (
            f"{self.name:12} {self.rate / 1e9:6.1f} G/s checked  {self.unchecked_rate / 1e9:6.1f} unchecked"
            f"  checks x{self.unchecked_rate / self.rate:.2f}  counters x{self.rate / self.counted_rate:.1f}"
            f"  compile {self.compile_ms:4.0f} ms"
            f"  two threads {self.scaling.cpu} (wall {self.scaling.wall}, apart {self.apart})"
            f"  {'right' if self.is_right else 'WRONG'}{'' if self.is_kept else '  MISSED'}"
        )


def quickest(checked: Trial, plain: Trial) -> tuple[float, float, float]:
    """Least CPU seconds of a checked launch, an unchecked one and a sample, tried in turns."""
    best = [float("inf")] * 3
    begun = time.perf_counter()
    while time.perf_counter() - begun < TRIAL_SECONDS:
        for index, seconds in enumerate((checked.launch(), plain.launch(), checked.sample()[1])):
            best[index] = min(best[index], seconds)
    return best[0], best[1], best[2]


def measure(name: str, ptx: str) -> Row:
    """One kernel's row."""
    case = CASES[name]()
    plain, checked = (Trial(name, ptx, case, check=check) for check in (False, True))
    compile_ms = 1e3 * checked.compile_seconds()
    checked_seconds, plain_seconds, sample_seconds = quickest(checked, plain)
    counted, _ = checked.sample()
    instructions = counted * checked.request.block_count / min(SAMPLED_BLOCKS, checked.request.block_count)
    right = plain.is_right() and checked.is_right()
    by_threads = scaling(checked.launch_on)
    checked.engine.threads = 1
    by_processes = apart(checked)
    for trial in (plain, checked):
        trial.close()
    return Row(
        name,
        rate=instructions / checked_seconds,
        unchecked_rate=instructions / plain_seconds,
        counted_rate=counted / sample_seconds,
        compile_ms=compile_ms,
        scaling=by_threads,
        apart=by_processes,
        is_right=right,
    )


def main() -> int:
    names = sys.argv[1:] or list(CASES)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            rows.append(measure(name, ptx_of(name, Path(folder))))
            print(rows[-1], flush=True)
    compile_ms = statistics.median(row.compile_ms for row in rows)
    print(f"compile, median: {compile_ms:.0f} ms")
    print(machine())
    return 0 if all(row.is_kept for row in rows) and compile_ms <= PROMISED_COMPILE_MS else 1


if __name__ == "__main__":
    sys.exit(main())
