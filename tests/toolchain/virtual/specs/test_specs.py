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


BUSES = {
    "h200": (6144, 6.25), "h100": (5120, 5.23), "a100": (5120, 3.186), "rtx4090": (384, 21.0),
    "a6000": (384, 16.0), "t4": (256, 10.0),
}  # fmt: skip
"""Width of the memory bus in bits, and Gbit/s a pin (data sheets)."""


@pytest.mark.parametrize("name", gpu_names())
def test_the_dram_peak_follows_from_bus_and_pin_rate(name: str) -> None:
    bits, rate = BUSES[name]
    assert load_gpu(name).device.dram_bytes_per_s == pytest.approx(bits / 8 * rate * 1e9, rel=0.01)


@pytest.mark.parametrize("name", gpu_names())
def test_a_block_gets_all_shared_memory_but_what_the_system_keeps(name: str) -> None:
    device = load_gpu(name).device
    kept = 1024 if device.architecture >= "sm_80" else 0
    assert device.shared_bytes_per_block == device.shared_bytes_per_sm - kept
    assert device.shared_bytes_per_sm < load_gpu(name).model.l1_bytes


@pytest.mark.parametrize("name", gpu_names())
def test_data_centre_sms_have_twice_the_load_store_lanes_of_the_others(name: str) -> None:
    lanes = 32 * load_gpu(name).model.per_clk["lsu"]
    assert lanes == (32 if name in ("h200", "h100", "a100") else 16)


@pytest.mark.parametrize("name", gpu_names())
def test_dense_tensor_peaks_halve_from_bf16_to_tf32(name: str) -> None:
    device = load_gpu(name).device
    if name != "t4":  # has neither type: other peaks stand in
        assert device.tf32_tensor_flops == pytest.approx(device.bf16_tensor_flops / 2, rel=0.01)
