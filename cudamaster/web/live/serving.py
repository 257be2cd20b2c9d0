"""The server's socket, its addresses, and its life from the first request to Ctrl-C."""

import errno
import ipaddress
import secrets
import socket
from dataclasses import dataclass, field
from urllib.parse import quote

import uvicorn
from starlette.types import ASGIApp

from cudamaster.errors import UsageError
from cudamaster.toolchain.errors import EnvironmentLacks
from cudamaster.web.live.connection import Connection
from cudamaster.web.live.gate import Gate

SHUTDOWN_SECONDS = 3
"""What a request that is being answered has left when the server ends."""
BACKLOG = 128
"""Connections that wait, and are taken at once: with those that are held, no more than files may
be open."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where pages are served."""

    host: str
    port: int
    """0 for any that is free."""
    token: str = field(default="", repr=False)


def placed(host: str, port: int, token: str | None) -> Place:
    """Where to serve; elsewhere than on loopback only with a token, made where none is given."""
    if not is_loopback(host):
        token = token or secrets.token_urlsafe(24)
    return Place(host, port, token or "")


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine reach that address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening(place: Place) -> socket.socket:
    """A socket that listens there. Raises EnvironmentLacks, and UsageError for a host that is not ours."""
    try:
        family, *_, address = socket.getaddrinfo(place.host, place.port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=BACKLOG)
    except socket.gaierror as fault:
        raise UsageError(f"--host {place.host} is no name of this machine: {fault.strerror}") from fault
    except UnicodeError as fault:
        raise UsageError(f"--host {place.host} is no name of any machine: {fault}") from fault
    except OSError as fault:
        raise refused(place, fault) from fault


def refused(place: Place, fault: OSError) -> Exception:
    """Why that port cannot be had, in one sentence."""
    if fault.errno == errno.EADDRNOTAVAIL:
        return UsageError(f"--host {place.host} is no address of this machine")
    why = {errno.EADDRINUSE: "is in use", errno.EACCES: "needs more rights"}
    says = why.get(fault.errno or 0, f"cannot be had ({fault.strerror})")
    return EnvironmentLacks(
        f"port {place.port} on {place.host} {says}: give another, or --port 0 for any free"
    )


def address_of(place: Place, listener: socket.socket, path: str = "") -> str:
    """What to open in a browser, with the token where there is one."""
    host, port = listener.getsockname()[:2]
    if ipaddress.ip_address(host).is_unspecified:
        host = socket.gethostname()
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/{path}" + (f"?token={quote(place.token)}" if place.token else "")


class Server:
    """Serves one application until it is told to end."""

    def __init__(self, place: Place, connection: type[Connection] = Connection) -> None:
        self._place = place
        self._connection = connection
        self._server: uvicorn.Server | None = None

    def ending(self) -> bool:
        """Whether streams are to end, since the server does."""
        return self._server is not None and self._server.should_exit

    def end(self) -> None:
        """Answer no more requests; may be called from another thread."""
        if self._server is not None:
            self._server.should_exit = True

    def serve(self, app: ASGIApp, listener: socket.socket) -> None:
        """Answer requests until `end`, or until Ctrl-C or SIGTERM, whose handlers are called then."""
        names = frozenset(name.lower() for name in (self._place.host, socket.gethostname()))
        config = uvicorn.Config(
            Gate(app, names, self._place.token),
            http=self._connection,
            backlog=BACKLOG,
            lifespan="off",
            ws="none",
            log_config=None,
            access_log=False,  # addresses may hold the token
            server_header=False,
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        self._server = uvicorn.Server(config)
        self._server.run(sockets=[listener])
