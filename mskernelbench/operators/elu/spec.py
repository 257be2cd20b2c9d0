"""elu: x where x ≥ 0, α·(e^x − 1) below, elementwise."""

from pathlib import Path

import numpy as np

from mskernelbench.elementwise import Elementwise, FloatArray, exponential_error
from mskernelbench.operator import Precision, scalar


def elu(x: FloatArray, alpha: float) -> FloatArray:
    """NaN stays NaN, −∞ gives −α."""
    return np.where(x >= 0, x, alpha * np.expm1(x))


def error(x: FloatArray, precision: Precision, alpha: float) -> FloatArray:
    """Below 0 the exponential's error, which the difference keeps though it cancels, and two operations."""
    below = np.minimum(x, 0.0)
    of_exponential = np.exp(below) * exponential_error(below, precision)
    return np.where(x < 0, abs(alpha) * (of_exponential - 2 * np.expm1(below)), 0.0)


OPERATOR = Elementwise(
    symbol="elu",
    title="Exponential linear unit",
    mathematics="output[i] = x where x = input[i] ≥ 0, and alpha·(e^x − 1) elsewhere.",
    source="D.-A. Clevert, T. Unterthiner and S. Hochreiter, Fast and accurate deep network learning by "
    "exponential linear units, ICLR 2016",
    folder=Path(__file__).parent,
    function=elu,
    error=error,
    operations=3,
    scalars=(scalar("alpha", default=1.0),),
).operator()
"""Exponential linear unit."""
