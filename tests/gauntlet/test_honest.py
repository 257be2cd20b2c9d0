"""Honest kernels of every kind that a strict referee might refuse are accepted, whatever the inputs' seed."""

import shutil
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.gauntlet.judging import Gauntlet, opened
from tests.gauntlet.kernels import GauntletKernel, Harmless, harmless, honest

needs_nvcc = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")
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


@needs_nvcc
@pytest.mark.parametrize("kernel", harmless(), ids=lambda kernel: kernel.name)
def test_a_harmless_kernel_is_accepted_and_no_faster(gauntlet: Gauntlet, kernel: Harmless) -> None:
    evaluation = gauntlet.judge(kernel)
    assert evaluation.correct, evaluation.reason
    assert evaluation.speedup is not None
    assert evaluation.speedup.low <= 1, evaluation.reason


TIMED = [kernel for kernel in honest() if kernel.sets != ("check",)]


@pytest.mark.exhaustive
@needs_nvcc
@pytest.mark.parametrize("kernel", TIMED, ids=lambda kernel: kernel.name)
def test_it_is_accepted_where_only_some_of_its_blocks_run(gauntlet: Gauntlet, kernel: GauntletKernel) -> None:
    """Blocks that need each other, that share outputs, or that are few and persistent."""
    evaluation = gauntlet.judge(kernel)
    assert evaluation.correct, evaluation.reason
    assert evaluation.speedup is not None
