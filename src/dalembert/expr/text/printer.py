"""From expressions to text that reads back to the very same expression.

The text mirrors the graph: a sum inside a sum, or a product inside a product, is in brackets, since the graph keeps it
apart on purpose. Within a sum or product, the order is one for people, that of ``order``, with a positive term in
front and constants last.

A node becomes a short list of pieces, strings and the nodes between them; text is made by going through the pieces
with a stack, so depth is no limit.

A program is text with shared parts named: as long as the graph is large, where plain text would be as long as the tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import Any, Final, TypeAlias

from dalembert.errors import EvaluationError, ExpressionError, expect
from dalembert.expr.graph import Expr, Number
from dalembert.expr.text.order import END, KEY_LENGTH, Factor, Order, digits, is_square
from dalembert.expr.vocabulary import RESERVED, is_name
from dalembert.expr.walk import functions, postorder, symbols, unroll

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
        self._beside: dict[Expr, list[Piece]] = {}
        """What stands for a node beside an operator: most nodes stand beside several."""
        self._ordered: dict[Expr, tuple[list[Factor], tuple[Any, ...]]] = {}
        """The factors of products without a name, and their places as terms, in however many sums they stand."""
        self.order = Order()
        for node in postorder(roots):
            if node.op != "sincos":
                self._add(node)

    def write(self, root: Expr, *, spelled_out: bool = False) -> str:
        """Return the text of a node: its name if it has one, unless it is to be spelled out."""
        if root in self.names and not spelled_out:
            return self.names[root]
        if self._lengths[root] > _MOST_CHARACTERS:
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

    @cached_property
    def _lengths(self) -> dict[Expr, int]:
        """How long the text of each node is; who wants the order alone does not ask."""
        lengths: dict[Expr, int] = {}
        for node, pieces in self._pieces.items():  # arguments first
            length = sum([len(piece) if isinstance(piece, str) else lengths[piece] for piece in pieces])
            lengths[node] = min(length, _MOST_CHARACTERS + 1)  # they may double with every node
        return lengths

    # -- one node --------------------------------------------------------------------------------------------
    def _add(self, node: Expr) -> None:
        pieces = self._pieces[node] = self._made(node)
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
            case "product":
                ordered = self.order.ordered(list(zip(node.args, node.data, strict=True)))
                if node not in self.names:
                    self._ordered[node] = ordered
                return self._monomial(1, 1, ordered[0])
            case "sum":
                return self._sum(node)
            case "number":
                return [digits(node.data)]
            case "pi":
                return ["pi"]
            case "symbol":
                return [node.data.label]
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
        terms: list[tuple[Any, Number, Expr | None]] = []
        for coefficient, term in zip(coefficients, node.args, strict=True):
            known = self._ordered.get(term)
            terms.append((self.order.term_key(((term, 1),)) if known is None else known[1], coefficient, term))
        terms.sort(key=itemgetter(0))
        if constant:
            terms.append((END, constant, None))
        first = next((i for i, (_, c, _) in enumerate(terms) if c.numerator > 0), 0)
        terms.insert(0, terms.pop(first))
        pieces: list[Piece] = []
        for i, (_, number, written) in enumerate(terms):
            over = number.numerator
            if i:
                pieces.append(" + " if over > 0 else " - ")
            elif over < 0:
                pieces.append("-")
            pieces += self._multiple(abs(over), number.denominator, written)
        return pieces

    def _multiple(self, over: int, under: int, term: Expr | None) -> list[Piece]:
        """Return a positive number times a term of a sum; a product without a name is written already."""
        known = None if term is None else self._ordered.get(term)
        if term is None:
            return self._monomial(over, under, ())
        if known is None:
            return self._monomial(over, under, ((term, 1),))
        return self._pieces[term] if over == under == 1 else self._monomial(over, under, known[0])

    def _monomial(self, over: int, under: int, ordered: Sequence[Factor]) -> list[Piece]:
        """Return ``over / under * product of base**exponent`` for positive numbers, the factors in their order."""
        pieces: list[Piece] = [digits(over)] if over != 1 else []
        below: list[Factor] = []
        for base, exponent in ordered:
            if exponent.numerator < 0:
                below.append((base, -exponent))
                continue
            if pieces:
                pieces.append("*")
            pieces += self._factor(base, exponent)
        if not pieces:
            pieces.append("1")
        if under != 1 and not below:
            return [*pieces, "/", digits(under)]
        for i, (base, exponent) in enumerate(below):
            if i == 0 and under != 1:  # what is scaled opens when it is divided by, so 1/(2*x) is as good as 1/2/x
                known = self._ordered.get(base) if exponent == 1 else None
                inner = ((base, exponent),) if known is None else known[0]
                pieces += ["/(", *self._monomial(under, 1, inner), ")"]
            else:
                pieces += ["/", *self._factor(base, exponent)]
        return pieces

    def _factor(self, base: Expr, exponent: Number) -> list[Piece]:
        """Return a base to a positive exponent, as it stands in a product."""
        if exponent == 1:
            known = self._beside.get(base)
            if known is None:
                known = self._beside[base] = self._operand(base, _POWER)
            return known
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
