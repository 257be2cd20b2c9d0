"""leaky_relu: x where x ≥ 0, α·x below, elementwise."""

from pathlib import Path

import numpy as np

from mskernelbench.elementwise import Elementwise, FloatArray
from mskernelbench.operator import Precision, scalar


def leaky_relu(x: FloatArray, alpha: float) -> FloatArray:
    """NaN stays NaN."""
    return np.where(x >= 0, x, alpha * x)


def error(x: FloatArray, precision: Precision, alpha: float) -> FloatArray:
    """One product below 0; what is copied is exact."""
    return np.where(x < 0, np.abs(alpha * x), 0.0)


OPERATOR = Elementwise(
    symbol="leaky_RELU",
    title="Leaky rectified linear unit",
    mathematics="output[i] = x where x = input[i] ≥ 0, and alpha·x elsewhere.",
    source="A. L. Maas et al., Rectifier nonlinearities improve neural network acoustic models, ICML 2013",
    folder=Path(__file__).parent,
    function=leaky_relu,
    error=error,
    operations=1,
    scalars=(scalar("alpha", default=0.01),),
).operator()
"""Leaky rectified linear unit."""
