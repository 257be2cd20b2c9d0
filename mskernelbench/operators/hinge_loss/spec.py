"""hinge_loss: max(0, 1 − y·prediction) of every prediction, y being the sign its target stands for."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import Values, full_mantissa, signs, values
from mskernelbench.elementwise import units
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
from mskernelbench.pieces import along

TARGETS = np.array([1, 1, 1, 0, -1, -1, 2, 127, -(2**31), 2**31 - 1], np.int32)
"""Only 1 means +1."""
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, 3e-39, -3e-39, 0.996, 1.008, 2.0**-25, 1e30, -1e30], np.float32
)

CHECK = (
    Workload("check", {"N": 1}, "losing"),
    Workload("check", {"N": 31}),
    Workload("check", {"N": 64}, "mixed"),
    Workload("check", {"N": 257}, "special"),
    Workload("check", {"N": 1023}, "near_one"),
    Workload("check", {"N": 1032}),
    Workload("check", {"N": 4099}, "mixed"),
    Workload("check", {"N": 16_411}),
    Workload("check", {"N": 65_601}, "mixed"),
)
PAPER = tuple(Workload("paper", {"N": 2**k}) for k in (10, 12, 14, 16, 18))
REAL = tuple(Workload("real", {"N": count}) for count in (1_000_003, 2**24, 2**26))


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """Predictions, and targets of several values."""
    count = elements(workload.shape)
    targets = np.resize(TARGETS[rng.integers(0, len(TARGETS), min(count, 2**20 - 3))], count)
    return {"predictions": predictions(workload.values, rng, count, precision), "targets": targets}


def predictions(name: str, rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """`count` predictions of the distribution called `name`."""
    match name:
        case "special":
            return rng.permutation(np.resize(SPECIAL, count)).astype(precision.dtype)
        case "near_one":
            near = 1 + 8 * precision.unit_roundoff * rng.integers(-64, 65, count)
            return (near * signs(rng, count)).astype(precision.dtype)
        case "losing":
            return (full_mantissa(rng, count, precision).astype(np.float32) / 4).astype(precision.dtype)
        case _:
            return values(name, rng, count, precision)


def margins(arrays: Arrays) -> NDArray[np.float64]:
    """1 − y·prediction in float64."""
    y = np.where(arrays["targets"] == 1, 1.0, -1.0)
    difference: NDArray[np.float64] = 1 - y * arrays["predictions"].astype(np.float64)
    return difference


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """Margins below 0 are no loss."""
    return {"loss": np.maximum(margins(arrays), 0)}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """One difference, relative to itself: the product is exact."""
    loss = reference(workload, arrays)["loss"]
    return {"loss": units(np.where(np.isfinite(loss), loss, 0.0))}


def elements(shape: Shape) -> int:
    """N."""
    return int(shape["N"])


OPERATOR = Operator(
    name="hinge_loss",
    symbol="hinge_loss",
    title="Hinge loss",
    category=Category.LLM,
    signature=(
        output("loss", "N"),
        tensor("predictions", "N"),
        tensor("targets", "N", element=Element.INT32),
        size("N"),
    ),
    contract=Contract.POISONED,
    mathematics="loss[i] = max(0, 1 − y·predictions[i]) with y = +1 where targets[i] is 1, and −1 elsewhere.",
    source="C. Cortes and V. Vapnik, Support-vector networks, Machine Learning 20, 1995",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"loss": (elements(shape),)},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 3 * elements(shape),
    dram_bytes=lambda shape, precision: (2 * precision.value_bytes + 4) * elements(shape),
    weight=elements,
    hard=("special",),
    cut=along(N={"predictions": 0, "targets": 0, "loss": 0}),
)
"""Hinge loss of every prediction."""
