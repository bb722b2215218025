"""Mechanical systems from rest: symmetric products of the inputs (Lewis and Murray, 1997).

With q' = K(q) w and w' = Q(q, w) + u^a b_a(q), Q quadratic in w, the symmetric product of two fields of velocities
is <x : y> = Dy K x + Dx K y - D^2 Q(x, y): the connection of the motion, constrained or not. What is reached from rest
has inner points where brackets of K x, x among all symmetric products, span all directions of positions. A product is
bad if each input occurs an even number of times; if every bad one is a combination of good ones of lower degree,
positions are small-time locally controllable from rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import Any

from dalembert.analysis.control.chow import chow
from dalembert.analysis.control.formal_brackets import Bracket, TooLong, letters_in, said
from dalembert.analysis.control.spans import Span
from dalembert.expr.calculus import jacobian, tangent
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.truth import Fact, Verdict, all_hold, depends_on, generic_rank, vanish
from dalembert.expr.walk import postorder, substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.records import dataclass

Vector = list[Expr]
_SIGNS = ("<", " : ", ">")
_HIGHEST = 4
_MOST = 80
"""How many products are looked at."""
_MOST_NODES = 60_000


@dataclass(frozen=True, slots=True, eq=False)
class FromRest:
    """q' = K(q) w and w' = Q(q, w) + u^a b_a(q), Q homogeneous of degree 2 in w."""

    positions: tuple[Expr, ...]
    velocities: tuple[Expr, ...]
    anchor: tuple[tuple[Expr, ...], ...]
    """K, rows by positions."""
    quadratic: tuple[Expr, ...]
    inputs: tuple[tuple[Expr, ...], ...]

    def moved(self, x: Sequence[Expr]) -> Vector:
        """Return K x."""
        return [total([(1, k * e) for k, e in zip(row, x, strict=True)]) for row in self.anchor]

    def product(self, x: Sequence[Expr], y: Sequence[Expr]) -> Vector:
        """Return the symmetric product of two fields of velocities."""
        along_x, along_y = (dict(zip(self.positions, self.moved(v), strict=True)) for v in (x, y))
        first = tangent(list(self.quadratic), dict(zip(self.velocities, x, strict=True)))
        bent = tangent(first, dict(zip(self.velocities, y, strict=True)))
        turned = zip(tangent(list(y), along_x), tangent(list(x), along_y), bent, strict=True)
        return [total([(1, a), (1, b), (-1, c)]) for a, b, c in turned]


def from_rest(
    kinematics: Mapping[Expr, Expr], accelerations: Mapping[Expr, Expr], inputs: Sequence[Mapping[Expr, Expr]]
) -> FromRest | str:
    """Return a mechanical system, or why it is none that symmetric products are for."""
    q, w = tuple(kinematics), tuple(accelerations)
    rest = dict.fromkeys(w, ZERO)
    scale = symbol("scale.")
    twice = {v: scale * v for v in w}
    rates, quadratic = list(kinematics.values()), list(accelerations.values())
    if not w:
        return "there are no velocities."
    if not vanish([a - scale * b for a, b in zip(substitute(rates, twice), rates, strict=True)]):
        return "positions do not move linearly with the velocities."
    if not vanish(substitute(quadratic, rest)):
        return "there are forces at rest, such as weight."
    if not vanish([a - scale**2 * b for a, b in zip(substitute(quadratic, twice), quadratic, strict=True)]):
        return "there are forces that are not quadratic in the velocities, such as friction."
    columns = [[one.get(v, ZERO) for v in w] for one in inputs]
    if depends_on([e for column in columns for e in column], list(w)) or not vanish(
        [one.get(v, ZERO) for one in inputs for v in q]
    ):
        return "an input is no force that depends on positions alone."
    anchor = jacobian(rates, list(w))
    return FromRest(q, w, tuple(map(tuple, anchor)), tuple(quadratic), tuple(map(tuple, columns)))


def controllable_from_rest(
    system: FromRest, names: Sequence[str], point: Mapping[Expr, Expr], dimension: int, facts: Sequence[Fact] = ()
) -> tuple[Verdict, tuple[str, ...]]:
    """Return whether positions are small-time locally controllable from rest, and what spans them."""
    at_rest = {**point, **dict.fromkeys(system.velocities, ZERO)}
    products = _Products(system, names, Span(at_rest, facts), Span(at_rest, facts))
    try:
        products.look()
    except TooLong as fault:
        return Verdict("undecided", str(fault)), tuple(products.whole.names)
    whole, good, bad = products.whole, products.good, products.bad
    chart = Chart(system.positions)
    moved = [VectorField.of(chart, system.moved(products.named[name])) for name in whole.names]
    reached, spanned = chow(
        moved, whole.names, {v: e for v, e in at_rest.items() if v in system.positions}, dimension, facts
    )
    if reached.holds is not True:
        return Verdict(reached.kind, f"of the positions reached from rest: {reached.evidence}"), spanned
    if bad:
        return Verdict("undecided", f"the bad product {bad} is no combination of good ones of lower degree."), spanned
    verdict = all_hold({"positions": reached, "products": good.verdict})
    return Verdict(
        verdict.kind, f"{', '.join(spanned)} span; every bad product is a combination of lower ones."
    ), spanned


class _Products:
    """Symmetric products degree by degree: what all of them span, what the good ones do, and a bad one that is left."""

    def __init__(self, system: FromRest, names: Sequence[str], good: Span, whole: Span) -> None:
        self.system, self.names, self.good, self.whole = system, names, good, whole
        self.bad = ""
        self.named: dict[str, Vector] = {}
        self._degrees: list[list[tuple[Bracket, Vector]]] = [[], list(enumerate(map(list, system.inputs)))]

    def look(self) -> None:
        """Go on until there are no further ones; refused where that is not seen."""
        for degree in range(1, _HIGHEST + 1):
            if degree > 1:
                self._degrees.append(self._next(degree))
            self._take(self._degrees[degree])
            if self.whole.rank == len(self.system.velocities) or self._closed():
                return
        raise TooLong(f"symmetric products up to degree {_HIGHEST} are not all there are.")

    def _next(self, degree: int) -> list[tuple[Bracket, Vector]]:
        pairs: list[Any] = []
        for low in range(1, degree // 2 + 1):
            one, other = self._degrees[low], self._degrees[degree - low]
            pairs += combinations_with_replacement(one, 2) if one is other else product(one, other)
        if len(pairs) > _MOST:
            raise TooLong(f"there are more than {_MOST} symmetric products of degree {degree}.")
        return [((s, t), _checked(self.system.product(x, y))) for (s, x), (t, y) in pairs]

    def _take(self, products: Sequence[tuple[Bracket, Vector]]) -> None:
        called = [(said(tree, self.names, _SIGNS), is_bad_product(tree), vector) for tree, vector in products]
        for name, bad, vector in called:
            if bad and not self.bad and not self.good.holds(name, vector):
                self.bad = name
        for name, bad, vector in called:
            self.named[name] = vector
            self.whole.add(name, vector)
            if not bad:
                self.good.add(name, vector)

    def _closed(self) -> bool:
        """Say whether what is spanned has no further symmetric products: <f x : y> = f <x : y> + (K y)(f) x.

        Asked at generic positions, where the rank has to be the one at the point.
        """
        own = [self.named[name] for name in self.whole.names]
        more = [_checked(self.system.product(x, y)) for x, y in combinations_with_replacement(own, 2)]
        facts, rank = self.whole.facts, self.whole.rank
        return generic_rank([*own, *more], facts).rank == generic_rank(own, facts).rank == rank


def is_bad_product(tree: Bracket) -> bool:
    """Say whether each input occurs an even number of times."""
    letters = letters_in(tree)
    return all(letters.count(one) % 2 == 0 for one in letters)


def _checked(vector: Vector) -> Vector:
    if len(postorder(vector)) > _MOST_NODES:
        raise TooLong("the symmetric products that would be next have too many parts to be looked at.")
    return vector
