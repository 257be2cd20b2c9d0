"""What nvcc makes binds to the counting library, and through it to the real CUDA runtime, GPU or not."""

import json
import subprocess
import sys

from cudamaster.toolchain.devices.cuda.native import counting_library
from cudamaster.toolchain.devices.cuda.runtime import runtime_library
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import find_toolchain
from tests.contract.sources import kernel
from tests.doubles.cuda_device import CudaBench

ITEMS = json.dumps([0, 0, ["n", 0, "int"]])
CALL = """
import json, sys
from pathlib import Path
from cudamaster.toolchain.devices.cuda.candidate import Runtime, bound_call
counting, cudart, library = map(Path, sys.argv[1:4])
runtime = Runtime(counting, cudart)
runtime.start()
call = bound_call(runtime.load(library), "run", json.loads(sys.argv[4]))
for _ in range(2):
    runtime.begin()
    call()
    print(json.dumps(runtime.counted()._asdict()))
"""


def counted(*arguments: object) -> list[dict[str, object]]:
    """Of two calls in a process of its own."""
    words = [sys.executable, "-c", CALL, *map(str, arguments)]
    shown = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    return [json.loads(line) for line in shown.splitlines()]


def test_launches_of_a_compiled_kernel_are_counted() -> None:
    toolchain = find_toolchain()
    build = compile_kernel(kernel("scratch"), "sm_90a", toolchain)
    first, second = counted(counting_library(toolchain), runtime_library(toolchain), build.library, ITEMS)
    assert first["launches"] == second["launches"] == 2
    assert str(first["error"]).startswith("a launch was refused with cudaError"), (
        "an empty grid, or no driver"
    )


def test_memory_moves_and_errors_of_each_call_are_told_apart(cuda_bench: CudaBench) -> None:
    entry = """
        static void *kept; void *w; char c[4];
        if (!kept) cudaMalloc(&kept, 100);
        cudaMalloc(&w, 7); cudaFree(w); cudaMalloc(&w, 30);
        cudaMemcpyAsync(c, "abc", 4, 0, stream);
        if (calls == 1) cudaMalloc(&w, 1ull << 45);
        return;
    """
    build = cuda_bench.candidate("counts", entry)
    first, second = counted(counting_library(cuda_bench.toolchain), cuda_bench.cudart, build.library, ITEMS)
    error = "the entry left the error cudaErrorMemoryAllocation behind"
    assert first == {"launches": 0, "moves": 1, "live_bytes": 130, "error": error}
    assert second == {"launches": 0, "moves": 1, "live_bytes": 160, "error": None}
