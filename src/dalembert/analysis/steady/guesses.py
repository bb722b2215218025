"""Where steady motions are sought as numbers: what is held, where guesses come from, and what they lead to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from dalembert.analysis.steady.laws import is_even
from dalembert.analysis.steady.linear_part import linear_part, spectrum_mark
from dalembert.analysis.steady.search import Held, Label, Point, along, freedom, orbit, solve_from
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.errors import DalembertError, EvaluationError, ExpressionError
from dalembert.expr.calculus import define, diff
from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.walk import substitute
from dalembert.model.equations import equations_and_system
from dalembert.model.parts import State
from dalembert.model.system import System
from dalembert.model.trajectory import Array
from dalembert.numerics.simulate import prepare
from dalembert.numerics.specialise import number_of

_IDLE = 1e-9


def held_at(field: SteadyField, at: Mapping[str, Any]) -> tuple[Held, dict[Expr, Expr]]:
    """Return what is held, as numbers and exactly."""
    words = field.words
    numbers = dict(zip(field.problem.equations.parameters, field.problem.parameters.tolist(), strict=True))
    labels, values, exact = [], [], {}
    for name, value in at.items():
        label = field.label(name)
        labels.append(label)
        values.append(number_of(value, words.vocabulary, numbers))
        exact[label] = words.expression(value if isinstance(value, str) else exact_text(value))
    return Held(tuple(labels), tuple(values)), exact


def exact_text(value: Any) -> str:
    """Return a value as text that is read exactly."""
    if isinstance(value, Expr):
        return text(value)
    exact = Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    return f"({exact.numerator})/({exact.denominator})"


def label_of(field: SteadyField, name: str) -> Label:
    """Return what a family is followed in: a parameter, or anything that has a value at a state."""
    place = field.parameter(name)
    return Label(place=place) if place is not None else Label(field.label(name))


def control_columns(result: Any, field: SteadyField) -> dict[str, list[Expr]]:
    """Return the derivatives of the rates by the controls of a system, at the values that these have."""
    plain, system = equations_and_system(result, "steady")
    if system is None or not system.controls:
        return {}
    rates = plain.rates()
    found = {}
    for control in system.controls:
        columns = [diff(rates[v], control) for v in plain.state]
        try:
            found[control.data.name] = _with_controls(columns, field, system)
        except DalembertError:
            return {}
    return found


def _with_controls(columns: list[Expr], field: SteadyField, system: System) -> list[Expr]:
    put = {u: value for u, value in system.controls.items() if value is not None}
    return substitute(define(columns, dict(field.words.definitions)), put)


def found_points(
    field: SteadyField,
    result: Any,
    held: Held,
    at: Mapping[str, Any],
    values: Any,
    functions: Any,
    starts: int,
    seed: int,
    *,
    even: bool = False,
) -> list[Point]:
    """Return different solutions that guesses lead to; spectra that are to be even are looked at."""
    found: list[Point] = []
    marks: list[Array] = []
    for y in _guesses(field, result, at, values, functions, starts, seed):
        solved = solve_from(field, y, field.problem.parameters, held)
        if solved is None:
            continue
        point = _without_idle(field, Point(_within_a_turn(field, solved, held), field.problem.parameters), held)
        mark = spectrum_mark(field, point)
        if even and not is_even(linear_part(field, point).matrix):
            continue  # it is none of the motion
        if not any(one.shape == mark.shape and np.allclose(one, mark, rtol=1e-5, atol=1e-6) for one in marks):
            found.append(point)
            marks.append(mark)
        if freedom(field, point, held) and len(found) >= 3:
            break  # members of families that were not asked for
    if not found:
        raise EvaluationError(
            f"no steady motion was found from {starts} guesses; say more of it by at, or give more starts."
        )
    return found


def found_curve(
    field: SteadyField,
    result: Any,
    held: Held,
    label: Label,
    asked: Sequence[float],
    at: Mapping[str, Any],
    values: Any,
    functions: Any,
    starts: int,
    seed: int,
) -> list[Point | None]:
    """Return the solution at each value of the label, from the first one that can be found."""
    if not asked:
        raise ExpressionError("no values of the label are given.")
    for first in dict.fromkeys((0, len(asked) // 2, len(asked) - 1)):
        parameters, rows = field.problem.parameters, held
        if label.place is not None:
            parameters = parameters.copy()
            parameters[label.place] = asked[first]
        elif label.expression is not None:
            rows = held.but(label.expression, asked[first])
        for y in _guesses(field, result, at, values, functions, starts, seed):
            solved = solve_from(field, y, parameters, rows)
            if solved is not None:
                begin = Point(solved, parameters)
                ahead = list(along(field, begin, held, label, asked[first:]))
                back = list(along(field, begin, held, label, asked[:first][::-1]))
                return [*back[::-1], *ahead]
    raise EvaluationError("no steady motion was found at the first, the middle or the last value of the label.")


def _guesses(
    field: SteadyField, result: Any, at: Mapping[str, Any], values: Any, functions: Any, starts: int, seed: int
) -> Iterator[Array]:
    """Yield guesses: a start that says what is held, the start of the model, and random ones."""
    plain, system = equations_and_system(result, "steady")
    rest = np.zeros(len(field.xi))
    for given, stated in ((at, False), (at, True), ({}, True)):
        where = system if stated or system is None else replace(system, start=State())
        try:
            problem, _, _ = prepare(plain, dict(given), 1.0, system=where, values=values, functions=functions)
        except DalembertError:  # names that no start knows, or too little said
            continue
        yield np.concatenate([problem.start[: len(field.state)], problem.guess, rest])
    draw = Random(seed)
    for _ in range(starts):
        state = [_drawn(v, draw) for v in field.state]
        yield np.concatenate([state, np.zeros(len(field.problem.equations.implicit)), rest])


def _drawn(variable: Expr, draw: Random) -> float:
    usual = {"angle": (-np.pi, np.pi), "positive": (0.05, 3.0)}
    return draw.uniform(*usual.get(variable.data.domain, (-2.0, 2.0)))


def _within_a_turn(field: SteadyField, y: Array, held: Held) -> Array:
    """Return a solution with its angles between -pi and pi, but for those that are held."""
    free = [k for k, v in enumerate(field.state) if v.data.domain == "angle" and v not in held.labels]
    found = y.copy()
    found[free] -= 2 * np.pi * np.round(found[free] / (2 * np.pi))
    return found


def _without_idle(field: SteadyField, point: Point, held: Held) -> Point:
    """Return a solution with no rate along symmetries that do not move its state: these say nothing."""
    if any(label in field.xi for label in held.labels) or not field.xi:
        return point
    first = len(point.y) - len(field.xi)
    _, sizes, basis = np.linalg.svd(orbit(field, point))
    idle = basis[int(np.sum(sizes > _IDLE * max(1.0, float(sizes.max(initial=0.0))))) :]
    y = point.y.copy()
    y[first:] -= idle.T @ (idle @ y[first:])
    return Point(y, point.parameters)
