import numpy as np

from cudamaster.toolchain.devices.virtual.cost.regions import form_regions
from tests.doubles.sampled_launch import kernel_of


def regions(body: str, executions: list[int]) -> list[tuple[int, ...]]:
    return [r.blocks for r in form_regions(kernel_of(body), np.array(executions, dtype=np.int64))]


def test_blocks_that_always_follow_each_other_are_one_region() -> None:
    assert regions("bar.sync 0; bar.sync 0; ret;", [4, 4, 4]) == [(0, 1, 2)]


def test_a_loop_is_a_region_of_its_own() -> None:
    assert regions("mov.u32 %r1, 0;\nL: add.s32 %r1, %r1, 1; @%p1 bra L;\nret;", [1, 9, 1]) == [
        (0,),
        (1,),
        (2,),
    ]


def test_a_short_guarded_block_joins_its_surroundings() -> None:
    assert regions("@%p1 bra J;\nadd.s32 %r1, %r1, 1;\nJ: ret;", [4, 4, 4]) == [(0, 1, 2)]


def test_a_guarded_block_that_seldom_runs_stays_apart() -> None:
    assert regions("@%p1 bra J;\nadd.s32 %r1, %r1, 1;\nJ: ret;", [4, 1, 4]) == [(0,), (1,), (2,)]


def test_blocks_that_never_ran_are_in_no_region() -> None:
    assert regions("@%p1 bra J;\ntrap;\nJ: ret;", [4, 0, 4]) == [(0,), (2,)]
