"""Children of a program of ours that is by itself are forks of it: they have what it has imported.

To start Python and to import what a study needs takes a second of processor time, and a study has five processes. But
a program of somebody else may have threads that hold what a fork would wait for, so only our own commands, and the
children that they have started, are forked; all others start their children anew. So does every program on systems
other than Linux, where libraries are not made for forks.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import ExitStack, suppress
from threading import Lock
from typing import IO, Any, Final, NoReturn

from dalembert.garbage import seldom

SINGLE: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""Without threads of libraries a killed child is dead at once, and several of them do not get in each other's way."""


class _Program:
    """What is known of the program that this is."""

    by_itself = False
    starting = Lock()
    """Held while pipes are made and a child is started, or the next child would have them too."""
    kept: tuple[Any, ...] = ()
    """Ends of pipes, and the output of the parent: what that has not written yet must not be written by its child."""


def by_itself() -> None:
    """Say that this program is one of ours and has no threads but ours, before libraries are loaded that have them."""
    seldom()
    if "numpy" not in sys.modules:
        os.environ.update({name: os.environ.get(name, one) for name, one in SINGLE.items()})
    if sys.platform == "linux" and all(os.environ.get(name) == one for name, one in SINGLE.items()):
        warnings.filterwarnings("ignore", ".*multi-threaded, use of fork", DeprecationWarning)
        _Program.by_itself = True


def forks() -> bool:
    """Say whether children of this program are forks of it.

    >>> forks()
    False
    """
    return _Program.by_itself


def starting() -> Lock:
    """Return what is held while a child is started."""
    return _Program.starting


def _renew() -> None:
    _Program.starting = Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew)


class Forked:
    """A forked child, in the words of ``subprocess.Popen``, that talks by its input and output."""

    def __init__(self, work: Callable[[], Any], *, start_new_session: bool = False) -> None:
        """Fork a child that does some work and ends."""
        with ExitStack() as opened:  # and closed, if the system refuses the second pipe or the fork
            mine, its = (_pipe(opened) for _ in range(2))
            gc.freeze()  # what is there already is not looked at again, nor copied for that
            self.pid = os.fork()
            opened.pop_all()
        if not self.pid:
            _work(work, mine[0], its[1], (mine[1], its[0]), alone=start_new_session)
        os.close(mine[0])
        os.close(its[1])
        self.stdin: IO[bytes] = os.fdopen(mine[1], "wb", 0)
        self.stdout: IO[bytes] = os.fdopen(its[0], "rb", 0)
        self.returncode: int | None = None
        self._waiting = Lock()

    def poll(self) -> int | None:
        """Return the status of a child that has ended."""
        if self._waiting.acquire(blocking=False):  # else somebody waits, and will know
            try:
                self._look(os.WNOHANG)
            finally:
                self._waiting.release()
        return self.returncode

    def wait(self) -> int:
        """Return the status of the child when it ends."""
        with self._waiting:
            self._look(0)
        assert self.returncode is not None
        return self.returncode

    def kill(self) -> None:
        """End the child at once."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def _look(self, how: int) -> None:
        if self.returncode is None:
            try:
                ended, status = os.waitpid(self.pid, how)
            except ChildProcessError:  # somebody else has waited for it
                self.returncode = 0
            else:
                self.returncode = os.waitstatus_to_exitcode(status) if ended else None


def _pipe(opened: ExitStack) -> tuple[int, int]:
    """Return the ends of a pipe, none of which has the place of an input or output that the shell has closed."""
    from fcntl import F_DUPFD_CLOEXEC, fcntl  # not on Windows

    ends = os.pipe()
    above = [end if end > 2 else fcntl(end, F_DUPFD_CLOEXEC, 3) for end in ends]
    for end in {*ends}.difference(above):
        os.close(end)
    for end in above:
        opened.callback(os.close, end)
    return above[0], above[1]


def _work(work: Callable[[], Any], source: int, target: int, others: tuple[int, int], *, alone: bool) -> NoReturn:
    """Do the work of a child with its ends of the pipes as input and output, and end without what a parent ends by."""
    status = 1
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for one in others:
            os.close(one)
        if alone:
            os.setsid()
        os.dup2(source, 0)
        os.dup2(target, 1)
        os.close(source)
        os.close(target)
        ends = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
        _Program.kept = (sys.stdin, sys.stdout, *ends)
        sys.stdin, sys.stdout = ends
        work()
        status = 0
    except BaseException:  # noqa: BLE001 - nothing above is for the child
        traceback.print_exc()
    finally:
        os._exit(status)
