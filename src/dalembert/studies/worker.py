"""A process that makes parts of a study, one after the other; it is killed where one takes too long."""

from __future__ import annotations

import pickle
import queue
import threading
from types import TracebackType
from typing import IO, Self

from dalembert.mechanics.registry import home_of
from dalembert.model.system import System
from dalembert.present.part import Part
from dalembert.processes import LONGEST, Process, receive, send, start

__all__ = ["Worker"]


class Worker:
    """A handle on the process, which is started when it is first asked, and again after it was stopped."""

    def __init__(self) -> None:
        self._process: Process | None = None
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.ended = False
        """Whether nothing more is wanted of it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        """End the process."""
        self._stop()

    def end(self) -> None:
        """Kill the process, from another thread; a question that waits for its answer is told so."""
        self.ended = True
        if (process := self._process) is not None:
            process.kill()

    def ask(self, system: System, name: str, effort: float = 1.0, seconds: float | None = None) -> Part:
        """Return the part of a formalism, or one that says why there is none."""
        process = self._running()
        data = pickle.dumps((system, name, home_of(name), effort))
        try:
            assert process.stdin is not None
            if self.ended:
                process.kill()
            send(process.stdin, data)
            answer = self._answers.get(timeout=min(LONGEST if seconds is None else seconds, LONGEST))
        except queue.Empty:
            self._stop()
            return Part(name, stopped=f"it was stopped after {seconds:g} s; use dalembert derive --as {name}.")
        except OSError:
            answer = None
        if answer is None:
            status = process.wait()
            self._stop()
            return Part(name, stopped=f"its process ended with status {status}.")
        part: Part = pickle.loads(answer)  # noqa: S301 - from our own child
        return part

    def _running(self) -> Process:
        if self._process is None:
            # in a session of its own: an interrupt at the terminal is for us, and we end it
            self._process = start("dalembert.studies.parts", start_new_session=True)
            self._answers = queue.SimpleQueue()
            listen = threading.Thread(target=_listen, args=(self._process.stdout, self._answers), daemon=True)
            listen.start()
        return self._process

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()  # it keeps nothing that could be lost
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    pipe.close()
            self._process = None


def _listen(pipe: IO[bytes], answers: queue.SimpleQueue[bytes | None]) -> None:
    """Put every answer in the queue, and None when there are no more."""
    try:
        while True:
            answers.put(receive(pipe))
    except (EOFError, OSError, ValueError):  # ended, or closed from our side
        answers.put(None)
