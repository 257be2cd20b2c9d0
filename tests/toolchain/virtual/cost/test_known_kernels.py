"""Modelled times of kernels whose counters are known by hand, against what such kernels reach on hardware.

GFLOP/s of FP32 products of 4096 x 4096 on an RTX A6000 as published by S. Boehm, "How to Optimize a CUDA
Matmul Kernel".
"""

import pytest

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.assembly import profile_launches
from cudamaster.toolchain.devices.virtual.launch import SampledLaunch
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.profile import KernelProfile
from tests.doubles.known_kernels import copy, naive_product, register_product, resources, tiled_product

N = 4096
PRODUCTS: list[tuple[SampledLaunch, KernelResources, float]] = [
    (naive_product(N, coalesced=False), resources(32), 309),
    (naive_product(N, coalesced=True), resources(32), 1987),
    (tiled_product(N), resources(40, 8192), 2980),
    (register_product(N), resources(120, 8192), 18237),
]


def modelled(launch: SampledLaunch, used: KernelResources, gpu: str) -> KernelProfile:
    (kernel,) = profile_launches([(launch, 1)], [used], load_gpu(gpu)).kernels
    return kernel


def gflops(launch: SampledLaunch, used: KernelResources, gpu: str) -> float:
    return 2 * N**3 / modelled(launch, used, gpu).time_ms / 1e6


@pytest.mark.parametrize(("launch", "used", "published"), PRODUCTS)
def test_matrix_products_reach_about_their_published_rate(
    launch: SampledLaunch, used: KernelResources, published: float
) -> None:
    assert published / 1.6 < gflops(launch, used, "a6000") < published * 1.6


@pytest.mark.parametrize("gpu", ["h200", "a100", "rtx4090", "t4"])
def test_every_step_of_the_series_is_faster_on_every_card(gpu: str) -> None:
    rates = [gflops(launch, used, gpu) for launch, used, _ in PRODUCTS]
    assert rates == sorted(rates)


@pytest.mark.parametrize("gpu", ["h200", "h100", "a100", "a6000", "rtx4090", "t4"])
def test_a_long_copy_streams_at_most_of_the_dram_peak(gpu: str) -> None:
    elements = 1 << 28
    kernel = modelled(copy(elements), resources(16), gpu)
    share = 8 * elements / kernel.time_ms / 1e-3 / load_gpu(gpu).device.dram_bytes_per_s
    assert 0.84 < share < 0.95
    assert kernel.bound == "memory"


def test_a_tiny_kernel_takes_about_three_microseconds() -> None:
    kernel = modelled(copy(1 << 14), resources(16), "h200")
    assert 2e-3 < kernel.time_ms < 4e-3
    assert kernel.bound == "latency"
    assert "launch overhead" in kernel.bound_by


def test_bounds_are_named_by_their_cause() -> None:
    said = [modelled(launch, used, "a6000").bound_by for launch, used, _ in PRODUCTS]
    assert "L1 tag" in said[0]
    assert "load/store" in said[1]
    assert "issue" in said[3] or "FMA" in said[3]


def test_metrics_show_what_is_wrong_with_an_uncoalesced_load() -> None:
    bad, good = (modelled(launch, used, "h200").metrics for launch, used, _ in PRODUCTS[:2])
    assert bad["global_load_sectors_per_request"] == pytest.approx(16.5)
    assert good["global_load_sectors_per_request"] == pytest.approx(2.5)
    assert good["l1_hit_rate"] > 85
