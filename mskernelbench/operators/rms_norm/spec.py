"""rms_norm: one vector divided by its root mean square, with weight and bias."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mskernelbench.normalisation import FloatArray, VectorNorm, epsilon, parts
from mskernelbench.operator import Arrays, Precision, Rounding, Workload


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


OPERATOR = VectorNorm(
    title="RMS normalisation",
    mathematics="output[i] = weight[i]·x[i]/√(Σ_j x[j]²/N + epsilon) + bias[i] for one vector x = input.",
    source="B. Zhang and R. Sennrich, Root mean square layer normalization, NeurIPS 2019, equation 4",
    folder=Path(__file__).parent,
    reference=reference,
    rounding=rounding,
    operations=5,
).operator()
"""Root mean square normalisation of one vector."""
