"""How sparse matrices are stored: CSR, CSC, COO and ELL as an entry's arguments, and as SciPy reads them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mskernelbench.errors import BadShape
from mskernelbench.matrices import Ids, Structure
from mskernelbench.memory import LIMIT_BYTES
from mskernelbench.operator import Arrays, Contract, Element, Parameter, Precision, Shape, size, tensor

INDEX_BYTES = 4
SLOT_BYTES = INDEX_BYTES + Precision.FP32.value_bytes
"""A slot of ELL: an id and a value."""
PADDING = -1
"""Column id of a slot of ELL that holds no entry."""

FloatArray: TypeAlias = NDArray[np.float64]
Dimensions: TypeAlias = tuple[int, int]
"""Rows and columns."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """A matrix to be stored: its entries row by row."""

    structure: Structure
    values: NDArray[np.generic]
    """One for every entry, in the operator's precision."""
    cols: int
    order: NDArray[np.integer] | None = None
    """The order in which a format without rows lists the entries; None: row by row."""

    @property
    def rows(self) -> int:
        """How many."""
        return len(self.structure.offsets) - 1

    @property
    def row_ids(self) -> Ids:
        """Row of every entry."""
        return np.repeat(np.arange(self.rows, dtype=np.int32), self.structure.lengths)


@dataclass(frozen=True, slots=True, eq=False)
class Format:
    """One way to store a sparse matrix."""

    name: str
    title: str
    places: str
    """Where an entry's value, row and column stand, for people."""
    contract: Contract
    """What outputs hold before a call: zeros where one row's entries may lie anywhere."""
    sizes: tuple[Parameter, ...]
    """The entry's first arguments."""
    tensors: tuple[Parameter, ...]
    """The matrix, values first."""
    store: Callable[[Matrix], Arrays]
    """The tensors by name, with the sizes that the workload's shape does not hold."""
    read: Callable[[Arrays, FloatArray, Dimensions], Any]
    """The matrix as SciPy knows it, repeated entries apart, with the given values in place of the stored."""
    index_bytes: Callable[[Shape], int]
    """Fewest bytes of ids and positions."""
    rows: Callable[[Arrays, NDArray[np.integer]], Arrays] | None = None
    """The matrix of these rows alone; None where one row's entries may lie anywhere."""


def ids(name: str, extent: str) -> Parameter:
    """A tensor of row ids, column ids or positions."""
    return tensor(name, extent, element=Element.INT32)


def to_csr(matrix: Matrix) -> Arrays:
    """Row after row."""
    structure = matrix.structure
    return {"values": matrix.values, "col_indices": structure.columns, "row_offsets": structure.offsets}


def from_csr(arrays: Arrays, values: FloatArray, shape: Dimensions) -> Any:
    """What `to_csr` stored."""
    from scipy.sparse import csr_array

    parts = (values, arrays["col_indices"], arrays["row_offsets"])
    return csr_array(parts, shape=shape)


def rows_of_csr(arrays: Arrays, rows: NDArray[np.integer]) -> Arrays:
    """These rows, one behind the other."""
    offsets = arrays["row_offsets"].astype(np.int64)
    lengths = offsets[rows + 1] - offsets[rows]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(starts[-1]) + np.repeat(offsets[rows] - starts[:-1], lengths)
    entries = {name: arrays[name][places] for name in ("values", "col_indices")}
    return {**entries, "row_offsets": starts.astype(np.int32)}


def to_coo(matrix: Matrix) -> Arrays:
    """Entry after entry, in the matrix's order."""
    values, rows, columns = matrix.values, matrix.row_ids, matrix.structure.columns
    if matrix.order is not None:
        values, rows, columns = values[matrix.order], rows[matrix.order], columns[matrix.order]
    return {"values": values, "row_indices": rows, "col_indices": columns}


def from_coo(arrays: Arrays, values: FloatArray, shape: Dimensions) -> Any:
    """What `to_coo` stored, gathered by rows."""
    from scipy.sparse import csr_array

    order, offsets = grouped(arrays["row_indices"], shape[0])
    parts = (values[order], arrays["col_indices"][order], offsets)
    return csr_array(parts, shape=shape)


def to_csc(matrix: Matrix) -> Arrays:
    """Column after column; within one, entries keep the matrix's order."""
    entries = to_coo(matrix)
    order, offsets = grouped(entries["col_indices"], matrix.cols)
    return {
        "values": entries["values"][order],
        "row_indices": entries["row_indices"][order],
        "col_offsets": offsets,
        "columns": np.array(matrix.cols, np.int32),
    }


def from_csc(arrays: Arrays, values: FloatArray, shape: Dimensions) -> Any:
    """What `to_csc` stored."""
    from scipy.sparse import csc_array

    parts = (values, arrays["row_indices"], arrays["col_offsets"])
    return csc_array(parts, shape=shape)


def grouped(keys: Ids, count: int) -> tuple[Ids, Ids]:
    """Places of entries sorted by key, equal ones as they came, and where each of `count` keys begins.

    A counting sort in linear time: the transpose of a matrix with one row, whose values are the places.
    """
    from scipy.sparse import csr_array

    places = np.arange(len(keys), dtype=np.int32)
    row = csr_array((places, keys, np.array([0, len(keys)], np.int32)), shape=(1, count))
    columns = row.tocsc()
    return columns.data.astype(np.int32, copy=False), columns.indptr.astype(np.int32, copy=False)


def to_ell(matrix: Matrix) -> Arrays:
    """As many slots in every row as the longest has entries. Raises BadShape where they are too many."""
    lengths = matrix.structure.lengths
    width = int(lengths.max(initial=0))
    _require_slots(matrix.rows, width)
    filled = np.arange(width) < lengths[:, None]
    columns = np.full(filled.shape, PADDING, np.int32)
    columns[filled] = matrix.structure.columns
    values = np.zeros(filled.shape, matrix.values.dtype)
    values[filled] = matrix.values
    return {"values": values, "col_ids": columns, "max_nnz_per_row": np.array(width, np.int32)}


def _require_slots(rows: int, width: int) -> None:
    needed = SLOT_BYTES * rows * width
    if needed > LIMIT_BYTES:
        raise BadShape(
            f"ELL pads {rows} rows to the {width} entries of the longest: {needed / 2**30:.1f} GiB, and at "
            f"most {LIMIT_BYTES >> 30} GiB fit; take another format"
        )


def rows_of_ell(arrays: Arrays, rows: NDArray[np.integer]) -> Arrays:
    """These rows, one behind the other."""
    columns = arrays["col_ids"][rows]
    width = np.array(columns.shape[1], np.int32)
    return {"values": arrays["values"][rows], "col_ids": columns, "max_nnz_per_row": width}


def from_ell(arrays: Arrays, values: FloatArray, shape: Dimensions) -> Any:
    """What `to_ell` stored, without the padding."""
    from scipy.sparse import csr_array

    filled = arrays["col_ids"] >= 0
    offsets = np.zeros(len(filled) + 1, np.int64)
    np.cumsum(filled.sum(axis=1), out=offsets[1:])
    parts = (values.reshape(filled.shape)[filled], arrays["col_ids"][filled], offsets)
    return csr_array(parts, shape=shape)


CSR = Format(
    name="csr",
    title="CSR",
    places="entry p of row i, row_offsets[i] ≤ p < row_offsets[i+1], lies in column col_indices[p]",
    contract=Contract.POISONED,
    sizes=(size("rows"),),
    tensors=(
        tensor("values", "nnz entries, row after row"),
        ids("col_indices", "nnz column ids; unsorted, may repeat in a row"),
        ids("row_offsets", "rows + 1 positions; row i is [i], [i+1]"),
    ),
    store=to_csr,
    read=from_csr,
    rows=rows_of_csr,
    index_bytes=lambda shape: INDEX_BYTES * int(shape["nnz"] + shape["rows"] + 1),
)
CSC = Format(
    name="csc",
    title="CSC",
    places="entry p of column j, col_offsets[j] ≤ p < col_offsets[j+1], lies in row row_indices[p]",
    contract=Contract.ZEROED,
    sizes=(size("rows"), size("columns")),
    tensors=(
        tensor("values", "nnz entries, column after column"),
        ids("row_indices", "nnz row ids; unsorted, may repeat in a column"),
        ids("col_offsets", "columns + 1 positions; column j is [j], [j+1]"),
    ),
    store=to_csc,
    read=from_csc,
    index_bytes=lambda shape: INDEX_BYTES * int(shape["nnz"] + shape["cols"] + 1),
)
COO = Format(
    name="coo",
    title="COO",
    places="entry p lies in row row_indices[p] and column col_indices[p]",
    contract=Contract.ZEROED,
    sizes=(size("rows"), size("nnz")),
    tensors=(
        tensor("values", "nnz entries"),
        ids("row_indices", "nnz row ids; unsorted, places may repeat"),
        ids("col_indices", "nnz column ids"),
    ),
    store=to_coo,
    read=from_coo,
    index_bytes=lambda shape: 2 * INDEX_BYTES * int(shape["nnz"]),
)
ELL = Format(
    name="ell",
    title="ELL",
    places=(
        "slot e of row i, 0 ≤ e < max_nnz_per_row, stands at p = i·max_nnz_per_row + e and lies in column "
        "col_ids[p]; entries come first in a row, the slots after them hold column −1 and value 0"
    ),
    contract=Contract.POISONED,
    sizes=(size("rows"), size("max_nnz_per_row")),
    tensors=(
        tensor("values", "rows×max_nnz_per_row, row-major; 0 in unused slots"),
        ids(
            "col_ids",
            "rows×max_nnz_per_row column ids, row-major; −1 in unused slots, which come last in a row",
        ),
    ),
    store=to_ell,
    read=from_ell,
    rows=rows_of_ell,
    index_bytes=lambda shape: INDEX_BYTES * int(shape["nnz"]),
)
