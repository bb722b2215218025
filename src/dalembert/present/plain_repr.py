"""Anything in a few lines of plain text: what it is, and what it has."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from types import FunctionType
from typing import Any

from dalembert.expr.graph import ZERO, Expr
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import Form
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["counted", "is_ours", "plain_of", "told", "words_of"]

_WIDE = 110
"""Letters of a line."""
_TALL = 24
"""Lines."""
_SILENT: object = object.__repr__
"""What Python says of a thing that says nothing of itself: where it is in memory."""


def is_ours(thing: object) -> bool:
    """Say whether the type of a thing belongs to this package.

    >>> is_ours(Expr), is_ours(7)
    (False, False)
    """
    return type(thing).__module__.partition(".")[0] == "dalembert"


def words_of(thing: object) -> str:
    """Return the name of a type in words.

    >>> from dalembert.geometry.fields import Chart
    >>> words_of(Chart(()))
    'chart'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(thing).__name__.lstrip("_")).lower()


def told(value: Any) -> str:
    """Return a value in one line, cut where it is long.

    >>> told((1, 2)), told({"a": 1})
    ('1, 2', 'a: 1')
    """
    return _cut(" ".join(_line(value).split()))


def plain_of(thing: Any) -> str:
    """Return a thing in a few lines of plain text.

    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> print(plain_of(fall))
    fall
      L = z'^2/2 - g*z
      coordinates: z
      parameters: g = 9.81
    """
    match thing:
        case System():
            return _lines(thing.name, _system(thing))
        case Equations():
            return _lines(f"{thing.system}: {thing.formalism}", _rates(thing))
        case Claim():
            return f"{thing.statement} [{thing.role}]\n  {thing.verdict}"
        case VectorField():
            return _sum((c, f"d/d{q!r}") for q, c in zip(thing.chart.coordinates, thing.components, strict=True))
        case Form():
            q = thing.chart.coordinates
            return _sum((c, " ^ ".join(f"d{q[k]!r}" for k in i)) for i, c in thing.terms.items())
        case _ if isinstance(getattr(thing, "equations", None), Equations) and hasattr(thing, "objects"):
            equations = thing.equations
            said = [("hypotheses", counted(thing.hypotheses)), ("claims", "claims(result) decides them")]
            return _lines(f"{equations.system}: {equations.formalism}", [*_rates(equations), *said])
    if _speaks(thing) or not is_dataclass(thing):
        return _cut(_line(thing) if is_ours(thing) else str(thing), _WIDE * _TALL)
    parts = [(f.name, getattr(thing, f.name)) for f in fields(thing) if f.repr and not f.name.startswith("_")]
    return _lines(words_of(thing), [(name, told(value)) for name, value in parts if not _silent(value)])


def counted(claims: Sequence[Claim]) -> str:
    """Return how many claims have which verdict."""
    kinds = [claim.verdict.kind for claim in claims]
    return ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))


def _system(system: System) -> list[tuple[str, str]]:
    lines = [("L =", told(system.lagrangian))] if system.lagrangian is not None else []
    lines += [(f"{left!r} =", told(right)) for left, right in system.equations.items()]
    lines += [("coordinates", told(list(system.coordinates)))]
    lines += [("parameters", ", ".join(f"{p!r} = {float(v):g}" for p, v in system.defaults.items()))]
    lines += [(f"speed {one!r} =", told(expression)) for one, expression in system.speeds.items()]
    lines += [(f"constraint {name}", told(str(c))) for name, c in system.constraints.items()]
    return [*lines, ("symmetry", told(list(system.symmetry)))]


def _rates(equations: Equations) -> list[tuple[str, str]]:
    both = (*equations.rates().items(), *equations.reconstruction.items())
    return [(f"{name.dot!r} =", told(rate)) for name, rate in both if name.dot is not rate]


def _sum(terms: Iterable[tuple[Expr, str]]) -> str:
    shown = [f"({c!r}) {element}".strip() for c, element in terms if c is not ZERO]
    return _cut(" + ".join(shown) or "0", _WIDE * _TALL)


def _lines(title: str, parts: Sequence[tuple[str, str]]) -> str:
    """Return a title and a line for each part that says something."""
    lines = [f"  {name}{'' if name.endswith('=') else ':'} {said}" for name, said in parts if said]
    more = [f"  ... and {len(lines) - _TALL} more"] if len(lines) > _TALL else []
    return "\n".join([title, *lines[:_TALL], *more])


def _silent(value: Any) -> bool:
    return value is None or (isinstance(value, str | Sequence | Mapping) and not len(value))


def _speaks(thing: Any) -> bool:
    """Say whether a type has a text of its own, and not the one that Python writes for records."""
    own = type(thing).__dict__
    return "__str__" in own or ("__repr__" in own and not hasattr(own["__repr__"], "__wrapped__"))


def _line(value: Any) -> str:
    """Return one line; of what is large only as much as can be seen."""
    match value:
        case str():
            return value
        case VectorField() | Form():
            return plain_of(value)
        case Mapping():
            return ", ".join(f"{_line(key)}: {_line(part)}" for key, part in list(value.items())[:_TALL])
        case list() | tuple() if value and all(isinstance(v, Claim) for v in value):
            return counted(value)
        case list() | tuple():
            return ", ".join(f"({_line(v)})" if isinstance(v, list | tuple) else _line(v) for v in value[:_TALL])
        case _ if is_dataclass(value) and is_ours(value) and not _speaks(value):
            name = getattr(value, "name", "")
            return f"{words_of(value)} {name}" if isinstance(name, str) and name else words_of(value)
    if isinstance(value, FunctionType):
        return f"the function {value.__name__}"
    return words_of(value) if type(value).__repr__ is _SILENT else str(value)


def _cut(text: str, wide: int = _WIDE) -> str:
    return text if len(text) <= wide else f"{text[: wide - 4]} ..."
