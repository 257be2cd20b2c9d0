"""Check workloads of the sparse operators as lists of entries, read without the benchmark's own reader."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mskernelbench.operator import Arrays
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel

SPMV = ("spmv_csr", "spmv_csc", "spmv_coo", "spmv_ell")
SPMM = ("spmm_csr", "spmm_csc", "spmm_coo", "spmm_ell")
SPARSE = SPMV + SPMM


class Entries(NamedTuple):
    """Row, column and value of every entry, in the order of storage."""

    rows: NDArray[Any]
    columns: NDArray[Any]
    values: NDArray[Any]

    def __getitem__(self, chosen: Any) -> "Entries":  # type: ignore[override]
        return Entries(*(part[chosen] for part in tuple(self)))


def entries(case: Case) -> Entries:
    arrays = case.arrays
    values = arrays["values"].ravel()
    match case.operator.name.partition("_")[2]:
        case "csr":
            return Entries(owners(arrays["row_offsets"]), arrays["col_indices"], values)
        case "csc":
            return Entries(arrays["row_indices"], owners(arrays["col_offsets"]), values)
        case "coo":
            return Entries(arrays["row_indices"], arrays["col_indices"], values)
        case _:
            width = int(arrays["max_nnz_per_row"])
            slots = np.flatnonzero(arrays["col_ids"].ravel() >= 0)
            return Entries(slots // max(width, 1), arrays["col_ids"].ravel()[slots], values[slots])


def owners(offsets: NDArray[Any]) -> NDArray[Any]:
    """The row (or column) of every entry between compressed offsets."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


def operand(arrays: Arrays) -> NDArray[Any]:
    """The dense operand, a vector as one column."""
    dense = arrays["X"] if "X" in arrays else arrays["x"]
    return dense.reshape(len(dense), -1)


def ranks(ids: NDArray[Any]) -> NDArray[Any]:
    """How many entries with the same id come before each."""
    order = np.argsort(ids, kind="stable")
    found = np.empty(len(ids), int)
    found[order] = np.arange(len(ids)) - np.searchsorted(ids[order], ids[order])
    return found


def by(add: e.Sum = e.sequential, narrow: e.Round = e.fp32) -> Kernel:
    """Every row summed by `add` over FP32 products of operands that `narrow` rounds."""

    def kernel(case: Case) -> e.F32:
        chosen = entries(case)
        dense = narrow(operand(case.arrays).astype(np.float32))
        return summed(case, chosen, narrow(chosen.values.astype(np.float32)), dense, add)

    return kernel


def summed(case: Case, chosen: Entries, values: e.F32, dense: e.F32, add: e.Sum) -> e.F32:
    """The products of `chosen`, put side by side in their rows, which `add` sums."""
    place = ranks(chosen.rows)
    length = int(case.workload.shape["rows"])
    terms = np.zeros((length, dense.shape[1], int(place.max(initial=-1)) + 1), np.float32)
    with np.errstate(invalid="ignore"):
        terms[chosen.rows, :, place] = values[:, None] * dense[chosen.columns]
        return add(terms).reshape(case.answer.reference.shape)


def exactly(case: Case, chosen: Entries) -> NDArray[np.float64]:
    """The float64 product of `chosen` alone."""
    dense = operand(case.arrays).astype(np.float64)
    result = np.zeros((int(case.workload.shape["rows"]), dense.shape[1]))
    with np.errstate(invalid="ignore"):
        np.add.at(result, chosen.rows, chosen.values.astype(np.float64)[:, None] * dense[chosen.columns])
    return result.reshape(case.answer.reference.shape)


def split_by(narrow: e.Round, terms: int) -> Kernel:
    """Operands as sums of `terms` narrow numbers, without products of ranks that sum to `terms` or more."""

    def kernel(case: Case) -> e.F32:
        chosen = entries(case)
        left = e.split(chosen.values.astype(np.float32), narrow, terms)
        right = e.split(operand(case.arrays).astype(np.float32), narrow, terms)
        pairs = [(i, j) for i in range(terms) for j in range(terms) if i + j < terms]
        total = np.zeros(case.answer.reference.shape, np.float32)
        for i, j in sorted(pairs, key=sum, reverse=True):
            total = total + summed(case, chosen, left[i], right[j], e.pairwise)
        return total

    return kernel
