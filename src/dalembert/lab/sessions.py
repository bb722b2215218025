"""One open page: it looks at what is typed, has one job at a time, and is told what becomes of it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, Final

from dalembert import gallery
from dalembert.errors import DalembertError
from dalembert.lab.limits import MODEL_BYTES, PAGES_KEPT
from dalembert.lab.messages import understood
from dalembert.lab.pool import Job, Pool

_TASKS: Final = {"derive": "page", "check": "check", "discover": "discover", "insert": "insert"}
"""What the workers call that which a browser asks for."""


class Session:
    """What one open page wants, and what it is told."""

    def __init__(self, pool: Pool, send: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        """Begin with nothing."""
        self._pool, self._send = pool, send
        self._job: Job | None = None
        self._going: set[asyncio.Task[None]] = set()
        self.pages: dict[str, tuple[str, list[str]]] = {}
        """Pages of results, by keys that nobody can guess, with hashes of their scripts."""

    async def hear(self, said: str) -> None:
        """Do what a message asks for; one that nobody understands is answered by a sentence."""
        try:
            do, given = understood(said)
            if do == "stop":
                self.stop()
            elif do == "example":
                await self._send({"example": given["name"], "text": example(given["name"])})
            elif do == "look":
                self._go(self._look(given["turn"], given["text"]))
            elif self._job is not None:
                await self._send({"refused": "something is being done already; stop it first."})
            else:
                self._job = await self._pool.begin(_TASKS[do], given, self._progress)
                self._go(self._wait(do, self._job))
        except DalembertError as fault:
            await self._send({"refused": str(fault)})

    def stop(self) -> None:
        """Stop what was asked for."""
        if self._job is not None:
            self._pool.stop(self._job)

    def close(self) -> None:
        """Forget all of it: nobody looks any longer."""
        self.stop()
        for task in self._going:
            task.cancel()
        self.pages.clear()

    def _go(self, doing: Any) -> None:
        task = asyncio.create_task(doing)
        self._going.add(task)
        task.add_done_callback(self._going.discard)

    def _progress(self, said: dict[str, Any]) -> None:
        self._go(self._send({"progress": said}))

    async def _look(self, turn: int, text: str) -> None:
        answer = await self._pool.look(self, text)
        if answer is not None:
            await self._send({"looked": turn, **answer})

    async def _wait(self, do: str, job: Job) -> None:
        answer = dict(await job.answer)
        self._job = None
        html = answer.pop("page", None)
        scripts = answer.pop("scripts", [])
        if html is not None:
            key = secrets.token_urlsafe(24)
            self.pages[key] = html, scripts
            for old in list(self.pages)[:-PAGES_KEPT]:
                del self.pages[old]
            answer["page"] = f"/page/{key}"
        await self._send({"done": do, **answer})


@cache
def example(name: str) -> str:
    """Return a system of the gallery as a model.

    >>> example("kepler").splitlines()[0]
    'name = "Kepler problem"'
    """
    if name not in gallery.names():
        raise DalembertError("the gallery has no such system; choose one of its list.")
    return gallery.text(name)


@cache
def known_words() -> dict[str, Any]:
    """Return what an editor offers: tables with their keys, words, functions; systems and formalisms to choose from."""
    from dalembert.expr.vocabulary import ELEMENTARY
    from dalembert.mechanics.registry import formalism_names
    from dalembert.model.schema import model_schema

    tables = model_schema()["properties"]
    return {
        "tables": {name: {"said": one.get("description", ""), **_inside(one)} for name, one in tables.items()},
        "functions": sorted(ELEMENTARY),
        "formalisms": list(formalism_names()),
        "gallery": [{"name": name, "about": gallery.about(name)} for name in gallery.names()],
        "most": MODEL_BYTES,
    }


def _inside(shape: dict[str, Any]) -> dict[str, Any]:
    """Return the keys that a table has, and the words that its values may be."""
    shapes = [shape, *shape.get("anyOf", ())]
    keys = {key: one for each in shapes for key, one in each.get("properties", {}).items()}
    values = [each["additionalProperties"] for each in shapes if isinstance(each.get("additionalProperties"), dict)]
    values += [one for each in values for one in each.get("anyOf", ())]
    for each in values:
        keys |= each.get("properties", {})
    words = {key: _words(one) for key, one in keys.items()}
    is_table = any(each.get("type") in {"object", "array"} or "anyOf" in each for each in shapes)
    return {
        "table": is_table,
        "keys": words,
        "values": [word for each in (*shapes, *values) for word in each.get("enum", ())],
    }


def _words(shape: dict[str, Any]) -> list[str]:
    return [word for each in (shape, *shape.get("anyOf", ())) for word in each.get("enum", ())]
