"""What a start says, in numbers: values of variables, of monitors, and guesses at coordinates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.calculus import define
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.model.faults import quoted, suggestion
from dalembert.model.kinds import Point
from dalembert.model.orientations import located
from dalembert.model.system import System
from dalembert.numerics.specialise import number_of
from dalembert.numerics.wording import NameResolver


def start_values(
    start: Mapping[Any, Any], words: NameResolver, parameters: Mapping[Expr, float]
) -> tuple[dict[Expr, float], dict[str, float]]:
    """Return the start values by symbol, and of monitors by name: those of [start], and over them those given here."""
    given: dict[Expr, float] = {}
    watched: dict[str, float] = {}
    for found, plain in stated_values(start, words, parameters):
        number = number_of(plain, words.vocabulary, parameters)
        if not math.isfinite(number):
            label = found if isinstance(found, str) else found.data.label
            raise EvaluationError(f"the start value of {quoted(label)} is not finite.")
        if isinstance(found, str):
            watched[found] = number
        else:
            given[found] = number
    return given | _of_unit_length(given, words), watched


def stated_values(
    start: Mapping[Any, Any], words: NameResolver, parameters: Mapping[Expr, float] | None = None
) -> list[tuple[Expr | str, Any]]:
    """Return the start values as they are stated, by symbol or name of a monitor: those of [start], then these."""
    own = {v.data for v in words.variables}
    told: dict[Any, Any] = {}
    if words.system is not None:
        stated = words.system.start
        told = {q: v for q, v in stated.values.items() if q.data.order <= 1 or q.data in own}
        told |= {f"multiplier {name}": v for name, v in stated.multipliers.items()}
        told |= {f"p.{q.data.name}": v for q, v in stated.costates.items()}
        known = {*words.equations.monitors, *_start_names(words)}
        told = {key: v for key, v in told.items() if isinstance(key, Expr) or key in known}
    plain_ones, _ = without_guesses(start)
    here = by_parts(plain_ones, words.system, lambda one: number_of(one, words.vocabulary, parameters))
    return [
        (named(key, words), define([value], dict(words.definitions))[0] if isinstance(value, Expr) else value)
        for key, value in (*told.items(), *here.items())
    ]


def without_guesses(start: Mapping[Any, Any]) -> tuple[dict[Any, Any], dict[str, Any]]:
    """Return what a start gives, and its guesses: ``near`` is a table of them, ``near.x`` one."""
    told = start.get("near")
    found = dict(told) if isinstance(told, Mapping) else {}
    single = [key for key in start if isinstance(key, str) and key.startswith("near.")]
    found |= {key.removeprefix("near."): start[key] for key in single}
    return {key: value for key, value in start.items() if not (key == "near" or key in single)}, found


def guesses_at(
    start: Mapping[Any, Any], words: NameResolver, parameters: Mapping[Expr, float], given: Mapping[Expr, float]
) -> dict[Expr, float]:
    """Return guesses at coordinates: those of [start.near], over them those of a start, without what is given."""
    system = words.system
    if system is None:
        return {}
    known = {q.data.label: q for q in system.q}
    told: dict[str, Any] = {q.data.label: v for q, v in system.start.near.items()}
    found: dict[Expr, float] = {}
    for label, value in (told | {str(key): v for key, v in without_guesses(start)[1].items()}).items():
        if label not in known:
            hint = suggestion(label, known)
            raise ExpressionError(f"{quoted(label)} is not a coordinate to guess at; {hint}".removesuffix("; "))
        plain = define([value], dict(words.definitions))[0] if isinstance(value, Expr) else value
        number = number_of(plain, words.vocabulary, parameters)
        if not math.isfinite(number):
            raise EvaluationError(f"the guess at {quoted(label)} is not finite.")
        if known[label] not in given:
            found[known[label]] = number
    return found


def _of_unit_length(given: Mapping[Expr, float], words: NameResolver) -> dict[Expr, float]:
    """Return the components of rotations and directions of which some are given, or that nothing else could give."""
    system = words.system
    found: dict[Expr, float] = {}
    if system is None:
        return found
    free = len(system.holonomic) == len(system.points)
    for point in system.points:
        told = {q: given[q] for q in point.components if q in given}
        if (told or free) and moves(point, words):
            found |= point.completed(told)
    return found


def by_parts(start: Mapping[Any, Any], system: System | None, read: Callable[[Any], Any]) -> dict[Any, Any]:
    """Return a start in which rotations and directions are said by their parts; ``read`` makes numbers."""
    points = {} if system is None else {point.name: point for point in system.points}
    found: dict[Any, Any] = {}
    for key, value in start.items():
        if isinstance(key, str) and key in points:
            found |= {f"{key}.{part}": one for part, one in located(points[key], value, read).items()}
        elif key == "near" and isinstance(value, Mapping):
            found |= {f"near.{name}": guess for name, guess in value.items()}
        else:
            found[key] = value
    return found


def _costate(q: Expr, words: NameResolver) -> Expr | None:
    """Return the variable that is the momentum of a coordinate, where the equations have one."""
    return next((v for v in words.variables if v.data.label in {f"p.{q.data.name}", f"p_{q.data.name}"}), None)


def named(key: Any, words: NameResolver) -> Expr | str:
    """Return the symbol that a name in a start stands for, or the name of a monitor."""
    if isinstance(key, Symbol):
        key = symbol(key)
    if isinstance(key, Expr):
        if key.op != "symbol":
            raise ExpressionError(f"a start gives values to variables, not to '{key!r}'.")
        return key
    label = str(key)
    own = _start_names(words)
    monitors = words.equations.monitors
    for name in (f"multiplier {label.removeprefix('lambda.')}", label):
        if label not in own and name in monitors:
            return name
    if label not in own:
        hint = suggestion(label, [*own, *monitors])
        raise ExpressionError(
            f"the start names {quoted(label)}, which is not a variable here; {hint}".removesuffix("; ")
        )
    return own[label]


def _start_names(words: NameResolver) -> dict[str, Expr]:
    """Return what a start may give values to, by name; made once."""
    found: dict[str, Expr] = words.kept(("names of a start",), lambda: _named_here(words))
    return found


def _named_here(words: NameResolver) -> dict[str, Expr]:
    own = {v.data.label: v for v in words.variables}
    for q in words.coordinates:
        own |= {one.data.label: one for one in (q, q.dot) if one.data.label not in own}
        costate = _costate(q, words)
        if costate is not None:
            own.setdefault(f"p.{q.data.name}", costate)
    for speed in () if words.system is None else words.system.speeds:
        own.setdefault(speed.data.label, speed)
    return own


def moves(point: Point, words: NameResolver) -> bool:
    """Say whether the components of a rotation or a direction are variables of the equations, or functions of them."""
    known = {*words.variables, *words.equations.configuration}
    return all(q in known for q in point.components)
