"""Sparse matrices from Matrix Market files, `.mtx` or `.mtx.gz`."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mskernelbench.errors import BadShape
from mskernelbench.matrices import Structure
from mskernelbench.operator import Operator, Workload


@dataclass(frozen=True, slots=True, eq=False)
class MatrixFile:
    """What a file holds, in compressed rows with columns ascending."""

    structure: Structure
    values: NDArray[np.float32]
    """One for every entry; ones in a pattern file."""
    cols: int


def matrix_workload(operator: Operator, path: Path) -> Workload:
    """The file's matrix as a workload of the set `user`. Raises BadShape where it cannot be read or given."""
    if operator.user_shape is None:
        raise BadShape(f"{operator.name} takes no sparse matrix; give its sizes with --shape")
    matrix = read_matrix(path.resolve())
    sizes = {"rows": len(matrix.structure.lengths), "cols": matrix.cols, "nnz": len(matrix.values)}
    return Workload("user", sizes, "shifted", "file", matrix=path.resolve())


@lru_cache(maxsize=4)
def read_matrix(path: Path) -> MatrixFile:
    """The matrix in `path`. Raises BadShape where the file is missing, malformed, complex or too large."""
    from scipy.io import mmread

    try:
        stored: Any = mmread(path, spmatrix=False)
    except (OSError, ValueError, EOFError) as fault:
        raise BadShape(f"{path} cannot be read as a Matrix Market file: {fault}") from fault
    if np.iscomplexobj(stored):
        raise BadShape(f"{path} holds complex numbers; operators take real ones")
    return _compressed(stored, path)


def _compressed(stored: Any, path: Path) -> MatrixFile:
    from scipy.sparse import csr_array

    rows = csr_array(stored)
    if max(rows.nnz, *rows.shape) >= 2**31:
        raise BadShape(f"{path} has sizes beyond 2^31 − 1")
    structure = Structure(rows.indptr.astype(np.int32), rows.indices.astype(np.int32))
    return MatrixFile(structure, np.asarray(rows.data, dtype=np.float32), int(rows.shape[1]))
