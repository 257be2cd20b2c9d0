"""Functions that kernels call: recursion, function tables of classes, `alloca`, `new`, `printf`."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.toolchain.virtual.isa.conftest import Runner

SOURCE = Path(__file__).with_name("device_functions.cu")


@pytest.fixture(scope="module")
def ptx(nvcc: Callable[..., str]) -> str:
    return nvcc(SOURCE)


def fibonacci(n: int) -> int:
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def test_lanes_recurse_each_to_its_own_depth(runner: Runner, ptx: str) -> None:
    y = np.zeros(64, np.int32)
    assert runner.launch(ptx, "_Z8recursesPi", [y], 64) is None
    assert y.tolist() == [2 * fibonacci(i % 11) + (i % 2 == 0) + 2 for i in range(64)]


def sorts(data: list[int], low: int, high: int, weight: float) -> float:
    if low >= high:
        return weight
    place = low
    for k in range(low, high):
        if data[k] < data[high]:
            data[k], data[place] = data[place], data[k]
            place += 1
    data[high], data[place] = data[place], data[high]
    left = sorts(data, low, place - 1, weight / 2)
    right = sorts(data, place + 1, high, weight / 2)
    return left + right + (low, high)[place & 1] * 1024.0 + place


def test_each_call_has_its_own_variables_and_arguments(runner: Runner, ptx: str) -> None:
    rows = np.random.default_rng(1).integers(0, 99, (48, 13), np.int32)
    sorted_rows, y = rows.copy(), np.zeros(48)
    assert runner.launch(ptx, "_Z10sorts_rowsPiPdi", [sorted_rows, y, np.int32(13)], 24, grid=2) is None
    assert np.array_equal(sorted_rows, np.sort(rows, 1))
    assert y.tolist() == [sorts(row, 0, 12, 1.0) for row in rows.tolist()]


def test_virtual_functions_may_call_each_other(runner: Runner, ptx: str) -> None:
    y = np.zeros(96, np.int32)
    assert runner.launch(ptx, "_Z9evaluatesPii", [y, np.int32(5)], 96) is None

    def first(x: int) -> int:
        return 5 * x + 3 * (x + 1)

    def choice(x: int) -> int:
        return first(x // 2) if x % 2 else first(x // 2) + 7 * (x // 2 + 1)

    wanted = [choice(i) + (5 * (i + 1) if i % 3 else choice(i + 1)) for i in range(96)]
    assert y.tolist() == wanted


def branches(level: int, x: int) -> int:
    if level == 0:
        return x
    if x % 7 == level % 7:
        return branches(level - 1, x + 1) ^ level
    return 3 * branches(level - 1, x) + branches(level - 1, x // 2)


def test_many_calls_do_not_make_the_code_grow_without_bound(runner: Runner, ptx: str) -> None:
    y = np.zeros(32, np.int32)
    assert runner.launch(ptx, "_Z25calls_twice_at_each_levelPi", [y], 32) is None
    assert y.tolist() == [(branches(11, i) + 2**31) % 2**32 - 2**31 for i in range(32)]


def test_memory_from_alloca_is_each_lanes_own(runner: Runner, ptx: str) -> None:
    y = np.zeros(64, np.int32)
    assert runner.launch(ptx, "_Z22allocates_on_the_stackPii", [y, np.int32(9)], 64) is None
    counts = [[(i + r) % 9 + 1 for r in range(50)] for i in range(64)]
    assert y.tolist() == [i * sum(c * (c - 1) // 2 for c in counts[i]) for i in range(64)]


def test_long_division_reads_the_carry_of_subtractions(runner: Runner, ptx: str) -> None:
    chance = random.Random(3)
    numbers = [(chance.getrandbits(128), chance.getrandbits(chance.randint(1, 127)) | 1) for _ in range(64)]
    x = np.frombuffer(b"".join(n.to_bytes(16, "little") for pair in numbers for n in pair), np.uint64).copy()
    y = np.zeros_like(x)
    assert runner.launch(ptx, "_Z7dividesPoPKo", [y, x], 64) is None
    wanted = b"".join(n.to_bytes(16, "little") for a, b in numbers for n in divmod(a, b))
    assert y.tobytes() == wanted


def test_new_gives_memory_and_malloc_refuses_what_the_heap_lacks(runner: Runner, ptx: str) -> None:
    y = np.zeros(64, np.int32)
    runner.engine(ptx)
    before = runner.native.vg_live_bytes()
    assert runner.launch(ptx, "_Z5linksPi", [y], 64) is None
    wanted = []
    for i in range(64):
        total = 0
        for k in reversed(range(i % 5 + 1)):
            total = 3 * total + k + i
        wanted.append(total)
    assert y.tolist() == wanted
    assert runner.native.vg_live_bytes() == before


def test_blocks_on_several_processors_share_the_heap(runner: Runner, ptx: str) -> None:
    y = np.full(64, -1, np.int32)
    assert runner.launch(ptx, "_Z5linksPi", [y], 64, grid=128, threads=2) is None
    assert (y >= 0).all()


PRINTED = (
    "-1|   42|42   |00042|4000000000|ff|FF|10|-5000000000|18446744073709551615|z|%\n"
    "0.750000|0.750|  1.23e+04|0.5|    3.14|text|     right|cu|-7|9\n"
    "count 11\n"
)


def test_printf_formats_as_c_does(runner: Runner, ptx: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert runner.launch(ptx, "_Z6printsfPKc", [np.float32(0.75), np.uint64(0)], 2) is None
    lines = capfd.readouterr().out
    assert sorted(lines.splitlines()) == sorted((2 * PRINTED + "no arguments\n").splitlines())


def test_recursion_without_end_is_a_fault_of_its_kernel(runner: Runner, ptx: str) -> None:
    fault = runner.launch(ptx, "_Z13never_returnsPi", [np.zeros(64, np.int32)], 64)
    assert fault is not None
    assert (fault.kind, fault.kernel, fault.thread) == ("stack_overflow", "never_returns", (37, 0, 0))


def test_alloca_of_more_than_the_stack_is_a_fault(runner: Runner, ptx: str) -> None:
    fault = runner.launch(ptx, "_Z14takes_too_muchPii", [np.zeros(32, np.int32), np.int32(1 << 20)], 32)
    assert fault is not None
    assert (fault.kind, fault.kernel) == ("stack_overflow", "takes_too_much")
