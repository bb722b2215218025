"""Exact algebra in a process of its own, which can be stopped.

Normal forms are computed by a worker: started once, fed packed expressions, ended with the program or by itself when
the program is gone. A task ends at its budget of work (``priced``), at the same place at any load. FLINT's calls cannot
be interrupted and hold the interpreter's lock, so below that there is a net: the system ends the worker when it has
used far more processor time than its budget is worth. Where the net strikes, prices were wrong; that is noted and told.
"""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import IO, Any

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr import work
from dalembert.expr.field.priced import Meter, OutOfWork
from dalembert.expr.graph import Expr
from dalembert.expr.walk import pack, unpack
from dalembert.processes import LONGEST, Process, in_forks, receive, send, start

__all__ = ["ask", "wake"]

_MOST_MEMORY = 6 << 30
_STARTING = 60.0
_NET, _LEAST_NET = 10.0, 5.0
"""The net lets a task use so many times its budget, and at least so many seconds, of processor time."""
_LOOKING = 0.5
"""Seconds between two looks whether the program is still there."""
_UNITS = 1e6
"""Units of work in a nominal second."""


def _send(pipe: IO[bytes], message: Any) -> None:
    send(pipe, pickle.dumps(message))


def _receive(pipe: IO[bytes]) -> Any:
    return pickle.loads(receive(pipe))  # noqa: S301 - from our own child, or parent


class _Worker:
    """A handle on the process; the process itself is made when it is first needed."""

    def __init__(self, module: str = __name__) -> None:
        self._module = module
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._answers: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._awake = False

    def ask(self, task: str, roots: Sequence[Expr], effort: float, options: dict[str, Any]) -> tuple[Any, float]:
        """Return the answer to a task and the work it took in nominal seconds, or raise ``OutOfWork``."""
        with self._lock:
            process = self._ready()
            assert process.stdin is not None
            try:
                self._wait()  # starting it is not counted
                _send(process.stdin, (task, pack(roots), effort, options))
                kind, answer, spent = self._answers.get()
            except (queue.Empty, OSError, ValueError):
                kind, answer, spent = "lost", None, 0.0
            except BaseException:  # interrupted: its answer must not be taken for that of the next question
                self._stop()
                raise
            if kind == "lost":
                struck = process.wait() == -_NET_SIGNAL
                self._stop()
                self._ready()
                if struck:
                    work.note_stop(f"'{task}' of {len(roots)} expressions")
                raise OutOfWork(_STRUCK if struck else "an exact computation ran out of memory.")
        work.charge(spent)
        if kind == "large":
            raise OutOfWork(answer)
        if kind == "fault":
            raise ExpressionError(answer)
        if kind == "mistake":
            raise RuntimeError(f"the worker made a mistake:\n{answer}")
        return answer, spent

    def wake(self) -> None:
        """Start the process if there is none, and wait until it listens."""
        with self._lock:
            self._ready()
            try:
                self._wait()
            except queue.Empty:
                self._stop()

    def _wait(self) -> None:
        if not self._awake:
            self._awake = self._answers.get(timeout=_STARTING)[0] == "awake"

    def _ready(self) -> Process:
        """Return a live process."""
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._process = start(self._module)
            self._answers = queue.SimpleQueue()
            self._awake = False
            threading.Thread(target=_listen, args=(self._process, self._answers), daemon=True).start()
        return self._process

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    continue

    def close(self) -> None:
        """End the process with the program."""
        with self._lock:
            self._stop()

    def forget(self) -> None:
        """Leave the process, in a forked program, to its parent, and forget that a thread of it was asking."""
        self._lock = threading.Lock()
        self._process = None


def _listen(process: Process, answers: queue.SimpleQueue[Any]) -> None:
    assert process.stdout is not None
    try:
        while True:
            answers.put(_receive(process.stdout))
    except (EOFError, OSError, ValueError, pickle.UnpicklingError):
        answers.put(("lost", None, 0.0))


_STRUCK = "an exact computation used far more time than its budget of work is worth, and was stopped."
_NET_SIGNAL = getattr(signal, "SIGPROF", 0)

_worker = _Worker()
atexit.register(_worker.close)
in_forks(_worker.forget)


def wake() -> None:
    """Have the worker ready, so that the time of what comes next is not that of its start."""
    _worker.wake()


def ask(task: str, roots: Sequence[Expr], effort: float, **options: Any) -> tuple[Any, float]:
    """Have the worker do a task of ``tasks``; return its answer and the work it took in nominal seconds."""
    return _worker.ask(task, list(roots), effort, options)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = _MOST_MEMORY if hard == resource.RLIM_INFINITY else min(_MOST_MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def _end_after(seconds: float) -> None:
    """Have the system end this process when it has used so much processor time, 0 for never."""
    if hasattr(signal, "setitimer"):  # not on Windows
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _end_with(parent: int) -> None:
    """Have this process end soon after the program that started it, even during a task: one that was killed is mute."""

    def look(*_signal: Any) -> None:
        if os.getppid() != parent:
            os._exit(0)

    if hasattr(signal, "setitimer"):  # not on Windows
        signal.signal(signal.SIGALRM, look)
        signal.setitimer(signal.ITIMER_REAL, _LOOKING, _LOOKING)


def main() -> None:
    """Answer until the other end is closed."""
    from dalembert.expr.field import tasks
    from dalembert.expr.field.quotients import TooLarge

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the program, which then ends this process
    _limit_memory()
    _end_with(os.getppid())
    source, target = sys.stdin.buffer, sys.stdout.buffer
    try:
        _send(target, ("awake", None, 0.0))
    except BrokenPipeError:  # the program is gone already; leave without another try to tell it
        os._exit(0)
    while True:
        try:
            task, packed, effort, options = _receive(source)
        except EOFError:
            return
        _end_after(min(max(_NET * effort, _LEAST_NET), LONGEST))
        meter = Meter(effort * _UNITS)
        try:
            answer = ("done", getattr(tasks, task)(unpack(packed), meter, **options))
        except (TooLarge, OutOfWork) as fault:
            answer = ("large", str(fault))
        except DalembertError as fault:
            answer = ("fault", str(fault))
        except (MemoryError, OverflowError):
            answer = ("large", "an exact computation became too large.")
        except Exception:  # noqa: BLE001 - a mistake of ours: it must be seen at the other end, not end the worker
            answer = ("mistake", traceback.format_exc())
        _end_after(0.0)
        try:
            _send(target, (*answer, meter.spent / _UNITS))
        except BrokenPipeError:  # nobody is left who wants to know
            os._exit(0)
