"""The same field by two derivations: accelerations of the stated coordinates at every state, compared exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, product, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Fact, Sphere, Verdict, Where, all_hold, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import all_vanish, components_of
from dalembert.expr.walk import Rebuild, evaluate, substitute, symbols
from dalembert.mechanics.closed_loops import closed_loops
from dalembert.mechanics.common import carried, points_of
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.numerics.wording import unknown_rates

APART = frozenset({"vakonomic"})
"""Formalisms whose motions are not those of d'Alembert's principle."""
ON_LEVELS = frozenset({"routh"})
"""Formalisms whose states are those of one value of the momenta."""
_SQUARE = 2
_QUATERNION = 4


def meetings(system: System, derived: Mapping[str, Equations]) -> list[Claim]:
    """Return that formalisms which describe the same motion are the same field, a claim for each pair of them.

    >>> from dalembert.mechanics.derivation import derive
    >>> kepler = System.of(name="kepler", coordinates={"r": "positive", "phi": "angle"}, symmetry={"turn": {"phi": 1}},
    ...     lagrangian="(r'^2 + r^2*phi'^2)/2 + 1/r")
    >>> [claim] = meetings(kepler, {name: derive(kepler, name).equations for name in ("routh", "euler-lagrange")})
    >>> print(claim.statement, claim.verdict.holds)
    euler-lagrange and routh are the same field True
    """
    claims = []
    for one, other in pairs(system, derived):
        verdict = same_field(derived[one], derived[other], system.q, points_of(system))
        said = f"{one} and {other} are the same field"
        claims.append(Claim(f"{one} and {other} as fields", said, "check", verdict))
    return claims


def pairs(system: System, derived: Mapping[str, Equations]) -> list[tuple[str, str]]:
    """Return the formalisms that describe the same motion and can be compared as fields, two and two.

    The first has every state of the second: a level set of momenta says nothing of other states.
    Not where one makes its states by itself: its variables obey relations (a matrix is one of a group), and a check of
    its own compares it with the full motion.
    """
    free = [name for name in derived if name not in APART and derived[name].initial_state is None]
    plain = {name for name in free if name not in ON_LEVELS and _is_plain(system, derived[name])}
    told = sorted(free, key=lambda name: name not in plain)
    return [(one, other) for one, other in combinations(told, 2) if one in plain]


def _is_plain(system: System, equations: Equations) -> bool:
    """Tell whether the state is made of all coordinates and of velocities, or of speeds that these give."""
    known = {*system.q, *system.v, *equations.speeds}
    return not equations.configuration and {*system.q} <= {*equations.state} <= known


def in_stated_coordinates(equations: Equations, q: Sequence[Expr]) -> tuple[list[Expr], list[Expr], list[Expr]]:
    """Return coordinates, velocities and accelerations as a user stated the coordinates, by state, lift and unknowns.

    >>> from dalembert.mechanics.lagrangian import euler_lagrange
    >>> fall = System.of(name="fall", coordinates="z", parameters={"g": 9.81}, lagrangian="z'^2/2 - g*z")
    >>> in_stated_coordinates(euler_lagrange.derive(fall).equations, fall.q)
    ([z], [z'], [-g])
    """
    rates = {**equations.rates(), **equations.reconstruction, **unknown_rates(equations), symbol(TIME): ONE}
    places = [equations.configuration.get(x, x) for x in q]
    velocities = tangent(places, rates)
    return places, velocities, tangent(velocities, rates)


def same_field(plain: Equations, other: Equations, q: Sequence[Expr], facts: Sequence[Fact] = ()) -> Verdict:
    """Decide whether two formalisms give the same accelerations at every state of the second.

    The state of the first is some of the stated coordinates, velocities and speeds, so that what the second says of
    these can be put in; unknowns of the second are taken where their residuals are zero.

    >>> from dalembert.mechanics.chaplygin import chaplygin
    >>> from dalembert.mechanics.nonholonomic import linear_constraints
    >>> skate = System.of(name="skate", coordinates={"x": "real", "y": "real", "phi": "angle"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "y' = x'*tan(phi)"}, symmetry={"up": {"y": 1}})
    >>> one, two = (theory.derive(skate).equations for theory in (linear_constraints, chaplygin))
    >>> same_field(one, two, skate.q).holds
    True
    """
    if plain.implicit:
        return Verdict("undecided", "some velocities are given by no formula; the motions are compared instead.")
    places, velocities, accelerations = in_stated_coordinates(other, q)
    _, own, expected = in_stated_coordinates(plain, q)
    put = {**dict(zip(q, places, strict=True)), **dict(zip([x.dot for x in q], velocities, strict=True))}
    put |= dict(zip(plain.speeds, substitute(list(plain.speeds.values()), put), strict=True))
    slips = _differences(velocities, substitute(own, put))
    rooted = _without_roots(q, own, expected)
    if rooted is not None and not vanish(_at_states(other, slips)):  # the second goes by the other root
        own, expected = rooted
        slips = _differences(velocities, substitute(own, put))
    gaps = _differences(accelerations, substitute(expected, put))
    parts = components_of(gaps, [x.dot.dot for x in q], "the difference of")
    parts |= components_of(slips, [x.dot for x in q], "the difference of")
    parts = dict(zip(parts, _at_states(other, list(parts.values())), strict=True))
    known = tuple(dict.fromkeys((*_where_it_goes(other, facts, put), *spheres_of(other))))
    if not other.implicit:
        verdict = all_vanish(parts, known)
        return _where_loops_close(other, parts, known, verdict) if verdict.holds is None else verdict
    held = Held(tuple(other.implicit.values()), (*other.state, *other.implicit), known)
    return all_hold({name: held.vanishes(part) for name, part in parts.items()})


def _differences(left: Sequence[Expr], right: Sequence[Expr]) -> list[Expr]:
    return [a - b for a, b in zip(left, right, strict=True)]


def _without_roots(
    q: Sequence[Expr], velocities: Sequence[Expr], accelerations: Sequence[Expr]
) -> tuple[list[Expr], list[Expr]] | None:
    """Return velocities and accelerations of one root of a constraint so that they hold for its other root as well.

    A velocity that is given by a root is taken as it is, and gives the root: y' for sqrt(c^2 - x'^2). That its square
    is what stands below the root is left in place of the velocity, which is so wherever the constraint holds.
    """
    reader = _Roots()
    freed = evaluate([*velocities, *accelerations], reader)
    own, rates, roots = freed[: len(q)], freed[len(q) :], list(reader.roots.values())
    given = [k for k, one in enumerate(own) if depends_on([one], roots)] if roots else []
    slopes = [gradient(own[k], roots) for k in given]
    if len(given) != len(roots) or depends_on([e for row in slopes for e in row], roots):
        return None
    if not roots or generic_rank(slopes).rank < len(roots):
        return None
    rest = substitute([own[k] for k in given], dict.fromkeys(roots, ZERO))
    values = solve(slopes, [q[k].dot - r for k, r in zip(given, rest, strict=True)])
    known = dict(zip(roots, values, strict=True))
    squares = [value**2 - below for value, below in zip(values, reader.roots, strict=True)]
    for k, square in zip(given, squares, strict=True):
        own[k] = q[k].dot + square
    return substitute(own, known), substitute(rates, known)


class _Roots(Rebuild):
    """Rebuilds expressions with letters for the square roots in them."""

    def __init__(self) -> None:
        super().__init__()
        self.roots: dict[Expr, Expr] = {}
        """The letters, by what stands below the roots."""

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        return product(
            (self._root(base), 2 * power) if power.denominator == _SQUARE else (base, power)
            for base, power in zip(bases, node.data, strict=True)
        )

    def _root(self, below: Expr) -> Expr:
        return self.roots.setdefault(below, symbol(Symbol(f"root {len(self.roots)}")))


def _at_states(equations: Equations, expressions: Sequence[Expr]) -> list[Expr]:
    """Return expressions where velocities that are not independent obey what relates them: by free ones, projected."""
    put = {v: v + change for part in equations.projection for v, change in part.items() if v in equations.velocities}
    return substitute(expressions, put) if put else list(expressions)


def _where_it_goes(other: Equations, facts: Sequence[Fact], put: Mapping[Expr, Expr]) -> Iterator[Fact]:
    """Return what is known of stated coordinates as equations in other variables have it.

    What constraints say of velocities holds by itself where these are projected to where it does.
    """
    projected = any(v in other.velocities for part in other.projection for v in part)
    for fact in facts:
        if not isinstance(fact, Where):
            yield fact
        elif not projected or not any(s.order for s in symbols([fact.equation])):
            yield from carried([fact], put)


def _where_loops_close(other: Equations, parts: Mapping[str, Expr], facts: Sequence[Fact], open_: Verdict) -> Verdict:
    """Decide parts on each branch of the positions where loops of angles close; where these are not solved it is open.

    What is divided by on the way to a branch is zero at single positions of it, where all this is continuous.
    """
    places, moving = [*other.kinematics, *other.reconstruction], {v.data for v in other.velocities}
    stated = [fact.equation for fact in facts if isinstance(fact, Where)]
    rest = [fact for fact in facts if not isinstance(fact, Where)]
    closing = [e for e in stated if moving.isdisjoint(symbols([e]))]
    branches = closed_loops(closing, places, rest) if closing else []
    if not branches or not all(vanish(branch.apply(stated), rest) for branch in branches):
        return open_
    return all_hold(
        {
            f"branch {k}": all_vanish(dict(zip(parts, branch.apply(list(parts.values())), strict=True)), rest)
            for k, branch in enumerate(branches, 1)
        }
    )


def spheres_of(equations: Equations) -> list[Fact]:
    """Return which variables have unit length together: those that a step of Newton's towards that is added to.

    An attitude or a direction as one body sees it is no coordinate that anybody stated. Where constraints on positions
    are part of that step an attitude is known by its rates, which keep the length of its four components.
    """
    added = equations.projection[0] if equations.projection else {}
    rates = {**equations.kinematics, **equations.reconstruction}
    together: dict[str, list[Expr]] = {}
    for v in added:
        together.setdefault(v.data.name.partition(".")[0], []).append(v)
    found: list[Fact] = []
    for point in together.values():
        step = (1 - total([(1, v**2) for v in point])) / 2
        kept = len(point) == _QUATERNION and vanish([total([(1, v * rates[v]) for v in point if v in rates])])
        if kept or vanish([added[v] - v * step for v in point]):
            found.append(Sphere(tuple(point)))
    return found
