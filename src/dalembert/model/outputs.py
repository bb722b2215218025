"""Where results go: every file that dalembert writes is written here, whole or not at all.

Links are followed. A pipe or a device is written to as it stands; any other file is made under a name of its own beside
the old one and then takes its place, with its mode. A file that was read is never written, and nothing is removed that
dalembert did not make: a folder it works in has a marker.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from dalembert.errors import DalembertError

_OPEN_FILE: Final = re.compile(r"/(?:dev/fd|proc/(?:self|thread-self)/fd)/(\d+)")
_MOST_LINKS: Final = 40
_NEW: Final = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_PARTIAL: Final = re.compile(r"\.dalembert-[0-9a-f]{16}\.partial")
"""A file that is not yet in its place; one is left where the process was killed or might not remove it."""
_MARKER: Final = ".made-by-dalembert"
"""In every folder that is made on the way to another, and in no other folder."""


def why(error: OSError | ValueError) -> str:
    """Return why a file cannot be opened; a ValueError means a name that no file can have."""
    if isinstance(error, FileNotFoundError):
        return "there is no such folder"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    return str(getattr(error, "strerror", None) or "this is not the name of a file").lower()


# -- before the work -----------------------------------------------------------------------------------------
def check_output(path: Path, endings: Sequence[str], inputs: Iterable[Path] = ()) -> None:
    """Refuse an output that cannot be written or is an input, before the work is done; nothing there is touched."""
    with _refusing(path):
        place = place_of(path)
        kind = _kind(place)
        if path.suffix.lower() not in endings and not (kind == "stream" and len(endings) == 1):
            raise DalembertError(f"the output must end in {_either(endings)}, not '{path}'.")
        if path.suffix.lower() == ".zarr":
            check_folder(path, inputs)
        elif isinstance(place, Path) and kind != "stream":
            _check_file(path, place, inputs)


def folder_for(path: Path) -> Path:
    """Return a folder for files that are new; it is made where there is none, and refused where there can be none."""
    with _refusing(path):
        path.mkdir(parents=True, exist_ok=True)
    return path


def refuse_twice(paths: Iterable[Path]) -> None:
    """Refuse outputs that lead to the same place; a pipe or a device takes one after the other."""
    seen: dict[Path, Path] = {}
    for path in paths:
        place = place_of(path)
        if isinstance(place, int) or _kind(place) == "stream":
            continue
        for other, named in seen.items():
            if place == other or _same(place, other):
                raise DalembertError(f"two outputs cannot both go to '{named}'; give each a name of its own.")
        seen[place] = path


def check_folder(path: Path, inputs: Iterable[Path] = ()) -> None:
    """Refuse a folder that cannot be made, or in which an input lies."""
    with _refusing(path):
        place = place_of(path)
        if isinstance(place, int) or _kind(place) == "stream":
            raise DalembertError(f"'{path}' cannot be written: a store is a folder, and this is a pipe or a device.")
        for one in inputs:
            if _same(place, one) or place in Path(os.path.realpath(one)).parents:
                raise DalembertError(f"'{path}' holds the model '{one}'; choose another name for the output.")
        there = next(one for one in (place, *place.parents) if one.exists())
        if there.is_dir():
            _try_folder(there)
        elif there != place:
            raise NotADirectoryError(errno.ENOTDIR, "a part of its name is a file")


def _check_file(path: Path, place: Path, inputs: Iterable[Path]) -> None:
    for one in inputs:
        if _same(place, one):
            raise DalembertError(f"'{path}' is the model that is read; choose another name for the output.")
    if place.exists():
        os.close(os.open(place, os.O_WRONLY))  # neither longer nor shorter for it
    _try_folder(place.parent)


def _try_folder(folder: Path) -> None:
    """See that something can be made in a folder."""
    descriptor, name = _new(folder)
    os.close(descriptor)
    name.unlink()


def _either(endings: Sequence[str]) -> str:
    return " or ".join([", ".join(endings[:-1]), endings[-1]] if endings[1:] else endings)


def _same(one: Path, other: Path) -> bool:
    """Say whether two names are of one file, whatever the spelling, the links and the hard links."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


# -- where a name leads --------------------------------------------------------------------------------------
def place_of(path: Path) -> Path | int:
    """Return where a name leads: a path that is no link, or the number of a file that this process has open.

    >>> place_of(Path("/dev/fd/1"))
    1
    """
    at = path
    try:
        for _ in range(_MOST_LINKS):
            if opened := _OPEN_FILE.fullmatch(os.path.abspath(at)):  # noqa: PTH100 - without following links
                return int(opened[1])
            if not at.is_symlink():
                return Path(os.path.realpath(at))
            at = at.parent / at.readlink()
    except ValueError as error:
        raise DalembertError(f"'{path}' cannot be written: {why(error)}.") from None
    raise DalembertError(f"'{path}' cannot be written: it is a link that leads to itself.")


def _kind(place: Path | int) -> str:
    """Return what is there: "stream", "folder", "file", or "" for nothing yet."""
    if isinstance(place, int):
        return "stream"
    try:
        mode = place.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if stat.S_ISBLK(mode):
        raise DalembertError(f"'{place}' is a disk, which is never written to; name a file on it.")
    return "folder" if stat.S_ISDIR(mode) else "file" if stat.S_ISREG(mode) else "stream"


# -- files ---------------------------------------------------------------------------------------------------
def write(path: Path, data: str | bytes) -> None:
    """Write a file, a pipe or a device.

    >>> from tempfile import mkdtemp
    >>> folder = Path(mkdtemp())
    >>> write(folder / "a.txt", "one")
    >>> (folder / "a.txt").read_text(), [file.name for file in folder.iterdir()]
    ('one', ['a.txt'])
    """
    encoded = data.encode() if isinstance(data, str) else data
    with _refusing(path):
        place = place_of(path)
        if _kind(place) == "stream":
            _pour(place, encoded)
        else:
            assert isinstance(place, Path)
            _replace(place, encoded)


def _replace(place: Path, data: bytes) -> None:
    """Put a new file in the place of an old one, with its mode; a disc that is full leaves the old one as it was."""
    if _kind(place) == "folder":
        raise IsADirectoryError
    descriptor, new = _new(place.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(descriptor)  # some discs say only here that they are full
        with suppress(FileNotFoundError):
            old = place.stat()
            with suppress(OSError, AttributeError):  # which only some may do, and only on some systems
                os.chown(new, old.st_uid, old.st_gid)
            new.chmod(stat.S_IMODE(old.st_mode))
        new.replace(place)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise


def _new(folder: Path) -> tuple[int, Path]:
    """Return a new, empty file in a folder, with the mode that a new file has here."""
    while True:
        name = folder / f".dalembert-{secrets.token_hex(8)}.partial"
        with suppress(FileExistsError):
            return os.open(name, _NEW, 0o666), name


def is_left_over(file: Path) -> bool:
    """Say whether a file has a name that only ours have, which are not yet in their place.

    >>> is_left_over(Path("x/.dalembert-0123456789abcdef.partial")), is_left_over(Path("x/notes.partial"))
    (True, False)
    """
    return _PARTIAL.fullmatch(file.name) is not None


def _pour(place: Path | int, data: bytes) -> None:
    """Write to what is open, or to a pipe or a device."""
    if isinstance(place, int):
        for printed in (sys.stdout, sys.stderr):
            if printed is not None:
                printed.flush()
    with os.fdopen(os.dup(place), "wb") if isinstance(place, int) else place.open("wb") as stream:
        stream.write(data)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    """Say of an output why it cannot be written; that nobody reads a pipe is for the caller."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise DalembertError(f"'{path}' cannot be written: {why(error)}.") from None


# -- folders -------------------------------------------------------------------------------------------------
def _work_folder(place: Path) -> Path:
    return place.with_name(f"{place.name}.partial")


def clear(path: Path) -> None:
    """Remove the work folder that a process which was killed left beside a place, and refuse one that is not ours.

    The marker is the first thing in it and the last to go, so that what is left of it is ours or empty.
    """
    place = Path(os.path.realpath(path))
    work = _work_folder(place)
    if not os.path.lexists(work):
        return
    if work.is_symlink() or not work.is_dir() or (not (work / _MARKER).is_file() and any(work.iterdir())):
        raise DalembertError(f"'{work}' is in the way and was not made by dalembert; move it, or choose another name.")
    old = work / "old"
    if old.exists():  # it was killed between two renames, or its work is done and what is half removed must not return
        old.rename(work / "gone" if place.exists() else place)
    for part in work.iterdir():
        if part.name != _MARKER:
            shutil.rmtree(part)
    (work / _MARKER).unlink(missing_ok=True)
    work.rmdir()


@contextmanager
def making(path: Path) -> Iterator[Path]:
    """Give the name of a folder to make; once it is whole it takes the place of the output and of what was there.

    The caller has seen to it that what is there may go.
    """
    with _refusing(path):
        place: Any = place_of(path)
        clear(place)
        work = _work_folder(place)
        work.mkdir()
        (work / _MARKER).touch()
        try:
            yield work / "new"
            if place.exists():
                place.rename(work / "old")
            (work / "new").rename(place)
        except BaseException:
            with suppress(OSError, DalembertError):
                clear(place)
            raise
        clear(place)
