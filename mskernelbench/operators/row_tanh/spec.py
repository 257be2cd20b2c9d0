"""row_tanh: tanh x, elementwise."""

from pathlib import Path

import numpy as np

from mskernelbench.elementwise import LIBRARY, Elementwise, FloatArray
from mskernelbench.operator import Precision


def error(x: FloatArray, precision: Precision) -> FloatArray:
    """That of `tanhf`: relative, so that forms which cancel near 0 are none."""
    return LIBRARY * np.abs(np.tanh(x))


OPERATOR = Elementwise(
    symbol="row_tanh",
    title="Hyperbolic tangent",
    mathematics="out[i] = tanh(input[i]).",
    source="I. Goodfellow, Y. Bengio and A. Courville, Deep Learning, 2016, section 6.3.2",
    folder=Path(__file__).parent,
    function=np.tanh,
    error=error,
    operations=4,
    output="out",
).operator()
"""Hyperbolic tangent."""
