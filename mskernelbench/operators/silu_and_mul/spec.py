"""silu_and_mul: silu(x)·g, where each row of the input holds x in its first half and g in its second."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mskernelbench.distributions import Values
from mskernelbench.elementwise import EXACT_TAILS, FloatArray
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
    size,
    tensor,
)
from mskernelbench.pieces import along


def shape(rows: int, width: int) -> Shape:
    """Rows, and elements of an output row."""
    return {"B": rows, "D": width}


CHECK = (
    Workload("check", shape(1, 1)),
    Workload("check", shape(7, 1)),
    Workload("check", shape(1, 31), "wide"),
    Workload("check", shape(33, 65), "special"),
    Workload("check", shape(5, 257), "near_zero"),
    Workload("check", shape(3, 1031), "wide"),
    Workload("check", shape(67, 16), "mixed"),
    Workload("check", shape(17, 264)),
    Workload("check", shape(2, 4099), "special"),
    Workload("check", shape(5, 4104), "outliers"),
    Workload("check", shape(65_601, 2), "wide"),
    Workload("check", shape(1, 65_601), "wide"),
)
PAPER = tuple(
    Workload("paper", shape(rows, width), "outliers")
    for rows in (16, 32, 64)
    for width in (4096, 5120, 8192, 12288)
)
REAL = tuple(
    Workload("real", shape(rows, width), "outliers")
    for rows, width in ((1, 14336), (1003, 11008), (8192, 14336))
)
"""One token, a ragged batch and a prefill, at the widths of 7- to 8-billion-parameter models."""


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """x and g side by side."""
    rows, width = outputs(workload.shape)["out"]
    both = np.empty((rows, 2 * width), precision.dtype)
    gate, value = draw(workload.values, rng, rows * width, precision)
    both[:, :width], both[:, width:] = gate.reshape(rows, width), value.reshape(rows, width)
    return {"in": both}


def outputs(shape: Shape) -> Mapping[str, tuple[int, ...]]:
    """B×D."""
    return {"out": (int(shape["B"]), int(shape["D"]))}


def halves(arrays: Arrays) -> tuple[Values, Values]:
    """x and g."""
    width = arrays["in"].shape[1] // 2
    return arrays["in"][:, :width], arrays["in"][:, width:]


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """x·σ(x)·g."""
    gate, value = halves(arrays)
    return {"out": gated(gate, value)}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """That of a gated unit with β = 1."""
    gate, value = halves(arrays)
    return {"out": gated_rounding(gate, value, precision)}


def elements(shape: Shape) -> int:
    """B·D."""
    return int(shape["B"]) * int(shape["D"])


OPERATOR = Operator(
    name="silu_and_mul",
    symbol="silu_and_mul",
    title="SiLU and product",
    category=Category.LLM,
    signature=(
        tensor("in", "B×2D, row-major: x in a row's first half, g in its second"),
        output("out", "B×D, row-major"),
        size("B"),
        size("D"),
    ),
    contract=Contract.POISONED,
    mathematics=f"out[b, d] = x/(1 + e^−x)·g with x = in[b, d] and g = in[b, D + d]. {EXACT_TAILS}",
    source="N. Shazeer, GLU variants improve transformer, arXiv:2002.05202, equation 6 with β = 1",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=outputs,
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 4 * elements(shape),
    dram_bytes=lambda shape, precision: 3 * precision.value_bytes * elements(shape),
    weight=elements,
    hard=("special",),
    cut=along(B={"in": 0, "out": 0}),
)
"""SiLU of one half times the other half."""
