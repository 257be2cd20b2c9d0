"""How fast the virtual GPU runs kernels: thread-instructions a second; what checks, counters, compiling cost.

Figures are of one core, in CPU time; each kernel's result is checked against NumPy. How much quicker two
threads are is told by the clock, which other work on the machine spoils, and by what a launch costs both of
them in CPU time: the most that the clock could show. What two threads of this machine can do at all is told
by work that shares nothing: hashing, which no memory bounds, and a copy, which is nothing but memory. What it
can do of a kernel is told by two processes, each with half of the grid and memory of its own (`apart`): their
processors share caches and execution units, on some machines a core, but nothing of ours. Two threads are to
be 1.7 times as quick as one, or as much quicker as these two processes are where that is less.
"""

import ctypes
import hashlib
import mmap
import os
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import write_warp_function
from cudamaster.toolchain.devices.virtual.engine import Engine
from cudamaster.toolchain.devices.virtual.jit import THOROUGH, generate_object, host_has_avx512
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest, SampledLaunch
from cudamaster.toolchain.devices.virtual.native import load_native

KERNELS = Path(__file__).parent / "kernels"
PROMISED = {"gemm_naive": 12.0}
PROMISED_ELSEWHERE = 3.0
PROMISED_CHECKS, PROMISED_COUNTERS = 2.0, 4.0
PROMISED_COMPILE_MS = 200.0
"""The median of all kernels."""
PROMISED_SCALING = 1.7
TRIAL_SECONDS = 6.0
SCALING_SECONDS = 2.0
APART_ROUNDS = 40
SAMPLED_BLOCKS = 256
COPIED_BYTES = 8 << 20
"""As much as the stencil reads and writes: more than one core's own cache holds."""
HASHED_BYTES, HASHED_TIMES = 1 << 18, 8
Array = NDArray[Any]
RNG = np.random.default_rng(0)


@dataclass(frozen=True)
class Case:
    """A launch, and whether what it leaves is right."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: list[Any]
    """Arrays and 32-bit integers; the last array is the output."""
    is_right: Callable[[Array], bool]


def normal(*shape: int) -> Array:
    return RNG.standard_normal(shape, dtype=np.float32)


def gemm() -> Case:
    n = 512
    a, b = normal(n, n), normal(n, n)
    wanted = a @ b
    arguments = [a, b, np.zeros((n, n), np.float32), n]
    return Case((n // 16, n // 16, 1), (16, 16, 1), arguments, lambda c: np.allclose(c, wanted, atol=1e-3))


def softmax() -> Case:
    rows, columns = 1024, 2000
    x = 3 * normal(rows, columns)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    wanted = e / e.sum(1, keepdims=True)
    arguments = [x, np.zeros_like(x), columns]
    return Case((rows, 1, 1), (256, 1, 1), arguments, lambda y: np.allclose(y, wanted, rtol=1e-5))


def spmv() -> Case:
    rows = 40000
    counts = RNG.integers(0, 120, rows)
    starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    columns = RNG.integers(0, rows, starts[-1]).astype(np.int32)
    values, x = normal(starts[-1]), normal(rows)
    products = np.append(values.astype(np.float64) * x[columns], 0)
    wanted = np.add.reduceat(products, starts[:-1]) * (counts > 0)
    arguments = [starts, columns, values, x, np.zeros(rows, np.float32), rows]
    return Case((rows // 4, 1, 1), (128, 1, 1), arguments, lambda y: np.allclose(y, wanted, atol=1e-3))


def stencil() -> Case:
    n, inner = 98, slice(1, -1)
    x = normal(n, n, n)
    around = sum(np.roll(x, step, axis) for step in (1, -1) for axis in range(3))
    wanted = np.zeros_like(x)
    wanted[inner, inner, inner] = (np.float32(0.4) * x + np.float32(0.1) * around)[inner, inner, inner]
    arguments = [x, np.zeros_like(x), n]
    return Case((3, 24, 1), (32, 4, 1), arguments, lambda y: np.allclose(y, wanted, atol=1e-5))


def swiglu() -> Case:
    count = 1 << 20
    gate, up = normal(count).astype(ml_dtypes.bfloat16), normal(count).astype(ml_dtypes.bfloat16)
    g, u = gate.astype(np.float32), up.astype(np.float32)
    wanted = g / (1 + np.exp(-g)) * u
    arguments = [gate.view(np.uint16), up.view(np.uint16), np.zeros(count, np.uint16), count // 8]

    def is_right(out: Array) -> bool:
        return np.allclose(out.view(ml_dtypes.bfloat16).astype(np.float32), wanted, rtol=1 / 128, atol=1e-30)

    return Case((count // 8 // 256, 1, 1), (256, 1, 1), arguments, is_right)


CASES: dict[str, Callable[[], Case]] = {
    "gemm_naive": gemm, "gemm_tiled": gemm, "softmax": softmax, "spmv_csr": spmv, "stencil": stencil,
    "swiglu_bf16": swiglu,
}  # fmt: skip


def ptx_of(name: str, folder: Path) -> str:
    target = folder / f"{name}.ptx"
    command = ["nvcc", "-std=c++17", "-O3", "-lineinfo", "-arch=compute_90", "-ptx"]
    subprocess.run([*command, str(KERNELS / f"{name}.cu"), "-o", str(target)], check=True, timeout=120)
    return target.read_text()


class Trial:
    """One kernel in one engine, its arrays in device memory."""

    def __init__(self, name: str, ptx: str, case: Case, *, check: bool) -> None:
        self.native = load_native()
        self.engine = Engine(self.native, threads=1, check_memory=check)
        self.module = self.engine.add_module(ptx)
        self.kernel = next(k for k in self.module.kernels.values() if name in k.name)
        self.case = case
        self.places: list[int] = []
        packed = b"".join(self._packed(argument) for argument in case.arguments)
        self.request = LaunchRequest(self.kernel.name, case.grid, case.block, 0, packed)

    def _packed(self, argument: Any) -> bytes:
        if not isinstance(argument, np.ndarray):
            return struct.pack("<i", argument)
        self.places.append(self.native.vg_alloc(argument.nbytes, 1))
        ctypes.memmove(self.places[-1], argument.ctypes.data, argument.nbytes)
        return struct.pack("<Q", self.places[-1])

    def is_right(self) -> bool:
        output = [a for a in self.case.arguments if isinstance(a, np.ndarray)][-1].copy()
        ctypes.memmove(output.ctypes.data, self.places[-1], output.nbytes)
        return self.case.is_right(output)

    def launch(self) -> float:
        """Return the CPU seconds of one launch."""
        started = time.thread_time()
        fault = self.engine.launch(self.request)
        assert fault is None, fault
        return time.thread_time() - started

    def launch_half(self) -> float:
        """Return the CPU seconds of half of the grid."""
        grid = list(self.request.grid)
        axis = max(range(3), key=lambda axis: 0 if grid[axis] % 2 else grid[axis])
        grid[axis] //= 2
        whole, self.request = self.request, replace(self.request, grid=(grid[0], grid[1], grid[2]))
        seconds = self.launch()
        self.request = whole
        return seconds

    def launch_on(self, threads: int) -> None:
        self.engine.threads = threads
        self.launch()

    def sample(self) -> tuple[float, float]:
        """Return the thread-instructions of some blocks, counted, and the CPU seconds that took."""
        total = self.request.block_count
        chosen = np.unique(np.linspace(0, total - 1, min(total, SAMPLED_BLOCKS)).astype(int)).tolist()
        started = time.thread_time()
        sample = self.engine.sample(self.request, chosen)
        seconds = time.thread_time() - started
        assert isinstance(sample, SampledLaunch), sample
        lengths = np.array([len(block) for block in sample.kernel.blocks])
        return float((sample.block_counts[:, 1] * lengths).sum()), seconds

    def compile_seconds(self) -> float:
        started = time.thread_time()
        mode = Mode(check=True, count=False, avx512=host_has_avx512())
        generate_object(write_warp_function(self.module, self.kernel, mode).text, THOROUGH)
        return time.thread_time() - started

    def close(self) -> None:
        for place in self.places:
            self.native.vg_free(place)


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
    scaling: float
    """Of two threads, by CPU time."""
    wall_scaling: float
    apart: float
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
            and self.scaling >= min(PROMISED_SCALING, self.apart)
        )

    def __str__(self) -> str:
        return (
            f"{self.name:12} {self.rate / 1e9:6.1f} G/s checked  {self.unchecked_rate / 1e9:6.1f} unchecked"
            f"  checks x{self.unchecked_rate / self.rate:.2f}  counters x{self.rate / self.counted_rate:.1f}"
            f"  compile {self.compile_ms:4.0f} ms"
            f"  two threads x{self.scaling:.2f} (wall x{self.wall_scaling:.2f}, apart x{self.apart:.2f})"
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


def scaling(run: Callable[[int], object]) -> tuple[float, float]:
    """How much quicker two threads are than one, by CPU time and by the clock; `run` does all on so many."""
    cpu, wall = {1: float("inf"), 2: float("inf")}, {1: float("inf"), 2: float("inf")}
    begun = time.perf_counter()
    while time.perf_counter() - begun < SCALING_SECONDS:
        for threads in (1, 2):
            spent, started = time.process_time(), time.perf_counter()
            run(threads)
            wall[threads] = min(wall[threads], time.perf_counter() - started)
            cpu[threads] = min(cpu[threads], time.process_time() - spent)
    return 2 * cpu[1] / cpu[2], wall[1] / wall[2]


def apart(trial: Trial) -> float:
    """How much quicker two processes are than one, each with half of the grid, by CPU time."""
    whole = min(trial.launch() for _ in range(APART_ROUNDS))
    shared = mmap.mmap(-1, 8 * (2 + 2 * APART_ROUNDS))
    begun, seconds = np.split(np.frombuffer(shared, np.float64), [2])
    children = [run_apart(trial, place, begun, seconds) for place in range(2)]
    for child in children:
        os.waitpid(child, 0)
    halves = seconds.reshape(APART_ROUNDS, 2).sum(axis=1)
    return 2 * whole / float(halves[halves > 0].min())


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
    told = (f"{name} x{by_cpu:.2f} (wall x{by_clock:.2f})" for name, (by_cpu, by_clock) in found.items())
    return f"two threads of this machine: {', '.join(told)}"


def measure(name: str, ptx: str) -> Row:
    """One kernel's row."""
    case = CASES[name]()
    plain, checked = (Trial(name, ptx, case, check=check) for check in (False, True))
    compile_ms = 1e3 * checked.compile_seconds()
    checked_seconds, plain_seconds, sample_seconds = quickest(checked, plain)
    counted, _ = checked.sample()
    instructions = counted * checked.request.block_count / min(SAMPLED_BLOCKS, checked.request.block_count)
    right = plain.is_right() and checked.is_right()
    by_cpu, by_clock = scaling(checked.launch_on)
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
        scaling=by_cpu,
        wall_scaling=by_clock,
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
