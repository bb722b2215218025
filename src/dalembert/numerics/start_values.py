"""What a start says, in the names of the system: values by symbol, and of monitors by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dalembert.errors import EvaluationError, ExpressionError
from dalembert.expr.calculus import define
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.model.faults import quoted, suggestion
from dalembert.numerics.specialise import number_of
from dalembert.numerics.wording import NameResolver

__all__ = ["named", "start_values"]


def start_values(
    start: Mapping[Any, Any], words: NameResolver, parameters: Mapping[Expr, float]
) -> tuple[dict[Expr, float], dict[str, float]]:
    """Return the start values by symbol, and of monitors by name: those of [start], and over them those given here."""
    own = {v.data for v in words.variables}
    told: dict[Any, Any] = {}
    if words.system is not None:
        stated = words.system.start
        told = {q: v for q, v in stated.values.items() if q.data.order <= 1 or q.data in own}
        told |= {f"multiplier {name}": v for name, v in stated.multipliers.items()}
        told |= {f"p.{q.data.name}": v for q, v in stated.costates.items()}
        known = {
            *words.equations.monitors,
            *(f"p.{q.data.name}" for q in words.coordinates if _costate(q, words) is not None),
        }
        told = {key: v for key, v in told.items() if isinstance(key, Expr) or key in known}
    given: dict[Expr, float] = {}
    watched: dict[str, float] = {}
    for key, value in (*told.items(), *start.items()):
        plain = define([value], dict(words.definitions))[0] if isinstance(value, Expr) else value
        number = number_of(plain, words.vocabulary, parameters)
        found = named(key, words)
        if not math.isfinite(number):
            label = found if isinstance(found, str) else found.data.label
            raise EvaluationError(f"the start value of {quoted(label)} is not finite.")
        if isinstance(found, str):
            watched[found] = number
        else:
            given[found] = number
    return given, watched


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
    own = {v.data.label: v for v in words.variables}
    for q in words.coordinates:
        own |= {one.data.label: one for one in (q, q.dot) if one.data.label not in own}
        costate = _costate(q, words)
        if costate is not None:
            own.setdefault(f"p.{q.data.name}", costate)
    for speed in () if words.system is None else words.system.speeds:
        own.setdefault(speed.data.label, speed)
    monitors = words.equations.monitors
    for name in (f"multiplier {label.removeprefix('lambda.')}", label):
        if label not in own and name in monitors:
            return name
    if label not in own:
        hint = suggestion(label, [*own, *monitors])
        raise ExpressionError(f"the start names {quoted(label)}, which is no variable here; {hint}".removesuffix("; "))
    return own[label]
