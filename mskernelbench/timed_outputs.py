"""Compares what a timed call wrote, where the device still has it: it may do less where only time is taken.

Of many timed calls one is looked at, and nobody can foresee which: whole where the answer is at hand, else at
places drawn afterwards.
"""

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Arguments
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device, Retaining
from cudamaster.toolchain.traces import Written, written
from mskernelbench.affordable import affordable
from mskernelbench.answers import right_answers
from mskernelbench.checking import mismatch_sentence
from mskernelbench.evaluation import Status
from mskernelbench.guards import Refusal
from mskernelbench.materials import Materials
from mskernelbench.operator import Contract, Operator, Precision, Workload
from mskernelbench.pairing import PAIRS
from mskernelbench.pieces import Wanted
from mskernelbench.poison import still_poisoned
from mskernelbench.sampled import cut, inputs_of
from mskernelbench.tolerance import compare

TIMED = "timed_outputs"
"""The rule that timed calls write what calls write that are compared."""


class TimedLook:
    """One look at the outputs of a drawn one of the calls of `build` that are timed in pairs."""

    def __init__(
        self, device: Device, operator: Operator, precision: Precision, materials: Materials
    ) -> None:
        self._device, self._operator, self._precision = device, operator, precision
        self._materials = materials
        self._left = secrets.randbelow(PAIRS)
        self.refusal: Refusal | None = None
        """What is wrong with them."""
        self.written: dict[str, Written] = {}
        """What was looked at of outputs whose answer was not at hand."""

    def after_call(self, build: Build, workload: Workload, *, known: bool) -> None:
        """A call was timed; where the workload was compared before, its answer is `known`."""
        if self._left == 0 and isinstance(self._device, Retaining):
            arguments = self._materials.arguments(workload)
            arrays = self._device.timed_outputs(build, arguments)
            words = None if arrays is None else self._wrong(workload, arguments, arrays, known)
            if words:
                self.refusal = Refusal(Status.WRONG, f"where only its time is taken, {words}", rule=TIMED)
        self._left -= 1

    def _wrong(
        self, workload: Workload, arguments: Arguments, arrays: Mapping[str, NDArray[Any]], known: bool
    ) -> str | None:
        for name, array in arrays.items():
            unwritten = int(np.count_nonzero(still_poisoned(array)))
            if unwritten and self._operator.contract is Contract.POISONED:
                return f"{unwritten} of {array.size} elements of {name} are not written ({workload.label})"
        clock = self._device.clock
        if known and affordable([workload], self._operator, self._precision, clock, quick=False):
            return self._wrong_whole(workload, arrays)
        return self._wrong_somewhere(workload, arguments, arrays)

    def _wrong_whole(self, workload: Workload, arrays: Mapping[str, NDArray[Any]]) -> str | None:
        for name, answer in self._materials.answers(workload).items():
            comparison = answer.compare(arrays[name])
            if not comparison.right:
                return mismatch_sentence(name, comparison, f"workload {workload.label}")
        return None

    def _wrong_somewhere(
        self, workload: Workload, arguments: Arguments, arrays: Mapping[str, NDArray[Any]]
    ) -> str | None:
        for tensor in (t for t in arguments.tensors if t.access is Access.OUTPUT):
            flat = arrays[tensor.name].reshape(-1)
            seen = written(tensor.array.reshape(-1), flat, np.random.default_rng())
            wanted = Wanted(tensor.name, tensor.array.shape, seen.places)
            if self._operator.cut is not None:
                self.written[tensor.name] = seen
            for piece in cut(self._operator, workload, inputs_of(arguments), wanted):
                answer = right_answers(self._operator, piece.workload, piece.arrays, self._precision)[
                    tensor.name
                ]
                reference, bound = answer.reference[piece.coordinates], answer.bound[piece.coordinates]
                comparison = compare(seen.values[piece.covered], reference, bound)
                if not comparison.right:
                    return mismatch_sentence(tensor.name, comparison, f"a piece of workload {workload.label}")
        return None
