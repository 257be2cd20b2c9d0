"""What register spills cost: they are taken to lie evenly in the code that ran."""

from dataclasses import replace

import pytest

from cudamaster.toolchain.devices.virtual.cost.l2_contents import L2Contents
from cudamaster.toolchain.devices.virtual.cost.model import model_launch
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.doubles.known_kernels import resources
from tests.doubles.sampled_launch import kernel_of, sampled

HOT = "fma.rn.f32 %f1, %f2, %f3, %f1;" * 100
SKIPPED = "setp.eq.s32 %p1, %r1, 0; @%p1 bra L; " + "add.f32 %f5, %f5, %f6;" * 900 + " L: "


def spilled_accesses(body: str, *, bytes_spilled: int = 200, skipped: float = 1.0) -> float:
    launch = sampled(kernel_of(f"{body} ret;"), grid=(132, 1, 1), block=(256, 1, 1), executions={1: skipped})
    used = replace(resources(), spill_load_bytes=bytes_spilled)
    return model_launch(launch, used, load_gpu("h200"), L2Contents(0.0)).demand.spills["l1_data"]


def test_code_that_never_runs_does_not_thin_them_out() -> None:
    assert spilled_accesses(SKIPPED + HOT, skipped=0.0) == pytest.approx(spilled_accesses(HOT), rel=0.05)


def test_code_that_one_warp_of_eight_goes_through_thins_them_out_by_that_much() -> None:
    few, all_of_them = (spilled_accesses(SKIPPED + HOT, skipped=skipped) for skipped in (1 / 8, 1.0))
    assert few == pytest.approx(spilled_accesses(HOT), rel=0.05)
    assert all_of_them == pytest.approx(few, rel=0.05)


def test_an_instruction_spills_once_at_most() -> None:
    executed = spilled_accesses(HOT, bytes_spilled=4 * 101)
    assert spilled_accesses(HOT, bytes_spilled=40_000) == pytest.approx(executed, rel=0.01)
