"""top_k: the k largest values of a vector in descending order, and their indices."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.exact_maps import no_rounding
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Element,
    Operator,
    Precision,
    Shape,
    Workload,
    output,
    size,
    tensor,
)
from mskernelbench.orders import comparisons, ordered


def shape(n: int, k: int) -> Shape:
    """Values, and how many of them are wanted."""
    return {"N": n, "k": k}


CHECK = (
    Workload("check", shape(1, 1)),
    Workload("check", shape(37, 37), "mixed"),
    Workload("check", shape(257, 1), "mixed"),
    Workload("check", shape(264, 32)),
    Workload("check", shape(300, 7), "negative"),
    Workload("check", shape(511, 40), "zeros"),
    Workload("check", shape(1023, 33), "ascending"),
    Workload("check", shape(1024, 64), "equal"),
    Workload("check", shape(1025, 65), "descending"),
    Workload("check", shape(1031, 128), "few"),
    Workload("check", shape(160, 150)),
    Workload("check", shape(2051, 100), "neighbours"),
    Workload("check", shape(4099, 127), "extremes"),
    Workload("check", shape(65_601, 20), "ascending"),
)
PAPER = tuple(Workload("paper", shape(2**p, k)) for p in (8, 10, 12, 14, 16) for k in (32, 64, 128))
REAL = (
    Workload("real", shape(128_256, 50)),
    Workload("real", shape(151_937, 64)),
    Workload("real", shape(1_000_003, 100)),
    Workload("real", shape(268_435_459, 32)),
)


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The vector."""
    return {"input": ordered(workload.values, rng, int(workload.shape["N"]), precision)}


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """The first k of a stable descending order: of equal values the one that stands first comes first."""
    x = arrays["input"].astype(np.float64)
    chosen = np.argsort(-x, kind="stable")[: int(workload.shape["k"])]
    return {"values": x[chosen], "indices": chosen.astype(np.float64)}


def unfit(shape: Shape) -> str | None:
    """Why there is no such workload: more values are wanted than there are."""
    n, k = int(shape["N"]), int(shape["k"])
    return f"k={k} is more than the N={n} values" if k > n else None


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """The vector, and k values and indices, once."""
    return precision.value_bytes * int(shape["N"]) + (precision.value_bytes + 4) * int(shape["k"])


OPERATOR = Operator(
    name="top_k",
    symbol="top_k",
    title="Top k",
    category=Category.ALGEBRA,
    signature=(
        output("values", "k, descending"),
        output("indices", "k", element=Element.INT32),
        tensor("input", "N"),
        size("N"),
        size("k"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "The k ≤ N largest values in descending order and their indices; of equal values, also −0 and +0, "
        "the one with the smaller index comes first; no NaN."
    ),
    source="D. E. Knuth, The Art of Computer Programming, vol. 3, section 5.3.3 (selection)",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"values": (int(shape["k"]),), "indices": (int(shape["k"]),)},
    reference=reference,
    rounding=no_rounding,
    flops=lambda shape: 0,
    dram_bytes=dram_bytes,
    weight=lambda shape: comparisons(int(shape["N"])),
    exact=True,
    work_by_values=True,
    unfit=unfit,
)
