"""How one matrix stands in every format, and what SciPy reads back."""

import numpy as np
import pytest

from mskernelbench.errors import BadShape
from mskernelbench.matrices import from_lengths
from mskernelbench.operator import Arrays
from mskernelbench.sparse_formats import COO, CSC, CSR, ELL, Format, Matrix, grouped

LENGTHS = np.array([0, 3, 1, 0, 2, 0])
COLUMNS = np.array([2, 0, 2, 4, 1, 0])
VALUES = np.array([1, 2, 4, 8, 16, 32], np.float32)
DENSE = np.zeros((6, 5))
DENSE[1, [2, 0]], DENSE[2, 4], DENSE[4, [1, 0]] = [5, 2], 8, [16, 32]


def matrix(order: list[int] | None = None) -> Matrix:
    """Six rows, the first, fourth and last empty, an empty column, one place twice."""
    return Matrix(from_lengths(LENGTHS, COLUMNS), VALUES, 5, None if order is None else np.array(order))


def texts(arrays: Arrays) -> dict[str, list[float]]:
    return {name: np.atleast_1d(array).tolist() for name, array in arrays.items()}


@pytest.mark.parametrize("form", [CSR, CSC, COO, ELL])
@pytest.mark.parametrize("order", [None, [5, 0, 3, 2, 1, 4]])
def test_what_is_stored_is_read_back(form: Format, order: list[int] | None) -> None:
    arrays = form.store(matrix(order))
    assert (form.read(arrays, arrays["values"].astype(np.float64), (6, 5)).toarray() == DENSE).all()


def test_repeated_places_stay_apart_in_every_format() -> None:
    for form in (CSR, CSC, COO, ELL):
        arrays = form.store(matrix())
        ones = form.read(arrays, np.ones(arrays["values"].shape), (6, 5))
        assert (ones @ np.ones(5)).tolist() == LENGTHS.tolist()


def test_compressed_columns_keep_the_order_in_which_entries_came() -> None:
    assert texts(CSC.store(matrix([5, 0, 3, 2, 1, 4]))) == {
        "values": [32, 2, 16, 1, 4, 8],
        "row_indices": [4, 1, 4, 1, 1, 2],
        "col_offsets": [0, 2, 3, 5, 5, 6],
        "columns": [5],
    }


def test_coordinates_come_in_any_order() -> None:
    assert texts(COO.store(matrix([5, 0, 3, 2, 1, 4]))) == {
        "values": [32, 1, 8, 4, 2, 16],
        "row_indices": [4, 1, 2, 1, 1, 4],
        "col_indices": [0, 2, 4, 2, 0, 1],
    }


def test_padded_rows_begin_with_their_entries_and_end_with_column_minus_one_and_value_zero() -> None:
    arrays = ELL.store(matrix())
    unused = [-1, -1, -1]
    assert arrays["col_ids"].tolist() == [unused, [2, 0, 2], [4, -1, -1], unused, [1, 0, -1], unused]
    assert arrays["values"].tolist() == [[0] * 3, [1, 2, 4], [8, 0, 0], [0] * 3, [16, 32, 0], [0] * 3]
    assert int(arrays["max_nnz_per_row"]) == 3


def test_rows_without_any_entry_are_padded_to_nothing() -> None:
    empty = Matrix(from_lengths(np.zeros(4, np.int64), np.zeros(0, np.int32)), np.zeros(0, np.float32), 3)
    arrays = ELL.store(empty)
    assert (arrays["col_ids"].shape, int(arrays["max_nnz_per_row"])) == ((4, 0), 0)
    assert not ELL.read(arrays, np.zeros((4, 0)), (4, 3)).nnz


def test_padding_beyond_16_gib_is_refused_before_it_is_made() -> None:
    lengths = np.zeros(2**20, np.int64)
    lengths[7] = 3000
    one_long_row = Matrix(from_lengths(lengths, np.arange(3000)), np.ones(3000, np.float32), 3000)
    with pytest.raises(BadShape, match=r"pads 1048576 rows to the 3000 entries of the longest: 23\.4 GiB"):
        ELL.store(one_long_row)


def test_grouping_is_a_stable_sort() -> None:
    keys = np.random.default_rng(2).integers(0, 50, 1000, dtype=np.int32)
    order, offsets = grouped(keys, 60)
    assert (order == np.argsort(keys, kind="stable")).all()
    assert (np.diff(offsets) == np.bincount(keys, minlength=60)).all()
