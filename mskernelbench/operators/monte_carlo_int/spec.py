"""monte_carlo_int: the integral of a function over [a, b] as its mean at N random places times b − a."""

from pathlib import Path

from mskernelbench import quadrature
from mskernelbench.operator import Category, Contract, Operator, Workload
from mskernelbench.quadrature import Rule, shape

CHECK = (
    Workload("check", shape(1), "smooth"),
    Workload("check", shape(2, -1.0, 0.5), "smooth"),
    Workload("check", shape(37), "smooth"),
    Workload("check", shape(255, 2.0, -0.5), "smooth"),
    Workload("check", shape(257), "heavy_last"),
    Workload("check", shape(264, 0.1, 0.7), "mixed"),
    Workload("check", shape(1031, 0.0, 1e6), "smooth"),
    Workload("check", shape(4097, -1.0, 1.0), "cancelling"),
    Workload("check", shape(16_392), "heavy_last"),
    Workload("check", shape(70_001, -3.0, 4.5), "smooth"),
    Workload("check", shape(513, 0.5, 0.5), "smooth"),
    Workload("check", shape(999), "nan_sample"),
    Workload("check", shape(1000), "infinite_sample"),
    Workload("check", shape(4096, -1.0, 3.0), "integers", exact=True),
    Workload("check", shape(65_536, 0.0, 2.0), "ones", exact=True),
)

RULE = Rule(weighted=lambda y: float(y.sum()), factor=lambda width, count: width / count)

OPERATOR = Operator(
    name="monte_carlo_int",
    symbol="monte_carlo_int",
    title="Monte Carlo integration",
    category=Category.SCIENTIFIC,
    signature=quadrature.signature(least=1),
    contract=Contract.ZEROED,
    mathematics="result = (b − a)/N · Σ_i y[i].",
    source="W. H. Press et al., Numerical Recipes, 3rd ed., section 7.7",
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
