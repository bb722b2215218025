"""One sweep at a time on one store: a file beside it that is held by its process, and free once that process is gone.

The operating system holds the lock, so a process that was killed leaves nothing to clear up; the file says who it is.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from dalembert.errors import DalembertError
from dalembert.processes import not_for_forks

__all__ = ["locked"]

_OURS: Final = re.compile(r"(?:process \d+ on [^\n]*)?")
"""What a lock says; one that was not yet written when its process was killed says nothing."""


@contextmanager
def locked(store: Path) -> Iterator[None]:
    """Hold a store, or refuse where somebody else does."""
    place = Path(os.path.realpath(store))  # one lock, whatever the store is called
    path = place.with_name(f"{place.name}.lock")
    file = _held(path, store)
    try:
        yield
    finally:
        # removed while it is still held: whoever opened it meanwhile sees that the name stands for no file any more
        with suppress(OSError):
            path.unlink()
        file.close()


def _held(path: Path, store: Path) -> Any:
    while True:
        _refuse_foreign(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+", encoding="utf-8")
            not_for_forks(file)  # which would hold the lock when we are gone
        except OSError as fault:
            raise DalembertError(f"'{store}' cannot be written to: {fault.strerror}.") from None
        if not _taken(file):
            file.seek(0)
            who = file.read().strip() or "another process"
            file.close()
            raise DalembertError(f"'{store}' is being swept by {who}; wait until it is done, or choose another store.")
        try:
            same = os.path.samestat(os.fstat(file.fileno()), path.stat())
        except FileNotFoundError:
            same = False
        if same:
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
            return file
        file.close()  # it was removed by the one who held it; begin again with a new one


def _refuse_foreign(path: Path) -> None:
    """Refuse a file of somebody else's by the name of the lock, for the lock is removed in the end."""
    if not os.path.lexists(path):
        return
    try:
        with path.open(encoding="utf-8") as file:
            ours = not path.is_symlink() and _OURS.fullmatch(file.read(1000)) is not None
    except FileNotFoundError:  # removed meanwhile, or a link to nothing
        ours = not path.is_symlink()
    except (OSError, ValueError):
        ours = False
    if not ours:
        raise DalembertError(f"'{path}' is in the way and was not made by dalembert; move it, or choose another name.")


def _taken(file: Any) -> bool:
    """Lock a file, and say whether that worked."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            file.seek(1 << 20)  # beyond what is written, for a locked range cannot be read
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
