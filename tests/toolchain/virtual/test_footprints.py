"""Footprints: one array of all blocks' sectors, cut where it is looked at."""

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.footprints import FEW, Footprints, lent
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.runtime import declare

SECTORS = np.array([7, 8, 1, 2, 3, 9], np.uint64)


def footprints() -> Footprints:
    """Of three blocks that ended in another order than they are asked for."""
    return Footprints(SECTORS, np.array([2, 0, 5]), np.array([3, 2, 1]))


def test_each_block_has_its_own_sectors() -> None:
    assert [found.tolist() for found in footprints()] == [[1, 2, 3], [7, 8], [9]]
    assert footprints()[-1].tolist() == [9]


def test_there_are_no_more_than_blocks() -> None:
    assert len(footprints()) == 3
    with pytest.raises(IndexError):
        footprints()[3]


def test_some_of_the_blocks_are_cut_out() -> None:
    assert [found.tolist() for found in footprints()[1:]] == [[7, 8], [9]]


class Lender:
    """Counts what comes back."""

    def __init__(self) -> None:
        self.back: list[int] = []

    def vg_give_back_footprints(self, address: int) -> None:
        self.back.append(address)


@pytest.mark.parametrize("count", [FEW, FEW + 1])
def test_lent_sectors_go_back_when_nobody_has_them_any_more(count: int) -> None:
    library, memory = Lender(), np.arange(count, dtype=np.uint64)
    found = lent(library, memory.ctypes.data, count)  # type: ignore[arg-type]
    part = found[1:3]
    del found
    assert len(library.back) == (count <= FEW)
    assert part.tolist() == [1, 2]
    del part
    assert library.back == [memory.ctypes.data]


def test_nothing_is_lent_where_nothing_was_touched() -> None:
    native = load_native()
    declare(native)
    assert len(lent(native, None, 0)) == 0
