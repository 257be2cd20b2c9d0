import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.cost.lowering import lower
from cudamaster.toolchain.devices.virtual.cost.regions import form_regions
from cudamaster.toolchain.devices.virtual.cost.scoreboard import RegionTime, region_times
from cudamaster.toolchain.devices.virtual.ptx.nouns import Instruction
from tests.doubles.sampled_launch import kernel_of

LATENCIES = {"ld": 400.0, "cp": 400.0, "bar": 20.0, "fma": 4.0}


def latency(instruction: Instruction) -> float:
    return LATENCIES.get(instruction.base, 0.0)


def times(body: str, executions: list[int]) -> list[RegionTime]:
    kernel = kernel_of(body)
    counts = np.array(executions, dtype=np.int64)
    return list(region_times(kernel, form_regions(kernel, counts), lower(kernel), latency, 0.0))


def test_independent_loads_wait_together() -> None:
    (one,) = times("ld.global.f32 %f1, [%rd1]; fma.rn.f32 %f3, %f1, %f1, %f3; ret;", [1])
    (two,) = times(
        "ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd2]; fma.rn.f32 %f3, %f1, %f2, %f3; ret;", [1]
    )
    assert one.cycles == two.cycles == pytest.approx(401)


def test_dependent_loads_wait_one_after_the_other() -> None:
    (time,) = times(
        "ld.global.u64 %rd1, [%rd1]; ld.global.u64 %rd1, [%rd1]; ld.global.f32 %f1, [%rd1]; ret;", [1]
    )
    assert time.cycles == pytest.approx(801)


def test_a_load_waits_for_a_store_that_may_be_of_its_word() -> None:
    twice = "ld.global.f32 %f1, [%rd1]; st.global.f32 [%rd2], %f1; {} st.global.f32 [%rd2+4], %f2; ret;"
    (unknown,) = times(twice.format("ld.global.f32 %f2, [%rd1+4];"), [1])
    (constant,) = times(twice.format("ld.global.nc.f32 %f2, [%rd1+4];"), [1])
    assert constant.cycles == pytest.approx(401, abs=3)
    assert unknown.cycles == pytest.approx(802, abs=3)


def test_a_load_nobody_reads_costs_an_issue_slot_only() -> None:
    (time,) = times("ld.global.f32 %f1, [%rd1]; ret;", [1])
    assert time.cycles <= 2


def test_loads_are_not_moved_above_a_barrier() -> None:
    first, *_ = times(
        "ld.global.f32 %f1, [%rd1]; st.shared.f32 [%r1], %f1; bar.sync 0;"
        "ld.global.f32 %f2, [%rd2]; st.shared.f32 [%r2], %f2; ret;",
        [1, 1],
    )
    assert first.cycles == pytest.approx(400 + 1 + 20 + 400 + 1)


LOOP = (
    "mov.f32 %f9, %f8; bra L;\nL: {early} bar.sync 0; {work} add.s32 %r1, %r1, 1;"
    "setp.ne.s32 %p1, %r1, %r9; @%p1 bra L;\nret;"
)
WORK = "".join(f"fma.rn.f32 %f{i}, %f{i}, %f50, %f51;" for i in range(10, 40)) * 8


def test_a_loop_that_loads_its_next_tile_early_hides_the_latency() -> None:
    load, store = "ld.global.f32 %f1, [%rd1];", "st.shared.f32 [%r2], %f1;"
    waiting = times(LOOP.format(early=load + store, work=WORK), [1, 100, 100, 1])
    ahead = times(LOOP.format(early=store, work=load + WORK), [1, 100, 100, 1])
    assert waiting[1].cycles > 400 + 240
    assert ahead[1].cycles < waiting[1].cycles - 200


def test_waiting_for_all_but_the_newest_group_of_copies_overlaps_them() -> None:
    copy = "cp.async.ca.shared.global [%r1], [%rd1], 4; cp.async.commit_group;"
    body = "mov.f32 %f9, %f8; bra L;\nL: {} cp.async.wait_group {}; bar.sync 0; {} add.s32 %r3, %r3, 1;"
    body += "setp.ne.s32 %p1, %r3, %r9; @%p1 bra L;\nret;"
    one = times(body.format(copy, 0, WORK), [1, 100, 100, 1])[1].cycles
    two = times(body.format(copy, 1, WORK), [1, 100, 100, 1])[1].cycles
    assert one > 640
    assert two < one - 200


def test_what_was_waited_for_gets_the_blame() -> None:
    kernel = kernel_of("ld.global.f32 %f1, [%rd1]; fma.rn.f32 %f3, %f1, %f1, %f3; ret;")
    regions = form_regions(kernel, np.array([1], dtype=np.int64))
    (time,) = region_times(kernel, regions, lower(kernel), latency, 0.0)
    load = kernel.blocks[0][0]
    assert time.blame[load] > 0.9 * time.cycles
    assert sum(time.blame.values()) == pytest.approx(time.cycles)


def test_a_guarded_load_belongs_to_the_code_around_it() -> None:
    body = (
        "@%p1 bra J;\nld.global.f32 %f1, [%rd1];\nJ: @%p2 bra K;\nld.global.f32 %f2, [%rd2];\n"
        "K: fma.rn.f32 %f3, %f1, %f2, %f3; ret;"
    )
    (time,) = times(body, [10, 10, 10, 10, 10])
    assert time.cycles < 500


def test_a_short_counted_loop_overlaps_the_loads_of_four_rounds() -> None:
    body = (
        "mov.f32 %f9, %f8; bra L;\nL: ld.global.f32 %f1, [%rd1]; fma.rn.f32 %f2, %f1, %f1, %f2;"
        "add.s64 %rd1, %rd1, {};"
        "add.s32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, 64; @%p1 bra L;\nret;"
    )
    assert times(body.format(4), [1, 64, 1])[1].cycles == pytest.approx(100, rel=0.1)
