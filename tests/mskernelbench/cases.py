"""The check workloads of one operator with their answers, for tests that ask what passes and what fails.

A case is one output of one workload: operators with several outputs have several cases a workload, and a
workload is refused where any of them is.
"""

import time
from functools import cache

from mskernelbench.cases import Case, Kernel, check_cases
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Precision

__all__ = ["Case", "Kernel", "cases", "refused", "seconds_of", "worst"]


seconds_of: dict[tuple[str, Precision], float] = {}
"""Processor time that inputs, answers and bounds of `cases` took."""


@cache
def cases(name: str, precision: Precision) -> tuple[Case, ...]:
    begun = time.thread_time()
    found = tuple(check_cases(load_operator(name), precision, seed=1))
    seconds_of[name, precision] = time.thread_time() - begun
    return found


def refused(name: str, precision: Precision, kernel: Kernel) -> list[str]:
    """Labels of the check workloads of which `kernel` gets an output wrong."""
    wrong = (case.workload.label for case in cases(name, precision) if not case.outcome(kernel).right)
    return list(dict.fromkeys(wrong))


def worst(name: str, precision: Precision, kernel: Kernel) -> float:
    """Worst |error| ÷ bound of `kernel` over the check workloads."""
    return max(case.outcome(kernel).ratio for case in cases(name, precision))
