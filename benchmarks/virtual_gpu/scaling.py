"""How much quicker two threads are than one, and two processes that share nothing."""

import hashlib
import mmap
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from benchmarks.virtual_gpu.cases import Array
from benchmarks.virtual_gpu.trial import Trial

SCALING_SECONDS = 4.0
LEAST_SECONDS = 0.02
"""What one thread is timed for at a time: launches of less are repeated."""
APART_ROUNDS = 60
COPIED_BYTES = 8 << 20
"""As much as the stencil reads and writes: more than one core's own cache holds."""
HASHED_BYTES, HASHED_TIMES = 1 << 18, 8


class Spread(NamedTuple):
    """Ratios of turns that follow each other: their quartiles."""

    lower: float
    median: float
    upper: float

    @classmethod
    def of(cls, ratios: "list[float] | Array") -> "Spread":
        """The quartiles of some ratios."""
        return cls(*map(float, np.percentile(ratios, (25, 50, 75))))

    def __str__(self) -> str:
        return f"x{self.median:.2f} [{self.lower:.2f}, {self.upper:.2f}]"


class Scaling(NamedTuple):
    """How much quicker two threads are than one, by CPU time and by the clock."""

    cpu: Spread
    wall: Spread


def scaling(run: Callable[[int], object]) -> Scaling:
    """`run` does all on so many threads, which take turns."""
    started = time.perf_counter()
    run(1)
    times = max(1, round(LEAST_SECONDS / (time.perf_counter() - started)))
    cpu, wall = [], []
    begun = time.perf_counter()
    while time.perf_counter() - begun < SCALING_SECONDS:
        (one_cpu, one_wall), (two_cpu, two_wall) = (_spent(run, threads, times) for threads in (1, 2))
        cpu.append(2 * one_cpu / two_cpu)
        wall.append(one_wall / two_wall)
    return Scaling(Spread.of(cpu), Spread.of(wall))


def _spent(run: Callable[[int], object], threads: int, times: int) -> tuple[float, float]:
    """CPU seconds and seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    for _ in range(times):
        run(threads)
    return time.process_time() - cpu, time.perf_counter() - wall


def apart(trial: Trial) -> Spread:
    """How much quicker two processes are than one, each with half of the grid, by CPU time."""
    whole = float(np.median([trial.launch() for _ in range(APART_ROUNDS)]))
    shared = mmap.mmap(-1, 8 * (2 + 2 * APART_ROUNDS))
    begun, seconds = np.split(np.frombuffer(shared, np.float64), [2])
    children = [run_apart(trial, place, begun, seconds) for place in range(2)]
    for child in children:
        os.waitpid(child, 0)
    halves = seconds.reshape(APART_ROUNDS, 2).sum(axis=1)
    return Spread.of(2 * whole / halves[halves > 0])


def run_apart(trial: Trial, place: int, begun: Array, seconds: Array) -> int:
    """Run half of the grid in a process of its own, each round together with the other one; its number."""
    child = os.fork()
    if child:
        return child
    trial.launch_half()  # and make its memory its own
    for number in range(APART_ROUNDS):
        begun[place] = number + 1
        until = time.perf_counter() + SCALING_SECONDS
        while begun[1 - place] <= number and time.perf_counter() < until:
            pass
        seconds[2 * number + place] = trial.launch_half()
    os._exit(0)


def copying(pool: ThreadPoolExecutor) -> Callable[[int], object]:
    source, target = np.ones(COPIED_BYTES // 2, np.uint8), np.ones(COPIED_BYTES // 2, np.uint8)

    def run(threads: int) -> None:
        parts = (np.array_split(array, threads) for array in (target, source))
        list(pool.map(np.copyto, *parts))

    return run


def hashing(pool: ThreadPoolExecutor) -> Callable[[int], object]:
    data = bytes(HASHED_BYTES)

    def run(threads: int) -> None:
        list(
            pool.map(
                lambda times: [hashlib.sha256(data) for _ in range(times)],
                [HASHED_TIMES // threads] * threads,
            )
        )

    return run


def machine() -> str:
    """What two threads of this machine can do at all."""
    with ThreadPoolExecutor(2) as pool:
        found = {
            "hashing": scaling(hashing(pool)),
            f"copying {COPIED_BYTES >> 20} MB": scaling(copying(pool)),
        }
    told = (f"{name} {by.cpu} (wall {by.wall})" for name, by in found.items())
    return f"two threads of this machine: {', '.join(told)}"
