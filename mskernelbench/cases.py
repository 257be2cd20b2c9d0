"""The check workloads of one operator with their inputs and answers, one output a case.

Operators with several outputs have several cases a workload.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mskernelbench.answers import Answer, draw_inputs, element_dtype, parameter, right_answers
from mskernelbench.operator import Arrays, Operator, Precision, Workload
from mskernelbench.tolerance import Comparison


class Case(NamedTuple):
    """One output of one workload, and what is right there."""

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


Kernel: TypeAlias = "Callable[[Case], NDArray[Any]]"
"""What a kernel would leave in the case's output, before it is rounded to the output's type."""


def check_cases(operator: Operator, precision: Precision, seed: int) -> Iterator[Case]:
    """The cases of every check workload, in their order."""
    for workload in operator.in_set("check"):
        arrays = draw_inputs(operator, workload, precision, seed)
        for output, answer in right_answers(operator, workload, arrays, precision).items():
            dtype = element_dtype(parameter(operator, output), precision)
            yield Case(operator, workload, arrays, answer, dtype, output)
