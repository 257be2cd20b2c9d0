"""rope: rotary position embedding: pairs of neighbours in a row are rotated, the farther down the more."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
    scalar,
    size,
    tensor,
)
from mskernelbench.tolerance import CONSTANT

FloatArray = NDArray[np.float64]

POWER = 8.0
"""Error of a power or an exponential in units of u: CUDA's powf is within 4 ulp, and an ulp is up to 2u."""
PRODUCT = 1.0
"""Error of m·θ."""
EXPONENT = 4.0
"""Errors of 2p/D, of log₂ base and of their products, in units of u times the exponent ln θ."""


def shape(m: int, d: int, base: float = 10000.0) -> Shape:
    """Positions, row length and the base of the angles, in the entry's order."""
    return {"M": m, "D": d, "base": base}


CHECK = (
    Workload("check", shape(1, 2)),
    Workload("check", shape(2, 2), "mantissa"),
    Workload("check", shape(37, 6)),
    Workload("check", shape(131, 64), "shifted"),
    Workload("check", shape(33, 130), "mixed"),
    Workload("check", shape(65, 128, 500_000.0)),
    Workload("check", shape(7, 1030, 100.0), "shifted"),
    Workload("check", shape(17, 264), "axes"),
    Workload("check", shape(1031, 10), "mantissa"),
    Workload("check", shape(65_601, 4)),
    Workload("check", shape(9, 62), "specials"),
)
PAPER = tuple(
    Workload("paper", shape(m, d), "shifted") for m in (16, 32, 64, 128) for d in (256, 1024, 4096, 16384)
)
REAL = (
    Workload("real", shape(2048, 128), "shifted"),
    Workload("real", shape(131_072, 128, 500_000.0), "shifted"),
    Workload("real", shape(8191, 4096), "shifted"),
    Workload("real", shape(32_768, 4096), "shifted"),
)


def extents(shape: Shape) -> tuple[int, int]:
    """M and D."""
    return int(shape["M"]), int(shape["D"])


def elements(shape: Shape) -> int:
    """M·D."""
    m, d = extents(shape)
    return m * d


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The rows to rotate."""
    sizes, count = extents(workload.shape), elements(workload.shape)
    match workload.values:
        case "mantissa":
            rows: NDArray[Any] = full_mantissa(rng, count, precision)
        case "axes":
            rows = full_mantissa(rng, count, precision)
            rows[rng.integers(0, 2) :: 2] = 0
        case "specials":
            rows = values("ordinary", rng, count, precision)
            rows[count // 3], rows[count // 2] = np.nan, np.inf
        case name:
            rows = values(name, rng, count, precision)
    return {"input": rows.reshape(sizes)}


def logarithms(shape: Shape) -> FloatArray:
    """ln θ of every pair: −2p/D·ln base, the base as the entry receives it."""
    _, d = extents(shape)
    exponents: FloatArray = np.arange(0, d, 2) / -d * np.log(float(np.float32(shape["base"])))
    return exponents


def angles(shape: Shape) -> FloatArray:
    """m·θ for every row and pair."""
    m, _ = extents(shape)
    return np.multiply.outer(np.arange(m, dtype=np.float64), np.exp(logarithms(shape)))


def pairs(rows: NDArray[Any]) -> FloatArray:
    """The input as M×D/2 pairs."""
    return rows.astype(np.float64).reshape(len(rows), -1, 2)


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """(x·cos − y·sin, x·sin + y·cos) for every pair (x, y)."""
    angle, x = angles(workload.shape), pairs(arrays["input"])
    cosine, sine = np.cos(angle), np.sin(angle)
    rotated = np.empty_like(x)
    with np.errstate(invalid="ignore"):
        rotated[..., 0] = x[..., 0] * cosine - x[..., 1] * sine
        rotated[..., 1] = x[..., 0] * sine + x[..., 1] * cosine
    return {"output": rotated.reshape(extents(workload.shape))}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """Two products of errors u, and an angle that FP32 cannot hold better than a few u.

    A pair rotated by an angle that is off by δ moves by at most δ·√(x² + y²), a chord being no longer than
    its arc. The angle m·θ is off by δ = m·θ·u·(8 + 1 + 4·|ln θ|): the power's own error, the product's,
    and those of the exponent, which the power multiplies with |ln θ|.
    """
    angle, x = angles(workload.shape), pairs(arrays["input"])
    relative = POWER + PRODUCT + EXPONENT * np.abs(logarithms(workload.shape))
    with np.errstate(invalid="ignore"):
        moved = angle * relative * np.hypot(x[..., 0], x[..., 1])
        summed = np.abs(x).sum(axis=-1)
    spread = [np.repeat(term, 2, axis=1) for term in (summed, moved / CONSTANT)]
    return {"output": (Rounding(2, spread[0]), Rounding(1, spread[1]))}


OPERATOR = Operator(
    name="rope",
    symbol="rope",
    title="Rotary position embedding",
    category=Category.LLM,
    signature=(
        output("output", "M×D, row-major"),
        tensor("input", "M×D, row-major; row m is position m"),
        size("M"),
        size("D", least=2),
        scalar("base"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "For each row m and pair p < D/2, D even, with the angle α = m·base^(−2p/D): "
        "output[m,2p] = input[m,2p]·cos α − input[m,2p+1]·sin α, "
        "output[m,2p+1] = input[m,2p]·sin α + input[m,2p+1]·cos α."
    ),
    source="J. Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021, section 3.2.2",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"output": extents(shape)},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 3 * elements(shape),
    dram_bytes=lambda shape, precision: 2 * precision.value_bytes * elements(shape),
    weight=elements,
    unfit=lambda shape: f"D={shape['D']} is odd" if int(shape["D"]) % 2 else None,
)
