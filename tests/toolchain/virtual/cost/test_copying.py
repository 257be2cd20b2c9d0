"""What counts as a copy ahead, and how much of what a launch loads has to come by such copies."""

from dataclasses import replace

import numpy as np
import pytest

from cudamaster.toolchain.devices.virtual.cost.copying import (
    Executed,
    bulk_waits,
    copied_ahead,
    read_meanwhile,
)
from cudamaster.toolchain.devices.virtual.cost.model import model_use
from cudamaster.toolchain.devices.virtual.cost.subject import Subject, subject_of
from cudamaster.toolchain.devices.virtual.cost.traffic import use_of
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.doubles.known_kernels import resources
from tests.doubles.sampled_launch import Touch, code, kernel_of, sampled

COPY = "cp.async.cg.shared.global [%r1], [%rd1], 16;"
COMMIT, WAIT, LAST = "cp.async.commit_group;", "cp.async.wait_group 0;", "cp.async.wait_group 1;"
GROUP = COPY + COMMIT
READ = "ld.shared.f32 %f1, [%r2]; fma.rn.f32 %f2, %f1, %f1, %f2;"
LOAD = "ld.global.f32 %f3, [%rd2];"
BULK = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], 4096, [%r3];"


@pytest.mark.parametrize(
    ("body", "share"),
    [
        (GROUP + WAIT + READ, 0.0),
        (GROUP + WAIT + READ + GROUP + WAIT + READ, 0.0),
        (GROUP + LAST + READ, 1.0),
        (WAIT + GROUP + READ, 1.0),
        (GROUP + READ + WAIT, 1.0),
        (GROUP + READ + WAIT + READ, 0.5),
        (COPY + COMMIT + COMMIT + LAST + READ, 0.0),
        (COPY + COMMIT + COPY + LAST + READ, 1.0),
        (READ, 0.0),
    ],
)
def test_tiles_are_read_meanwhile_where_a_group_that_holds_a_copy_is_under_way(
    body: str, share: float
) -> None:
    assert read_meanwhile([Executed(i, 8) for i in code(f"{body} ret;")]) == share


def test_reads_count_by_how_often_they_run() -> None:
    early, late = code(f"{GROUP} {READ} ret;"), code(f"{WAIT} {READ} ret;")
    steps = [*(Executed(i, 3) for i in early), *(Executed(i, 1) for i in late)]
    assert read_meanwhile(steps) == 0.75


def ahead(body: str, *, copied: float, loaded: float, executions: dict[int, int] | None = None) -> float:
    touches = [Touch(copied), Touch(1), Touch(loaded)]
    launch = sampled(
        kernel_of(f"{body} ret;"), grid=(132, 1, 1), block=(128, 1, 1), touches=touches, executions=executions
    )
    return copied_ahead(subject_of(launch, resources(), load_gpu("h200")))


def test_all_that_is_loaded_is_copied_ahead() -> None:
    assert ahead(WAIT + GROUP + READ, copied=4, loaded=0) == 1


@pytest.mark.parametrize(("copied", "share"), [(1, 0.0), (12, 0.0), (36, 0.5)])
def test_half_of_what_is_loaded_helps_nothing_and_more_helps_in_part(copied: float, share: float) -> None:
    assert ahead(WAIT + GROUP + READ + LOAD, copied=copied, loaded=12) == pytest.approx(share)


def test_a_copy_that_never_runs_helps_nothing() -> None:
    body = f"setp.eq.s32 %p1, %r9, 0; @%p1 bra L; {COPY} L: {READ} {LOAD}"
    assert ahead(body, copied=400, loaded=4, executions={1: 0}) == 0
    assert ahead(body, copied=400, loaded=4) > 0.9


def bulk(between: float, waits: int = 10) -> Subject:
    """A block of four warps that issues 1000 instructions and waits for bulk copies in between, all alike."""
    launch = sampled(
        kernel_of(BULK + "add.f32 %f1, %f1, %f2;" * 248 + "ret;"), grid=(1, 1, 1), block=(128, 1, 1)
    )
    (copy,) = launch.sites
    counts = np.array([[40, 1280, 5120, 5120, 1280], [40, 1280, 160, waits, 40 * between]], np.int64)
    two_sides = replace(launch, sites=(copy, replace(copy, space="shared")), site_counts=counts)
    return subject_of(two_sides, resources(), load_gpu("h200"))


@pytest.mark.parametrize(("between", "early"), [(0, 0.0), (50, 0.5), (100, 1.0), (300, 1.0)])
def test_a_bulk_copy_is_early_as_far_as_there_is_work_beside_it(between: float, early: float) -> None:
    (wait,) = bulk_waits(bulk(between)).values()
    assert wait == (10, pytest.approx(early))
    assert copied_ahead(bulk(between)) == pytest.approx(max(0.0, 2 * early - 1))


def test_a_block_waits_for_a_bulk_copy_that_it_has_nothing_to_do_beside() -> None:
    idle, busy = (model_use(use_of(bulk(between)), (0.0, 0.0)).latency.warp_cycles for between in (0, 100))
    assert idle - busy > 9 * load_gpu("h200").model.latency["l2"]
