"""Who may come in, and what a page may load.

The server listens on the loopback address only. Every request has to name this host exactly, so that a name of
somebody else's that resolves to this machine opens nothing; every request with an origin has to come from our own page,
and a WebSocket has to have one. The token of the printed address is exchanged once for a cookie, which scripts cannot
read and other sites cannot send, and leaves the address. Without the cookie there is the empty page and nothing else.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dalembert.records import dataclass, field

LOOPBACK: Final = "127.0.0.1"
FORBIDDEN: Final = 403
_ALWAYS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True)
class Keys:
    """What opens a lab: the token in its address, and the cookie that takes its place."""

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))

    @property
    def host(self) -> str:
        """The one name by which the server may be called."""
        return f"{LOOPBACK}:{self.port}"

    @property
    def origin(self) -> str:
        """Where our own pages come from."""
        return f"http://{self.host}"

    @property
    def address(self) -> str:
        """What is printed, to be opened."""
        return f"{self.origin}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """The name of the cookie; servers on other ports have their own."""
        return f"dalembert-lab-{self.port}"

    def takes(self, token: str) -> bool:
        """Say whether a token is the one that was printed."""
        return secrets.compare_digest(token.encode(errors="replace"), self.token.encode())

    def knows(self, headers: Headers) -> bool:
        """Say whether a request has the cookie."""
        # a cookie of another server on this host may be of any form, and must not hide ours: RFC 6265, 5.4
        pairs = [one.strip().partition("=") for line in headers.getlist("cookie") for one in line.split(";")]
        given = [value for name, _, value in pairs if name == self.cookie]
        return any(secrets.compare_digest(one.encode(errors="replace"), self.secret.encode()) for one in given)


class Doors:
    """Lets requests in that are meant for this server, and says with every answer what a browser may do with it."""

    def __init__(self, app: ASGIApp, keys: Keys) -> None:
        """Stand before an application."""
        self._app, self._keys = app, keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        why = self._refuses(scope)
        if scope["type"] == "websocket":
            if why:
                await receive()
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _ALWAYS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", own_policy(self._keys))
            await send(message)

        refused = PlainTextResponse(why, FORBIDDEN) if why else None
        await (refused or self._app)(scope, receive, sent)

    def _refuses(self, scope: Scope) -> str:
        """Return why a request is not let in, or nothing."""
        headers = Headers(scope=scope)
        if headers.getlist("host") != [self._keys.host]:
            return f"This server is called {self._keys.host} and nothing else."
        origins = headers.getlist("origin")
        if origins not in ([], [self._keys.origin]):
            return "This server answers its own pages only."
        if scope["type"] == "websocket" and (not origins or not self._keys.knows(headers)):
            return "no cookie"
        return ""


def own_policy(keys: Keys) -> str:
    """Return what the page of the lab may load: its own files; it talks to its own server, and shows its own pages."""
    return _policy(
        {
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": "'self' data:",
            "connect-src": f"'self' ws://{keys.host}",
            "frame-src": "'self'",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": "'none'",
        }
    )


def result_policy(scripts: list[str]) -> str:
    """Return what a page of results may do: run the scripts that were written for it, in a box without an origin.

    ``scripts`` are their hashes. It cannot reach the lab, its cookie or anything else.
    """
    return _policy(
        {
            "default-src": "'none'",
            "script-src": " ".join(f"'{one}'" for one in scripts) or "'none'",
            "style-src": "'unsafe-inline'",
            "img-src": "data: blob:",
            "worker-src": "blob:",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": "'self'",
            "sandbox": "allow-scripts allow-downloads",
        }
    )


def _policy(parts: dict[str, Any]) -> str:
    return "; ".join(f"{name} {value}" for name, value in parts.items())
