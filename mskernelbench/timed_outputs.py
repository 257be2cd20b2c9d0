"""Compares what a timed call wrote, where the device still has it: it may do less where only time is taken.

Of many timed calls one is looked at, and nobody can foresee which: whole where the answer is at hand, else at
places drawn afterwards.
"""

import secrets
from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Device, Retaining
from cudamaster.toolchain.traces import Written
from mskernelbench.affordable import affordable
from mskernelbench.checking import mismatch_sentence
from mskernelbench.evaluation import Status
from mskernelbench.guards import Refusal
from mskernelbench.materials import Materials
from mskernelbench.operator import Operator, Precision, Workload
from mskernelbench.pairing import PAIRS
from mskernelbench.spots import Asked, spots, unwritten_words, wrong_words

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
            asked = Asked(self._operator, self._precision, workload, arguments)
            words = None if arrays is None else self._wrong(asked, arrays, known=known)
            if words:
                self.refusal = Refusal(Status.WRONG, f"where only its time is taken, {words}", rule=TIMED)
        self._left -= 1

    def _wrong(self, asked: Asked, arrays: Mapping[str, NDArray[Any]], *, known: bool) -> str | None:
        if words := unwritten_words(asked, arrays):
            return words
        clock = self._device.clock
        if known and affordable([asked.workload], self._operator, self._precision, clock, quick=False):
            return self._wrong_whole(asked.workload, arrays)
        seen = spots(asked, arrays)
        if self._operator.cut is not None:
            self.written = seen
        return wrong_words(asked, seen)

    def _wrong_whole(self, workload: Workload, arrays: Mapping[str, NDArray[Any]]) -> str | None:
        for name, answer in self._materials.answers(workload).items():
            comparison = answer.compare(arrays[name])
            if not comparison.right:
                return mismatch_sentence(name, comparison, f"workload {workload.label}")
        return None
