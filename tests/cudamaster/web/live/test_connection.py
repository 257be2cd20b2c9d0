"""Who connects and does not ask is let go; who asks is served, however long the answer takes."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from cudamaster.web.live.connection import Connection
from tests.doubles.served import Served, served


class Hasty(Connection):
    """Waits for a request no longer than a test may take."""

    patience_seconds = 0.2


class Crowded(Connection):
    """Has room for four."""

    most = 4


async def soon(_: Request) -> Response:
    return PlainTextResponse("here")


async def slowly(_: Request) -> Response:
    async def parts() -> AsyncIterator[str]:
        for part in ("one ", "two ", "three"):
            yield part
            await asyncio.sleep(0.3)

    return StreamingResponse(parts())


def app(_: Callable[[], bool]) -> Starlette:
    return Starlette(routes=[Route("/soon", soon), Route("/slowly", slowly)])


@pytest.fixture
def server() -> Iterator[Served]:
    with served(app, connection=Hasty) as running:
        yield running


def connected(server: Served, said: bytes) -> socket.socket:
    """A connection on which this was said."""
    client = socket.create_connection(("127.0.0.1", server.port), timeout=10)
    client.sendall(said)
    return client


ASKED = b"GET /soon HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.mark.parametrize("said", [b"", ASKED[:-2], b"GET /soon HT"])
def test_half_a_request_is_not_waited_for(server: Served, said: bytes) -> None:
    with connected(server, said) as client:
        assert client.recv(1000) == b""


def test_half_a_request_after_a_whole_one_is_not_waited_for_either(server: Served) -> None:
    with connected(server, ASKED + ASKED[:-2]) as client:
        said = b"".join(iter(lambda: client.recv(1000), b""))
    assert said.count(b"HTTP/1.1 200") == 1


def test_an_answer_may_take_longer(server: Served) -> None:
    assert server.get("/slowly").read() == b"one two three"


def test_there_are_only_so_many_connections_and_room_again_when_they_end() -> None:
    with served(app, connection=Crowded) as server:
        held = [connected(server, b"GET") for _ in range(Crowded.most)]
        with connected(server, b"") as late:
            assert late.recv(1000) == b""
        for client in held:
            client.sendall(ASKED[3:])
            assert client.recv(1000).startswith(b"HTTP/1.1 200")
            client.close()
        assert server.get("/soon").read() == b"here"
