"""Finds the CUDA runtime that candidates are bound to: they are linked against none."""

from pathlib import Path

from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.nvcc.finder import Toolchain


def runtime_library(toolchain: Toolchain) -> Path:
    """The toolkit's own `libcudart.so.13`, or the one of the wheels. Raises EnvironmentLacks."""
    name = f"libcudart.so.{toolchain.version.split('.')[0]}"
    for folder in toolchain.library_dirs:
        if (folder / name).is_file():
            return folder / name
    return _of_wheels(name)


def _of_wheels(name: str) -> Path:
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        return Path(load_nvidia_dynamic_lib("cudart").abs_path)
    except (DynamicLibNotFoundError, ChildProcessError) as failure:  # ChildProcessError: a slow machine
        raise EnvironmentLacks(
            f"the CUDA runtime {name} is missing: install the toolkit's, or pip install nvidia-cuda-runtime"
        ) from failure
