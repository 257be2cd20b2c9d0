"""spmv_csr: y = A·x for a sparse A in compressed rows; entries of the same place are summed."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, probe_integers, ternary, values
from mskernelbench.matrices import PATTERNS, Structure, poisson_nnz
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Element,
    Operator,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    size,
    tensor,
)
from mskernelbench.sparse_shapes import sparse_workload

INDEX_BYTES = 4


def shape(rows: int, cols: int, nnz: int) -> Shape:
    """Rows, columns and stored entries."""
    return {"rows": rows, "cols": cols, "nnz": nnz}


CHECK = (
    Workload("check", shape(1, 1, 1), pattern="uniform"),
    Workload("check", shape(33, 5, 0), pattern="uniform"),
    Workload("check", shape(257, 129, 3001), pattern="uniform"),
    Workload("check", shape(101, 67, 600), pattern="empty_rows"),
    Workload("check", shape(65, 1500, 2500), "shifted", "dense_row"),
    Workload("check", shape(1000, 512, 8191), "mixed", "rmat"),
    Workload("check", shape(1031, 2056, 9001), pattern="uniform"),
    Workload("check", shape(301, 300, 1505), pattern="banded"),
    Workload("check", shape(96, 104, 1024), "unread_nan", "even_columns"),
    Workload("check", shape(512, 511, 6000), "integers", "rmat", exact=True),
    Workload("check", shape(331, 97, 331), "one_hot", "one_each"),
    Workload("check", shape(128, 128, 999), "nan_read", "block_diagonal"),
)
PAPER = tuple(
    Workload("paper", shape(rows, 2048, rows * 2048 // 100), "shifted", "uniform")
    for rows in (1024, 2048, 4096, 8192, 16384, 32768)
)
REAL = (
    Workload("real", shape(1_000_003, 1_000_003, 11_000_033), "shifted", "banded"),
    Workload("real", shape(1024**2, 1024**2, poisson_nnz(1024, 2)), "shifted", "poisson5"),
    Workload("real", shape(2**20, 2**20, 2**23), "shifted", "rmat"),
    Workload("real", shape(217**3, 217**3, poisson_nnz(217, 3)), "shifted", "poisson7"),
)


def inputs(workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
    """The matrix in compressed rows, and x."""
    if workload.matrix is not None:
        return from_file(workload.matrix, precision, rng)
    rows, cols, nnz = (int(workload.shape[name]) for name in ("rows", "cols", "nnz"))
    structure = PATTERNS[workload.pattern or "uniform"](rows, cols, nnz, rng)
    match workload.values:
        case "integers":
            entries, x = ternary(rng, nnz, precision), probe_integers(rng, cols, precision)
        case "one_hot":
            entries, x = full_mantissa(rng, nnz, precision), full_mantissa(rng, cols, precision)
        case "unread_nan" | "nan_read" as kind:
            entries, x = (values("ordinary", rng, count, precision) for count in (nnz, cols))
            x[1 :: 2 if kind == "unread_nan" else cols] = np.nan
        case name:
            entries, x = (values(name, rng, count, precision) for count in (nnz, cols))
    return arguments(structure, entries, x)


def from_file(path: Path, precision: Precision, rng: np.random.Generator) -> Arrays:
    """A Matrix Market file's matrix, rounded to the precision, and x around 0.75."""
    from mskernelbench.matrix_market import read_matrix

    matrix = read_matrix(path)
    x = values("shifted", rng, matrix.cols, precision)
    return arguments(matrix.structure, matrix.values.astype(precision.dtype), x)


def arguments(structure: Structure, entries: NDArray[np.generic], x: NDArray[np.generic]) -> Arrays:
    """The tensors by their names."""
    return {"values": entries, "col_indices": structure.columns, "row_offsets": structure.offsets, "x": x}


def row_sums(arrays: Arrays, products: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of every row's products; 0 for an empty row."""
    offsets = arrays["row_offsets"].astype(np.int64)
    filled = np.flatnonzero(np.diff(offsets))
    sums = np.zeros(len(offsets) - 1)
    if len(filled):
        sums[filled] = np.add.reduceat(products, offsets[filled])
    return sums


def products(arrays: Arrays) -> NDArray[np.float64]:
    """Every stored entry times its element of x, in float64: exact for FP32 operands."""
    x = arrays["x"].astype(np.float64)
    terms: NDArray[np.float64] = arrays["values"].astype(np.float64) * x[arrays["col_indices"]]
    return terms


def reference(workload: Workload, arrays: Arrays) -> Mapping[str, NDArray[np.float64]]:
    """y in float64."""
    return {"y": row_sums(arrays, products(arrays))}


def rounding(workload: Workload, arrays: Arrays, precision: Precision) -> Mapping[str, tuple[Rounding, ...]]:
    """Each row sums as many products as it has entries: Σ|a||x|."""
    lengths = np.diff(arrays["row_offsets"].astype(np.int64))
    return {"y": (Rounding(lengths, row_sums(arrays, np.abs(products(arrays)))),)}


def entries(shape: Shape) -> int:
    """Stored entries."""
    return int(shape["nnz"])


def dram_bytes(shape: Shape, precision: Precision) -> int:
    """Values, ids and offsets once, y once, and the elements of x that nnz uniform draws touch."""
    rows, cols, nnz = (int(shape[name]) for name in ("rows", "cols", "nnz"))
    touched = cols * (1 - (1 - 1 / cols) ** nnz)
    indices = INDEX_BYTES * (nnz + rows + 1)
    return indices + precision.value_bytes * (nnz + rows + int(touched))


OPERATOR = Operator(
    name="spmv_csr",
    symbol="spmv_csr",
    title="Sparse matrix times vector (CSR)",
    category=Category.SPARSE,
    aliases=("spmv",),
    signature=(
        size("rows"),
        tensor("values", "nnz entries, row after row"),
        tensor("col_indices", "nnz column ids; unsorted, may repeat in a row", element=Element.INT32),
        tensor("row_offsets", "rows + 1 positions; row i is [i], [i+1]", element=Element.INT32),
        tensor("x", "cols"),
        output("y", "rows"),
    ),
    contract=Contract.POISONED,
    mathematics=(
        "y[i] = Σ_p values[p]·x[col_indices[p]] for p from row_offsets[i] to row_offsets[i+1]; "
        "repeated columns are summed, an empty row gives 0."
    ),
    source="Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., section 3.4",
    folder=Path(__file__).parent,
    workloads=CHECK + PAPER + REAL,
    inputs=inputs,
    outputs=lambda shape: {"y": (int(shape["rows"]),)},
    reference=reference,
    rounding=rounding,
    flops=lambda shape: 2 * entries(shape),
    dram_bytes=dram_bytes,
    weight=entries,
    user_shape=sparse_workload,
)
