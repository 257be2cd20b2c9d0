"""Finding operators."""

import re
from math import prod

import pytest

from mskernelbench.catalog import all_operators, find_operator, find_precision, operator_names
from mskernelbench.completeness import lacks
from mskernelbench.errors import UnknownOperator, UnknownPrecision
from mskernelbench.operator import Precision


@pytest.mark.parametrize("name", operator_names())
def test_an_operator_is_found_by_its_folder_and_its_symbol_in_any_case(name: str) -> None:
    operator = find_operator(name).operator
    assert operator.name == name
    assert find_operator(operator.symbol.upper()) == (operator, None)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("gemm", "matrix_mul"),
        ("MatMul", "matrix_mul"),
        ("attention", "softmax_attention"),
        ("spmv", "spmv_csr"),
        ("stencil", "stencil_2d"),
    ],
)
def test_an_alias_is_found_and_reported(alias: str, name: str) -> None:
    found = find_operator(alias)
    assert (found.operator.name, found.alias) == (name, alias)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownOperator, match="'stensil_2d'; nearest: stencil_2d"):
        find_operator("stensil_2d")


def test_precisions_are_found_in_any_case() -> None:
    assert find_precision("BF16") is Precision.BF16
    with pytest.raises(UnknownPrecision, match="fp16"):
        find_precision("fp16")


def test_no_alias_is_used_twice_or_hides_a_name() -> None:
    aliases = [alias for operator in all_operators() for alias in operator.aliases]
    assert len(aliases) == len(set(aliases))
    assert not set(aliases) & set(operator_names())


@pytest.mark.parametrize("name", operator_names())
def test_a_spec_is_complete(name: str) -> None:
    operator = find_operator(name).operator
    assert lacks(operator) == []
    assert {w.set for w in operator.workloads} == {"check", "paper", "real"}


@pytest.mark.parametrize("precision", Precision)
@pytest.mark.parametrize("name", operator_names())
def test_a_baseline_defines_the_entry(name: str, precision: Precision) -> None:
    operator = find_operator(name).operator
    source = operator.baseline(precision)
    assert f'extern "C" void {operator.entry_symbol(precision)}(' in source
    assert not re.search(r"cudaMalloc(?!Async)", source)
    assert "Synchronize" not in source


SMALL_BY_NATURE = {"rms_norm": 1e8, "layer_norm": 1e8, "sorting": 5e7, "top_k": 2e5, "prefix_sum": 2e8}
"""Bytes that the largest `real` workload moves where users meet no larger: one vector, one row of words."""


POWERS_OF_TWO = {"fft"}
"""Operators that are defined for no other size."""


@pytest.mark.parametrize("name", operator_names())
def test_real_workloads_are_as_large_as_users_meet_them(name: str) -> None:
    operator = find_operator(name).operator
    real = operator.in_set("real")
    assert len(real) >= 3
    sizes = [size for w in real for size in w.shape.values() if isinstance(size, int) and size > 16]
    assert name in POWERS_OF_TWO or any(size % 16 for size in sizes)
    for precision in Precision:
        work = [operator.flops(w.shape) for w in real]
        moved = [operator.dram_bytes(w.shape, precision) for w in real]
        assert max(work) >= 1e11 or max(moved) >= SMALL_BY_NATURE.get(name, 5e8)
        assert max(moved) <= 16 * 2**30


@pytest.mark.parametrize("name", operator_names())
def test_weights_are_not_bound_to_32_bits(name: str) -> None:
    operator = find_operator(name).operator
    huge = {k: v * 2**30 if isinstance(v, int) else v for k, v in operator.in_set("paper")[-1].shape.items()}
    assert operator.weight(huge) > 2**32


ROWS = {
    "batch_norm": ("N",),
    "dot_product": ("N",),
    "matrix_copy": ("M",),
    "matrix_mul": ("M",),
    "matrix_scalar_mul": ("M",),
    "matrix_transpose": ("M",),
    "matrix_vector_mul": ("M",),
    "max_pooling_2d": ("N", "C"),
    "merge_attn_states": ("num_tokens",),
    "rope": ("M",),
    "silu_and_mul": ("B",),
    "softmax": ("N",),
    "stencil_2d": ("nx",),
    "triangle_attention": ("B", "H"),
}
"""Sizes whose product kernels count in 16 bits, or launch blocks for along an axis that ends at 65535."""


LENGTHS = {
    **dict.fromkeys(("relu", "leaky_relu", "elu", "selu", "gelu", "sigmoid", "row_tanh", "swiglu"), ("N",)),
    **dict.fromkeys(("vector_add", "reverse_array", "prefix_sum", "sorting", "top_k", "fft"), ("N",)),
    **dict.fromkeys(("dot_product", "mse_loss", "hinge_loss", "monte_carlo_int", "simpson_int"), ("N",)),
    **dict.fromkeys(("rms_norm", "layer_norm", "matrix_vector_mul"), ("N",)),
    **dict.fromkeys(("matrix_copy", "matrix_scalar_mul", "matrix_transpose"), ("N",)),
    **dict.fromkeys(("spmv_csr", "spmv_csc", "spmv_coo", "spmv_ell"), ("rows", "cols", "nnz")),
    **dict.fromkeys(("spmm_csr", "spmm_csc", "spmm_coo", "spmm_ell"), ("rows", "cols", "nnz")),
    "conv_1d": ("input_size",),
    "conv_2d": ("in_cols",),
    "cross_entropy_loss": ("C",),
    "silu_and_mul": ("D",),
    "softmax": ("C",),
    "stencil_2d": ("ny",),
    "stencil_3d": ("nz",),
}
"""Sizes that kernels keep an index of in 16 bits, or launch blocks for along an axis that ends at 65535."""


@pytest.mark.parametrize("name", LENGTHS)
def test_longer_sides_are_checked_than_16_bits_can_count(name: str) -> None:
    checked = find_operator(name).operator.in_set("check")
    for side in LENGTHS[name]:
        assert max(int(workload.shape[side]) for workload in checked) > 65_536, side


def test_longer_sums_are_contracted_than_16_bits_can_count() -> None:
    checked = find_operator("high_order_contraction").operator.in_set("check")
    assert max(int(w.shape["x_dim"]) * int(w.shape["y_dim"]) for w in checked) > 65_536


SPARSE = ("csr", "csc", "coo", "ell")
BOUNDS = {
    "conv_1d": ("kernel_size", 2048),
    "matrix_power": ("P", 16),
    "max_pooling_2d": ("kernel_size", 8),
    "softmax_attention": ("dim_v", 4096),
    "top_k": ("k", 128),
}
"""Sizes that kernels have room for up to a bound that is larger than any published one."""


@pytest.mark.parametrize("name", BOUNDS)
def test_a_bound_that_published_sizes_keep_is_passed(name: str) -> None:
    side, bound = BOUNDS[name]
    assert max(int(workload.shape[side]) for workload in find_operator(name).operator.in_set("check")) > bound


@pytest.mark.parametrize(
    ("name", "pattern", "side"),
    [
        *((f"{product}_{form}", "dense_row", "cols") for product in ("spmv", "spmm") for form in SPARSE),
        *((f"{product}_csc", "dense_column", "rows") for product in ("spmv", "spmm")),
    ],
)
def test_rows_and_columns_of_more_entries_than_a_block_holds_are_checked(
    name: str, pattern: str, side: str
) -> None:
    checked = [w for w in find_operator(name).operator.in_set("check") if w.pattern == pattern]
    assert max(int(workload.shape[side]) for workload in checked) > 4096


@pytest.mark.parametrize("name", ROWS)
def test_more_rows_are_checked_than_16_bits_can_count(name: str) -> None:
    checked = find_operator(name).operator.in_set("check")
    assert max(prod(int(workload.shape[size]) for size in ROWS[name]) for workload in checked) > 65_536
