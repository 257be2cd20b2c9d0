"""How long `cudamaster --help` takes, and `cudamaster optimize` until it has its first kernel built.

Shares of the promised seconds; beside them Python's own start, which a busy machine lengthens as much. The
time to the first build ends where a compiler of ours is called, which says when and refuses the kernel.
"""

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

PROMISED_SECONDS = 0.15
PROMISED_BUILD_SECONDS = 1.5
RUNS = 15
BUILDS = 5
OPTIMIZE = ("optimize", "spmv", "--precision", "bf16", "--device", "virtual", "--model", "builtin")
COMPILER = """#!/bin/sh
[ "$1" = --version ] && echo "V13.0.{version}" && exit
echo "called at $(date +%s.%N)"
exit 1
"""
"""Refuses all kernels; it may write nowhere, but what it says last is told."""


def seconds(arguments: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begun


def seconds_to_first_build(folder: Path) -> float:
    """From the start of `optimize` to the first call of the compiler, which lies in `folder`."""
    command = [sys.executable, "-m", "cudamaster", *OPTIMIZE, "--runs-dir", str(folder / "runs")]
    compiler = folder / "nvcc"
    compiler.write_text(COMPILER.format(version=time.time_ns()))  # another version builds anew
    compiler.chmod(0o755)
    places = {"CUDAMASTER_NVCC": str(compiler), "CUDAMASTER_CACHE_DIR": str(folder / "cache")}
    begun = time.time()
    told = subprocess.run(
        [*command, "--out", str(folder / "results")], env=os.environ | places, capture_output=True, text=True
    )
    called = re.search(r"called at ([\d.]+)", told.stderr)
    if called is None:
        raise SystemExit(f"nothing was built: {told.stderr}")
    return float(called[1]) - begun


def main() -> int:
    seconds(["-m", "cudamaster", "--help"])  # writes the .pyc files
    python = median(seconds(["-c", "pass"]) for _ in range(RUNS))
    command = median(seconds(["-m", "cudamaster", "--help"]) for _ in range(RUNS))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seconds_to_first_build(folder)  # makes what the virtual GPU keeps
        build = median(seconds_to_first_build(folder) for _ in range(BUILDS))
    print(f"python -c pass             {python:.3f} s")
    print(f"cudamaster --help          {command:.3f} s, {command / PROMISED_SECONDS:.2f} of the promised")
    print(f"optimize to its first build {build:.3f} s, {build / PROMISED_BUILD_SECONDS:.2f} of the promised")
    return 0 if command < PROMISED_SECONDS and build < PROMISED_BUILD_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
