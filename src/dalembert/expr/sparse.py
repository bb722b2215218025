"""Symmetric linear systems with few entries, eliminated symbolically in an order that keeps them few.

The matrix is that of a constrained minimum: variables x, and multipliers of equations that give some of the variables
by others. Such a variable and its multiplier are eliminated together, by the 2x2 pivot [a k; k 0] with a number or a
parameter k, which amounts to putting the variable in; the others one by one, by their diagonal entries. What is left
are the formulas of back substitution: the unknowns as a program without branches.
"""

from __future__ import annotations

from dalembert.expr.graph import Expr, total
from dalembert.expr.polynomials import Polynomial, Ring
from dalembert.records import dataclass, field

Row = dict[Expr, Polynomial]


@dataclass(slots=True)
class SparseSystem:
    """Rows of a symmetric matrix by unknowns, with right-hand sides; entries that are zero are left out."""

    ring: Ring
    rows: dict[Expr, Row]
    right: dict[Expr, Polynomial]
    second: dict[Expr, Polynomial] = field(default_factory=dict)
    """Another right-hand side, of the rows that give variables by others: the same relation between velocities."""
    pivots: list[Expr] = field(default_factory=list)
    """The diagonal entries that were divided by."""
    divided: list[Expr] = field(default_factory=list)
    """Whose entries these are."""
    _steps: list[tuple[Expr, Expr, Row, Polynomial, Polynomial]] = field(default_factory=list)
    _balances: dict[Expr, tuple[Row, Polynomial, Polynomial]] = field(default_factory=dict)
    """The rows of variables that were put in, which give their multipliers: entries, right-hand side and 1/k."""

    def put_in(self, variable: Expr, multiplier: Expr, *, short: bool = False) -> None:
        """Eliminate a variable by the equation that gives it: k variable + r . others = right.

        Where it is to be ``short``, entries that become long get names, and the multiplier is solved for too.
        """
        ring = self.ring
        across, given = self.rows.pop(variable), self.rows.pop(multiplier)
        scale = ring.inverse(given.pop(variable))
        own = ring.named(across.pop(variable, {}))
        del across[multiplier]
        push, below = self.right.pop(variable), ring.times(self.right.pop(multiplier), scale)
        level = ring.times(self.second.pop(multiplier, {}), scale)
        given = {c: ring.times(entry, scale) for c, entry in given.items()}
        if short:
            across = {c: ring.named(entry) for c, entry in across.items()}
            self._balances[multiplier] = ({**across, variable: own} if own else across, push, scale)
        names = sorted({*across, *given}, key=ring.place)
        for c in names:
            self.rows[c].pop(variable, None)
            self.rows[c].pop(multiplier, None)
        self._steps.append((variable, multiplier, given, below, level))
        below = ring.one_part(below)
        push = ring.one_part(ring.add(push, ring.times(own, below, -1)))
        pulled = {c: ring.times(own, entry) for c, entry in given.items()}
        for i, c in enumerate(names):
            side, ratio = across.get(c, {}), given.get(c, {})
            right = ring.add(self.right[c], ring.times(side, below, -1), ring.times(ratio, push, -1))
            self.right[c] = ring.short(right) if short else right
            if side and level and c in self.second:
                self.second[c] = ring.add(self.second[c], ring.times(side, level, -1))
            for d in names[i:]:
                parts = [
                    ring.times(side, given.get(d, {}), -1),
                    ring.times(ratio, across.get(d, {}), -1),
                    ring.times(pulled.get(c, {}), given.get(d, {})),
                ]
                self._add(c, d, ring.add(*parts), short=short and not {c, d} & self.second.keys())

    def divide(self, variable: Expr) -> None:
        """Eliminate a variable by its diagonal entry."""
        ring = self.ring
        row = self.rows.pop(variable)
        pivot = ring.named(ring.by_names(row.pop(variable), row.values()))
        self.pivots.append(ring.expression(pivot))
        self.divided.append(variable)
        inverse = ring.inverse(pivot)
        right = ring.named(self.right.pop(variable))
        row = {c: ring.named(entry) for c, entry in row.items()}
        ratios = {c: ring.times(entry, inverse) for c, entry in row.items()}
        names = sorted(row, key=ring.place)
        for i, c in enumerate(names):
            del self.rows[c][variable]
            self.right[c] = ring.short(ring.add(self.right[c], ring.times(ratios[c], right, -1)))
            for d in names[i:]:
                self._add(c, d, ring.times(ratios[c], row[d], -1), short=True)
        self._steps.append((variable, variable, row, right, inverse))

    def solved(self) -> tuple[dict[Expr, Expr], dict[Expr, Expr]]:
        """Return the unknowns that were eliminated, and what the second right-hand side makes of those put in."""
        values: dict[Expr, Expr] = {}
        levels: dict[Expr, Expr] = {}
        for variable, multiplier, row, right, other in reversed(self._steps):
            if variable is multiplier:
                factor, (right, *entries) = self.ring.without_common([right, *row.values()])
                row = dict(zip(row, entries, strict=True))
                scale = self.ring.expression(self.ring.times(factor, other))
                values[variable] = scale * self._rest(row, right, values)
            else:
                values[variable] = self._rest(row, right, values)
                levels[variable] = self._rest(row, other, levels)
                if multiplier in self._balances:
                    across, push, inverse = self._balances[multiplier]
                    values[multiplier] = self.ring.expression(inverse) * self._rest(across, push, values)
        return values, levels

    def _rest(self, row: Row, right: Polynomial, values: dict[Expr, Expr]) -> Expr:
        """Return what is left of the right-hand side when the other unknowns are put in."""
        terms = [(-1, self.ring.expression(entry) * values.get(c, c)) for c, entry in row.items()]
        return total([(1, self.ring.expression(right)), *terms])

    def _add(self, c: Expr, d: Expr, entry: Polynomial, *, short: bool = False) -> None:
        if not entry:
            return
        whole = self.ring.add(self.rows[c].get(d, {}), entry)
        whole = self.ring.short(whole) if short else whole
        for one, other in ((c, d), (d, c)):
            if whole:
                self.rows[one][other] = whole
            else:
                self.rows[one].pop(other, None)
