"""Every operator's baselines are built by nvcc and pass all check workloads on the virtual GPU.

Those in BF16 of one operator of each category in every run, of all in the exhaustive one.
"""

import itertools
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cudamaster.toolchain.catalog import open_device
from cudamaster.toolchain.device import Device
from mskernelbench.catalog import load_operator, operator_names
from mskernelbench.operator import BaselineKind, Operator, Precision
from mskernelbench.referee import Referee

pytestmark = pytest.mark.skipif(shutil.which("nvcc") is None, reason="no nvcc on the path")


@pytest.fixture(scope="module")
def device() -> Iterator[Device]:
    opened = open_device("virtual:h200")
    yield opened
    opened.close()


BF16_IN_EVERY_RUN = {"softmax", "stencil_2d", "matrix_mul", "spmv_csr"}


def cases(wanted: Callable[[Operator, Precision], bool]) -> list[Any]:
    """Operators and precisions, those marked that only the exhaustive run judges."""
    found = []
    for name, precision in itertools.product(operator_names(), Precision):
        if wanted(load_operator(name), precision):
            rare = precision is Precision.BF16 and name not in BF16_IN_EVERY_RUN
            found.append(pytest.param(name, precision, marks=[pytest.mark.exhaustive] if rare else []))
    return found


@pytest.mark.parametrize(("name", "precision"), cases(lambda operator, precision: True))
def test_the_baseline_passes_every_check(device: Device, name: str, precision: Precision) -> None:
    referee = Referee(device, load_operator(name), precision, sets=("check",))
    evaluation = referee.baseline().evaluation
    assert evaluation.correct, evaluation.reason
    assert len(evaluation.workloads) == len(referee.workloads("check"))


@pytest.mark.parametrize(
    ("name", "precision"),
    cases(lambda operator, precision: operator.has_baseline(precision, BaselineKind.PUBLISHED)),
)
def test_a_published_baseline_passes_every_check_too(device: Device, name: str, precision: Precision) -> None:
    operator = load_operator(name)
    referee = Referee(device, operator, precision, sets=("check",))
    evaluation = referee.evaluate(operator.baseline(precision, BaselineKind.PUBLISHED))
    assert evaluation.correct, evaluation.reason


TOO_COSTLY = {"q_len", "nnz"}
"""Sizes whose smallest timed value costs seconds to check, beside others that choose a kernel's path."""


@pytest.mark.parametrize("name", operator_names())
def test_check_sizes_reach_beyond_the_smallest_timed_ones(name: str) -> None:
    """No kernel can tell the check set by one size alone."""
    operator = load_operator(name)
    smallest = min(operator.in_set("paper"), key=lambda workload: operator.weight(workload.shape))
    for size, value in smallest.shape.items():
        if size not in TOO_COSTLY:
            assert max(w.shape.get(size, 0) for w in operator.in_set("check")) >= value, size
