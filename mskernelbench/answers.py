"""The right outputs of one workload: float64 references and the error allowed at every element."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.operator import Arrays, Element, Kind, Operator, Parameter, Precision, Workload
from mskernelbench.seeds import generator
from mskernelbench.tolerance import Comparison, FloatArray, allowed_error, compare, rounded_exactly


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What one output must be."""

    reference: FloatArray
    """The float64 answer."""
    bound: FloatArray
    """The error allowed at every element; zeros where only equality passes."""

    def compare(self, got: NDArray[Any]) -> Comparison:
        """Where `got` lies worst."""
        return compare(got.reshape(self.reference.shape), self.reference, self.bound)


def draw_inputs(
    operator: Operator, workload: Workload, precision: Precision, seed: int, draw: int = 0
) -> Arrays:
    """The workload's input tensors; seed and draw alone decide their bytes."""
    label = f"{operator.name}/{precision}/{workload.set}/{workload.label}/{draw}"
    return operator.inputs(workload, precision, generator(seed, label))


def right_answers(
    operator: Operator, workload: Workload, arrays: Arrays, precision: Precision
) -> Mapping[str, Answer]:
    """The answer for every output of the operator on these inputs, but those that the workload leaves out."""
    references = operator.reference(workload, arrays)
    roundings = {} if operator.exact or workload.exact else operator.rounding(workload, arrays, precision)
    answers = {}
    for name, reference in references.items():
        if name in workload.absent:
            continue
        dtype = element_dtype(parameter(operator, name), precision)
        if name not in roundings:
            reference = rounded_exactly(reference, dtype)
            answers[name] = Answer(reference, np.zeros_like(reference))
        else:
            bound = allowed_error(reference, roundings[name], unit_roundoff(dtype))
            answers[name] = Answer(reference, bound)
    return answers


def parameter(operator: Operator, name: str) -> Parameter:
    """The tensor parameter called `name`."""
    return next(p for p in operator.signature if p.name == name and p.kind is Kind.TENSOR)


def element_dtype(parameter: Parameter, precision: Precision) -> "np.dtype[Any]":
    """The NumPy type of a tensor's elements."""
    match parameter.element:
        case Element.VALUE:
            return precision.dtype
        case Element.FLOAT32:
            return np.dtype(np.float32)
        case Element.INT32:
            return np.dtype(np.int32)


def unit_roundoff(dtype: "np.dtype[Any]") -> float:
    """Unit roundoff of a floating-point output type."""
    return (Precision.FP32 if dtype == np.float32 else Precision.BF16).unit_roundoff
