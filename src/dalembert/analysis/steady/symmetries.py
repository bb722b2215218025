"""Symmetries of equations of motion: fields on the state space that commute with the motion.

Candidates are fields on the configuration space, lifted to the state: what [symmetry] states, and the shifts and
rotations of ``model.symmetries``. Each is decided alone; what is left is combined with constant coefficients, so that a
rotation of the plane is found together with the headings that turn with it. A combination X is a symmetry where
[F, X] = 0, F being the motion.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ONE, ZERO, Expr, number, total
from dalembert.expr.linear.constants import constant_null_space
from dalembert.expr.truth import Fact, Sphere, Verdict, cleared
from dalembert.expr.truth.many import all_vanish, surviving
from dalembert.expr.walk import symbols
from dalembert.mechanics.found_symmetries import find_symmetries
from dalembert.model.equations import Equations
from dalembert.model.symmetries import candidates, lift, written
from dalembert.model.system import System
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class StateSymmetry:
    """A field on the state space that commutes with the motion."""

    name: str
    components: Mapping[Expr, Expr]
    """What it does to each state variable, zeros left out."""
    verdict: Verdict
    """That it commutes."""


def state_symmetries(equations: Equations, words: NameResolver) -> tuple[StateSymmetry, ...]:
    """Return the symmetries among the candidates, those that are shifts of one coordinate first.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> top = System.of(name="plane", coordinates={"x": "real", "y": "real", "h": "angle"},
    ...                 lagrangian="(x'^2 + y'^2)/2 + h'^2/2 + x*cos(h) + y*sin(h)")
    >>> motion = derive(top).equations
    >>> [one.name for one in state_symmetries(motion, NameResolver(motion, top))]
    ['d/dh + x d/dy - y d/dx']
    """
    rates = equations.rates()
    lifted = _lifted(equations, words)
    facts: list[Fact] = [Sphere(q) for q in _spheres(words.system, equations)]
    defects = {name: _commutator(rates, field, equations) for name, field in lifted.items()}
    open_ = surviving({(name, k): e for name, row in defects.items() for k, e in enumerate(row)}, facts)
    alive = {name for name, _ in open_}
    found: list[StateSymmetry] = []
    for name, field in lifted.items():
        if name not in alive and _independent(found, field):
            found.append(StateSymmetry(name, field, _commutes(defects.pop(name), facts)))
    left = {name: lifted[name] for name in lifted if name in alive}
    more = _of_the_statement(rates, equations, words, facts)
    for one in (*_combined(left, {name: defects[name] for name in left}, facts), *more):
        if _independent(found, one.components):
            found.append(one)
    return tuple(found)


def _of_the_statement(
    rates: Mapping[Expr, Expr], equations: Equations, words: NameResolver, facts: Sequence[Fact]
) -> Iterator[StateSymmetry]:
    """Yield the symmetries of the statement that the motion has: fields that no candidates add up to among them."""
    several = {} if words.system is None else _found(words.system)
    for name, field in _lifted(equations, words, several).items():
        verdict = _commutes(_commutator(rates, field, equations), facts)
        if verdict.holds is True:
            yield StateSymmetry(name, field, verdict)


def _commutes(defect: Sequence[Expr], facts: Sequence[Fact]) -> Verdict:
    return all_vanish({f"component {k}": e for k, e in enumerate(defect, 1)}, facts)


def _combined(
    fields: Mapping[str, Mapping[Expr, Expr]], defects: Mapping[str, Sequence[Expr]], facts: Sequence[Fact]
) -> list[StateSymmetry]:
    """Return the combinations of candidates whose defects cancel."""
    if len(fields) < 2 or not any(defects.values()):
        return []
    try:
        relations = constant_null_space(list(defects.values()))
    except ExpressionError:  # nothing that is rational was found
        return []
    found: list[StateSymmetry] = []
    for row in relations.basis:
        sums = [total([(c, e) for c, e in zip(row, part, strict=True)]) for part in zip(*defects.values(), strict=True)]
        verdict = _commutes(sums, facts)
        if verdict.holds is not True:
            continue
        scale = next(c for c in row if c)
        named = {name: number(c) / scale for name, c in zip(fields, row, strict=True) if c}
        variables = dict.fromkeys(v for name in named for v in fields[name])
        joined = {v: total([(1, c * fields[n].get(v, ZERO)) for n, c in named.items()]) for v in variables}
        found.append(StateSymmetry(_said(named), joined, verdict))
    return found


def _said(named: Mapping[str, Expr]) -> str:
    """Return a combination in words."""
    from dalembert.expr.text import text

    parts = []
    for name, factor in named.items():
        value = text(factor)
        body = f"({name})" if " " in name and value != "1" else name
        parts.append(body if value == "1" else f"-{body}" if value == "-1" else f"{value}*{body}")
    return " + ".join(parts).replace("+ -", "- ")


def _commutator(rates: Mapping[Expr, Expr], field: Mapping[Expr, Expr], equations: Equations) -> list[Expr]:
    """Return the components of [X, F]; implicit unknowns are taken to be left alone, with their residuals."""
    moved = tangent([*(rates[v] for v in equations.state), *equations.implicit.values()], dict(field))
    carried = tangent([field.get(v, ZERO) for v in equations.state], dict(rates))
    size = len(equations.state)
    return [*(a - b for a, b in zip(moved[:size], carried, strict=True)), *moved[size:]]


def _independent(found: Sequence[StateSymmetry], field: Mapping[Expr, Expr]) -> bool:
    """Say whether a field is not a combination, with constants, of those found before."""
    if not field:
        return False
    variables = dict.fromkeys([*field, *(v for one in found for v in one.components)])
    columns = [[one.components.get(v, ZERO) for v in variables] for one in found]
    try:
        relations = constant_null_space([*columns, [field.get(v, ZERO) for v in variables]])
    except ExpressionError:
        return True
    return not any(row[-1] for row in relations.basis)


# -- candidates ------------------------------------------------------------------------------------------------
def _lifted(
    equations: Equations, words: NameResolver, fields: Mapping[str, Mapping[Expr, Expr]] | None = None
) -> dict[str, dict[Expr, Expr]]:
    """Return fields on the configuration space, by default the candidates, on the state space, by name."""
    system = words.system
    state = set(equations.state)
    lifted: dict[str, dict[Expr, Expr]] = {}
    meanings = {v: _stated(v, equations, system) for v in equations.state}
    if system is None or equations.implicit or any(m is None for m in meanings.values()):
        positions = [v for v in equations.kinematics if v.data.domain != "positive"]
        return {} if fields is not None else {f"d/d{v.data.label}": {v: ONE} for v in positions}
    for name, field in (_candidates(system) if fields is None else fields).items():
        known = {v: meaning for v, meaning in meanings.items() if meaning is not None}
        own = dict(zip(known, tangent(list(known.values()), lift(field, system.chart)), strict=True))
        try:
            translated = cleared(words.all_translated(list(own.values())))
        except ExpressionError:  # it moves the state by what has no value in it
            continue
        inside = {v.data for v in state} | {p.data for p in equations.parameters}
        if inside.issuperset(symbols(translated)):
            lifted[name] = {v: e for v, e in zip(own, translated, strict=True) if e is not ZERO}
    return {name: field for name, field in lifted.items() if field}


def _stated(variable: Expr, equations: Equations, system: System | None) -> Expr | None:
    """Return what a state variable is by the stated coordinates and velocities, where it is something there."""
    if system is None:
        return None
    if variable in equations.speeds:
        return equations.speeds[variable]
    if variable in system.speeds:
        return system.speeds[variable]
    known = {*system.q, *system.v}
    return variable if variable in known else None


def _candidates(system: System) -> dict[str, dict[Expr, Expr]]:
    """Return fields on the configuration space that may be symmetries, the stated ones first, if any are wanted."""
    if system.found is not None and not system.symmetry:
        return {}
    stated = {
        name: dict(zip(one.components, cleared(list(one.components.values())), strict=True))
        for name, one in system.symmetry.items()
        if not one.moves_time and not one.depends_on_time
    }
    return stated | candidates(system)


def _found(system: System) -> dict[str, dict[Expr, Expr]]:
    """Return the symmetries that are found of a statement without any, by what they are; where some are wanted."""
    if system.symmetry or system.found is not None:
        return {}
    try:
        found = find_symmetries(system).generators.values()
    except ExpressionError:
        return {}
    return {written(one): dict(one.components) for one in found}


def _spheres(system: System | None, equations: Equations) -> list[tuple[Expr, ...]]:
    spheres = () if system is None else system.spheres
    return [q for q in spheres if set(equations.state).issuperset(q)]
