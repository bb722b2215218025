"""The words of a command: what it takes is declared here, plain words are read here, and what is said is printed here.

Typer writes the help, completes words and says what is wrong with them; to load it takes as long as a small motion. So
a command declares its arguments and options in records of ours, of which ``cli/typed.py`` makes those of Typer, and
words that leave no doubt are read without it: known options spelled out, with values that cannot be mistaken. Of all
others ``read`` says nothing, and they go to Typer.
"""

from __future__ import annotations

import codecs
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType
from typing import Any, Final, TypeVar, get_args, get_origin, get_type_hints

from dalembert.records import dataclass

Work = TypeVar("Work", bound=Callable[..., None])
Offer = Callable[[str], list[str]]
NO_CACHE: Final = "--no-cache"
"""What any command may be told: neither to use nor to keep anything on disc."""
VERSION: Final = "--version"
INTERRUPTED: Final = 130
"""The exit status where somebody stopped a command."""
_NUMBER: Final = re.compile(r"\d{1,15}(\.\d{0,15})?([eE][+-]?\d{1,3})?", re.ASCII)
_WHOLE: Final = re.compile(r"\d{1,15}", re.ASCII)


class Ended(Exception):
    """A command is done, with a status."""

    def __init__(self, status: int) -> None:
        """Keep the status."""
        super().__init__(status)
        self.status = status


@dataclass(frozen=True)
class Word:
    """An option, or an argument if it has no names; ``metavar`` stands for its value in the help."""

    names: tuple[str, ...]
    help: str
    metavar: str | None = None
    panel: str | None = None
    offers: Offer | None = None
    """What a shell offers for the beginning of a value."""


def argument(metavar: str, words: str, offers: Offer) -> Any:
    """Return an argument of a command."""
    return Word((), words, metavar, offers=offers)


def option(
    name: str, metavar: str, words: str, panel: str | None = None, *, short: str = "", offers: Any = None
) -> Any:
    """Return an option of a command that takes a value, under the title of a panel of its help."""
    return Word((short, name) if short else (name,), words, metavar, panel, offers)


def flag(name: str, words: str, panel: str | None = None) -> Any:
    """Return an option of a command that is given or not."""
    return Word((name,), words, panel=panel)


@dataclass(frozen=True)
class Command:
    """What a command does, and its help."""

    work: Callable[..., None]
    help: str


class Commands(dict[str, Command]):
    """Commands by their names."""

    def command(self, words: str) -> Callable[[Work], Work]:
        """Return what makes a command with some help of a function."""

        def added(work: Work) -> Work:
            self[work.__name__] = Command(work, words)
            return work

        return added


# -- reading -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Taken:
    """What a command takes: an argument or an option, of a kind."""

    name: str
    word: Word
    kind: Any
    several: bool
    default: Any


def taken_by(work: Callable[..., None]) -> list[Taken]:
    """Return what a command takes, as the annotations of its function say."""
    hints = get_type_hints(work, include_extras=True)
    found = []
    for parameter in signature(work).parameters.values():
        kind, word = get_args(hints[parameter.name])
        if NoneType in get_args(kind):
            kind = next(one for one in get_args(kind) if one is not NoneType)
        several = get_origin(kind) is list
        found.append(Taken(parameter.name, word, get_args(kind)[0] if several else kind, several, parameter.default))
    return found


def read(work: Callable[..., None], words: Sequence[str]) -> dict[str, Any] | None:
    """Return the values that words give to the parameters of a command; None if they leave any doubt.

    >>> from typing import Annotated
    >>> def greet(name: Annotated[str, argument("NAME", "Whom.", list)],
    ...           times: Annotated[int, option("--times", "N", "How often.")] = 1) -> None: ...
    >>> read(greet, ["Leonhard", "--times", "2"])
    {'name': 'Leonhard', 'times': 2}
    >>> read(greet, ["--times", "two", "Leonhard"]) is None
    True
    """
    takes = taken_by(work)
    options = {name: one for one in takes for name in one.word.names}
    arguments = [one for one in takes if not one.word.names]
    given: dict[str, Any] = {}
    rest = list(reversed(words))
    while rest:
        name, sign, joined = rest.pop().partition("=")
        if not name.startswith("-"):
            one = arguments.pop(0) if arguments else None
            value: Any = name + sign + joined
        elif (one := options.get(name)) is None or (sign and not name.startswith("--")):
            return None
        elif one.kind is bool:
            value = True
            if sign:
                return None
        elif sign:
            value = joined
        elif rest:
            value = rest.pop()
        else:
            return None
        if one is None or (value := _plain(one.kind, value)) is None or (one.name in given and not one.several):
            return None
        if one.several:
            given.setdefault(one.name, []).append(value)
        else:
            given[one.name] = value
    values = {one.name: given.get(one.name, one.default) for one in takes}
    return None if any(value is Parameter.empty for value in values.values()) else values


def _plain(kind: Any, value: Any) -> Any:
    """Return a value that can be taken in one way only, else None."""
    if kind is bool:
        return value
    if not value or value.startswith("-"):
        return None
    if kind in {str, Path}:
        return kind(value)
    if kind in {int, float}:
        return kind(value) if (_WHOLE if kind is int else _NUMBER).fullmatch(value) else None
    return None


# -- what is said --------------------------------------------------------------------------------------------
_COLOUR: Final = re.compile("\x1b\\[(?:3[1-6]|0)m")
"""Those of ``paint``; a name in one of them does no harm."""
_HEARD: Final[list[list[str]]] = []


@contextmanager
def heard() -> Iterator[list[str]]:
    r"""Gather what is printed within, instead of printing it.

    >>> with heard() as said:
    ...     echo("one")
    ...     echo("two")
    >>> said
    ['one\n', 'two\n']
    """
    _HEARD.append([])
    try:
        yield _HEARD[-1]
    finally:
        _HEARD.pop()


def printable(words: str) -> str:
    r"""Return a text without letters that would move, colour or reorder a terminal: each by its number, as in JSON.

    Lines stay, and so do the colours of verdicts.

    >>> printable("a name\x1b]0;of theirs\x07\u202e, \x1b[32mproved\x1b[0m")
    'a name\\u001b]0;of theirs\\u0007\\u202e, \x1b[32mproved\x1b[0m'
    """
    if words.replace("\n", "").isprintable():
        return words
    colours = _COLOUR.findall(words)
    parts = ["".join(map(_visible, part)) for part in _COLOUR.split(words)]
    return "".join(part + colour for part, colour in zip(parts, [*colours, ""], strict=True))


def _visible(letter: str) -> str:
    if letter in "\n\t" or unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
        return letter
    return re.sub("....", r"\\u\g<0>", letter.encode("utf-16-be", "surrogatepass").hex())


def echo(words: str = "", *, err: bool = False, nl: bool = True) -> None:
    """Print some words at once; a stream that has no letters but those of ASCII gets those of UTF-8."""
    if _HEARD and not err:
        _HEARD[-1].append(words + "\n" * nl)
        return
    stream: Any = sys.stderr if err else sys.stdout
    if stream is None:  # as where the shell has closed it
        return
    name = getattr(stream, "encoding", None)
    if name and codecs.lookup(name).name == "ascii" and hasattr(stream, "reconfigure"):
        stream.reconfigure(encoding="utf-8", errors="replace")
    stream.write(printable(words) + "\n" * nl)
    stream.flush()


def show_version() -> None:
    """Print which version this is."""
    from dalembert import __version__

    echo(f"dalembert {__version__}")
