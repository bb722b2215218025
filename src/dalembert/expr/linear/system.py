"""A matrix of expressions, read modulo primes and in exact polynomials, and the parameters among its variables."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.field import Field, Quotient
from dalembert.expr.graph import Expr
from dalembert.expr.linear.ring import NEVER_ZERO, NUMBER, OTHER, Pivots, Ring, Row, Weight, Writer, choose_pivots
from dalembert.expr.text.printer import text
from dalembert.expr.truth import Verdict, is_zero, never_zero
from dalembert.expr.truth.decide import sample
from dalembert.expr.truth.radicals import take_squares_out
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import postorder, symbols
from dalembert.records import dataclass


def parameter_places(field: Field, parameters: Sequence[Expr], *, roots: bool = False) -> dict[int, Expr]:
    """Return the generators that are parameters, or roots of them, by their place; refuse parameters in other ones.

    With ``roots`` they may stand in roots of sums: numerators are reduced by these, so that a root and 1 have no
    relation that is rational in the parameters.
    """
    nodes = field.generators.nodes()
    first = len(field.composite) if roots else 0
    found = [(k, node, p) for p in parameters for k, node in enumerate(nodes) if k >= first and p in postorder([node])]
    for _, node, parameter in found:
        base = node.args[0] if node.op == "product" and len(node.args) == 1 else node
        if base is not parameter:
            alone = symbols([node]) <= {p.data for p in parameters}
            advice = "give that a name of its own as a parameter" if alone else "give the parameter a value"
            raise ExpressionError(
                f"the parameter '{text(parameter)}' occurs in '{text(node)}', so nothing here is rational in it; "
                f"{advice}."
            )
    return {k: node for k, node, _ in found}


@dataclass(slots=True)
class Space:
    """The space of the parameters, as variables of a field."""

    field: Field
    parameters: dict[int, Expr]
    """The expression of each variable that is a parameter, by its place in the ring, in the order of the user."""
    never: dict[str, bool] = dataclasses.field(default_factory=dict)
    _split: dict[Any, tuple[tuple[int, ...], tuple[int, ...]]] = dataclasses.field(default_factory=dict)
    """Exponents of parameters and of everything else, by all of them: entries have most monomials in common."""

    def order(self, polynomial: Any) -> tuple[Any, ...]:
        """Return a key by which short polynomials come first, then those in the first parameters."""
        exponents = [tuple(-int(m[k]) for k in self.parameters) for m in polynomial.monoms()]
        return len(polynomial), sorted(exponents)

    def never_zero(self, polynomial: Any) -> bool:
        """Say whether a polynomial is shown not to vanish for any values of the parameters."""
        key = str(polynomial)
        if key not in self.never:
            node = self.field.to_expr(polynomial)
            self.never[key] = bool(ranges([node])[0].nonzero) or never_zero(node).kind == "proved"
        return self.never[key]

    def parts(self, polynomial: Any) -> dict[tuple[int, ...], Any]:
        """Return the coefficients, polynomials in the parameters, of each monomial in everything else."""
        parts: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        known = self._split
        for exponents, coefficient in polynomial.to_dict().items():
            split = known.get(exponents)
            if split is None:
                whole = tuple(map(int, exponents))
                inner = tuple([e if k in self.parameters else 0 for k, e in enumerate(whole)])
                split = known[whole] = inner, tuple([e - i for e, i in zip(whole, inner, strict=True)])
            inner, outer = split
            parts.setdefault(outer, {})[inner] = int(coefficient)
        return {outer: self.field.ring.from_dict(part) for outer, part in parts.items()}

    def coefficients(self, polynomial: Any) -> list[Any]:
        """Return these coefficients alone: the polynomial vanishes for all values of everything else where they do."""
        return list(self.parts(polynomial).values())

    def by_powers(self, polynomial: Any, place: int) -> dict[int, Any]:
        """Return the coefficients of the powers of one variable."""
        parts: dict[int, dict[tuple[int, ...], int]] = {}
        for exponents, coefficient in polynomial.to_dict().items():
            e = [int(k) for k in exponents]
            power, e[place] = e[place], 0
            parts.setdefault(power, {})[tuple(e)] = int(coefficient)
        return {power: self.field.ring.from_dict(part) for power, part in parts.items()}

    def definite_terms(self, polynomial: Any) -> list[Any]:
        """Return the terms of a sum of terms that all have one sign: it vanishes only where each of them does."""
        terms = {tuple(map(int, m)): int(c) for m, c in polynomial.to_dict().items()}
        positive = [
            k in self.parameters and ranges([self.parameters[k]])[0].low >= 0 for k in range(len(next(iter(terms))))
        ]
        even = all(e % 2 == 0 or p for m in terms for e, p in zip(m, positive, strict=True))
        if len(terms) > 1 and even and len({c > 0 for c in terms.values()}) == 1:
            return [self.field.ring.from_dict({m: 1}) for m in terms]
        return []


def independent(field: Field) -> bool:
    """Say whether the generators of a field are independent functions for sure.

    Then a formula in them that is not zero is a function that is not zero. Roots of sums, exponentials, logarithms and
    pi may have relations that are not seen.
    """
    g = field.generators
    plain = all(atom.op in {"symbol", "jet", "number"} for atom in g.atoms) and not (g.composite or g.growth)
    return plain and g.independent and not any(n.op in {"jet", "pi", "pick"} for n in postorder(g.basis))


class System:
    """A matrix, with the polynomials and the values modulo a prime that decide about it."""

    def __init__(self, matrix: Sequence[Sequence[Expr]], most_terms: int) -> None:
        self.height, self.width = len(matrix), len(matrix[0]) if matrix else 0
        prepared = take_squares_out([entry for row in matrix for entry in row])
        if prepared.open_signs:
            raise ExpressionError(
                "an absolute value of unknown sign stands in a matrix, so its rank differs from place to place; "
                "declare what is inside as positive or negative."
            )
        self.entries = [prepared.roots[i * self.width : (i + 1) * self.width] for i in range(self.height)]
        self.most_terms = most_terms

    # -- exact -----------------------------------------------------------------------------------------------
    @cached_property
    def ring(self) -> Ring:
        """The ring of the entries."""
        return Ring(Field([entry for row in self.entries for entry in row], self.most_terms))

    @cached_property
    def writer(self) -> Writer:
        """What writes results as expressions."""
        return Writer(self.ring.field)

    @cached_property
    def _cleared(self) -> list[tuple[Any, Row]]:
        return [self.ring.cleared([self.ring.field.read(entry) for entry in row]) for row in self.entries]

    @property
    def scales(self) -> list[Any]:
        """By what each row was multiplied to have no denominators."""
        return [scale for scale, _ in self._cleared]

    @property
    def rows(self) -> list[Row]:
        """The rows as polynomials."""
        return [row for _, row in self._cleared]

    def expand(self) -> Quotient:
        """Return the determinant by expansion."""
        field = self.ring.field
        value = field.make(self.ring.determinant(self.rows, range(self.width)), self.ring.one)
        for scale in self.scales:
            value = field.multiply(value, Quotient(self.ring.one, scale))
        return value

    def eliminate(self) -> Quotient:
        """Return the determinant of a regular matrix by elimination in the order of its pivots."""
        field = self.ring.field
        rows = {i: {j: field.read(entry) for j, entry in enumerate(row)} for i, row in enumerate(self.entries)}
        value = Quotient(self.ring.one, self.ring.one)
        pivots = self.pivots(self.width)
        for i, column in pivots:
            pivot = rows.pop(i)
            value = field.multiply(value, pivot[column])
            inverse = field.power_of(pivot[column], -1)
            for row in rows.values():
                if row[column].above.is_zero():
                    continue
                ratio = field.multiply(row[column], inverse)
                ratio = Quotient(-ratio.above, ratio.below)
                for j, entry in pivot.items():
                    if not entry.above.is_zero():
                        row[j] = field.add(row[j], field.multiply(ratio, entry))
                        self.ring.spend(len(row[j].above) + len(row[j].below))
        order = [column for _, column in sorted(pivots)]
        odd = sum(a > b for k, a in enumerate(order) for b in order[k + 1 :]) & 1
        return Quotient(-value.above if odd else value.above, value.below)

    # -- modulo primes ---------------------------------------------------------------------------------------
    def pivots(self, first: int) -> Pivots:
        """Return the pivots at a random point modulo a random prime, in the first columns if possible."""
        if not self.height or not self.width:
            return []
        samples = sample([entry for row in self.entries for entry in row], 1)
        values = [
            {j: v for j, v in enumerate(samples.values[0][i * self.width : (i + 1) * self.width]) if v}
            for i in range(self.height)
        ]
        known: dict[Expr, Any] = {}  # ranges of what entries share
        weights = [{j: _weight(row[j], known) for j in value} for row, value in zip(self.entries, values, strict=True)]
        return choose_pivots(values, weights, samples.primes[0], first)

    def free(self, pivots: Pivots) -> list[int]:
        """Return the columns without a pivot."""
        taken = {column for _, column in pivots}
        return [j for j in range(self.width) if j not in taken]

    # -- verdicts --------------------------------------------------------------------------------------------
    def full_rank(self, pivots: Pivots) -> Verdict:
        """Decide that the minor of the pivots does not vanish; modulo a prime it did not."""
        said = f"a minor of size {len(pivots)} does not vanish"
        if independent(self.ring.field):
            return Verdict("proved", f"{said} at a random point modulo a random prime.")
        minor = self.ring.determinant([self.rows[i] for i, _ in sorted(pivots)], sorted(c for _, c in pivots))
        zero = is_zero(self.writer.polynomial(minor))
        if zero.holds is False:
            return Verdict("proved", f"{said}: {zero.evidence}")
        return Verdict("undecided", f"whether {said} was not decided: {zero.evidence}")

    def verdict(self, pivots: Pivots, vectors: Sequence[Row]) -> Verdict:
        """Check every vector against every row, and say how far that and the pivots are a proof."""
        bits = [b for vector in vectors for row in self.rows for b in self.remaining(row, vector)]
        minor = self.full_rank(pivots)
        if minor.holds is None:
            return minor
        if not bits:
            return Verdict("proved", f"every row annihilates the vectors found, exactly; {minor.evidence}")
        worst = max(bits) + math.log2(len(bits))
        return Verdict("certain", f"what is left of the rows is zero; the error is below 2^{math.ceil(worst)}.", worst)

    def remaining(self, row: Row, vector: Row) -> list[float]:
        """Check that a row annihilates a vector, as a formula or at least as a function; return the bits of error."""
        rest = self.ring.dot(row, vector)
        if rest.is_zero():
            return []
        zero = is_zero(self.writer.polynomial(rest))
        if not zero.holds:
            raise ExpressionError(f"a linear system could not be solved for sure: {zero.evidence}")
        return [] if zero.error_bits is None else [zero.error_bits]


def _weight(entry: Expr, known: dict[Expr, Any]) -> Weight:
    """Return how good a pivot an entry is; ``known`` are the ranges of what was looked at before."""
    if entry.op == "number":
        return NUMBER, 1
    return NEVER_ZERO if ranges([entry], known)[0].nonzero else OTHER, min(len(postorder([entry])), 1_000)
