"""What a start has to meet, as numbers: values of expressions and their Jacobians by what is free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from dalembert.expr.calculus import hessian, jacobian
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.walk import symbols
from dalembert.model.trajectory import Array
from dalembert.numerics.field import Tape
from dalembert.numerics.wording import NameResolver
from dalembert.records import dataclass

_STEPS = 20
"""So many steps are taken towards guesses; one is enough where they are sums of variables."""


def bending(expressions: Sequence[Expr], free: Sequence[Expr], inputs: Sequence[Expr]) -> Tape:
    """Return the second derivatives by what is free, summed with a weight for each expression; weights come last."""
    weights = [symbol(Symbol(f"weight {k}", role="parameter")) for k in range(len(expressions))]
    whole = total([(1, w * expression) for w, expression in zip(weights, expressions, strict=True)])
    rows = hessian(whole, free) if free else []
    return Tape([entry for row in rows for entry in row], [*inputs, *weights])


class ByStated:
    """Constraints on velocities as the user stated them, whatever the variables of the equations are.

    Equations of a nonlinear constraint may know one of its sheets only; which velocities are the least must not
    depend on that.
    """

    def __init__(
        self,
        held: Sequence[Expr],
        positions: Sequence[Expr],
        speeds: Sequence[Expr],
        left: Sequence[Expr],
        parameters: Sequence[Expr],
        places: Tape,
        told: Sequence[Expr] = (),
    ) -> None:
        self.held, self.speeds, self.left, self.places = list(held), list(speeds), list(left), places
        self.told = tuple(told)  # speeds that are given: they come behind the parameters
        self.inputs = [symbol(TIME), *positions, *speeds, *parameters]
        slopes = jacobian(self.held, self.left) if self.held and self.left else []
        self._tape = Tape([*self.held, *(entry for row in slopes for entry in row)], self.inputs)

    def __call__(self, point: Sequence[float]) -> tuple[Array, Array]:
        """Return residuals, and their Jacobian by the velocities that are left out."""
        found, rows = np.array(self._tape(point), dtype=np.float64), len(self.held)
        return found[:rows], found[rows:].reshape(rows, len(self.left))

    @cached_property
    def bending(self) -> Tape:
        """Second derivatives by the velocities that are left out, summed with weights."""
        return bending(self.held, self.left, self.inputs)


@dataclass(frozen=True, slots=True)
class Wish:
    """Something that should have the value given under its key, or be zero where it has none."""

    label: str
    expression: Expr
    key: Expr | str | None = None
    residual: bool = False
    """Whether it is the residual of an implicit unknown."""


class Rows:
    """Groups of wishes, read together: what they share is computed once."""

    def __init__(self, groups: Sequence[Sequence[Wish]], free: Sequence[Expr], inputs: Sequence[Expr]) -> None:
        roots = [wish.expression for group in groups for wish in group]
        slopes = jacobian(roots, free) if roots and free else []
        self._tape = Tape([*roots, *(entry for row in slopes for entry in row)], inputs)
        self._shape = (len(roots), len(free))
        ends = [0, *np.cumsum([len(group) for group in groups]).tolist()]
        self._parts = [slice(a, b) for a, b in pairwise(ends)]

    def __call__(self, point: Sequence[float]) -> list[tuple[Array, Array]]:
        """Return values and Jacobian of each group; what does not exist is not a number."""
        found = np.array(self._tape(point), dtype=np.float64)
        rows = self._shape[0]
        values, slopes = found[:rows], found[rows:].reshape(self._shape)
        return [(values[part], slopes[part]) for part in self._parts]


def at_guesses(look: Callable[[Array], Sequence[Array]], first: Array, told: Sequence[bool]) -> Array:
    """Return where coordinates are as they are given and guessed at, whatever constraints say.

    In variables that are not the coordinates a search from elsewhere ends on another branch, or whole turns away.
    What is looked at are places and coordinates, each with its Jacobian; of the places those ``told`` are given.
    """
    kept = np.flatnonzero(told)
    best, z, nearest = first, first, np.inf
    for _ in range(_STEPS):
        values, slopes, guessed, ways = look(z)
        gap, rows = np.concatenate([values[kept], guessed]), np.vstack([slopes[kept], ways])
        size = float(np.linalg.norm(gap))
        if not (size < nearest and np.isfinite(rows).all()):
            break
        best, nearest = z, size
        z = z - np.linalg.lstsq(rows, gap, rcond=1e-9)[0]
    return best


def stops_on_places(words: NameResolver, inputs: Sequence[Expr]) -> tuple[list[str], Tape]:
    """Return what ends a motion where it falls to zero, as far as it is about positions: names, and their values."""
    told = {} if words.system is None else words.system.stops
    places = {q.data for q in words.coordinates}
    own = {key: e for key, e in told.items() if all(s.role != "variable" or s in places for s in symbols([e]))}
    return list(own), Tape(words.all_translated(list(own.values())), list(inputs))


def related(words: NameResolver) -> list[Wish]:
    """Return what variables of the equations' own obey: a projection moves them by 0, or they begin so."""
    stated = set() if words.system is None else {*words.system.q, *words.system.v, *words.system.speeds}
    own = set(words.equations.state) - stated
    moves = [(v, change) for table in words.equations.projection for v, change in table.items() if v in own]
    moves += [(v, v - there) for v, there in words.equations.at_start.items()]
    return [Wish(f"what relates {v.data.label} to others", change) for v, change in moves]
