"""Random geometric objects, the same ones every time, and how a law is tried on them.

A law takes random objects and yields whatever has to vanish. Functions are polynomials with sines and cosines in them,
of low degree. All comparisons are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations
from random import Random
from typing import Any

from dalembert.expr import ONE, ZERO, Expr, cos, sin, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.connections.affine import AffineConnection
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import Form
from dalembert.geometry.frames import Frame
from dalembert.geometry.tensors import Endomorphism
from dalembert.testing.law import Law

X, Y, Z = symbol("x"), symbol("y"), symbol("z", domain="angle")
U, V = symbol("u"), symbol("v")
W = tuple(symbol(f"w{k}") for k in (1, 2, 3))
T = symbol(TIME)
SPACE, PLANE = Chart.of(X, Y, Z), Chart.of(U, V)

Thing = Expr | VectorField | Form | Endomorphism
ObjectLaw = Callable[["Objects"], Iterable[Thing]]
"""Yields whatever has to vanish of random objects."""


class Objects:
    """Random objects on a chart, the same for the same seed; functions are small, with sines and cosines in them.

    >>> some = Objects(1)
    >>> some.form(2).degree, some.frame().chart.dimension
    (2, 3)
    """

    def __init__(self, seed: int | Random, chart: Chart = SPACE, *, time: bool = False) -> None:
        self.chart, self.draw = chart, seed if isinstance(seed, Random) else Random(seed)
        self.leaves = [*chart.coordinates, *([T] if time else [])]

    def on(self, chart: Chart, *, time: bool = False) -> Objects:
        """Random objects on another chart."""
        return Objects(self.draw.randrange(1 << 30), chart, time=time)

    def function(self) -> Expr:
        """A sum of three terms: a number times one or two of coordinates, their sines and their cosines."""
        parts = [f(q) for q in self.leaves for f in (lambda q: q, sin, cos)]
        terms = []
        for size in (1, 2, 2):
            term = self.draw.choice(parts)
            for _ in range(size - 1):
                term = term * self.draw.choice(parts)
            terms.append((self.draw.choice((-3, -2, -1, 1, 2, 3)), term))
        return total(terms, self.draw.randint(-2, 2))

    def field(self) -> VectorField:
        """A vector field; one component is simple, so that brackets stay small."""
        simple = self.draw.randrange(self.chart.dimension)
        return VectorField.of(self.chart, [1 if i == simple else self.function() for i in range(self.chart.dimension)])

    def form(self, degree: int) -> Form:
        """A form of the degree given, no component zero."""
        return Form.of(
            self.chart, degree, {i: self.function() for i in combinations(range(self.chart.dimension), degree)}
        )

    def matrix(self) -> list[list[Expr]]:
        """A matrix with determinant 1."""
        size = range(self.chart.dimension)
        upper = [[self.function() if i < j else delta(i, j) for j in size] for i in size]
        lower = [[self.function() if i == j + 1 else delta(i, j) for j in size] for i in size]
        return [[total([(1, upper[i][k] * lower[k][j]) for k in size]) for j in size] for i in size]

    def endomorphism(self) -> Endomorphism:
        """Any type (1,1) tensor."""
        return Endomorphism.of(
            self.chart, [[self.function() for _ in self.chart.coordinates] for _ in self.chart.coordinates]
        )

    def frame(self, *, drift: bool = False) -> Frame:
        """A frame in which nothing is holonomic, with a drift if asked for."""
        fields = tuple(VectorField.of(self.chart, row) for row in self.matrix())
        return Frame(self.chart, fields, W, self.field() if drift else None)

    def metric(self) -> list[list[Expr]]:
        """A positive metric."""
        size = range(self.chart.dimension)
        rows = self.matrix()
        return [[total([(1, rows[k][i] * rows[k][j]) for k in size]) for j in size] for i in size]

    def connection(self) -> AffineConnection:
        """An affine connection with torsion."""
        size = range(self.chart.dimension)
        return AffineConnection.of(self.chart, [[[self.function() for _ in size] for _ in size] for _ in size])

    def lagrangian(self) -> Expr:
        """A regular Lagrangian with a term linear in velocities, a potential and one cubic term."""
        v = [q.dot for q in self.chart.coordinates]
        metric = self.metric()
        size = range(self.chart.dimension)
        kinetic = total([(1, metric[i][j] * v[i] * v[j] / 2) for i in size for j in size])
        return kinetic + v[0] * self.function() + self.function() + v[1] ** 3


def delta(a: int, b: int) -> Expr:
    """Kronecker's symbol."""
    return ONE if a == b else ZERO


# -- how a law is tried ------------------------------------------------------------------------------------------
def parts(thing: Thing) -> list[Expr]:
    """Whatever has to vanish in a thing."""
    match thing:
        case VectorField():
            return list(thing.components)
        case Form():
            return list(thing.terms.values())
        case Endomorphism():
            return [entry for row in thing.matrix for entry in row]
        case _:
            return [thing]


def decided(law: ObjectLaw, seed: int) -> Verdict:
    """Return whether a law holds on the objects of a seed."""
    things = list(law(Objects(seed)))
    if not things:
        return Verdict("undecided", "nothing was said that could be decided.")
    every = [e for thing in things for e in parts(thing)]
    return all_vanish({f"{k}": e for k, e in enumerate(every)})


def row(name: str, law: Callable[..., ObjectLaw], right: Sequence[Any], false: Sequence[Any], wrong: str) -> Law[int]:
    """Return a law of random objects, by their seed: what it is given where it holds, and where it does not."""
    statement = (law.__doc__ or "").partition("\n")[0].rstrip(".")
    return Law(name, statement, partial(decided, law(*right)), partial(decided, law(*false)), wrong)
