"""What was worked out before, kept on disc: machine code and equations, under a key that says all they were made from.

An entry is a file in a folder of the user's own, ``$XDG_CACHE_HOME/dalembert`` or ``~/.cache/dalembert``;
``DALEMBERT_CACHE`` names another folder, and ``DALEMBERT_CACHE=off`` (or 0, no, false) keeps nothing. Its name is the
SHA-256 of its key; before its data stands their SHA-256. That finds *damage*: an entry that was cut off or changed by a
faulty disc is passed over and written anew. It does not find *malice*: whoever may write into the folder may have us
run what he likes. So the folder must belong to whoever runs us and be closed to all others (mode 0700), or it is not
used; neither the folder nor an entry may be a link. Entries take the place of others whole, so that any number of
processes may share a folder. What takes more than its room makes way, what was used least lately first. Nothing about a
cache is an error: where it cannot be read or written, everything is worked out as if there were none.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Final

VARIABLE: Final = "DALEMBERT_CACHE"
OFF: Final = "off"
_NO: Final = frozenset({OFF, "0", "no", "none", "false"})
"""What is meant to switch it off, and would be a strange name for a folder."""
ROOM: Final = 256 * 2**20
"""So many bytes are kept; what is over makes way until three quarters are left."""
_MARK: Final = b"dalembert cache 1\n"
_DIGEST: Final = hashlib.sha256().digest_size
_HEAD: Final = len(_MARK) + _DIGEST
_ABLE: Final = hasattr(os, "O_NOFOLLOW") and hasattr(os, "geteuid") and os.open in os.supports_dir_fd
"""Whether this system can open what is in a folder without following links, and says whose it is."""
_PRIVATE: Final = 0o700


def folder() -> Path | None:
    """Return where entries are kept; None if none are.

    >>> from unittest import mock
    >>> with mock.patch.dict(os.environ, {VARIABLE: "0"}):
    ...     print(folder())
    None
    """
    told = os.environ.get(VARIABLE, "")
    if told.lower() in _NO or not _ABLE:
        return None
    if told:
        return Path(told)
    base = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(base):  # noqa: PTH117 - what the standard for this variable asks for
        return Path(base, "dalembert")
    home = os.path.expanduser("~")  # noqa: PTH111 - which does not fail where there is no home
    return Path(home, ".cache", "dalembert") if os.path.isabs(home) else None  # noqa: PTH117


def switch_off() -> None:
    """Keep nothing from now on, in this process and in those that it starts."""
    os.environ[VARIABLE] = OFF


def key(kind: str, *parts: str | bytes) -> str:
    """Return the name of an entry: all that it was made from, with our version.

    >>> len(key("example", "ab", "c")), key("example", "ab", "c") == key("example", "a", "bc")
    (64, False)
    """
    made = hashlib.sha256()
    for part in (kind, _version(), *parts):
        data = part.encode(errors="surrogatepass") if isinstance(part, str) else part
        made.update(len(data).to_bytes(8, "little"))
        made.update(data)
    return made.hexdigest()


@cache
def program() -> str:
    """Return what tells this program from others: its version, and names, sizes and times of all its files.

    >>> len(program())
    64
    """
    found = hashlib.sha256(_version().encode())
    folders = [os.path.dirname(os.path.abspath(__file__))]  # noqa: PTH100, PTH120 - as quick as can be
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in sorted(entries, key=lambda one: one.name):
                if entry.is_dir():
                    folders += [entry.path] * (entry.name != "__pycache__")
                elif not entry.name.endswith(".pyc"):
                    told = entry.stat()
                    found.update(f"{entry.path}\0{told.st_size}\0{told.st_mtime_ns}\n".encode())
    return found.hexdigest()


def look(name: str) -> bytes | None:
    """Return what is kept under a name; None if there is nothing, or nothing whole."""
    with suppress(OSError), _opened(make=False) as at:
        if at is not None:
            return _read(at, name)
    return None


def keep(name: str, data: bytes) -> None:
    """Keep something under a name, if that can be done."""
    with suppress(OSError), _opened(make=True) as at:
        if at is not None:
            _write(at, name, _MARK + hashlib.sha256(data).digest() + data)
            _make_room(at)


# -- the folder ----------------------------------------------------------------------------------------------
@contextmanager
def _opened(*, make: bool) -> Iterator[int | None]:
    """Open the folder, which is made where it is missing; None if there is none, or it is not ours alone."""
    place = folder()
    if place is None:
        yield None
        return
    if make and not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            place.mkdir(mode=_PRIVATE)
    at = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        yield at if _is_private(os.fstat(at)) else None
    finally:
        os.close(at)


def _is_private(found: os.stat_result) -> bool:
    return found.st_uid == os.geteuid() and not found.st_mode & 0o077


# -- entries -------------------------------------------------------------------------------------------------
def _read(at: int, name: str) -> bytes | None:
    # without waiting: somebody may have put a pipe there
    descriptor = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)
    with os.fdopen(descriptor, "rb") as file:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode) or not _is_private(found) or not _HEAD <= found.st_size <= ROOM:
            return None
        whole = file.read()
        if whole[: len(_MARK)] != _MARK or whole[len(_MARK) : _HEAD] != hashlib.sha256(whole[_HEAD:]).digest():
            return None
        with suppress(OSError):
            os.utime(descriptor)  # it was used just now
    return whole[_HEAD:]


def _write(at: int, name: str, data: bytes) -> None:
    """Write a new file and have it take the place of the old one, whole."""
    new = f".{secrets.token_hex(8)}.partial"
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=at)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        os.replace(new, name, src_dir_fd=at, dst_dir_fd=at)
    except BaseException:
        with suppress(OSError):
            os.unlink(new, dir_fd=at)
        raise
    _room.taken += len(data)


class _Room:
    """How much is taken, as far as this process knows: what was there when it first looked, and what it wrote."""

    def __init__(self) -> None:
        self.counted: tuple[int, int] | None = None
        self.taken = 0


_room = _Room()


def _make_room(at: int) -> None:
    """Remove what was used least lately where more is kept than there is room for."""
    found = os.fstat(at)
    if _room.counted == (found.st_dev, found.st_ino) and _room.taken <= ROOM:
        return
    _room.counted = (found.st_dev, found.st_ino)
    with os.scandir(at) as entries:
        files = [(entry.name, entry.stat(follow_symlinks=False)) for entry in entries]
    _room.taken = sum(told.st_size for _, told in files)
    if _room.taken <= ROOM:
        return
    for name, told in sorted(files, key=lambda one: one[1].st_mtime_ns):
        with suppress(OSError):
            os.unlink(name, dir_fd=at)
            _room.taken -= told.st_size
        if _room.taken <= 3 * ROOM // 4:
            return


def _version() -> str:
    return str(sys.modules["dalembert"].__version__)
