"""A process that answers one question at a time and is put to death when it takes too long.

A question is answered in stages, each with a time limit of its own, so that what is not to be timed (building an
expression, converting it) does not eat the time of what is.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

__all__ = ["Fault", "Worker", "decide", "simplify"]

Answer = Callable[[str], Iterator[Any]]
"""Yields something picklable at the end of each stage; asked ``""`` it only warms up."""


class Fault(str):
    """The message of an exception met on the way to an answer."""

    __slots__ = ()


class Worker:
    """Answers questions in a process of its own, with a fresh one after each that took too long."""

    def __init__(self, answer: Answer) -> None:
        """Note what to run; the process starts with the first question."""
        self._answer = answer
        self._running: tuple[SpawnProcess, Connection] | None = None

    def ask(self, question: str, limits: Sequence[float]) -> list[Any]:
        """Return what each stage said; fewer than there are limits when one ran out of time or failed."""
        _, pipe = self._running = self._running or self._start()
        pipe.send(question)
        said: list[Any] = []
        for limit in limits:
            if not pipe.poll(limit):
                self.close()
                return said
            try:
                said.append(pipe.recv())
            except EOFError:
                self.close()
                return [*said, Fault("the process died")]
            if isinstance(said[-1], Fault):
                return said
        return said

    def close(self) -> None:
        """End the process, whatever it is doing."""
        if self._running:
            process, pipe = self._running
            process.kill()
            process.join()
            pipe.close()
            self._running = None

    def _start(self) -> tuple[SpawnProcess, Connection]:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=(self._answer, there), daemon=True)
        process.start()
        there.close()
        here.recv()  # it says when it is warm
        return process, here


def _serve(answer: Answer, pipe: Connection) -> None:
    """Answer questions until the other end is gone."""
    pipe.send([*answer("")])
    while True:
        try:
            question = pipe.recv()
        except EOFError:
            return
        try:
            for stage in answer(question):
                pipe.send(stage)
        except Exception as error:  # noqa: BLE001 - whatever goes wrong is a missing answer, to be shown
            pipe.send(Fault(f"{type(error).__name__}: {error}"))


def decide(repeats: int, name: str) -> Iterator[Any]:
    """Build an identity and decide it again and again: seconds; then seconds, kind, evidence, witness each time.

    Every decision draws its own random numbers, so one that depends on luck shows itself.
    """
    from bench.identities import BY_NAME
    from dalembert.expr import cos, sin, symbol
    from dalembert.expr.truth import is_zero

    if not name:
        x = symbol("x")
        is_zero(sin(x) ** 2 + cos(x) ** 2 - 1)
        return
    begin = time.perf_counter()
    expression = BY_NAME[name].build()
    yield time.perf_counter() - begin
    for seed in range(repeats):  # without one it would draw the same points again, and remember what it found
        begin = time.process_time()
        verdict = is_zero(expression, seed=seed)
        seconds = time.process_time() - begin
        yield seconds, verdict.kind, verdict.evidence, None if verdict.witness is None else str(verdict.witness)


def simplify(name: str) -> Iterator[Any]:
    """Build an identity, convert it and simplify it by SymPy: seconds; then seconds and whether 0 came out."""
    import sympy
    from sympy.core.cache import clear_cache

    from bench.identities import BY_NAME
    from dalembert.expr.sympy_border import to_sympy

    if not name:
        sympy.simplify(sympy.sin(sympy.Symbol("x")) ** 2 - 1)
        return
    clear_cache()  # else the false twin would profit from what the true one left behind
    expression = BY_NAME[name].build()
    begin = time.perf_counter()
    converted = to_sympy(expression, style="symbols")
    yield time.perf_counter() - begin
    begin = time.process_time()
    simplified = sympy.simplify(converted)
    yield time.process_time() - begin, bool(simplified == 0)
