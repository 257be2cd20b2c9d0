import pynvml
import pytest

from cudamaster.toolchain.devices.cuda.clocks import clock_state
from cudamaster.toolchain.devices.cuda.nvml import NvmlGpu, open_nvml
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.timing import ClockState, Slowdown
from tests.doubles.nvidia import Card, FakeNvml

HW = pynvml.nvmlClocksEventReasonHwSlowdown


def seen(card: Card) -> NvmlGpu:
    return open_nvml(FakeNvml([card])).gpu_at(card.bus_id)


def test_one_sample_has_clock_heat_and_what_slows_it() -> None:
    hot = Card(sm_mhz=1200, celsius=91, reasons=pynvml.nvmlClocksEventReasonSwThermalSlowdown)

    assert clock_state(seen(hot)) == ClockState(1200.0, frozenset({Slowdown.HEAT}), 91.0)


@pytest.mark.parametrize(
    ("reasons", "slowdowns"),
    [
        (pynvml.nvmlClocksEventReasonNone, set()),
        (pynvml.nvmlClocksEventReasonGpuIdle, set()),
        (pynvml.nvmlClocksEventReasonApplicationsClocksSetting, set()),
        (pynvml.nvmlClocksEventReasonSwPowerCap, {Slowdown.POWER_CAP}),
        (HW, {Slowdown.HARDWARE}),
        (HW | pynvml.nvmlClocksEventReasonHwThermalSlowdown, {Slowdown.HEAT}),
        (HW | pynvml.nvmlClocksEventReasonHwPowerBrakeSlowdown, {Slowdown.POWER_BRAKE}),
        (
            pynvml.nvmlClocksEventReasonSwPowerCap | pynvml.nvmlClocksEventReasonSwThermalSlowdown,
            {Slowdown.POWER_CAP, Slowdown.HEAT},
        ),
    ],
)
def test_event_reasons_are_slowdowns_where_they_keep_the_clock_down(
    reasons: int, slowdowns: set[Slowdown]
) -> None:
    assert seen(Card(reasons=reasons)).slowdowns() == slowdowns


@pytest.mark.parametrize(
    "refusal",
    [pynvml.NVML_ERROR_NOT_SUPPORTED, pynvml.NVML_ERROR_NO_PERMISSION, pynvml.NVML_ERROR_FUNCTION_NOT_FOUND],
)
def test_reasons_that_nobody_may_know_leave_the_clock(refusal: int) -> None:
    untold = Card(sm_mhz=1700, reasons=pynvml.NVMLError(refusal))
    assert clock_state(seen(untold)) == ClockState(1700.0, frozenset(), 41.0)


def test_reasons_that_a_lost_gpu_does_not_tell_end_the_run() -> None:
    lost = Card(reasons=pynvml.NVMLError(pynvml.NVML_ERROR_GPU_IS_LOST))
    with pytest.raises(EnvironmentLacks, match=r"nvmlDeviceGetCurrentClocksEventReasons\): GPU is lost"):
        seen(lost).slowdowns()


def test_a_gpu_without_a_sensor_has_no_temperature() -> None:
    assert seen(Card(celsius=None)).temperature_celsius() is None


def test_a_gpu_without_mig_is_not_sliced() -> None:
    assert [seen(Card(mig=mode)).is_sliced() for mode in (None, (0, 1), (1, 1))] == [False, False, True]


def test_clocks_are_in_hertz_and_processes_may_hide_their_memory() -> None:
    gpu = seen(Card(processes=[(7, None), (8, 1 << 20)]))

    assert (gpu.highest_sm_hz, gpu.highest_memory_hz, gpu.sm_mhz()) == (1.98e9, 3.201e9, 1755.0)
    assert gpu.processes() == ((7, None), (8, 1 << 20))


def test_processes_that_nobody_may_know_are_none() -> None:
    assert seen(Card(processes=None)).processes() == ()


def test_a_gpu_that_is_lost_ends_the_run_with_a_sentence() -> None:
    with pytest.raises(EnvironmentLacks, match=r"does not answer \(nvmlDeviceGetClockInfo\): GPU is lost"):
        clock_state(seen(Card(lost=True)))


def test_nvml_that_does_not_answer_is_told_with_advice() -> None:
    broken = FakeNvml([], starts=pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND))

    with pytest.raises(EnvironmentLacks, match=r"NVML Shared Library Not Found; .*libnvidia-ml\.so\.1"):
        open_nvml(broken)
