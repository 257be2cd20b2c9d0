"""The check workloads of one operator with their answers, for tests that ask what passes and what fails.

A case is one output of one workload: operators with several outputs have several cases a workload, and a
workload is refused where any of them is.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mskernelbench.answers import Answer, draw_inputs, element_dtype, parameter, right_answers
from mskernelbench.catalog import load_operator
from mskernelbench.operator import Arrays, Operator, Precision, Workload
from mskernelbench.tolerance import Comparison


class Case(NamedTuple):
    operator: Operator
    workload: Workload
    arrays: Arrays
    answer: Answer
    dtype: "np.dtype[Any]"
    """Of the output's elements."""
    output: str

    def outcome(self, kernel: "Kernel") -> Comparison:
        """What the comparison says of `kernel`'s output."""
        return self.compare(kernel(self))

    def compare(self, got: NDArray[Any]) -> Comparison:
        """What the comparison says of `got`, rounded to the output's type."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.answer.compare(np.asarray(got).astype(self.dtype))

    @property
    def label(self) -> str:
        """The workload's label, and the output's name where the operator has several."""
        several = len(self.operator.output_names) > 1
        return f"{self.workload.label} {self.output}" if several else self.workload.label


Kernel = Callable[[Case], NDArray[Any]]
"""What a kernel would leave in the case's output, before it is rounded to the output's type."""


@cache
def cases(name: str, precision: Precision) -> tuple[Case, ...]:
    return tuple(_cases(load_operator(name), precision))


def _cases(operator: Operator, precision: Precision) -> Iterator[Case]:
    for workload in operator.in_set("check"):
        arrays = draw_inputs(operator, workload, precision, seed=1)
        for output, answer in right_answers(operator, workload, arrays, precision).items():
            dtype = element_dtype(parameter(operator, output), precision)
            yield Case(operator, workload, arrays, answer, dtype, output)


def refused(name: str, precision: Precision, kernel: Kernel) -> list[str]:
    """Labels of the check workloads of which `kernel` gets an output wrong."""
    wrong = (case.workload.label for case in cases(name, precision) if not case.outcome(kernel).right)
    return list(dict.fromkeys(wrong))


def worst(name: str, precision: Precision, kernel: Kernel) -> float:
    """Worst |error| ÷ bound of `kernel` over the check workloads."""
    return max(case.outcome(kernel).ratio for case in cases(name, precision))


def by_workload(name: str, precision: Precision) -> Mapping[str, list[Case]]:
    """The cases of every check workload, by its label."""
    grouped: dict[str, list[Case]] = {}
    for case in cases(name, precision):
        grouped.setdefault(case.workload.label, []).append(case)
    return grouped
