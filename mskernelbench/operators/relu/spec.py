"""relu: max(0, x), elementwise."""

from pathlib import Path

import numpy as np

from mskernelbench.elementwise import Elementwise, FloatArray


def relu(x: FloatArray) -> FloatArray:
    """Positive numbers stay; everything else, NaN as well, is 0."""
    return np.where(x > 0, x, 0.0)


OPERATOR = Elementwise(
    symbol="RELU",
    title="Rectified linear unit",
    mathematics="output[i] = max(0, input[i]); 0 where the input is NaN, as `fmaxf` has it.",
    source="V. Nair and G. E. Hinton, Rectified linear units improve Boltzmann machines, ICML 2010",
    folder=Path(__file__).parent,
    function=relu,
    error=None,
    operations=1,
).operator()
"""Rectified linear unit; exact."""
