"""Barriers in shared memory, and copies that complete on them."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.toolchain.virtual.isa.conftest import Runner

RNG = np.random.default_rng(8)


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(Path(__file__).parent / "barriers.cu")


def test_phases_end_when_all_have_arrived(runner: Runner, ptx: str) -> None:
    found = np.zeros(96, np.int32)
    assert runner.launch(ptx, "phases", [found], 96) is None
    expected = np.arange(96)
    for _ in range(4):
        expected = expected + np.roll(expected, 1)
    assert (found == expected).all()


def test_a_dropped_arrival_is_not_expected_again(runner: Runner, ptx: str) -> None:
    found = np.full(64, 7, np.int32)
    assert runner.launch(ptx, "drop", [found], 64) is None
    assert (found[:32] == 0).all()
    assert (found[32:] == 1).all()


def test_who_drops_out_may_announce_bytes(runner: Runner, ptx: str) -> None:
    found = np.full(96, 7, np.int32)
    assert runner.launch(ptx, "drop_with_bytes", [found], 64) is None
    assert found.tolist() == [0] * 32 + [1] * 64


@pytest.mark.parametrize("waits", [True, False])
def test_announced_copies_land_for_those_who_wait(runner: Runner, ptx: str, waits: bool) -> None:
    given, found = RNG.standard_normal(64).astype(np.float32), np.zeros(64, np.float32)
    assert runner.launch(ptx, "announced", [given, found, np.int32(waits)], 64) is None
    assert (found == given[::-1]).all() if waits else np.isnan(found).all()


def test_rows_go_in_and_out(runner: Runner, ptx: str) -> None:
    given, found = RNG.standard_normal(512).astype(np.float32), np.zeros(512, np.float32)
    assert runner.launch(ptx, "rows", [given, found, np.int32(1024)], 64, grid=2) is None
    assert (found == 2 * given).all()


@pytest.mark.parametrize(("bytes_", "kind"), [(2064, "out_of_bounds"), (1000, "illegal")])
def test_a_row_that_does_not_fit_is_a_fault(runner: Runner, ptx: str, bytes_: int, kind: str) -> None:
    given, found = np.zeros(512, np.float32), np.zeros(512, np.float32)
    fault = runner.launch(ptx, "rows", [given, found, np.int32(bytes_)], 64)
    assert fault is not None
    assert fault.kind == kind
