"""The server's end of the process that judges: requests wait for their turn, and a cancelled one ends it."""

import multiprocessing
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import anyio
from anyio import to_thread

from cudamaster.cli.opening import Opening
from cudamaster.cli.serving.judging_process import ENDING_SECONDS, judge_requests
from cudamaster.cli.serving.messages import Answer, Progress, Refusal, Reply, Request, Service
from cudamaster.report.document import Json

HEARTBEAT_SECONDS = 10.0
"""An agent hears something at least this often: many clients give up on a silent call."""

Say = Callable[[str], Awaitable[None]]


class Unanswered(Exception):
    """A request that cannot be followed; the message is one sentence for the agent."""


class Bench:
    """One process with one device, started when first needed, and anew after a request was cancelled."""

    def __init__(self, service: Service, means: Opening) -> None:
        self._service, self._means = service, means
        self._turn = anyio.Lock()
        self._process: BaseProcess | None = None
        self._line: Connection | None = None

    async def ask(self, request: Request, say: Say) -> Json:
        """The answer to `request`, in its turn. Raises Unanswered."""
        if self._turn.locked():
            await say("waiting: another kernel is being judged")
        async with self._turn:
            return await self._ask(request, say)

    async def _ask(self, request: Request, say: Say) -> Json:
        reply: Answer | Refusal | None = None
        try:
            line = await to_thread.run_sync(self._opened)
            await to_thread.run_sync(line.send, request)
            reply = await self._heard(line, say)
        except (EOFError, OSError):
            raise Unanswered(
                "the process that judges kernels ended on its own, for want of memory perhaps: ask once more"
            ) from None
        finally:
            if reply is None:  # cancelled or lost: what is under way must not go on
                with anyio.CancelScope(shield=True):
                    await to_thread.run_sync(self.close)
        if isinstance(reply, Refusal):
            raise Unanswered(reply.sentence)
        return reply.document

    async def _heard(self, line: Connection, say: Say) -> Answer | Refusal:
        last = "starting"
        while True:
            reply = await to_thread.run_sync(next_reply, line, abandon_on_cancel=True)
            match reply:
                case Progress(words):
                    last = words
                    await say(words)
                case None:
                    await say(f"still {last}")
                case _:
                    return reply

    def _opened(self) -> Connection:
        if self._line is None or self._process is None or not self._process.is_alive():
            self.close()
            fresh = multiprocessing.get_context("spawn")  # a fork would copy the server's threads' locks
            self._line, theirs = fresh.Pipe()
            arguments = (theirs, self._service, self._means)
            self._process = fresh.Process(target=judge_requests, args=arguments, daemon=True)
            self._process.start()
            theirs.close()
        return self._line

    def close(self) -> None:
        """End the process and what it runs."""
        if self._process is not None:
            self._process.terminate()
            self._process.join(ENDING_SECONDS)
            self._process.kill()
            self._process.join()
        if self._line is not None:
            self._line.close()
        self._process = self._line = None


def next_reply(line: Connection) -> Reply | None:
    """What comes next; None where nothing came for a while. Raises EOFError, OSError."""
    reply: Reply | None = line.recv() if line.poll(HEARTBEAT_SECONDS) else None
    return reply
