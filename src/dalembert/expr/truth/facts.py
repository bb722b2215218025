"""Assumed facts: equations that may be used while something is decided.

A fact such as ``D(V, 2)(x, y0, z) = 0`` holds for all values of the coordinates in it (x and z) and for the one value
of each parameter (y0), so it may be differentiated by x and z but not by y0. It is used from left to right: what
it gives is put in wherever it matches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import TypeAlias

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.calculus import define, diff, time_derivative
from dalembert.expr.graph import ONE, ZERO, Expr, make, symbol, total
from dalembert.expr.readers import Rationals
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth.witness import Chosen, formal_arguments, jet_order, monomials
from dalembert.expr.walk import evaluate, functions, map_leaves, postorder, rebuild, substitute

__all__ = ["Fact", "Facts"]

Fact: TypeAlias = "Expr | tuple[Expr, Expr]"
"""An equation (left, right), or an expression that is zero."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts as rules: each gives one function value or one symbol in terms of other things."""

    rules: tuple[tuple[Expr, Expr], ...]
    equations: tuple[Expr, ...]

    @classmethod
    def of(cls, facts: Sequence[Fact]) -> Facts:
        """Solve each fact for something that it gives.

        >>> from dalembert.expr import symbol
        >>> a, b = symbol("a", role="parameter"), symbol("b", role="parameter")
        >>> Facts.of([(b, 2*a)]).apply([b**2])
        [4*a^2]
        """
        rules: list[tuple[Expr, Expr]] = []
        equations = []
        for fact in facts:
            left, right = fact if isinstance(fact, tuple) else (fact, ZERO)
            left, right = cls(tuple(rules), ()).apply([left, right])
            equation = total(((1, left), (-1, right)))
            if equation is ZERO:
                continue
            equations.append(equation)
            rules.append(_solved(left, right, equation))
        return cls(tuple(rules), tuple(equations))

    def apply(self, roots: Sequence[Expr]) -> list[Expr]:
        """Return expressions with the facts put in, again and again until nothing changes."""
        current = list(roots)
        for _ in range(12 if self.rules else 0):
            before = current
            for left, right in self.rules:
                current = _use_symbol(left, right, current) if left.op == "symbol" else _use_jet(left, right, current)
            if all(a is b for a, b in zip(before, current, strict=True)):
                break
        return current

    def chooser(self, expression: Expr) -> Callable[[Random, int], Chosen | None] | None:
        """Return a way to choose polynomials that obey the facts, or None when any polynomials will do."""
        about = functions(self.equations)
        if not about:
            return None
        wanted = sorted(about | functions([expression]), key=lambda f: f.name)

        def choose(draw: Random, attempt: int) -> Chosen | None:
            unknowns: list[Expr] = []
            bodies = {}
            for function in wanted:
                order = max(jet_order(e, function) for e in (expression, *self.equations))
                formal = formal_arguments(function)
                terms = monomials(formal, order + 1 + attempt // 8)
                fresh = [symbol(Symbol(f"?{len(unknowns) + k}", role="parameter")) for k in range(len(terms))]
                unknowns += fresh
                bodies[function] = (formal, total([(1, c * m) for c, m in zip(fresh, terms, strict=True)]))
            fixed = {
                node: Fraction(draw.randint(1, 3))
                for node in postorder(self.equations)
                if node.op == "symbol" and node.data.role == "parameter"
            }
            solution = _solve_conditions(define(list(self.equations), bodies), unknowns, fixed, draw)
            if solution is None:
                return None
            return {f: (formal, substitute([body], solution)[0]) for f, (formal, body) in bodies.items()}, fixed

        return choose


def _solved(left: Expr, right: Expr, equation: Expr) -> tuple[Expr, Expr]:
    """Return (what, its value): a function value if there is one, else a symbol, in which the equation is linear."""
    nodes = postorder([equation])
    jets = sorted((n for n in nodes if n.op == "jet"), key=lambda n: (-sum(n.data[1]), n.stamp))
    leaves = sorted((n for n in nodes if n.op == "symbol"), key=lambda n: (n.data.role != "parameter", n.data.label))
    first = [left] if left.op in {"jet", "symbol"} else []
    for what in dict.fromkeys([*first, *jets, *leaves]):
        place = symbol(Symbol("?", role="parameter"))
        (opened,) = substitute([equation], {what: place})
        slope = diff(opened, place)
        if slope is ZERO or diff(slope, place) is not ZERO or what in postorder([slope]):
            continue
        (rest,) = substitute([opened], {place: ZERO})
        value = right if what is left and what not in postorder([right]) else -rest / slope
        if what not in postorder([value]):
            return what, value
    raise ExpressionError(
        f"the assumption '{left!r} = {right!r}' is not linear in any function or symbol; solve it for one by hand."
    )


def _use_symbol(left: Expr, right: Expr, roots: Sequence[Expr]) -> list[Expr]:
    """Put a value in for a symbol, and its time derivatives for the derivatives of a variable."""
    name, order, role = left.data.name, left.data.order, left.data.role

    def leaf(node: Expr) -> Expr:
        if node is left:
            return right
        if node.op == "symbol" and role == "variable" and node.data.name == name and node.data.order > order:
            return time_derivative(right, node.data.order - order)
        return node

    return map_leaves(list(roots), leaf)


def _use_jet(left: Expr, right: Expr, roots: Sequence[Expr]) -> list[Expr]:
    """Put a value in for a function value, and its derivatives in the slots where the fact holds for all values."""
    function, orders = left.data
    free = [a.op == "symbol" and a.data.role != "parameter" and left.args.count(a) == 1 for a in left.args]

    def replace(node: Expr, arguments: Sequence[Expr]) -> Expr:
        new = make("jet", node.data, tuple(arguments))
        if node.data[0] != function:
            return new
        more = [have - given for have, given in zip(node.data[1], orders, strict=True)]
        fits = all(
            extra >= 0 and (is_free or (extra == 0 and argument is pattern))
            for extra, is_free, argument, pattern in zip(more, free, arguments, left.args, strict=True)
        )
        if not fits:
            return new
        value = right
        for extra, pattern in zip(more, left.args, strict=True):
            value = diff(value, *[pattern] * extra) if extra else value
        put = {p: a for p, a, is_free in zip(left.args, arguments, free, strict=True) if is_free}
        return substitute([value], put)[0]

    return rebuild(list(roots), replace)


def _solve_conditions(
    conditions: Sequence[Expr], unknowns: Sequence[Expr], fixed: dict[Expr, Fraction], draw: Random
) -> dict[Expr, Expr] | None:
    """Return random whole-ish coefficients for which the conditions hold for all values of their coordinates."""
    from flint import fmpq, fmpq_mat

    rows = []
    leaves = [n for n in postorder(conditions) if n.op == "symbol" and n not in fixed and n not in set(unknowns)]
    for condition in conditions:
        slopes = [diff(condition, c) for c in unknowns]
        for _ in range(2 * len(unknowns) + 4):
            point = (
                fixed
                | {n: Fraction(draw.randint(-10_000, 10_000)) for n in leaves}
                | dict.fromkeys(unknowns, Fraction(0))
            )
            try:
                values = evaluate([*slopes, condition], Rationals(point))
            except DalembertError:
                return None
            rows.append([fmpq(v.numerator, v.denominator) for v in (*values[:-1], -values[-1])])
    reduced, rank = fmpq_mat(rows).rref()
    width = len(unknowns)
    pivots = [next(j for j in range(width + 1) if reduced[i, j] != 0) for i in range(rank)]
    if width in pivots:
        return None
    chosen = {j: Fraction(draw.choice((-2, -1, 1, 2, 3))) for j in range(width) if j not in pivots}
    for i, j in enumerate(pivots):
        value = reduced[i, width] - sum(
            (reduced[i, k] * fmpq(c.numerator, c.denominator) for k, c in chosen.items()), fmpq(0)
        )
        chosen[j] = Fraction(int(value.p), int(value.q))
    return {c: ONE * chosen[j] for j, c in enumerate(unknowns)}
