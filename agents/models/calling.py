"""Calls a provider's library: what went wrong becomes one of two errors, and a broken stream is asked again.

Both libraries come from one generator and name their exceptions alike. They retry by themselves what fails
before an answer begins (429 with its retry-after, 5xx, connections); what breaks off later is theirs to tell
and ours to ask again.
"""

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

from cudamaster.agents.errors import ModelMisused, ModelUnavailable

T = TypeVar("T")
CONNECT_SECONDS = 15.0
SERVER_WORDS = 300
"""Most characters of a server's message that are shown."""


@dataclass(frozen=True, slots=True)
class Access:
    """How a server is reached."""

    key: str
    """The API key. Never printed, logged or stored."""
    variable: str
    """Where the key came from, for messages."""
    base_url: str | None = None
    """None for the provider's own server."""
    silence_seconds: float = 180.0
    """Longest pause within an answer."""
    retries: int = 5
    """Before an answer begins, and again after one broke off."""
    first_pause_seconds: float = 1.0
    """Before a broken answer is asked for again; doubles each time."""

    def __repr__(self) -> str:
        """Without the key."""
        return f"Access(variable={self.variable!r}, base_url={self.base_url!r})"

    def client_settings(self, library: Any) -> dict[str, Any]:
        """Keyword arguments for the library's client."""
        timeout = library.Timeout(self.silence_seconds, connect=CONNECT_SECONDS)
        settings = {"api_key": self.key, "timeout": timeout, "max_retries": self.retries}
        return settings | ({"base_url": self.base_url} if self.base_url else {})

    def without_key(self, text: str) -> str:
        """`text` with the key blotted out."""
        return text.replace(self.key, "***") if self.key else text


class BrokenOff(Exception):
    """An answer ended before its end."""


def asked(library: ModuleType, access: Access, model: str, ask: Callable[[], T]) -> T:
    """What `ask` returns, asked again where the answer breaks off. Raises ModelMisused, ModelUnavailable."""
    pause = access.first_pause_seconds
    for _ in range(access.retries):
        try:
            with _understood(library, access, model):
                return ask()
        except BrokenOff:
            time.sleep(pause * random.uniform(0.75, 1.25))
            pause *= 2
    with _understood(library, access, model):
        try:
            return ask()
        except BrokenOff:
            raise ModelUnavailable(f"{model}: the answer broke off {access.retries + 1} times") from None


@contextmanager
def _understood(library: Any, access: Access, model: str) -> Iterator[None]:
    """The library's exceptions as ours; a connection that is lost within an answer as BrokenOff."""
    try:
        yield
    except (library.AuthenticationError, library.PermissionDeniedError) as fault:
        raise ModelMisused(
            f"{model}: the server refuses the key in {access.variable} ({fault.status_code})"
        ) from None
    except library.NotFoundError:
        raise ModelMisused(f"{model}: the server knows no such model or address (404)") from None
    except library.RateLimitError as fault:
        raise ModelUnavailable(f"{model}: rate limit or quota (429): {_words(fault, access)}") from None
    except library.InternalServerError as fault:
        raise ModelUnavailable(
            f"{model}: the server fails ({fault.status_code}): {_words(fault, access)}"
        ) from None
    except library.APIStatusError as fault:
        raise ModelMisused(
            f"{model}: the server refuses the request ({fault.status_code}): {_words(fault, access)}"
        ) from None
    except (library.APITimeoutError, library.APIConnectionError) as fault:
        raise ModelUnavailable(f"{model}: no answer from the server: {_words(fault, access)}") from None
    except (library.APIError, ValueError) as fault:
        raise ModelUnavailable(
            f"{model}: the server's answer is not understood: {_words(fault, access)}"
        ) from None


def _words(fault: Exception, access: Access) -> str:
    return access.without_key(str(fault))[:SERVER_WORDS]


def unbroken(library: Any, events: Any) -> Iterator[Any]:
    """The events of a stream. Raises BrokenOff where the connection is lost between them."""
    import httpx2

    try:
        yield from events
    except (httpx2.TransportError, library.APIConnectionError) as fault:
        raise BrokenOff(str(fault)) from fault
