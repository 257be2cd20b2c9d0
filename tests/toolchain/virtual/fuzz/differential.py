"""Random programs on the CPU and on the virtual GPU: where their results differ, one of the two is wrong."""

import ctypes
import os
import struct
import subprocess
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cudamaster.toolchain.devices.virtual.engine import Engine, Order
from cudamaster.toolchain.devices.virtual.jit import QUICK, THOROUGH
from cudamaster.toolchain.devices.virtual.launch import LaunchRequest
from cudamaster.toolchain.devices.virtual.native import load_native
from cudamaster.toolchain.devices.virtual.translation import Translation
from cudamaster.toolchain.devices.virtual.translations import Job
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.outputs import Fault
from tests.toolchain.virtual.fuzz.programs import INPUTS, OUTPUTS, program

HEADER = Path(__file__).with_name("arithmetic.h")
BLOCKS, THREADS = 2, 40
"""A whole warp and a part of one in each block."""
EDGES = np.array([0, 1, -1, 2**31 - 1, -(2**31), 2**32, 2**63 - 1, -(2**63), 255, -128], np.int64)
ARCHITECTURES = ("75", "90a")
COMPILE_SECONDS = 600
Array = NDArray[np.int64]


@dataclass(frozen=True)
class Difference:
    """A program with different results."""

    seed: int
    way: str
    """How the virtual GPU ran it."""
    found: str


def sources(seeds: Sequence[int]) -> str:
    """Return one translation unit with a function and a kernel for each seed, numbered from 0."""
    parts = [HEADER.read_text()]
    for number, seed in enumerate(seeds):
        parts.append(program(seed, number))
        parts.append(
            f'#if defined(__CUDACC__)\nextern "C" __global__ void kernel{number}(const s64 *in, s64 *out)\n'
            f"{{\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
            f"    program{number}(in + {INPUTS} * i, out + {OUTPUTS} * i, threadIdx.x);\n}}\n#endif\n"
        )
    calls = " ".join(f"case {n}: program{n}(in, out, lane); break;" for n in range(len(seeds)))
    parts.append(
        '#if !defined(__CUDACC__)\nextern "C" void run(int number, const s64 *in, s64 *out, int lane)\n'
        f"{{\n    switch (number) {{ {calls} }}\n}}\n#endif\n"
    )
    return "\n".join(parts)


def _compile(seeds: Sequence[int], folder: Path, architecture: str) -> tuple[str, ctypes.CDLL]:
    """Return the PTX, and the same programs for the CPU."""
    source, ptx, library = folder / "programs.cu", folder / "programs.ptx", folder / "programs.so"
    source.write_text(sources(seeds))
    commands = [
        ["nvcc", "-std=c++17", "-O3", f"-arch=compute_{architecture}", "-ptx", "-w", source, "-o", ptx],
        ["g++", "-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-x", "c++", source, "-o", library],
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(_run, commands):
            assert done.returncode == 0, done.stderr[:4000]
    return ptx.read_text(), ctypes.CDLL(str(library))


def _run(command: list[Any]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(word) for word in command], check=False, capture_output=True, text=True, timeout=COMPILE_SECONDS
    )


def inputs(seed: int) -> Array:
    """Return each thread's inputs: small numbers, edges, anything."""
    rng = np.random.default_rng(seed)
    shape = (BLOCKS * THREADS, INPUTS)
    ways = [rng.integers(-9, 10, shape), rng.choice(EDGES, shape), rng.integers(-(2**63), 2**63 - 1, shape)]
    return np.choose(rng.integers(0, 3, shape), ways).astype(np.int64)


def _on_the_cpu(library: ctypes.CDLL, number: int, given: Array) -> Array:
    results = np.zeros((len(given), OUTPUTS), np.int64)
    for i in range(len(given)):
        places = (ctypes.c_void_p(array[i].ctypes.data) for array in (given, results))
        library.run(number, *places, i % THREADS)
    return results


@dataclass(frozen=True)
class _Translator:
    """Translates at one level, and keeps nothing on disk."""

    level: int

    def __call__(self, job: Job) -> Translation:
        return job._replace(level=self.level).translate()


class _VirtualGpu:
    """Runs kernels translated at one level."""

    def __init__(self, ptx: str, level: int, order: Order) -> None:
        self.name = f"{'thorough' if level == THOROUGH else 'quick'}, {order}"
        self.native = load_native()
        self.engine = Engine(self.native, threads=1, order=order, translator=_Translator(level))
        self.engine.add_module(ptx)

    def run(self, number: int, given: Array, *, sampled: bool) -> Array:
        """Return the results of kernel `number`; AssertionError for a fault.

        Warps of sampled blocks advance side by side, a jump backwards each.
        """
        results = np.zeros((len(given), OUTPUTS), np.int64)
        places = [self.native.vg_alloc(array.nbytes, 1) for array in (given, results)]
        ctypes.memmove(places[0], given.ctypes.data, given.nbytes)
        parameters = struct.pack("<QQ", *places)
        request = LaunchRequest(f"kernel{number}", (BLOCKS, 1, 1), (THREADS, 1, 1), 0, parameters)
        done = self.engine.sample(request, range(BLOCKS)) if sampled else self.engine.launch(request)
        assert not isinstance(done, Fault), done
        ctypes.memmove(results.ctypes.data, places[1], results.nbytes)
        for place in places:
            self.native.vg_free(place)
        return results


def differences(seeds: Sequence[int], folder: Path, architecture: str) -> Iterator[Difference]:
    """Run the programs of `seeds` everywhere and tell which of them differ.

    Thorough translation takes longer than all the rest: every fourth program gets it too.
    """
    ptx, library = _compile(seeds, folder, architecture)
    quick, thorough = _VirtualGpu(ptx, QUICK, "forward"), _VirtualGpu(ptx, THOROUGH, "reversed")
    for number, seed in enumerate(seeds):
        given = inputs(seed)
        wanted = _on_the_cpu(library, number, given)
        ways = [(quick, False), (quick, True), (thorough, False)]
        for way, sampled in ways if number % 4 == 0 else ways[:2]:
            name = f"{way.name}, sampled" if sampled else way.name
            try:
                found = way.run(number, given, sampled=sampled)
            except (AssertionError, Unsupported, RuntimeError, KeyError) as error:
                yield Difference(seed, name, repr(error))
                continue
            if not np.array_equal(found, wanted):
                thread, place = (int(i[0]) for i in np.nonzero(found != wanted))
                text = f"thread {thread} out[{place}]: {found[thread, place]} for {wanted[thread, place]}"
                yield Difference(seed, name, text)
