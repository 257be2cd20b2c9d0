"""A worker program that does what a request asks: every way candidate code was seen to misbehave."""

import ctypes
import mmap
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from cudamaster.toolchain.worker.program import Ask

LIBC = ctypes.CDLL(None, use_errno=True)


def preload() -> None:
    pass


class Misbehaving:
    def __init__(self, ask: Ask, early: ThreadPoolExecutor) -> None:
        self._ask = ask
        self._early = early

    def answer(self, request: Mapping[str, Any], files: Sequence[int]) -> Mapping[str, Any]:
        action = getattr(self, request["do"])
        answer: Mapping[str, Any] = action(*request.get("with", ()), *files)
        return answer

    def echo(self, value: object) -> Mapping[str, Any]:
        return {"value": value}

    def ask(self, question: Any) -> Mapping[str, Any]:
        return {"told": dict(self._ask(question))}

    def ask_and_loop(self, question: Any) -> Mapping[str, Any]:
        self._ask(question)
        return self.loop()

    def facts(self) -> Mapping[str, Any]:
        files = sorted(int(path.name) for path in Path("/proc/self/fd").iterdir())
        return {
            "pid": os.getpid(),
            "parent": os.getppid(),
            "environment": dict(os.environ),
            "files": files,
        }

    def read_shared(self, file: int) -> Mapping[str, Any]:
        with mmap.mmap(file, 0, mmap.MAP_SHARED, mmap.PROT_READ) as memory:
            os.close(file)
            return {"value": memory[:5].decode()}

    def leave(self, code: int) -> Mapping[str, Any]:
        LIBC.exit(code)
        return {}

    def segfault(self) -> Mapping[str, Any]:
        ctypes.string_at(8)
        return {}

    def abort(self) -> Mapping[str, Any]:
        LIBC.abort()
        return {}

    def loop(self) -> Mapping[str, Any]:
        while True:
            pass

    def rest(self) -> Mapping[str, Any]:
        time.sleep(100)
        return {}

    def hog(self, gib: int) -> Mapping[str, Any]:
        return {"bytes": len(bytes(gib << 30))}

    def flood(self) -> Mapping[str, Any]:
        for _ in range(100):
            os.write(1, b"x" * 100_000)
        return {}

    def raise_error(self) -> Mapping[str, Any]:
        raise KeyError("our own")

    def forge(self, text: str) -> Mapping[str, Any]:
        os.write(3, text.encode())
        time.sleep(100)
        return {}

    def close_channel(self) -> Mapping[str, Any]:
        os.close(3)
        time.sleep(100)
        return {}

    def sleep_in_thread(self) -> Mapping[str, Any]:
        threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
        return {"threads": threading.active_count()}

    def refused(self, what: str, *arguments: Any) -> Mapping[str, Any]:
        """The error that `what` gives, or None where it was possible."""
        try:
            getattr(self, "_" + what)(*arguments)
        except OSError as error:
            return {"error": error.strerror}
        except ValueError as error:
            return {"error": str(error)}
        return {"error": None}

    def refused_in_an_early_thread(self, what: str) -> Mapping[str, Any]:
        return self._early.submit(self.refused, what).result()

    def _open_to_write(self, path: str) -> None:
        os.close(os.open(path, os.O_RDWR))

    def _name_a_thread(self, name: str) -> None:
        ended = threading.Event()
        thread = threading.Thread(target=ended.wait, daemon=True)
        thread.start()
        try:
            comm = os.open(f"/proc/self/task/{thread.native_id}/comm", os.O_RDWR)
            os.write(comm, name.encode())
            os.close(comm)
        finally:
            ended.set()

    def _reserve(self, gib: int) -> None:
        mmap.mmap(-1, gib << 30, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 0).close()

    def _fork(self) -> None:
        if os.fork() == 0:
            time.sleep(1000)

    def _run(self) -> None:
        os.execv("/bin/true", ["true"])

    def _connect(self) -> None:
        socket.socket(socket.AF_INET, socket.SOCK_STREAM)

    def _write_file(self, path: str) -> None:
        Path(path).write_text("mine")

    def _read_file(self, path: str) -> None:
        Path(path).read_text()

    def _remove_file(self, path: str) -> None:
        Path(path).unlink()

    def _kill(self, process: int) -> None:
        os.kill(process, 9)

    def _make_memory(self) -> None:
        os.memfd_create("mine")

    def _survive_parent(self) -> None:
        self._system_call(157 if os.uname().machine == "x86_64" else 167, 1, 0)

    def _raise_limits(self) -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))

    def _make_segment(self) -> None:
        self._system_call(29 if os.uname().machine == "x86_64" else 194, 0, 4096, 0o1600)

    def _write_mapping(self, file: int) -> None:
        mmap.mmap(file, 0, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)

    def _system_call(self, *arguments: int) -> None:
        if LIBC.syscall(*arguments) < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def prepare(harden: Callable[[], None]) -> ThreadPoolExecutor:
    """A thread as a driver starts them: before the process gives its rights up."""
    early = ThreadPoolExecutor(1)
    early.submit(time.sleep, 0).result()
    return early


def open_program(ask: Ask, prepared: ThreadPoolExecutor) -> Misbehaving:
    sys.stdin.close()
    return Misbehaving(ask, prepared)
