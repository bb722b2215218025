"""What formalisms do alike: fill the record of equations, differentiate along the motions, look at the start."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from math import nan
from typing import Any, Protocol

import numpy as np

from dalembert.errors import EvaluationError, ExpressionError, Fault
from dalembert.expr.calculus import define, tangent
from dalembert.expr.graph import ONE, Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Inside, Sphere, Where
from dalembert.expr.walk import divisors, evaluate, functions, postorder, substitute, symbols
from dalembert.model.claim import Claim
from dalembert.model.completed import kinetic_part, solved
from dalembert.model.equations import Equations
from dalembert.model.least import by_velocities, velocities_of
from dalembert.model.system import System
from dalembert.shown import Shown


class HasEquations(Protocol):
    """What a formalism derives, as far as a motion needs it."""

    @property
    def equations(self) -> Equations: ...


def optional(name: str, make: Callable[[], Mapping[str, object]]) -> Mapping[str, object]:
    """Return objects that not every system has; if they cannot be written down, the reason stands under a name.

    >>> optional("slope", lambda: {"slope": ONE / symbol("x")}), optional("slope", lambda: {"slope": ONE / 0})
    ({'slope': 1/x}, {'slope': 'left out: division by zero'})
    """
    try:
        return make()
    except ExpressionError as fault:
        return {name: f"left out: {str(fault).removesuffix('.')}"}


class _Claims:
    """``result.claims``, which looks like an attribute and decides all theorems: it is kept for a release."""

    def __get__(self, result: Any, kind: type | None = None) -> tuple[Claim, ...]:
        if result is None:  # a class has none
            raise AttributeError("claims")
        from dalembert.mechanics.registry import claims

        said = "result.claims decides all theorems anew; write dalembert.claims(result)"
        warnings.warn(said, DeprecationWarning, stacklevel=2)
        return claims(result)


class _NoHypotheses:
    """Nothing was decided on the way, where a formalism does not say otherwise."""

    def __get__(self, result: Any, kind: type | None = None) -> tuple[Claim, ...]:
        if result is None:
            raise AttributeError("hypotheses")
        return ()


class Derived(Shown):
    """What a formalism derives; in a shell it says in one line what it is, for all that it holds would fill pages.

    >>> from dalembert.mechanics.lagrangian import euler_lagrange
    >>> euler_lagrange.derive(System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z"))
    <euler-lagrange equations of fall: z, z'>
    """

    __slots__ = ()
    _printer = "dalembert.studies.overview"
    claims = _Claims()
    hypotheses = _NoHypotheses()

    def summary(self: HasEquations) -> str:
        """Return which equations these are, and their state."""
        return self.equations.summary()


def equations_of(system: System, formalism: str, **parts: Any) -> Equations:
    """Return equations of a system, with what it says of parameters and functions."""
    return Equations(
        system=system.name,
        formalism=formalism,
        parameters=system.defaults,
        functions={f: system.definitions.get(f) for f in system.functions},
        **parts,
    )


def is_complete(system: System) -> bool:
    """Say whether all that may occur in equations has a value, so that parts of them can be written down later.

    >>> is_complete(System.of(name="fall", coordinates="z", parameters="g", lagrangian="z'^2/2 - g*z"))
    False
    """
    return len(system.defaults) == len(system.parameters) and not (system.functions or system.controls)


def faults_of_algebra(system: System) -> list[Fault]:
    """Return that a theory in coordinates takes no velocities of a Lie algebra, where [algebra] states some."""
    if system.algebra is None:
        return []
    what = "its velocities are those of a Lie algebra, and belong to no coordinates"
    return [Fault("[algebra]", what, "use reduced or vakonomic")]


def divided_by(written: Sequence[Expr], solved: Sequence[Expr], stated: Sequence[Expr] = ()) -> tuple[Expr, ...]:
    """Return the factors that equations divide by as they are written, but not those that their statement divides by.

    ``solved`` are determinants that were divided by on the way: where linear systems are left standing, they hide
    whether these cancel. What has parameters alone stays out: it may fail, but not on the way.

    >>> x, y, m = symbol("x"), symbol("y"), symbol("m", role="parameter")
    >>> divided_by([x / (m*y**2), ONE / x], [], [2 / x])
    (y,)
    """
    hidden = any(node.op == "solve" for node in postorder(list(written)))
    below = [*divisors(written), *(solved if hidden else ())]
    own = set(_factors(divisors(stated)))
    moving = {s for s in symbols(below) if s.role != "parameter"}
    return tuple(base for base in _factors(below) if base not in own and not moving.isdisjoint(symbols([base])))


def _factors(expressions: Sequence[Expr]) -> list[Expr]:
    """Return the bases of products, each once."""
    return list(dict.fromkeys(base for e in expressions for base in (e.args if e.op == "product" else (e,))))


def along(equations: Equations, functions: Sequence[Expr]) -> list[Expr]:
    """Return the rates of functions of time and state along the motions."""
    return tangent(functions, {**equations.rates(), symbol(TIME): ONE})


def facts_of(system: System) -> tuple[Fact, ...]:
    """Return what holds at every point: the assumptions, and that rotations and directions have unit length.

    >>> facts_of(System.of(name="needle", coordinates={"n": "direction"}, lagrangian="n.x'^2 + n.y'^2 + n.z'^2"))
    (Sphere(coordinates=(n.x, n.y, n.z)),)
    """
    return (*system.facts, *map(Sphere, system.spheres))


def points_of(system: System) -> tuple[Fact, ...]:
    """Return what holds where the motion of a system goes: its assumptions, and its constraints on positions.

    With these come all constraints on velocities. Alone they need no mention, since claims are made of functions in
    which velocities that they give have been put in, so that every point obeys them.

    >>> rod = System.of(name="rod", coordinates="x y", lagrangian="(x'^2 + y'^2)/2", holonomic={"rod": "x = 2*y"})
    >>> [fact.equation for fact in points_of(rod)]
    [x - 2*y, x' - 2*y']
    """
    stated = [e.left - e.right for name, e in system.holonomic.items() if name not in system.units]
    moving = [c.expression for name, c in system.constraints.items() if name not in system.units] if stated else []
    return (*facts_of(system), *(Where(f) for f in (*stated, *moving)))


def carried(facts: Sequence[Fact], put: Mapping[Expr, Expr]) -> tuple[Fact, ...]:
    """Return facts about points with values put in, as they are on a submanifold."""

    def there(fact: Fact) -> Fact:
        match fact:
            case Where(equation):
                return Where(substitute([equation], put)[0])
            case Inside(value, domain):
                return Inside(substitute([value], put)[0], domain)
        return fact

    return tuple(map(there, facts))


def _velocities_from_speeds(system: System, known: Mapping[Expr, float]) -> dict[Expr, float]:
    """Return the velocities at the start, completed beside the speeds that are stated."""
    moving = velocities_of(system)
    speeds = [speed for speed in system.speeds if speed in system.start.values]
    free = [v for v in moving if v not in system.start.values]
    if not speeds:
        return {}
    told = [system.speeds[speed] - speed for speed in speeds if speed not in moving]
    rows = define(by_velocities(system, told), system.definitions)
    there = {one: value for one, value in known.items() if one not in free}
    if not np.isfinite(evaluate(rows, Floats({**there, **dict.fromkeys(free, 0.0)}))).all():
        return {}
    point, _ = solved(rows, free, there, lambda: kinetic_part(system, free, there))
    return dict(zip(system.v, evaluate(by_velocities(system, system.v), Floats(point)), strict=True))


def at_start(system: System, expressions: Sequence[Expr]) -> list[float]:
    """Return values at the start, where what is not stated is zero; no number where a parameter or function has none.

    Guesses at coordinates are taken as they are.

    If speeds are stated, velocities that are not are completed as those of a motion are. A rotation of which nothing is
    stated is none, and a direction is that of z.

    >>> fall = System.of(name="fall", coordinates="z", parameters={"h": 2}, lagrangian="z'^2/2", start={"z": "h/2"})
    >>> at_start(fall, [3 * fall.q[0] + fall.v[0]])
    [3.0]
    """
    given = {**system.start.near, **system.start.values}
    stated = list(given)
    plain = define([*expressions, *given.values(), system.run.begin], system.definitions)
    if functions(plain):
        return [nan] * len(expressions)
    known = {symbol(s): nan for s in symbols(plain)} | {p: float(value) for p, value in system.defaults.items()}
    known |= dict.fromkeys((*system.q, *system.v), 0.0)
    *values, begin = evaluate(plain[len(expressions) :], Floats(known))
    told = dict(zip(stated, values, strict=True))
    known |= {**told, symbol(TIME): begin}
    for point in system.points:
        with suppress(EvaluationError):  # a length that is not 1 is refused where a motion begins
            known |= point.completed({q: told[q] for q in point.components if q in told})
    known |= _velocities_from_speeds(system, known)
    return evaluate(plain[: len(expressions)], Floats(known))
