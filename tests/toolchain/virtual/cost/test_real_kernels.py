"""The whole virtual GPU, from nvcc to modelled time, on kernels whose rate or order on hardware is known."""

import shutil

import pytest

from benchmarks.rank.__main__ import main as rank
from benchmarks.rank.sgemm.__main__ import main as series

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not installed"),
]


@pytest.mark.parametrize(
    "steps", [["coalesced", "square", "warptiled"], pytest.param([], marks=pytest.mark.exhaustive)]
)
def test_a_published_series_of_products_comes_out_in_order_and_within_a_factor_of_two(
    steps: list[str],
) -> None:
    assert series(steps) == 0


@pytest.mark.parametrize(
    "pair",
    [
        "sum_atomics",
        "many_launches",
        "copy_runtime",
        "warp_turns",
        *(
            pytest.param(pair, marks=pytest.mark.exhaustive)
            for pair in ("transpose_padded", "scale_vector", "spmv_short")
        ),
    ],
)
def test_a_pair_is_ranked_as_on_hardware(pair: str) -> None:
    assert rank([pair]) == 0
