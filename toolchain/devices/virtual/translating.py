"""Translations across processes, the workers' side: a candidate's worker asks, a worker of ours translates.

A worker that runs a candidate cannot write the cache, and could put anything under another kernel's key. So
it says which kernel it needs; the trusted side has a worker that never ran a candidate translate that kernel
from the PTX of the build, and keeps the result. Where that fails, a worker translates for itself.
"""

import mmap
import os
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from cudamaster.toolchain.devices.virtual.codegen.emitter import Mode
from cudamaster.toolchain.devices.virtual.codegen.warp_function import prepared
from cudamaster.toolchain.devices.virtual.ptx.nouns import Module
from cudamaster.toolchain.devices.virtual.ptx.parse import PtxError, parse_module
from cudamaster.toolchain.devices.virtual.translation import Translation
from cudamaster.toolchain.devices.virtual.translations import Job, stored
from cudamaster.toolchain.devices.virtual.unsupported import Unsupported
from cudamaster.toolchain.worker.program import Ask

KEPT_MODULES = 4


class AskingTranslator:
    """A `Translator` in a candidate's worker."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.processor_seconds = 0.0
        """Spent here so far, without what others did meanwhile."""

    def __call__(self, job: Job) -> Translation:
        """The translation that is kept, asked for where it is not; made here where that does not help."""
        begun = time.process_time()
        key = job.key
        found = stored(key)
        if found is None:
            self._ask({"key": key, "kernel": job.kernel.name, "mode": asdict(job.mode), "level": job.level})
            found = stored(key)
        found = found or job.translate()
        self.processor_seconds += time.process_time() - begun
        return found


class TranslatingProgram:
    """A worker of ours: translates kernels of builds, and writes the results to memory that it is given."""

    def __init__(self) -> None:
        self._modules: OrderedDict[str, Module] = OrderedDict()

    def answer(self, request: Mapping[str, Any], files: Sequence[int]) -> Mapping[str, Any]:
        """Translate `request`'s kernel of the PTX in the first file into the second; the key and the size."""
        ptx, target = files
        try:
            module = self._module(request["build"], ptx)
            kernel = module.kernels[request["kernel"]]
            job = Job(module, prepared(module, kernel), Mode(**request["mode"]), request["level"])
            return {"key": job.key, "nbytes": _write(job.translate().encoded(), target)}
        except (KeyError, PtxError, Unsupported, ValueError) as failure:
            return {"error": str(failure)}
        finally:
            os.close(ptx)
            os.close(target)

    def _module(self, build: str, ptx: int) -> Module:
        module = self._modules.pop(build, None) or parse_module(_read(ptx))
        self._modules[build] = module
        if len(self._modules) > KEPT_MODULES:
            self._modules.popitem(last=False)
        return module


def _read(file: int) -> str:
    return os.pread(file, os.fstat(file).st_size, 0).decode()


def _write(content: bytes, file: int) -> int:
    """Write at the start of shared memory. Raises ValueError where there is too little of it."""
    with mmap.mmap(file, 0, mmap.MAP_SHARED, mmap.PROT_WRITE | mmap.PROT_READ) as memory:
        memory[: len(content)] = content
    return len(content)
