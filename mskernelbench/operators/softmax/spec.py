"""softmax: every row of a matrix as shares of 1, its maximum subtracted first."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import Values, ordinary, values
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
from mskernelbench.tolerance import CONSTANT

EXPONENTIAL = 8.0
"""Error of an exponential and of its quotient in units of u, beside the part that grows with its argument."""

FloatArray = NDArray[np.float64]


def shape(rows: int, columns: int) -> Shape:
    """Rows and their length."""
    return {"N": rows, "C": columns}


CHECK = (
    Workload("check", shape(1, 1)),
    Workload("check", shape(7, 1)),
    Workload("check", shape(131, 31)),
    Workload("check", shape(65_601, 16)),
    Workload("check", shape(17, 257), "peaked"),
    Workload("check", shape(9, 264), "nan_row"),
    Workload("check", shape(5, 1023), "masked"),
    Workload("check", shape(3, 1031), "ascending"),
    Workload("check", shape(4, 2056), "far_below"),
    Workload("check", shape(6, 515), "abyss"),
    Workload("check", shape(2, 2048), "equal"),
    Workload("check", shape(3, 4099), "logits"),
    Workload("check", shape(33, 1031), "huge"),
    Workload("check", shape(2, 16411), "peaked"),
    Workload("check", shape(1, 65_601), "far_below"),
)
PAPER = tuple(
    Workload("paper", shape(rows, columns), "logits")
    for rows in (16, 32, 64, 128)
    for columns in (256, 1024, 4096, 16384)
)
REAL = tuple(
    Workload("real", shape(rows, columns), "logits")
    for rows, columns in ((32, 128_256), (8192, 1024), (333, 50_257), (1024, 128_256))
)
"""Vocabularies of Llama 3 and GPT-2 for batches of tokens, and attention scores."""


STAGNATION = 1 / 32
"""Unit roundoffs a term that a sum of exponentials from end to end is too low by, at most: 0.028 of `logits`
with C = 16,384 to 128,256 in float32, less of other numbers."""


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The matrix."""
    rows, columns = outputs(workload.shape)["out"]
    match workload.values:
        case "logits" | "peaked" as kind:
            x = scaled(rng, rows * columns, precision, 4 if kind == "logits" else 64)
        case "ordinary":
            x = values("ordinary", rng, rows * columns, precision)
        case name:
            base = ordinary(rng, rows * columns, Precision.FP32).astype(np.float32).reshape(rows, columns)
            x = PROBES[name](base, rng).astype(precision.dtype)
    return {"input": x.reshape(rows, columns)}


def outputs(shape: Shape) -> Mapping[str, tuple[int, ...]]:
    """N×C."""
    return {"out": (int(shape["N"]), int(shape["C"]))}


def scaled(rng: np.random.Generator, count: int, precision: Precision, factor: int) -> Values:
    """Ordinary numbers times a power of two; at ±200 an exponential of the numbers as they are overflows."""
    larger: Values = values("ordinary", rng, count, precision) * precision.dtype.type(factor)
    return larger


F32 = NDArray[np.float32]


def masked(x: F32, rng: np.random.Generator) -> F32:
    """−∞ at the first 600 places of even rows, and everywhere but at one place of the last row."""
    x[::2, :600] = -np.inf
    last = rng.integers(0, x.shape[1])
    x[-1, np.arange(x.shape[1]) != last] = -np.inf
    return x


def ascending(x: F32, rng: np.random.Generator) -> F32:
    """Rows that rise: a running maximum changes at every step."""
    return np.sort(x * np.float32(8), axis=1)


def far_below(x: F32, rng: np.random.Generator) -> F32:
    """All near −1000 within ±100: a maximum that starts at 0 leaves nothing; some shares are subnormal."""
    return x * np.float32(30) - np.float32(1000)


def abyss(x: F32, rng: np.random.Generator) -> F32:
    """All near −10^30, a row's largest eight times: a maximum that starts at some low number fails."""
    x = x * np.float32(1e28) - np.float32(1e30)
    x[:, -8:] = x.max(axis=1, keepdims=True)
    return x


def equal(x: F32, rng: np.random.Generator) -> F32:
    """One number in each row: every share is 1/C; a BF16 sum of ones stops growing at 256."""
    return np.repeat(x[:, :1], x.shape[1], axis=1)


def huge(x: F32, rng: np.random.Generator) -> F32:
    """Numbers up to 10^30; the largest of a row stands at one place, in the last row at its end.

    From row to row it moves by triangular numbers, and so through all remainders: of 32 counted from the
    row's beginning, of 4 from the matrix's. A maximum that leaves out a place of vectors or warps overflows.
    """
    x = x * np.float32(3e29)
    rows, columns = x.shape
    row = np.arange(rows)[:, None]
    places = (row * (row + 1) // 2 + row % 2 * (columns // 2 & -32)) % columns
    np.put_along_axis(x, places, 2 * np.abs(x).max(axis=1, keepdims=True), axis=1)
    x[-1, -1] = 2 * x[-1].max()
    return x


def nan_row(x: F32, rng: np.random.Generator) -> F32:
    """One NaN in the middle row: exactly that row is NaN."""
    x[len(x) // 2, -1] = np.nan
    return x


PROBES: Mapping[str, Callable[[F32, np.random.Generator], F32]] = {
    "masked": masked,
    "ascending": ascending,
    "far_below": far_below,
    "abyss": abyss,
    "equal": equal,
    "huge": huge,
    "nan_row": nan_row,
}


def lowered(arrays: Arrays) -> FloatArray:
    """Every row minus its maximum, in float64: at most 0."""
    x = arrays["input"].astype(np.float64)
    difference: FloatArray = x - x.max(axis=1, keepdims=True)
    return difference


def shares(x: FloatArray) -> FloatArray:
    """The softmax of lowered rows."""
    weights = np.exp(x)
    portions: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return portions


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
    """Shares in float64."""
    with np.errstate(invalid="ignore"):
        return {"out": shares(lowered(arrays))}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """The sum over a row, and the exponentials' errors, the element's own and the sum's average one.

    What one thread adds up of a long row loses more than roundings of both signs would: terms below half a
    unit of the sum are lost whole (`STAGNATION`). That of e^s, s = x − max, is (2·|s| + a constant)·u: the
    difference is rounded, and again where it is multiplied by log₂e. Shares that are 0 in float64 are 0 in
    FP32.
    """
    with np.errstate(invalid="ignore"):
        s = lowered(arrays)
        p = shares(s)
        own = np.where(p == 0, 0.0, 2 * np.abs(s) + EXPONENTIAL)
        carried = p * (own + (p * own).sum(axis=1, keepdims=True))
    lost = p * (p.shape[1] * STAGNATION)
    return {"out": (Rounding(p.shape[1], p), Rounding(1, (carried + lost) / CONSTANT))}


def elements(shape: Shape) -> int:
    """N·C."""
    return int(shape["N"]) * int(shape["C"])


OPERATOR = Operator(
    name="softmax",
    symbol="softmax",
    title="Softmax of rows",
    category=Category.LLM,
    signature=(
        output("out", "N×C, row-major"),
        tensor("input", "N×C, row-major"),
        size("N"),
        size("C"),
    ),
    contract=Contract.POISONED,
    mathematics="out[n, c] = e^(x[n,c] − m[n])/Σ_j e^(x[n,j] − m[n]) with m[n] = max_j x[n,j]; −∞ gives 0.",
    source="P. Blanchard, D. J. Higham and N. J. Higham, Accurately computing the log-sum-exp and softmax "
    "functions, IMA J. Numer. Anal. 41(4), 2021",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=outputs,
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 4 * elements(shape),
    dram_bytes=lambda shape, precision: 2 * precision.value_bytes * elements(shape),
    weight=elements,
    probe="peaked",
    hard=("far_below", "huge"),
    cut=along(N={"input": 0, "out": 0}),
)
"""Softmax of every row."""
