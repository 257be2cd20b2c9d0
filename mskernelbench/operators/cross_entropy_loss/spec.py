"""cross_entropy_loss: Σ −Y·ln(max(X, 1e-8)) of two probability vectors, one FP32 number."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import Values, fill, full_mantissa, unit
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
from mskernelbench.tolerance import CONSTANT

LEAST = np.float32(1e-8)
"""Probabilities below count as this one."""

CHECK = (
    Workload("check", {"C": 1}, "confident"),
    Workload("check", {"C": 31}),
    Workload("check", {"C": 64}, "one_hot"),
    Workload("check", {"C": 257}, "confident"),
    Workload("check", {"C": 1023}, "clamped"),
    Workload("check", {"C": 1032}),
    Workload("check", {"C": 259}, "equal"),
    Workload("check", {"C": 4099}, "one_hot"),
    Workload("check", {"C": 16_411}, "confident"),
    Workload("check", {"C": 20_011}),
    Workload("check", {"C": 65_601}, "one_hot"),
)
PAPER = tuple(Workload("paper", {"C": 2**k}) for k in (14, 16, 18, 20, 22))
REAL = tuple(Workload("real", {"C": count}) for count in (128_256, 10_000_019, 125_000_003))


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """X and Y: what is predicted, and what is so."""
    count = elements(workload.shape)
    x, y = probabilities(rng, count, precision), probabilities(rng, count, precision)
    match workload.values:
        case "confident":
            x = np.abs(full_mantissa(rng, count, precision)) * precision.dtype.type(0.5)
        case "clamped":
            least = np.resize(np.array([0.0, -0.0, 1e-30, 5e-9, 3e-39], np.float32), count)
            x = np.where(np.arange(count) % 2 == 0, least.astype(precision.dtype), x)
        case "equal":
            x, y = (np.full(count, 1 / count, precision.dtype) for _ in "XY")
        case "one_hot":
            y = np.zeros(count, precision.dtype)
            y[-1:] = np.abs(full_mantissa(rng, 1, precision)) * precision.dtype.type(0.5)
            x[-1:] = 1 - 2 * precision.unit_roundoff * rng.integers(2, 9)
    return {"X": x, "Y": y}


def probabilities(rng: np.random.Generator, count: int, precision: Precision) -> Values:
    """A few large, most tiny, their sum about 1; one in eight is 0."""
    base = unit(rng, count) + np.float32(1)
    first = max(count.bit_length() - 4, 1)
    drawn = np.ldexp(base, -rng.integers(first, first + 30, len(base), dtype=np.int32))
    zeros = rng.integers(0, 8, len(base)) == 0
    return fill(count, np.where(zeros, np.float32(0), drawn), precision, rng)


def terms(arrays: Arrays) -> NDArray[np.float64]:
    """−Y·ln(max(X, 1e-8)) in float64; 0 where Y is."""
    x, y = arrays["X"].astype(np.float64), arrays["Y"].astype(np.float64)
    return -y * np.log(np.maximum(x, np.float64(LEAST)))


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """The sum of the terms."""
    return {"loss": terms(arrays).sum(keepdims=True)}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """A sum of as many terms as Y has numbers, each a logarithm (2 ulp) and a product; and the rounded clamp.

    FP32 in both precisions; all terms have one sign.
    """
    x, y = arrays["X"].astype(np.float64), np.abs(arrays["Y"].astype(np.float64))
    clamp = np.sum(y, where=x < LEAST, keepdims=True) / CONSTANT
    return {
        "loss": (
            Rounding(max(int(np.count_nonzero(y)), 1), np.abs(terms(arrays)).sum(keepdims=True)),
            Rounding(1, clamp),
        )
    }


def elements(shape: Shape) -> int:
    """C."""
    return int(shape["C"])


OPERATOR = Operator(
    name="cross_entropy_loss",
    symbol="cross_entropy_loss",
    title="Cross entropy",
    category=Category.LLM,
    signature=(
        output("loss", "1", element=Element.FLOAT32),
        tensor("X", "C"),
        tensor("Y", "C"),
        size("C"),
    ),
    contract=Contract.ZEROED,
    mathematics=(
        "loss = Σ_i −Y[i]·ln(max(X[i], 1e-8)) of two probability vectors, terms with Y[i] = 0 being 0; "
        "one FP32 number in both precisions."
    ),
    source="I. Goodfellow, Y. Bengio and A. Courville, Deep Learning, 2016, section 3.13",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"loss": (1,)},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 4 * elements(shape),
    dram_bytes=lambda shape, precision: 2 * precision.value_bytes * elements(shape) + 4,
    weight=elements,
    hard=("confident", "equal"),
)
"""Cross entropy of two probability vectors."""
