"""An application on a real port of this machine, in a thread, and plain requests to it."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from typing import Any

from starlette.types import ASGIApp

from cudamaster.web.live.connection import Connection
from cudamaster.web.live.serving import Place, Server, address_of, listening


@dataclass
class Served:
    """A server that answers."""

    port: int
    address: str
    """What a browser opens."""

    def get(self, path: str, method: str = "GET", **headers: str) -> HTTPResponse:
        """The answer, its body not read yet; `Host` is right where none is given."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        return connection.getresponse()

    def events(self, path: str, **headers: str) -> "Events":
        """The stream of events there."""
        return Events(self.get(path, **headers))


@dataclass
class Events:
    """A stream of server-sent events, read one by one."""

    answer: HTTPResponse
    ids: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for line in self.answer:
            if line.startswith(b"id: "):
                self.ids.append(line[4:].decode().strip())
            if line.startswith(b"data: "):
                yield json.loads(line[6:])

    def close(self) -> None:
        """As a browser does that is closed."""
        self.answer.close()


@contextmanager
def served(
    make: Callable[[Callable[[], bool]], ASGIApp],
    token: str = "",
    port: int = 0,
    connection: type[Connection] = Connection,
) -> Iterator[Served]:
    """What `make` makes of `ending`, served until the block ends; at any port where none is given."""
    place = Place("127.0.0.1", port, token)
    with listening(place) as listener:
        server = Server(place, connection)
        thread = threading.Thread(target=server.serve, args=(make(server.ending), listener))
        thread.start()
        try:
            yield Served(listener.getsockname()[1], address_of(place, listener))
        finally:
            server.end()
            thread.join(10)
    assert not thread.is_alive()
