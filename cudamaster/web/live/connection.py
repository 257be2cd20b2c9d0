"""Connections that nobody can hold for nothing: a request comes soon, and there are only so many at once."""

import asyncio
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle


class Connection(H11Protocol):
    """HTTP/1.1 as uvicorn speaks it; whoever connects and does not ask is let go.

    A flood of half requests would else take every file descriptor, and with them the pages of all others.
    """

    patience_seconds: ClassVar[float] = 10.0
    """A connection on which nothing is answered and no new request came for so long is closed."""
    most: ClassVar[int] = 400
    """Connections at once; far fewer than the usual limit of open files."""
    _last: RequestResponseCycle | None = None
    """The request that the last look saw."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, unless there are too many."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self.loop.call_later(self.patience_seconds, self._look)

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        idle = self.cycle is None or self.cycle.response_complete
        if idle and self.cycle is self._last:
            self.transport.close()
            return
        self._last = self.cycle
        self.loop.call_later(self.patience_seconds, self._look)
