"""Structures of sparse matrices."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from mskernelbench.answers import draw_inputs, right_answers
from mskernelbench.catalog import load_operator
from mskernelbench.errors import BadShape
from mskernelbench.matrices import PATTERNS, Structure, poisson, poisson_nnz
from mskernelbench.matrix_market import matrix_workload
from mskernelbench.operator import Precision
from mskernelbench.seeds import generator

SPMV = load_operator("spmv_csr")
FILE = """%%MatrixMarket matrix coordinate real symmetric
3 3 4
1 1 2.0
2 1 -1.5
3 3 4.0
3 2 0.25
"""


def drawn(pattern: str, rows: int = 200, cols: int = 150, nnz: int = 1500) -> Structure:
    return PATTERNS[pattern](rows, cols, nnz, generator(3, pattern))


@pytest.mark.parametrize("pattern", [p for p in PATTERNS if not p.startswith("poisson") and p != "one_each"])
def test_a_pattern_gives_exactly_the_entries_asked_for_within_the_matrix(pattern: str) -> None:
    structure = drawn(pattern)
    assert len(structure.columns) == structure.offsets[-1] == 1500
    assert len(structure.lengths) == 200
    assert (structure.lengths >= 0).all()
    assert structure.columns.min() >= 0
    assert structure.columns.max() < 150
    assert structure.columns.dtype == structure.offsets.dtype == np.int32


def test_rmat_rows_follow_a_power_law() -> None:
    lengths = drawn("rmat", 1024, 1024, 16384).lengths
    assert lengths.max() > 8 * lengths.mean()
    assert (lengths == 0).any()


def test_uniform_columns_are_unsorted_and_repeat() -> None:
    structure = drawn("uniform")
    rows = np.split(structure.columns, structure.offsets[1:-1])
    assert any((np.diff(row) < 0).any() for row in rows)
    assert any(len(set(row)) < len(row) for row in rows)


@pytest.mark.parametrize("dimensions", [2, 3])
def test_the_poisson_structure_is_the_laplacians(dimensions: int) -> None:
    from scipy import sparse

    side = 5
    line = sparse.diags_array([1.0, 1.0, 1.0], offsets=[-1, 0, 1], shape=(side, side))
    laplacian = sparse.kronsum(line, line)
    if dimensions == 3:
        laplacian = sparse.kronsum(laplacian, line)
    expected = laplacian.tocsr()
    structure = poisson(side, dimensions)
    assert poisson_nnz(side, dimensions) == len(structure.columns) == expected.nnz
    assert (structure.offsets == expected.indptr).all()
    assert all(
        set(structure.columns[a:b]) == set(expected.indices[a:b])
        for a, b in zip(expected.indptr[:-1], expected.indptr[1:], strict=True)
    )


@pytest.mark.parametrize("name", ["m.mtx", "m.mtx.gz"])
def test_a_matrix_market_file_becomes_a_workload_with_its_own_values(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(FILE.encode()) if name.endswith("gz") else FILE.encode())
    workload = matrix_workload(SPMV, path)
    assert workload.shape == {"rows": 3, "cols": 3, "nnz": 6}
    arrays = draw_inputs(SPMV, workload, Precision.FP32, seed=0)
    dense = np.array([[2, -1.5, 0], [-1.5, 0, 0.25], [0, 0.25, 4]])
    expected = dense @ arrays["x"].astype(np.float64)
    assert np.allclose(right_answers(SPMV, workload, arrays, Precision.FP32)["y"].reference, expected)


@pytest.mark.parametrize(
    "text", ["", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 2 3\n", "nonsense"]
)
def test_a_file_that_is_no_real_matrix_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.mtx"
    path.write_text(text)
    with pytest.raises(BadShape, match=r"bad\.mtx"):
        matrix_workload(SPMV, path)


def test_a_dense_operator_takes_no_matrix(tmp_path: Path) -> None:
    with pytest.raises(BadShape, match="takes no sparse matrix"):
        matrix_workload(load_operator("matrix_mul"), tmp_path / "m.mtx")
