"""gelu: x/2·(1 + erf(x/√2)), elementwise; not its approximation with tanh."""

from math import pi, sqrt
from pathlib import Path

import numpy as np

from mskernelbench.elementwise import LIBRARY, Elementwise, FloatArray
from mskernelbench.operator import Precision


def gelu(x: FloatArray) -> FloatArray:
    """Accurate in the negative tail, where 1 + erf cancels."""
    from scipy.special import erfc  # a quarter second, and the catalogue reads this file in every command

    answer: FloatArray = x / 2 * erfc(-x / sqrt(2))
    return answer


def error(x: FloatArray, precision: Precision) -> FloatArray:
    """Of 1 + erf, which cancels on the left: erf's, its argument's, the sum's; then of two products."""
    from scipy.special import erf

    z = np.abs(x) / sqrt(2)
    of_argument = 2 * z * 2 / sqrt(pi) * np.exp(-z * z)
    of_sum = (LIBRARY + 1) * erf(z) + 1 + of_argument
    total: FloatArray = np.abs(x) / 2 * of_sum + 2 * np.abs(gelu(x))
    return total


OPERATOR = Elementwise(
    symbol="gelu",
    title="Gaussian error linear unit",
    mathematics="output[i] = x/2·(1 + erf(x/√2)) with x = input[i]; the form with tanh is another function.",
    source="D. Hendrycks and K. Gimpel, Gaussian error linear units, arXiv:1606.08415, section 2",
    folder=Path(__file__).parent,
    function=gelu,
    error=error,
    operations=5,
    undefined=(-np.inf,),
).operator()
"""Gaussian error linear unit."""
