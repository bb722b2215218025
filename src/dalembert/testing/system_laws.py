"""Laws of a system as it is stated: model files, texts, other coordinates, formalisms that describe the same motion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from dalembert.analysis.fields import in_stated_coordinates, pairs, same_field
from dalembert.expr.calculus import jacobian, time_derivative
from dalembert.expr.elementary import sin
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.text import Limits, parse, text
from dalembert.expr.truth import Verdict, all_hold
from dalembert.expr.walk import postorder, substitute
from dalembert.mechanics.common import points_of
from dalembert.mechanics.derivation import derive
from dalembert.model.files import dumps, loads
from dalembert.model.speeds import by_coordinate
from dalembert.model.system import System
from dalembert.numerics.field import all_rates
from dalembert.testing.law import Law, spoilt
from dalembert.testing.motion_laws import Motion, obeys_constraints, obeys_dalembert, spoil_force

_WIDE = Limits(length=10**7)
Results = Mapping[str, Any]
"""What formalisms derived from one system, by their names."""
_FREE = frozenset({"real", "angle"})
_LEFT_OUT = ("symmetry", "momentum", "bundle", "fibration", "subsystem", "start", "end", "run", "let")
"""What new coordinates do without: the principle of d'Alembert needs none of it."""


# -- files and texts ---------------------------------------------------------------------------------------------
def _same_system(system: System, other: System) -> Verdict:
    """Decide whether the model file of a system states another."""
    if loads(dumps(system)) == other:
        return Verdict("proved", "what is read from the file is equal, table by table.")
    return Verdict("refuted", "what is read from the file is not equal.")


def _expressions(system: System) -> Iterator[tuple[str, Expr]]:
    """Yield the expressions of a statement, each with where it stands."""
    if system.lagrangian is not None:
        yield "the Lagrangian", system.lagrangian
    yield from ((f"the constraint '{name}'", c.expression) for name, c in system.constraints.items())
    for where, table in (("the force on", system.forces), ("the equation of", system.equations)):
        yield from ((f"{where} {q!r}", e) for q, e in table.items())


def _reads_texts(system: System, sign: int) -> Verdict:
    """Decide whether each text, with a sign before it, is read as the node it was written for."""
    names = system.vocabulary
    for where, e in _expressions(system):
        if parse(text(e), names, _WIDE) is not sign * e:
            return Verdict("refuted", f"{where} is written as {text(e)}, which is another expression.")
    return Verdict("proved", "each text is read as the expression it was written for.")


# -- other coordinates -------------------------------------------------------------------------------------------
def _sheared(system: System) -> dict[Expr, Expr]:
    """Return each coordinate by new ones of the same names: a change that is no symmetry of most systems."""
    moved = next(q for q, domain in system.coordinates.items() if domain in _FREE)
    others = [q for q in system.q if q is not moved]
    if others:
        new = moved + sin(others[0])
    else:
        new = 2 * moved if system.coordinates[moved] == "angle" else moved + moved**2
    return {q: new if q is moved else q for q in system.q}


def in_new_coordinates(system: System, places: Mapping[Expr, Expr]) -> System:
    """Return the same system in new coordinates, of which each old one is a function.

    >>> fall = System.of(name="fall", coordinates="x z", lagrangian="(x'^2 + z'^2)/2 - z")
    >>> x, z = fall.q
    >>> in_new_coordinates(fall, {x: x, z: z - x}).lagrangian
    (x'^2 + (z' - x')^2)/2 - (z - x)
    """
    put = {**places, **{q.dot: time_derivative(e) for q, e in places.items()}}
    slopes = jacobian(list(places.values()), list(system.q))

    def there(expression: Expr) -> Expr:
        return substitute([expression], put)[0]

    def pulled(form: Mapping[Expr, Expr]) -> dict[str, Expr]:
        """Return a one-form, as a force is one, in the new coordinates."""
        old = [there(form.get(q, ZERO)) for q in system.q]
        new = [total((1, f * row[j]) for f, row in zip(old, slopes, strict=True)) for j in range(len(old))]
        return {q.data.name: e for q, e in zip(system.q, new, strict=True)}

    stated = {name: c for name, c in system.constraints.items() if c.origin != "holonomic"}
    tables = {
        "lagrangian": None if system.lagrangian is None else there(system.lagrangian),
        "constraints": {name: there(c.expression) for name, c in stated.items()} or None,
        "holonomic": {name: there(e.left - e.right) for name, e in system.holonomic.items()} or None,
        "assume": {name: there(e.left - e.right) for name, e in system.assume.items()} or None,
        "forces": pulled(system.forces) if system.forces else None,
        "virtual": {name: pulled(by_coordinate(form, system.q, system.speeds)) for name, form in system.virtual.items()}
        or None,
    }
    return system.but(**tables, **dict.fromkeys(_LEFT_OUT))


def _obeyed_from_elsewhere(system: System, back: bool) -> Verdict:
    """Decide whether the motion derived in new coordinates, brought back, is one of the system in the old ones."""
    places = _sheared(system)
    moved = in_new_coordinates(system, places)
    found = derive(moved, "nonholonomic" if moved.constraints else "euler-lagrange").equations
    here, _, _ = in_stated_coordinates(found, system.q)
    put = dict(zip(system.q, here, strict=True))
    carried = {q: substitute([e], put)[0] for q, e in places.items()}
    motion = Motion(system, replace(found, configuration=carried if back else put))
    verdicts = {"d'Alembert's principle": obeys_dalembert(motion)}
    if system.constraints:
        verdicts = {"the constraints": obeys_constraints(motion), **verdicts}
    return all_hold(verdicts)


def _can_be_moved(system: System) -> bool:
    """Say whether L is of first order and coordinates are numbers, one of which may be anything."""
    free = not system.points and any(domain in _FREE for domain in system.coordinates.values())
    return system.lagrangian is not None and system.order == 1 and free


# -- formalisms --------------------------------------------------------------------------------------------------
_MOST_NODES = 400
"""Fields of more nodes are not compared: with 600 it took half a minute, and to refute a wrong twin three."""


def _pairs(results: Results) -> list[tuple[str, str]]:
    system: System = next(iter(results.values())).system
    return pairs(system, {name: result.equations for name, result in results.items()})


def _agree(results: Results) -> Verdict:
    """Decide whether all formalisms of the same motion are the same field."""
    verdicts = {}
    for one, other in _pairs(results):
        first, second = results[one].equations, results[other].equations
        size = len(postorder([*all_rates(first).values(), *all_rates(second).values()]))
        verdicts[f"{one} and {other}"] = (
            same_field(first, second, results[one].system.q, points_of(results[one].system))
            if size <= _MOST_NODES
            else Verdict("undecided", f"the fields have {size} nodes together, more than {_MOST_NODES}.")
        )
    return all_hold(verdicts)


def _spoil_one(results: Results) -> Results:
    """Return the results with another force in the last that is compared."""
    _, last = _pairs(results)[-1]
    return {**results, last: spoil_force(results[last])}


SYSTEM_LAWS: tuple[Law[System], ...] = (
    Law(
        "model file",
        "the model file of the system states the system",
        lambda system: _same_system(system, system),
        lambda system: _same_system(system.but(name=f"{system.name} again"), system),
        "the file has another name in it",
    ),
    Law(
        "texts",
        "the text of every expression is read as that expression",
        lambda system: _reads_texts(system, 1),
        lambda system: _reads_texts(system, -1),
        "a sign is lost",
    ),
    Law(
        "coordinates",
        "the motion derived in other coordinates obeys d'Alembert's principle in these",
        lambda system: _obeyed_from_elsewhere(system, back=True),
        lambda system: _obeyed_from_elsewhere(system, back=False),
        "the other coordinates are taken for these",
        _can_be_moved,
    ),
)
"""Laws of a system as it is stated."""

FORMALISMS_LAWS: tuple[Law[Results], ...] = (
    Law(
        "agreement",
        "formalisms that describe the same motion are the same field",
        _agree,
        spoilt(_agree, _spoil_one),
        "the velocities of one of them are pushed a little",
        lambda results: bool(_pairs(results)),
    ),
)
"""Laws of what several formalisms derive from one system."""
