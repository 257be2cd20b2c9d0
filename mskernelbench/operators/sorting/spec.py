"""sorting: a vector in ascending order, in place."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.exact_maps import no_rounding
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Operator,
    Precision,
    Shape,
    Workload,
    in_place,
    size,
)
from mskernelbench.orders import comparisons, ordered

CHECK = (
    Workload("check", {"N": 1}),
    Workload("check", {"N": 2}, "descending"),
    Workload("check", {"N": 31}, "mixed"),
    Workload("check", {"N": 64}, "neighbours"),
    Workload("check", {"N": 257}, "few"),
    Workload("check", {"N": 264}, "descending"),
    Workload("check", {"N": 511}, "extremes"),
    Workload("check", {"N": 1023}, "ascending"),
    Workload("check", {"N": 1025}, "rising_and_falling"),
    Workload("check", {"N": 2048}, "equal"),
    Workload("check", {"N": 2051}, "neighbours"),
    Workload("check", {"N": 4099}, "mixed"),
    Workload("check", {"N": 65_601}, "extremes"),
)
PAPER = tuple(Workload("paper", {"N": 2**p}) for p in (8, 10, 12, 14, 16))
REAL = tuple(Workload("real", {"N": n}) for n in (128_256, 1_000_003, 134_217_757))


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The vector before the call."""
    return {"data": ordered(workload.values, rng, int(workload.shape["N"]), precision)}


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """The sorted vector: what is equal to it, element for element, is the input in another order.

    Zeros of both signs are equal.
    """
    return {"data": np.sort(arrays["data"].astype(np.float64))}


def length(shape: Shape) -> int:
    """N."""
    return int(shape["N"])


OPERATOR = Operator(
    name="sorting",
    symbol="sorting",
    title="Sorting",
    category=Category.ALGEBRA,
    aliases=("sort",),
    signature=(in_place("data", "N"), size("N")),
    contract=Contract.IN_PLACE,
    mathematics="The values of data in ascending order; −0 and +0 in either order, no NaN.",
    source="D. E. Knuth, The Art of Computer Programming, vol. 3, section 5 (sorting)",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"data": (length(shape),)},
    reference=reference,
    rounding=no_rounding,
    flops=lambda shape: 0,
    dram_bytes=lambda shape, precision: 2 * precision.value_bytes * length(shape),
    weight=lambda shape: comparisons(length(shape)),
    exact=True,
    work_by_values=True,
)
