"""Calls a provider's library: what went wrong becomes one of two errors, and a broken stream is asked again.

Both libraries come from one generator and name their exceptions alike. They retry by themselves what fails
before an answer begins (429 with its retry-after, 5xx, connections); what breaks off later is theirs to tell
and ours to ask again.
"""

import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import ModuleType
from typing import Any

from cudamaster.agents.errors import ModelMisused, ModelUnavailable
from cudamaster.agents.models.model import Model, Reply
from cudamaster.agents.replies import legible

CONNECT_SECONDS = 15.0
SERVER_WORDS = 300
"""Most characters of a server's message that are shown."""
SHORTEST_SECRET = 8
"""Characters. Servers of one's own take any key, and a text without each `1` would be another text."""
NOT_UNDERSTOOD = (ValueError, TypeError, AttributeError, LookupError, RuntimeError)
"""What the libraries raise on answers that follow no protocol, whose fields they do not check."""


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
    answer_seconds: float = 1800.0
    """Longest answer in whole."""

    def __repr__(self) -> str:
        """Without the key."""
        return f"Access(variable={self.variable!r}, base_url={self.base_url!r})"

    def client_settings(self, library: Any) -> dict[str, Any]:
        """Keyword arguments for the library's client."""
        from cudamaster.agents.models.wire import bounded

        timeout = library.Timeout(self.silence_seconds, connect=CONNECT_SECONDS)
        hooks = {"response": [bounded(self.answer_seconds)]}
        client = library.DefaultHttpxClient(timeout=timeout, event_hooks=hooks)
        settings = {"api_key": self.key, "max_retries": self.retries, "http_client": client}
        return settings | ({"base_url": self.base_url} if self.base_url else {})

    def without_key(self, text: str) -> str:
        """`text` with the key blotted out."""
        return text.replace(self.key, "***") if len(self.key) >= SHORTEST_SECRET else text


class BrokenOff(Exception):
    """An answer ended before its end; the message says how."""


class Unusable(Exception):
    """A server sends what can be no answer; the message says what, after `the server`."""


def asked(library: ModuleType, access: Access, model: Model, ask: Callable[[], Reply]) -> Reply:
    """What `ask` returns, with its cost, asked again where it breaks off.

    Raises ModelMisused, ModelUnavailable.
    """
    begun = time.monotonic()
    reply = _whole(library, access, model.name, ask)
    return replace(
        reply,
        text=legible(access.without_key(reply.text)),
        model=legible(access.without_key(str(reply.model))),
        cost_usd=None if model.price is None else model.price.cost_usd(reply.usage),
        seconds=round(time.monotonic() - begun, 3),
    )


def _whole(library: ModuleType, access: Access, model: str, ask: Callable[[], Reply]) -> Reply:
    pause, times = access.first_pause_seconds, access.retries + 1
    for left in reversed(range(times)):
        try:
            with _understood(library, access, model):
                return ask()
        except BrokenOff as fault:
            why = _words(fault, access)
        if left:
            time.sleep(pause * random.uniform(0.75, 1.25))
            pause *= 2
    raise ModelUnavailable(f"{model}: the answer broke off {times} times: {why}")


@contextmanager
def _understood(library: Any, access: Access, model: str) -> Iterator[None]:
    """The library's exceptions as ours; a connection that is lost within an answer as BrokenOff."""
    try:
        yield
    except library.APIStatusError as fault:
        raise _refusal(library, fault, access, model) from None
    except (library.APITimeoutError, library.APIConnectionError) as fault:
        raise ModelUnavailable(f"{model}: no answer from the server: {_words(fault, access)}") from None
    except library.APIError as fault:  # told within an answer
        raise BrokenOff(str(fault)) from None
    except Unusable as fault:
        raise ModelUnavailable(f"{model}: the server {fault}") from None
    except NOT_UNDERSTOOD as fault:
        raise ModelUnavailable(
            f"{model}: the server's answer is not understood: {_words(fault, access)}"
        ) from None


def _refusal(library: Any, fault: Any, access: Access, model: str) -> Exception:
    """What a status says: the request is at fault, the server, or neither."""
    code, words = fault.status_code, _words(fault, access)
    if code < 400:  # told within an answer
        return BrokenOff(words)
    if isinstance(fault, library.AuthenticationError | library.PermissionDeniedError):
        return ModelMisused(f"{model}: the server refuses the key in {access.variable} ({code})")
    if isinstance(fault, library.NotFoundError):
        return ModelMisused(f"{model}: the server knows no such model or address (404)")
    if isinstance(fault, library.RateLimitError):
        wait = wait_asked_for(fault.response.headers)
        when = f", to be asked again in {_duration(wait)}" if wait else ""
        return ModelUnavailable(f"{model}: rate limit or quota (429){when}: {words}")
    if isinstance(fault, library.InternalServerError):
        return ModelUnavailable(f"{model}: the server fails ({code}): {words}")
    return ModelMisused(f"{model}: the server refuses the request ({code}): {words}")


def _words(fault: Exception, access: Access) -> str:
    """A server's or a library's message, for a sentence that goes on after it."""
    return " ".join(legible(access.without_key(str(fault))).split())[:SERVER_WORDS].rstrip(".")


def wait_asked_for(headers: Mapping[str, str]) -> float:
    """Seconds that a server wants to be left alone for; 0 where it does not say."""
    text = headers.get("retry-after", "")
    try:
        return max(0.0, float(text))
    except ValueError:
        pass
    try:
        return max((parsedate_to_datetime(text) - datetime.now(UTC)).total_seconds(), 0.0)
    except (ValueError, TypeError):  # TypeError: a date without its zone
        return 0.0


def _duration(seconds: float) -> str:
    """`24 h`, `5 min` or `30 s`."""
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} s"


def unbroken(library: Any, events: Any) -> Iterator[Any]:
    """The events of a stream. Raises BrokenOff where the connection is lost between them."""
    import httpx2

    try:
        yield from events
    except (httpx2.TransportError, library.APIConnectionError) as fault:
        raise BrokenOff(str(fault)) from fault
