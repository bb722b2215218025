"""The gallery: known systems, each in a model file of its own with its source and what is known of it.

A file is read when it is asked for, and its name is the name of the system. A Python file beside them states a family,
with as many links as one likes: ``pendulum:5`` is the member of a family with five links.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Final

from dalembert.errors import Fault, ModelError, expect
from dalembert.garbage import unsearched
from dalembert.model import files
from dalembert.model.faults import suggestion
from dalembert.model.parts import Known
from dalembert.model.system import System

__all__ = ["MOST_LINKS", "Known", "about", "default_size", "known", "load", "names", "text"]

MOST_LINKS = 100
"""The largest member of a family."""
_HERE: Final = Path(__file__).parent


@cache
def names() -> tuple[str, ...]:
    """Return the names of all systems, families without their size.

    >>> "kepler" in names()
    True
    """
    families = (module.name.replace("_", "-") for module in iter_modules(__path__))
    return tuple(sorted([*families, *(file.stem for file in _HERE.glob("*.toml"))]))


@unsearched()
def load(name: str, n: int | None = None) -> System:
    """Return a system by its name; of a family the member with ``n`` links, also written ``pendulum:5``.

    >>> load("pendulum:2").q
    (q1, q2)
    >>> load("vertical-rolling-disc").name
    'vertical rolling disc'
    """
    plain, size = _find(name, n)
    if size is None:
        return files.load(_file(plain))
    system: System = _family(plain).system(size)
    return system


def text(name: str, n: int | None = None) -> str:
    """Return the model file of a system as it stands in the gallery, comments included; a member of a family, written.

    >>> text("kepler").splitlines()[0]
    'name = "Kepler problem"'
    """
    plain, size = _find(name, n)
    return _file(plain).read_text(encoding="utf-8") if size is None else files.dumps(load(plain, size))


def known(name: str, n: int | None = None) -> Known:
    """Return what is known of a system."""
    return load(name, n).known


def about(name: str) -> str:
    """Return the sentence that says what a system is: the first of its notes.

    >>> about("kepler")
    'A planet: a point in space, drawn to the origin by the inverse square of its distance.'
    """
    plain, size = _find(name, None)
    notes: str = tomllib.loads(text(plain))["notes"] if size is None else _family(plain).NOTES
    return notes.partition("\n\n")[0].replace("\n", " ")


def default_size(name: str) -> int | None:
    """Return how many links a family has where nothing is said; None for a system that is not one of a family."""
    return _find(name, None)[1]


def _file(plain: str) -> Path:
    return _HERE / f"{plain}.toml"


def _family(plain: str) -> ModuleType:
    return import_module(f"{__name__}.{plain.replace('-', '_')}")


def _find(name: str, n: int | None) -> tuple[str, int | None]:
    """Return the name of a system and the size asked for, or say what is wrong with the question."""
    expect(name, str, "a system of the gallery is named by text")
    plain, colon, size = name.partition(":")
    if plain not in names():
        known_names = suggestion(plain, names()) or "'dalembert gallery' lists them"
        raise ModelError([Fault("", f"the gallery has no system '{plain[:60]}'", known_names)])
    usual: int | None = None if _file(plain).exists() else _family(plain).SIZE
    if usual is None and (colon or n is not None):
        raise ModelError([Fault("", f"'{plain}' is one system and has no size", f"write '{plain}'")])
    if colon:
        if n is not None or not size.isdecimal() or not size.isascii():
            raise ModelError(
                [Fault("", f"'{name[:60]}' is not a system", f"give its size once, as in '{plain}:{usual}'")]
            )
        n = int(size) if len(size) < 9 else MOST_LINKS + 1
    if n is not None and not (isinstance(n, int) and 1 <= n <= MOST_LINKS):
        large = isinstance(n, int) and abs(n) > 10**15
        shown = (size if len(size) < 20 else f"a number of {len(size)} digits") or ("as many" if large else repr(n))
        raise ModelError([Fault("", f"'{plain}' has 1 to {MOST_LINKS} links, not {shown}")])
    return plain, usual if n is None else n
