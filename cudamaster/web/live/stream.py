"""Server-sent events: a page's changes, each as soon as it is seen, until the page is over.

An event's id is the view's version, so that a browser that asks with what its page shows (`?seen=`), or again
after it lost the connection, is sent only what it has not seen; the end of a run is always sent. https://html.spec.whatwg.org/multipage/server-sent-events.html
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Stream:
    """Tells browsers of a page's changes, until `ending` says that the server ends."""

    ending: Callable[[], bool]
    poll_seconds: float = POLL_SECONDS

    def response(self, request: Request, page: Page) -> StreamingResponse:
        """The endless answer to a browser's EventSource."""
        seen = request.headers.get("last-event-id") or request.query_params.get("seen", "")
        return StreamingResponse(self._events(page, seen), media_type="text/event-stream")

    async def _events(self, page: Page, seen: str) -> AsyncIterator[str]:
        yield f"retry: {RETRY_MS}\n\n"
        silent = 0.0
        while not self.ending():
            begun = monotonic()
            view = await run_in_threadpool(page.view)
            rest = max(self.poll_seconds, REST * (monotonic() - begun))
            if view.version != seen or view.over:
                seen, silent = view.version, 0.0
                yield event_text(view)
            if view.over:
                return
            await asyncio.sleep(rest)
            silent += rest
            if silent >= ALIVE_SECONDS:
                silent = 0.0
                yield ": alive\n\n"


def event_text(view: View) -> str:
    """A view as an event; its JSON is one line whatever the page holds."""
    content = {"html": view.html, "title": view.title, "line": view.line, "over": view.over}
    return f"id: {view.version}\ndata: {json.dumps(content)}\n\n"
