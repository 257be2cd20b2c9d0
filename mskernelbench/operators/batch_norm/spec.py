"""batch_norm: every column of a matrix with its mean and variance taken out, with a gain and a shift each."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mskernelbench.normalisation import (
    EPSILON,
    USUAL,
    FloatArray,
    affine,
    epsilon,
    parts,
    samples,
    standardised,
    standardised_rounding,
)
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


def shape(rows: int, columns: int, least: float = USUAL) -> Shape:
    """ε, samples and channels."""
    return {"epsilon": least, "N": rows, "C": columns}


CHECK = (
    Workload("check", shape(1, 1)),
    Workload("check", shape(1, 37)),
    Workload("check", shape(31, 1, 0.1)),
    Workload("check", shape(64, 16), "equal"),
    Workload("check", shape(257, 33)),
    Workload("check", shape(2056, 5), "offset"),
    Workload("check", shape(3, 264), "mixed"),
    Workload("check", shape(17, 1031), "shifted"),
    Workload("check", shape(100, 64, 1e-6), "outlier"),
    Workload("check", shape(65, 40), "small"),
    Workload("check", shape(33, 9), "nan_column"),
    Workload("check", shape(4099, 3)),
    Workload("check", shape(65_601, 2), "shifted"),
)
PAPER = tuple(
    Workload("paper", shape(rows, columns), "shifted")
    for rows in (16, 64, 256, 1024)
    for columns in (16, 64, 256, 1024)
)
REAL = tuple(
    Workload("real", shape(rows, columns), "shifted")
    for rows, columns in ((4099, 1000), (256 * 7 * 7, 2048), (65_536, 2048))
)
"""A ragged batch of features, ResNet-50's last stage (images × pixels, channels last), a wide projection."""


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The matrix; a gain and a shift for each column."""
    rows, columns = outputs(workload.shape)["output"]
    x = samples(workload.values, rng, rows, columns, precision)
    return {"input": x, **affine("gamma", "beta", rng, columns, precision)}


def outputs(shape: Shape) -> Mapping[str, tuple[int, ...]]:
    """N×C."""
    return {"output": (int(shape["N"]), int(shape["C"]))}


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """Column by column."""
    x, gamma, beta = parts(arrays, "input", "gamma", "beta")
    return {"output": standardised(x, gamma, beta, epsilon(workload))}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """That of each column."""
    x, gamma, beta = parts(arrays, "input", "gamma", "beta")
    return {"output": standardised_rounding(x, gamma, beta, epsilon(workload))}


def elements(shape: Shape) -> int:
    """N·C."""
    return int(shape["N"]) * int(shape["C"])


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """Input and output once, gains and shifts once."""
    return 2 * precision.value_bytes * (elements(shape) + int(shape["C"]))


OPERATOR = Operator(
    name="batch_norm",
    symbol="batch_norm",
    title="Batch normalisation",
    category=Category.LLM,
    signature=(
        output("output", "N×C, row-major"),
        tensor("input", "N×C, row-major"),
        tensor("gamma", "C"),
        tensor("beta", "C"),
        EPSILON,
        size("N"),
        size("C"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "output[n, c] = gamma[c]·(x[n,c] − m[c])/√(v[c] + epsilon) + beta[c] with x = input, "
        "m[c] = Σ_n x[n,c]/N and the biased variance v[c] = Σ_n (x[n,c] − m[c])²/N."
    ),
    source="S. Ioffe and C. Szegedy, Batch normalization, ICML 2015, algorithm 1",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=outputs,
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 7 * elements(shape),
    dram_bytes=dram_bytes,
    weight=elements,
    probe="offset",
    cut=along(C={"input": 1, "gamma": 0, "beta": 0, "output": 1}),
)
"""Batch normalisation of columns."""
