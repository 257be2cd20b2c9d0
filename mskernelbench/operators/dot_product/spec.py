"""dot_product: the sum of the products of two vectors' values, added into a zero."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, signs, values
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Element,
    Operator,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    size,
    tensor,
)
from mskernelbench.products import HIGHAM, Pair
from mskernelbench.whole_numbers import summable

CHECK = (
    Workload("check", {"N": 1}),
    Workload("check", {"N": 2}, "one_hot", exact=True),
    Workload("check", {"N": 31}, "mixed"),
    Workload("check", {"N": 257}, "one_hot", exact=True),
    Workload("check", {"N": 264}, "shifted"),
    Workload("check", {"N": 1031}),
    Workload("check", {"N": 1024}, "cancelling"),
    Workload("check", {"N": 2049}, "nan"),
    Workload("check", {"N": 4093}, "integers", exact=True),
    Workload("check", {"N": 4096}, "shifted"),
    Workload("check", {"N": 32_771}, "mixed"),
    Workload("check", {"N": 70_001}, "ones", exact=True),
    Workload("check", {"N": 300_007}, "integers", exact=True),
)
PAPER = tuple(Workload("paper", {"N": 2**p}, "shifted") for p in range(16, 21))
REAL = tuple(Workload("real", {"N": n}, "shifted") for n in (4096 * 4096, 50_000_017, 134_217_757))


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """X and Y."""
    x, y = pair(workload.values, int(workload.shape["N"]), precision, rng)
    return {"X": x, "Y": y}


def pair(kind: str, count: int, precision: Precision, rng: np.random.Generator) -> Pair:
    """X and Y of the kind that a workload's `values` names."""
    match kind:
        case "integers":
            return summable(rng, count, precision), signs(rng, count).astype(precision.dtype)
        case "ones":
            return np.ones(count, precision.dtype), np.ones(count, precision.dtype)
        case "one_hot":
            return one_hot(count, precision, rng)
        case "cancelling":
            return cancelling(count, precision, rng)
    x, y = (values("ordinary" if kind == "nan" else kind, rng, count, precision) for _ in range(2))
    if kind == "nan":
        x[-1] = np.nan
    return x, y


def one_hot(count: int, precision: Precision, rng: np.random.Generator) -> Pair:
    """Zeros of both signs but for X's last value: the sum is it, times a power of two, bit for bit."""
    x = np.where(np.arange(count) % 2 == 0, 0.0, -0.0).astype(precision.dtype)
    x[-1:] = full_mantissa(rng, 1, precision)
    return x, (signs(rng, count) * 2).astype(precision.dtype)


def cancelling(count: int, precision: Precision, rng: np.random.Generator) -> Pair:
    """The second half undoes the first but for its last product."""
    half = values("ordinary", rng, count // 2, precision), values("ordinary", rng, count // 2, precision)
    x, y = np.concatenate([half[0], half[0]]), np.concatenate([half[1], np.negative(half[1])])
    y[-1] = 2
    return x, y


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """The sum in float64."""
    return {"result": np.array([np.dot(arrays["X"].astype(np.float64), arrays["Y"].astype(np.float64))])}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """A sum of N products: Σ|X||Y|."""
    x, y = (np.abs(arrays[name].astype(np.float64)) for name in "XY")
    return {"result": (Rounding(len(x), np.array([np.dot(x, y)])),)}


def length(shape: Shape) -> int:
    """N."""
    return int(shape["N"])


OPERATOR = Operator(
    name="dot_product",
    symbol="dot_product",
    title="Dot product",
    category=Category.ALGEBRA,
    signature=(
        output("result", "1", element=Element.FLOAT32),
        tensor("X", "N"),
        tensor("Y", "N"),
        size("N"),
    ),
    contract=Contract.ZEROED,
    mathematics="result = Σ X[i]·Y[i], added into a zero; FP32 in both precisions.",
    source=HIGHAM,
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"result": (1,)},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 2 * length(shape),
    dram_bytes=lambda shape, precision: 2 * precision.value_bytes * length(shape) + 4,
    probe="one_hot",
    weight=length,
)
