"""What is left out of workers' hardening where a driver does not work with all of it, and that it is said."""

from dataclasses import replace

import pytest

from cudamaster.toolchain.devices.cuda.equipment import Equipment
from cudamaster.toolchain.devices.cuda.workers import GpuWorkers
from cudamaster.toolchain.devices.virtual.specs import load_gpu
from cudamaster.toolchain.errors import WorkerBroken
from cudamaster.toolchain.worker.hardening import FILTER, LANDLOCK, MEMORY_FILES, UNFILTERED
from cudamaster.toolchain.worker.landlock import landlock_version
from tests.doubles.cuda_device import CudaBench
from tests.doubles.cuda_program import NEEDS


def equipment(bench: CudaBench, needs: str) -> Equipment:
    return replace(bench, variables={NEEDS: needs}).equipment(load_gpu("h200").device)


def left_out(bench: CudaBench, needs: str) -> tuple[tuple[str, ...] | None, list[str]]:
    said: list[str] = []
    workers = GpuWorkers(equipment(bench, needs), "GPU-1", "cuda:0 (NVIDIA H200)", said.append)
    try:
        for _ in range(2):
            workers.start().close()
        return workers.left_out, said
    finally:
        workers.close()


def test_nothing_is_left_out_where_the_driver_works_with_all_of_it(cuda_bench: CudaBench) -> None:
    assert left_out(cuda_bench, "nothing") == ((), [])


def test_only_what_the_driver_does_not_work_with_is_left_out_and_it_is_said_once(
    cuda_bench: CudaBench,
) -> None:
    found, (said,) = left_out(cuda_bench, "a file in memory")

    assert found == (MEMORY_FILES,)
    assert said.startswith(
        "cuda:0 (NVIDIA H200): NVIDIA's driver does not work with all that kernels are denied"
    )
    assert "CUDA_ERROR_OPERATING_SYSTEM" in said
    assert "their processes go without the ban on files in memory (docs" in said


def test_what_a_driver_needs_only_to_load_a_kernel_is_found_before_any_candidates_is(
    cuda_bench: CudaBench,
) -> None:
    needy = replace(cuda_bench, loading_needs='(memfd_create("code", 0) >= 0)')
    found, (said,) = left_out(needy, "nothing")

    assert found == (MEMORY_FILES,)
    assert "a kernel of ours does not run: a launch was refused with cudaErrorOperatingSystem" in said


@pytest.mark.skipif(not landlock_version(), reason="this kernel has no Landlock")
def test_a_driver_that_reads_what_nobody_knew_of_goes_without_landlock(cuda_bench: CudaBench) -> None:
    assert left_out(cuda_bench, "a file of the system")[0] == (LANDLOCK,)


def test_the_filter_is_left_out_only_for_kernels_that_are_trusted(
    cuda_bench: CudaBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(WorkerBroken, match="CUDAMASTER_UNFILTERED=1 tries without"):
        left_out(cuda_bench, "a socket")

    monkeypatch.setenv(UNFILTERED, "1")
    assert left_out(cuda_bench, "a socket")[0] == (FILTER,)
