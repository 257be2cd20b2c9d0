"""What compute-sanitizer writes becomes faults with kernels and lines of the source."""

from pathlib import Path

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.device import Examining
from cudamaster.toolchain.devices.cuda.profiling_tools import Tool
from cudamaster.toolchain.devices.cuda.sanitizer import NO_SANITIZER, sanitize
from cudamaster.toolchain.devices.cuda.sanitizer_log import read_faults
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Examined, Fault
from tests.doubles.cuda_device import CudaBench, copy_arguments
from tests.doubles.ncu import VERSION, calls, tool

HEAD = "========= COMPUTE-SANITIZER\n"
CLEAN = f"{HEAD}========= ERROR SUMMARY: 0 errors\n"
OUTSIDE = f"""{HEAD}========= Invalid __global__ read of size 4 bytes
=========     at add(const float *, float *, int)+0x80 in /cache/x/kernel.cu:6
=========     by thread (96,0,0) in block (3906,0,0)
=========     Access to 0x79fd33fd0980 is out of bounds
=========     and is 129 bytes after the nearest allocation at 0x79fd33c00000 of size 4,000,000 bytes
=========
========= Invalid __global__ read of size 4 bytes
=========     at add(const float *, float *, int)+0x80 in /cache/x/kernel.cu:6
=========     by thread (97,0,0) in block (3906,0,0)
=========     Access to 0x79fd33fd0984 is out of bounds
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaDeviceSynchronize.
========= ERROR SUMMARY: 3 errors
"""  # noqa: E501
CROOKED = f"""{HEAD}========= Invalid __shared__ write of size 8 bytes
=========     at pack(char *)+0x380 in kernel.cu:61
=========     by thread (65,0,0) in block (0,0,0)
=========     Address 0x41 is misaligned
========= ERROR SUMMARY: 1 error
"""
UNSET = f"""{HEAD}========= Uninitialized __global__ memory read of size 4 bytes
=========     at sum(int *)+0x70 in cub/block.cuh:41
=========     by thread (31,2,0) in block (1,0,0)
=========     Address 0x7f3c7ec000fc
========= ERROR SUMMARY: 1 error
"""
RACE = f"""{HEAD}========= Error: Race reported between Write access at reduce(int *, int *)+0x90 in kernel.cu:41
=========     and Read access at reduce(int *, int *)+0x100 in kernel.cu:51 [508 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""  # noqa: E501
REFUSED = f"""{HEAD}========= Program hit cudaErrorInvalidConfiguration (error 9) due to "invalid configuration argument" on CUDA API call to cudaLaunchKernel.
========= ERROR SUMMARY: 1 error
"""  # noqa: E501
BUILD = Build(
    source=KernelSource("", "add", "kernel.cu"), key="", architecture="sm_90a",
    library=Path("kernel.so"), ptx=None, host_object=None, resources=(),
    diagnostics=(), log="", seconds=0.0, cached=False,
)  # fmt: skip
ARGUMENTS = Arguments(
    (Tensor("x", np.arange(3, dtype=np.float32), Access.INPUT), Scalar("n", 3, "int")), "three"
)


def test_a_wild_read_names_kernel_line_thread_and_distance_once() -> None:
    (fault,) = read_faults(OUTSIDE, "kernel.cu")
    assert fault == Fault(
        "out_of_bounds",
        "Invalid global read of size 4 bytes, 129 bytes after the nearest allocation",
        "add(const float *, float *, int)",
        6,
        (3906, 0, 0),
        (96, 0, 0),
    )


def test_a_crooked_address_is_misaligned() -> None:
    (fault,) = read_faults(CROOKED, "kernel.cu")
    assert (fault.kind, fault.line) == ("misaligned", 61)


def test_a_line_of_another_file_is_not_told_as_the_sources() -> None:
    (fault,) = read_faults(UNSET, "kernel.cu")
    assert (fault.kind, fault.kernel, fault.line) == ("uninitialised", "sum(int *)", None)


def test_a_race_names_both_lines() -> None:
    (fault,) = read_faults(RACE, "kernel.cu")
    assert (fault.kind, fault.line, fault.other_line) == ("race", 41, 51)
    assert "508 hazards" in fault.message


def test_a_refused_call_counts_where_no_kernel_is_at_fault() -> None:
    (fault,) = read_faults(REFUSED, "kernel.cu")
    assert fault.kind == "refused_call"
    assert "cudaErrorInvalidConfiguration" in fault.message


def test_a_clean_log_holds_nothing() -> None:
    assert read_faults(CLEAN, "kernel.cu") == ()


def sanitizer(folder: Path, body: str) -> Tool:
    return Tool(tool(folder / "compute-sanitizer", body), VERSION, "test")


def test_every_check_runs_on_its_own_and_their_faults_are_joined(tmp_path: Path) -> None:
    body = f'Path(after("--log-file")).write_text({{"racecheck": {RACE!r}}}.get(after("--tool"), {CLEAN!r}))'
    program = sanitizer(tmp_path, body)
    found = sanitize(BUILD, ARGUMENTS, "GPU-1", find=lambda: program)
    assert found.checks == ("memcheck", "racecheck", "initcheck")
    assert [fault.kind for fault in found.faults] == ["race"]
    assert found.missing is None
    assert [call[1] for call in calls(program.program)] == list(found.checks)


def test_a_check_that_ends_early_is_said_and_proves_nothing(tmp_path: Path) -> None:
    body = f'Path(after("--log-file")).write_text({HEAD!r} + "========= Error: device not supported\\n")'
    found = sanitize(BUILD, ARGUMENTS, "GPU-1", find=lambda: sanitizer(tmp_path, body))
    assert found.checks == ()
    assert found.missing is not None
    assert "Error: device not supported" in found.missing


def test_a_missing_sanitizer_is_said_with_its_package() -> None:
    found = sanitize(BUILD, ARGUMENTS, "GPU-1", find=lambda: None)
    assert (found.checks, found.faults, found.missing) == ((), (), NO_SANITIZER)


def test_the_device_has_its_calls_examined_on_its_own_gpu(
    cuda_bench: CudaBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = f'import os\nPath(after("--log-file")).write_text({CLEAN!r} + os.environ["CUDA_VISIBLE_DEVICES"])'
    program = sanitizer(tmp_path, f"{body}\nassert Path(arguments[-1], 'call.json').is_file()").program
    monkeypatch.setenv("CUDAMASTER_COMPUTE_SANITIZER", str(program))
    device = cuda_bench.device()
    try:
        assert isinstance(device, Examining)
        found = device.examine(cuda_bench.candidate("copy"), copy_arguments())
    finally:
        device.close()
    assert found == Examined(("memcheck", "racecheck", "initcheck"), ())
