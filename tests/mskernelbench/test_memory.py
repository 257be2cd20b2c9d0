"""How large a user's workload may be."""

import pytest

from mskernelbench.catalog import load_operator
from mskernelbench.errors import BadShape
from mskernelbench.memory import LIMIT_BYTES, available_bytes, buffer_bytes, limit_bytes, require_fitting
from mskernelbench.operator import Workload


def test_the_limit_is_16_gib_or_less_where_memory_is_short() -> None:
    assert 0 < limit_bytes() <= LIMIT_BYTES
    assert available_bytes() > 2**28


def test_the_whole_of_x_is_counted_though_one_entry_touches_little_of_it() -> None:
    workload = Workload("user", {"rows": 1, "cols": 2**20, "nnz": 1})
    assert buffer_bytes(load_operator("spmv_csr"), workload) > 4 * 2**20


def test_what_does_not_fit_is_refused_with_its_size_and_the_limit() -> None:
    workload = Workload("user", {"M": 100000, "N": 100000, "K": 10})
    with pytest.raises(
        BadShape, match=r"^mine needs 37\.3 GiB; at most [\d.]+ GiB fit here \(16 GiB, and 1/4"
    ):
        require_fitting(load_operator("matrix_mul"), workload, "mine")
