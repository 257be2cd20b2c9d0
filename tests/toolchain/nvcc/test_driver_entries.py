"""A candidate that asks the runtime for functions of the driver is answered in its own library, sparingly."""

import ctypes
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.elf import exported_functions, undefined_symbols
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.driver_entries import QUESTIONS, answered, answers_fingerprint
from cudamaster.toolchain.nvcc.finder import find_toolchain

ASKS = """\
#include <cuda_runtime.h>
extern "C" void run(const char *name, void **function, unsigned version, int *status, int *error) {
    auto &told = *reinterpret_cast<cudaDriverEntryPointQueryResult *>(status);
    *error = version ? cudaGetDriverEntryPointByVersion(name, function, version, cudaEnableDefault, &told)
                     : cudaGetDriverEntryPoint(name, function, cudaEnableDefault, &told);
}
"""
ASKS_NOTHING = 'extern "C" void run() {}\n'
SUCCESS, INVALID_VALUE = 0, 1
FOUND, NOT_FOUND, VERSION_TOO_OLD = 0, 1, 2
MAKERS = ("cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuTensorMapReplaceAddress")
OTHERS = ("cuMemAlloc", "cuMemAlloc_v2", "cuGetProcAddress", "cuModuleLoadData", "cuTensorMapEncodeTile",
          "cuTensorMapEncodeTiled_v2", "cuCtxCreate", "malloc", "")  # fmt: skip


class Answer(NamedTuple):
    error: int
    status: int
    function: int | None


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Build]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUDAMASTER_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield compiled(ASKS)


@pytest.fixture(scope="module")
def library(build: Build) -> ctypes.CDLL:
    load_native()
    return ctypes.CDLL(str(build.library))


def compiled(text: str, filename: str = "kernel.cu") -> Build:
    return compile_kernel(KernelSource(text, "run", filename), "sm_90a", find_toolchain())


def asked(library: ctypes.CDLL, name: bytes | None, version: int) -> Answer:
    function, status, error = ctypes.c_void_p(1), ctypes.c_int(-1), ctypes.c_int(-1)
    library.run(name, ctypes.byref(function), version, ctypes.byref(status), ctypes.byref(error))
    return Answer(error.value, status.value, function.value)


@pytest.mark.parametrize("version", [0, 12000, 13000])
@pytest.mark.parametrize("name", MAKERS)
def test_what_makes_tensor_maps_is_the_drivers_own(library: ctypes.CDLL, name: str, version: int) -> None:
    own = ctypes.cast(getattr(load_native(), name), ctypes.c_void_p).value
    assert asked(library, name.encode(), version) == Answer(SUCCESS, FOUND, own)


@pytest.mark.parametrize("version", [0, 12000])
@pytest.mark.parametrize("name", OTHERS)
def test_nothing_else_is_found(library: ctypes.CDLL, name: str, version: int) -> None:
    assert asked(library, name.encode(), version) == Answer(SUCCESS, NOT_FOUND, None)


def test_no_tensor_map_is_made_in_the_manner_of_cuda_11(library: ctypes.CDLL) -> None:
    assert asked(library, b"cuTensorMapEncodeTiled", 11080) == Answer(SUCCESS, VERSION_TOO_OLD, None)


def test_no_name_is_an_error(library: ctypes.CDLL) -> None:
    assert asked(library, None, 12000).error == INVALID_VALUE


def test_the_library_asks_nobody_else_and_hands_the_answers_to_nobody(build: Build) -> None:
    assert build.library is not None
    assert exported_functions(build.library) == {"run"}
    assert undefined_symbols(build.library).isdisjoint(QUESTIONS)
    assert undefined_symbols(build.library).issuperset(MAKERS)


def test_a_source_that_asks_nothing_is_built_as_ever() -> None:
    build = compiled(ASKS_NOTHING)
    assert build.library is not None
    assert undefined_symbols(build.library).isdisjoint(MAKERS)
    assert not answered(ASKS_NOTHING)
    assert answers_fingerprint(ASKS_NOTHING) == ""


def test_the_answers_are_part_of_what_a_build_is_known_by() -> None:
    assert answers_fingerprint(ASKS).startswith(", driver entries ")


def test_a_name_that_is_put_together_is_not_answered() -> None:
    assert not answered("#define ASK(a, b) a##b\nASK(cudaGetDriver, EntryPoint)(name, function, 0, &status);")


def test_the_candidates_file_may_be_called_as_ours() -> None:
    assert compiled(ASKS, "driver_entries.cu").ok


def test_an_error_beside_the_answers_has_the_line_of_the_source() -> None:
    build = compiled(ASKS + "int wrong = nothing;\n")
    assert build.first_error == 'kernel.cu:7: error: identifier "nothing" is undefined'
