"""Matrix Market files that are no workload."""

import os
from pathlib import Path

import pytest

from mskernelbench.catalog import load_operator
from mskernelbench.errors import BadShape
from mskernelbench.matrix_market import matrix_workload

SPMV = load_operator("spmv_csr")
HEAD = "%%MatrixMarket matrix coordinate real general\n"


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
        ("3 3 5\n1 1 1\n", "cannot be read as a Matrix Market file"),
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
