"""Sparse matrices from Matrix Market files, `.mtx` or `.mtx.gz`."""

import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.errors import BadShape
from mskernelbench.matrices import Structure
from mskernelbench.matrix_text import Head, bad_line, is_plain, read_head
from mskernelbench.memory import require_fitting
from mskernelbench.operator import Operator, Shape, Workload
from mskernelbench.sparse_shapes import sizes, whole

LARGEST_SIZE = 2**31 - 1
COLUMNS = re.compile(r"(?P<file>.+):K=(?P<columns>[^:/]*)")
USUAL_COLUMNS = 128
"""K where the name of a file says none: as many features as graphs are often given."""


@dataclass(frozen=True, slots=True, eq=False)
class MatrixFile:
    """What a file holds, in compressed rows with columns ascending."""

    structure: Structure
    values: NDArray[np.float32]
    """One for every entry; ones in a pattern file."""
    cols: int


def matrix_workload(operator: Operator, path: Path) -> Workload:
    """The file's matrix as a workload of the set `user`. Raises BadShape where it cannot be read or given.

    An operator with a dense operand of K columns takes them from the name's end, as in `m.mtx:K=64`, else
    `USUAL_COLUMNS`.
    """
    if operator.user_shape is None:
        raise BadShape(f"{operator.name} takes no sparse matrix; give its sizes with --shape")
    file, columns = _columns_of(operator, path)
    _require_fitting(operator, file, columns)
    matrix = read_matrix(file.resolve())
    shape = _shape(matrix, columns)
    workload = Workload("user", shape, "shifted", "file", matrix=file.resolve())
    require_fitting(operator, workload, str(file))
    return workload


def _columns_of(operator: Operator, path: Path) -> tuple[Path, int]:
    """The file, and K of an operator that has it; 0 of others. Raises BadShape."""
    is_wide = any(p.name == "K" for p in operator.signature)
    named = COLUMNS.fullmatch(str(path))
    if named is None:
        return path, USUAL_COLUMNS if is_wide else 0
    if not is_wide:
        raise BadShape(f"{operator.name} has no size K; give {named['file']} alone")
    return Path(named["file"]), whole({"K": named["columns"]}, "K")


def _shape(matrix: "MatrixFile", columns: int) -> Shape:
    """The matrix's sizes, and of rows and columns how many hold entries where K makes them count."""
    structure = matrix.structure
    shape = sizes(len(structure.lengths), matrix.cols, len(matrix.values), columns)
    if not columns:
        return shape
    filled_cols = np.count_nonzero(np.bincount(structure.columns, minlength=matrix.cols))
    filled_rows = np.count_nonzero(structure.lengths)
    return {**shape, "filled_rows": int(filled_rows), "filled_cols": int(filled_cols)}


def _require_fitting(operator: Operator, path: Path, columns: int) -> None:
    """Raise BadShape for what the file's head alone rules out: nothing is allocated for it."""
    _require_text_file(path)
    rows, cols, entries = _sizes_in_head(path)
    for name, size in (("rows", rows), ("columns", cols), ("entries", entries)):
        if size > LARGEST_SIZE:
            raise BadShape(f"{path} has {size} {name}; at most 2^31 − 1 fit an operator's 32-bit integers")
    if not (rows and cols):
        raise BadShape(f"{path} holds a {rows}×{cols} matrix; a product needs a row and a column")
    require_fitting(operator, Workload("user", sizes(rows, cols, entries, columns)), str(path))


def _require_text_file(path: Path) -> None:
    if not path.exists():
        raise BadShape(f"{path} does not exist")
    if not path.is_file():
        raise BadShape(f"{path} is not a regular file; give the .mtx or .mtx.gz file itself")
    with _readable(path), path.open("rb") as file:
        if file.read(len(BOM_UTF8)) == BOM_UTF8:
            raise BadShape(f"{path} begins with a UTF-8 byte-order mark; save it without one")


def _sizes_in_head(path: Path) -> tuple[int, int, int]:
    """Rows, columns and at most so many entries; a symmetric file names only half of them."""
    with _readable(path):
        head = read_head(path)
    return head.rows, head.cols, head.entries * (1 if head.symmetry == "general" else 2)


@lru_cache(maxsize=4)
def read_matrix(path: Path) -> MatrixFile:
    """The matrix in `path`.

    Raises BadShape where the file is missing, malformed (with the line), complex or too large, and where an
    entry is no finite FP32 number: where the right answer is NaN, any kernel's NaN would do.
    """
    with _readable(path):
        head = read_head(path)
        if head.field == "complex":
            raise BadShape(f"{path} holds complex numbers; operators take real ones")
        stored = _stored(path, head)
    return _compressed(stored, path)


def _stored(path: Path, head: Head) -> Any:
    """What SciPy reads, once nothing in the file is lost on the way. Raises ValueError with the line."""
    from scipy.io import mmread

    try:
        stored: Any = mmread(path, spmatrix=False)
    except (ValueError, OverflowError) as fault:
        raise ValueError(bad_line(path, head) or str(fault)) from fault
    reason = None if is_plain(path, head) and not _is_skewed(stored, head) else bad_line(path, head)
    if reason:
        raise ValueError(reason)
    return stored


def _is_skewed(stored: Any, head: Head) -> bool:
    """Whether a skew-symmetric matrix has an entry other than 0 on its diagonal."""
    return head.symmetry == "skew-symmetric" and bool(np.any(stored.diagonal()))


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, EOFError, OverflowError, zlib.error) as fault:
        raise BadShape(f"{path} cannot be read as a Matrix Market file: {fault}") from fault


def _compressed(stored: Any, path: Path) -> MatrixFile:
    from scipy.sparse import csr_array

    rows = csr_array(stored)
    if max(rows.nnz, *rows.shape) > LARGEST_SIZE:
        raise BadShape(f"{path} has sizes beyond 2^31 − 1")
    structure = Structure(rows.indptr.astype(np.int32), rows.indices.astype(np.int32))
    with np.errstate(over="ignore"):
        values = np.asarray(rows.data, dtype=np.float32)
    _require_finite(structure, values, rows.data, path)
    return MatrixFile(structure, values, int(rows.shape[1]))


def _require_finite(
    structure: Structure, values: NDArray[np.float32], stored: NDArray[Any], path: Path
) -> None:
    """Raise BadShape with the first entry that is no finite FP32 number, by its place counted from 1."""
    strange = np.flatnonzero(~np.isfinite(values))
    if len(strange):
        entry = int(strange[0])
        row = int(np.searchsorted(structure.offsets, entry, "right"))
        place = f"row {row}, column {int(structure.columns[entry]) + 1}"
        raise BadShape(f"{path} holds {stored[entry]} in {place}; entries must be finite FP32 numbers")
