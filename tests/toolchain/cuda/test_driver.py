import ctypes
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cuda.bindings import driver as real

from cudamaster.toolchain.devices.cuda.context import Context
from cudamaster.toolchain.devices.cuda.driver import CudaDriver, initialised, load_driver
from cudamaster.toolchain.errors import DriverFailed, EnvironmentLacks
from tests.doubles.nvidia import Card, FakeBinding

NAMES = ("nvidiactl", "nvidia-uvm", "nvidia0")


def has_driver() -> bool:
    with suppress(OSError):
        return bool(ctypes.CDLL("libcuda.so.1"))
    return False


def device_folder(folder: Path, *lacking: str) -> Path:
    for name in NAMES:
        if name not in lacking:
            (folder / name).touch()
    return folder


def refusal(code: Any, folder: Path) -> str:
    with pytest.raises(EnvironmentLacks) as caught:
        initialised(FakeBinding([], starts=code), folder)
    return str(caught.value)


def test_a_call_gives_what_the_function_gives_besides_its_code() -> None:
    driver = CudaDriver(FakeBinding([Card()]))

    assert driver.call("cuInit", 0) is None
    assert driver.call("cuDeviceGetCount") == 1


def test_a_failing_call_is_told_by_its_names() -> None:
    with pytest.raises(DriverFailed, match=r"cuDeviceGet failed: CUDA_ERROR_INVALID_DEVICE \(101\)"):
        CudaDriver(FakeBinding([])).call("cuDeviceGet", 0)


@pytest.mark.skipif(has_driver(), reason="a driver is here")
def test_a_machine_without_a_driver_is_told_how_to_get_one() -> None:
    with pytest.raises(EnvironmentLacks, match=r"libcuda\.so\.1 cannot be loaded; install .*--gpus all"):
        load_driver()


def test_a_missing_device_file_is_named(tmp_path: Path) -> None:
    said = refusal(real.CUresult.CUDA_ERROR_NO_DEVICE, device_folder(tmp_path, "nvidia-uvm"))

    assert said.startswith("NVIDIA's driver does not start (CUDA_ERROR_NO_DEVICE): there is no ")
    assert f"{tmp_path}/nvidia-uvm" in said
    assert "nvidia-modprobe" in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may open every file")
def test_a_device_file_without_permission_is_named_with_its_group(tmp_path: Path) -> None:
    (device_folder(tmp_path) / "nvidia0").chmod(0)

    said = refusal(real.CUresult.CUDA_ERROR_OPERATING_SYSTEM, tmp_path)

    assert f"no permission to open {tmp_path}/nvidia0: join the group" in said


def test_gpus_that_are_hidden_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")

    said = refusal(real.CUresult.CUDA_ERROR_NO_DEVICE, device_folder(tmp_path))

    assert "CUDA_VISIBLE_DEVICES='' hides every GPU" in said


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        (real.CUresult.CUDA_ERROR_SYSTEM_NOT_READY, "nvidia-fabricmanager"),
        (real.CUresult.CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "restart the machine"),
        (real.CUresult.CUDA_ERROR_STUB_LIBRARY, "stubs"),
        (real.CUresult.CUDA_ERROR_OPERATING_SYSTEM, "seccomp or Landlock"),
        (real.CUresult.CUDA_ERROR_UNKNOWN, r"(CUDA_ERROR_UNKNOWN)"),
    ],
)
def test_an_error_of_the_driver_has_its_name_and_advice(code: Any, advice: str, tmp_path: Path) -> None:
    assert advice in refusal(code, device_folder(tmp_path))


def test_a_gpu_that_gives_no_context_is_told_with_advice() -> None:
    class Taken:
        CUresult = real.CUresult

        def cuDevicePrimaryCtxRetain(self, gpu: Any) -> tuple[Any, None]:  # noqa: N802
            return real.CUresult.CUDA_ERROR_DEVICE_UNAVAILABLE, None

    with pytest.raises(EnvironmentLacks, match=r"UNAVAILABLE\): another process has the GPU to itself"):
        Context(CudaDriver(Taken()), 0)
