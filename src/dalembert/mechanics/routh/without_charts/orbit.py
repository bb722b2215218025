"""N_mu/G_mu with rotations at every momentum: what bodies see of mu takes the place of what G_mu would leave alone.

Fields F_a = B_a^b E_b along the orbits that commute with all generators see mu as Pi_a = B_a^b mu_b, which G_mu leaves
alone, and which tells its orbits on N_mu apart. Where the lifts H_s of the velocities of Q/G commute with the
generators too, everything in the equations is a function of Q/G, v and Pi. It is read off where bodies are not turned
and stand at the origin; the Pi move on the coadjoint orbit of mu by

    Pi' = B' B^-1 Pi,

and all that the group moves is reconstructed. Of a body that is free to turn these are Euler's equations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.elementary import sincos, solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.truth import generic_rank, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.adapted_frames.cost import cost
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.matrices import dot, inverse, multiply
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.routh.on_section.derived import momenta_seen
from dalembert.mechanics.routh.without_charts.base import Matrix, on_coordinates
from dalembert.mechanics.routh.without_charts.level_set import LevelSetWithoutCharts
from dalembert.records import dataclass

_EFFORT = 0.5
"""The work that goes into a short B."""


@dataclass(frozen=True)
class LevelOnOrbit(LevelSetWithoutCharts):
    """N_mu by functions on Q/G, their velocities and Pi."""

    seen: tuple[Expr, ...]
    """Pi_a: names, and where the group does not move it what mu_a is."""
    to_seen: tuple[tuple[Expr, ...], ...]
    """B, by which Pi is B mu, by entries and coordinates that the group moves."""
    lifted: tuple[Expr, ...]
    """The coordinates that the group moves."""
    unit: Mapping[Expr, Expr]
    """What they and entries are where bodies are not turned, at the origin."""

    def _written(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return parts of l as they are: by velocities in space they are no functions on Q/G."""
        short = {*self.frame.short_squares.values()}
        return [e if e in short else self.short(e) for e in expressions]

    @cached_property
    def _moving(self) -> tuple[list[list[Expr]], list[Expr], list[list[Expr]]]:
        fields = [self.short.all([dot(row, column) for column in zip(*self.rows, strict=True)]) for row in self.to_seen]
        lowered = [[dot(row, line) for line in self.mass] for row in fields]
        return fields, list(self.seen), [self.read([dot(low, other) for other in fields]) for low in lowered]

    @property
    def seen_along(self) -> list[Expr]:
        """What Pi_a is by u: the derivative of l along F_a, without B, which mixes entries that add up to 1."""
        slopes = gradient(self.frame.lagrangian, self.frame.velocities)
        return self.short.all([dot(row, slopes) for row in self._moving[0]])

    def _read(self, expression: Expr, on_states: bool) -> Expr:
        return super()._read(substitute([expression], self.unit)[0], on_states)

    @cached_property
    def moving(self) -> dict[Expr, Expr]:
        """The rates of coordinates, entries, time and Pi at states of N_mu."""
        return {**super().moving, **self.turned}

    @cached_property
    def turned(self) -> dict[Expr, Expr]:
        """The rates of those Pi that are variables, by functions on Q/G, v and Pi: where nothing is turned B is 1."""
        bent = [substitute(tangent(row, super(LevelOnOrbit, self).moving), self.unit) for row in self.to_seen]
        rates = zip(self.seen, self.read([dot(row, self.seen) for row in bent]), strict=True)
        return {one: rate for one, rate in rates if one in self.variables}

    @cached_property
    def variables(self) -> tuple[Expr, ...]:
        """Those Pi that are variables."""
        return tuple(one for one in self.seen if one.op == "symbol" and one not in self.momentum)

    @property
    def spin(self) -> dict[Expr, Expr]:
        """What these are on N_mu: B_a^b mu_b."""
        there = [dot(row, self.momentum) for row in self.to_seen]
        return {one: e for one, e in zip(self.seen, there, strict=True) if one in self.variables}


def on_orbit(
    level: LevelSetWithoutCharts, algebra: LieAlgebra, isotropy: Matrix, taken: Sequence[str]
) -> LevelOnOrbit | None:
    """Return N_mu by Pi; None where the whole group keeps mu, or no fields are found that commute with it."""
    frame, rows = level.frame, [list(row) for row in level.generators.values()]
    if not level.base.invariant or len(isotropy) == len(rows):
        return None
    moved = _moved(level)
    fields = _invariant(frame, rows, moved, level.base.lifts)
    if fields is None:
        return None
    change = _change(level, fields)
    unit: dict[Expr, Expr] = {q: ZERO for q in moved if q in frame.positions.values()}
    for point in frame.rotations:
        if set(point.components) <= set(moved):
            entries = [m for row in frame.rows(point) for m in row]
            unit |= {m: ONE if k % 4 == 0 else ZERO for k, m in enumerate(entries)}
    there = inverse([substitute(row, unit) for row in change])
    change = tuple(tuple(row) for row in multiply(there, change))
    seen = momenta_seen(algebra, level.momentum, taken)
    return LevelOnOrbit(
        frame, level.generators, level.momentum, level.base, level.gauges, seen, change, tuple(moved), unit
    )


def _moved(level: LevelSetWithoutCharts) -> list[Expr]:
    """Return the coordinates of which the group leaves nothing."""
    frame, functions = level.frame, set(level.base.functions)
    parts = {q: point for point in frame.system.points for q in point.components}
    left = {q for point in frame.rotations for row in frame.rows(point) if functions & {*row} for q in point.components}
    left |= {q for point in frame.directions if functions & {*point.components} for q in point.components}
    return [q for q in frame.system.q if q not in left and (q in parts or q not in functions)]


def _invariant(
    frame: TangentFrame, generators: Matrix, moved: Sequence[Expr], lifts: Matrix
) -> list[list[Expr]] | None:
    """Return fields that span the orbits and commute with the generators, as the lifts have to."""
    along = [on_coordinates(frame, row) for row in generators]

    def commutes(field: Sequence[Expr]) -> bool:
        own = on_coordinates(frame, field)
        apart = []
        for one in along:
            there = list(one)
            forth = tangent([own.get(z, ZERO) for z in there], one)
            back = tangent([one[z] for z in there], own)
            apart += [a - b for a, b in zip(forth, back, strict=True)]
        return vanish(apart, frame.facts)

    if not all(map(commutes, lifts)):
        return None
    found: list[list[Expr]] = []
    for field in _candidates(frame, generators, moved):
        if len(found) == len(generators):
            break
        grown = [frame.opened(row) for row in (*found, field)]
        inside = [frame.opened(row) for row in (*generators, field)]
        is_new = generic_rank(grown, frame.facts).rank > len(found)
        if is_new and generic_rank(inside, frame.facts).rank == len(generators) and commutes(field):
            found.append(field)
    return found if len(found) == len(generators) else None


def _candidates(frame: TangentFrame, generators: Matrix, moved: Sequence[Expr]) -> Iterator[list[Expr]]:
    """Yield angular velocities in the axes of bodies, velocities of positions in these or as an angle sees them.

    Last come the generators, which are among them where they commute.
    """
    turned = [point for point in frame.rotations if set(point.components) <= set(moved)]
    places = [u for u in frame.velocities if frame.positions.get(u) in moved]
    for point in turned:
        for one in frame.angular(point):
            yield [ONE if u is one else ZERO for u in frame.velocities]
    for point in turned:
        for k in range(0, len(places) - 2, 3):
            three = places[k : k + 3]
            for column in zip(*frame.rows(point), strict=True):
                parts = dict(zip(three, column, strict=True))
                yield [parts.get(u, ZERO) for u in frame.velocities]
    angles = [u for u in places if frame.positions[u].data.domain == "angle"]
    for turning in angles:
        yield [ONE if u is turning else ZERO for u in frame.velocities]
        sine, cosine = sincos(frame.positions[turning])
        across = [u for u in places if u not in angles]
        for k in range(0, len(across) - 1, 2):
            one, other = across[k : k + 2]
            for parts in ({one: cosine, other: sine}, {one: -sine, other: cosine}):
                yield [parts.get(u, ZERO) for u in frame.velocities]
    yield from (list(row) for row in generators)


def _change(level: LevelSetWithoutCharts, fields: Matrix) -> tuple[tuple[Expr, ...], ...]:
    """Return B with F_a = B_a^b E_b, the shortest by bases of the algebra that turn with a rotation or do not."""
    frame, found = level.frame, list[tuple[float, Matrix]]()
    short = SimplificationBudget(_EFFORT, modulo=frame.relations)
    for turned in level.changes():
        rows = [short.all([dot(row, column) for column in zip(*level.rows, strict=True)]) for row in turned]
        chosen: list[int] = []
        for k in range(len(frame.velocities)):
            columns = [frame.opened([row[i] for row in rows]) for i in (*chosen, k)]
            if len(chosen) < len(rows) and generic_rank(columns, frame.facts).rank > len(chosen):
                chosen.append(k)
        square = [[row[k] for row in rows] for k in chosen]
        parts = [solve(square, [field[k] for k in chosen]) for field in fields]
        found.append((cost([e for part in parts for e in part]), multiply(parts, turned)))
    return tuple(tuple(short.all(row)) for row in min(found, key=lambda one: one[0])[1])
