"""What counts as a copy ahead, and how much of what a launch loads has to come by such copies."""

import pytest

from cudamaster.toolchain.devices.virtual.cost.copying import Executed, copied_ahead, read_meanwhile
from cudamaster.toolchain.devices.virtual.cost.subject import subject_of
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


@pytest.mark.parametrize("copy", [GROUP, BULK])
@pytest.mark.parametrize(("copied", "share"), [(1, 0.0), (12, 0.0), (36, 0.5)])
def test_half_of_what_is_loaded_helps_nothing_and_more_helps_in_part(
    copy: str, copied: float, share: float
) -> None:
    assert ahead(WAIT + copy + READ + LOAD, copied=copied, loaded=12) == pytest.approx(share)


def test_a_copy_that_never_runs_helps_nothing() -> None:
    body = f"setp.eq.s32 %p1, %r9, 0; @%p1 bra L; {BULK} L: {READ} {LOAD}"
    assert ahead(body, copied=400, loaded=4, executions={1: 0}) == 0
    assert ahead(body, copied=400, loaded=4) > 0.9
