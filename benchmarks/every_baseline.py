"""What it takes to run all baselines on their `check` workloads: plainly, and watched, as the referee does.

In processor seconds of the workers as they tell them (`toolchain/stages.py`), so that other work on the
machine hardly matters; two processors that share the calls take half. Inputs, nvcc, comparing are left out.
"""

import logging
import sys
from collections import Counter
from collections.abc import Callable

from cudamaster.toolchain.arguments import Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.virtual.device import VirtualDevice, _Manner
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Outputs, RunFailure
from cudamaster.toolchain.stages import log
from mskernelbench.catalog import load_operator, operator_names
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision

PROMISED_SECONDS, PROCESSORS = 60.0, 2
SLOWEST = 10
STAGES = ("simulate", "worker", "translate", "model")

Call = Callable[[VirtualDevice, Build, Arguments], Outputs | RunFailure]


class Stages(logging.Handler):
    """Adds up what the workers tell."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        """One stage's seconds."""
        if record.__dict__["stage"] in STAGES:
            self.seconds[record.__dict__["stage"]] += record.__dict__["seconds"]


def plainly(device: VirtualDevice, build: Build, arguments: Arguments) -> Outputs | RunFailure:
    """One call, not watched."""
    return device._run(build, arguments, _Manner(device.limits.seconds))


def watched(device: VirtualDevice, build: Build, arguments: Arguments) -> Outputs | RunFailure:
    """The calls by which the referee judges."""
    return device.run(build, arguments)


def seconds_of(
    device: VirtualDevice, operator: Operator, precision: Precision, call: Call
) -> "Counter[str] | str":
    """By stage, of all `check` workloads; what went wrong otherwise."""
    source = operator.baseline(precision)
    build = device.build(KernelSource(source, operator.entry_symbol(precision)))
    materials = Materials(operator, precision, seed=0)
    heard = Stages()
    log.addHandler(heard)
    try:
        for workload in (w for w in operator.workloads if w.set == "check"):
            outputs = call(device, build, materials.arguments(workload))
            if isinstance(outputs, RunFailure):
                return f"{workload.label}: {outputs.reason}"
    finally:
        log.removeHandler(heard)
        device.release(build)
    return heard.seconds


def measure(device: VirtualDevice, names: list[str], call: Call) -> float:
    """Print what all baselines take; the seconds of two processors."""
    rows: dict[str, Counter[str]] = {}
    for name in names:
        for precision in Precision:
            found = seconds_of(device, load_operator(name), precision, call)
            if isinstance(found, str):
                print(f"{name} {precision}: {found}")
                return float("inf")
            rows[f"{name} {precision}"] = found
    whole = sum(rows.values(), Counter())
    seconds = whole.total() / PROCESSORS
    print(
        f"{call.__name__}: {len(rows)} baselines, {seconds:.1f} s on {PROCESSORS} processors; {told(whole)}"
    )
    for row in sorted(rows, key=lambda row: -rows[row].total())[:SLOWEST]:
        print(f"  {row:36s} {told(rows[row])}")
    sys.stdout.flush()
    return seconds


def told(seconds: Counter[str]) -> str:
    """Whole and stages in one line."""
    return f"{seconds.total():6.2f} s: " + ", ".join(f"{k} {s:.2f}" for k, s in seconds.most_common())


def main() -> int:
    log.setLevel(logging.DEBUG)
    names = sys.argv[1:] or list(operator_names())
    device = VirtualDevice()
    seconds = max(measure(device, names, call) for call in (plainly, watched))
    device.close()
    return 0 if seconds <= PROMISED_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
