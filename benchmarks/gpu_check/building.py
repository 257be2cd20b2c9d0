"""Compiles what all parts will call, ahead of them: nvcc takes processors a while, and a GPU none."""

import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from benchmarks.gpu_check.nouns import Part
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.toolchain.kernel import KernelSource
from cudamaster.toolchain.nvcc.compile import compile_kernel
from cudamaster.toolchain.nvcc.finder import Toolchain

WORKERS = max(1, (os.cpu_count() or 1) * 3 // 4)
NICENESS = 10
"""What measures comes first."""


@contextmanager
def building_ahead(
    parts: Sequence[Part], operators: Sequence[str], architecture: str, toolchain: Toolchain
) -> Iterator[None]:
    """In the block the parts' kernels are compiled into the cache, in the parts' order."""
    ended = threading.Event()

    def compile_one(source: KernelSource) -> None:
        with suppress(EnvironmentLacks):  # the part that asks for it says so
            compile_kernel(source, architecture, toolchain)

    def give_out() -> None:
        for part in parts:
            for source in part.sources(operators):
                if ended.is_set():
                    return
                with suppress(RuntimeError):  # the block ended just now
                    pool.submit(compile_one, source)

    pool = ThreadPoolExecutor(WORKERS, "build", _be_modest)
    giver = threading.Thread(target=give_out, daemon=True)
    giver.start()
    try:
        yield
    finally:
        ended.set()
        pool.shutdown(cancel_futures=True)
        giver.join()


def _be_modest() -> None:
    """On Linux a thread has a niceness of its own, which the programs it starts inherit."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
