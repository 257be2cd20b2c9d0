"""Translations across processes, the trusted side: answers what candidates' workers ask.

A question is a worker's word only: it chooses among the kernels of its own build, and what it says of a key
decides nothing but whether there is work left to do.
"""

import os
import queue
import re
import threading
import time
from typing import Any

from cudamaster.toolchain.build import Build
from cudamaster.toolchain.cache import publish_file
from cudamaster.toolchain.devices.virtual.jit import QUICK, THOROUGH, host_has_avx512
from cudamaster.toolchain.devices.virtual.translations import path_of
from cudamaster.toolchain.errors import ToolchainError
from cudamaster.toolchain.stages import note_spent
from cudamaster.toolchain.worker.ending import WorkerEnd
from cudamaster.toolchain.worker.hardening import WorkerLimits
from cudamaster.toolchain.worker.starter import WorkerStarter
from cudamaster.toolchain.worker.wire import Message
from cudamaster.toolchain.worker.worker import Worker

LIMITS = WorkerLimits(memory_bytes=2 << 30, shared_bytes=1 << 30)
MOST_SECONDS = 60.0
"""Wall time of one translation."""
MOST_CODE_BYTES = 64 << 20
_KEY = re.compile(r"[0-9a-f]{64}")
_LOCKS = 64


class Refused(Exception):
    """No translation, and why."""


class TranslationService:
    """A few workers that translate, started when first needed. Any thread may call any method."""

    def __init__(self, starter: WorkerStarter, workers: int) -> None:
        self._slots = [_Slot(starter) for _ in range(workers)]
        self._free: queue.SimpleQueue[_Slot] = queue.SimpleQueue()
        for slot in self._slots:
            self._free.put(slot)
        self._locks = [threading.Lock() for _ in range(_LOCKS)]

    def answer(self, build: Build, question: Any, seconds: float) -> Message:
        """Have the kernel that `question` names translated and kept, unless its key is there already."""
        deadline = time.monotonic() + min(seconds, MOST_SECONDS)
        try:
            key, task = _task(build, question)
            lock = self._locks[int(key[:2], 16) % _LOCKS]
            if not lock.acquire(timeout=max(0.0, deadline - time.monotonic())):
                raise Refused("no time left")
            try:
                if not path_of(key).exists():
                    self._translate(build, task, deadline)
            finally:
                lock.release()
        except (Refused, ToolchainError, OSError) as failure:
            return {"error": str(failure)}
        return {"done": True}

    def close(self) -> None:
        """End the workers."""
        for slot in self._slots:
            slot.close()

    def _translate(self, build: Build, task: Message, deadline: float) -> None:
        try:
            slot = self._free.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise Refused("no time left") from None
        try:
            slot.translate(build, task, max(0.0, deadline - time.monotonic()))
        finally:
            self._free.put(slot)


class _Slot:
    """One worker, started anew where it died, and the memory it writes to."""

    def __init__(self, starter: WorkerStarter) -> None:
        self._starter = starter
        self._worker: Worker | None = None

    def translate(self, build: Build, task: Message, seconds: float) -> None:
        """Translate and keep. Raises Refused, and ToolchainError where no worker can be started."""
        if self._worker is None or self._worker.end is not None:
            self._worker = self._starter.start(LIMITS)
        assert build.ptx is not None
        ptx = os.open(build.ptx, os.O_RDONLY)
        target = os.memfd_create("translation", os.MFD_CLOEXEC)
        try:
            os.ftruncate(target, MOST_CODE_BYTES)
            reply = self._worker.call({"translate": task}, (ptx, target), seconds=seconds)
            key, nbytes = _written(reply)
            publish_file(path_of(key), os.pread(target, nbytes, 0))
        finally:
            os.close(ptx)
            os.close(target)

    def close(self) -> None:
        """End the worker, even in the middle of a translation."""
        if self._worker is not None:
            self._worker.close()


def _task(build: Build, question: Any) -> tuple[str, Message]:
    """The key and what to translate. Raises Refused for what our own program would not ask."""
    try:
        key, kernel, mode, level = (question[name] for name in ("key", "kernel", "mode", "level"))
        flags = {name: mode[name] for name in ("check", "count", "watch")}
    except (TypeError, KeyError):
        raise Refused("no question of ours") from None
    sound = isinstance(key, str) and _KEY.fullmatch(key) and isinstance(kernel, str) and build.ptx
    if not sound or level not in (QUICK, THOROUGH) or not all(isinstance(f, bool) for f in flags.values()):
        raise Refused("no question of ours")
    mode = {**flags, "avx512": host_has_avx512()}
    return key, {"build": build.key, "kernel": kernel, "mode": mode, "level": level}


def _written(reply: Message | WorkerEnd) -> tuple[str, int]:
    """The key and size of a translation. Raises Refused."""
    if isinstance(reply, WorkerEnd):
        raise Refused(reply.reason)
    answer = reply.get("answer", reply)
    note_spent(answer.get("spent"))
    if "key" not in answer:
        raise Refused(str(answer)[-500:])
    key, nbytes = str(answer["key"]), int(answer["nbytes"])
    if not _KEY.fullmatch(key) or not 0 < nbytes <= MOST_CODE_BYTES:
        raise Refused("no translation")
    return key, nbytes
