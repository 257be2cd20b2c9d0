"""A worker program whose guest does what it is told: every way a guest was thought to end or to lie."""

import ctypes
import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cudamaster.toolchain.worker.guest import Guest, GuestBusy, fork_guest
from cudamaster.toolchain.worker.program import Ask
from cudamaster.toolchain.worker.wire import ConnectionEnded, receive_message, send_message


def preload() -> None:
    pass


def prepare(harden: Callable[[], None]) -> Guest:
    return fork_guest(serve, harden, busy_seconds=0.2)


def serve(link: socket.socket) -> None:
    """Answer `do` with what the function of that name says, until the worker is gone."""
    while True:
        try:
            request, _ = receive_message(link)
        except ConnectionEnded:
            return
        answer = globals()[f"do_{request['do']}"](link, *request.get("with", ()))
        send_message(link, {"answer": answer})


def do_facts(link: socket.socket) -> Any:
    files = sorted(int(name) for name in os.listdir("/proc/self/fd"))  # noqa: PTH208
    return {"pid": os.getpid(), "parent": os.getppid(), "files": files, "link": link.fileno()}


def do_exit(link: socket.socket, code: int) -> None:
    ctypes.CDLL(None).exit(code)


def do_segfault(link: socket.socket) -> None:
    ctypes.string_at(8)


def do_abort(link: socket.socket) -> None:
    ctypes.CDLL(None).abort()


def do_close(link: socket.socket) -> None:
    link.close()
    time.sleep(100)


def do_garbage(link: socket.socket) -> None:
    link.sendall(b"\x04\x00\x00\x00no{}")
    time.sleep(100)


def do_raise(link: socket.socket) -> None:
    raise KeyError("of the guest")


def do_fork(link: socket.socket) -> Any:
    try:
        return os.fork()
    except OSError as error:
        return error.strerror


def do_loop(link: socket.socket) -> None:
    while True:
        pass


def do_rest(link: socket.socket) -> str:
    time.sleep(1.5)
    return "rested"


class Hosting:
    def __init__(self, guest: Guest) -> None:
        self._guest = guest

    def answer(self, request: Mapping[str, Any], files: Sequence[int]) -> Mapping[str, Any]:
        self._guest.send(request)
        try:
            return {**self._guest.receive(), "worker": os.getpid()}
        except GuestBusy as busy:
            return {"busy": str(busy)}


def open_program(ask: Ask, prepared: Guest) -> Hosting:
    return Hosting(prepared)
