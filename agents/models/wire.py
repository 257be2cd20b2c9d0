"""What a server may take of our time and memory, whatever it sends: a hook on each of its responses."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx2

from cudamaster.agents.models.calling import Unusable, wait_asked_for

LONGEST_WAIT_SECONDS = 120.0
"""A server that asks for a longer pause than this is not waited for."""
LARGEST_BYTES = 32 << 20
"""An answer of 32,000 tokens, each in an event of its own, has 10 MB."""
NO_STREAMS = ("text/html", "application/json")


def bounded(seconds: float) -> Callable[[httpx2.Response], None]:
    """A hook: a response takes no longer and is no larger, and asks for no longer pause."""

    def hook(response: httpx2.Response) -> None:
        if wait_asked_for(response.headers) > LONGEST_WAIT_SECONDS:
            response.headers["x-should-retry"] = "false"  # both libraries heed it
        response.stream = BoundedStream(response.stream, seconds, _no_stream(response))

    return hook


def _no_stream(response: httpx2.Response) -> str:
    """The kind of what came where a stream of events was asked for; empty for events and errors."""
    kind = str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
    return kind if response.status_code == httpx2.codes.OK and kind in NO_STREAMS else ""


class BoundedStream(httpx2.SyncByteStream):
    """The bytes of a response. Raises Unusable within them."""

    def __init__(self, stream: Any, seconds: float, no_stream: str) -> None:
        self._stream, self._seconds, self._no_stream = stream, seconds, no_stream

    def __iter__(self) -> Iterator[bytes]:
        if self._no_stream:
            raise Unusable(f"sends {self._no_stream} in place of a stream of events: is its address right?")
        begun, received = time.monotonic(), 0
        for piece in self._stream:
            received += len(piece)
            if received > LARGEST_BYTES:
                raise Unusable(f"sends more than {LARGEST_BYTES >> 20} MiB for one answer")
            if time.monotonic() - begun > self._seconds:
                raise Unusable(f"has not ended its answer after {self._seconds:g} s")
            yield piece

    def close(self) -> None:
        """Close the connection's."""
        self._stream.close()
