"""Honest kernels of every kind that a strict referee might refuse are accepted, whatever the inputs' seed."""

import shutil
from collections.abc import Iterator

import pytest

from tests.gauntlet.judging import Gauntlet, opened
from tests.gauntlet.kernels import GauntletKernel, honest

SEEDS = [1, pytest.param(2, marks=pytest.mark.exhaustive), pytest.param(3, marks=pytest.mark.exhaustive)]


@pytest.fixture(scope="module")
def gauntlet() -> Iterator[Gauntlet]:
    with opened() as gauntlet:
        yield gauntlet


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", honest(), ids=lambda kernel: kernel.name)
def test_an_honest_kernel_is_accepted_on_every_seed(
    gauntlet: Gauntlet, kernel: GauntletKernel, seed: int
) -> None:
    evaluation = gauntlet.judge(kernel, seed=seed)
    assert evaluation.correct, evaluation.reason
