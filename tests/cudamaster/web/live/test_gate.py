"""Who may ask the server, and what every answer carries."""

from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from cudamaster.web.live.gate import host_name, is_address
from tests.doubles.served import Served, served

TOKEN = "a token of letters"


def page(_: Request) -> PlainTextResponse:
    return PlainTextResponse("the page")


def app(_: object) -> Starlette:
    return Starlette(routes=[Route("/{path:path}", page)])


@pytest.fixture(scope="module")
def opened() -> Iterator[Served]:
    with served(app) as server:
        yield server


@pytest.fixture(scope="module")
def guarded() -> Iterator[Served]:
    with served(app, token=TOKEN) as server:
        yield server


@pytest.mark.parametrize("host", ["127.0.0.1:80", "localhost", "LOCALHOST:8", "[::1]:8642", "192.168.0.7"])
def test_addresses_and_localhost_are_this_server(opened: Served, host: str) -> None:
    answer = opened.get("/", Host=host)
    assert (answer.status, answer.read()) == (200, b"the page")


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "a@localhost", "[::1", ""]
)
def test_another_name_is_turned_away(opened: Served, host: str) -> None:
    answer = opened.get("/", Host=host)
    assert answer.status == 421
    assert b"the page" not in answer.read()


def test_every_answer_forbids_frames_caches_and_referrers(opened: Served) -> None:
    for host in ("localhost", "evil.example"):
        headers = opened.get("/", Host=host).headers
        assert headers["Content-Security-Policy"] == "frame-ancestors 'none'"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_nothing_is_written(opened: Served) -> None:
    assert opened.get("/", method="POST").status == 405


@pytest.mark.parametrize("query", ["", "?token=", "?token=a+token+of+letter", "?token=%C3%A4"])
def test_without_the_token_nothing_is_shown(guarded: Served, query: str) -> None:
    answer = guarded.get(f"/runs/{query}")
    assert answer.status == 403
    assert b"the page" not in answer.read()


def test_the_token_opens_a_session_and_leaves_the_address(guarded: Served) -> None:
    assert guarded.address.endswith("?token=a%20token%20of%20letters")
    answer = guarded.get("/runs/one/?token=a%20token%20of%20letters")
    assert (answer.status, answer.headers["Location"]) == (303, "/runs/one/")
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert "token" not in cookie.partition("=")[2]
    session = cookie.partition(";")[0]
    assert guarded.get("/runs/one/", Cookie=session).read() == b"the page"
    assert guarded.get("/runs/one/", Cookie=session[:-1]).status == 403


def test_the_redirection_stays_on_this_server(guarded: Served) -> None:
    answer = guarded.get("//evil.example/?token=a%20token%20of%20letters")
    assert answer.headers["Location"] == "/evil.example/"


def test_programs_bring_the_token_as_a_bearer(guarded: Served) -> None:
    assert guarded.get("/", Authorization=f"Bearer {TOKEN}").read() == b"the page"
    assert guarded.get("/", Authorization="Bearer another").status == 403
    assert guarded.get("/", Authorization=f"Basic {TOKEN}").status == 403


def test_the_name_in_a_host_header() -> None:
    assert host_name("Localhost:80") == "localhost"
    assert host_name("[fe80::1]:80") == "fe80::1"
    assert host_name("[fe80::1") == ""
    assert is_address("fe80::1")
    assert not is_address("10.0.0.1.example")
