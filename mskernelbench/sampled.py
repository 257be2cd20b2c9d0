"""Compares what a timed call wrote at some places with the answer there, where not all of it is compared.

Both devices tell some elements, drawn when the call has ended. A modelled time is that of sampled blocks, so
that whatever saves time shows in what these blocks wrote, and in how much they did.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.arguments import Access, Arguments, Scalar
from cudamaster.toolchain.timing import Timing
from cudamaster.toolchain.traces import Extent, Written
from mskernelbench.answers import right_answers
from mskernelbench.operator import Arrays, Contract, Operator, Precision, Workload
from mskernelbench.pieces import Piece, Wanted, stretches
from mskernelbench.tolerance import compare

STRETCHES = (64, 16, 4, 1)
"""So many stretches of what was seen are looked at, or as many as make no large piece."""
MOST_PIECES = 8
MOST_BYTES = 1 << 26
"""Inputs of a piece."""
LEAST_SHARE = 0.9
"""Of an output: what the sampled blocks, and all others like them, have to write."""
LEAST_ELEMENTS = 16
"""Fewer are looked at of an output that has no more."""


def right_in_samples(
    operator: Operator, precision: Precision, workload: Workload, arguments: Arguments, timing: Timing
) -> bool:
    """Whether a timed call wrote every output, and the right numbers at all places that were looked at.

    False says little: blocks may need what others, which did not run, would have left for them. The last
    block always runs; where it does not write the last element, blocks may write each other's.
    """
    arrays = inputs_of(arguments)
    for tensor in arguments.tensors:
        if tensor.access is Access.INPUT:
            continue
        extent, seen = timing.extents.get(tensor.name), timing.written.get(tensor.name)
        if extent is None or seen is None:
            return False
        if _usually_written(operator, tensor.array, extent, seen) < LEAST_SHARE * tensor.array.nbytes:
            return False
        if not seen.reaches_end or len(seen.places) < min(LEAST_ELEMENTS, tensor.array.size):
            return False
        pieces = cut(operator, workload, arrays, Wanted(tensor.name, tensor.array.shape, seen.places))
        if not all(_right(operator, precision, piece, tensor.name, seen) for piece in pieces):
            return False
    return operator.cut is not None


def _usually_written(operator: Operator, array: NDArray[Any], extent: Extent, seen: Written) -> float:
    """Bytes of an output that all blocks write, were they like the sampled ones.

    What these only read of it is taken off where a look tells what was written: it held a pattern before.
    """
    if operator.contract is not Contract.POISONED or not extent.sampled:
        return extent.usual
    by_samples = (array.size - seen.left_out) * array.itemsize
    return extent.usual * min(1.0, by_samples / extent.sampled)


def inputs_of(arguments: Arguments) -> Arrays:
    """Input tensors by name, and the scalars that came with them."""
    tensors = {t.name: t.array for t in arguments.tensors if t.access is not Access.OUTPUT}
    scalars = {s.name: np.asarray(s.value) for s in arguments.items if isinstance(s, Scalar)}
    return {**scalars, **tensors}


def cut(operator: Operator, workload: Workload, arrays: Arrays, wanted: Wanted) -> Iterator[Piece]:
    """Quickly answered pieces that hold some of the wanted elements; none of operators that cannot be cut."""
    if operator.cut is None:
        return
    runs = [*stretches(wanted)]
    chosen = [runs[i] for i in np.random.default_rng().permutation(len(runs))]
    for most in STRETCHES:
        some = np.sort(np.concatenate(chosen[:most]))
        pieces = operator.cut(workload, arrays, replace(wanted, places=wanted.places[some]))
        first = next(pieces)
        if sum(array.nbytes for array in first.arrays.values()) <= MOST_BYTES:
            break
    for piece in islice(chain([first], pieces), MOST_PIECES):
        yield replace(piece, covered=some[piece.covered])


def _right(operator: Operator, precision: Precision, piece: Piece, output: str, seen: Written) -> bool:
    """Whether what was seen is what the piece's answer says."""
    answer = right_answers(operator, piece.workload, piece.arrays, precision)[output]
    reference, bound = answer.reference[piece.coordinates], answer.bound[piece.coordinates]
    return compare(seen.values[piece.covered], reference, bound).right
