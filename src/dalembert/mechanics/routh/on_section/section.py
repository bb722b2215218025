"""A section through the orbits of an affine action: some coordinates are held at 0 or 1, the others are those of Q/G.

Of n points in space the first is held at the origin, the second on an axis and the third in a plane, whatever the
action is called: a coordinate is held where the generators, on what is held, stay independent on the section. There
they cross it, E~_a with its components along what is held has a determinant, and where that vanishes the section ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.graph import ONE, ZERO, Expr, symbol
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import generic_rank, vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import expanded_determinant
from dalembert.geometry.groups.affine_action import AffineAction
from dalembert.geometry.straighten import fresh
from dalembert.records import dataclass

_AWAY_FROM_ZERO = ("positive", "nonzero")


@dataclass(frozen=True, slots=True)
class Section:
    """The points s(x) of a section, and the generators there."""

    affine: AffineAction
    held: dict[Expr, Expr]
    """The value of each coordinate that is held."""
    base: tuple[Expr, ...]
    """The coordinates x of Q/G."""
    point: tuple[Expr, ...]
    """s(x), by stated coordinates."""
    generators: tuple[tuple[Expr, ...], ...]
    """E~_a at s(x)."""
    determinant: Expr
    """Of the components of generators along what is held."""

    @property
    def places(self) -> tuple[int, ...]:
        """Which coordinates are held."""
        return tuple(self.affine.coordinates.index(q) for q in self.held)

    @property
    def free(self) -> dict[Expr, Expr]:
        """The coordinate x by the stated coordinate that it is on the section."""
        pairs = zip(self.affine.coordinates, self.point, strict=True)
        return {q: x for q, x in pairs if q not in self.held}


def find_section(affine: AffineAction, taken: Sequence[str], order: Sequence[int] | None = None) -> Section | None:
    """Return a section; coordinates are held in the order given. None where the generators do not allow one."""
    q = affine.coordinates
    fields = [field.components for field in affine.action.generators]
    held: dict[Expr, Expr] = {}
    moved = [i for i in order or range(len(q)) if not vanish([field[i] for field in fields])]
    for value in (ZERO, ONE):
        for i in moved:
            if len(held) == len(fields) or q[i] in held:
                continue
            if value is ZERO and q[i].data.domain in _AWAY_FROM_ZERO:
                continue
            trial = held | {q[i]: value}
            if generic_rank(_crossing(fields, q, trial)).rank == len(trial):
                held = trial
    if len(held) < len(fields):
        return None
    return section_at(affine, held, taken)


def section_at(affine: AffineAction, held: dict[Expr, Expr], taken: Sequence[str]) -> Section:
    """Return the section on which some coordinates are held at values; the others get names that are not taken."""
    q = affine.coordinates
    fields = [field.components for field in affine.action.generators]
    names = list(taken)
    values: dict[Expr, Expr] = {}
    for one, components in zip(q, zip(*fields, strict=True), strict=True):
        values[one] = held.get(one, one)
        if one not in held and not vanish(list(components)):
            values[one] = symbol(Symbol(fresh(f"{one.data.name}_base", names), domain=one.data.domain))
            names.append(values[one].data.name)
    there = [tuple(substitute(list(field), values)) for field in fields]
    crossing = [substitute(row, values) for row in _crossing(fields, q, held)]
    base = tuple(values[one] for one in q if one not in held)
    return Section(affine, held, base, tuple(values[one] for one in q), tuple(there), expanded_determinant(crossing))


def _crossing(fields: Sequence[Sequence[Expr]], q: Sequence[Expr], held: dict[Expr, Expr]) -> list[list[Expr]]:
    """Return the components along what is held, where it is."""
    places = [q.index(one) for one in held]
    return [substitute([field[i] for i in places], held) for field in fields]
