"""Combinations with constant coefficients: numbers, or expressions in whatever is no coordinate."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

from dalembert.errors import ExpressionError
from dalembert.expr import work
from dalembert.expr.elementary import exp, power, sincos
from dalembert.expr.field import Field
from dalembert.expr.field.memory import Memory
from dalembert.expr.field.meter import Meter
from dalembert.expr.graph import PI, ZERO, Expr, make, number, product, symbol, total
from dalembert.expr.linear import constant_null_space
from dalembert.expr.linear.ring import Writer
from dalembert.expr.phases import phases
from dalembert.expr.walk import Rebuild, evaluate, postorder, substitute, symbols

Vector = Sequence[Expr]
_MOST_TERMS = 500
"""Of polynomials in what is written out."""


def constant_combination(target: Vector, vectors: Sequence[Vector], coordinates: Sequence[Expr]) -> list[Expr] | None:
    """Return constants c_k with target = c_k vectors[k], or None where there are none or none were found.

    Rational numbers are tried first; then rational functions of irrational ones and of whatever is no coordinate.

    >>> from dalembert.expr import sin, symbol
    >>> x, k = symbol("x"), symbol("k", role="parameter")
    >>> constant_combination([k**2 * sin(k * x)], [[x], [k * sin(k * x)]], [x])
    [0, k]
    """
    columns = [*vectors, target]
    named = _Named()
    flat = named.read([entry for column in columns for entry in column])
    if not named.values:
        return _with_numbers(columns) or _with_parameters(flat, len(target), coordinates)
    # irrational coefficients are no rational ones, and to find that out takes long
    found = _with_parameters(flat, len(target), coordinates)
    try:
        return _with_numbers(columns) if found is None else substitute(found, named.values)
    except ExpressionError:  # a denominator that is zero for these very numbers
        return _with_numbers(columns)


def _with_numbers(columns: Sequence[Vector]) -> list[Expr] | None:
    try:
        relations = constant_null_space(columns).basis
    except ExpressionError:  # related by irrational numbers only
        return None
    for relation in relations:
        if relation[-1]:
            return [number(Fraction(-c, relation[-1])) for c in relation[:-1]]
    return None


def _with_parameters(flat: Sequence[Expr], size: int, coordinates: Sequence[Expr]) -> list[Expr] | None:
    names = sorted(symbols(flat), key=lambda s: s.label)
    parameters = [symbol(s) for s in names if symbol(s) not in coordinates]
    if not parameters:
        return None
    apart = _apart(flat, coordinates, parameters)
    try:
        found = constant_null_space([apart[i : i + size] for i in range(0, len(apart), size)], parameters)
    except ExpressionError:  # not rational in the parameters, or too large
        return None
    for vector in found.basis:
        if vector[-1] is not ZERO:
            return [-c / vector[-1] for c in vector[:-1]]
    return None


class _Named(Rebuild):
    """Gives irrational numbers names, so that they can be found among the parameters: pi, and numbers under a root."""

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[Expr, Expr] = {}

    def read(self, roots: Sequence[Expr]) -> list[Expr]:
        """Return the expressions with these names in them; what they stand for is in ``values``."""
        return evaluate(roots, self)

    def _name(self, node: Expr) -> Expr:
        name = symbol(f"the number {node!r}", role="parameter", domain="positive")
        self.values[name] = node
        return name

    def leaf(self, node: Expr) -> Expr:
        return self._name(node) if node is PI else node

    def product(self, node: Expr, bases: Sequence[Expr]) -> Expr:
        pairs = zip(bases, node.data, strict=True)
        return product([(self._name(b) if b.op == "number" and e.denominator != 1 else b, e) for b, e in pairs])


def irrational(expressions: Iterable[Expr]) -> bool:
    """Say whether pi or roots of numbers occur."""
    named = _Named()
    named.read(list(expressions))
    return bool(named.values)


def _apart(roots: Sequence[Expr], coordinates: Sequence[Expr], parameters: Sequence[Expr]) -> list[Expr]:
    """Return expressions in which no parameter stands beside a coordinate inside a sine, an exponential or a logarithm.

    Such parts are replaced by new variables. A relation that holds with these holds with what they stand for.
    """
    names: dict[Expr, Expr] = {}

    def renamed(inner: Expr, beside: Sequence[Expr]) -> Expr:
        parts = []
        for part, coefficient in phases(inner).items():
            leaves = set(postorder([part, *beside]))
            if not leaves.isdisjoint(parameters) and not leaves.isdisjoint(coordinates):
                part = names.setdefault(part, symbol(f"inner part {len(names)}"))
            parts.append((coefficient, part))
        return total(parts)

    put: dict[Expr, Expr] = {}
    for node in postorder(roots):
        if node.op == "sincos":
            put |= {make("pick", k, (node,)): value for k, value in enumerate(sincos(renamed(node.args[0], ())))}
        elif node.op == "call" and node.data == "exp":
            put[node] = exp(renamed(node.args[0], ()))
        elif node.op in {"call", "jet"}:
            put[node] = renamed(node, ())
        elif node.op == "power":
            put[node] = power(node.args[0], renamed(node.args[1], node.args[:1]))
    return substitute(roots, put)


def written_out(expression: Expr) -> Expr:
    """Return a small expression in normal form, a large one as it is."""
    return WrittenOut([expression])(expression)


class WrittenOut:
    """Writes small expressions in normal form, large ones as they are; what several have in common is read once.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> several = [(x + 1) ** 2 - x**2, (x**2 - y**2) / (x - y)]
    >>> [*map(WrittenOut(several), several)]
    [2*x + 1, x + y]
    """

    def __init__(self, expressions: Sequence[Expr]) -> None:
        """Take those that may be asked for; those with roots of sums are read one by one, for relations take long."""
        self._meter, self._alone = Meter(math.inf), len(expressions) == 1
        self._field: Field | None = None
        try:
            field = Field(expressions, _MOST_TERMS, meter=self._meter)
        except ExpressionError:
            field = None
        if field is not None and (self._alone or not field.relations):
            self._field, self._writer = field, Writer(field)
        self._known = Memory(self._meter)
        """What was written, by its fraction: a third of the entries of tensors are others in other words."""
        self._pay()

    def __call__(self, expression: Expr) -> Expr:
        """Return one of the expressions in normal form."""
        if self._field is None:
            return expression if self._alone else written_out(expression)
        try:
            value = self._field.read(expression)
            words = str(value.above.value), str(value.below.value)
            return self._known(words, self._writer.quotient, value)
        except ExpressionError:
            return expression
        finally:
            self._pay()

    def _pay(self) -> None:
        work.charge(self._meter.spent * 1e-6)
        self._meter.spent = 0.0
