"""Which GPUs an nvcc compiles for."""

import subprocess
from functools import cache

from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.nvcc.finder import PROBE_SECONDS, Toolchain


@cache
def generations(toolchain: Toolchain) -> frozenset[str]:
    """Such as `sm_80`, `sm_90`. Raises EnvironmentLacks where nvcc does not say."""
    command = [str(toolchain.nvcc), "--list-gpu-code"]
    try:
        shown = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as failure:
        raise EnvironmentLacks(f"{toolchain.nvcc} does not tell its GPUs: {failure}") from failure
    return frozenset(shown.stdout.split())
