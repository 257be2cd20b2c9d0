import pytest

from cudamaster.toolchain.devices.virtual.cost.work import Pipe
from cudamaster.toolchain.devices.virtual.specs import gpu_names, load_gpu
from cudamaster.toolchain.errors import UnknownDevice


def test_the_folder_is_the_registry() -> None:
    assert {"h200", "h100", "a100", "rtx4090", "a6000", "t4"} <= set(gpu_names())


def test_an_unknown_gpu_is_refused_with_those_that_exist() -> None:
    with pytest.raises(UnknownDevice, match="h200"):
        load_gpu("voodoo2")


@pytest.mark.parametrize("name", gpu_names())
def test_the_fp32_peak_follows_from_lanes_and_clock(name: str) -> None:
    gpu = load_gpu(name)
    lanes = gpu.model.per_clk["fma"] * 32
    assert gpu.device.fp32_flops == pytest.approx(
        2 * lanes * gpu.device.sm_count * gpu.device.clock_hz, rel=0.02
    )


@pytest.mark.parametrize("name", gpu_names())
def test_the_fp64_peak_follows_from_lanes_and_clock(name: str) -> None:
    gpu = load_gpu(name)
    lanes = gpu.model.per_clk["fp64"] * 32
    assert gpu.device.fp64_flops == pytest.approx(
        2 * lanes * gpu.device.sm_count * gpu.device.clock_hz, rel=0.02
    )


@pytest.mark.parametrize("name", gpu_names())
def test_every_pipe_has_a_rate_and_memory_gets_slower_outwards(name: str) -> None:
    model = load_gpu(name).model
    assert {pipe.value for pipe in Pipe} - {"tensor"} | {"issue"} == model.per_clk.keys()
    assert model.latency["shared"] < model.latency["l1"] < model.latency["l2"] < model.latency["dram"]


@pytest.mark.parametrize("name", gpu_names())
def test_no_gpu_is_calibrated_yet(name: str) -> None:
    assert load_gpu(name).model.calibration == 1.0
