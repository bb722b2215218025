"""The constraint manifold C in TQ: q' = v(t, q, u), for constraints of any kind (Patrick, section 6).

The u are independent velocities of coordinates, or speeds that a user states. These, completed by velocities of
coordinates, are quasi-velocities w of all of TQ, q' = Z w + Z_0, in which the constraints are solved for those that
complete the speeds, and where they do not suffice for speeds too, the last ones first. The directions dv/du are those
of Chetaev's rule.

Constraints that are affine in some velocity are solved for it, one after the other, those with the best pivot first
(constant, else never zero, else generic); a quadratic one by its root; what remains stays implicit: its velocities are
unknowns with a residual, and are differentiated by the implicit function theorem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff, jacobian, tangent
from dalembert.expr.elementary import solve, sqrt
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ROOT, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Inside, Where, excludes_zero, generic_rank, is_constant, vanish
from dalembert.expr.walk import has_kind, substitute, symbols
from dalembert.geometry.distributions import Distribution
from dalembert.mechanics.common import at_start, points_of
from dalembert.mechanics.lagrangian.restated import speeds_of
from dalembert.mechanics.lagrangian.speeds import EFFORT
from dalembert.model.system import System
from dalembert.records import dataclass, field


@dataclass(frozen=True, slots=True)
class ConstraintManifold:
    """C, with coordinates (q, u)."""

    system: System
    u: tuple[Expr, ...]
    """Velocities of independent coordinates; or speeds that are stated, then velocities that complete them."""
    velocities: tuple[Expr, ...]
    """q' = v(t, q, u) on C, in the order of the coordinates."""
    pivots: tuple[Expr, ...] = ()
    """What was divided by: where one vanishes, the u are no coordinates on C."""
    branches: tuple[str, ...] = ()
    """Where a root was taken, which one, in words."""
    unknowns: Mapping[Expr, Expr] = field(default_factory=dict)
    """Dependent velocities that stay implicit, with their residuals."""

    @property
    def independent(self) -> tuple[int, ...]:
        """The positions of the coordinates whose velocities are among the u."""
        return tuple(i for i, v in enumerate(self.system.v) if v in self.u)

    @property
    def dependent(self) -> tuple[int, ...]:
        """The positions of the coordinates whose velocities are given by the u."""
        return tuple(i for i, v in enumerate(self.system.v) if v not in self.u)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What holds on C: roots exist, what is not solved for obeys its equation, and positions their constraints."""
        given = [self.velocities[a] for a in self.dependent]
        return (
            *points_of(self.system),
            *(Inside(v) for v in given if has_kind([v], ROOT)),
            *(Where(residual) for residual in self.unknowns.values()),
        )

    def on(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return functions of coordinates and velocities by coordinates and u."""
        put = {self.system.v[a]: self.velocities[a] for a in self.dependent if self.system.v[a] not in self.unknowns}
        return substitute(expressions, {**_named(self.system, self.u), **put})

    def directions(self) -> list[list[Expr]]:
        """Return dv/du, the virtual directions of Chetaev's rule."""
        return [self.along(self.velocities, {u: ONE}) for u in self.u]

    def along(self, expressions: Sequence[Expr], seed: Mapping[Expr, Expr]) -> list[Expr]:
        """Return the derivatives of functions on C along a direction in (t, q, u), unknowns following."""
        return tangent(expressions, {**seed, **self._follow(seed)})

    def _follow(self, seed: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
        if not self.unknowns:
            return {}
        residuals = list(self.unknowns.values())
        moved = tangent(residuals, dict(seed))
        rates = solve(jacobian(residuals, list(self.unknowns)), [-m for m in moved])
        return dict(zip(self.unknowns, rates, strict=True))

    def at_rest(self) -> dict[Expr, Expr]:
        """Return the direction of time and of the motion with u held fixed: (1, v, 0)."""
        return {**dict(zip(self.system.q, self.velocities, strict=True)), symbol(TIME): ONE}


def constraint_manifold(system: System) -> ConstraintManifold:
    """Return the constraint manifold of a system, independent velocities chosen where the user does not.

    >>> hamel = System.of(name="hamel", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"pulley": "z'^2 = x'^2 + y'^2"}, fibration={"dependent": ["z"]}, start={"z'": 1})
    >>> constraint_manifold(hamel).velocities
    (x', y', sqrt(x'^2 + y'^2))
    """
    if all(system.kind_of(name) != "nonlinear" for name in system.constraints):
        return _linear(system)
    solved = solved_for(system, {name: c.expression for name, c in system.constraints.items()}, _chosen(system))
    left = tuple(v for v in system.v if v not in solved.rules and v not in solved.unknowns)
    velocities = tuple(solved.rules.get(v, v) for v in system.v)
    return ConstraintManifold(system, left, velocities, solved.pivots, solved.branches, solved.unknowns)


def manifold_in_speeds(system: System) -> ConstraintManifold | None:
    """Return C by the stated speeds; None where there are none, or the constraints have no closed solution in them.

    >>> rope = System.of(name="rope", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2", speeds={"v": "x' + y'"},
    ...     constraints={"rope": "z'^2 = x'^2 + y'^2"})
    >>> found = manifold_in_speeds(rope)
    >>> found.u, found.velocities
    ((v, x'), (x', v - x', sqrt(x'^2 + (x' - v)^2)))
    """
    frame = speeds_of(system.speeds, system.v)
    if frame is None:
        return None
    velocities = frame.velocities
    put = {**_named(system, frame.names), **dict(zip(system.v, velocities, strict=True))}
    short = SimplificationBudget(EFFORT)
    functions = short.all(substitute([c.expression for c in system.constraints.values()], put))
    stated = [one for one in frame.names if one in system.speeds]
    others = [one for one in frame.names if one not in system.speeds]
    solved = solved_for(system, dict(zip(system.constraints, functions, strict=True)), others[::-1], stated[::-1])
    left = tuple(one for one in frame.names if one not in solved.rules)
    if solved.unknowns or not set(left) & set(stated):
        return None
    allowed = tuple(short.all(substitute(velocities, solved.rules)))
    return ConstraintManifold(system, left, allowed, solved.pivots, solved.branches)


def _named(system: System, names: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return speeds by what they are: where a statement uses one as such, nothing else has to be put in."""
    return {meaning: speed for speed, meaning in system.speeds.items() if meaning.args and speed in names}


def _chosen(system: System) -> list[Expr]:
    """Return the velocities that constraints may be solved for: those of the user's choice, or all, last ones first."""
    return [q.dot for q in system.dependent or reversed(system.q)]


def _linear(system: System) -> ConstraintManifold:
    matrix = system.constraint_matrix()
    places = [system.q.index(q) for q in system.dependent] or None
    distribution = Distribution.from_forms(system.chart, matrix.rows, places)
    square = [[row[a] for a in distribution.dependent] for row in matrix.rows]
    drift = solve(square, [-r for r in matrix.remainder])
    velocities = list(system.v)
    for k, a in enumerate(distribution.dependent):
        terms = [
            (1, s * system.v[i]) for s, i in zip(distribution.coefficients[k], distribution.independent, strict=True)
        ]
        velocities[a] = total([*terms, (1, drift[k])])
    left = tuple(system.v[i] for i in distribution.independent)
    return ConstraintManifold(system, left, tuple(velocities), (distribution.determinant,))


@dataclass(frozen=True, slots=True)
class Solved:
    """Constraints solved for velocities, as far as they can be."""

    rules: Mapping[Expr, Expr]
    """What the velocities are that they give."""
    pivots: tuple[Expr, ...]
    branches: tuple[str, ...]
    unknowns: Mapping[Expr, Expr]
    """As those of a ``ConstraintManifold``."""


def solved_for(system: System, constraints: Mapping[str, Expr], *free: Sequence[Expr]) -> Solved:
    """Return functions that vanish, solved for velocities or stated speeds: for the first of some lists if they can be.

    >>> plane = System.of(name="plane", coordinates="x y", lagrangian="(x'^2 + y'^2)/2")
    >>> dict(solved_for(plane, {"c": plane.v[0] - 2 * plane.v[1]}, plane.v[1:], plane.v[:1]).rules)
    {y': x'/2}
    """
    return _Elimination(system, constraints).run(free)


class _Elimination:
    """Solves constraints for velocities, one at a time."""

    def __init__(self, system: System, constraints: Mapping[str, Expr]) -> None:
        self.system = system
        self.open = dict(constraints)
        self.free: list[Expr] = []
        self.rules: dict[Expr, Expr] = {}
        self.pivots: list[Expr] = []
        self.branches: list[str] = []

    def run(self, free: Sequence[Sequence[Expr]]) -> Solved:
        for several in free:
            self.free += several
            while self.open and (self._affine_step() or self._quadratic_step()):
                pass
        return Solved(self.rules, tuple(self.pivots), tuple(self.branches), self._implicit())

    def _affine_step(self) -> bool:
        """Solve the constraint with the best pivot among those that are affine in a velocity."""
        best: tuple[int, str, Expr, Expr] | None = None
        for name, f in self.open.items():
            present = {symbol(s) for s in symbols([f])}
            for v in self.free:
                if v not in present:
                    continue
                slope = diff(f, v)
                if not vanish([diff(slope, v)]) or vanish([slope]):
                    continue
                worth = _worth(slope)
                if best is None or worth > best[0]:
                    best = (worth, name, v, slope)
        if best is None:
            return False
        _, name, v, slope = best
        f = self.open[name]
        slope, rest = substitute([slope, f], {v: ZERO})
        self.pivots.append(slope)
        self._settle(name, v, -rest / slope)
        return True

    def _quadratic_step(self) -> bool:
        """Solve a constraint that is quadratic in a velocity, on the branch where the motion starts."""
        for name, f in self.open.items():
            for v in self.free:
                twice = diff(f, v, v)
                if vanish([twice]) or not vanish([diff(twice, v)]):
                    continue
                a, b, c = substitute([twice / 2, diff(f, v), f], {v: ZERO})
                root = sqrt(b**2 - 4 * a * c)
                sign, why = self._branch(v, a, b)
                self.pivots.append(root)
                self.branches.append(f"{name} is solved for {v!r} by {why}")
                self._settle(name, v, _root(a, b, root, sign))
                return True
        return False

    def _branch(self, v: Expr, a: Expr, b: Expr) -> tuple[int, str]:
        """Return the sign of the root of b^2 - 4ac at the start, else that of the larger solution, and say which."""
        there = substitute([a, 2 * a * v + b], dict(self.system.speeds))  # a speed may be known by velocities
        leading, twice = at_start(self.system, there)
        up = -1 if leading < 0 else 1
        if v not in self.system.start.values or not abs(twice) > 0:  # so it is where this is no number
            return up, f"its larger root; a value of {v!r} in [start] chooses"
        sign = -1 if twice < 0 else 1
        return sign, f"its {'larger' if sign == up else 'smaller'} root, as [start] has it"

    def _settle(self, name: str, v: Expr, value: Expr) -> None:
        del self.open[name]
        self.free.remove(v)
        put = {v: value}
        self.rules = dict(zip(self.rules, substitute(list(self.rules.values()), put), strict=True)) | put
        self.open = dict(zip(self.open, substitute(list(self.open.values()), put), strict=True))

    def _implicit(self) -> dict[Expr, Expr]:
        """Choose as many velocities as constraints are left, with a square Jacobian that is regular somewhere."""
        if not self.open:
            return {}
        residuals = list(self.open.values())
        rank = generic_rank(jacobian(residuals, self.free))
        if rank.rank < len(residuals):
            names = ", ".join(f"'{name}'" for name in self.open)
            raise ExpressionError(
                f"the constraints do not give as many velocities as there are of them; look at {names}, and correct or "
                "remove what follows from the others or contradicts them."
            )
        return dict(zip([self.free[i] for i in rank.columns], residuals, strict=True))


def _root(a: Expr, b: Expr, root: Expr, sign: int) -> Expr:
    """Return (-b + sign root) / 2a, the larger solution where a has this sign."""
    if b is ZERO and a.op == "number":  # v^2 = c is shorter with the number under the root
        return (sign if a.data > 0 else -sign) * sqrt(root**2 / (4 * a**2))
    return (sign * root - b) / (2 * a)


def _worth(slope: Expr) -> int:
    if is_constant(slope):
        return 2
    return 0 if excludes_zero(slope) is None else 1
