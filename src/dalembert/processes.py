"""Processes of ours, and what a fork of the program leaves of them.

A child runs our modules and those that we run with, never a file that happens to lie in the current folder. Its pipes
are not buffered: what a thread was about to write when the program was forked must not be written by both. A forked
program has none of them: it closes its copies at once, so that a child still ends when its parent does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import IO, Any, Final
from weakref import WeakSet

__all__ = ["LONGEST", "Process", "in_forks", "not_for_forks", "receive", "run", "send", "start"]

Process = subprocess.Popen[bytes]
LONGEST: Final = 1e9
"""Seconds to wait for an answer, where more are allowed: thirty years, which the clocks of all systems can count."""
_LENGTH: Final = 8
"""So many bytes say how long a message is."""
_HOME: Final = str(Path(__file__).parents[1])
_ALONE: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Without threads of libraries a killed child is dead at once, and several of them do not get in each other's way."""
_PROGRAM: Final = """
import sys
from importlib import import_module
if sys.argv[1] not in sys.path:
    sys.path.insert(0, sys.argv[1])
import_module(sys.argv[2]).main()
"""


def start(module: str, **options: Any) -> Process:
    """Start a child that runs ``main()`` of a module, and talks by its input and output.

    It looks for modules as we do: where we were found, and where PYTHONPATH says unless we were told not to. ``-P``
    keeps Python from looking into the current folder, which an empty part of PYTHONPATH would ask for as well.
    """
    told = {"-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site, "-I": sys.flags.isolated}
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    process = subprocess.Popen(  # noqa: S603 - a module of ours
        [sys.executable, "-P", *(flag for flag, on in told.items() if on), "-c", _PROGRAM, _HOME, module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=_ALONE | os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        **options,
    )
    not_for_forks(process)
    return process


def run(command: Sequence[str]) -> tuple[int, str]:
    """Run a program of the machine, as a compiler, to its end; return its exit status and what it complained of."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - named by its whole path
    return done.returncode, done.stderr


def send(pipe: IO[bytes], data: bytes) -> None:
    """Write a message, all of it, before anything else is written."""
    rest = memoryview(len(data).to_bytes(_LENGTH, "big") + data)
    while rest:
        rest = rest[pipe.write(rest) :]
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes:
    """Return the next message, or raise EOFError."""
    return _exactly(pipe, int.from_bytes(_exactly(pipe, _LENGTH), "big"))


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    parts = []
    while size:
        part = pipe.read(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


# -- forks ---------------------------------------------------------------------------------------------------
_open: WeakSet[Any] = WeakSet()


def not_for_forks(held: Any) -> None:
    """Have a forked program close its copy of a file, or of the pipes of a child."""
    _open.add(held)


def in_forks(renew: Callable[[], None]) -> None:
    """Have something done in every forked program: a thread that held a lock is not there to give it back."""
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=renew)


def _close_copies() -> None:
    for held in list(_open):
        parts: tuple[Any, ...] = (held.stdin, held.stdout) if isinstance(held, subprocess.Popen) else (held,)
        for one in parts:
            with suppress(OSError):
                one.close()
        if isinstance(held, subprocess.Popen):
            held.returncode = 0  # it is the child of somebody else, who will wait for it
    _open.clear()


in_forks(_close_copies)


def _renew_properties() -> None:
    """Give our cached properties new locks: up to Python 3.11 each has one, which a thread may have held."""
    ours = [module for name, module in sys.modules.items() if name.partition(".")[0] == __package__]
    for kind in {one for module in ours for one in vars(module).values() if isinstance(one, type)}:
        for member in vars(kind).values():
            if isinstance(member, cached_property):
                member.lock = RLock()  # type: ignore[attr-defined]


if sys.version_info < (3, 12):
    in_forks(_renew_properties)
