"""Changes of a page reach whoever listens, each once, until the page is over or the server ends."""

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from cudamaster.web.live.stream import Stream, View, Watch, event_text
from tests.doubles.served import Served, served


def view(version: str, over: bool = False) -> View:
    return View(version, f"<p>{version}</p>", "title", f"line {version}", over)


@dataclass
class ScriptedPage:
    """Shows one view after another, then the last for ever."""

    views: Sequence[View]
    seconds: float = 0.0
    """What a view takes to make."""
    asked: list[int] = field(default_factory=list)

    def view(self) -> View:
        self.asked.append(1)
        time.sleep(self.seconds)
        return self.views[min(len(self.asked), len(self.views)) - 1]


SLOW = ScriptedPage([*(view("a") for _ in range(4)), view("b", over=True)], seconds=0.05)
PAGES: dict[str, Callable[[], ScriptedPage]] = {
    "over": lambda: ScriptedPage([view("a"), view("a"), view("b", over=True)]),
    "slow": lambda: SLOW,
    "endless": lambda: ScriptedPage([view("a")]),
}


def app(ending: Callable[[], bool]) -> Starlette:
    def answer(request: Request) -> StreamingResponse:
        return Stream(ending).response(request, Watch(PAGES[request.path_params["name"]](), 0.01))

    return Starlette(routes=[Route("/{name}", answer)])


@pytest.fixture
def server() -> Iterator[Served]:
    with served(app) as running:
        yield running


def test_each_change_comes_once_and_the_stream_ends_with_the_page(server: Served) -> None:
    events = server.events("/over")
    told = list(events)
    assert [event["line"] for event in told] == ["line a", "line b"]
    assert [event["over"] for event in told] == [False, True]
    assert events.ids == ["a", "b"]
    assert events.answer.headers["Content-Type"].startswith("text/event-stream")


def test_who_asks_again_is_sent_only_what_is_new(server: Served) -> None:
    assert [event["line"] for event in server.events("/over", Last_Event_Id="a")] == ["line b"]


def test_a_server_that_ends_ends_its_streams() -> None:
    with served(app) as running:
        events = running.events("/endless")
        assert next(iter(events))["line"] == "line a"
    assert list(events) == []


def test_a_page_that_takes_long_to_make_leaves_the_machine_to_the_run(server: Served) -> None:
    begun = time.monotonic()
    assert [event["line"] for event in server.events("/slow")] == ["line a", "line b"]
    assert len(SLOW.asked) == 5
    assert time.monotonic() - begun >= 5 * 0.05 + 4 * 4 * 0.05


def test_a_view_is_made_once_at_a_time_for_all_who_ask_for_it() -> None:
    page = ScriptedPage([view("a")], seconds=0.05)

    async def ask() -> list[View]:
        watch = Watch(page)
        return await asyncio.gather(*(watch.lately() for _ in range(50)))

    assert asyncio.run(ask()) == [view("a")] * 50
    assert len(page.asked) == 1


def test_what_a_page_holds_stays_within_its_event() -> None:
    text = event_text(View("v", "one\ntwo\r\n\ndata: three\u2028", "t", "l"))
    assert text.count("\n") == 3
    assert text.isascii()
