"""What the server answers: a page, its files, results to be shown, and a line to talk on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from dalembert.lab.doors import FORBIDDEN, Doors, Keys, result_policy
from dalembert.lab.limits import MOST_OPEN
from dalembert.lab.pool import Pool
from dalembert.lab.sessions import Session, known_words

_FILES: Final = {
    "lab.js": "text/javascript",
    "editor.js": "text/javascript",
    "findings.js": "text/javascript",
    "lab.css": "text/css",
}
_GONE: Final = 404


def web(name: str) -> bytes:
    """Return a file for the browser.

    >>> b"<title>" in web("lab.html")
    True
    """
    return files("dalembert.lab").joinpath("web", name).read_bytes()


class Lab:
    """A lab that opens with a model, for whoever has its keys; its workers live as long as it does."""

    def __init__(self, keys: Keys, model: str) -> None:
        """Start nothing yet."""
        self._keys, self._model = keys, model
        self._sessions: set[Session] = set()
        self._pool: Pool | None = None

    @property
    def application(self) -> Starlette:
        """What a server runs."""
        return Starlette(
            routes=[
                Route("/", self._front, methods=["GET"]),
                Route("/page/{key}", self._result, methods=["GET"]),
                WebSocketRoute("/talk", self._talk),
                Route("/{name}", self._file, methods=["GET"]),
            ],
            middleware=[Middleware(Doors, keys=self._keys)],
            lifespan=self._living,
        )

    @asynccontextmanager
    async def _living(self, _: Starlette) -> AsyncIterator[None]:
        async with Pool() as self._pool:
            yield

    async def _front(self, request: Request) -> Response:
        """Exchange the token for the cookie, and leave it out of the address; else return the empty page."""
        token = request.query_params.get("token")
        if token is None:
            return Response(web("lab.html"), media_type="text/html")
        if not self._keys.takes(token):
            return PlainTextResponse("This is not the address that was printed.", FORBIDDEN)
        answer = RedirectResponse("/", 303)
        answer.set_cookie(self._keys.cookie, self._keys.secret, httponly=True, samesite="strict", path="/")
        return answer

    async def _file(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in _FILES:
            return PlainTextResponse("There is no such file.", _GONE)
        return Response(web(name), media_type=_FILES[name])

    async def _result(self, request: Request) -> Response:
        """Return a page of results, with a policy that lets its own scripts run and nothing else."""
        if not self._keys.knows(request.headers):
            return PlainTextResponse("Open the address that was printed.", FORBIDDEN)
        for session in self._sessions:
            if (found := session.pages.get(request.path_params["key"])) is not None:
                html, scripts = found
                policy = {"Content-Security-Policy": result_policy(scripts)}
                return Response(html, media_type="text/html", headers=policy)
        return PlainTextResponse("This page is gone; derive it again.", _GONE)

    async def _talk(self, line: WebSocket) -> None:
        """Talk with an open page until it is closed."""
        await line.accept()
        if len(self._sessions) >= MOST_OPEN:
            await line.send_json({"refused": "too many pages of the lab are open; close some."})
            await line.close()
            return
        turn = asyncio.Lock()

        async def send(said: dict[str, Any]) -> None:
            async with turn:
                try:
                    await line.send_json(said)
                except (WebSocketDisconnect, RuntimeError):  # it was closed meanwhile
                    return

        assert self._pool is not None
        session = Session(self._pool, send)
        self._sessions.add(session)
        try:
            await send({"hello": known_words(), "model": self._model})
            while (message := await line.receive())["type"] != "websocket.disconnect":
                await session.hear(message.get("text") or "")
        finally:
            self._sessions.discard(session)
            session.close()
