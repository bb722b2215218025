"""Accelerations in a number of operations that grows as the system does: the recursion of a chain, found in L.

Sums that are linear in velocities get names y = f(q, v, y) (``expr/lifting``), so that with multipliers w and lambda

    Lambda = L(q, v, y) + w.(f - y),    d/dt dLambda/dv - dLambda/dq + (dc/dv)^T lambda = Q,
    d/dt dLambda/dy + (dc/dy)^T lambda = 0,    d/dt (f - y) = 0,    d/dt c = 0

is linear in (v', y', w', lambda), symmetric, and has as many entries as L has terms. It is eliminated from the last
name to the first (``expr/sparse``): what is written by hand for trees of bodies, for any Lagrangian and constraints c.
No mass matrix is formed. Pivots are numbers, products of parameters, and what is positive wherever the kinetic energy
is definite on the velocities that the constraints allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.lifting import Lift, lifted, places
from dalembert.expr.polynomials import Polynomial, Ring
from dalembert.expr.sharing import shared
from dalembert.expr.sparse import SparseSystem
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth.pivots import of_one_sign_somewhere
from dalembert.expr.walk import Rebuild, evaluate, substitute, symbols
from dalembert.model.equations import Equations
from dalembert.model.system import System


def lifted_rates(system: System, equations: Equations) -> dict[Expr, Expr] | None:
    """Return the rates of the state of equations in first order, without a linear system; None where that is not found.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> two = System.of(name="two", coordinates="x y", lagrangian="(x'^2 + (x' + y')^2)/2 - y^2/2")
    >>> lifted_rates(two, derive(two).equations)
    {x: x', y: y', x': y, y': -2*y}
    """
    assert system.lagrangian is not None
    velocities = dict(zip(system.q, system.v, strict=True))
    free = equations.velocities
    if set(equations.kinematics) != set(system.q):  # a part of the motion has been divided out
        return None
    if set(free) <= set(system.v):
        constraints = [c.expression for c in system.constraints.values()]
    else:  # in speeds: the velocities of coordinates are given by these
        constraints = [velocities[q] - rate for q, rate in equations.kinematics.items() if velocities[q] is not rate]
    found = lifted_motion(system.lagrangian, velocities, system.forces, constraints, free)
    if found is None or not of_one_sign_somewhere(found.pivots):
        return None
    rates = [*(found.velocities.get(v, v) for v in system.v), *(found.accelerations[v] for v in free)]
    by_name = dict(zip((*system.q, *free), shared(rates, equations.parameters), strict=True))
    return {one: by_name[one] for one in equations.state}


@dataclass(frozen=True, slots=True)
class LiftedMotion:
    """Velocities that depend on others, and all accelerations, as programs without a linear system."""

    velocities: dict[Expr, Expr]
    accelerations: dict[Expr, Expr]
    pivots: tuple[Expr, ...]
    """What was divided by, numbers and products of parameters apart."""


def lifted_motion(
    lagrangian: Expr,
    velocities: Mapping[Expr, Expr],
    forces: Mapping[Expr, Expr],
    constraints: Sequence[Expr] = (),
    free: Sequence[Expr] | None = None,
) -> LiftedMotion | None:
    """Return the motion of a Lagrangian of first order under constraints that are linear in the velocities.

    ``velocities`` are those of the coordinates, by these. Those that are ``free``, among them speeds that belong to no
    coordinate, move by themselves, the others as the constraints say; where all are free the constraints are kept by
    multipliers. None where a velocity that is not free is given by nothing that is a number or made of parameters.
    """
    moving = list(dict.fromkeys((*velocities.values(), *(free or ()))))
    own = dict(velocities) | {_fresh("position of", u): u for u in moving if u not in set(velocities.values())}
    (short, *rest), lifts = lifted([lagrangian, *constraints, *forces.values()], own)
    held, pushed = rest[: len(constraints)], dict(zip(forces, rest[len(constraints) :], strict=True))
    rows = _Rows(short, own, lifts, held, pushed)
    order = _Order(rows, set(moving if free is None else free))
    if not order.run():
        return None
    return rows.put_back(order.system)


def _fresh(what: str, of: object) -> Expr:
    """Return a name that nothing stated can have."""
    return symbol(Symbol(f"{what} {of.data.label if isinstance(of, Expr) else of}"))


@dataclass(slots=True)
class _Rows:
    """The rows of the lifted system, and the names in them."""

    lagrangian: Expr
    velocities: Mapping[Expr, Expr]
    lifts: list[Lift]
    constraints: Sequence[Expr]
    forces: Mapping[Expr, Expr]
    moving: list[Expr] = field(init=False)
    """The velocities, then the lifts."""
    momenta: list[Expr] = field(init=False)
    """w, by the lifts."""
    multipliers: list[Expr] = field(init=False)
    """lambda, by the constraints."""
    rate: dict[Expr, Expr] = field(init=False)
    slopes: dict[Expr, Expr] = field(init=False)
    """dLambda/dv and dLambda/dy."""

    def __post_init__(self) -> None:
        names = [lift.name for lift in self.lifts]
        self.moving = [*self.velocities.values(), *names]
        self.momenta = [_fresh("momentum of", y) for y in names]
        self.multipliers = [_fresh("multiplier", k) for k in range(len(self.constraints))]
        self.rate = {one: _fresh("rate of", one) for one in (*self.moving, *self.momenta)}

    def system(self) -> SparseSystem:
        """Return the rows as a linear system for (v', y', w', lambda)."""
        relations = [lift.value - lift.name for lift in self.lifts]
        whole = total([(1, self.lagrangian), *((1, w * f) for w, f in zip(self.momenta, relations, strict=True))])
        position = {**self.velocities, **{p.position: p.name for p in self.lifts if p.position is not None}}
        coordinate = {velocity: x for x, velocity in position.items()}
        drive = {**position, **self.rate, symbol(TIME): ONE}
        self.slopes = dict(zip(self.moving, gradient(whole, self.moving), strict=True))
        moved = tangent(list(self.slopes.values()), drive)
        turned = dict(zip(position, gradient(whole, list(position)), strict=True))
        power = total([(1, one * c) for one, c in zip(self.multipliers, self.constraints, strict=True)])
        rows = []
        for one, change, pull in zip(self.moving, moved, gradient(power, self.moving), strict=True):
            x = coordinate.get(one)
            push = [] if x is None else [(-1, turned[x]), (-1, self.forces.get(x, ZERO))]
            rows.append(total([(1, change), (1, pull), *push]))
        given = [*relations, *self.constraints]
        names = [*(self.rate[one] for one in (*self.moving, *self.momenta)), *self.multipliers]
        system = _linear(names, [*rows, *tangent(given, drive)], self.momenta)
        at_rest = system.ring.read([-f for f in substitute(given, dict.fromkeys(self.moving, ZERO))])
        system.second.update(zip(names[len(self.moving) :], at_rest, strict=True))
        return system

    def put_back(self, system: SparseSystem) -> LiftedMotion:
        """Return what was found without the names of lifts."""
        values, levels = system.solved()
        meaning = places(self.lifts)
        back = {rate: one for one, rate in self.rate.items()}
        value = {lift.name: lift.value for lift in self.lifts}
        for rate, level in levels.items():  # what is put in last comes first
            meaning[back[rate]] = value.get(back[rate], level)
        left = symbols([*values.values(), *system.pivots])  # most momenta have cancelled
        some = not left.isdisjoint(momentum.data for momentum in self.momenta)
        for lift, momentum in zip(reversed(self.lifts), reversed(self.momenta), strict=True):
            if some and lift.position is None:
                (meaning[momentum],) = substitute([self.slopes[lift.name]], {momentum: ZERO})  # dLambda/dy = 0
        wanted = [self.rate[v] for v in self.velocities.values()]
        known: dict[Expr, Expr] = {}

        def leaf(node: Expr) -> Expr:
            name = back.get(node, node)
            return known[meaning[name]] if name in meaning else name

        roots = [*meaning.values(), *(values[one] for one in wanted), *system.pivots]
        found = evaluate(roots, Rebuild(leaf), known)  # each name is met after its meaning has been read
        there = dict(zip(meaning, found, strict=False))
        moved = dict(zip(self.velocities.values(), found[len(meaning) :], strict=False))
        dependent = {v: there[v] for v in self.velocities.values() if v in there}
        return LiftedMotion(dependent, moved, tuple(found[len(meaning) + len(wanted) :]))


def _linear(names: Sequence[Expr], rows: Sequence[Expr], momenta: Sequence[Expr]) -> SparseSystem:
    """Read rows that are linear in the unknowns; momenta are kept in sight, for most of them cancel."""
    ring = Ring()
    ring.keep_open([*names, *momenta])
    place = {ring.place(name): name for name in names}
    table: dict[Expr, dict[Expr, Polynomial]] = {}
    right: dict[Expr, Polynomial] = {}
    for name, row in zip(names, ring.read(rows), strict=True):
        table[name], right[name] = {}, {}
        for monomial, coefficient in row.items():
            here = next((p for p, _ in monomial if p in place), None)
            if here is None:
                right[name][monomial] = -coefficient
            else:
                rest = tuple((p, e) for p, e in monomial if p != here)
                table[name].setdefault(place[here], {})[rest] = coefficient
    return SparseSystem(ring, table, right)


class _Order:
    """The order of elimination: lifts from the last to the first, velocities when no lift that is left needs them."""

    def __init__(self, rows: _Rows, free: set[Expr]) -> None:
        self.system = rows.system()
        self._pairs = [(rows.rate[p.name], rows.rate[w]) for p, w in zip(rows.lifts, rows.momenta, strict=True)]
        self._momenta = {w for _, w in self._pairs}
        self._multipliers = set(rows.multipliers)
        self._waiting = {rows.rate[v]: v in free for v in rows.velocities.values()}
        """Velocities that are left, and whether they are free."""
        self._kept = all(self._waiting.values())
        """Whether the constraints are kept by their multipliers."""

    def run(self) -> bool:
        """Eliminate; say whether nothing is left."""
        for one, other in reversed(self._pairs):
            near = self._near(one, other)
            self.system.put_in(one, other)
            self._look(near)
        while self._look(list(self._waiting)):
            pass
        return not self.system.rows

    def _near(self, *names: Expr) -> list[Expr]:
        """Return what is coupled to some unknowns, the last first."""
        near = {c for name in names for c in self.system.rows[name]} - set(names)
        return sorted(near, key=self.system.ring.place, reverse=True)

    def _look(self, names: Iterable[Expr]) -> bool:
        """Eliminate what can be among some unknowns, and then among their neighbours; say whether there was any."""
        left, done = list(names), False
        while left:
            name = left.pop(0)
            near = self._eliminated(name)
            if near is not None:
                left, done = [*near, *left], True
        return done

    def _eliminated(self, name: Expr) -> list[Expr] | None:
        """Eliminate a velocity or a multiplier if that can be done; return its neighbours."""
        row = self.system.rows.get(name)
        if row is None or not self._momenta.isdisjoint(row):
            return None
        if name in self._multipliers:
            if not self._kept or name not in row or not self._multipliers.issuperset(row):
                return None
        elif name not in self._waiting:
            return None
        elif not self._waiting[name]:
            return self._given(name)
        elif name not in row or not (self._kept or self._multipliers.isdisjoint(row)):
            return None
        near = self._near(name)
        self._waiting.pop(name, None)
        self.system.divide(name)
        return near

    def _given(self, name: Expr) -> list[Expr] | None:
        """Eliminate a velocity that a constraint gives, by a factor that is a number or made of parameters."""
        row = self.system.rows[name]
        found = [c for c in row if c in self._multipliers and self._is_constant(row[c])]
        if not found:
            return None
        best = min(found, key=lambda c: (len(self.system.rows[c]), self.system.ring.place(c)))
        near = self._near(name, best)
        del self._waiting[name]
        self.system.put_in(name, best, short=True)
        return near

    def _is_constant(self, entry: Polynomial) -> bool:
        """Say whether an entry is a number or a product of parameters."""
        parts = [self.system.ring.parts[place] for monomial in entry for place, _ in monomial]
        return len(entry) == 1 and all(part.op == "symbol" and part.data.role == "parameter" for part in parts)
