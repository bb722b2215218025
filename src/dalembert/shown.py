"""How a result prints: ``str`` and a notebook show its page, ``repr`` names it in one short line.

Pages are made in ``present``, far above the records that results are. It is loaded by its name when something is
printed, so that a result imports nothing for being able to print.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

_SHORT = 110
"""Letters of a line that names a result."""


class Shown:
    """A result that prints as its command does.

    >>> class SteadyTurn(Shown):
    ...     system = "top"
    >>> SteadyTurn()
    <steady turn of top>
    """

    __slots__ = ()
    _printer = "dalembert.present.things"
    """The module that has ``printed``, which returns the page of a result as text."""

    def __str__(self) -> str:
        """Return the page of this result as text."""
        return import_module(self._printer).printed(self)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        """Name this result in one line, without computing anything."""
        said = self.summary()
        return f"<{said if len(said) <= _SHORT else f'{said[: _SHORT - 4]} ...'}>"

    def summary(self) -> str:
        """Return what this is, with its name, its system and its formalism if it has them."""
        system, formalism = getattr(self, "system", ""), getattr(self, "formalism", "")
        of = system if isinstance(system, str) else system.name
        name = getattr(self, "name", "")
        kind = f"{in_words(type(self))} {name}" if isinstance(name, str) and name else in_words(type(self))
        return f"{kind}{f' of {of}' if of else ''}{f', {formalism}' if formalism else ''}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Print a brief page in IPython, and one line inside something else."""
        alone = len(printer.stack) == 1 and not cycle
        printer.text(_maker("things").in_brief(self) if alone else repr(self))

    def _repr_html_(self) -> str | None:
        """Return what a notebook shows."""
        return _maker("notebook").html_of(self)  # type: ignore[no-any-return]

    def _repr_latex_(self) -> str | None:
        """Return the formulas of the page."""
        return _maker("notebook").latex_of(self)  # type: ignore[no-any-return]


def in_words(kind: type) -> str:
    """Return the name of a class in words.

    >>> in_words(Shown), in_words(type("SecondOrderForm", (), {}))
    ('shown', 'second order form')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind.__name__.lstrip("_")).lower()


def _maker(module: str) -> Any:
    return import_module(f"dalembert.present.{module}")
