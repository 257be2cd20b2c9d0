"""Where is served, and what is said where that cannot be."""

import socket

import pytest

from cudamaster.errors import UsageError
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.web.live.serving import Place, address_of, is_loopback, listening, placed


def test_loopback_needs_no_token() -> None:
    for host in ("127.0.0.1", "::1", "localhost", "127.8.8.8"):
        assert is_loopback(host)
        assert placed(host, 0, None).token == ""
    assert placed("localhost", 0, "mine").token == "mine"


def test_elsewhere_a_token_is_made_where_none_is_given() -> None:
    for host in ("0.0.0.0", "::", "192.168.0.7", "a.example"):
        assert not is_loopback(host)
        assert len(placed(host, 0, None).token) >= 32
        assert placed(host, 0, "mine").token == "mine"
    assert placed("::", 0, None).token != placed("::", 0, None).token


def test_a_token_is_not_shown_with_its_place() -> None:
    assert "mine" not in repr(placed("::", 0, "mine"))


def test_a_port_in_use_is_said_in_one_sentence() -> None:
    with listening(Place("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        with pytest.raises(EnvironmentLacks, match=f"port {port} on 127.0.0.1 is in use: give another"):
            listening(Place("127.0.0.1", port))


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.name.invalid", "a" * 70, "\ud800"])
def test_a_host_that_is_not_this_machine_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match=f"--host {host} is no "):
        listening(Place(host, 0))


def test_the_address_is_what_a_browser_opens() -> None:
    with listening(Place("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
        assert address_of(Place("127.0.0.1", 0), held) == f"http://127.0.0.1:{port}/"
        assert address_of(Place("127.0.0.1", 0, "a b"), held) == f"http://127.0.0.1:{port}/?token=a%20b"
    with listening(Place("0.0.0.0", 0)) as held:
        port = held.getsockname()[1]
        assert address_of(Place("0.0.0.0", 0), held) == f"http://{socket.gethostname()}:{port}/"
