"""The gallery: known systems, each in a file of its own with its source and what is known of it.

A file states one system, or a family of them with as many links as one likes, and is read when it is asked for. Its
name with hyphens is the name of the system; ``pendulum:5`` is the member of a family with five links.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType

from dalembert.errors import Fault, ModelError, expect
from dalembert.gallery.record import Known
from dalembert.model.faults import suggestion
from dalembert.model.system import System

__all__ = ["MOST_LINKS", "Known", "about", "default_size", "known", "load", "names"]

MOST_LINKS = 100
"""The largest member of a family."""


@cache
def names() -> tuple[str, ...]:
    """Return the names of all systems, families without their size.

    >>> "kepler" in names()
    True
    """
    files = (module.name for module in iter_modules(__path__) if module.name != "record")
    return tuple(sorted(name.replace("_", "-") for name in files))


def load(name: str, n: int | None = None) -> System:
    """Return a system by its name; of a family the member with ``n`` links, also written ``pendulum:5``.

    >>> load("pendulum:2").q
    (q1, q2)
    >>> load("vertical-rolling-disc").name
    'vertical rolling disc'
    """
    module, size = _find(name, n)
    system: System = module.system() if size is None else module.system(size)
    return system


def known(name: str, n: int | None = None) -> Known:
    """Return what is known of a system."""
    module, size = _find(name, n)
    facts: Known = module.FACTS if size is None else module.facts(size)
    return facts


def about(name: str) -> str:
    """Return the sentence that says what a system is.

    >>> about("kepler")
    'A planet: a point in space, drawn to the origin by the inverse square of its distance.'
    """
    return (_find(name, None)[0].__doc__ or "").partition("\n\n")[0].replace("\n", " ")


def default_size(name: str) -> int | None:
    """Return how many links a family has where nothing is said; None for a system that is not one of a family."""
    return _find(name, None)[1]


def _find(name: str, n: int | None) -> tuple[ModuleType, int | None]:
    """Return the file of a system and the size asked for, or say what is wrong with the question."""
    expect(name, str, "a system of the gallery is named by text")
    plain, colon, size = name.partition(":")
    if plain not in names():
        known_names = suggestion(plain, names()) or "'dalembert gallery' lists them"
        raise ModelError([Fault("", f"the gallery has no system '{plain[:60]}'", known_names)])
    module = import_module(f"{__name__}.{plain.replace('-', '_')}")
    usual: int | None = getattr(module, "SIZE", None)
    if usual is None and (colon or n is not None):
        raise ModelError([Fault("", f"'{plain}' is one system and has no size", f"write '{plain}'")])
    if colon:
        if n is not None or not size.isdecimal() or not size.isascii():
            raise ModelError([Fault("", f"'{name[:60]}' is no system", f"give its size once, as in '{plain}:{usual}'")])
        n = int(size) if len(size) < 9 else MOST_LINKS + 1
    if n is not None and not (isinstance(n, int) and 1 <= n <= MOST_LINKS):
        large = isinstance(n, int) and abs(n) > 10**15
        shown = (size if len(size) < 20 else f"a number of {len(size)} digits") or ("as many" if large else repr(n))
        raise ModelError([Fault("", f"'{plain}' has 1 to {MOST_LINKS} links, not {shown}")])
    return module, usual if n is None else n
