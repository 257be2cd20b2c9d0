"""sigmoid: 1/(1 + e^−x), elementwise."""

from pathlib import Path

from mskernelbench.elementwise import EXACT_TAILS, Elementwise, FloatArray, logistic, logistic_error
from mskernelbench.operator import Precision


def error(x: FloatArray, precision: Precision) -> FloatArray:
    """Relative everywhere: the answer keeps its digits in both tails."""
    return logistic(x) * logistic_error(x, precision)


OPERATOR = Elementwise(
    symbol="sigmoid",
    title="Logistic sigmoid",
    mathematics=f"out[i] = 1/(1 + e^−x) with x = input[i]. {EXACT_TAILS}",
    source="I. Goodfellow, Y. Bengio and A. Courville, Deep Learning, 2016, section 3.10",
    folder=Path(__file__).parent,
    function=logistic,
    error=error,
    operations=3,
    output="out",
).operator()
"""Logistic sigmoid."""
