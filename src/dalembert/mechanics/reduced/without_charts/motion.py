"""Nonholonomic reduction with rotations: quasi-velocities that the group leaves alone, and functions on Q/G.

Velocities u = Z v + Z_0 that linear or affine constraints allow are taken in a frame with [E, Z_a] = 0, [E, Z_0] = 0
for every generator E, so that v is invariant. With p = dl/du, F its pulls and B_a^f = Z_a(f) for functions f on Q/G

    Z^T (dp/dt - F) = 0                                              shape and momentum equations together
    p_b = k_b^a Z_a^T p,    p_b' = Z_b^T F + Z_b'^T p                momentum equation, for k_b with B k_b = 0

Mass, force and rates are invariant functions. They are read off at one point of each orbit, as rows, columns and
entries of rotations and coordinates that no generator moves, and decided to be the same at all others. A rotation of
which the group leaves something is among the state; what it moves altogether is reconstructed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import sqrt
from dalembert.expr.field import tidy
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear import generic_kernel
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, Where, depends_on, vanish
from dalembert.expr.truth.residues import vanishing
from dalembert.expr.walk import divisors, substitute, symbols
from dalembert.geometry.frames import projected
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.reduction import constants_table
from dalembert.mechanics.chaplygin.without_charts.hypotheses import Framed
from dalembert.mechanics.common import equations_of, facts_of, points_of
from dalembert.mechanics.lagrangian.on_spheres import along_spheres, unit_projection
from dalembert.mechanics.lagrangian.restated import Restated
from dalembert.mechanics.lagrangian.tangent_frame import cross
from dalembert.mechanics.lagrangian.tangent_speeds import TangentSpeeds
from dalembert.mechanics.reduced.allowed_velocities import Allowed
from dalembert.mechanics.reduced.level_set import Level, level_of, not_kept
from dalembert.mechanics.reduced.motion import ReducedMotion
from dalembert.mechanics.reduced.powers import by_coefficients
from dalembert.mechanics.reduced.reduced import named_momenta
from dalembert.mechanics.reduced.without_charts.between_points import Left, by_points, left_of
from dalembert.mechanics.reduced.without_charts.hypotheses import View
from dalembert.mechanics.reduced.without_charts.kept_rows import kept_rows, require_regular
from dalembert.mechanics.routh.without_charts.base import Velocities
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.kinds import Point
from dalembert.model.system import System
from dalembert.records import dataclass, field

_EFFORT = 1.0
"""Work for short formulas."""
Rows = Sequence[Sequence[Expr]]


@dataclass(frozen=True, repr=False)
class ReducedWithoutCharts(Restated):
    """The motion on (Q/G, v) of a system with rotations, with the momenta along the orbits."""

    system: System
    framed: Framed
    speeds: TangentSpeeds
    action: Action
    functions: tuple[Expr, ...]
    """What Q/G is known by: entries of rotations and coordinates."""
    free: Allowed
    """V and the directions Z, by functions on Q: the sections of S among them."""
    motion: ReducedMotion
    """By functions on Q/G and v, entries by the components of their rotations."""
    equations: Equations
    hypotheses: tuple[Claim, ...] = field(default=(), kw_only=True)
    plain: Equations | None = field(default=None, kw_only=True)
    level: Level | None = field(default=None, kw_only=True)
    """The motion with momenta of horizontal symmetries put in, where [momentum] states their values."""

    @property
    def group(self) -> tuple[str, ...]:
        """The generators of the group by which it is reduced."""
        return tuple(self.action.names)

    @property
    def dimensions(self) -> tuple[int, int]:
        """Those of the velocities that are allowed, at all points, and of what is left of that when G is divided out.

        The state may have more variables: a rotation of which the group leaves something is kept whole.
        """
        framed = self.framed
        held = len(set(framed.system.holonomic) - framed.system.units)
        bound = 0 if self.equations.saddle is None else len(self.equations.saddle.rows)
        whole = framed.dimension - held + len(self.speeds.speeds) - (bound or len(framed.frame.directions))
        return whole, whole - len(self.group)

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        names = [u.data.label for u in self.framed.velocities]
        pairs = zip(self.speeds.speeds, self.speeds.fields, strict=True)
        return {
            "structure_constants": constants_table(self.action),
            "base": [f.data.label for f in self.functions],
            "fibre": [s.data.label for s in self.equations.reconstruction],
            "adapted_frame": {
                v.data.label: {n: c for n, c in zip(names, z, strict=True) if c is not ZERO} for v, z in pairs
            },
            "momenta": list(self.motion.momenta),
            "momentum_equation": list(self.motion.momentum_rates),
            "reconstruction": {s.data.label: e for s, e in self.equations.reconstruction.items()},
            "energy": self.motion.energy,
        }


class Reduction:
    """Invariant functions of (q, v) by functions on Q/G and v."""

    def __init__(
        self, system: System, view: View, speeds: TangentSpeeds, action: Action, base: Velocities, *, free: bool
    ) -> None:
        self.system, self.view, framed = system, view, view.framed
        self.framed, self.frame, self.speeds, self.action = framed, framed.frame, speeds, action
        self.functions, known = base.functions, set(base.functions)
        self.short = SimplificationBudget(_EFFORT, modulo=self.frame.relations)
        round_ = {q for point in self.frame.rotations for q in point.components}
        put: dict[Expr, Expr] = {q: ZERO for q in framed.system.q if q not in round_}
        turned = dict(base.section)
        self.lost: list[Point] = []
        self.left: list[Left] = []
        for point in self.frame.rotations:
            rows = self.frame.rows(point)
            if known.isdisjoint(m for row in rows for m in row):
                self.lost.append(point)
                put |= {m: ONE if i == j else ZERO for i, row in enumerate(rows) for j, m in enumerate(row)}
            else:
                turned |= _at_entry(rows, known)
                left = left_of(rows, known)
                self.left += [] if left is None else [left]
        self.nowhere = {x: e for x, e in put.items() if x not in known}
        """What of Q the group moves altogether, at one point of its orbit."""
        self.section = {x: e for x, e in {**put, **turned}.items() if x not in known}
        inside = [r for r in self.frame.relations if symbols([r]) <= {x.data for x in known}]
        self.inside = tuple(inside)
        """What functions on Q/G obey."""
        self._short_inside = SimplificationBudget(2 * _EFFORT, modulo=self.inside)
        rates = speeds.by_speeds(list(self.frame.drive.values()))
        self.drive = dict(zip(self.frame.drive, rates, strict=True))
        self.kept = None
        if not free and framed.constraints:
            self.kept = kept_rows(framed, speeds, self.drive, self.there, self.read)

    def there(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return what functions are at one point of each orbit."""
        if not divisors(self.section.values()):
            return self.short.all(substitute(list(expressions), self.section))
        first, moved = self.short.all(expressions), {x.data for x in self.section}
        return [e if symbols([e]).isdisjoint(moved) else self._there(e) for e in first]

    def read(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return invariant functions by functions on Q/G, decided to be the same everywhere."""
        found = self.there(expressions)
        if not vanish([a - b for a, b in zip(expressions, found, strict=True)], self.framed.facts):
            raise ExpressionError("a function on Q/G was not found by rows, columns and entries that stand still.")
        return found

    def _there(self, expression: Expr) -> Expr:
        parts = by_coefficients(expression, list(self.speeds.speeds), self._at_section, self.framed.facts)
        return self._at_section([expression])[0] if parts is None else parts

    def _by_points(self, expressions: list[Expr]) -> list[Expr | None]:
        """Return what functions are if they are of second degree in what is left of rotations; None at a pole."""
        try:
            return [*by_points(substitute(expressions, self.nowhere), self.left, self.framed.facts)]
        except ExpressionError:  # division by zero, in one of them
            return [None] if len(expressions) == 1 else [self._by_points([e])[0] for e in expressions]

    def _at_section(self, expressions: list[Expr]) -> list[Expr]:
        moved = {x.data for x in self.section}
        given = zip(expressions, self._by_points(expressions), strict=True)
        simple = {e: one for e, one in given if one is not None and symbols([one]).isdisjoint(moved)}
        same = vanishing([e - one for e, one in simple.items()], self.framed.facts)
        known = {e: simple[e] for e, equal in zip(simple, same, strict=True) if equal}
        return [self._short_inside(known[e]) if e in known else self._by_section(e) for e in expressions]

    def _by_section(self, expression: Expr) -> Expr:
        moved = {x.data for x in self.section}
        (at,) = substitute([expression], self.section)
        found = tidy(at, _EFFORT, modulo=self.inside)
        poles = set(divisors(self.section.values()))
        alive = symbols([found]).isdisjoint(moved)
        if not (alive and poles.isdisjoint(divisors([found]))):
            raise ExpressionError("a function on Q/G was not written by what stands still within the limit of work.")
        return found

    def found(self) -> ReducedWithoutCharts:
        """Return the motion."""
        frame, speeds, system = self.frame, self.speeds, self.system
        momenta, pulls = map(speeds.by_speeds, (frame.free.momenta, frame.free.pulls))
        mass, force = projected(momenta, pulls, speeds.speeds, speeds.fields, self.drive)
        weights = self._weights()
        vertical = self._vertical(weights)
        size, count = len(force), len(vertical)
        alone = self.kept is None or not depends_on([e for k in weights for e in k], list(speeds.speeds))
        sections: Rows = vertical if alone else speeds.fields
        changing = [dot(z, pulls) + dot(tangent(z, self.drive), momenta) for z in sections]
        flat = [*(e for row in mass for e in row), *force, *(dot(z, momenta) for z in sections), *changing]
        flat = self.read([*flat, *speeds.by_speeds([frame.free.energy])])
        at = size * (size + 1)
        if not alone:
            flat = [*flat[:at], *self._of_sections(weights, flat), flat[-1]]
        rows, rest = self._determined([flat[i * size : (i + 1) * size] for i in range(size)], flat[size * size : at])
        opened = frame.opened([*(e for row in rows for e in row), *rest, *flat[at:]])
        moving = ReducedMotion(
            tuple(tuple(opened[i * size : (i + 1) * size]) for i in range(size)),
            tuple(opened[size * size : at]),
            tuple(opened[at : at + count]),
            tuple(opened[at + count : at + 2 * count]),
            opened[-1],
        )
        free = Allowed(
            speeds.speeds, tuple(speeds.velocities), speeds.fields, tuple(map(tuple, vertical)), True, facts=self._facts
        )
        equations = self._equations(moving)
        level, claims = level_of(system, equations, self._kept(momenta), free.facts)
        told = (*claims, *(() if level is None else level.claims))
        return ReducedWithoutCharts(
            system, self.framed, speeds, self.action, self.functions, free, moving,
            equations if level is None else level.equations,
            plain=None if level is None else equations, level=level, hypotheses=told,
        )  # fmt: skip

    def _of_sections(self, weights: Rows, flat: Sequence[Expr]) -> list[Expr]:
        """Return p_b = k_b^a P_a and p_b' = k_b^a F_a + k_b'^a P_a, by M, f, P and F at the head of what was read.

        Beside nonlinear constraints k depends on velocities, whose rates are those of the reduced motion.
        """
        assert self.kept is not None
        v, size = list(self.speeds.speeds), len(self.speeds.speeds)
        at = size * (size + 1)
        mass, force = [flat[i * size : (i + 1) * size] for i in range(size)], flat[size * size : at]
        momenta, changing = flat[at : at + size], flat[at + size : at + 2 * size]
        rates = self.read([self.drive[f] for f in self.functions])
        moving = dict(zip(self.functions, rates, strict=True)) | {symbol(TIME): ONE}
        moving |= zip(v, self.kept.saddle.solution(mass, force), strict=False)
        told = [dot(k, changing) + dot(tangent(k, moving), momenta) for k in weights]
        return [*(dot(k, momenta) for k in weights), *told]

    def _determined(self, mass: Rows, force: Sequence[Expr]) -> tuple[Rows, Sequence[Expr]]:
        """Return mass and force with which directions keep their length, where no rows do that; or refuse them."""
        facts = self.framed.facts
        if self.kept is not None:
            require_regular(self.kept.bordered(mass), facts)
            return mass, force
        squares = [total([(1, q.dot**2) for q in point.components]) for point in self.frame.directions]
        mass, force = along_spheres(self.frame, mass, force, squares)
        require_regular(mass, facts)
        return mass, force

    @property
    def _facts(self) -> tuple[Fact, ...]:
        """What holds along the motion."""
        if self.kept is not None:
            return (*facts_of(self.framed.system), *self.kept.facts)
        units = [dot(row, self.frame.velocities) for row in self.frame.unit_rows]
        return (*points_of(self.framed.system), *map(Where, units))

    def _kept(self, momenta: Sequence[Expr]) -> dict[str, Expr | str]:
        """Return the momenta of horizontal symmetries of which [momentum] states a value; of others why not."""
        framed, found = self.framed, {}
        for name in (name for name in self.action.names if name in framed.system.momentum):
            along = framed.generator(name)
            rows, work = [dot(row, along) for row in framed.rows], dot(framed.frame.forces, along)
            why = not_kept(rows, work, framed.facts)
            if self.kept is not None or self.frame.directions:
                why = why or "the velocities of the state are more than those that are free"
            found[name] = why or self._momentum(dot(momenta, along))
        return found

    def _momentum(self, momentum: Expr) -> Expr | str:
        try:
            return self.frame.opened(self.read([momentum]))[0]
        except ExpressionError:
            return "its momentum is not known as a function on Q/G and of its velocities"

    def _vertical(self, weights: Rows) -> list[list[Expr]]:
        """Return sections of S."""
        columns = list(zip(*self.speeds.fields, strict=True))
        return [[self.short(dot(k, column)) for column in columns] for k in weights]

    def _weights(self) -> list[list[Expr]]:
        """Return the combinations of the directions that move no function on Q/G."""
        manifold, facts = self.framed.manifold, self.framed.facts
        rows = [
            list(row)
            for row in zip(*(manifold.along(z, list(self.functions)) for z in self.speeds.fields), strict=True)
        ]
        rows = [self.read(row) for row in rows if not vanish(row, facts)]
        rows += [list(row) for row in self.kept.saddle.virtual] if self.kept is not None else self._units()
        return [self._whole(self.read(k)) for k in generic_kernel(rows, len(self.speeds.fields), facts)]

    def _units(self) -> list[list[Expr]]:
        """Return the rows n n' = 0 on the quasi-velocities."""
        return [[dot(row, z) for z in self.speeds.fields] for row in self.frame.unit_rows]

    def _whole(self, vector: Sequence[Expr]) -> list[Expr]:
        """Return a section without what it was divided by, which is no part of its direction."""
        for below in divisors(vector):
            vector = self.short.all([e * below for e in vector])
        return list(vector)

    def _stated(self, speeds: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
        """Return those of the quasi-velocities that are known by stated coordinates and their velocities."""
        known = {s.data for s in (*self.system.q, *self.system.v, *self.system.parameters)}
        return {v: e for v, e in speeds.items() if symbols([e]) <= known}

    def _equations(self, moving: ReducedMotion) -> Equations:
        frame, system, speeds, drive = self.frame, self.framed.system, self.speeds, self.drive
        lost = {q for point in self.lost for q in point.components}
        lost |= {q for q in system.q if q in self.section}
        state = [f for f in self.functions if f in drive and f in system.q]
        rates = {q: self.short(drive[q]) for q in frame.kinematics}
        rates |= dict(zip(state, self.read([drive[q] for q in state]), strict=True))
        rates = dict(zip(rates, frame.opened(list(rates.values())), strict=True))
        kinematics = {q: rate for q, rate in rates.items() if q not in lost}
        if not symbols(kinematics.values()).isdisjoint(q.data for q in lost):
            raise ExpressionError("what is left of Q/G moves by what the group moves.")
        turned = [w for point in frame.rotations for w in point.body]
        taken = {s.data.name for s in (*system.q, *system.parameters, *system.speeds)}
        by_mass = [e for row in moving.mass for e in row]
        return equations_of(
            self.system,
            "reduced",
            configuration=dict(self.view.configuration),
            kinematics=kinematics,
            velocities=speeds.speeds,
            speeds=self._stated(speeds.stated),
            mass=moving.mass,
            force=moving.force,
            reconstruction={q: rates[q] for q in rates if q in lost},
            monitors={"energy": moving.energy} | {f"momentum {k}": p for k, p in enumerate(moving.momenta, 1)},
            momenta=named_momenta(moving, taken, frame.facts),
            saddle=None if self.kept is None else self.kept.opened(),
            projection=(
                unit_projection(frame)
                if self.kept is None
                else self.kept.projection(moving.mass, {**kinematics, **rates}, speeds.speeds)
            ),
            pivots=tuple(divisors([*rates.values(), *by_mass, *moving.force, *speeds.stated.values()])),
            named=frame.entries,
            turning=dict(zip(turned, frame.opened(speeds.by_speeds(turned)), strict=True)),
        )


def _at_entry(rows: Rows, known: set[Expr]) -> dict[Expr, Expr]:
    """Return a rotation of which one entry z is known, with a root of 1 - z^2; nothing where more of it is known."""
    places = [(j, k) for j, row in enumerate(rows) for k, m in enumerate(row) if m in known]
    if len(places) > 1:
        return {}
    ((j, k),) = places
    seen, across = [ZERO] * 3, [ZERO] * 3
    seen[k], seen[k - 1], across[k - 2] = rows[j][k], sqrt(total([(-1, rows[j][k] ** 2)], 1)), ONE
    put = {j: seen, (j + 1) % 3: across, (j + 2) % 3: cross(seen, across)}
    return {m: e for i, values in put.items() for m, e in zip(rows[i], values, strict=True)}
