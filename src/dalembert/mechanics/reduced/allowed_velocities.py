"""The velocities that constraints allow, w = V(t, r, a, u), with the directions along the orbits in front.

Of linear and affine constraints A w + A_0 = 0 some velocities w are free where nothing is divided by that can vanish.
Else the frame is adapted: first S, the allowed directions along the orbits, then lifts of base velocities, made
orthogonal to S in the kinetic energy (the nonholonomic connection) where another choice would divide by what can
vanish. Where S and these do not project on all r', the constraints give the others. Constraints of other kinds are
solved for body velocities, else for those of the base.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.meter import TooLarge
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ROOT, ZERO, Expr, symbol, total
from dalembert.expr.linear import null_space
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Fact, Inside, Where, depends_on, generic_rank, never_zero, vanish
from dalembert.expr.truth.many import surviving
from dalembert.expr.walk import has_kind, substitute
from dalembert.geometry.adapted_frames import certified_frames, scaled_with_duals
from dalembert.geometry.distributions import choose_dependent, expanded_determinant
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh_names
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import at_start
from dalembert.mechanics.nonholonomic.constraint_manifold import solved_for
from dalembert.mechanics.reduced.algebroid import InvariantSystem
from dalembert.records import dataclass, field, replace

_LARGEST = 150
"""Nodes of an entry of the adapted frame that is worth being made short."""
_SMALL = 1e-12


@dataclass(frozen=True, slots=True)
class Allowed:
    """The velocities that the constraints allow, w = V(t, r, a, u)."""

    u: tuple[Expr, ...]
    """Quasi-velocities: those of S first, which are named xi_1, ...; then velocities of base coordinates."""
    velocities: tuple[Expr, ...]
    directions: tuple[tuple[Expr, ...], ...]
    """W = dV/du, a row for each u."""
    vertical: tuple[tuple[Expr, ...], ...]
    """Those combinations of the rows that have no part along r': sections of the algebra with a momentum equation."""
    linear: bool
    forms: tuple[tuple[Expr, ...], ...] = ()
    """What gives those u that are no velocities of the base, by w less what no velocity moves."""
    pivots: tuple[Expr, ...] = ()
    """What was divided by on the way."""
    branches: tuple[str, ...] = ()
    unknowns: Mapping[Expr, Expr] = field(default_factory=dict)
    """Velocities that stay implicit, with their residuals."""
    facts: tuple[Fact, ...] = ()

    def along(self, expressions: Sequence[Expr], seed: Mapping[Expr, Expr]) -> list[Expr]:
        """Return the derivatives of functions of (t, r, a, u) along a direction, unknowns following."""
        if not self.unknowns:
            return tangent(expressions, dict(seed))
        residuals = list(self.unknowns.values())
        moved = tangent(residuals, dict(seed))
        rates = solve(jacobian(residuals, list(self.unknowns)), [-m for m in moved])
        return tangent(expressions, {**seed, **dict(zip(self.unknowns, rates, strict=True))})


def allowed(one: InvariantSystem, formalism: str, taken: Sequence[str] = ()) -> Allowed:
    """Return the velocities that constraints allow, with the directions along the orbits first.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> from dalembert.model.system import System
    >>> x, a, b = symbol("x"), symbol("xi_a"), symbol("xi_b")
    >>> free = System.of(name="free", coordinates="x", lagrangian="x'^2/2")
    >>> one = InvariantSystem(free, (x,), lie_algebra("ab", {}), (a, b), (x.dot**2 + a**2 + b**2) / 2,
    ...                       {"slope": b - x * x.dot}, (ZERO,) * 3)
    >>> found = allowed(one, "reduced")
    >>> found.u, found.velocities, found.vertical
    ((xi_1, x'), (x', xi_1, x*x'), ((0, 1, 0),))
    """
    linear = _rows(one, formalism, taken)
    if linear is None:
        return _nonlinear(one)
    try:
        found = _in_velocities(linear) or _across_orbits(linear) or _Adapted(linear).found()
    except TooLarge:  # a frame that fails somewhere, but not at the start, is better than none
        if (at_start := _in_velocities(linear, at_start_too=True)) is None:
            raise
        return at_start
    return (_in_velocities(linear, at_start_too=True) or found) if _fails_at_start(one, found.pivots) else found


def adapted(one: InvariantSystem, formalism: str, taken: Sequence[str] = ()) -> Allowed:
    """Return what linear constraints allow in the frame of S and of the nonholonomic connection."""
    linear = _rows(one, formalism, taken)
    assert linear is not None, "for linear constraints"
    return _Adapted(linear, orthogonal=True).found()


def _rows(one: InvariantSystem, formalism: str, taken: Sequence[str]) -> _Rows | None:
    """Return linear or affine constraints as rows; None where they are of another kind."""
    w = list(one.velocities)
    functions = list(one.constraints.values())
    rows = jacobian(functions, w) if functions else []
    if depends_on([entry for row in rows for entry in row], w):
        return None
    rest = dict.fromkeys(w, ZERO)
    _require(rows, len(w), formalism)
    return _Rows(one, [substitute(row, rest) for row in rows], substitute(functions, rest), frozenset(taken))


def _fails_at_start(one: InvariantSystem, pivots: Sequence[Expr]) -> bool:
    """Say whether something that is divided by vanishes at the start, as far as that has values."""
    found = np.array(at_start(one.system, list(pivots)), float)
    return bool((np.abs(found) < _SMALL).any())


def _best_at_start(rows: _Rows) -> tuple[int, ...]:
    """Return the columns on which rows are most independent at the start; none where they have no values there."""
    width = len(rows.matrix[0]) if rows.matrix else 0
    left = np.array(at_start(rows.one.system, [e for row in rows.matrix for e in row]), float).reshape(-1, width)
    chosen: list[int] = []
    while np.isfinite(left).all() and len(chosen) < len(left):
        sizes = np.linalg.norm(left, axis=0)
        best = int(np.argmax(sizes))
        if sizes[best] < _SMALL:
            return ()
        chosen.append(best)
        along = left[:, best] / sizes[best]
        left = left - np.outer(along, along @ left)
    return tuple(sorted(chosen))


def _require(rows: Sequence[Sequence[Expr]], width: int, formalism: str) -> None:
    """Refuse constraints that depend on each other or leave nothing."""
    if rows and generic_rank(rows).rank < len(rows):
        what = "they are not independent"
        raise refusal(
            formalism, [Fault("[constraints]", what, "leave out what follows from the others", kind="independent")]
        )
    if len(rows) >= width:
        what = "they leave no direction to move in"
        raise refusal(formalism, [Fault("[constraints]", what, "leave some of them out", kind="directions")])


def _unit(size: int) -> list[list[Expr]]:
    return [[ONE if i == j else ZERO for j in range(size)] for i in range(size)]


def along_orbits(directions: Sequence[Sequence[Expr]], size: int) -> list[list[Expr]]:
    """Return combinations of directions without a part along the first ``size`` velocities, those of the base."""
    inside, rest = list[list[Expr]](), list[list[Expr]]()
    for row in directions:
        (inside if vanish(row[:size]) else rest).append(list(row))
    if not rest or generic_rank([row[:size] for row in rest]).rank == len(rest):
        return inside
    upright = [[row[i] for row in rest] for i in range(size)]
    try:
        weights = null_space(upright)
    except ExpressionError:  # too large to be written out: there is a motion all the same
        return inside
    return inside + [[dot(row, column) for column in zip(*rest, strict=True)] for row in weights]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Linear or affine constraints A w + A_0 = 0."""

    one: InvariantSystem
    matrix: list[list[Expr]]
    offsets: list[Expr]
    taken: frozenset[str]

    def named(self, count: int) -> list[Expr]:
        """Return names xi_1, ... for quasi-velocities along the orbits."""
        taken = {*self.taken, *(s.data.name for s in (*self.one.base, *self.one.system.q))}
        return [symbol(Symbol(n)) for n in fresh_names([f"xi_{k}" for k in range(1, count + 1)], taken)]

    def found(
        self,
        u: Sequence[Expr],
        directions: list[list[Expr]],
        drift: Sequence[Expr],
        forms: Sequence[Sequence[Expr]],
        pivots: Sequence[Expr] = (),
    ) -> Allowed:
        """Return the velocities by quasi-velocities along directions."""
        columns = list(zip(*directions, strict=True))
        velocities = [total([(1, d), (1, dot(z, u))]) for d, z in zip(drift, columns, strict=True)]
        inside = along_orbits(directions, len(self.one.base))
        return Allowed(
            tuple(u),
            tuple(velocities),
            tuple(map(tuple, directions)),
            tuple(map(tuple, inside)),
            True,
            tuple(map(tuple, forms)),
            tuple(pivots),
        )


def _in_velocities(rows: _Rows, *, at_start_too: bool = False) -> Allowed | None:
    """Solve for some of the velocities where nothing is divided by that could vanish: the others are free.

    Or for those for which that is far from zero ``at_start_too``, wherever else it vanishes.
    """
    one, short = rows.one, SimplificationBudget(1.0, largest=_LARGEST)
    w = list(one.velocities)
    width, size = len(w), len(one.base)
    given = _best_at_start(rows) if at_start_too else choose_dependent(rows.matrix) if rows.matrix else ()
    square = [[row[j] for j in given] for row in rows.matrix]
    pivots = [expanded_determinant(square)] if given else []
    if not given if at_start_too else bool(given) and not never_zero(pivots[0]).holds:
        return None
    free = [*(j for j in range(size, width) if j not in given), *(j for j in range(size) if j not in given)]
    solved = [solve(square, [-row[j] for row in rows.matrix]) if given else [] for j in free]
    directions = []
    for j, values in zip(free, solved, strict=True):
        direction = [ONE if i == j else ZERO for i in range(width)]
        for i, value in zip(given, values, strict=True):
            direction[i] = short(value)
        directions.append(direction)
    if at_start_too:  # what constraints on positions allow has no part along the orbits, but does not look so
        alive = surviving({(a, i): e for a, row in enumerate(directions) for i, e in enumerate(row)})
        directions = [[alive.get((a, i), ZERO) for i in range(width)] for a in range(len(directions))]
    drift = [ZERO] * width
    for i, value in zip(given, solve(square, [-o for o in rows.offsets]) if given else [], strict=True):
        drift[i] = short(value)
    names = iter(rows.named(sum(j >= size for j in free)))
    forms = [row for j, row in enumerate(_unit(width)) if j in free and j >= size]
    u = [w[j] if j < size or one.keeps_names else next(names) for j in free]
    return rows.found(u, directions, drift, forms, pivots if at_start_too else ())


def _across_orbits(rows: _Rows) -> Allowed | None:
    """Return a frame that fails only where the constraints do, where they allow nothing along the orbits.

    Velocities of the base then determine all others, but to divide by what makes them do so may fail: a car that goes
    straight ahead does not turn its trailers, and yet it moves.
    """
    one = rows.one
    size, count = len(one.base), len(one.xi)
    if not vanish(rows.offsets) or generic_rank([row[size:] for row in rows.matrix]).rank < count:
        return None
    frame = next(certified_frames(rows.matrix, [*one.base, *one.xi]), None)
    if frame is None:
        return None
    duals = scaled_with_duals([frame.fields])[0]
    along = {dual.place: dual for dual in duals if dual.place is not None and dual.place < size}
    places = sorted(along)
    rest = [dual for dual in duals if dual not in along.values()]
    u = [*rows.named(len(rest)), *(one.base[place].dot for place in places)]
    fields = [list(dual.field) for dual in (*rest, *(along[place] for place in places))]
    return rows.found(u, fields, [ZERO] * (size + count), [dual.row for dual in rest])


class _Adapted:
    """The frame of S and of lifts of base velocities: orthogonal to S where others could fail, or wherever that is."""

    def __init__(self, rows: _Rows, *, orthogonal: bool = False) -> None:
        self.orthogonal = orthogonal
        self.given, self.one, self.rows, self.offsets = rows, rows.one, rows.matrix, rows.offsets
        self.size, self.count = len(self.one.base), len(self.one.xi)
        self.short = SimplificationBudget(1.0, largest=_LARGEST)
        self.pivots: list[Expr] = []

    def found(self) -> Allowed:
        inside, across, drift, names = self._split()
        gram, lowered = self._metric(inside)
        lifts = [*across, drift]
        if gram and (self._may_fail(lifts) or self.orthogonal):  # S takes care of what a choice of columns divides by
            self.pivots = [*self.pivots[:-1], expanded_determinant(gram)]
            lifts = [self._orthogonal(vector, inside, gram, lowered) for vector in lifts]
        *across, drift = lifts
        if inside:  # where the sections of S depend on each other
            self.pivots.append(expanded_determinant([[dot(a, b) for b in inside] for a in inside]))
        forms = self._forms(across, names, gram, lowered) if gram else []
        u = [*self.given.named(len(inside)), *names]
        return self.given.found(u, [*inside, *across], drift, forms, tuple(map(self.short, self.pivots)))

    def _split(self) -> tuple[list[list[Expr]], list[list[Expr]], list[Expr], list[Expr]]:
        """Return S, lifts of the base velocities that are free, what the constraints add, and those velocities."""
        size = self.size
        upright = [row[size:] for row in self.rows]
        rank = generic_rank(upright)
        inside = _unit(self.count) if not rank.rank else null_space(upright)
        vertical = [[*[ZERO] * size, *map(self.short, part)] for part in inside]
        kept, columns = list(rank.rows), list(rank.columns)
        given: tuple[int, ...] = ()
        rates: dict[int, list[Expr]] = {}  # of base velocities: by the free ones, and what stands alone behind
        if rank.rank < len(self.rows):
            given, rates = self._constrained_base(upright, kept, columns)
        free = [i for i in range(size) if i not in given]
        parts = [self._lift({a: ONE}, free, rates, kept, columns, ZERO) for a in free]
        drift = self._lift({}, free, rates, kept, columns, ONE)
        self.pivots.append(expanded_determinant([[upright[i][j] for j in columns] for i in kept]) if kept else ONE)
        return vertical, parts, drift, [self.one.base[a].dot for a in free]

    def _constrained_base(
        self, upright: list[list[Expr]], kept: list[int], columns: list[int]
    ) -> tuple[tuple[int, ...], dict[int, list[Expr]]]:
        """Return base velocities that the constraints give, since D and the orbits do not span TQ: by the free ones."""
        left = []
        for k in (k for k in range(len(self.rows)) if k not in kept):
            row = [*self.rows[k][: self.size], self.offsets[k]]
            if kept:  # combine with those that were kept so that nothing along the orbits is left
                square = [[upright[i][j] for i in kept] for j in columns]
                weights = solve(square, [upright[k][j] for j in columns])
                for weight, i in zip(weights, kept, strict=True):
                    other = [*self.rows[i][: self.size], self.offsets[i]]
                    row = [a - weight * b for a, b in zip(row, other, strict=True)]
            left.append([self.short(entry) for entry in row])
        given = choose_dependent([row[:-1] for row in left])
        free = [i for i in range(self.size) if i not in given]
        square = [[row[i] for i in given] for row in left]
        self.pivots.append(expanded_determinant(square))
        solved = [solve(square, [-row[i] for row in left]) for i in (*free, self.size)]
        return given, {g: [self.short(column[k]) for column in solved] for k, g in enumerate(given)}

    def _lift(
        self,
        chosen: Mapping[int, Expr],
        free: Sequence[int],
        rates: Mapping[int, Sequence[Expr]],
        kept: Sequence[int],
        columns: Sequence[int],
        alone: Expr,
    ) -> list[Expr]:
        """Return velocities with some base velocities chosen; ``alone`` is the weight of what has no velocities."""
        vector = [ZERO] * (self.size + self.count)
        for a, value in chosen.items():
            vector[a] = value
        for g, row in rates.items():
            vector[g] = total([(1, c * vector[a]) for c, a in zip(row, free, strict=False)] + [(1, row[-1] * alone)])
        if kept:
            right = [-dot(self.rows[i][: self.size], vector[: self.size]) - alone * self.offsets[i] for i in kept]
            square = [[self.rows[i][self.size + j] for j in columns] for i in kept]
            for j, value in zip(columns, solve(square, right), strict=True):
                vector[self.size + j] = self.short(value)
        return vector

    def _may_fail(self, lifts: Sequence[Sequence[Expr]]) -> bool:
        """Say whether lifts divide by something that could vanish."""
        if vanish([entry for vector in lifts for entry in vector[self.size :]]):
            self.pivots[-1] = ONE
        return not never_zero(self.pivots[-1]).holds

    def _metric(self, inside: list[list[Expr]]) -> tuple[list[list[Expr]], list[list[Expr]]]:
        """Return the kinetic energy on S, and its products with S; none where it is no metric there."""
        w = list(self.one.velocities)
        metric = hessian(self.one.lagrangian, w)
        if not inside or depends_on([e for row in metric for e in row], w):
            return [], []
        metric = [substitute(row, dict.fromkeys(w, ZERO)) for row in metric]
        lowered = [[dot(row, b) for row in metric] for b in inside]
        gram = [[self.short(dot(low, c)) for c in inside] for low in lowered]
        return (gram, lowered) if generic_rank(gram).rank == len(gram) else ([], [])

    def _orthogonal(
        self, vector: list[Expr], inside: list[list[Expr]], gram: list[list[Expr]], lowered: list[list[Expr]]
    ) -> list[Expr]:
        """Make a lift orthogonal to S: that of the nonholonomic connection."""
        parts = solve(gram, [dot(low, vector) for low in lowered])
        return [
            self.short(total([(1, c), *((-1, p * b[i]) for p, b in zip(parts, inside, strict=True))]))
            for i, c in enumerate(vector)
        ]

    def _forms(
        self,
        across: Sequence[Sequence[Expr]],
        names: Sequence[Expr],
        gram: list[list[Expr]],
        lowered: list[list[Expr]],
    ) -> list[list[Expr]]:
        """Return what gives the velocities along S: g^bc (Z_c - (Z_c, X_a) dr^a), with the lifts X_a."""
        places = [list(self.one.velocities).index(name) for name in names]
        rows = [list(low) for low in lowered]
        for row, low in zip(rows, lowered, strict=True):
            for place, lift in zip(places, across, strict=True):
                row[place] = row[place] - dot(low, lift)
        columns = [solve(gram, column) for column in zip(*rows, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)]


def _nonlinear(one: InvariantSystem) -> Allowed:
    """Solve constraints of any kind for velocities along the orbits, else for those of the base."""
    free = [*reversed(one.xi), *(r.dot for r in reversed(one.base))]
    solved = solved_for(one.system, dict(one.constraints), free)
    w = list(one.velocities)
    u = tuple(s for s in (*one.xi, *w[: len(one.base)]) if s not in solved.rules and s not in solved.unknowns)
    velocities = tuple(solved.rules.get(s, s) for s in w)
    facts: tuple[Fact, ...] = (
        *(Inside(v) for v in velocities if has_kind([v], ROOT)),
        *(Where(residual) for residual in solved.unknowns.values()),
    )
    forms = tuple(row for s, row in zip(w, map(tuple, _unit(len(w))), strict=True) if s in u and s in one.xi)
    first = Allowed(u, velocities, (), (), False, forms, solved.pivots, solved.branches, solved.unknowns, facts)
    directions = [first.along(velocities, {s: ONE}) for s in u]
    inside = along_orbits(directions, len(one.base))
    return replace(first, directions=tuple(map(tuple, directions)), vertical=tuple(map(tuple, inside)))
