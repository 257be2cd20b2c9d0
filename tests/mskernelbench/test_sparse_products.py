"""What passes and what fails as a product of a sparse matrix, in every format and both precisions."""

from collections.abc import Callable

import numpy as np
import pytest

from mskernelbench.catalog import load_operator
from mskernelbench.matrices import PATTERNS, rmat_filled
from mskernelbench.operator import Contract, Precision
from mskernelbench.seeds import generator
from tests.mskernelbench import emulations as e
from tests.mskernelbench.cases import Case, Kernel, cases, refused, worst
from tests.mskernelbench.sparse_cases import (
    SPARSE,
    SPMM,
    SPMV,
    Entries,
    by,
    entries,
    exactly,
    operand,
    ranks,
    split_by,
)

FP32, BF16 = Precision.FP32, Precision.BF16
ORDERS = [e.sequential, e.pairwise, e.split_k]

every = pytest.mark.parametrize("name", SPARSE)
both = pytest.mark.parametrize("precision", Precision)


@every
@pytest.mark.parametrize("add", ORDERS)
def test_any_order_of_fp32_sums_stays_below_half_the_bound(name: str, add: e.Sum) -> None:
    assert worst(name, FP32, by(add)) <= 0.5


@every
@pytest.mark.parametrize("add", ORDERS)
def test_bf16_with_fp32_sums_passes(name: str, add: e.Sum) -> None:
    assert not refused(name, BF16, by(add))


@pytest.mark.parametrize("name", SPMM)
@pytest.mark.parametrize("narrow", [e.tf32, e.bf16])
def test_error_compensated_tensor_core_products_pass_as_fp32(name: str, narrow: e.Round) -> None:
    assert not refused(name, FP32, split_by(narrow, 3))


@every
@pytest.mark.parametrize("narrow", [e.tf32, e.fp16, e.bf16])
def test_narrow_operands_fail_as_fp32(name: str, narrow: e.Round) -> None:
    assert len(refused(name, FP32, by(narrow=narrow))) >= 8


def test_two_bf16_terms_fail_as_fp32() -> None:
    assert refused("spmm_csr", FP32, split_by(e.bf16, 2))


@every
@both
def test_a_bf16_accumulator_such_as_bf16_atomics_fails(name: str, precision: Precision) -> None:
    assert len(refused(name, precision, by(lambda terms: e.sequential(terms, keep=e.bf16)))) >= 8


def only(choose: Callable[[Entries], object]) -> Kernel:
    """The float64 product of some entries."""
    return lambda case: exactly(case, entries(case)[choose(entries(case))])


@every
@both
def test_dropped_duplicates_fail(name: str, precision: Precision) -> None:
    def first_of_each_place(all_entries: Entries) -> np.ndarray:
        keys = all_entries.rows.astype(np.int64) << 32 | all_entries.columns.astype(np.int64)
        return np.unique(keys, return_index=True)[1]

    assert len(refused(name, precision, only(first_of_each_place))) >= 5


@every
@both
def test_rows_or_columns_cut_at_64_entries_fail(name: str, precision: Precision) -> None:
    assert len(refused(name, precision, only(lambda some: ranks(some.rows) < 64))) >= 3
    assert len(refused(name, precision, only(lambda some: ranks(some.columns) < 64))) >= 2


@every
@both
def test_rows_or_columns_short_of_an_entry_and_a_dropped_last_entry_fail(
    name: str, precision: Precision
) -> None:
    assert len(refused(name, precision, only(lambda some: ranks(some.rows) > 0))) >= 9
    assert len(refused(name, precision, only(lambda some: ranks(some.columns) > 0))) >= 9
    assert len(refused(name, precision, only(lambda some: slice(-1)))) >= 9


@every
@both
def test_rows_that_keep_only_their_last_product_fail(name: str, precision: Precision) -> None:
    """As stores do that should be additions."""
    assert len(refused(name, precision, only(lambda some: ranks(some.rows[::-1])[::-1] == 0))) >= 9


@every
@both
def test_empty_rows_left_unwritten_fail_where_outputs_are_poisoned(name: str, precision: Precision) -> None:
    poison = np.nan if load_operator(name).contract is Contract.POISONED else 0.0

    def unwritten(case: Case) -> np.ndarray:
        answer = case.answer.reference.copy()
        rows = np.bincount(entries(case).rows, minlength=len(answer))
        answer[rows == 0] = poison
        return answer

    found = len(refused(name, precision, unwritten))
    assert found >= 4 if np.isnan(poison) else found == 0


@pytest.mark.parametrize("name", ["spmv_ell", "spmm_ell"])
@both
@pytest.mark.parametrize("column", [0, -1])
def test_padding_read_as_an_entry_fails(name: str, precision: Precision, column: int) -> None:
    """Its value is 0, but 0 times a NaN that no entry of the row reads is NaN."""

    def padded(case: Case) -> np.ndarray:
        answer = case.answer.reference.copy()
        has_padding = (case.arrays["col_ids"] < 0).any(axis=1)
        answer[has_padding] += 0 * operand(case.arrays)[column].astype(np.float64).reshape(answer.shape[1:])
        return answer

    assert refused(name, precision, padded)


@pytest.mark.parametrize("name", SPMM)
@both
def test_a_dense_operand_read_column_after_column_fails(name: str, precision: Precision) -> None:
    def transposed(case: Case) -> np.ndarray:
        dense = case.arrays["X"]
        turned = np.ascontiguousarray(dense).ravel().reshape(dense.shape[::-1]).T
        return exactly(case._replace(arrays={**case.arrays, "X": turned}), entries(case))

    assert len(refused(name, precision, transposed)) >= 9


@every
@both
def test_exact_answers_off_by_eight_units_fail(name: str, precision: Precision) -> None:
    def off(case: Case) -> np.ndarray:
        answer = case.answer.reference.copy()
        answer.flat[np.nanargmax(np.abs(answer))] *= 1 + 16 * precision.unit_roundoff
        return answer

    exact = {case.workload.label for case in cases(name, precision) if case.workload.exact}
    assert exact
    assert exact <= set(refused(name, precision, off))


@pytest.mark.parametrize("name", SPARSE)
def test_a_nan_in_an_unread_column_does_not_reach_the_output(name: str) -> None:
    (case,) = (c for c in cases(name, FP32) if c.workload.values == "unread_nan")
    assert np.isnan(operand(case.arrays)).any()
    assert np.isfinite(case.answer.reference).all()


@every
def test_check_matrices_reach_what_kernels_get_wrong(name: str) -> None:
    """Repeated places, empty rows at both ends, empty columns, full rows and columns, no entries, one row."""
    found = [
        (entries(c), int(c.workload.shape["rows"]), int(c.workload.shape["cols"])) for c in cases(name, FP32)
    ]
    assert any(len(set(zip(some.rows, some.columns, strict=True))) < len(some.rows) for some, _, _ in found)
    assert any({0, rows - 1}.isdisjoint(some.rows) and rows > 9 for some, rows, _ in found)
    assert any(len(set(some.columns)) < cols for some, _, cols in found)
    assert any(len(set(some.columns[some.rows == rows // 2])) == cols > 64 for some, rows, cols in found)
    assert any(len(some.rows) == 0 for some, _, _ in found)
    assert any(rows == 1 for _, rows, _ in found)
    if name != "spmv_csr":
        assert any(len(set(some.rows[some.columns == cols // 2])) == rows > 32 for some, rows, cols in found)


@pytest.mark.parametrize(
    ("name", "ids"), [("csc", "rows"), ("coo", "rows"), ("csr", "columns"), ("ell", "columns")]
)
def test_ids_are_unsorted_where_nothing_orders_them(name: str, ids: str) -> None:
    case = next(c for c in cases(f"spmv_{name}", FP32) if c.workload.shape["nnz"] == 3001)
    some = entries(case)
    inner = getattr(some, ids)[(some.columns if name == "csc" else some.rows) == 5]
    assert (np.diff(inner if name != "coo" else some.rows) < 0).any()


@pytest.mark.parametrize("name", SPMM)
def test_work_at_the_largest_published_sizes_passes_32_bits(name: str) -> None:
    operator = load_operator(name)
    largest = operator.in_set("paper")[-1].shape
    flops = 2 * int(largest["nnz"]) * 4096
    assert operator.flops(largest) == 2 * operator.weight(largest) == flops > 2**31
    assert np.array(flops).astype(np.int32) != flops


@pytest.mark.parametrize("name", SPMV)
def test_a_product_with_a_vector_moves_at_least_its_matrix(name: str) -> None:
    operator = load_operator(name)
    for workload in operator.in_set("real"):
        least = (4 + FP32.value_bytes) * int(workload.shape["nnz"])
        assert least < operator.dram_bytes(workload.shape, FP32) < 2 * least


def test_rows_without_entries_cost_nothing_where_outputs_are_zeroed() -> None:
    shape = {"rows": 1000, "cols": 10, "K": 8, "nnz": 1}
    gathered, scattered = (load_operator(f"spmm_{f}").dram_bytes(shape, FP32) for f in ("csr", "coo"))
    assert gathered - scattered > 999 * 8 * 4


@pytest.mark.parametrize("pattern", ["rmat", "graph"])
def test_how_many_rows_rmat_fills_is_known_beforehand(pattern: str) -> None:
    lengths = PATTERNS[pattern](4096, 4096, 20000, generator(5, pattern)).lengths
    assert np.count_nonzero(lengths) == pytest.approx(rmat_filled(4096, 12, 20000), rel=0.02)
