"""Mutants are judged one by one: who is ended meanwhile goes on where it was."""

from itertools import islice

import pytest

from benchmarks.mutation.__main__ import MOST, Row, judge, named
from benchmarks.mutation.honest import Honest, honest_kernels
from benchmarks.mutation.mutators import mutants
from mskernelbench.referee import Referee
from tests.doubles.scripted_device import Script, ScriptedDevice, honest


@pytest.fixture
def kernel() -> Honest:
    return next(kernel for kernel in honest_kernels() if kernel.operator.name == "relu")


def referee(kernel: Honest) -> Referee:
    """Its device knows the honest kernel alone; no mutant can be built."""
    device = ScriptedDevice({kernel.source: Script(honest(kernel.operator))})
    return Referee(device, kernel.operator, kernel.precision)


def places(kernel: Honest) -> list[Row]:
    return [named(m) for m in mutants(kernel.source, kernel.precision, kernel.sizes, MOST)]


def test_rows_are_told_after_each_verdict(kernel: Honest) -> None:
    told = [len(rows) for rows in judge(referee(kernel), kernel, [], jobs=1)]
    assert told == list(range(1, len(places(kernel)) + 1))


def test_what_is_kept_is_not_judged_again(kernel: Honest) -> None:
    *_, (first, second, *_) = islice(judge(referee(kernel), kernel, [], jobs=1), 4)
    kept = [first, second | {"status": "kept"}]

    *_, rows = judge(referee(kernel), kernel, kept, jobs=1)

    assert [{name: row[name] for name in place} for row, place in zip(rows, places(kernel), strict=True)] == (
        places(kernel)
    )
    assert [row["status"] for row in rows[:4]] == ["build_failed", "kept", "build_failed", "build_failed"]


def test_of_a_whole_kernel_nothing_is_judged(kernel: Honest) -> None:
    *_, rows = judge(referee(kernel), kernel, [], jobs=1)
    assert list(judge(referee(kernel), kernel, rows, jobs=1)) == []


def test_a_kept_row_of_another_mutant_is_dropped(kernel: Honest) -> None:
    *_, (old, *_) = islice(judge(referee(kernel), kernel, [], jobs=1), 1)
    *_, rows = judge(referee(kernel), kernel, [old | {"line": 999}], jobs=1)
    assert len(rows) == len(places(kernel))


def test_a_kernel_that_is_not_honest_gets_no_mutants(kernel: Honest) -> None:
    broken = Referee(ScriptedDevice({}), kernel.operator, kernel.precision)
    with pytest.raises(AssertionError, match="is not honest"):
        next(judge(broken, kernel, [], jobs=1))
