"""The process that judges: one device, opened when it is first needed, and one request after another."""

import multiprocessing
import os
import signal
import sys
import threading
import time
from contextlib import ExitStack
from multiprocessing.connection import Connection
from types import FrameType

from cudamaster.cli.boundary import sentence_and_code
from cudamaster.cli.opening import Opening
from cudamaster.cli.serving.desk import Desk
from cudamaster.cli.serving.messages import Answer, Progress, Refusal, Reply, Request, Service

ENDING_SECONDS = 2.0
"""How long what is under way has to end in order."""


def judge_requests(line: Connection, service: Service, means: Opening) -> None:
    """Answer what comes over `line` until it closes or SIGTERM comes; the device is closed then."""
    signal.signal(signal.SIGTERM, _end)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides when this ends
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    with ExitStack() as open_things:
        judging = Judging(line, service, means, open_things)
        while (request := _next(line)) is not None:
            line.send(judging.reply(request))


def _end(number: int, frame: FrameType | None) -> None:
    sys.exit(128 + number)


def _end_with_the_server() -> None:
    """End this process where the server was killed: it could not say so."""
    server = multiprocessing.parent_process()
    assert server is not None
    server.join()
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(ENDING_SECONDS)
    os._exit(128 + signal.SIGTERM)


def _next(line: Connection) -> Request | None:
    try:
        request = line.recv()
    except EOFError:
        return None
    assert isinstance(request, Request)
    return request


class Judging:
    """A desk that is opened with the first request."""

    def __init__(self, line: Connection, service: Service, means: Opening, open_things: ExitStack) -> None:
        self._line, self._service, self._means, self._open_things = line, service, means, open_things
        self._desk: Desk | None = None

    def reply(self, request: Request) -> Reply:
        """The answer, or in one sentence why there is none."""
        try:
            return Answer(self._opened().answer(request, self._say))
        except BrokenPipeError:
            raise
        except Exception as fault:  # noqa: BLE001 (a process boundary)
            return Refusal(sentence_and_code(fault)[0])

    def _opened(self) -> Desk:
        if self._desk is None:
            device, reason = self._open_things.enter_context(self._means.device(self._service.device))
            self._say(f"on {device.name} ({reason})")
            self._desk = Desk(self._means, device, self._service)
        return self._desk

    def _say(self, words: str) -> None:
        self._line.send(Progress(words))
