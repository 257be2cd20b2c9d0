"""Tries a user's spec on its light workloads, without a kernel: what it lacks is said before all else."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from mskernelbench.answers import draw_inputs, element_dtype
from mskernelbench.errors import BadOperator
from mskernelbench.operator import Access, Arrays, Kind, Operator, Parameter, Precision, Workload
from mskernelbench.user_operators import blaming


def rehearse(operator: Operator, precision: Precision, spec: Path) -> None:
    """Call each of the operator's functions, which `spec` has. Raises BadOperator."""
    for workload in operator.in_set("check"):
        with blaming(spec):
            arrays = draw_inputs(operator, workload, precision, seed=0)
            wrong = [*unfit_inputs(operator, precision, workload, arrays)]
            wrong = wrong or [*unfit_answers(operator, precision, workload, arrays)]
            wrong = wrong or [*unfit_work(operator, precision)]
        if wrong:
            raise BadOperator(f"{spec}: {wrong[0]} (tried on {workload.label})")


def unfit_work(operator: Operator, precision: Precision) -> Iterator[str]:
    """Whether the least work of every workload is a whole number."""
    for workload in operator.workloads:
        work = (operator.flops(workload.shape), operator.dram_bytes(workload.shape, precision))
        if not all(isinstance(number, int | np.integer) and number >= 0 for number in work):
            yield f"flops() and dram_bytes() give {work[0]} and {work[1]}, and must give whole numbers"


def unfit_inputs(
    operator: Operator, precision: Precision, workload: Workload, arrays: Arrays
) -> Iterator[str]:
    """What `inputs` gives that the signature does not ask for, or asks for and does not get."""
    tensors = [p for p in operator.signature if p.kind is Kind.TENSOR and p.access is not Access.OUTPUT]
    for parameter in tensors:
        if parameter.name not in arrays:
            yield f"inputs() gives no {parameter.name!r}"
        else:
            yield from unfit_array(parameter, precision, arrays[parameter.name])
    for parameter in operator.signature:
        known = parameter.default is not None or parameter.name in {*workload.shape, *arrays}
        if parameter.kind is not Kind.TENSOR and not known:
            yield f"the workload has no {parameter.name!r}"


def unfit_array(parameter: Parameter, precision: Precision, array: Any) -> Iterator[str]:
    """Whether an input is an array of the parameter's type."""
    wanted = element_dtype(parameter, precision)
    if not isinstance(array, np.ndarray) or array.dtype != wanted:
        given = array.dtype if isinstance(array, np.ndarray) else type(array).__name__
        yield f"inputs() gives {parameter.name!r} as {given}, not as an array of {wanted}"


def unfit_answers(
    operator: Operator, precision: Precision, workload: Workload, arrays: Arrays
) -> Iterator[str]:
    """Whether `reference` and `rounding` say something of every output, in its dimensions."""
    dimensions = operator.outputs(workload.shape)
    answers: Mapping[str, Any] = operator.reference(workload, arrays)
    roundings = {} if operator.exact else operator.rounding(workload, arrays, precision)
    for name in operator.output_names:
        if name not in answers:
            yield f"reference() gives no {name!r}"
        else:
            yield from unfit_answer(name, answers[name], tuple(dimensions[name]))
        for rounding in roundings.get(name, ()):
            if np.shape(rounding.scale) != tuple(dimensions[name]):
                yield f"rounding() gives {name!r} a scale in other dimensions, {np.shape(rounding.scale)}"


def unfit_answer(name: str, answer: Any, dimensions: tuple[int, ...]) -> Iterator[str]:
    """Whether an answer is a float64 array of these dimensions."""
    if np.shape(answer) != dimensions:
        yield f"reference() gives {name!r} in dimensions {np.shape(answer)}, and outputs() says {dimensions}"
    elif np.asarray(answer).dtype != np.float64:
        yield f"reference() gives {name!r} as {np.asarray(answer).dtype}, not as float64"
