"""Lagrangians without constraints whose motions, where the constraints hold, are the constrained ones.

A second-order field on all velocities is associated with a constrained motion where it is the same on the constraint D
(Bloch, Fernandez and Mestdag 2009). Of the many there are, that of the first kind keeps the accelerations as they are,
and that of the second kind writes those of a dependent coordinate by its own velocity. Instead of asking field by
field, a Lagrangian is sought whose Euler-Lagrange equations hold along the constrained motions,

    d/dt dL/dv^i - dL/dq^i = 0    where v is in D and accelerations are those of the motion,

which is linear in L. If L is regular on D its motions that begin there are the constrained ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Final

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, hessian, tangent
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, Expr, product, total
from dalembert.expr.readers.floats import value_somewhere
from dalembert.expr.truth import Verdict, all_hold, depends_on, full_rank, generic_rank, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import postorder, substitute
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.search.linear_search import combined, relations
from dalembert.records import dataclass

_MOST_UNKNOWNS: Final = 300
_MOST_WORK: Final = 20_000
"""Unknown constants times nodes of the motion."""
_TIDY: Final = 0.5
_ALIKE: Final = 1e-6
"""Values that differ by less may be the same."""
_SHORT: Final = 30
"""Nodes of a function of positions that is taken."""


@dataclass(frozen=True, slots=True)
class FreeLagrangian:
    """A Lagrangian whose motions on D are the constrained ones."""

    lagrangian: Expr
    verdict: Verdict


def find_free_lagrangian(field: SecondOrderField) -> FreeLagrangian | None:
    """Return a Lagrangian whose motions on the constraint are those of a field, if one is found.

    >>> from dalembert.mechanics.nonholonomic.linear_constraints import derive
    >>> from dalembert.mechanics.second_order.field import field_of
    >>> from dalembert.model.system import System
    >>> skate = System.of(name="skate", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"slope": "z' = y*x'"})
    >>> find_free_lagrangian(field_of(derive(skate))).lagrangian
    x'^2*sqrt(y^2 + 1)/y' + y'^2 + z'^2*sqrt(y^2 + 1)/(y*y')
    """
    search = _Search(field)
    for functions in search.spaces():
        if len(functions) > _MOST_UNKNOWNS or len(functions) * search.size > _MOST_WORK:
            continue
        try:
            found = relations([search.euler(f) for f in functions], field.facts)
        except ExpressionError:
            continue
        chosen = search.simplest([tidy(combined(row, functions)) for row in found.basis])
        if chosen is None:
            continue
        rest = dict(zip(map(repr, search.places), search.euler(chosen), strict=True))
        holds = all_vanish({f"the equation of {q}": e for q, e in rest.items()}, field.facts)
        verdict = all_hold({"its equations on D": holds, "regular on D": search.regular(chosen)})
        if verdict.holds is True:
            return FreeLagrangian(chosen, verdict)
    return None


def second_associated_field(field: SecondOrderField) -> SecondOrderField | None:
    """Return the associated field of the second kind: q'^a = B v^b with one b gives v^b = q'^a / B in its acceleration.

    None where no constraint is of that form.

    >>> from dalembert.expr import ZERO, symbol
    >>> x, z = symbol("x"), symbol("z")
    >>> second_associated_field(SecondOrderField((x,), (z,), ((x,),), (ZERO,), (-x,))).acceleration
    (-x, (z'/x)^2 - x^2)
    """
    accelerations = field.rates(field.dependent_velocities)
    changed = False
    for n, (q, velocity) in enumerate(zip(field.dependent, field.dependent_velocities, strict=True)):
        slopes = gradient(velocity, field.velocities)
        moving = [k for k, slope in enumerate(slopes) if not vanish([slope])]
        if len(moving) == 1 and vanish([velocity - slopes[moving[0]] * field.velocities[moving[0]]]):
            given = {field.velocities[moving[0]]: q.dot / slopes[moving[0]]}
            (accelerations[n],) = (tidy(e) for e in substitute([accelerations[n]], given))
            changed = True
    if not changed:
        return None
    whole = (*field.independent, *field.dependent)
    return SecondOrderField(whole, (), (), (), (*field.acceleration, *accelerations), field.facts)


@dataclass(frozen=True)
class _Search:
    """Functions of all velocities, and their Euler-Lagrange expressions along a constrained motion."""

    field: SecondOrderField

    @cached_property
    def places(self) -> tuple[Expr, ...]:
        return (*self.field.independent, *self.field.dependent)

    @cached_property
    def velocities(self) -> tuple[Expr, ...]:
        return tuple(q.dot for q in self.places)

    @cached_property
    def held(self) -> dict[Expr, Expr]:
        """The velocities that the constraints give."""
        return {q.dot: e for q, e in zip(self.field.dependent, self.field.dependent_velocities, strict=True)}

    @cached_property
    def drive(self) -> dict[Expr, Expr]:
        rates = (*self.field.acceleration, *self.field.rates(self.field.dependent_velocities))
        return dict(zip((*self.places, *self.velocities), (*self.velocities, *rates), strict=True))

    @cached_property
    def size(self) -> int:
        """How many nodes the motion has."""
        return len(postorder(list(self.drive.values())))

    def euler(self, function: Expr) -> list[Expr]:
        """Return d/dt dF/dv - dF/dq along the motion."""
        moved = tangent(gradient(function, self.velocities), self.drive)
        rest = zip(moved, gradient(function, self.places), strict=True)
        return substitute([a - b for a, b in rest], self.held)

    def spaces(self) -> Iterator[list[Expr]]:
        """Yield functions quadratic in velocities, and these over one that is independent, with its square."""
        for k in (None, *range(len(self.field.velocities))):
            below = [] if k is None else [(self.velocities[k], -1)]
            pairs = list(combinations_with_replacement(self.velocities, 2))
            some = [product([(p, 1), (a, 1), (b, 1), *below]) for p in self._positions for a, b in pairs]
            yield list(dict.fromkeys([*some, *([] if k is None else [self.velocities[k] ** 2])]))

    @cached_property
    def _positions(self) -> list[Expr]:
        """Coefficients of the constraints and their reciprocals, times roots of denominators of the motion."""
        slopes = [e for one in self.field.dependent_velocities for e in gradient(one, self.field.velocities)]
        sides = [ONE]
        for e in (tidy(one, _TIDY) for one in slopes):
            if self._is_shape(e):
                sides += [e, 1 / e]
        roots = [ONE]
        for node in postorder([tidy(e, _TIDY) for e in self.field.acceleration]):
            parts = zip(node.args, node.data, strict=True) if node.op == "product" else ()
            for base, exponent in parts:
                if exponent < 0 and self._is_shape(base):
                    powers = (Fraction(1, 2), Fraction(-1, 2)) if base.op == "sum" else (1, -1)
                    roots += [product([(base, e)]) for e in powers]
        found: list[Expr] = []
        sizes: list[float] = []
        for one in (a * b for a in roots for b in sides):
            size = abs(value_somewhere(one))  # what differs there needs no proof
            alike = [other for other, there in zip(found, sizes, strict=True) if not abs(size - there) > _ALIKE * size]
            if not any(vanish([one - s * other]) for other in alike for s in (1, -1)):
                found.append(one)
                sizes.append(size)
        return [tidy(one) for one in found]

    def _is_shape(self, e: Expr) -> bool:
        small = len(postorder([e])) <= _SHORT
        return small and depends_on([e], self.places) and not depends_on([e], self.velocities)

    def bent(self, function: Expr) -> list[list[Expr]]:
        """Return the Hessian by velocities on D."""
        return [substitute(row, self.held) for row in hessian(function, self.velocities)]

    def regular(self, function: Expr) -> Verdict:
        return full_rank(generic_rank(self.bent(function), self.field.facts), len(self.places), "the Hessian on D")

    def simplest(self, candidates: Sequence[Expr]) -> Expr | None:
        """Return a sum of few candidates that is regular on D; None where the sum of all is not."""
        chosen: list[Expr] = []
        rank = 0
        for one in sorted(candidates, key=lambda e: len(postorder([e]))):
            more = total([(1, e) for e in (*chosen, one)])
            reached = generic_rank(self.bent(more), self.field.facts).rank
            if reached > rank:
                chosen, rank = [*chosen, one], reached
            if rank == len(self.places):
                return more
        return None
