"""Honest kernels of every kind that a strict referee might refuse are accepted, on inputs of three seeds."""

import shutil
from collections.abc import Iterator

import pytest

from tests.gauntlet.judging import Gauntlet, opened
from tests.gauntlet.kernels import GauntletKernel, honest

SEEDS = (1, 2, 3)


@pytest.fixture(scope="module")
def gauntlet() -> Iterator[Gauntlet]:
    with opened() as gauntlet:
        yield gauntlet


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")
@pytest.mark.parametrize("kernel", honest(), ids=lambda kernel: kernel.name)
def test_an_honest_kernel_is_accepted_on_three_seeds(gauntlet: Gauntlet, kernel: GauntletKernel) -> None:
    for seed in SEEDS:
        evaluation = gauntlet.judge(kernel, seed=seed)
        assert evaluation.correct, evaluation.reason
