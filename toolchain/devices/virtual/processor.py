"""The processor that machine code is made for: this machine's, or an older one that CUDAMASTER_CPU names.

An older one's code runs on all newer machines that share a cache, and shows here what it does there.
"""

import functools
import os
import platform
from typing import NamedTuple

import llvmlite.binding as llvm

from cudamaster.toolchain.errors import EnvironmentLacks

VARIABLE = "CUDAMASTER_CPU"
NATIVE = "native"
LEVELS = {
    "x86_64": {"x86-64": False, "x86-64-v2": False, "x86-64-v3": False, "x86-64-v4": True},
    "aarch64": {"armv8-a": False},
}
"""What may be named on which machine, and whether it has AVX-512. The levels: x86-64 psABI, table 3.1."""


class Processor(NamedTuple):
    """As both compilers name it."""

    march: str
    """For a C compiler's `-march`."""
    name: str
    """LLVM's name; `generic` for the first of a family."""
    features: str
    """LLVM's words for what it has beyond its name, joined by commas."""
    avx512: bool


def processor() -> Processor:
    """The one to make code for. Raises EnvironmentLacks where CUDAMASTER_CPU names none of this machine."""
    named = os.environ.get(VARIABLE) or NATIVE
    return _this_machine() if named == NATIVE else _named(named)


@functools.cache
def _this_machine() -> Processor:
    features = str(llvm.get_host_cpu_features().flatten())
    return Processor(NATIVE, llvm.get_host_cpu_name(), features, "+avx512f" in features.split(","))


def _named(name: str) -> Processor:
    levels = LEVELS.get(platform.machine(), {})
    if name not in levels:
        known = ", ".join((NATIVE, *levels))
        raise EnvironmentLacks(f"{VARIABLE} is {name!r}, and on this machine must be one of {known}")
    return Processor(name, name if name.startswith("x86-64") else "generic", "", levels[name])
