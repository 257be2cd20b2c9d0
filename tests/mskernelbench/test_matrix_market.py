"""Matrix Market files that are no workload."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from mskernelbench.answers import draw_inputs, right_answers
from mskernelbench.catalog import load_operator
from mskernelbench.errors import BadShape
from mskernelbench.matrix_market import matrix_workload, read_matrix
from mskernelbench.operator import Precision
from tests.mskernelbench.sparse_cases import SPARSE, SPMM, operand

SPMV = load_operator("spmv_csr")
HEAD = "%%MatrixMarket matrix coordinate real general\n"


def written(folder: Path, kind: str, text: str) -> Path:
    """A file of that format, field and symmetry, with a comment in line 2 and the sizes in line 3."""
    path = folder / "m.mtx"
    path.write_text(f"%%MatrixMarket matrix {kind}\n% made by hand\n{text}")
    return path


@pytest.mark.parametrize(
    ("kind", "text", "dense"),
    [
        ("coordinate pattern general", "2 3 2\n1 2\n2 1\n", [[0, 1, 0], [1, 0, 0]]),
        ("coordinate pattern symmetric", "2 2 2\n2 1\n2 2\n", [[0, 1], [1, 1]]),
        ("coordinate real symmetric", "2 2 2\n2 1 1.5\n1 1 -2\n", [[-2, 1.5], [1.5, 0]]),
        ("coordinate real skew-symmetric", "2 2 1\n2 1 1.5\n", [[0, -1.5], [1.5, 0]]),
        ("coordinate integer general", "2 2 2\n2 1 -7\n1 2 3\n", [[0, 3], [-7, 0]]),
        ("coordinate integer skew-symmetric", "2 2 1\n2 1 7\n", [[0, -7], [7, 0]]),
        ("coordinate real general", "2 2 3\n\n2 1 1e1\n2 1 .5\n1 2 -3.\n\n", [[0, -3], [10.5, 0]]),
        ("array real general", "2 2\n1\n2\n0\n4\n", [[1, 0], [2, 4]]),
        ("array integer symmetric", "2 2\n1\n2\n4\n", [[1, 2], [2, 4]]),
        ("array real skew-symmetric", "2 2\n3\n", [[0, -3], [3, 0]]),
    ],
)
def test_every_kind_of_real_file_is_read(
    tmp_path: Path, kind: str, text: str, dense: list[list[float]]
) -> None:
    matrix = read_matrix(written(tmp_path, kind, text))
    found = np.zeros((len(matrix.structure.lengths), matrix.cols))
    rows = np.repeat(np.arange(len(found)), matrix.structure.lengths)
    np.add.at(found, (rows, matrix.structure.columns), matrix.values)
    assert found.tolist() == dense


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("coordinate real general", "3 3\n1 1 1\n", "line 3: "),
        ("coordinate real general", "3 3 1.5\n1 1 1\n", "line 3: "),
        ("coordinate real symmetric", "3 2 1\n2 1 4\n", "line 3: a symmetric matrix is square, not 3×2"),
        ("coordinate real general", "3 3 2\n2 1 4\n4 1 5\n", "line 5: row 4 is not one of 1 … 3"),
        ("coordinate real general", "3 3 1\n1 0 4\n", "line 4: column 0 is not one of 1 … 3"),
        ("coordinate real general", "3 3 1\n1 x 4\n", "line 4: column x is not one of"),
        ("coordinate real general", "3 3 1\n1 1 four\n", "line 4: four is not a number"),
        ("coordinate real general", "3 3 1\n1 1 1.5D2\n", "line 4: 1.5D2 is not a number"),
        ("coordinate real general", "3 3 2\n1 1 1 8\n2 2 1\n", "line 4: '1 1 1 8' is not 3 numbers"),
        ("coordinate real general", "3 3 2\n1 1\n2 2 1\n", "line 4: '1 1' is not 3 numbers"),
        ("coordinate pattern general", "3 3 1\n1 1 1\n", "line 4: '1 1 1' is not 2 numbers"),
        ("coordinate integer general", "3 3 1\n1 1 4.5\n", "line 4: 4.5 is not a whole number"),
        ("coordinate real general", "3 3 1\n1 1 1\n2 2 2\n", "line 5: an entry more than the 1"),
        ("coordinate real general", "3 3 3\n1 1 1\n2 2 2\n", "line 5: it ends after 2 of 3 entries"),
        ("coordinate real skew-symmetric", "3 3 1\n2 2 4\n", "line 4: 4 stands on the diagonal"),
        ("array real general", "2 2\n1\n2\n3\n", "line 6: it ends after 3 of 4 entries"),
        ("coordinate rational general", "3 3 1\n1 1 1\n", "Line 1: "),
        ("coordinate complex hermitian", "2 2 1\n2 1 1 1\n", "holds complex numbers"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_malformed_file_is_refused_with_its_line(
    tmp_path: Path, kind: str, text: str, words: str, packed: bool
) -> None:
    path = written(tmp_path, kind, text)
    if packed:
        path = path.with_suffix(".mtx.gz")
        path.write_bytes(gzip.compress((tmp_path / "m.mtx").read_bytes()))
    assert words in refusal(path)


@pytest.mark.parametrize("name", SPARSE)
def test_every_sparse_operator_takes_a_file(tmp_path: Path, name: str) -> None:
    operator = load_operator(name)
    path = written(tmp_path, "coordinate real symmetric", "3 3 4\n1 1 2.0\n2 1 -1.5\n3 3 4.0\n3 2 0.25\n")
    workload = matrix_workload(operator, path.with_name("m.mtx:K=5") if name in SPMM else path)
    arrays = draw_inputs(operator, workload, Precision.FP32, seed=0)
    expected = np.array([[2, -1.5, 0], [-1.5, 0, 0.25], [0, 0.25, 4]]) @ operand(arrays).astype(np.float64)
    (answer,) = right_answers(operator, workload, arrays, Precision.FP32).values()
    assert np.allclose(answer.reference, expected.reshape(answer.reference.shape))
    assert (workload.shape["rows"], workload.shape["nnz"]) == (3, 6)


def test_the_columns_of_x_are_128_or_said_at_the_end_of_the_name(tmp_path: Path) -> None:
    written(tmp_path, "coordinate real general", "4 5 2\n1 2 1\n1 4 1\n")
    spmm = load_operator("spmm_coo")
    assert matrix_workload(spmm, tmp_path / "m.mtx").shape == {
        "rows": 4,
        "cols": 5,
        "K": 128,
        "nnz": 2,
        "filled_rows": 1,
        "filled_cols": 2,
    }
    assert matrix_workload(spmm, tmp_path / "m.mtx:K=7").shape["K"] == 7
    with pytest.raises(BadShape, match="K=0 does not lie between 1"):
        matrix_workload(spmm, tmp_path / "m.mtx:K=0")
    with pytest.raises(BadShape, match=r"spmv_csr has no size K; give .*m\.mtx alone"):
        matrix_workload(SPMV, tmp_path / "m.mtx:K=7")


def test_a_file_whose_longest_row_ell_cannot_pad_all_others_to_is_refused(tmp_path: Path) -> None:
    full_row = "".join(f"1 {column + 1} 1\n" for column in range(3000))
    path = written(tmp_path, "coordinate real general", f"1000000 3000 3000\n{full_row}")
    assert matrix_workload(SPMV, path).shape["nnz"] == 3000
    with pytest.raises(BadShape, match=r"m\.mtx needs 22\.4 GiB"):
        matrix_workload(load_operator("spmv_ell"), path)


def refusal(path: Path) -> str:
    with pytest.raises(BadShape) as refused:
        matrix_workload(SPMV, path)
    assert str(path) in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("99999999999 3 1\n1 1 1\n", "has 99999999999 rows; at most 2^31"),
        ("3 99999999999 1\n1 1 1\n", "has 99999999999 columns; at most 2^31"),
        ("3 3 99999999999\n1 1 1\n", "has 99999999999 entries; at most 2^31"),
        ("2147483647 1 1\n1 1 1\n", "needs 16.0 GiB; at most"),
        ("0 0 0\n", "holds a 0×0 matrix"),
        ("2 0 0\n", "holds a 2×0 matrix"),
        ("3 3 2\n1 1 1\n2 3 nan\n", "holds nan in row 2, column 3"),
        ("3 3 2\n1 1 1\n3 1 -inf\n", "holds -inf in row 3, column 1"),
        ("3 3 1\n1 2 1e300\n", "holds 1e+300 in row 1, column 2"),
        ("3 3 5\n1 1 1\n", "cannot be read as a Matrix Market file: line 3: it ends after 1 of 5 entries"),
    ],
)
def test_what_no_operator_can_be_given_is_refused_with_its_reason(
    tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "m.mtx"
    path.write_text(HEAD + text)

    assert words in refusal(path)


def test_only_a_regular_file_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.mtx")

    assert "is not a regular file" in refusal(tmp_path / "pipe.mtx")
    assert "is not a regular file" in refusal(Path("/dev/zero"))
    assert "is not a regular file" in refusal(tmp_path)
    assert "does not exist" in refusal(tmp_path / "none.mtx")


def test_a_byte_order_mark_is_named(tmp_path: Path) -> None:
    path = tmp_path / "m.mtx"
    path.write_bytes(b"\xef\xbb\xbf" + HEAD.encode() + b"1 1 1\n1 1 1\n")

    assert "UTF-8 byte-order mark" in refusal(path)


def test_a_torn_compressed_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.mtx.gz"
    path.write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03nonsense")

    assert "cannot be read" in refusal(path)
