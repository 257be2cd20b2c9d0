"""Cooperative groups, compiled for an old and a new architecture, against plain Python."""

from collections.abc import Callable
from functools import reduce
from operator import xor
from pathlib import Path

import numpy as np
import pytest

from tests.toolchain.virtual.isa.conftest import Runner

SOURCE = Path(__file__).with_name("cooperative.cu")
THREADS = 64
NUMBERS = [i * 37 % 101 for i in range(256)]


@pytest.fixture(scope="module", params=["75", "90a"])
def ptx(nvcc: Callable[..., str], request: pytest.FixtureRequest) -> str:
    return nvcc(SOURCE, request.param)


def as_int32(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def bits(flags: list[bool]) -> int:
    return sum(flag << i for i, flag in enumerate(flags))


def tile(size: int, thread: int) -> int:
    first, v = thread // size * size, NUMBERS[thread]
    group, rank = NUMBERS[first : first + size], thread % size
    result = (sum(group) + min(group)) ^ reduce(xor, group)
    result += sum(group[: rank + 1]) + sum(group[:rank])
    result += (group[rank + 1] if rank + 1 < size else v) + any(n > 3 for n in group)
    result += bits([n % 2 == 1 for n in group]) + bits([n & 3 == v & 3 for n in group])
    alike = all(n == v for n in group)
    return result + ((1 << size) - 1 if alike else 0) + alike + thread // size


def parts(thread: int) -> int:
    first, v = thread // 32 * 32, NUMBERS[thread]
    warp, result = NUMBERS[first : first + 32], 0
    if v % 2:
        odd = [n for n in warp if n % 2]
        rank = odd.index(v)
        result = sum(odd) + 1000 * rank + len(odd) + sum(odd[:rank]) + odd[0]
        result += odd[max(rank - 1, 0)] + bits([n > 40 for n in odd])
    alike = [n for n in warp if n % 3 == v % 3]
    half = [n for n in warp if (n > 50) == (v > 50)]
    result += max(alike) + alike.index(v) + sum(half) * len(half)
    return result + 2 * sum(warp) + min(warp)


def test_tiles_of_every_size(runner: Runner, ptx: str) -> None:
    y = np.zeros(THREADS, np.int32)
    assert runner.launch(ptx, "tiles", [y], THREADS) is None
    wanted = [as_int32(sum(tile(size, i) for size in (32, 16, 8, 4, 2))) for i in range(THREADS)]
    assert y.tolist() == wanted


def test_groups_by_way_by_label_and_by_predicate(runner: Runner, ptx: str) -> None:
    y = np.zeros(THREADS, np.int32)
    assert runner.launch(ptx, "parts", [y], THREADS) is None
    assert y.tolist() == [as_int32(parts(i)) for i in range(THREADS)]


def test_a_block_copies_and_waits(runner: Runner, ptx: str) -> None:
    x, y = np.arange(THREADS, dtype=np.int32) * 3, np.zeros(THREADS, np.int32)
    assert runner.launch(ptx, "copies", [x, y], THREADS, shared=4 * THREADS) is None
    assert np.array_equal(y, x[::-1])


def test_tiles_of_several_warps(runner: Runner, ptx: str) -> None:
    y = np.zeros(256, np.int32)
    assert runner.launch(ptx, "large_tiles", [y], 256) is None
    first = np.arange(256) // 128 * 128
    scans = np.concatenate([np.cumsum(np.arange(n, n + 128)) for n in (0, 128)])
    wanted = np.where(first, 24512, 8128) + scans + first + 5
    wanted[0] += 7
    assert np.array_equal(y, wanted)


def test_a_group_updates_an_atomic_once(runner: Runner, ptx: str) -> None:
    y, total = np.zeros(THREADS, np.int32), np.zeros(1, np.int32)
    assert runner.launch(ptx, "updates", [y, total], THREADS) is None
    assert (y == sum(range(THREADS))).all()
