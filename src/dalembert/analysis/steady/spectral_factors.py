"""A characteristic polynomial split into factors: systems that decouple have conditions of their own for each part."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.field import Field, TooLarge, tidy
from dalembert.expr.field.priced import factored
from dalembert.expr.graph import ONE, ZERO, Expr, number, symbol, total
from dalembert.expr.truth import Fact, vanish
from dalembert.records import dataclass

_MOST_TERMS = 4_000


@dataclass(frozen=True, slots=True, eq=False)
class SpectralFactors:
    """Factors with leading coefficient 1, the constant coefficient first, and what vanishes where two have a root."""

    factors: tuple[tuple[Expr, ...], ...]
    times: tuple[int, ...]
    apart: tuple[tuple[int, int, Expr], ...] = ()

    @property
    def product(self) -> list[Expr]:
        """The product of the factors, each taken once."""
        found = [ONE]
        for factor in self.factors:
            longer = [ZERO] * (len(found) + len(factor) - 1)
            for i, a in enumerate(found):
                for j, b in enumerate(factor):
                    longer[i + j] = longer[i + j] + a * b
            found = [tidy(e) for e in longer]
        return found


def spectral_factors(polynomial: Sequence[Expr]) -> SpectralFactors:
    """Split a polynomial, its constant coefficient first, its last one being 1; as a whole where it is too large.

    >>> a, b = symbol("a"), symbol("b")
    >>> spectral_factors([a * b, a + b, ONE]).factors
    ((b, 1), (a, 1))
    """
    whole = SpectralFactors((tuple(polynomial),), (1,))
    root = symbol("root of it")
    expression = total([(1, c * root**k) for k, c in enumerate(polynomial)])
    try:
        space = Field([expression, root], _MOST_TERMS)
        split = factored(space.read(expression).above)[1]
        place = space.generators.nodes().index(root)
        name = space.ring.names()[place]
        inside = sorted(
            ((f, n) for f, n in split if f.degrees()[place]), key=lambda one: (one[0].degrees()[place], str(one[0]))
        )
        if sum(n * f.degrees()[place] for f, n in inside) != len(polynomial) - 1 or len(inside) + inside[0][1] == 2:
            return whole
        apart = [
            (i, j, space.to_expr(f.resultant(g, name)))
            for (i, (f, _)), (j, (g, _)) in combinations(enumerate(inside), 2)
        ]
        factors = []
        for f, _ in inside:
            powers: dict[int, dict[tuple[int, ...], int]] = {}
            for exponents, c in f.to_dict().items():
                at = int(exponents[place])
                rest = tuple(0 if k == place else int(e) for k, e in enumerate(exponents))
                powers.setdefault(at, {})[rest] = int(c)
            row = [
                space.to_expr(space.ring.from_dict(powers[k])) if k in powers else ZERO for k in range(max(powers) + 1)
            ]
            factors.append(tuple(tidy(e / row[-1]) for e in row))
    except (ExpressionError, TooLarge):
        return whole
    return SpectralFactors(tuple(factors), tuple(n for _, n in inside), tuple(apart))


def annihilates(polynomial: Sequence[Expr], matrix: Sequence[Sequence[Expr]], facts: Sequence[Fact] = ()) -> bool:
    """Say whether a polynomial of a matrix is zero (Horner), decided.

    >>> annihilates([ONE, ZERO, ONE], [[ZERO, ONE], [-ONE, ZERO]])
    True
    >>> annihilates([ZERO, ONE], [[ZERO, ONE], [ZERO, ZERO]])
    False
    """
    size = len(matrix)
    found = [[ZERO] * size for _ in range(size)]
    for coefficient in reversed(polynomial):
        found = [
            [
                tidy(
                    total([(1, found[i][k] * matrix[k][j]) for k in range(size)])
                    + (coefficient if i == j else number(0))
                )
                for j in range(size)
            ]
            for i in range(size)
        ]
    return vanish([e for row in found for e in row], facts)
