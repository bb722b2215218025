"""Exact algebra in a process of its own, which can be stopped.

Normal forms are computed by a worker: started once, fed packed expressions, ended with the program or by itself when
the program is gone. A task ends at its budget of work (``priced``), at the same place at any load. FLINT's calls cannot
be interrupted and hold the interpreter's lock, so below that there is a net: the system ends the worker when it has
used far more processor time than its budget is worth. Where the net strikes, prices were wrong; that is noted and told.
"""

from __future__ import annotations

import atexit
import gc
import signal
import traceback
from collections.abc import Sequence
from typing import Any

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr import work
from dalembert.expr.field.meter import Meter, OutOfWork
from dalembert.expr.graph import Expr
from dalembert.expr.walk import pack, unpack
from dalembert.processes import LONGEST, Ended, Worker, in_forks, serve

_MOST_MEMORY = 6 << 30
_NET, _LEAST_NET = 10.0, 5.0
"""The net lets a task use so many times its budget, and at least so many seconds, of processor time."""
_UNITS = 1e6
"""Units of work in a nominal second."""
_RARELY = (100_000, 50, 50)
"""When the worker looks for cycles."""
_STRUCK = "an exact computation used far more time than its budget of work is worth, and was stopped."
_NET_SIGNAL = getattr(signal, "SIGPROF", 0)

_worker = Worker(__name__)
atexit.register(_worker.close)
in_forks(_worker.forget)


def wake() -> None:
    """Have the worker ready, so that the time of what comes next is not that of its start."""
    _worker.wake()


def renew() -> None:
    """End the worker; the next task, or the next call of ``wake``, starts another."""
    _worker.close()


def ask(task: str, roots: Sequence[Expr], effort: float, **options: Any) -> tuple[Any, float]:
    """Have the worker do a task of ``tasks``; return its answer and the work it took in nominal seconds."""
    return asked_of(_worker, task, roots, effort, options)


def asked_of(
    worker: Worker, task: str, roots: Sequence[Expr], effort: float, options: dict[str, Any]
) -> tuple[Any, float]:
    """Have a worker do a task; ``OutOfWork`` where its budget does not suffice, or the net strikes."""
    try:
        kind, answer, spent = worker.ask((task, pack(roots), effort, options))
    except Ended as end:
        struck = end.status == -_NET_SIGNAL
        if struck:
            work.note_stop(f"'{task}' of {len(roots)} expressions")
        raise OutOfWork(_STRUCK if struck else "an exact computation ran out of memory.") from None
    work.charge(spent)
    if kind == "large":
        raise OutOfWork(answer)
    if kind == "fault":
        raise ExpressionError(answer)
    if kind == "mistake":
        raise RuntimeError(f"the worker made a mistake:\n{answer}")
    return answer, spent


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


def main() -> None:
    """Answer until the other end is closed."""
    from dalembert.expr.field import tasks  # what it needs is there before it says that it listens

    _limit_memory()
    gc.freeze()  # expressions and polynomials have no cycles: they need not be looked through again and again
    gc.set_threshold(*_RARELY)

    def answer(question: tuple[str, Any, float, dict[str, Any]]) -> tuple[str, Any, float]:
        task, packed, effort, options = question
        _end_after(min(max(_NET * effort, _LEAST_NET), LONGEST))
        meter = Meter(effort * _UNITS)
        kind, said = _done(tasks, task, packed, meter, options)
        _end_after(0.0)
        return kind, said, meter.spent / _UNITS

    serve(answer)


def _done(tasks: Any, task: str, packed: Any, meter: Meter, options: dict[str, Any]) -> tuple[str, Any]:
    """Return how a task ended, and its answer or why there is none."""
    from dalembert.expr.field.meter import TooLarge

    try:
        return "done", getattr(tasks, task)(unpack(packed), meter, **options)
    except (TooLarge, OutOfWork) as fault:
        return "large", str(fault)
    except DalembertError as fault:
        return "fault", str(fault)
    except (MemoryError, OverflowError):
        return "large", "an exact computation became too large."
    except Exception:  # noqa: BLE001 - a mistake of ours: it must be seen at the other end, not end the worker
        return "mistake", traceback.format_exc()
