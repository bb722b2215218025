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
from itertools import islice

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.lifting import Lift, lifted, places_of
from dalembert.expr.polynomials import Polynomial, Ring
from dalembert.expr.sharing import shared
from dalembert.expr.sparse import SparseSystem
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth.pivots import of_one_sign_somewhere
from dalembert.expr.walk import Rebuild, evaluate, substitute, symbols
from dalembert.model.equations import Equations, Straight
from dalembert.model.system import System

_FRONT = 3
"""The most multipliers that velocities are eliminated beside: of more, some are eliminated before."""
_SLACK = 2
"""How many more velocities than constraints must have been eliminated for that."""


def lifted_rates(system: System, equations: Equations) -> Straight | None:
    """Return the rates of the state of equations in first order, without a linear system; None where that is not found.

    >>> from dalembert.mechanics.lagrangian.euler_lagrange import derive
    >>> two = System.of(name="two", coordinates="x y", lagrangian="(x'^2 + (x' + y')^2)/2 - y^2/2")
    >>> lifted_rates(two, derive(two).equations).rates
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
    return Straight({one: by_name[one] for one in equations.state})


def lifted_saddle(system: System, equations: Equations) -> Straight | None:
    """Return the same for the saddle form: with the multipliers, and what brings a state back to its constraints."""
    saddle, lagrangian = equations.saddle, system.lagrangian
    assert saddle is not None
    assert lagrangian is not None
    ranks = saddle.rank, saddle.position_rank
    linear = all(system.kind_of(name) != "nonlinear" for name in system.constraints)
    if ranks != (len(system.constraints), len(system.holonomic)) or saddle.rows != saddle.virtual or not linear:
        return None
    velocities = dict(zip(system.q, system.v, strict=True))
    rows = {name: c.expression for name, c in system.constraints.items()}
    found = lifted_motion(lagrangian, velocities, system.forces, list(rows.values()), system.v)
    if found is None or not of_one_sign_somewhere(found.pivots):
        return None
    places = {name: equation.expression for name, equation in system.holonomic.items()}
    corrections = []
    for residuals in [places, rows] if places else [rows]:
        kept = [rows[name] for name in residuals]
        back = lifted_motion(lagrangian, velocities, {}, kept, system.v, list(residuals.values()))
        if back is None:
            return None
        corrections.append(tuple(shared([*back.accelerations.values(), *back.multipliers], equations.parameters)))
    pairs = [one for pair in found.guards for one in pair]
    unknowns = [*(found.accelerations[v] for v in system.v), *found.multipliers]
    moved = iter(shared([*unknowns, *pairs], equations.parameters))
    rates = velocities | dict(zip(system.v, islice(moved, len(system.v)), strict=True))
    held = tuple(islice(moved, len(rows)))
    return Straight(rates, held, tuple(corrections), tuple(zip(moved, moved, strict=True)), found.sure)


@dataclass(frozen=True, slots=True)
class LiftedMotion:
    """Velocities that depend on others, and all accelerations, as programs without a linear system."""

    velocities: dict[Expr, Expr]
    accelerations: dict[Expr, Expr]
    pivots: tuple[Expr, ...]
    """What was divided by, numbers and products of parameters apart; multipliers with the sign turned."""
    multipliers: tuple[Expr, ...] = ()
    """Of the constraints, where these are kept: M v' + A^T multipliers = force."""
    guards: tuple[tuple[Expr, Expr], ...] = ()
    """Pairs of which the first must not be small beside the second, or digits are lost."""
    sure: bool = True
    """Whether what is divided by vanishes only where constraints lose rank or the kinetic energy degenerates."""


def lifted_motion(
    lagrangian: Expr,
    velocities: Mapping[Expr, Expr],
    forces: Mapping[Expr, Expr],
    constraints: Sequence[Expr] = (),
    free: Sequence[Expr] | None = None,
    residuals: Sequence[Expr] | None = None,
) -> LiftedMotion | None:
    """Return the motion of a Lagrangian of first order under constraints that are linear in the velocities.

    ``velocities`` are those of the coordinates, by these. Those that are ``free``, among them speeds that belong to no
    coordinate, move by themselves, the others as the constraints say; where all are free the constraints are kept by
    multipliers. None where a velocity that is not free is given by nothing that is a number or made of parameters.
    With ``residuals`` it is not the motion that is returned, but the shortest change, in the metric of the kinetic
    energy, by which they vanish to first order; the constraints say how fast they change.
    """
    moving = list(dict.fromkeys((*velocities.values(), *(free or ()))))
    own = dict(velocities) | {_fresh("position of", u): u for u in moving if u not in set(velocities.values())}
    (short, *rest), lifts = lifted([lagrangian, *constraints, *forces.values()], own)
    held, pushed = rest[: len(constraints)], dict(zip(forces, rest[len(constraints) :], strict=True))
    rows = _Rows(short, own, lifts, held, pushed)
    order = _Order(rows, set(moving if free is None else free), residuals)
    if not order.run():
        return None
    return rows.put_back(order)


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

    def put_back(self, order: _Order) -> LiftedMotion:
        """Return what was found without the names of lifts."""
        system = order.system
        values, levels = system.solved()
        guards = [one for pair in order.guards for one in pair]
        meaning = places_of(self.lifts)
        back = {rate: one for one, rate in self.rate.items()}
        value = {lift.name: lift.value for lift in self.lifts}
        for rate, level in levels.items():  # what is put in last comes first
            meaning[back[rate]] = value.get(back[rate], level)
        left = symbols([*values.values(), *system.pivots, *guards])  # most momenta have cancelled
        some = not left.isdisjoint(momentum.data for momentum in self.momenta)
        for lift, momentum in zip(reversed(self.lifts), reversed(self.momenta), strict=True):
            if some and lift.position is None:
                (meaning[momentum],) = substitute([self.slopes[lift.name]], {momentum: ZERO})  # dLambda/dy = 0
        wanted = [self.rate[v] for v in self.velocities.values()]
        kept = self.multipliers if order.kept else []
        known: dict[Expr, Expr] = {}

        def leaf(node: Expr) -> Expr:
            name = back.get(node, node)
            return known[meaning[name]] if name in meaning else name

        roots = [*meaning.values(), *(values[one] for one in (*wanted, *kept)), *system.pivots, *guards]
        found = iter(evaluate(roots, Rebuild(leaf), known))  # each name is met after its meaning has been read
        there = dict(zip(meaning, islice(found, len(meaning)), strict=True))
        moved = dict(zip(self.velocities.values(), islice(found, len(wanted)), strict=True))
        held = tuple(islice(found, len(kept)))
        pivots = tuple(islice(found, len(system.pivots)))
        signs = [-1 if name in set(self.multipliers) else 1 for name in system.divided]
        dependent = {v: there[v] for v in self.velocities.values() if v in there}
        pairs = tuple(zip(found, found, strict=True))
        return LiftedMotion(
            dependent, moved, tuple(s * p for s, p in zip(signs, pivots, strict=True)), held, pairs, order.sure
        )


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

    def __init__(self, rows: _Rows, free: set[Expr], residuals: Sequence[Expr] | None = None) -> None:
        self.system = rows.system()
        if residuals is not None:
            far = dict(zip(rows.multipliers, residuals, strict=True))
            self.system.right = {c: self.system.ring.part(-far[c]) if c in far else {} for c in self.system.rows}
        self._pairs = [(rows.rate[p.name], rows.rate[w]) for p, w in zip(rows.lifts, rows.momenta, strict=True)]
        self._momenta = {w for _, w in self._pairs}
        self._multipliers = set(rows.multipliers)
        self._waiting = {rows.rate[v]: v in free for v in rows.velocities.values()}
        """Velocities that are left, and whether they are free."""
        self.kept = all(self._waiting.values())
        """Whether the constraints are kept by their multipliers."""
        self._slack = dict.fromkeys(rows.multipliers, 0)
        """How many more velocities than multipliers have been eliminated that a multiplier was coupled to."""
        self.sure = True
        """Whether no multiplier was eliminated before velocities that it is coupled to."""
        self._whole: dict[Expr, Expr] = {}
        """The diagonal entries of multipliers when all velocities had been eliminated."""
        self.guards: list[tuple[Expr, Expr]] = []
        """What must not be small beside what."""

    def run(self) -> bool:
        """Eliminate; say whether nothing is left."""
        if self.kept:  # what only constraints know of: the more velocities are gone, the stronger are their pivots
            self._look([one for one in self._waiting if self._multipliers.issuperset({*self.system.rows[one]} - {one})])
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
            if not self.kept or name not in row or not self._multipliers.issuperset(row):
                return None
            self._compare(name)
        elif name not in self._waiting:
            return None
        elif not self._waiting[name]:
            return self._given(name)
        elif name not in row or not (self.kept or self._multipliers.isdisjoint(row)):
            return None
        else:
            self._relieve(row)
        return self._divided(name)

    def _relieve(self, row: Mapping[Expr, Polynomial]) -> None:
        """Eliminate multipliers of a row that has many, those first that most velocities have been eliminated for.

        The diagonal entry of a multiplier is minus the sum of what these velocities make of its constraint: with more
        of them than constraints they share it vanishes at some points only.
        """
        while len(held := self._multipliers.intersection(row)) > _FRONT:
            best = max(held, key=lambda c: (self._slack[c], self.system.ring.place(c)))
            if self._slack[best] < _SLACK or not self._momenta.isdisjoint(self.system.rows[best]):
                return
            self.sure = False
            self._guard(best)
            self._divided(best)

    def _compare(self, name: Expr) -> None:
        """Note what is left of the pivot of a multiplier beside what it was when all velocities had been eliminated.

        Where constraints nearly lose rank that is little, and a linear system with pivots by size keeps more digits.
        """
        ring, rows = self.system.ring, self.system.rows
        for one in rows[name]:
            if one not in self._whole and one in rows[one] and self._multipliers.issuperset(rows[one]):
                rows[one][one] = ring.named(rows[one][one])
                self._whole[one] = ring.expression(rows[one][one])
        left = ring.expression(rows[name][name])
        if left is not self._whole[name]:
            self.guards.append((left, self._whole[name]))

    def _guard(self, name: Expr) -> None:
        """Note what makes a pivot weak: c^2/|d| beside the entry that it is added to, for a pivot d with c in its row."""
        ring, rows = self.system.ring, self.system.rows
        near = [c for c in rows[name] if c not in self._multipliers and c in rows[c]]
        if near:
            c = min(near, key=lambda c: (len(rows[name][c]), len(rows[c][c]), ring.place(c)))
            rows[c][c], rows[name][name] = ring.named(rows[c][c]), ring.named(rows[name][name])
            side = ring.named(rows[name][c])
            small, large = ring.times(rows[name][name], rows[c][c]), ring.times(side, side)
            self.guards.append((ring.expression(small), ring.expression(large)))

    def _divided(self, name: Expr) -> list[Expr]:
        """Eliminate an unknown by its diagonal entry; return its neighbours."""
        near = self._near(name)
        for one in near:
            if one in self._multipliers:
                self._slack[one] += -1 if name in self._multipliers else 1
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
