"""selu: λ·x where x ≥ 0, λ·α·(e^x − 1) below, elementwise."""

from pathlib import Path

import numpy as np

from mskernelbench.elementwise import Elementwise, FloatArray, exponential_error
from mskernelbench.operator import Precision, scalar


def selu(x: FloatArray, alpha: float, scale: float) -> FloatArray:
    """NaN stays NaN, −∞ gives −λα."""
    return scale * np.where(x >= 0, x, alpha * np.expm1(x))


def error(x: FloatArray, precision: Precision, alpha: float, scale: float) -> FloatArray:
    """One product from 0 on; below, the exponential's error, which the difference keeps, and four more."""
    below = np.minimum(x, 0.0)
    of_exponential = np.exp(below) * exponential_error(below, precision)
    return abs(scale) * np.where(x < 0, abs(alpha) * (of_exponential - 4 * np.expm1(below)), x)


OPERATOR = Elementwise(
    symbol="selu",
    title="Scaled exponential linear unit",
    mathematics=(
        "output[i] = lambda·x where x = input[i] ≥ 0, and lambda·alpha·(e^x − 1) elsewhere; "
        "alpha = 1.67 and lambda = 1 unless given."
    ),
    source="G. Klambauer et al., Self-normalizing neural networks, NeurIPS 2017 (there α 1.6733, λ 1.0507)",
    folder=Path(__file__).parent,
    function=selu,
    error=error,
    operations=4,
    scalars=(scalar("alpha", default=1.67), scalar("lambda", default=1.0)),
).operator()
"""Scaled exponential linear unit."""
