"""Honest kernels of every kind that a strict referee might refuse are accepted, whatever the inputs' seed.

Of what is harmless, one of each kind in every run, and all in the exhaustive one.
"""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.gauntlet.judging import Gauntlet, opened
from tests.gauntlet.kernels import GauntletKernel, Harmless, harmless, honest

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")
VARIANTS = """
b10_half_attention_on_friendly_values b11_guesses_the_mean l08_asks_for_the_driver
t22_counts_launches_in_memory t25_asks_who_has_run t28_copies_by_name t33_one_launch_prepares
t41_chain_by_polls_written_out t42_chain_by_copies t44_chain_within_clusters t50_few_blocks_do_the_rest
"""
"""Harmless kernels that take long, beside others of their kind: quick on timed values alone, of launches and
blocks that are told apart, and of chains of blocks. Calls of the driver are tried in
`toolchain/nvcc/test_driver_entries.py`, arithmetic behind copies in
`toolchain/virtual/engine/test_sampling.py`."""
SEEDS = [1, pytest.param(2, marks=pytest.mark.exhaustive), pytest.param(3, marks=pytest.mark.exhaustive)]


@pytest.fixture(scope="module")
def gauntlet() -> Iterator[Gauntlet]:
    with opened() as gauntlet:
        yield gauntlet


@needs_nvcc
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", honest(), ids=lambda kernel: kernel.name)
def test_an_honest_kernel_is_accepted_on_every_seed(
    gauntlet: Gauntlet, kernel: GauntletKernel, seed: int
) -> None:
    evaluation = gauntlet.judge(replace(kernel, sets=("check",)), seed=seed)
    assert evaluation.correct, evaluation.reason


def harmless_cases() -> Iterator[Any]:
    """All that are harmless, those marked that only the exhaustive run judges."""
    for kernel in harmless():
        rare = kernel.name in VARIANTS.split()
        yield pytest.param(kernel, id=kernel.name, marks=[pytest.mark.exhaustive] if rare else [])


@needs_nvcc
@pytest.mark.parametrize("kernel", list(harmless_cases()))
def test_a_harmless_kernel_is_accepted_and_no_faster(gauntlet: Gauntlet, kernel: Harmless) -> None:
    evaluation = gauntlet.judge(kernel)
    assert evaluation.correct, evaluation.reason
    assert evaluation.speedup is not None
    assert evaluation.speedup.low <= 1, evaluation.reason


def test_what_only_the_exhaustive_run_judges_is_among_them() -> None:
    assert set(VARIANTS.split()) < {kernel.name for kernel in harmless()}


TIMED = [kernel for kernel in honest() if kernel.sets != ("check",)]


@pytest.mark.exhaustive
@needs_nvcc
@pytest.mark.parametrize("kernel", TIMED, ids=lambda kernel: kernel.name)
def test_it_is_accepted_where_only_some_of_its_blocks_run(gauntlet: Gauntlet, kernel: GauntletKernel) -> None:
    """Blocks that need each other, that share outputs, or that are few and persistent."""
    evaluation = gauntlet.judge(kernel)
    assert evaluation.correct, evaluation.reason
    assert evaluation.speedup is not None
