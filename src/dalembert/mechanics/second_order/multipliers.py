"""Helmholtz' conditions on a multiplier g_ij(t, x, v), pointwise and as partial differential equations.

Pointwise they are linear equations: g nabla^k Phi is symmetric for all k, and g_li R^l_jk adds up to 0 with its cyclic
companions. Where these leave g up to a factor, its logarithm has a known differential; where they leave more, the
partial differential equations are completed to involution.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from random import Random
from typing import Literal

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.calculus import diff, gradient, jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.linear.exact import determinant
from dalembert.expr.linear.involution import Equation, Prolongation, prolongations
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Rank, Verdict, all_hold, generic_rank, is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.truth.pivots import pivots_modulo
from dalembert.expr.walk import postorder
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import d, one_form
from dalembert.geometry.potentials import exponential, potential
from dalembert.mechanics.second_order.calculus_along import jacobi
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.records import dataclass

Answer = Literal["found", "exists", "none", "undecided"]
Table = list[list[Expr]]
_MOST_NODES = 400
"""Factors are integrated where their differentials have no more nodes."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What is decided where Helmholtz' conditions are completed to involution."""

    answer: Answer
    verdict: Verdict
    freedom: str = ""


@dataclass(frozen=True)
class Multipliers:
    """The linear equations for a multiplier at each point, and what they leave."""

    field: SecondOrderField

    @property
    def size(self) -> int:
        """The number of degrees of freedom."""
        return len(self.field.independent)

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The components of g."""
        return list(combinations_with_replacement(range(self.size), 2))

    @property
    def unknowns(self) -> int:
        """How many these are."""
        return len(self.pairs)

    @cached_property
    def phi(self) -> Table:
        """The Jacobi endomorphism."""
        return [list(row) for row in jacobi(self.field).phi]

    def nabla(self, tensor: Table) -> Table:
        """Return the covariant derivative of an endomorphism along the field."""
        gam, size = self.field.connection, range(self.size)
        moved = [self.field.rates(row) for row in tensor]
        return [
            [
                total([(1, moved[i][j]), *((1, gam[i][k] * tensor[k][j] - tensor[i][k] * gam[k][j]) for k in size)])
                for j in size
            ]
            for i in size
        ]

    def _symmetric(self, tensor: Table) -> Iterator[list[Expr]]:
        """Yield the equations that g T is symmetric."""
        for i, j in combinations(range(self.size), 2):
            row = [ZERO] * self.unknowns
            for k in range(self.size):
                for (a, b), sign, entry in (((i, k), 1, tensor[k][j]), ((j, k), -1, tensor[k][i])):
                    place = self.pairs.index((min(a, b), max(a, b)))
                    row[place] = row[place] + sign * entry
            yield row

    def _cyclic(self) -> Iterator[list[Expr]]:
        """Yield the equations g_li R^l_jk + cyclic = 0, with 3 R^l_jk = dPhi^l_k/dv^j - dPhi^l_j/dv^k."""
        v, size = self.field.velocities, range(self.size)
        for turn in combinations(size, 3):
            row = [ZERO] * self.unknowns
            for i, j, k in (turn, turn[1:] + turn[:1], turn[2:] + turn[:2]):
                for m in size:
                    place = self.pairs.index((min(m, i), max(m, i)))
                    row[place] = row[place] + diff(self.phi[m][k], v[j]) - diff(self.phi[m][j], v[k])
            yield row

    @cached_property
    def _solved(self) -> tuple[list[list[Expr]], Rank]:
        """The independent equations, and their rank; powers of nabla are taken until nothing is added."""
        facts, tensor = self.field.facts, self.phi
        rows = list(self._symmetric(tensor))
        found, before = generic_rank(rows, facts), 0
        while before < found.rank < self.unknowns:
            tensor, before = self.nabla(tensor), found.rank
            rows = [*(rows[i] for i in found.rows), *self._symmetric(tensor)]
            found = generic_rank(rows, facts)
            if self._leaves_a_singular_one(rows, found):  # which no further equation makes regular
                return [rows[i] for i in found.rows], found
        if self.size > 2 and found.rank < self.unknowns:
            rows = [*(rows[i] for i in found.rows), *self._cyclic()]
            found = generic_rank(rows, facts)
        return [rows[i] for i in found.rows], found

    def _leaves_a_singular_one(self, rows: list[list[Expr]], found: Rank) -> bool:
        """Say whether all multipliers but for a factor are ruled out, and what is left is singular."""
        if found.rank != self.unknowns - 1 or found.verdict.holds is None:
            return False
        left = generic_rank(self._left_by([rows[i] for i in found.rows], found), self.field.facts)
        return left.rank < self.size and left.verdict.holds is not None

    @property
    def rank(self) -> Rank:
        """The rank of the equations."""
        return self._solved[1]

    @cached_property
    def general(self) -> Table:
        """The multiplier that the equations leave, with a free constant for each of its freedoms."""
        return self._left_by(*self._solved)

    def _left_by(self, rows: Sequence[Sequence[Expr]], found: Rank) -> Table:
        """Return the multiplier that some equations leave."""
        free = [k for k in range(self.unknowns) if k not in found.columns]
        names = [ONE] if len(free) == 1 else [symbol(f"c.{k}") for k in range(len(free))]
        values = [ZERO] * self.unknowns
        for k, name in zip(free, names, strict=True):
            values[k] = name
        if rows:
            square = [[row[k] for k in found.columns] for row in rows]
            right = [-total([(1, row[k] * values[k]) for k in free]) for row in rows]
            for k, value in zip(found.columns, solve(square, right), strict=True):
                values[k] = value
        return [[values[self.pairs.index((min(i, j), max(i, j)))] for j in range(self.size)] for i in range(self.size)]

    def singular(self) -> Verdict:
        """Decide whether all multipliers that the equations leave are singular."""
        found = generic_rank(self.general, self.field.facts)
        if found.rank == self.size or found.verdict.holds is None:
            return Verdict("refuted" if found.rank == self.size else "undecided", found.verdict.evidence)
        if len(postorder([e for row in self.general for e in row])) > _MOST_NODES:
            return found.verdict
        try:
            return is_zero(determinant(self.general), self.field.facts)
        except ExpressionError:  # it is too large to be written out
            return found.verdict

    # -- a multiplier that is known up to a factor -----------------------------------------------------------------
    @cached_property
    def _slopes(self) -> tuple[Expr, list[Expr], dict[str, Expr]]:
        """Gamma(ln lambda), d ln lambda/dv^k, and what must vanish besides, for the multiplier lambda g."""
        g, v, size = self.general, self.field.velocities, range(self.size)
        gam = self.field.connection
        moved = [self.field.rates(row) for row in g]
        nabla = [
            [moved[i][j] - total([(1, gam[k][i] * g[k][j] + gam[k][j] * g[i][k]) for k in size]) for j in size]
            for i in size
        ]
        columns = [solve(g, [ONE if i == j else ZERO for i in size]) for j in size]  # the inverse
        rate = -total([(1, columns[i][j] * nabla[i][j]) for i in size for j in size]) / self.size
        bent = [[gradient(g[i][j], v) for j in size] for i in size]
        along = [
            total([(1, columns[i][j] * (bent[i][k][j] - bent[i][j][k])) for i in size for j in size]) / (self.size - 1)
            for k in size
        ]
        rest = {f"nabla g, {i}{j}": nabla[i][j] + rate * g[i][j] for i, j in self.pairs}
        for i in size:
            for j, k in combinations(size, 2):
                rest[f"dg/dv, {i}{j}{k}"] = along[k] * g[i][j] - along[j] * g[i][k] - bent[i][k][j] + bent[i][j][k]
        return rate, along, rest

    @cached_property
    def slope(self) -> list[Expr]:
        """D ln lambda by t, x and v: d/dx^k = [d/dv^k, Gamma] - (df^j/dv^k) d/dv^j."""
        rate, along, _ = self._slopes
        field, v = self.field, self.field.velocities
        moved, steep = field.rates(along), jacobian(field.acceleration, v)
        size = range(self.size)
        places = [diff(rate, v[k]) - moved[k] - total([(1, steep[j][k] * along[j]) for j in size]) for k in size]
        clock = rate - total([(1, v[k] * places[k] + field.acceleration[k] * along[k]) for k in size])
        return [clock, *places, *along]

    def factor(self) -> Verdict:
        """Decide whether a factor makes the multiplier one: its slopes agree, and are those of a function."""
        chart = Chart((symbol(TIME), *self.field.independent, *self.field.velocities))
        curl = d(one_form(chart, self.slope)).terms
        fit = all_vanish(self._slopes[2], self.field.facts)
        if fit.holds is not True:
            return fit
        return all_hold(
            {"the slopes agree": fit, "closed": all_vanish({str(k): e for k, e in curl.items()}, self.field.facts)}
        )

    def scaled(self) -> tuple[tuple[Expr, ...], ...] | None:
        """Return the multiplier, without its factor where that was not integrated; None where it is not unique."""
        if self.size < 2 or self.unknowns - self.rank.rank != 1:
            return None
        chart = Chart((symbol(TIME), *self.field.independent, *self.field.velocities))
        found = None
        if len(postorder(self.slope)) <= _MOST_NODES:
            try:
                found = potential(one_form(chart, [tidy(e) for e in self.slope]))
            except DalembertError:
                found = None
        scale = ONE if found is None else exponential(found, locally=True)
        return tuple(tuple(tidy(scale * e) for e in row) for row in self.general)

    # -- all that follows ------------------------------------------------------------------------------------------
    def completed(self) -> Completion:
        """Decide by the conditions completed to involution: on what they leave of g at a point."""
        places = (symbol(TIME), *self.field.independent, *self.field.velocities)
        for one in prolongations(list(self._differential()), self.unknowns, places, self.field.facts):
            if one.verdict.holds is None:
                return Completion("undecided", one.verdict)
            told = f"Helmholtz' conditions and their derivatives up to order {one.order}"
            draw = Random(one.prime)
            if not any(self._regular(one, draw) for _ in range(2)):
                left = (
                    f"{len(one.values)} independent multipliers at a point, all singular"
                    if one.values
                    else "no multiplier"
                )
                said = f"{told} leave {left}: {one.verdict.evidence}"
                return Completion("none", Verdict(one.verdict.kind, said, one.verdict.error_bits))
            if one.characters is not None:
                said = f"{told} are in involution and leave a regular multiplier at a point; the multipliers depend on"
                said += f" {one.freedom} (Cartan and Kahler): {one.verdict.evidence}"
                return Completion("exists", Verdict(one.verdict.kind, said, one.verdict.error_bits), one.freedom)
        return Completion("undecided", Verdict("undecided", "Helmholtz' conditions were not completed: too large."))

    def _differential(self) -> Iterator[Equation]:
        """Yield Helmholtz' conditions on g(t, x, v) by its components and their derivatives."""
        field, size = self.field, range(self.size)
        none = None
        for row in self._symmetric(self.phi):
            yield {(k, none): e for k, e in enumerate(row) if e is not ZERO}
        gam, v = field.connection, [1 + self.size + k for k in size]
        for n, (i, j) in enumerate(self.pairs):
            terms: dict[tuple[int, int | None], Expr] = {(n, 0): ONE}
            terms |= {(n, 1 + k): u for k, u in enumerate(field.velocities)}
            terms |= {(n, v[k]): f for k, f in enumerate(field.acceleration)}
            for k in size:
                for a, b in ((k, i), (k, j)):
                    other = self.pairs.index((min(k, i + j - b), max(k, i + j - b)))
                    terms[other, none] = terms.get((other, none), ZERO) - gam[a][b]
            yield terms
        for i in size:
            for j, k in combinations(size, 2):
                left, right = (self.pairs.index((min(i, m), max(i, m))) for m in (j, k))
                yield {(left, v[k]): ONE, (right, v[j]): -ONE}

    def _regular(self, one: Prolongation, draw: Random) -> bool:
        """Say whether a random one of the values that are left for g is regular."""
        weights = [draw.randrange(one.prime) for _ in one.values]
        g = [sum(w * row[k] for w, row in zip(weights, one.values, strict=True)) for k in range(self.unknowns)]
        entries = [g[self.pairs.index((min(i, j), max(i, j)))] for i in range(self.size) for j in range(self.size)]
        rows = [[e % one.prime for e in entries[k : k + self.size]] for k in range(0, len(entries), self.size)]
        return len(pivots_modulo(rows, one.prime)[0]) == self.size
