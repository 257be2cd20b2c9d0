import pytest

from cudamaster.toolchain.build import KernelResources
from cudamaster.toolchain.devices.virtual.cost.occupancy import Occupancy, occupancy
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.specs import load_gpu


def fits(threads: int, registers: int, shared: int, gpu: str = "h100", blocks: int = 100_000) -> Occupancy:
    request = LaunchRequest("k", (blocks, 1, 1), (threads, 1, 1), 0, b"")
    return occupancy(request, KernelResources("k", registers, shared, 0, 0, 0), load_gpu(gpu).device)


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks", "limiter"),
    [
        (256, 32, 0, 8, "warps"),
        (256, 64, 0, 4, "registers"),
        (256, 65, 0, 3, "registers"),
        (1024, 64, 0, 1, "registers"),
        (32, 32, 0, 32, "blocks"),
        (128, 32, 48 * 1024, 4, "shared memory"),
    ],
)
def test_nvidias_occupancy_rules_on_compute_capability_9(
    threads: int, registers: int, shared: int, blocks: int, limiter: str
) -> None:
    found = fits(threads, registers, shared)
    assert (found.blocks_per_sm, found.limiter) == (blocks, limiter)


def test_occupancy_is_warps_that_fit_over_the_limit() -> None:
    assert fits(256, 64, 0).theoretical == 0.5


def test_a_grid_that_does_not_fill_the_card_is_the_limit() -> None:
    found = fits(256, 32, 0, blocks=100)
    assert found.limiter == "grid"
    assert found.resident_blocks == 1
    assert found.resident_on_gpu == 100


def test_the_busiest_sm_runs_a_block_more() -> None:
    found = fits(256, 32, 0, blocks=133)
    assert found.busiest_blocks == 2


def test_one_block_always_runs() -> None:
    assert fits(1024, 255, 0).blocks_per_sm == 1
