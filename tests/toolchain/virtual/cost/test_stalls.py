"""Stall reasons and instruction mix of kernels whose limits are known."""

import pytest

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.l2_contents import L2Contents
from cudamaster.toolchain.devices.virtual.cost.mix import instruction_mix
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch, model_launch
from cudamaster.toolchain.devices.virtual.cost.stalls import stall_shares
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.doubles.known_kernels import copy, naive_product, register_product, resources, tiled_product
from tests.doubles.sampled_launch import kernel_of, sampled


def modelled(
    launch: SampledLaunch, used: KernelResources | None = None, gpu: str = "a6000"
) -> ModelledLaunch:
    return model_launch(launch, used or resources(), load_gpu(gpu), L2Contents(0.0))


def largest(shares: dict[str, float]) -> str:
    return max(shares, key=lambda name: shares[name])


@pytest.mark.parametrize(
    ("launch", "used", "reason"),
    [
        (copy(1 << 26), resources(16), "long_scoreboard"),
        (naive_product(4096, coalesced=False), resources(32), "lg_throttle"),
        (register_product(4096), resources(120, 8192), "math_pipe_throttle"),
    ],
)
def test_the_largest_stall_is_that_of_the_binding_resource(
    launch: SampledLaunch, used: KernelResources, reason: str
) -> None:
    shares = dict(stall_shares(modelled(launch, used)))
    assert sum(shares.values()) == pytest.approx(1)
    if reason == "math_pipe_throttle":
        assert largest(shares) in (reason, "not_selected", "short_scoreboard")
    else:
        assert largest(shares) == reason


def test_a_lone_warp_in_a_chain_of_sums_waits_for_results() -> None:
    chain = "add.f32 %f1, %f1, %f2;" * 64
    launch = sampled(kernel_of(f"{chain} ret;"), grid=(1, 1, 1), block=(32, 1, 1))
    assert largest(dict(stall_shares(modelled(launch)))) == "wait"


def test_a_chain_of_special_functions_waits_on_the_short_scoreboard() -> None:
    chain = "ex2.approx.ftz.f32 %f1, %f1;" * 64
    launch = sampled(kernel_of(f"{chain} ret;"), grid=(1, 1, 1), block=(32, 1, 1))
    assert largest(dict(stall_shares(modelled(launch)))) == "short_scoreboard"


def test_the_mix_weighs_instructions_by_how_often_they_run() -> None:
    mix = instruction_mix(modelled(register_product(4096), resources(120, 8192)))
    assert sum(mix.values()) == pytest.approx(1)
    assert next(iter(mix)) == "fp32"
    assert mix["fp32"] > 0.7
    tiled = instruction_mix(modelled(tiled_product(4096), resources(40, 8192)))
    assert tiled["shared"] > mix["shared"]
