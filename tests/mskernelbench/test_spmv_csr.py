"""What passes and what fails as a sparse matrix-vector product, in both precisions."""

from itertools import pairwise

import numpy as np
import pytest

from mskernelbench.operator import Precision
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst

NAME = "spmv_csr"
FP32, BF16 = Precision.FP32, Precision.BF16


def rows(case: Case) -> list[slice]:
    offsets = case.arrays["row_offsets"]
    return [slice(a, b) for a, b in pairwise(offsets)]


def by(add: e.Sum = e.sequential, operand: e.Round = e.fp32) -> Kernel:
    """Every row summed by `add` over FP32 products of rounded operands."""

    def kernel(case: Case) -> e.F32:
        x = operand(case.arrays["x"].astype(np.float32))[case.arrays["col_indices"]]
        terms = operand(case.arrays["values"].astype(np.float32)) * x
        return np.array([add(terms[row]) for row in rows(case)], np.float32)

    return kernel


@pytest.mark.parametrize("add", [e.sequential, e.pairwise, e.split_k])
def test_any_order_of_fp32_sums_stays_below_half_the_bound(add: e.Sum) -> None:
    assert worst(NAME, FP32, by(add)) <= 0.5


@pytest.mark.parametrize("add", [e.sequential, e.pairwise, e.split_k])
def test_bf16_with_fp32_sums_passes(add: e.Sum) -> None:
    assert not refused(NAME, BF16, by(add))


@pytest.mark.parametrize("operand", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_fail_as_fp32(operand: e.Round) -> None:
    assert len(refused(NAME, FP32, by(operand=operand))) >= 8


@pytest.mark.parametrize("precision", Precision)
def test_a_bf16_accumulator_fails(precision: Precision) -> None:
    assert refused(NAME, precision, by(lambda terms: e.sequential(terms, keep=e.bf16)))


@pytest.mark.parametrize("precision", Precision)
def test_dropped_duplicates_fail(precision: Precision) -> None:
    def once(case: Case) -> np.ndarray:
        x, columns, values = (case.arrays[k].astype(np.float64) for k in ("x", "col_indices", "values"))
        y = []
        for row in rows(case):
            _, first = np.unique(columns[row], return_index=True)
            y.append(values[row][first] @ x[columns[row][first].astype(int)])
        return np.array(y)

    assert len(refused(NAME, precision, once)) >= 5


@pytest.mark.parametrize("precision", Precision)
def test_rows_cut_at_64_entries_or_short_of_their_last_entry_fail(precision: Precision) -> None:
    def cut(case: Case, entries: slice) -> np.ndarray:
        terms = case.arrays["values"].astype(np.float64) * case.arrays["x"][
            case.arrays["col_indices"]
        ].astype(np.float64)
        return np.array([terms[row][entries].sum() for row in rows(case)])

    assert len(refused(NAME, precision, lambda case: cut(case, slice(64)))) >= 3
    assert len(refused(NAME, precision, lambda case: cut(case, slice(-1)))) >= 9


@pytest.mark.parametrize("precision", Precision)
def test_empty_rows_left_unwritten_fail(precision: Precision) -> None:
    def unwritten(case: Case) -> np.ndarray:
        lengths = np.array([row.stop - row.start for row in rows(case)])
        return np.where(lengths == 0, np.nan, case.answer.reference)

    assert len(refused(NAME, precision, unwritten)) >= 4


def test_a_nan_in_an_unread_column_does_not_reach_y() -> None:
    (case,) = (c for c in cases(NAME, FP32) if c.workload.values == "unread_nan")
    assert np.isnan(case.arrays["x"]).any()
    assert np.isfinite(case.answer.reference).all()


def test_check_matrices_hold_duplicates_empty_rows_a_dense_row_and_no_entries() -> None:
    structures = [
        (c.arrays["col_indices"], rows(c), int(c.workload.shape["cols"])) for c in cases(NAME, FP32)
    ]
    assert any(len(set(columns[r])) < len(columns[r]) for columns, slices, _ in structures for r in slices)
    assert any(r.start == r.stop for _, slices, _ in structures for r in (slices[0], slices[-1]))
    assert any(
        set(columns[r]) == set(range(cols))
        for columns, slices, cols in structures
        for r in slices
        if cols > 99
    )
    assert any(len(columns) == 0 for columns, _, _ in structures)
