"""Vendor libraries: found with the version their header says, or named with their wheel."""

from dataclasses import replace
from pathlib import Path

import pytest

from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import Toolchain, find_toolchain
from cudamaster.toolchain.nvcc.libraries import find_library, installed_folders, versions

HEADER = "#define CUBLAS_VER_MAJOR 13\n#define CUBLAS_VER_MINOR 1\n#define CUBLAS_VER_PATCH 0\n"


def toolkit(root: Path, *files: str) -> Toolchain:
    """One that has these files and nothing else."""
    (root / "include").mkdir()
    (root / "lib").mkdir()
    (root / "include" / "cublas_api.h").write_text(HEADER)
    for name in files:
        (root / "lib" / name).touch()
    return replace(find_toolchain(), include_dirs=(root / "include",), library_dirs=(root / "lib",))


def test_a_library_of_the_toolkit_is_found_with_its_version_and_flags(tmp_path: Path) -> None:
    tools = toolkit(tmp_path, "libcublas.so.13")
    found = find_library("cublas", tools)

    assert (found.title, found.version) == ("cuBLAS", "13.1.0")
    assert f"-l:{found.file.name}" in found.flags()
    assert f"-rpath={tmp_path / 'lib'}" in found.flags()
    assert (versions(["cublas"], tools), installed_folders(tools)[0]) == ("13.1.0", tmp_path / "lib")


def test_headers_without_the_library_are_not_enough(tmp_path: Path) -> None:
    assert tmp_path / "lib" not in installed_folders(toolkit(tmp_path))


def test_a_kernel_is_not_compiled_without_its_library(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentLacks, match="cuDNN is not installed: pip install nvidia-cudnn-cu13"):
        compile_kernel(KernelSource("", "run", libraries=("cudnn",)), "sm_90a", toolkit(tmp_path))


def test_the_toolkits_own_headers_have_a_version() -> None:
    assert versions([], find_toolchain()).count(".") == 2


def test_a_wheel_beside_a_compiler_that_is_none_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = tmp_path / "site" / "nvidia" / "cudnn"
    for folder in ("include", "lib"):
        (wheel / folder).mkdir(parents=True)
    (wheel / "include" / "cudnn_version.h").write_text("#define CUDNN_MAJOR 9\n")
    (wheel / "lib" / "libcudnn.so.9").touch()
    monkeypatch.syspath_prepend(str(tmp_path / "site"))

    assert find_library("cudnn", toolkit(tmp_path)).file == wheel / "lib" / "libcudnn.so.9"
