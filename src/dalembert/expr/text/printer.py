"""From expressions to text that reads back to the very same expression.

The text mirrors the graph: a sum inside a sum, or a product inside a product, is in brackets, since the graph keeps it
apart on purpose. Within a sum or product, the order is one for people: numbers, parameters, variables, functions,
brackets; names by the alphabet (``q2`` before ``q10``), high powers first, a positive term in front, constants last.

A node becomes a short list of pieces, strings and the nodes between them; text is made by going through the pieces
with a stack, so depth is no limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Final, TypeAlias

from dalembert.errors import EvaluationError, ExpressionError, expect
from dalembert.expr.graph import Expr, Number
from dalembert.expr.text.order import KEY_LENGTH, Factor, Order, digits, is_square, roots_joined
from dalembert.expr.walk import postorder, unroll

__all__ = ["Printer", "summary", "text", "without_solves"]

Piece: TypeAlias = "str | Expr"

_MOST_CHARACTERS: Final = 50_000_000
_SHORT: Final = 400
"""Nodes of a tree that still make a readable text."""
_COUNTED: Final = 10**18
"""Up to here sizes of trees are told; they may double with every node."""
_SEVERAL_VALUES: Final = frozenset({"sincos", "factor", "solve", "basic"})


def text(expression: Expr) -> str:
    """Return the text of an expression, which ``parse`` reads back to the same object; solves are written out.

    >>> from dalembert.expr import sin, symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> text((2*x/3 - y) / (x**2 * sin(y)) - 1)
    '(2*x/3 - y)/(x^2*sin(y)) - 1'
    """
    expect(expression, Expr, "text takes an expression")
    root = without_solves([expression])[0]
    return Printer([root]).write(root)


def summary(expression: Expr) -> str:
    """Return the text of a small expression, or say how large it is."""
    nodes, tree = _size(expression)
    if expression.op in _SEVERAL_VALUES:
        return f"<{expression.op} node over {nodes - 1} others>"
    if tree <= _SHORT:
        with suppress(ExpressionError, EvaluationError):  # a solve with a singular matrix cannot be written out
            written = without_solves([expression])[0]
            if written is expression or _size(written)[1] <= _SHORT:
                return text(written)
    shown = f"{tree} as a tree" if tree < _COUNTED else "beyond counting as a tree"
    return f"<expression of {nodes} shared nodes ({shown})>"


def _size(expression: Expr) -> tuple[int, int]:
    """Return how many nodes there are, and how many there would be if nothing were shared."""
    size: dict[Expr, int] = {}
    for node in postorder([expression]):
        size[node] = min(1 + sum(size[a] for a in node.args), _COUNTED)
    return len(size), size[expression]


def without_solves(roots: Sequence[Expr]) -> list[Expr]:
    """Return the roots with linear solves, if there are any, written out; nodes that are no expressions are refused."""
    for root in roots:
        if root.op in _SEVERAL_VALUES:
            raise ExpressionError(f"a {root.op} node has several values, so it is not an expression.")
    return unroll(roots)


class Printer:
    """The pieces of all nodes below some roots; ``names`` says which nodes are called by a name instead.

    Parameters
    ----------
    roots
        Expressions without solves.
    names
        The names of nodes that are written out elsewhere.
    """

    def __init__(self, roots: Sequence[Expr], names: Mapping[Expr, str] | None = None) -> None:
        self.names: Mapping[Expr, str] = names or {}
        self._pieces: dict[Expr, list[Piece]] = {}
        self._length: dict[Expr, int] = {}
        self.order = Order()
        for node in postorder(roots):
            if node.op != "sincos":
                self._add(node)

    def write(self, root: Expr, *, spelled_out: bool = False) -> str:
        """Return the text of a node: its name if it has one, unless it is to be spelled out."""
        if root in self.names and not spelled_out:
            return self.names[root]
        if self._length[root] > _MOST_CHARACTERS:
            raise ExpressionError("the text would be too long; print it with its shared parts named (program).")
        out: list[str] = []
        stack: list[Piece] = [root]
        while stack:
            piece = stack.pop()
            if isinstance(piece, str):
                out.append(piece)
            else:
                stack += reversed(self._pieces[piece])
        return "".join(out)

    # -- one node --------------------------------------------------------------------------------------------
    def _add(self, node: Expr) -> None:
        pieces = self._made(node)
        self._pieces[node] = pieces
        # Lengths are capped, for they may double with every node.
        length = sum(len(p) if isinstance(p, str) else self._length[p] for p in pieces)
        self._length[node] = min(length, _MOST_CHARACTERS + 1)
        name = self.names.get(node)
        start = name or "".join(p if isinstance(p, str) else self.order.start(p) for p in pieces[:KEY_LENGTH])
        self.order.note(node, start, named=name is not None)

    def _made(self, node: Expr) -> list[Piece]:
        match node.op:
            case "number":
                return [digits(node.data)]
            case "pi":
                return ["pi"]
            case "symbol":
                return [node.data.label]
            case "sum":
                return self._sum(node)
            case "product":
                return self._monomial(1, zip(node.args, node.data, strict=True))
            case "power":
                return [*self._operand(node.args[0]), "^", *self._operand(node.args[1])]
            case "call":
                return [f"{node.data}(", *self._mention(node.args[0]), ")"]
            case "pick":
                angle = node.args[0].args[0]
                return [("sin(", "cos(")[node.data], *self._mention(angle), ")"]
            case _:
                return self._jet(node)

    def _jet(self, node: Expr) -> list[Piece]:
        function, orders = node.data
        slots = [str(slot) for slot, times in enumerate(orders, 1) for _ in range(times)]
        pieces: list[Piece] = [f"D({', '.join([function.name, *slots])})(" if slots else f"{function.name}("]
        for i, argument in enumerate(node.args):
            pieces += [", "] if i else []
            pieces += self._mention(argument)
        return [*pieces, ")"]

    def _sum(self, node: Expr) -> list[Piece]:
        constant, coefficients = node.data
        terms: list[tuple[Number, list[Factor]]] = [
            (c, self._factors(term)) for c, term in zip(coefficients, node.args, strict=True)
        ]
        terms.sort(key=lambda term: self.order.term_key(term[1]))
        if constant:
            terms.append((constant, []))
        first = next((i for i, (c, _) in enumerate(terms) if c > 0), 0)
        terms.insert(0, terms.pop(first))
        pieces: list[Piece] = []
        for i, (coefficient, factors) in enumerate(terms):
            if i:
                pieces.append(" + " if coefficient > 0 else " - ")
            elif coefficient < 0:
                pieces.append("-")
            pieces += self._monomial(coefficient if coefficient > 0 else -coefficient, factors)
        return pieces

    def _monomial(self, coefficient: Number, factors: Iterable[Factor]) -> list[Piece]:
        """Return ``coefficient * product of base**exponent`` for a positive coefficient."""
        ordered = sorted(roots_joined(factors), key=self.order.factor_key)
        above = [(base, exponent) for base, exponent in ordered if exponent > 0]
        below = [(base, -exponent) for base, exponent in ordered if exponent < 0]
        pieces: list[Piece] = []
        if coefficient.numerator != 1 or not above:
            pieces.append(digits(coefficient.numerator))
        for base, exponent in above:
            pieces += ["*"] if pieces else []
            pieces += self._factor(base, exponent)
        divisor = coefficient.denominator
        if divisor != 1 and not below:
            return [*pieces, "/", digits(divisor)]
        for i, (base, exponent) in enumerate(below):
            if i == 0 and divisor != 1:  # what is scaled opens when it is divided by, so 1/(2*x) is as good as 1/2/x
                inner = self._factors(base) if exponent == 1 else [(base, exponent)]
                pieces += ["/(", *self._monomial(divisor, inner), ")"]
            else:
                pieces += ["/", *self._factor(base, exponent)]
        return pieces

    def _factors(self, term: Expr) -> list[Factor]:
        """Return what is written for a term beside a number: the factors of a product, if it has no name."""
        if term.op == "product" and term not in self.names:
            return list(zip(term.args, term.data, strict=True))
        return [(term, 1)]

    def _factor(self, base: Expr, exponent: Number) -> list[Piece]:
        """Return a base to a positive exponent, as it stands in a product."""
        if exponent == 1:
            return self._operand(base, _POWER)
        if exponent.denominator == 2 and is_square(base) and base not in self.names:
            root = ["abs(", *self._mention(base.args[0]), ")"]
            return root if exponent.numerator == 1 else [*root, f"^{digits(exponent.numerator)}"]
        if exponent == Fraction(1, 2):
            return ["sqrt(", *self._mention(base), ")"]
        shown = digits(exponent)
        return [*self._operand(base), f"^{shown}" if exponent.denominator == 1 else f"^({shown})"]

    def _mention(self, node: Expr) -> list[Piece]:
        if node.op == "number":
            return [digits(node.data)]
        return [self.names.get(node, node)]

    def _operand(self, node: Expr, tightness: int = 2) -> list[Piece]:
        """Return a node as it stands beside an operator, in brackets if it binds less tightly than needed."""
        if node in self.names or _tightness(node) >= tightness:
            return self._mention(node)
        return ["(", *self._mention(node), ")"]


_POWER: Final = 1


def _tightness(node: Expr) -> int:
    """Return how tightly the text of a node holds together: 2 for an operand, 1 for a power, 0 for anything looser."""
    match node.op:
        case "number":
            return 2 if node.data >= 0 and node.data.denominator == 1 else 0
        case "sum":
            return 0
        case "power":
            return _POWER
        case "product":
            if len(node.args) > 1 or node.data[0] < 0:
                return 0
            return 2 if node.data[0] == Fraction(1, 2) else _POWER
        case _:
            return 2
