"""What a strategy does for large sizes only is right on the small ones, which are compared in full."""

import re

import pytest

from cudamaster.agents.builtin.catalog import find_strategy
from cudamaster.agents.builtin.rendering import render_kernel
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from mskernelbench.catalog import find_operator
from mskernelbench.operator import Precision
from tests.gauntlet.judging import GPU, opened
from tests.gauntlet.kernels import SECONDS, GauntletKernel

FROM_ON = re.compile(r"(constexpr \w+ (?:LEAST|LEAST_PADDED|DIRECT|PLAIN) =)[^;]*;")
"""Where a kernel says from which sizes on it does something else."""

CASES = [
    ("conv_1d", "bf16", "band_mma"),
    ("conv_2d", "bf16", "band_mma"),
    ("conv_2d", "fp32", "sliding_window"),
    ("high_order_contraction", "bf16", "tile_by_shape"),
    ("high_order_contraction", "fp32", "split_tf32"),
    ("matrix_power", "bf16", "mma_pipeline"),
    ("matrix_power", "fp32", "split_tf32"),
]


@pytest.mark.exhaustive
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "number", "strategy"), CASES)
def test_what_is_done_for_large_sizes_is_right_on_small_ones(name: str, number: str, strategy: str) -> None:
    operator, precision, spec = find_operator(name)[0], Precision(number), load_gpu(GPU).device
    found = find_strategy(strategy, operator, precision)
    assert found is not None
    setting = found.default(precision, spec)
    assert setting is not None
    entry = operator.entry_symbol(precision)
    source = render_kernel(found, setting, operator=operator, precision=precision, entry=entry, spec=spec)
    early, places = FROM_ON.subn(r"\1 1;", source)
    assert places

    with opened() as gauntlet:
        kernel = GauntletKernel(strategy, strategy, name, number, ("check",), SECONDS, early)
        evaluation = gauntlet.judge(kernel)

    assert evaluation.correct, evaluation.reason
