"""What whole calls cost the machine that judges, in steps: what is compared does not depend on its load."""

from collections.abc import Callable, Iterator, Sequence

from cudamaster.toolchain.timing import Timing
from mskernelbench.operator import Operator, Precision, Workload

STEPS_A_BYTE = 6.0
"""Instructions of one thread that take as long as it takes to move a byte and to look at it."""


def call_steps(operator: Operator, precision: Precision, workload: Workload, timing: Timing | None) -> float:
    """Of a call whose launches run whole: instructions of threads where a model counts them, and bytes."""
    counted = 0.0 if timing is None else timing.steps
    return counted + STEPS_A_BYTE * operator.dram_bytes(workload.shape, precision)


def affordable_calls(
    workloads: Sequence[Workload], cost: Callable[[Workload], float], steps: float, *, least: int = 1
) -> Iterator[Workload]:
    """Those of `workloads`, in turn, whose calls together take no more than these steps; `least` anyhow."""
    spent = 0.0
    for number, workload in enumerate(workloads):
        spent += cost(workload)
        if number >= least and spent > steps:
            return
        yield workload
