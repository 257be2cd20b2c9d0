"""The memory that simulating calls takes: the worker's peak beside the bytes of the buffers.

Of the operators with the largest workloads each baseline is run whole and sampled; of those that are watched,
the largest are. A worker's peak holds the buffers themselves once; the rest is the simulator's.
"""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.virtual.device import WATCHED_BELOW_BYTES, VirtualDevice, _Manner
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Outputs, RunFailure
from cudamaster.toolchain.profile import Profile
from mskernelbench.catalog import all_operators
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision, Workload

MB = 1 << 20
PROMISED_FACTOR, PROMISED_MB = 2, 300
CASES = 6
MOST_BYTES = 2200 * MB
"""Workloads that move more are left out: they and their inputs must fit on a developer's machine."""

Call = Callable[[VirtualDevice, Build, Arguments], Outputs | Profile | RunFailure]


def run(device: VirtualDevice, build: Build, arguments: Arguments) -> Outputs | RunFailure:
    """The whole grid, once."""
    return device._run(build, arguments, _Manner(600.0))


def sample(device: VirtualDevice, build: Build, arguments: Arguments) -> Profile | RunFailure:
    """Some blocks, with counters."""
    return device.profile(build, arguments)


def watch(device: VirtualDevice, build: Build, arguments: Arguments) -> Outputs | RunFailure:
    """The whole grid, then again with every access watched."""
    return device.run(build, arguments)


def largest_workloads(most_bytes: int, precision: Precision) -> list[tuple[Operator, Workload]]:
    """Of the operators that move most, those that move up to `most_bytes`."""
    found = []
    for operator in all_operators():
        sizes = [(operator.dram_bytes(w.shape, precision), w) for w in operator.workloads]
        fitting = [(size, w) for size, w in sizes if size <= most_bytes]
        found += [(operator, *max(fitting, key=lambda pair: pair[0]))] if fitting else []
    found.sort(key=lambda row: -row[1])
    return [(operator, workload) for operator, _, workload in found[:CASES]]


def descendants(process: int) -> Iterator[int]:
    """The processes that `process` started, and those that they did."""
    for task in Path(f"/proc/{process}/task").iterdir():
        for child in (task / "children").read_text().split():
            yield int(child)
            yield from descendants(int(child))


def peak_bytes(process: int) -> int:
    """The most memory that a process ever held, what it shares included."""
    status = Path(f"/proc/{process}/status").read_text()
    lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return 1024 * int(lines[0].split()[1]) if lines else 0


def measure(operator: Operator, workload: Workload, precision: Precision, call: Call) -> bool:
    """Print one call's peak; whether it is as promised."""
    device = VirtualDevice()
    source = KernelSource(operator.baseline(precision), operator.entry_symbol(precision))
    build = device.build(source)
    arguments = Materials(operator, precision, seed=0).arguments(workload)
    result = call(device, build, arguments)
    peak = max(peak_bytes(process) for process in descendants(os.getpid()))
    device.close()
    allowed = PROMISED_FACTOR * arguments.nbytes + PROMISED_MB * MB
    print(
        f"{operator.name:24s} {precision:5s} {call.__name__:7s} buffers {arguments.nbytes / MB:6.0f} MB"
        f"  worker {peak / MB:6.0f} MB  allowed {allowed / MB:6.0f} MB"
        f"{'  ' + result.reason if isinstance(result, RunFailure) else ''}",
        flush=True,
    )
    return peak <= allowed and not isinstance(result, RunFailure)


def main() -> int:
    kept = []
    for operator, workload in largest_workloads(MOST_BYTES, Precision.FP32):
        kept += [measure(operator, workload, Precision.FP32, call) for call in (run, sample)]
    for operator, workload in largest_workloads(WATCHED_BELOW_BYTES - MB, Precision.BF16):
        kept.append(measure(operator, workload, Precision.BF16, watch))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
