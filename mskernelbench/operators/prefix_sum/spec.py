"""prefix_sum: the inclusive scan of a vector."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, values
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Operator,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    size,
    tensor,
)
from mskernelbench.products import HIGHAM
from mskernelbench.whole_numbers import summable

CHECK = (
    Workload("check", {"N": 1}),
    Workload("check", {"N": 2}, "shifted"),
    Workload("check", {"N": 31}, "mixed"),
    Workload("check", {"N": 257}, "one_hot", exact=True),
    Workload("check", {"N": 264}, "shifted"),
    Workload("check", {"N": 1023}),
    Workload("check", {"N": 1025}, "shifted"),
    Workload("check", {"N": 2049}, "nan"),
    Workload("check", {"N": 3001}, "cancelling"),
    Workload("check", {"N": 4093}, "integers", exact=True),
    Workload("check", {"N": 8192}, "counts", exact=True),
    Workload("check", {"N": 32_771}, "mixed"),
    Workload("check", {"N": 65_539}, "integers", exact=True),
)
PAPER = tuple(Workload("paper", {"N": 2**p}, "shifted") for p in (10, 12, 14, 16, 18))
REAL = tuple(Workload("real", {"N": n}, "shifted") for n in (128_256, 4096 * 4096, 50_000_017, 134_217_757))


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The vector."""
    return {"input": vector(workload.values, int(workload.shape["N"]), precision, rng)}


def vector(kind: str, count: int, precision: Precision, rng: np.random.Generator) -> NDArray[np.generic]:
    """Values of the kind that a workload's `values` names."""
    match kind:
        case "integers":
            return summable(rng, count, precision)
        case "counts":
            return rng.integers(1, 4, count).astype(precision.dtype)
        case "one_hot":
            x = np.zeros(count, precision.dtype)
            x[count // 3] = full_mantissa(rng, 1, precision)[0]
            return x
        case "cancelling":
            x = values("ordinary", rng, count, precision)
            x[1::2] = np.negative(x[: count - 1 : 2])
            return x
        case "nan":
            x = values("ordinary", rng, count, precision)
            x[[count // 2, count // 2 + 40]] = np.inf, -np.inf
            return x
    return values(kind, rng, count, precision)


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """The scan in float64."""
    with np.errstate(invalid="ignore"):
        return {"output": np.cumsum(arrays["input"].astype(np.float64))}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """Element i is a sum of i + 1 values: the scan of their magnitudes."""
    scale = np.cumsum(np.abs(arrays["input"].astype(np.float64)))
    return {"output": (Rounding(np.arange(1, len(scale) + 1), scale),)}


def length(shape: Shape) -> int:
    """N."""
    return int(shape["N"])


OPERATOR = Operator(
    name="prefix_sum",
    symbol="prefix_sum",
    title="Prefix sum",
    category=Category.ALGEBRA,
    aliases=("scan",),
    signature=(output("output", "N"), tensor("input", "N"), size("N")),
    contract=Contract.POISONED,
    mathematics="output[i] = Σ input[j] over all j ≤ i.",
    source=HIGHAM,
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"output": (length(shape),)},
    reference=reference,
    rounding=rounding,
    flops=length,
    dram_bytes=lambda shape, precision: 2 * precision.value_bytes * length(shape),
    probe="one_hot",
    weight=length,
)
