"""Translations across processes: made once for equal kernels, and nobody's word decides what is kept."""

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cudamaster.toolchain.arguments import Access, Arguments, Scalar, Tensor
from cudamaster.toolchain.build import Build
from cudamaster.toolchain.cache import cache_folder
from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import prepared
from cudamaster.toolchain.devices.virtual.device import PROGRAM, VirtualDevice
from cudamaster.toolchain.devices.virtual.jit import QUICK, host_has_avx512
from cudamaster.toolchain.devices.virtual.native import FOLDER, load_native
from cudamaster.toolchain.devices.virtual.ptx.parse import parse_module
from cudamaster.toolchain.devices.virtual.translation_service import TranslationService
from cudamaster.toolchain.devices.virtual.translations import (
    Job,
    path_of,
    stored,
    translated,
    translations_folder,
)
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.outputs import Outputs
from cudamaster.toolchain.worker.starter import WorkerStarter

COUNT = 64


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kept translations are counted here, so nobody else's may lie among them; the engine is everybody's."""
    load_native()
    own = tmp_path_factory.mktemp("cache")
    (own / FOLDER).symlink_to(cache_folder() / FOLDER)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDAMASTER_CACHE_DIR", str(own))
        yield


@pytest.fixture(scope="module")
def device() -> Iterator[VirtualDevice]:
    device = VirtualDevice()
    yield device
    device.close()


@pytest.fixture(scope="module")
def service() -> Iterator[TranslationService]:
    starter = WorkerStarter(PROGRAM)
    service = TranslationService(starter, workers=1)
    yield service
    service.close()
    starter.close()


def new_kernel() -> str:
    """A kernel that no cache has seen."""
    added = secrets.randbelow(1 << 20)
    parameters = "const float* x, float* y, int n"
    return f"__global__ void add({parameters}) {{ y[threadIdx.x] = x[threadIdx.x] + {added}; }}"


def source(kernel: str, before: str = "") -> KernelSource:
    entry = 'extern "C" void run(const float* x, float* y, int n, cudaStream_t stream)'
    return KernelSource(
        f"{before}\n{kernel}\n{entry} {{ add<<<1, {COUNT}, 0, stream>>>(x, y, n); }}\n", "run"
    )


def arguments() -> Arguments:
    x, y = np.zeros(COUNT, np.float32), np.zeros(COUNT, np.float32)
    items = (Tensor("x", x, Access.INPUT), Tensor("y", y, Access.OUTPUT), Scalar("n", COUNT, "int"))
    return Arguments(items, "zeros")


def kept() -> set[Path]:
    return {path for path in translations_folder().glob("*/*") if not path.name.startswith(".")}


def job_of(build: Build) -> Job:
    assert build.ptx is not None
    module = parse_module(build.ptx.read_text())
    (kernel,) = (kernel for name, kernel in module.kernels.items() if "add" in name)
    return Job(module, prepared(module, kernel), Mode(True, True, host_has_avx512()), QUICK)


MODE = {"check": True, "count": True, "watch": False}


def question(job: Job, **changed: Any) -> dict[str, Any]:
    mode = MODE | {"avx512": job.mode.avx512}
    return {"key": job.key, "kernel": job.kernel.name, "mode": mode, "level": QUICK} | changed


def test_equal_kernels_of_two_candidates_are_translated_once(device: VirtualDevice) -> None:
    kernel, before = new_kernel(), kept()
    assert isinstance(device.run(device.build(source(kernel)), arguments()), Outputs)
    first = kept()
    assert len(first - before) == 2, "one to run, one to watch"
    other = "__device__ int unused;\n__global__ void other(int* p) { if (*p) { *p = unused; } }"
    assert isinstance(device.run(device.build(source(kernel, other)), arguments()), Outputs)
    assert kept() == first


@pytest.mark.parametrize(
    "nonsense",
    [
        None, "give me a shell", [], {}, {"key": "0" * 64},
        {"key": "../../x", "kernel": "k", "mode": MODE, "level": 0},
        {"key": "0" * 64, "kernel": ["k"], "mode": MODE, "level": 0},
        {"key": "0" * 64, "kernel": "k", "mode": MODE | {"check": 7}, "level": 0},
        {"key": "0" * 64, "kernel": "no such kernel", "mode": MODE, "level": 0},
        {"key": "0" * 64, "kernel": "k", "mode": MODE, "level": 99},
    ],
)  # fmt: skip
def test_nonsense_is_refused(device: VirtualDevice, service: TranslationService, nonsense: object) -> None:
    build = device.build(source("__global__ void add(const float* x, float* y, int n) { y[0] = x[0]; }"))
    assert service.answer(build, nonsense, 20.0).keys() == {"error"}


def test_what_is_kept_lies_under_the_key_of_the_kernel_whatever_is_asked(
    device: VirtualDevice, service: TranslationService
) -> None:
    build = device.build(source(new_kernel()))
    job, wrong = job_of(build), secrets.token_hex(32)
    assert service.answer(build, question(job, key=wrong), 20.0) == {"done": True}
    assert not path_of(wrong).exists()
    found = stored(job.key)
    assert found is not None
    assert found == job.translate()


def test_no_time_left_is_an_answer(device: VirtualDevice, service: TranslationService) -> None:
    build = device.build(source(new_kernel()))
    assert service.answer(build, question(job_of(build)), 0.001).keys() == {"error"}
    assert service.answer(build, question(job_of(build)), 20.0) == {"done": True}


@pytest.mark.parametrize("damage", [b"", b"\0\0\0", b"\2\0\0\0{}", b"\xff" * 40])
def test_a_damaged_translation_is_made_again(
    device: VirtualDevice, service: TranslationService, damage: bytes
) -> None:
    build = device.build(source(new_kernel()))
    job = job_of(build)
    assert service.answer(build, question(job), 20.0) == {"done": True}
    path_of(job.key).write_bytes(damage)
    assert stored(job.key) is None
    assert translated(job) == stored(job.key) == job.translate()
