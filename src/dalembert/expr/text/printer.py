"""From expressions to text that reads back to the very same expression, and the order of terms in it and on pages.

The text mirrors the graph: a sum inside a sum, or a product inside a product, is in brackets, since the graph keeps it
apart on purpose. Within a sum or product, the order is one for people: numbers, parameters, named parts, variables,
functions, brackets; names by the alphabet (``q2`` before ``q10``), high powers first, a positive term in front,
constants last. What a node begins with, written as text, is what the alphabet sees.

A node becomes a short list of pieces, strings and the nodes between them; text is made by going through the pieces
with a stack, so depth is no limit.

A program is text with shared parts named: as long as the graph is large, where plain text would be as long as the tree.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from dalembert.errors import EvaluationError, ExpressionError, expect
from dalembert.expr.graph import Expr, Number, number
from dalembert.expr.vocabulary import RESERVED, is_name
from dalembert.expr.walk import functions, postorder, symbols, unroll

Factor: TypeAlias = "tuple[Expr, Number]"
"""A base and its exponent."""

KEY_LENGTH: Final = 40
"""Characters of a text that decide its place in a sum or product."""
_FACTORED_BITS: Final = 80
"""Up to here a number under a root is read back as the product of its primes."""
_RANK: Final = {"number": 0, "pi": 1, "parameter": 2, "named": 3, "variable": 4, "function": 5, "bracket": 6, "end": 7}


class Order:
    """The places of nodes among others; each is noted, arguments first, with the text it begins with."""

    def __init__(self) -> None:
        self._key: dict[Expr, tuple[int, str, str]] = {}
        self._once: dict[Expr, tuple[Any, ...]] = {}
        """What factors to the first power are sorted by: most are."""

    def note(self, node: Expr, start: str, *, named: bool) -> None:
        """Keep the place of a node."""
        start = start[:KEY_LENGTH]
        key = self._key[node] = (_RANK["named"] if named else _rank(node), _natural(start), start)
        if node.op != "number":
            self._once[node] = (*key, -1, node.stamp)

    def start(self, node: Expr) -> str:
        """Return the first characters of the text of a node."""
        return self._key[node][2]

    def factor_key(self, factor: Factor) -> tuple[Any, ...]:
        """Return what a factor of a product is sorted by."""
        base, exponent = factor
        if exponent == 1 and base in self._once:
            return self._once[base]
        if base.op == "number":
            return (_RANK["number"], digits(base.data).rjust(KEY_LENGTH), "", -exponent, 0)
        return (*self._key[base], -exponent, base.stamp)

    def term_key(self, factors: Sequence[Factor]) -> tuple[Any, ...]:
        """Return what a term of a sum, given by its factors, is sorted by."""
        keys = sorted(map(self.factor_key, factors))
        return (*keys[:8], (_RANK["end"],))  # so that x*y comes before x


_DIGITS: Final = re.compile(r"\d+")


@lru_cache(maxsize=1 << 14)  # texts of one system begin alike
def _natural(start: str) -> str:
    return _DIGITS.sub(lambda found: found[0].zfill(6), start.casefold())


def _rank(node: Expr) -> int:
    match node.op:
        case "number" | "pi":
            return _RANK[node.op]
        case "symbol":
            return _RANK["parameter" if node.data.role == "parameter" else "variable"]
        case "sum" | "product":
            return _RANK["bracket"]
        case _:
            return _RANK["function"]


def roots_joined(factors: Iterable[Factor]) -> list[Factor]:
    """Return factors with roots of numbers joined: the graph has them by primes, people write ``sqrt(6)``."""
    given = list(factors)
    if len(given) == 1 or "number" not in [base.op for base, _ in given]:
        return given
    joined: dict[Number, int] = {}
    rest = []
    for base, exponent in given:
        if base.op == "number" and (base.data * joined.get(exponent, 1)).bit_length() <= _FACTORED_BITS:
            joined[exponent] = base.data * joined.get(exponent, 1)
        else:
            rest.append((base, exponent))
    return [(number(value), exponent) for exponent, value in joined.items()] + rest


def is_square(node: Expr) -> bool:
    """Say whether a node is the square of another, of which a root is an absolute value."""
    return node.op == "product" and node.data == (2,)


def digits(value: Number) -> str:
    """Return the digits of a number, however many (``str`` refuses thousands)."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) < 10_000:
        return str(value)
    from flint import fmpz

    above = str(fmpz(value.numerator))
    return above if value.denominator == 1 else f"{above}/{fmpz(value.denominator)}"


Piece: TypeAlias = "str | Expr"

_MOST_CHARACTERS: Final = 50_000_000
_SHORT: Final = 400
"""Nodes of a tree that still make a readable text."""
_COUNTED: Final = 10**18
"""Up to here sizes of trees are told; they may double with every node."""
_SEVERAL_VALUES: Final = frozenset({"sincos", "factor", "solve", "basic", "assembled"})


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
        self._beside: dict[Expr, list[Piece]] = {}  # how each stands in a product, to the first power: most in several
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
        lengths = self._length
        length = sum([len(piece) if isinstance(piece, str) else lengths[piece] for piece in pieces])
        # Lengths are capped, for they may double with every node.
        lengths[node] = min(length, _MOST_CHARACTERS + 1)
        name = self.names.get(node)
        self.order.note(node, name or self._start(pieces), named=name is not None)

    def _start(self, pieces: Sequence[Piece]) -> str:
        start = ""
        for piece in pieces:
            if len(start) >= KEY_LENGTH:  # nobody looks any further
                break
            start += piece if isinstance(piece, str) else self.order.start(piece)
        return start

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
        ordered = roots_joined(factors)
        if len(ordered) > 1:
            ordered.sort(key=self.order.factor_key)
        above = [factor for factor in ordered if factor[1] > 0]
        below = [(base, -exponent) for base, exponent in ordered if exponent < 0] if len(above) < len(ordered) else []
        pieces: list[Piece] = []
        if coefficient.numerator != 1 or not above:
            pieces.append(digits(coefficient.numerator))
        for base, exponent in above:
            if pieces:
                pieces.append("*")
            pieces += (exponent == 1 and self._beside.get(base)) or self._factor(base, exponent)
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
            return self._beside.setdefault(base, self._operand(base, _POWER))
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


def program(expressions: Sequence[Expr], prefix: str = "c") -> tuple[list[tuple[str, str]], list[str]]:
    """Return named parts, in order, as (name, text), and the texts of the expressions, which use those names.

    A part is named when it is used more than once and is more than a leaf, a multiple, a power, or the sine or
    cosine of one. Read back with each name in turn made a let, the texts give the same expressions.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> program([(x + y)**2, x/(x + y)])
    ([('c1', 'x + y')], ['c1^2', 'x/c1'])
    """
    if not is_name(f"{prefix}1"):
        raise ExpressionError(f"'{prefix}' cannot begin a name: it takes a letter, then letters, digits or '_'.")
    roots = without_solves(expressions)
    order = postorder(roots)
    uses: Counter[Expr] = Counter(roots)
    for node in order:
        if node.op == "pick":  # sine and cosine are each written with their angle
            uses[node.args[0].args[0]] += 1
        elif node.op != "sincos":
            uses.update(node.args)
    taken = {s.name for s in symbols(roots)} | {f.name for f in functions(roots)} | RESERVED
    names: dict[Expr, str] = {}
    number = 0
    for node in order:
        if uses[node] > 1 and node.op != "sincos" and not _is_trivial(node):
            number += 1
            while f"{prefix}{number}" in taken:
                number += 1
            names[node] = f"{prefix}{number}"
    printer = Printer(roots, names)
    lets = [(name, printer.write(node, spelled_out=True)) for node, name in names.items()]
    return lets, [printer.write(root) for root in roots]


def _is_trivial(node: Expr) -> bool:
    """Say whether a node is best repeated: a leaf, its sine or cosine; a power of these; a multiple of all these."""
    if node.op == "sum" and len(node.args) == 1 and not node.data[0]:
        node = node.args[0]
    if node.op == "product" and len(node.args) == 1:
        node = node.args[0]
    if node.op == "pick":
        node = node.args[0].args[0]
    return not node.args


def signed_sum(terms: Iterable[tuple[Expr, str]]) -> str:
    """Return a sum of names with factors, as one writes it.

    >>> from dalembert.expr.graph import ONE, symbol
    >>> x = symbol("x")
    >>> signed_sum([(-x, "a"), (ONE, "b"), (x - 1, "c"), (-ONE, "d")])
    '-x a + b + (x - 1) c - d'
    """
    said = ""
    for factor, name in terms:
        shown = text(factor)
        several = " + " in shown or " - " in shown
        minus = shown.startswith("-") and not several
        shown = shown.removeprefix("-") if minus else shown
        shown = "" if shown == "1" else f"({shown}) " if several else f"{shown} "
        sign = " - " if minus else " + "
        said += f"{sign}{shown}{name}" if said else f"{'-' if minus else ''}{shown}{name}"
    return said
