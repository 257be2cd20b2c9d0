"""What the sparse operators share: products of a stored matrix with a vector (SpMV) or a dense matrix (SpMM).

The bound holds for sums in FP32 that are rounded once, also where outputs are zeroed: a BF16 kernel that adds
into BF16 outputs rounds every partial sum to 8 bits and is refused. It needs FP32 sums elsewhere (registers,
shared memory, scratch memory), or one writer for each output.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.distributions import full_mantissa, probe_integers, ternary, values
from mskernelbench.matrices import IN_ORDER, PATTERNS, Structure, hit
from mskernelbench.matrix_market import read_matrix
from mskernelbench.memory import LIMIT_BYTES
from mskernelbench.operator import (
    Arrays,
    Category,
    Contract,
    Operator,
    Parameter,
    Precision,
    Rounding,
    Shape,
    Workload,
    output,
    size,
    tensor,
)
from mskernelbench.pieces import Piece, Wanted
from mskernelbench.seeds import generator
from mskernelbench.sparse_formats import ELL, SLOT_BYTES, FloatArray, Format, Matrix
from mskernelbench.sparse_shapes import sparse_workload

Values = NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class SparseProduct:
    """A·x or A·X with A in one format."""

    form: Format
    is_wide: bool
    """Whether the dense operand is a matrix of K columns."""

    @property
    def operand(self) -> str:
        """Name of the dense operand."""
        return "X" if self.is_wide else "x"

    @property
    def result(self) -> str:
        """Name of the output."""
        return "Y" if self.is_wide else "y"

    @property
    def signature(self) -> tuple[Parameter, ...]:
        """Sizes, the matrix, the dense operand, the output."""
        sizes = self.form.sizes + ((size("K"),) if self.is_wide else ())
        across = "×K, row-major" if self.is_wide else ""
        dense = (tensor(self.operand, f"cols{across}"), output(self.result, f"rows{across}"))
        return sizes + self.form.tensors + dense

    def outputs(self, shape: Shape) -> Mapping[str, tuple[int, ...]]:
        """rows, or rows×K."""
        return {self.result: self._dimensions(int(shape["rows"]), shape)}

    def _dimensions(self, length: int, shape: Shape) -> tuple[int, ...]:
        return (length, int(shape["K"])) if self.is_wide else (length,)

    def inputs(self, workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
        """The stored matrix and the dense operand."""
        if workload.matrix is not None:
            return self._from_file(workload, precision, rng)
        structure = drawn(workload, rng)
        entries, dense = self._operands(workload, precision, rng)
        unsorted = self.form.contract is Contract.ZEROED and workload.pattern not in IN_ORDER
        order = rng.permutation(len(entries)) if unsorted else None
        matrix = Matrix(structure, entries, int(workload.shape["cols"]), order)
        return {**self.form.store(matrix), self.operand: dense}

    def _from_file(self, workload: Workload, precision: Precision, rng: np.random.Generator) -> Arrays:
        """A Matrix Market file's matrix, rounded to the precision, and a dense operand around 0.75."""
        assert workload.matrix is not None
        read = read_matrix(workload.matrix)
        dimensions = self._dimensions(read.cols, workload.shape)
        dense = values("shifted", rng, prod(dimensions), precision).reshape(dimensions)
        matrix = Matrix(read.structure, read.values.astype(precision.dtype), read.cols)
        return {**self.form.store(matrix), self.operand: dense}

    def _operands(
        self, workload: Workload, precision: Precision, rng: np.random.Generator
    ) -> tuple[Values, Values]:
        """Values for the entries and for the dense operand."""
        dimensions = self._dimensions(int(workload.shape["cols"]), workload.shape)
        nnz, count = int(workload.shape["nnz"]), prod(dimensions)
        match workload.values:
            case "integers":
                entries, dense = ternary(rng, nnz, precision), probe_integers(rng, count, precision)
            case "one_hot":
                entries, dense = full_mantissa(rng, nnz, precision), full_mantissa(rng, count, precision)
            case name:
                name = "ordinary" if name in NAN_ROWS else name
                entries, dense = (values(name, rng, number, precision) for number in (nnz, count))
        dense = dense.reshape(dimensions)
        if workload.values in NAN_ROWS:
            first, every = NAN_ROWS[workload.values]
            dense[first :: every or len(dense)] = np.nan
        return entries, dense

    def reference(self, workload: Workload, arrays: Arrays) -> Mapping[str, FloatArray]:
        """The product in float64, where products of FP32 numbers are exact."""
        stored, dense = (arrays[name].astype(np.float64) for name in ("values", self.operand))
        return {self.result: self._matrix(workload, arrays, stored) @ dense}

    def rounding(
        self, workload: Workload, arrays: Arrays, precision: Precision
    ) -> Mapping[str, tuple[Rounding, ...]]:
        """Each output sums as many products as its row has entries: |A|·|X|, in FP32 whatever the output."""
        stored, dense = (np.abs(arrays[name].astype(np.float64)) for name in ("values", self.operand))
        lengths = self._matrix(workload, arrays, np.ones(stored.shape)) @ np.ones(len(dense))
        terms = lengths[:, None] if self.is_wide else lengths
        return {self.result: (Rounding(terms, self._matrix(workload, arrays, stored) @ dense),)}

    def cut(self, workload: Workload, arrays: Arrays, wanted: Wanted) -> Iterator[Piece]:
        """The rows that hold wanted elements, and of the dense operand the columns that do."""
        assert self.form.rows is not None
        where = list(wanted.coordinates)
        rows, where[0] = np.unique(where[0], return_inverse=True)
        shape, dense = {**workload.shape, "rows": len(rows)}, arrays[self.operand]
        if self.is_wide:
            columns, where[1] = np.unique(where[1], return_inverse=True)
            shape["K"], dense = len(columns), dense[:, columns]
        matrix = {**self.form.rows(arrays, rows), self.operand: dense}
        covered = np.arange(len(wanted.places))
        yield Piece(replace(workload, shape=shape), matrix, covered, tuple(where))

    def _matrix(self, workload: Workload, arrays: Arrays, stored: FloatArray) -> Any:
        """A with the values `stored`."""
        return self.form.read(arrays, stored, (int(workload.shape["rows"]), int(workload.shape["cols"])))

    def weight(self, shape: Shape) -> int:
        """Stored entries, times K."""
        return int(shape["nnz"]) * width(shape)

    def dram_bytes(self, shape: Shape, precision: Precision) -> int:
        """Values and ids once, and of the dense matrices the rows that have to be read or written.

        Those of the operand are the columns that hold entries; a zeroed output keeps its zeros elsewhere. How
        many there are is in the shape, or what uniform draws leave.
        """
        rows, cols, nnz = (int(shape[name]) for name in ("rows", "cols", "nnz"))
        read = int(shape.get("filled_cols", filled(cols, nnz)))
        zeroed = self.form.contract is Contract.ZEROED
        written = int(shape.get("filled_rows", filled(rows, nnz))) if zeroed else rows
        return self.form.index_bytes(shape) + precision.value_bytes * (nnz + (read + written) * width(shape))

    def buffer_bytes(self, workload: Workload) -> int:
        """All tensors in FP32, whole."""
        rows, cols, nnz = (int(workload.shape[name]) for name in ("rows", "cols", "nnz"))
        dense = Precision.FP32.value_bytes * (rows + cols) * width(workload.shape)
        least = self.form.index_bytes(workload.shape) + Precision.FP32.value_bytes * nnz + dense
        if self.form is not ELL or least > LIMIT_BYTES:
            return least
        return dense + SLOT_BYTES * rows * longest_row(workload)

    def user_shape(self, given: Mapping[str, str]) -> Workload:
        """A workload from named texts. Raises BadShape."""
        return sparse_workload(given, is_wide=self.is_wide)


NAN_ROWS = {"unread_nan": (1, 2), "nan_read": (1, 0), "nan_first": (0, 0)}
"""Rows of the dense operand that are NaN: the first, and every how many from there (0: no other).

`unread_nan` goes with columns of even number, which leave them unread; `nan_first` is where a kernel reads
that takes a padding column for 0.
"""


def width(shape: Shape) -> int:
    """Columns of the dense operand; 1 for a vector."""
    return int(shape.get("K", 1))


def drawn(workload: Workload, rng: np.random.Generator) -> Structure:
    """A structure of the workload's pattern and sizes."""
    rows, cols, nnz = (int(workload.shape[name]) for name in ("rows", "cols", "nnz"))
    return PATTERNS[workload.pattern or "uniform"](rows, cols, nnz, rng)


def longest_row(workload: Workload) -> int:
    """Entries of the longest row: of a file's matrix, or of one draw; its mean where there is neither."""
    if workload.matrix is not None:
        structure = read_matrix(workload.matrix).structure
    elif workload.pattern is not None:
        structure = drawn(workload, generator(0, workload.label))
    else:
        return -(-int(workload.shape["nnz"]) // int(workload.shape["rows"]))
    return int(structure.lengths.max(initial=0))


def filled(count: int, nnz: int) -> int:
    """How many of `count` places `nnz` uniform draws are expected to fill."""
    return int(count * hit(1 / count, nnz))


def sparse_operator(
    form: Format, folder: Path, *, workloads: tuple[Workload, ...], aliases: tuple[str, ...] = ()
) -> Operator:
    """The operator in `folder`, whose name begins with `spmv` or `spmm` and ends with the format's."""
    product = SparseProduct(form, is_wide=folder.name.startswith("spmm"))
    return Operator(
        name=folder.name,
        symbol=folder.name,
        title=f"Sparse matrix times {'matrix' if product.is_wide else 'vector'} ({form.title})",
        category=Category.SPARSE,
        aliases=aliases,
        signature=product.signature,
        contract=form.contract,
        mathematics=mathematics(form, is_wide=product.is_wide),
        source="Y. Saad, Iterative Methods for Sparse Linear Systems, 2nd ed., section 3.4",
        folder=folder,
        workloads=workloads,
        inputs=product.inputs,
        outputs=product.outputs,
        reference=product.reference,
        rounding=product.rounding,
        flops=lambda shape: 2 * product.weight(shape),
        dram_bytes=product.dram_bytes,
        buffer_bytes=product.buffer_bytes,
        weight=product.weight,
        matrix_product=product.is_wide,
        user_shape=product.user_shape,
        cut=product.cut if form.rows is not None else None,
    )


def mathematics(form: Format, *, is_wide: bool) -> str:
    """What is computed, in words."""
    what = "Y[i, k] = Σ_p values[p]·X[column of p, k]" if is_wide else "y[i] = Σ_p values[p]·x[column of p]"
    sums = " Sums are kept in FP32 and rounded once." if form.contract is Contract.ZEROED else ""
    rows = f"over the entries p of row i: {form.places}"
    return f"{what} {rows}. Repeated places are summed, an empty row gives 0.{sums}"
