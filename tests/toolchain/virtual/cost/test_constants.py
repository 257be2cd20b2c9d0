"""Loads of constant memory: lanes with different addresses are answered one after another."""

import pytest

from cudamaster.toolchain.devices.virtual.cost.l2_contents import L2Contents
from cudamaster.toolchain.devices.virtual.cost.model import ModelledLaunch, model_launch
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from tests.doubles.known_kernels import resources
from tests.doubles.sampled_launch import Touch, kernel_of, sampled

GPU = load_gpu("h200")


def modelled(addresses: float) -> ModelledLaunch:
    kernel = kernel_of("ld.const.f32 %f1, [%r1]; add.f32 %f2, %f1, %f1; ret;")
    launch = sampled(kernel, grid=(1320, 1, 1), block=(256, 1, 1), touches=[Touch(addresses)])
    return model_launch(launch, resources(), GPU, L2Contents(0.0))


def test_one_address_costs_next_to_nothing_and_each_further_one_a_turn() -> None:
    assert modelled(1).demand.total("lsu") == 0
    assert modelled(32).demand.total("lsu") == pytest.approx(31 * 10 * 8)


def test_a_warp_waits_for_its_last_address() -> None:
    assert modelled(32).latency.warp_cycles == pytest.approx(modelled(1).latency.warp_cycles + 31)


def test_constant_memory_sends_nothing_to_l2() -> None:
    assert modelled(32).traffic.l2_bytes == 0
