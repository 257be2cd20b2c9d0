"""rms_norm: one vector divided by its root mean square, with weight and bias."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mskernelbench.normalisation import FloatArray, elements, epsilon, parts, vector_operator
from mskernelbench.operator import Arrays, Category, Contract, Precision, Rounding, Workload


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """w·x/√(Σx²/N + ε) + b."""
    x, weight, bias = parts(arrays, "input", "weight", "bias")
    return {"output": weight * x / np.sqrt(np.mean(x * x) + epsilon(workload)) + bias}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """Half the relative error of the sum of squares, and 8 units of u.

    They hold the reciprocal root (2 ulp), two products and the quotient.
    """
    x, weight, bias = parts(arrays, "input", "weight", "bias")
    mean = np.mean(x * x)
    under_root = mean + epsilon(workload)
    sizes = np.abs(weight * x) / np.sqrt(under_root)
    return {
        "output": (Rounding(len(x), sizes * mean / under_root / 2), Rounding(1, sizes + np.abs(bias))),
    }


OPERATOR = vector_operator(
    name="rms_norm",
    symbol="rms_norm",
    title="RMS normalisation",
    category=Category.LLM,
    contract=Contract.POISONED,
    mathematics="output[i] = weight[i]·x[i]/√(Σ_j x[j]²/N + epsilon) + bias[i] for one vector x = input.",
    source="B. Zhang and R. Sennrich, Root mean square layer normalization, NeurIPS 2019, equation 4",
    folder=Path(__file__).parent,
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 5 * elements(shape),
)
"""Root mean square normalisation of one vector."""
