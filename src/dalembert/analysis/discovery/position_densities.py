"""Invariant densities that depend on position alone: decided, on the states and modulo a symmetry group.

Along motions with q' = Z_a w^a + Z_0 the logarithm sigma(q) of an invariant density obeys

    Z_a(sigma) = -b_a,    Z_0(sigma) = -b_0,    div Gamma = b_a(q) w^a + b_0(q),

and with it [Z_a, Z_b](sigma) = Z_b(b_a) - Z_a(b_b), and so on for all brackets. Where one of these fields is a
combination of others and its value is not the same combination of their values, there is no such density on any open
set; where none is, there is one near each generic position (Frobenius). A density of the reduced motion is one that
each generator X_k of the group multiplies by the trace of ad: X_k(sigma) = tr ad_k - div X_k.

Where the motion is purely kinetic (q' linear in w, w' quadratic) that is all there is to know: the terms of first order
in w of any invariant density that is differentiable at rest say that its value at rest is one that depends on position
alone. That is Kozlov's theorem on Lie algebras, and holds on every configuration space.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

from dalembert.analysis.motions import Motions
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff, gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Verdict, depends_on, generic_rank, is_zero, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField, bracket
from dalembert.geometry.groups.actions import action_from_generators
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.closed_loops import Branch
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.second_order.search.linear_search import combination_of
from dalembert.model.parts import Generator
from dalembert.records import dataclass

Condition = tuple[VectorField, Expr]
"""A field on the positions, and what the logarithm of a density changes by along it."""
_MOST_FIELDS = 12


@dataclass(frozen=True, slots=True)
class PositionDensity:
    """Whether an invariant density that depends on position alone exists near generic positions."""

    answer: Literal["exists", "absent", "undecided"]
    verdict: Verdict
    """That the answer is so."""
    slope: tuple[Expr, ...] | None = None
    """d sigma by coordinates, where the conditions leave no choice."""


# -- the field on the states -----------------------------------------------------------------------------------
def divergence(motions: Motions) -> Expr:
    """Return the divergence of the motion in its state variables; on a rotation, that of the group's own volume.

    >>> from dalembert.model.system import System
    >>> divergence(Motions(System.of(name="drag", coordinates="z", lagrangian="z'^2/2", forces={"z": "-3*z'"})))
    -3
    """
    return divergence_of(motions, motions.names.drive)


def divergence_of(motions: Motions, field: dict[Expr, Expr]) -> Expr:
    """Return the divergence of a field on the states, given by what it does to each state variable.

    Where states obey equations c = 0 (directions have unit length, velocities are tangent), their volume is that of all
    variables over dc, which a field with X(c_i) = M_ij c_j changes by div X - tr M. Constraints on positions that
    velocities obey by themselves have M = 0.
    """
    state = motions.names.equations.state
    spread = [(1, diff(field[s], s)) for s in state]
    held = held_states(motions)
    if held:
        across = [gradient(c, state) for c in held]
        gram = [[dot(a, b) for b in across] for a in across]
        for i, change in enumerate(tangent(held, field)):
            slope = gradient(change, state)
            spread.append((-1, solve(gram, [dot(a, slope) for a in across])[i]))
        return total(spread)
    for point in motions.system.points:  # what a sphere has is less by the slope of the radial part, along the radius
        radial = total([(1, q * field[q]) for q in point.components])
        if not vanish([radial]):
            spread += [
                (-1, q * slope) for q, slope in zip(point.components, gradient(radial, point.components), strict=True)
            ]
    return total(spread)


def held_states(motions: Motions) -> list[Expr]:
    """Return functions that are zero on the states, and not around them, beside directions and in saddle form."""
    system = motions.system
    if all(point.is_rotation for point in system.points) and not motions.beside:
        return []
    round_ = [total([(1, q * q) for q in point.components], -1) for point in system.points]
    moving = [motions.names.expression(c.expression) for c in system.constraints.values()]
    return [c for c in (*round_, *motions.closing, *moving) if not vanish([c])]


# -- the conditions ----------------------------------------------------------------------------------------------
def position_density(motions: Motions, generators: Sequence[Generator] | None = None) -> PositionDensity:
    """Decide whether an invariant density depends on position alone; with generators, one of the reduced motion.

    >>> from dalembert.model.system import System
    >>> skate = System.of(name="sleigh", coordinates={"x": "real", "y": "real", "th": "angle"},
    ...     lagrangian="((x' - sin(th)*th')^2 + (y' + cos(th)*th')^2 + th'^2)/2",
    ...     constraints={"b": "x'*sin(th) = y'*cos(th)"})
    >>> position_density(Motions(skate)).answer
    'absent'
    """
    if motions.sheet is None:
        return _unknown("constraints on positions were not solved in closed form.")
    found = _conditions(motions, generators)
    if isinstance(found, PositionDensity):
        return found
    dimension = len(found[0][0].components) - len(motions.system.points) - len(motions.closing)
    return _decided(found, facts_of(motions.system), dimension, motions.sheet)


def _conditions(motions: Motions, generators: Sequence[Generator] | None) -> list[Condition] | PositionDensity:
    """Return what the logarithm of a density changes by along which fields."""
    equations, drive, facts = motions.names.equations, motions.names.drive, facts_of(motions.system)
    places, w = list(equations.kinematics), list(equations.velocities)
    if depends_on(list(drive.values()), [symbol(TIME)]):
        return _unknown("the equations contain time.")
    spread = divergence(motions)
    rest = dict.fromkeys(w, ZERO)
    speeds = [drive[q] for q in places]
    try:
        slopes = [[diff(e, v) for v in w] for e in (*speeds, spread)]
        if depends_on([e for row in slopes[:-1] for e in row], w, facts):
            return _unknown("velocities of positions are not affine in the speeds.")
        if depends_on(slopes[-1], w, facts):
            bent = (is_zero(diff(e, v), facts) for e in slopes[-1] for v in w)
            shown = next((verdict for verdict in bent if verdict.holds is False), None)
            if shown is None:
                return _unknown("whether the divergence is affine in the speeds is not known.")
            why = "the rate of a function of positions is affine in the speeds, the divergence of the motion is not"
            return PositionDensity("absent", Verdict("proved", f"{why}: {shown.evidence}"))
        flat = substitute([e for row in slopes for e in row] + [*speeds, spread], rest)
    except ExpressionError as error:
        return _unknown(str(error))
    rows = [flat[k * len(w) : (k + 1) * len(w)] for k in range(len(slopes))]
    drift = flat[len(slopes) * len(w) :]
    chart = Chart(tuple(places))
    columns: list[Sequence[Expr]] = list(zip(*rows, strict=True))
    if tied := [c for c in held_states(motions) if depends_on([c], w)]:
        slopes = [gradient(c, w) for c in tied]
        if depends_on([e for row in slopes for e in row], w, facts) or not vanish(substitute(tied, rest), facts):
            return _unknown("velocities that obey equations which are not linear in them are not taken.")
        columns = [*_along(slopes, columns)]
    found = [(VectorField(chart, tuple(column[:-1])), -column[-1]) for column in columns]
    if not vanish(drift, facts):
        found.append((VectorField(chart, tuple(drift[:-1])), -drift[-1]))
    return found if generators is None else [*found, *along_orbits(motions, chart, generators)]


def _along(ties: Sequence[Sequence[Expr]], columns: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """Return what belongs to each velocity as what belongs to its projection on those that obey linear equations."""
    gram = [[dot(a, b) for b in ties] for a in ties]
    found = []
    for a in range(len(columns)):
        shares = solve(gram, [row[a] for row in ties])
        weights = [
            total([(-1, y * row[b]) for y, row in zip(shares, ties, strict=True)], int(a == b))
            for b in range(len(columns))
        ]
        found.append([dot(weights, part) for part in zip(*columns, strict=True)])
    return found


def along_orbits(motions: Motions, chart: Chart, generators: Sequence[Generator]) -> list[Condition]:
    """Return what a density of the reduced motion changes by along the generators of the group."""
    fields = [VectorField.of(chart, dict(one.components)) for one in generators]
    algebra = action_from_generators({f"X{k}": one for k, one in enumerate(fields)}).algebra
    size = range(len(fields))
    found = []
    for k, (one, field) in enumerate(zip(generators, fields, strict=True)):
        trace = total([(1, algebra.constants[k][b][b]) for b in size]) + _stretched(motions, one)
        found.append((field, trace - divergence_of(motions, motions.pushed(one))))
    return found


def _stretched(motions: Motions, one: Generator) -> Expr:
    """Return tr M of a generator with X(h_i) = M_ij h_j for constraints on positions: 0 where each h is kept."""
    if held_states(motions):  # the divergence knows
        return ZERO
    found = ZERO
    for i, change in enumerate(tangent(motions.closing, dict(one.components))):
        if not vanish([change]):
            weights = combination_of([[h] for h in motions.closing], [change])
            if weights is None:
                raise ExpressionError("a generator does not keep what constraints on positions are made of.")
            found += weights[i]
    return found


def _unknown(why: str) -> PositionDensity:
    return PositionDensity("undecided", Verdict("undecided", why))


# -- brackets ------------------------------------------------------------------------------------------------------
def _decided(conditions: Sequence[Condition], facts: Sequence[Fact], dimension: int, sheet: Branch) -> PositionDensity:
    """Close conditions under brackets, as long as no two of them contradict each other where constraints hold.

    The positions have a dimension that is less than the number of their variables where these lie on spheres; fields
    that span it span no more, which needs no other proof.
    """
    basis: list[Condition] = []
    verdicts: list[Verdict] = []
    waiting = list(conditions)
    done: set[tuple[int, int]] = set()
    slopes: dict[int, Expr] = {}
    against: PositionDensity | None = (
        None  # as long as fields do not span all that they depend on each other is not proved
    )
    postponed: list[Condition] = []
    while waiting:
        one = waiting.pop(0)
        if slopes:  # no field is new any more, and what sigma does along each is known
            value = one[1] - total([(1, one[0].components[k] * slope) for k, slope in slopes.items()])
            agrees = is_zero(sheet.apply([value])[0], facts)
            if agrees.holds is None:
                return _unknown(agrees.evidence)
            if agrees.holds is False:
                return PositionDensity("absent", Verdict("proved", _against(len(basis), agrees.evidence)))
            verdicts.append(agrees)
            waiting += _more(basis, done) if not waiting else []
            continue
        rows = [sheet.apply([*f.components, c]) for f, c in (*basis, one)]
        plain = generic_rank([row[:-1] for row in rows], facts)
        with_value = generic_rank(rows, facts)
        if None in (plain.verdict.holds, with_value.verdict.holds):
            return _unknown(f"a rank is not known: {plain.verdict.evidence}")
        if plain.rank > len(basis):
            basis.append(one)
            if len(basis) > _MOST_FIELDS:
                return _unknown(f"more than {_MOST_FIELDS} brackets are independent.")
            if len(basis) == dimension:
                minor = [[f.components[k] for k in plain.columns] for f, _ in basis]
                slopes = dict(zip(plain.columns, solve(minor, [c for _, c in basis]), strict=True))
                waiting = postponed + waiting
        elif with_value.rank > len(basis):
            postponed.append(one)
            said = _against(len(basis), plain.verdict.evidence)
            against = PositionDensity("absent", Verdict(_upper(plain.verdict), said, plain.verdict.error_bits))
            if against.verdict.kind == "proved":
                return against
        else:
            verdicts.append(with_value.verdict)
        if against is not None and not waiting:
            return against
        waiting += _more(basis, done) if not waiting else []
    bits = [v.error_bits for v in verdicts if v.error_bits is not None]
    said = f"brackets close on {len(basis)} directions, and the rates along them agree (Frobenius)"
    kind: Literal["proved", "certain"] = "certain" if bits else "proved"
    slope = _slope(basis)
    return PositionDensity("exists", Verdict(kind, said + ".", max(bits) if bits else None), slope)


def _against(count: int, evidence: str) -> str:
    span = f"{count + 1} fields that span {count} directions"
    return f"along {span} the rates that it must have contradict each other; {evidence}"


def _more(basis: Sequence[Condition], done: set[tuple[int, int]]) -> list[Condition]:
    """Return the conditions along brackets of the fields that have not been looked at."""
    pairs = [p for p in combinations(range(len(basis)), 2) if p not in done]
    done.update(pairs)
    return [_bracket(basis[i], basis[j]) for i, j in pairs]


def _upper(verdict: Verdict) -> Literal["proved", "certain"]:
    return "certain" if verdict.kind == "certain" else "proved"


def _bracket(one: Condition, other: Condition) -> Condition:
    (left, a), (right, b) = one, other
    return bracket(left, right), left(b) - right(a)


def _slope(basis: Sequence[Condition]) -> tuple[Expr, ...] | None:
    """Return d sigma, where the fields span all directions of a chart."""
    if not basis or len(basis) < basis[0][0].chart.dimension:
        return None
    return tuple(solve([list(f.components) for f, _ in basis], [c for _, c in basis]))
