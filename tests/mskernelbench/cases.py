"""The check workloads of one operator with their answers, for tests that ask what passes and what fails."""

from collections.abc import Callable, Iterator
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

    def outcome(self, kernel: "Kernel") -> Comparison:
        """What the comparison says of `kernel`'s output."""
        with np.errstate(over="ignore", invalid="ignore"):
            return self.answer.compare(np.asarray(kernel(self)).astype(self.dtype))


Kernel = Callable[[Case], NDArray[Any]]
"""What a kernel would leave in the only output, before it is rounded to the output's type."""


@cache
def cases(name: str, precision: Precision) -> tuple[Case, ...]:
    return tuple(_cases(load_operator(name), precision))


def _cases(operator: Operator, precision: Precision) -> Iterator[Case]:
    (output,) = operator.output_names
    dtype = element_dtype(parameter(operator, output), precision)
    for workload in operator.in_set("check"):
        arrays = draw_inputs(operator, workload, precision, seed=1)
        answer = right_answers(operator, workload, arrays, precision)[output]
        yield Case(operator, workload, arrays, answer, dtype)


def refused(name: str, precision: Precision, kernel: Kernel) -> list[str]:
    """Labels of the check workloads whose output `kernel` gets wrong."""
    return [case.workload.label for case in cases(name, precision) if not case.outcome(kernel).right]


def worst(name: str, precision: Precision, kernel: Kernel) -> float:
    """Worst |error| ÷ bound of `kernel` over the check workloads."""
    return max(case.outcome(kernel).ratio for case in cases(name, precision))
