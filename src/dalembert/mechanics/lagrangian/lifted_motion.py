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

from collections.abc import Mapping, Sequence
from itertools import islice

from dalembert.expr.assembled import assembled
from dalembert.expr.calculus import gradient, jacobian, tangent
from dalembert.expr.field.meter import TooLarge
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.lifting import Lift, lifted, places_of
from dalembert.expr.polynomials import Polynomial, Ring
from dalembert.expr.sparse import SparseSystem
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.walk import Rebuild, evaluate, substitute, symbols
from dalembert.mechanics.lagrangian.lifted_order import EliminationOrder
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.records import dataclass, field

_MOST_WORK = 200
"""Products of terms for each unknown: chains, trees and loops take 15 to 50."""


@dataclass(frozen=True, slots=True)
class LiftedMotion:
    """Velocities that depend on others, and all accelerations, as programs without a linear system."""

    velocities: dict[Expr, Expr]
    accelerations: dict[Expr, Expr]
    pivots: tuple[Expr, ...]
    """What was divided by, numbers and products of parameters apart; multipliers with the sign turned."""
    multipliers: tuple[Expr, ...] = ()
    """Of the constraints: M v' + A^T multipliers = force."""
    guards: tuple[tuple[Expr, Expr], ...] = ()
    """Pairs of which the first must not be small beside the second, or digits are lost."""
    sure: bool = True
    """Whether what is divided by vanishes only where constraints lose rank or the kinetic energy degenerates."""
    by_size: tuple[Expr, ...] = ()
    """Accelerations, then multipliers, where a pivot is small: of the rows as they were, with pivots by size."""


def lifted_motion(
    lagrangian: Expr,
    velocities: Mapping[Expr, Expr],
    forces: Mapping[Expr, Expr],
    constraints: Sequence[Expr] = (),
    free: Sequence[Expr] | None = None,
    residuals: Sequence[Expr] | None = None,
    frame: TangentFrame | None = None,
) -> LiftedMotion | None:
    """Return the motion of a Lagrangian of first order under constraints that are linear in the velocities.

    ``velocities`` are those of the coordinates, by these. Those that are ``free``, among them speeds that belong to no
    coordinate, move by themselves, the others as the constraints say; where all are free the constraints are kept by
    multipliers. None where a velocity that is not free is given by nothing that is a number or made of parameters.
    With ``residuals`` it is not the motion that is returned, but the shortest change, in the metric of the kinetic
    energy, by which they vanish to first order; the constraints say how fast they change. A ``frame`` says what
    rotations do: their angular velocities are free, and belong to no coordinate.
    """
    moving = list(dict.fromkeys((*velocities.values(), *(free or ()))))
    own = dict(velocities) | {_fresh("position of", u): u for u in moving if u not in set(velocities.values())}
    chosen = set(moving if free is None else free)
    (short, *rest), lifts = lifted([lagrangian, *constraints, *forces.values()], own)
    held, pushed = rest[: len(constraints)], dict(zip(forces, rest[len(constraints) :], strict=True))
    try:
        return _eliminated(_Rows(short, own, lifts, held, pushed, frame), chosen, residuals)
    except TooLarge:  # what is stated is no chain of parts that know their neighbours only
        pass
    if not constraints or not chosen.issuperset(moving):
        return None
    (short, *rest), lifts = lifted([lagrangian, *forces.values()], own)
    pushed = dict(zip(forces, rest, strict=True))
    try:
        return _eliminated(_Rows(short, own, lifts, constraints, pushed, frame, whole=True), chosen, residuals)
    except TooLarge:
        return None


def _eliminated(rows: _Rows, free: set[Expr], residuals: Sequence[Expr] | None) -> LiftedMotion | None:
    """Return what the rows give; None where some are left."""
    system = rows.system()
    if residuals is not None:
        far = dict(zip(rows.multipliers, residuals, strict=True))
        system.right = {c: system.ring.part(-far[c]) if c in far else {} for c in system.rows}
    pairs = [(rows.rate[lift.name], rows.rate[w]) for lift, w in zip(rows.lifts, rows.momenta, strict=True)]
    velocities = {rows.rate[v]: v in free for v in rows.velocities.values()}
    order = EliminationOrder(system, pairs, velocities, rows.multipliers)
    whole = _Whole.of(system, pairs) if order.kept and residuals is None else None
    if not order.run():
        return None
    return rows.put_back(order, whole if order.guards else None)


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
    frame: TangentFrame | None = None
    whole: bool = False
    """Whether the entries of constraints are parts as they are, by the velocities alone: a loop in space knows all of
    its joints, by products of all turns before them, and there is nothing to be gained by names for its sums."""
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
        drive = {**self._turning, **position, **self.rate, symbol(TIME): ONE}
        self.slopes = dict(zip(self.moving, gradient(whole, self.moving), strict=True))
        moved = tangent(list(self.slopes.values()), drive)
        placed = [*position, *self._turning]
        turned = dict(zip(placed, gradient(whole, placed), strict=True))
        acting = self._acting(turned)
        held = [] if self.whole else self.constraints
        power = total([(1, one * c) for one, c in zip(self.multipliers, held, strict=False)])
        rows = []
        for one, change, pull in zip(self.moving, moved, gradient(power, self.moving), strict=True):
            x = coordinate.get(one)
            push = [] if x is None else [(-1, turned[x]), (-1, self.forces.get(x, ZERO))]
            rows.append(total([(1, change), (1, pull), *push, *((-1, e) for e in acting.get(one, ()))]))
        given = [*relations, *held]
        names = [*(self.rate[one] for one in (*self.moving, *self.momenta)), *self.multipliers]
        rows += [*tangent(given, drive), *[ZERO] * (len(self.constraints) - len(held))]
        system = _linear(names, rows, self.momenta)
        at_rest = system.ring.read([-f for f in substitute(given, dict.fromkeys(self.moving, ZERO))])
        system.second.update(zip(names[len(self.moving) :], at_rest, strict=False))
        if self.whole:
            self._border(system, {x: rate for x, rate in drive.items() if x not in self.rate})
        return system

    def _border(self, system: SparseSystem, drive: Mapping[Expr, Expr]) -> None:
        """Add the rows of constraints to a system that has none, their entries as parts."""
        ring, velocities = system.ring, list(self.velocities.values())
        bias = tangent(self.constraints, drive)
        for name, constraint, rest in zip(self.multipliers, self.constraints, bias, strict=True):
            system.right[name] = ring.part(-rest) if rest is not ZERO else {}
            for v, entry in zip(velocities, gradient(constraint, velocities), strict=True):
                if entry is not ZERO:
                    system.rows[name][self.rate[v]] = system.rows[self.rate[v]][name] = ring.part(entry)

    @property
    def _turning(self) -> dict[Expr, Expr]:
        """The rates of components and entries of rotations."""
        if self.frame is None:
            return {}
        still = {symbol(TIME), *self.velocities}
        return {z: rate for z, rate in self.frame.drive.items() if z not in still}

    def _acting(self, slopes: Mapping[Expr, Expr]) -> dict[Expr, list[Expr]]:
        """Return what acts along angular velocities: X(Lambda), and the momenta that turn with the body."""
        if self.frame is None:
            return {}
        frame, turning = self.frame, self._turning
        momenta = frame.turned([self.slopes[u] for u in frame.velocities], frame.velocities)
        found = {u: [change] for u, change in zip(frame.velocities, momenta, strict=True)}
        for point in frame.rotations:
            angular, own = frame.angular(point), [*point.components, *(e for row in frame.rows(point) for e in row)]
            for z, rates in zip(own, jacobian([turning[z] for z in own], angular), strict=True):
                for u, rate in zip(angular, rates, strict=True):
                    found[u].append(rate * slopes[z])
        return found

    def put_back(self, order: EliminationOrder, whole: _Whole | None) -> LiftedMotion:
        """Return what was found without the names of lifts; the ``whole`` system is for where pivots are weak."""
        system = order.system
        values, levels = system.solved()
        guards = [one for pair in order.guards for one in pair]
        entries = [] if whole is None else list(map(system.ring.expression, whole.entries))
        meaning = places_of(self.lifts)
        back = {rate: one for one, rate in self.rate.items()}
        value = {lift.name: lift.value for lift in self.lifts}
        for rate, level in levels.items():  # what is put in last comes first
            meaning[back[rate]] = value.get(back[rate], level)
        left = symbols([*values.values(), *system.pivots, *guards, *entries])  # most momenta have cancelled
        some = not left.isdisjoint(momentum.data for momentum in self.momenta)
        for lift, momentum in zip(reversed(self.lifts), reversed(self.momenta), strict=True):
            if some and lift.position is None:
                (meaning[momentum],) = substitute([self.slopes[lift.name]], {momentum: ZERO})  # dLambda/dy = 0
        wanted = [self.rate[v] for v in self.velocities.values()]
        known: dict[Expr, Expr] = {}

        def leaf(node: Expr) -> Expr:
            name = back.get(node, node)
            return known[meaning[name]] if name in meaning else name

        roots = [*meaning.values(), *(values[one] for one in (*wanted, *self.multipliers)), *system.pivots]
        roots += [*guards, *entries]
        found = iter(evaluate(roots, Rebuild(leaf), known))  # each name is met after its meaning has been read
        there = dict(zip(meaning, islice(found, len(meaning)), strict=True))
        moved = dict(zip(self.velocities.values(), islice(found, len(wanted)), strict=True))
        held = tuple(islice(found, len(self.multipliers)))
        pivots = tuple(islice(found, len(system.pivots)))
        signs = [-1 if name in set(self.multipliers) else 1 for name in system.divided]
        dependent = {v: there[v] for v in self.velocities.values() if v in there}
        halves = islice(found, len(guards))
        pairs = tuple(zip(halves, halves, strict=True))
        turned = tuple(s * p for s, p in zip(signs, pivots, strict=True))
        by_size = () if whole is None else whole.solved(list(found), [*wanted, *self.multipliers])
        return LiftedMotion(dependent, moved, turned, held, pairs, order.sure, by_size)


@dataclass(frozen=True, slots=True)
class _Whole:
    """The rows before anything is eliminated, lifts and their momenta first: each is given by those before it.

    The equation of a momentum gives its lift, from the first lift to the last, and that of a lift its momentum, from
    the last to the first; the rest are velocities and multipliers.
    """

    unknowns: dict[Expr, int]
    """With their places."""
    places: list[tuple[int, int]]
    entries: list[Polynomial]
    """Those at these places, then the right-hand sides."""
    first: int

    @staticmethod
    def of(system: SparseSystem, pairs: Sequence[tuple[Expr, Expr]]) -> _Whole | None:
        """Return the rows in this order; None where a lift is not given by those before it."""
        first = 2 * len(pairs)
        order = [*(pair for pair in pairs), *((w, y) for y, w in reversed(pairs))]
        rest = set(system.rows).difference(y for y, _ in order)
        order += [(one, one) for one in system.rows if one in rest]
        column = {y: k for k, (y, _) in enumerate(order)}
        places, entries = [], []
        for i, (own, name) in enumerate(order):
            row = dict(system.rows[name])
            if i < first and row.pop(own, None) != {(): -1}:
                return None
            for other, entry in row.items():
                if i < first and i <= column[other] < first:
                    return None
                places.append((i, column[other]))
                entries.append(entry)
        return _Whole(column, places, [*entries, *(system.right[name] for _, name in order)], first)

    def solved(self, expressions: Sequence[Expr], wanted: Sequence[Expr]) -> tuple[Expr, ...]:
        """Return some of the unknowns, with other names in entries and right-hand sides."""
        table = ((i, j, e) for (i, j), e in zip(self.places, expressions, strict=False))
        right = expressions[len(self.places) :]
        found = assembled(table, [*(-b for b in right[: self.first]), *right[self.first :]], self.first)
        return tuple(found[self.unknowns[one]] for one in wanted)


def _linear(names: Sequence[Expr], rows: Sequence[Expr], momenta: Sequence[Expr]) -> SparseSystem:
    """Read rows that are linear in the unknowns; momenta are kept in sight, for most of them cancel."""
    ring = Ring()
    ring.keep_open([*names, *momenta])
    ring.most_work = _MOST_WORK * len(names)
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
