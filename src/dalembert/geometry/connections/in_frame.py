"""Connections in a moving frame: Levi-Civita's by Koszul's formula, and that of a distribution, without coordinates.

Of a frame E_i it is known how it moves functions, and its structure functions, [E_i, E_j] = C_ij^k E_k. Vectors are
rows of components in it. With a metric g(E_i, E_j) = g_ij,

    2 g(nabla_i E_j, E_k) = E_i g_jk + E_j g_ik - E_k g_ij + C_ij^l g_lk - C_ik^l g_lj - C_jk^l g_li .

On a Lie group with a left-invariant metric all derivatives vanish, and curvature is algebra (Milnor).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations, product

from dalembert.expr.calculus import tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, total
from dalembert.geometry.groups.matrices import dot
from dalembert.records import dataclass

Row = Sequence[Expr]


@dataclass(frozen=True)
class MovingFrame:
    """A frame of fields by what they do to functions, with its structure functions.

    >>> x, y, z = (tuple(ONE if k == i else ZERO for k in range(3)) for i in range(3))
    >>> MovingFrame(({}, {}, {}), {(0, 1): z, (1, 2): x, (2, 0): y}).bracket(y, x)
    [0, 0, -1]
    """

    moves: tuple[Mapping[Expr, Expr], ...]
    """What each field makes of each variable that it moves."""
    structure: Mapping[tuple[int, int], Row]
    """C_ij by pairs, each stated once, in whichever order; pairs that commute may be left out."""

    @property
    def size(self) -> range:
        """The places of its fields."""
        return range(len(self.moves))

    def unit(self, i: int) -> list[Expr]:
        """Return the components of E_i."""
        return [ONE if k == i else ZERO for k in self.size]

    def along(self, x: Row, functions: Sequence[Expr]) -> list[Expr]:
        """Return X(f) for functions f."""
        parts = [(x[i], tangent(list(functions), dict(self.moves[i]))) for i in self.size if x[i] is not ZERO]
        return [total([(1, c * slopes[k]) for c, slopes in parts]) for k in range(len(functions))]

    def constants(self, i: int, j: int) -> list[Expr]:
        """Return C_ij^k."""
        if (i, j) in self.structure:
            return list(self.structure[i, j])
        return [-c for c in self.structure.get((j, i), [ZERO] * len(self.moves))]

    def bracket(self, x: Row, y: Row) -> list[Expr]:
        """Return [X, Y]."""
        there, back = self.along(x, y), self.along(y, x)
        crossed = [(x[i] * y[j], self.constants(i, j)) for i, j in product(self.size, repeat=2) if i != j]
        return [
            total([(1, there[k]), (-1, back[k]), *((1, c * one[k]) for c, one in crossed if one[k] is not ZERO)])
            for k in self.size
        ]


@dataclass(frozen=True)
class FrameMetric:
    """A metric in a moving frame, with its connection and curvature."""

    frame: MovingFrame
    metric: tuple[tuple[Expr, ...], ...]
    inside: tuple[tuple[Expr, ...], ...] = ()
    """What the metric is without lines that are a flat factor beside the space that is meant; nothing for all of it."""
    short: Callable[[Iterable[Expr]], list[Expr]] = list
    """What makes formulas short on the way, where relations would make them long."""

    def dot(self, x: Row, y: Row) -> Expr:
        """Return g(X, Y)."""
        return dot(x, [dot(row, y) for row in self.metric])

    @cached_property
    def symbols(self) -> Mapping[tuple[int, int], list[Expr]]:
        """Gamma_ij^k with nabla_{E_i} E_j = Gamma_ij^k E_k, by i and j."""
        frame, g, size = self.frame, self.metric, self.frame.size
        flat = [e for row in g for e in row]
        width = len(g)
        slopes = [frame.along(frame.unit(i), flat) for i in size]
        c = {pair: frame.constants(*pair) for pair in product(size, repeat=2)}
        found = {}
        for i, j in product(size, repeat=2):
            lowered = [
                total(
                    [
                        (1, slopes[i][j * width + k]),
                        (1, slopes[j][i * width + k]),
                        (-1, slopes[k][i * width + j]),
                        (1, dot(c[i, j], g[k])),
                        (-1, dot(c[i, k], g[j])),
                        (-1, dot(c[j, k], g[i])),
                    ]
                )
                / 2
                for k in size
            ]
            found[i, j] = self.short(solve([list(row) for row in g], self.short(lowered)))
        return found

    def derivative(self, x: Row, y: Row) -> list[Expr]:
        """Return nabla_X Y."""
        moved, size = self.frame.along(x, y), self.frame.size
        pairs = [(x[i] * y[j], self.symbols[i, j]) for i, j in product(size, repeat=2)]
        return [total([(1, moved[k]), *((1, c * one[k]) for c, one in pairs)]) for k in size]

    @cached_property
    def curvature(self) -> Mapping[tuple[int, int, int], list[Expr]]:
        """R(E_i, E_j) E_k by i < j and k."""
        frame, size, found = self.frame, self.frame.size, {}
        for (i, j), k in product(combinations(size, 2), size):
            there = self.derivative(frame.unit(i), self.symbols[j, k])
            back = self.derivative(frame.unit(j), self.symbols[i, k])
            rest = self.derivative(frame.constants(i, j), frame.unit(k))
            parts = zip(there, back, rest, strict=True)
            found[i, j, k] = self.short(total([(1, a), (-1, b), (-1, c)]) for a, b, c in parts)
        return found

    def riemann(self, i: int, j: int, k: int) -> list[Expr]:
        """Return R(E_i, E_j) E_k."""
        if i == j:
            return [ZERO for _ in self.frame.size]
        return self.curvature[i, j, k] if i < j else [-c for c in self.curvature[j, i, k]]

    def ricci(self, i: int, j: int) -> Expr:
        """Return Ric(E_i, E_j) = tr(Z -> R(Z, E_i) E_j)."""
        return total([(1, self.riemann(k, i, j)[k]) for k in self.frame.size])

    def sectional(self, i: int, j: int) -> Expr:
        """Return the curvature of the plane of two fields, or of what of them is inside."""
        g = self.inside or self.metric
        return dot(self.riemann(i, j, j), self.metric[i]) / (g[i][i] * g[j][j] - g[i][j] ** 2)

    @property
    def scalar(self) -> Expr:
        """The trace of Ricci's tensor."""
        size, rows = self.frame.size, [list(row) for row in self.metric]
        return total([(1, solve(rows, [self.ricci(i, j) for i in size])[j]) for j in size])


@dataclass(frozen=True)
class DistributionInFrame:
    """The connection nabla-bar_X Y = P(nabla_X Y) on a distribution that rows X_a span, P orthogonal."""

    whole: FrameMetric
    rows: tuple[tuple[Expr, ...], ...]

    @cached_property
    def _gram(self) -> list[list[Expr]]:
        return [[self.whole.dot(x, y) for y in self.rows] for x in self.rows]

    def parts(self, vector: Row) -> list[Expr]:
        """Return the components of P(Z) by the rows."""
        return solve(self._gram, [self.whole.dot(x, vector) for x in self.rows])

    def combined(self, parts: Row) -> list[Expr]:
        """Return the vector with some components by the rows."""
        return [dot(parts, column) for column in zip(*self.rows, strict=True)]

    @cached_property
    def symbols(self) -> Mapping[tuple[int, int], list[Expr]]:
        """Gamma_ab^c with nabla-bar_{X_a} X_b = Gamma_ab^c X_c, by a and b."""
        pairs = product(range(len(self.rows)), repeat=2)
        return {(a, b): self.parts(self.whole.derivative(self.rows[a], self.rows[b])) for a, b in pairs}

    def torsion(self, a: int, b: int) -> list[Expr]:
        """Return T(X_a, X_b) in the frame, which need not lie in the distribution."""
        there, back = self.combined(self.symbols[a, b]), self.combined(self.symbols[b, a])
        crossed = self.whole.frame.bracket(self.rows[a], self.rows[b])
        return [total([(1, x), (-1, y), (-1, z)]) for x, y, z in zip(there, back, crossed, strict=True)]

    def curvature(self, a: int, b: int, c: int) -> list[Expr]:
        """Return the components of R-bar(X_a, X_b) X_c by the rows."""
        x, y = self.rows[a], self.rows[b]
        there = self.parts(self.whole.derivative(x, self.combined(self.symbols[b, c])))
        back = self.parts(self.whole.derivative(y, self.combined(self.symbols[a, c])))
        rest = self.parts(self.whole.derivative(self.whole.frame.bracket(x, y), self.rows[c]))
        return [total([(1, p), (-1, q), (-1, r)]) for p, q, r in zip(there, back, rest, strict=True)]
