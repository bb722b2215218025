"""A worker of the lab: a process within limits, which opens, writes and starts nothing but the program itself.

Nothing that a model says leads to a file, a program or a connection: expressions are parsed by a grammar, and a text
names no files. The hook here is the second wall: Python tells it of every file that is opened, every process started
and every connection made, and whatever is not the program's own is refused.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from dalembert import cache
from dalembert.errors import DalembertError, Fault, HypothesisError, MissingExtra, ModelError
from dalembert.expr.work import done, stops
from dalembert.lab.limits import MEMORY
from dalembert.model.sizes import finite
from dalembert.processes import serve

Task = Callable[..., Mapping[str, Any]]
_WRITES: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_LOOKS: Final = frozenset({"os.listdir", "os.scandir", "glob.glob", "glob.glob/2"})
_STARTS: Final = frozenset({"subprocess.Popen", "os.posix_spawn"})
"""From Python 3.13 on the first does its work by the second; both give the program and its arguments."""
_REFUSED: Final = (
    *("os.system", "os.exec", "os.spawn", "os.fork", "os.forkpty", "pty.spawn", "os.startfile"),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "os.chown"),
    *("os.truncate", "os.utime", "os.setxattr", "shutil.", "tempfile.", "socket.connect", "socket.bind"),
    *("socket.sendto", "socket.getaddrinfo", "urllib.", "ftplib.", "smtplib.", "webbrowser.", "sqlite3.connect"),
)
_refused: list[str] = []


def confine() -> None:
    """Refuse, from now on and for ever, what is not the program's own."""
    sys.dont_write_bytecode = True
    ours = (sys.prefix, sys.base_prefix, sys.exec_prefix, *filter(None, sys.path), str(Path(__file__).parents[2]))
    roots = tuple({os.path.realpath(root).rstrip(os.sep) + os.sep for root in ours})

    def inside(path: Any) -> bool:
        if isinstance(path, int) or path is None:
            return True
        place = os.path.realpath(os.fsdecode(path))
        return place == os.devnull or (place + os.sep).startswith(roots)

    def refuse(event: str, of: Any) -> None:
        _refused.append(f"{event} {str(of)[:80]}")
        raise PermissionError(f"a worker of the lab may not do this: {event}")

    def watch(event: str, given: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = given
            writes = isinstance(flags, int) and flags & _WRITES and path != os.devnull and not isinstance(path, int)
            if writes or not inside(path):
                refuse(event, path)
        elif event in _LOOKS:
            if not inside(given[0]):
                refuse(event, given[0])
        elif event in _STARTS:
            program, words = given[0], list(given[1])
            if os.fsdecode(program) != sys.executable or not str(words[-1]).startswith("dalembert.expr."):
                refuse(event, program)
        elif event.startswith(_REFUSED):
            refuse(event, given[:1])

    sys.addaudithook(watch)


def limited(nice: int) -> None:
    """Limit what this process may use; its own workers inherit it."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    os.nice(nice)


def allow(seconds: int) -> None:
    """Have the system end this process when it has used so many more seconds of a processor."""
    import resource

    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + seconds, hard))


def work(tasks: Mapping[str, Task], nice: int, after: Callable[[], None] = lambda: None) -> None:
    """Answer questions ``(task, what it takes, seconds)``, within limits; ``after`` each, something is made ready."""
    cache.switch_off()
    limited(nice)
    confine()

    def answer(question: tuple[str, dict[str, Any], int]) -> dict[str, Any]:
        name, given, seconds = question
        allow(seconds)
        try:
            return answered(tasks[name], given)
        finally:
            after()

    serve(answer)


def answered(task: Task, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a task finds, with the work it took; or what is wrong, in sentences, each with its line.

    >>> answered(lambda: {"said": "yes"}, {})
    {'said': 'yes', 'faults': [], 'work': 0.0, 'stopped': []}
    """
    began, struck = done(), len(stops())
    del _refused[:]
    found: dict[str, Any] = {}
    faults: tuple[Fault, ...] = ()
    try:
        found = dict(task(**given))
    except ModelError as error:
        faults = error.faults
    except HypothesisError as error:
        faults = tuple(Fault(error.formalism, str(fault)) for fault in error.faults)
    except MissingExtra as error:
        faults = (Fault("", f"the lab does without optional packages: {error}"),)
    except DalembertError as error:
        faults = tuple(Fault("", line) for line in str(error).splitlines())
    except MemoryError:
        faults = (Fault("", "this needs more memory than the lab gives", "the command line gives all there is"),)
    except RecursionError:
        faults = (Fault("", "this is nested too deeply for the lab"),)
    except Exception as error:  # noqa: BLE001 - the lab lives on, and says whose fault it was
        faults = (Fault("", f"the program failed here, which is its fault: {_brief(error)}"),)
    if _refused:
        faults = (*faults, Fault("", "the lab opens no files and starts no programs, and this would have"))
    told = {**finite(found), "faults": [_told(fault) for fault in faults]}
    return {**told, "work": done() - began, "stopped": list(stops()[struck:])}


def _told(fault: Fault) -> dict[str, Any]:
    said = str(Fault(fault.where, fault.what, fault.remedy))
    return {"line": fault.line, "said": said}


def _brief(error: Exception) -> str:
    with suppress(Exception):
        return f"{type(error).__name__}: {error}"[:300]
    return type(error).__name__
