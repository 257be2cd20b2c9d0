"""Who may ask the server: the right host's name, and the token where there is one; nothing is ever written.

A page of another site that made its own name mean this machine (DNS rebinding) is turned away by its Host
header: only addresses, `localhost` and the host that was asked for are names of this server.
"""

import hmac
import secrets
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'",  # which a page's own <meta> cannot say
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
ANOTHER_NAME = "this server has another name: open it by its address, or serve it with --host NAME\n"
MISDIRECTED = 421
"""HTTP's status for a request that was meant for another server."""


@dataclass(frozen=True, slots=True)
class Gate:
    """An ASGI application around another one."""

    app: ASGIApp
    names: frozenset[str]
    """What this server is called, other than `localhost` and by an address."""
    token: str = field(default="", repr=False)
    """What the first request must bring as `?token=…`; empty where everybody may ask."""
    session: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    """What a browser that brought the token is known by."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or let the inner application answer."""
        if scope["type"] != "http":
            return
        request = HTTPConnection(scope)
        answer: ASGIApp = self._refusal(request) or self.app

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await answer(scope, receive, guarded)

    def _refusal(self, request: HTTPConnection) -> Response | None:
        """What is said instead of the page; None where the request may pass."""
        if not self._is_ours(request.headers.get("host", "")):
            return PlainTextResponse(ANOTHER_NAME, MISDIRECTED)
        if not self.token or self._knows(request):
            return None
        if same(request.query_params.get("token", ""), self.token):
            return self._let_in(request)
        return PlainTextResponse("open the address with the token that 'cudamaster web serve' wrote\n", 403)

    def _is_ours(self, header: str) -> bool:
        name = host_name(header)
        return is_address(name) or name == "localhost" or name in self.names

    def _knows(self, request: HTTPConnection) -> bool:
        scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and same(bearer, self.token):
            return True
        return same(request.cookies.get(cookie_name(request), ""), self.session)

    def _let_in(self, request: HTTPConnection) -> Response:
        """To the same page without the token in its address."""
        page = RedirectResponse(f"/{request.url.path.lstrip('/')}", 303)
        # Not "strict": whoever follows a link of another site would come without it; nothing is written here.
        page.set_cookie(cookie_name(request), self.session, httponly=True, samesite="lax")
        return page


def host_name(header: str) -> str:
    """The name in a Host header, without the port; empty where it has none."""
    try:
        parts = urlsplit(f"//{header}")
    except ValueError:
        return ""
    return "" if "@" in parts.netloc else parts.hostname or ""


def is_address(name: str) -> bool:
    """Whether it is an IP address, which no name server can make mean another machine."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def cookie_name(request: HTTPConnection) -> str:
    """Cookies are shared by all ports of a host, so that each server names its own."""
    return f"cudamaster-{request.url.port or 80}"


def same(one: str, other: str) -> bool:
    """Whether two secrets agree, in a time that does not tell how far."""
    return hmac.compare_digest(one.encode(), other.encode())
