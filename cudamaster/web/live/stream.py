"""Server-sent events: a page's changes, each as soon as it is seen, until the page is over.

An event's id is the view's version, so that a browser that asks with what its page shows (`?seen=`), or again
after it lost the connection, is sent only what it has not seen; the end of a run is always sent. https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse

POLL_SECONDS = 0.25
"""How often a journal is looked at; it costs one `stat`."""
ALIVE_SECONDS = 15.0
"""Something is sent at least this often, so that neither end takes a quiet run for a lost connection."""
REST = 4.0
"""After a view that took long to make, the run's own work goes first for so many times as long."""
RETRY_MS = 1000
"""When a browser asks again after a lost connection."""


@dataclass(frozen=True, slots=True)
class View:
    """What a page shows at one moment."""

    version: str
    """Another one for every other content."""
    html: str
    title: str
    line: str
    """Where things are, in one line, for the screen reader too."""
    over: bool = False
    """Whether nothing more will come."""


class Page(Protocol):
    """Something whose view changes."""

    def view(self) -> View:
        """What it shows now."""


@dataclass(slots=True)
class Watch:
    """A page as all who ask see it: its view is made once at a time, however many they are."""

    page: Page
    poll_seconds: float = POLL_SECONDS
    _making: asyncio.Lock = field(default_factory=asyncio.Lock)
    _last: View | None = None
    _again: float = 0.0
    """When the last view has been shown long enough."""

    async def now(self) -> View:
        """As it stands."""
        async with self._making:
            return await self._made()

    async def lately(self) -> View:
        """As it stood a moment ago; of a view that took long to make, some moments."""
        async with self._making:
            if self._last is not None and monotonic() < self._again:
                return self._last
            return await self._made()

    async def _made(self) -> View:
        begun = monotonic()
        self._last = await run_in_threadpool(self.page.view)
        self._again = monotonic() + max(self.poll_seconds, REST * (monotonic() - begun))
        return self._last


@dataclass(frozen=True, slots=True)
class Stream:
    """Tells browsers of a page's changes, until `ending` says that the server ends."""

    ending: Callable[[], bool]

    def response(self, request: Request, watch: Watch) -> StreamingResponse:
        """The endless answer to a browser's EventSource."""
        seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")
        return StreamingResponse(self._events(watch, seen), media_type="text/event-stream")

    async def _events(self, watch: Watch, seen: str) -> AsyncIterator[str]:
        yield f"retry: {RETRY_MS}\n\n"
        told = monotonic()
        while not self.ending():
            view = await watch.lately()
            if view.version != seen or view.over:
                seen, told = view.version, monotonic()
                yield event_text(view)
            if view.over:
                return
            await asyncio.sleep(watch.poll_seconds)
            if monotonic() - told >= ALIVE_SECONDS:
                told = monotonic()
                yield ": alive\n\n"


def event_text(view: View) -> str:
    """A view as an event; its JSON is one line whatever the page holds."""
    content = {"html": view.html, "title": view.title, "line": view.line, "over": view.over}
    return f"id: {view.version}\ndata: {json.dumps(content)}\n\n"
