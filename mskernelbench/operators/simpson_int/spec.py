"""simpson_int: the integral of a function over [a, b] from N equidistant samples by Simpson's rule."""

from pathlib import Path

import numpy as np

from mskernelbench import quadrature
from mskernelbench.operator import Category, Contract, Operator, Workload
from mskernelbench.quadrature import FloatArray, Rule, shape

CHECK = (
    Workload("check", shape(2), "smooth"),
    Workload("check", shape(3, -1.0, 0.5), "smooth"),
    Workload("check", shape(4), "heavy_last"),
    Workload("check", shape(37), "smooth"),
    Workload("check", shape(255, 2.0, -0.5), "heavy_last"),
    Workload("check", shape(258), "smooth"),
    Workload("check", shape(264, 0.1, 0.7), "mixed"),
    Workload("check", shape(1031, 0.0, 1e6), "smooth"),
    Workload("check", shape(4097, -1.0, 1.0), "cancelling"),
    Workload("check", shape(16_392), "heavy_last"),
    Workload("check", shape(70_001, -3.0, 4.5), "smooth"),
    Workload("check", shape(513, 0.5, 0.5), "smooth"),
    Workload("check", shape(999), "nan_sample"),
    Workload("check", shape(1000), "infinite_sample"),
    Workload("check", shape(1025, -1024.0, 2048.0), "integers", exact=True),
    Workload("check", shape(2049, 0.0, 3.0), "ones", exact=True),
)


def weighted(y: FloatArray) -> float:
    """Σ y[i] + 4·y[i+1] + y[i+2] over even i with i + 2 ≤ N − 1: of an even number the last stays unused."""
    panels = max(len(y) - 1, 0) // 2
    used = y[: 2 * panels + 1] if panels else np.zeros(1)
    return float(4 * used[1::2].sum() + 2 * used[2:-1:2].sum() + used[0] + used[-1])


RULE = Rule(weighted, factor=lambda width, count: width / (count - 1) / 3)

OPERATOR = Operator(
    name="simpson_int",
    symbol="simpson_int",
    title="Simpson integration",
    category=Category.SCIENTIFIC,
    signature=quadrature.signature(least=2),
    contract=Contract.ZEROED,
    mathematics=(
        "result = Σ h/3·(y[i] + 4·y[i+1] + y[i+2]) over even i with i + 2 ≤ N − 1, where h = (b − a)/(N − 1) "
        "and N ≥ 2; with an even N the last sample is not used."
    ),
    source="W. H. Press et al., Numerical Recipes, 3rd ed., section 4.1",
    folder=Path(__file__).parent,
    workloads=CHECK + quadrature.timed_workloads(),
    inputs=quadrature.inputs,
    outputs=quadrature.outputs,
    reference=RULE.reference,
    rounding=RULE.rounding,
    flops=quadrature.samples,
    dram_bytes=quadrature.dram_bytes,
    weight=quadrature.samples,
)
