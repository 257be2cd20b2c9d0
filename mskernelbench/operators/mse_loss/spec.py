"""mse_loss: Σ(X − Y)²/N, one FP32 number."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, probe_integers, signs, values
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

CHECK = (
    Workload("check", {"N": 1}),
    Workload("check", {"N": 31}, "mixed"),
    Workload("check", {"N": 64}, "one_hot"),
    Workload("check", {"N": 256}, "integers", exact=True),
    Workload("check", {"N": 257}, "shifted"),
    Workload("check", {"N": 1032}, "close"),
    Workload("check", {"N": 1023}),
    Workload("check", {"N": 2053}, "predictions"),
    Workload("check", {"N": 4096}, "ones", exact=True),
    Workload("check", {"N": 4099}, "mixed"),
    Workload("check", {"N": 20_011}, "predictions"),
    Workload("check", {"N": 65_601}, "one_hot"),
)
PAPER = tuple(Workload("paper", {"N": 2**k}, "predictions") for k in (10, 12, 14, 16, 18))
REAL = tuple(Workload("real", {"N": count}, "predictions") for count in (1_000_003, 2**24, 125_000_003))


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """X and Y."""
    x, y = pair(workload.values, elements(workload.shape), precision, rng)
    return {"X": x.astype(precision.dtype), "Y": y.astype(precision.dtype)}


def pair(
    name: str, count: int, precision: Precision, rng: np.random.Generator
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Both vectors, of the kind called `name`."""
    match name:
        case "integers":
            x = probe_integers(rng, count, precision)
            return x, x.astype(np.int64) + 2 * rng.integers(-63, 64, count)
        case "ones":
            x = probe_integers(rng, count, precision)
            return x, x.astype(np.int64) - np.sign(x.astype(np.int64))
        case "one_hot":
            x = np.zeros(count, precision.dtype)
            x[-1:] = full_mantissa(rng, 1, precision)
            return x, np.zeros(count)
        case "close":
            x = full_mantissa(rng, count, precision)
            return x, x.astype(np.float64) * (1 + signs(rng, count) * 4 * precision.unit_roundoff)
        case "predictions":
            return values("ordinary", rng, count, precision), values("shifted", rng, count, precision)
        case _:
            return values(name, rng, count, precision), values(name, rng, count, precision)


def squares(arrays: Arrays) -> NDArray[np.float64]:
    """(X − Y)² in float64."""
    difference = arrays["X"].astype(np.float64) - arrays["Y"].astype(np.float64)
    return difference * difference


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """The mean of the squares."""
    return {"loss": np.mean(squares(arrays), keepdims=True)}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """A sum of N squares, all positive, FP32 in both precisions; a one-hot workload sums one."""
    terms = 1 if workload.values == "one_hot" else elements(workload.shape)
    return {"loss": (Rounding(terms, np.mean(squares(arrays), keepdims=True)),)}


def elements(shape: Shape) -> int:
    """N."""
    return int(shape["N"])


OPERATOR = Operator(
    name="mse_loss",
    symbol="MSE_loss",
    title="Mean squared error",
    category=Category.LLM,
    signature=(
        output("loss", "1", element=Element.FLOAT32),
        tensor("X", "N"),
        tensor("Y", "N"),
        size("N"),
    ),
    contract=Contract.ZEROED,
    mathematics="loss = Σ_i (X[i] − Y[i])²/N; one FP32 number in both precisions.",
    source="N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1 (error bound)",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"loss": (1,)},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 3 * elements(shape),
    dram_bytes=lambda shape, precision: 2 * precision.value_bytes * elements(shape) + 4,
    weight=elements,
)
"""Mean squared error."""
