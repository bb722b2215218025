"""How the roots of an expression depend on each other: which signs stay open when all of them are real.

Modulo a prime, a root is the one that is a residue. That is a choice of a sign for every factor under the roots, and
each is met as often as any other. Where a product of roots is rational, as sqrt(x y) sqrt(y z) sqrt(z x) is x y z or
-x y z, the answer depends on that choice, so that all choices have to be met.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flint import fmpz_mat, nmod_mat

from dalembert.errors import ExpressionError
from dalembert.expr.field.factors import factored
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import Expr
from dalembert.expr.phases import phases
from dalembert.expr.walk import postorder

__all__ = ["open_signs", "plain"]

_ARITHMETIC = frozenset({"number", "pi", "symbol", "sum", "product", "pick", "factor", "solve"})
_MONOMIAL = frozenset({"number", "pi", "symbol", "product"})


def open_signs(radicands: Sequence[Expr], nodes: Sequence[Expr], most_terms: int) -> list[frozenset[Expr]] | None:
    """Return the signs that the even roots of some radicands leave open; None where that cannot be found out.

    The radicands are words in their irreducible factors. A word whose square is made of radicands has an open sign,
    unless it is made of radicands itself. Each is given by the square roots that change when it does. ``nodes`` are all
    there are: 1 + cos(a) is a square where cos(a/2) occurs.
    """
    if all(radicand.op == "symbol" for radicand in radicands):
        return []
    rows: list[dict[str, int]] = []
    try:
        field = Field([*radicands, *(n for n in nodes if _turns(n) or _grows(n))], most_terms, relations=False)
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
    changes = _changes([[row.get(name, 0) for name in names] for row in rows])
    return [frozenset(r for r, bit in zip(radicands, change, strict=True) if bit) for change in changes]


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
