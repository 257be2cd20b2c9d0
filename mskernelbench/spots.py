"""Compares what a whole call left at places that are drawn afterwards: answers there are quick to find."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device
from cudamaster.toolchain.outputs import FailureKind, RunFailure
from cudamaster.toolchain.traces import Written, written
from mskernelbench.answers import right_answers
from mskernelbench.checking import COMPARISON, failure_refusal, mismatch_sentence
from mskernelbench.evaluation import Status
from mskernelbench.guards import Refusal
from mskernelbench.operator import Contract, Operator, Precision, Workload
from mskernelbench.pieces import Wanted
from mskernelbench.poison import still_poisoned
from mskernelbench.sampled import cut, inputs_of
from mskernelbench.tolerance import compare

Arrays = Mapping[str, NDArray[Any]]


class Asked(NamedTuple):
    """A call."""

    operator: Operator
    precision: Precision
    workload: Workload
    arguments: Arguments


def spots(asked: Asked, arrays: Arrays) -> dict[str, Written]:
    """Some of what a call wrote into each output, at places drawn now."""
    rng = np.random.default_rng()
    outputs = (tensor for tensor in asked.arguments.tensors if tensor.access is Access.OUTPUT)
    return {t.name: written(t.array.reshape(-1), arrays[t.name].reshape(-1), rng) for t in outputs}


def unwritten_words(asked: Asked, arrays: Arrays) -> str | None:
    """Which output a call has left out elements of."""
    if asked.operator.contract is not Contract.POISONED:
        return None
    for name, array in arrays.items():
        if unwritten := int(np.count_nonzero(still_poisoned(array))):
            return f"{unwritten} of {array.size} elements of {name} are not written ({asked.workload.label})"
    return None


def wrong_words(asked: Asked, seen: Mapping[str, Written]) -> str | None:
    """What is wrong with the elements that were `seen`; nothing of operators that cannot be cut."""
    for name, found in seen.items():
        if not len(found.places):
            continue
        shape = next(t.array.shape for t in asked.arguments.tensors if t.name == name)
        wanted = Wanted(name, shape, found.places)
        for piece in cut(asked.operator, asked.workload, inputs_of(asked.arguments), wanted):
            answer = right_answers(asked.operator, piece.workload, piece.arrays, asked.precision)[name]
            reference, bound = answer.reference[piece.coordinates], answer.bound[piece.coordinates]
            comparison = compare(found.values[piece.covered], reference, bound)
            if not comparison.right:
                return mismatch_sentence(name, comparison, f"a piece of workload {asked.workload.label}")
    return None


def called_whole(device: Device, build: Build, asked: Asked) -> Refusal | bool:
    """Whether a whole call was right at the places that were drawn, or what is wrong there.

    False where it takes too long to tell.
    """
    outputs = device.run(build, asked.arguments)
    if isinstance(outputs, RunFailure):
        slow = outputs.kind is FailureKind.TIMED_OUT
        return False if slow else failure_refusal(outputs, asked.workload)
    words = unwritten_words(asked, outputs.arrays) or wrong_words(asked, spots(asked, outputs.arrays))
    return Refusal(Status.WRONG, words, rule=COMPARISON) if words else True
