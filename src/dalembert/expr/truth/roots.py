"""How the roots of an expression depend on each other: which signs stay open when all of them are real.

Modulo a prime, a root is the one that is a residue. That is a choice of a sign for every factor under the roots, and
each is met as often as any other. Where a product of roots is rational, as sqrt(x y) sqrt(y z) sqrt(z x) is x y z or -x
y z, the answer depends on that choice, so that all choices have to be met.

Some roots inside roots are none: sqrt(3 - 2 sqrt(2)) is sqrt(2) - 1. For r^2 = c and d^2 = a^2 - b^2 c, with P, M = (a
+ d)/2, (a - d)/2, the square of sqrt(P) + sgn(b) sqrt(M) is a + b r. Where a + b r has a real root, a is not negative,
and so are P and M.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

from flint import fmpz_mat, nmod_mat

from dalembert.errors import ExpressionError
from dalembert.expr import work
from dalembert.expr.elementary import sqrt
from dalembert.expr.field.priced import factored
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import KIND, ONE, ROOT, Expr, Number, product
from dalembert.expr.phases import phases
from dalembert.expr.truth.signs import Range, ranges, root_above, sign_of_polynomial
from dalembert.expr.walk import postorder

_ARITHMETIC = frozenset({"number", "pi", "symbol", "sum", "product", "pick", "factor", "solve"})
_SMALL = 60
"""Nodes of a sum under a root that is looked at."""
_MONOMIAL = frozenset({"number", "pi", "symbol", "product"})


def open_signs(radicands: Sequence[Expr], nodes: Sequence[Expr], most_terms: int) -> list[frozenset[Expr]] | None:
    """Return the signs that the even roots of some radicands leave open; None where that cannot be found out.

    The radicands are words in their irreducible factors. A word whose square is made of radicands has an open sign,
    unless it is made of radicands itself. Each is given by the square roots that change when it does. ``nodes`` are all
    there are: 1 + cos(a) is a square where cos(a/2) occurs.
    """
    if all(radicand.op == "symbol" for radicand in radicands):
        return []
    return _open_signs(tuple(radicands), tuple(n for n in nodes if _turns(n) or _grows(n)), most_terms)


def are_independent(radicands: Sequence[Expr], nodes: Sequence[Expr], most_terms: int) -> bool:
    """Say whether no product of some radicands is a square, or a number times one; False where that is not found out.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> are_independent([x, 1 + y], [], 9), are_independent([x, 1 + y, x + x*y], [], 9), are_independent([x**2], [], 9)
    (True, False, False)
    """
    words = _words(tuple(radicands), tuple(n for n in nodes if _turns(n) or _grows(n)), most_terms)
    if words is None or not words[0]:
        return False
    return bool(nmod_mat([[power % 2 for power in word] for word in words], 2).rank() == len(words))


def _open_signs(
    radicands: tuple[Expr, ...], turning: tuple[Expr, ...], most_terms: int
) -> list[frozenset[Expr]] | None:
    words = _words(radicands, turning, most_terms)
    if words is None:
        return None
    return [frozenset(r for r, bit in zip(radicands, change, strict=True) if bit) for change in _changes(words)]


@work.remembered(256)  # questions about one system share their roots
def _words(radicands: tuple[Expr, ...], turning: tuple[Expr, ...], most_terms: int) -> list[list[int]] | None:
    """Return the exponents of the irreducible factors of each radicand; None where they are too large for that."""
    rows: list[dict[str, int]] = []
    try:
        field = Field([*radicands, *turning], most_terms, relations=False)
        for radicand in radicands:
            value = field.read(radicand)
            row: dict[str, int] = {}
            for polynomial, sign in ((value.above, 1), (value.below, -1)):
                for factor, power in factored(polynomial)[1]:
                    row[str(factor)] = row.get(str(factor), 0) + sign * power
            rows.append(row)
    except (ExpressionError, OverflowError):
        return None
    names = sorted({name for row in rows for name in row})
    return [[row.get(name, 0) for name in names] for row in rows]


def _changes(words: list[list[int]]) -> list[list[int]]:
    """Return which roots of words can change their sign together, up to changes that come from roots of letters.

    A relation between words is one between their roots. All changes that respect the relations are allowed; those where
    a root changes with the exponent of one letter make no difference to whether something is zero.
    """
    size = len(words[0])
    own = [[int(i == j) for j in range(len(words))] for i in range(len(words))]
    echelon = fmpz_mat([[*word, *unit] for word, unit in zip(words, own, strict=True)]).hnf().tolist()
    relations = [[int(e) % 2 for e in row[size:]] for row in echelon if not any(row[:size])]
    allowed = own
    if relations:
        space, dimension = nmod_mat(relations, 2).nullspace()
        allowed = [[int(space[i, j]) for i in range(len(words))] for j in range(dimension)]
    known = [[word[j] % 2 for word in words] for j in range(size)]
    found: list[list[int]] = []
    for change in allowed:
        before = [*known, *found]
        if nmod_mat([*before, change], 2).rank() > (nmod_mat(before, 2).rank() if before else 0):
            found.append(change)
    return found


def plain(radicands: Sequence[Expr], nodes: Sequence[Expr]) -> set[Expr]:
    """Return the radicands whose parts are different where they look different.

    f((x + 1)^2) and f(x^2 + 2 x + 1) are not: their product is a square that factoring does not see. Angles and
    exponents have to be so in all ``nodes``, for half an angle may occur elsewhere.
    """
    kinds: dict[Any, set[Expr]] = {}
    for node in postorder(radicands):
        if node.op not in _ARITHMETIC and not _turns(node) and not _grows(node):
            kinds.setdefault((node.op, node.data), set()).add(node)
    clear = {n for alike in kinds.values() for n in alike if _is_clear(n, alone=len(alike) == 1)}
    for is_one in (_turns, _grows):
        alike = {n for n in nodes if is_one(n)}
        clear |= alike if all(_has_clear_exponent(n) for n in alike) else set()
    return {r for r in radicands if all(n.op in _ARITHMETIC or n in clear for n in postorder([r]))}


def _turns(node: Expr) -> bool:
    return node.op == "sincos"


def _grows(node: Expr) -> bool:
    return node.op == "power" or (node.op == "call" and bool(node.data == "exp"))


def _has_clear_exponent(node: Expr) -> bool:
    """Say whether an angle or exponent is made of monomials, and a base is a symbol."""
    if node.op == "power" and node.args[0].op not in {"symbol", "number"}:
        return False
    inner = postorder(phases(node.args[-1]))
    return all(n.op in _MONOMIAL and (n.op != "product" or all(e.denominator == 1 for e in n.data)) for n in inner)


def _is_clear(node: Expr, *, alone: bool) -> bool:
    """Say whether a function value, a logarithm or the like has no relation to others of its kind."""
    if alone:
        return not any(map(_grows, postorder(node.args)))
    return all(a.op in {"symbol", "number", "pi"} for a in node.args)


def denested(field: Field, polynomial: Any) -> tuple[int, Expr] | None:
    """Return (sign, root) with the polynomial equal to sign * root^2, the root having one root less inside.

    None where there is nothing to see.
    """
    degrees = [int(k) for k in polynomial.degrees()]
    for base, root in _square_roots(field):
        place = [int(k) for k in root.degrees()].index(1)
        if degrees[place] != 1:
            continue
        a, b = _split(field, polynomial, place)
        whole = sign_of_polynomial(field, a)
        if whole is None:
            continue
        a, b = whole * a, whole * b
        try:
            value = field.read(base)
        except ExpressionError:
            continue
        sign = sign_of_polynomial(field, b) or ranges([field.to_expr(b)])[0].sign
        if sign is None or not value.below.is_constant() or int(value.below.leading_coefficient()) != 1:
            continue
        d = _square_root(field, field.reduced(a * a - b * b * value.above))
        if d is None:
            continue
        plus, minus = field.to_expr(a + d) / 2, field.to_expr(a - d) / 2
        return whole, sqrt(plus) + sign * sqrt(minus)
    return None


def _square_roots(field: Field) -> list[tuple[Expr, Any]]:
    """Return the square roots among the generators: of sums, and of numbers."""
    found = [(base, field.composite[base]) for base, degree in field.generators.composite if degree == 2]
    return found + [
        (atom, field.atoms[atom])
        for atom, degree in field.generators.root_of_atom.items()
        if degree == 2 and atom.op == "number"
    ]


def _split(field: Field, polynomial: Any, place: int) -> tuple[Any, Any]:
    """Return (a, b) with the polynomial equal to a + b times the variable at a place."""
    parts: tuple[dict[tuple[int, ...], int], dict[tuple[int, ...], int]] = ({}, {})
    for exponents, coefficient in polynomial.to_dict().items():
        powers = [int(e) for e in exponents]
        table = parts[powers[place]]
        powers[place] = 0
        table[tuple(powers)] = int(coefficient)
    return field.ring.from_dict(parts[0]), field.ring.from_dict(parts[1])


def _square_root(field: Field, polynomial: Any) -> Any | None:
    """Return the polynomial whose square is the given one, if there is one."""
    if polynomial.is_zero():
        return None
    number, factors = factored(polynomial)
    if number < 0 or isqrt(number) ** 2 != number or any(k % 2 for _, k in factors):
        return None
    result = field.ring.constant(isqrt(number))
    for factor, power in factors:
        result = result * factor ** (power // 2)
    return result


def joined(factors: list[tuple[Expr, Number]], most_terms: int) -> list[tuple[Expr, Number]]:
    """Put square roots with roots inside, that stand side by side, under one root: sqrt(r + 1) sqrt(r - 1)."""
    nested = [(b, e) for b, e in factors if e.denominator == 2 and b.kinds & ROOT]
    if len(nested) < 2:
        return factors
    try:
        field = Field([b for b, _ in nested], most_terms)
        value = field.read(product([(b, e.numerator) for b, e in nested]))
        whole = field.to_expr(value.above) / field.to_expr(value.below)
    except ExpressionError:
        return factors
    return [*(pair for pair in factors if pair not in nested), (whole, Fraction(1, 2))]


# -- where roots are ---------------------------------------------------------------------------------------------
def has_root(node: Expr) -> bool:
    """Say whether a node is a product with a root among its factors."""
    return node.op == "product" and node.kinds & ROOT != 0 and _are_broken(node.data)


@lru_cache(maxsize=1 << 12)  # asked of every product above a root; there are few lists of exponents
def _are_broken(exponents: tuple[Number, ...]) -> bool:
    return any(e.denominator != 1 for e in exponents)


def hides_root(node: Expr) -> bool:
    """Say whether a root may hide in a power, or in the exponential of a logarithm."""
    if node.op == "power":
        return True
    return node.op == "call" and node.data == "exp" and bool(node.args[0].kinds & KIND["call"])


def without_roots(nodes: Sequence[Expr]) -> dict[Expr, Any]:
    """Return the nodes below which there is no root, as what they become: themselves. Others read several values."""
    rooted: set[Expr] = set()
    for node in nodes:
        if has_root(node) or hides_root(node) or not rooted.isdisjoint(node.args):
            rooted.add(node)
    return {
        node: node
        for node in nodes
        if node not in rooted and node.op not in {"sincos", "factor", "solve", "basic", "assembled"}
    }


# -- what roots say of their parts --------------------------------------------------------------------------------
def under_even_roots(nodes: Sequence[Expr]) -> list[Expr]:
    """Return the first few small sums under even roots."""
    found: dict[Expr, None] = {}
    for node in nodes:
        if node.op == "product":
            for base, exponent in zip(node.args, node.data, strict=True):
                if exponent.denominator % 2 == 0 and base.op == "sum" and len(postorder([base])) < _SMALL:
                    found[base] = None
    return list(found)[:4]


def bounds_by(radicands: Sequence[Expr]) -> dict[Expr, Range]:
    """Return what roots like sqrt(1 - x^2 - y^2) say of their symbols: there |x| and |y| are at most 1."""
    found: dict[Expr, Range] = {}
    for base in radicands:
        parts = dict(phases(base))
        top = parts.pop(ONE, 0)
        squares = [n for n, c in parts.items() if c < 0 and n.op == "product" and n.data == (2,)]
        if top <= 0 or len(squares) != len(parts):
            continue
        for n in squares:
            if n.args[0].op == "symbol":
                limit = root_above(Fraction(top) / -parts[n])
                have = ranges([n.args[0]])[0]
                found[n.args[0]] = Range(max(-limit, have.low), min(limit, have.high), have.nonzero)
    return found


def positive_symbols(nodes: Sequence[Expr]) -> dict[Expr, Range]:
    """Return the symbols of which a logarithm, a symbolic power or a root is taken: they are not negative."""
    found = [n.args[0] for n in nodes if n.op == "power" or (n.op == "call" and n.data == "log")]
    for node in nodes:
        if node.op == "product":
            found += [a for a, e in zip(node.args, node.data, strict=True) if e.denominator != 1]
    return {n: Range(0, math.inf, nonzero=False) for n in found if n.op == "symbol"}
