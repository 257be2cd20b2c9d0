"""swiglu: gate·σ(β·gate)·value, elementwise."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mskernelbench.elementwise import EXACT_TAILS, FloatArray, as_passed, elements
from mskernelbench.gated import draw, gated, gated_rounding
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Operator,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    scalar,
    size,
    tensor,
)
from mskernelbench.pieces import along

BETA = scalar("beta")


def shape(count: int, beta: float = 1.0) -> Shape:
    """Steepness of the gate, and the number of elements."""
    return {"beta": beta, "N": count}


CHECK = (
    Workload("check", shape(1)),
    Workload("check", shape(31, 0.5), "wide"),
    Workload("check", shape(257), "special"),
    Workload("check", shape(1023), "near_zero"),
    Workload("check", shape(1032, 1.702), "mixed"),
    Workload("check", shape(2053, -1.0), "wide"),
    Workload("check", shape(4099), "wide"),
    Workload("check", shape(8200, 1.702), "outliers"),
    Workload("check", shape(65_601), "wide"),
)
PAPER = tuple(Workload("paper", shape(2**k), "outliers") for k in (10, 12, 14, 16, 18))
REAL = tuple(Workload("real", shape(count), "outliers") for count in (14336, 1003 * 11008 + 1, 8192 * 14336))
"""One token, a ragged batch and a prefill, at the widths of 7- to 8-billion-parameter models."""


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """Gates and values."""
    gate, value = draw(workload.values, rng, elements(workload.shape), precision)
    return {"gate": gate, "value": value}


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """gate·σ(β·gate)·value."""
    return {"output": gated(arrays["gate"], arrays["value"], as_passed(workload, BETA))}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """That of a gated unit."""
    beta = as_passed(workload, BETA)
    return {"output": gated_rounding(arrays["gate"], arrays["value"], precision, beta)}


OPERATOR = Operator(
    name="swiglu",
    symbol="SwiGLU",
    title="Gated linear unit with swish",
    category=Category.LLM,
    signature=(output("output", "N"), tensor("gate", "N"), tensor("value", "N"), BETA, size("N")),
    contract=Contract.POISONED,
    mathematics=f"output[i] = gate[i]·σ(beta·gate[i])·value[i] with σ(x) = 1/(1 + e^−x). {EXACT_TAILS}",
    source="N. Shazeer, GLU variants improve transformer, arXiv:2002.05202, equation 6",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"output": (elements(shape),)},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 5 * elements(shape),
    dram_bytes=lambda shape, precision: 3 * precision.value_bytes * elements(shape),
    weight=elements,
    hard=("special",),
    cut=along(N={"gate": 0, "value": 0, "output": 0}),
)
"""Gated linear unit with a swish gate."""
