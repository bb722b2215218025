"""The one expression graph: immutable nodes, each distinct one made only once.

An :class:`Expr` is an operation, some data and its arguments. Equal things built alike are the *same object*, so
``is`` compares expressions and a dictionary keyed by nodes shares work. Constants are exact.

========== ============================== ==========================================
operation  data                           arguments
========== ============================== ==========================================
number     the value (int or Fraction)
pi
symbol     a Symbol
sum        (constant, coefficients)       the terms
product    exponents (int or Fraction)    the bases
power                                     base, exponent (not a number)
call       ``exp log atan asin acos``     the argument
jet        (Function, slot orders)        the arguments of the function
sincos                                    the angle; values: sine, cosine
factor     size                           the entries of a square matrix, by rows
solve                                     a factor, then the right-hand side; values: the solution
basic      (size, rank)                   a square matrix, by rows, its right-hand side; values: a basic solution
pick       index                          a node with several values
========== ============================== ==========================================

Sums and products are collected (like terms, like bases, numeric coefficients outside products) and ordered, but a
sum inside a sum stays where it is: opening it would lose the sharing that keeps formulas of mechanics small.
Nothing is ever expanded. The order is by ``stamp``, a hash that is the same in every process.
"""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Iterable
from fractions import Fraction
from operator import attrgetter
from typing import Any, Final, TypeAlias

from dalembert.errors import ExpressionError
from dalembert.expr.exact import Number, exact_power, prime_factors, split_root, tidy_number
from dalembert.expr.stamps import stamp_of
from dalembert.expr.symbols import Symbol
from dalembert.processes import in_forks

__all__ = [
    "COUNTED", "KIND", "ONE", "PI", "ROOT", "ZERO", "Constant", "Expr", "Number", "Operand", "as_expr",
    "make", "number", "prime_factors", "product", "symbol", "total",
]  # fmt: skip

Operand: TypeAlias = "Expr | Symbol | int | Fraction"
"""What arithmetic on expressions accepts. Floats are refused: they are not exact."""
Constant: TypeAlias = "Expr | int | Fraction"
"""A number, exact: a fraction, or an expression without symbols such as that of pi/10."""

_OPERATIONS: Final = "number pi symbol sum product power call jet sincos factor solve pick basic assembled"
_CODE: Final = {op: code for code, op in enumerate(_OPERATIONS.split())}
KIND: Final = {op: 1 << code for op, code in _CODE.items()}
"""A bit for each operation, and"""
ROOT: Final = 1 << len(_CODE)
"""one for products with a broken exponent: ``Expr.kinds`` has those that occur, so that nobody walks to find none."""
COUNTED: Final = 1 << 60
"""Up to here the nodes of a tree are counted; they may double with every node."""
_table: dict[tuple[Any, ...], Expr] = {}
_lock = threading.Lock()


def _renew_lock() -> None:
    """Forget, in a forked program, that a thread of its parent was making a node."""
    global _lock  # noqa: PLW0603 - the name is what every thread looks at
    _lock = threading.Lock()


in_forks(_renew_lock)


class Expr:
    """A node of the expression graph; build it with operators and the functions of this package.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> x*y + y*x
    2*x*y
    >>> (x + y)**2 is (y + x)**2
    True
    """

    __slots__ = ("args", "data", "kinds", "op", "stamp", "tree")

    op: str
    data: Any
    args: tuple[Expr, ...]
    stamp: int
    kinds: int
    """The operations of the node and all below it, by their bits."""
    tree: int
    """How many nodes there would be if nothing were shared, as far as that is counted."""

    # -- arithmetic ------------------------------------------------------------------------------------------
    def __add__(self, other: Operand) -> Expr:
        """Return the sum."""
        return total(((1, self), (1, as_expr(other))))

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Expr:
        """Return the difference."""
        return total(((1, self), (-1, as_expr(other))))

    def __rsub__(self, other: Operand) -> Expr:
        """Return the difference."""
        return total(((-1, self), (1, as_expr(other))))

    def __mul__(self, other: Operand) -> Expr:
        """Return the product; what is not a number or expression (a vector field, a form) is asked itself."""
        if not isinstance(other, Expr):
            if hasattr(other, "chart"):
                return NotImplemented
            other = as_expr(other)
        if other is ONE:
            return self
        if self is ONE:
            return other
        if self is ZERO or other is ZERO:
            return ZERO
        if self is not other and _stays(self) and _stays(other):  # most products: nothing to collect, nothing to open
            return make("product", (1, 1), (self, other) if self.stamp < other.stamp else (other, self))
        return product(((self, 1), (other, 1)))

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Expr:
        """Return the quotient."""
        return product(((self, 1), (as_expr(other), -1)))

    def __rtruediv__(self, other: Operand) -> Expr:
        """Return the quotient."""
        return product(((as_expr(other), 1), (self, -1)))

    def __pow__(self, exponent: Operand) -> Expr:
        """Return the power; a fraction as exponent is a root."""
        from dalembert.expr.elementary import power

        return power(self, exponent)

    def __rpow__(self, base: Operand) -> Expr:
        """Return the power with a constant base."""
        from dalembert.expr.elementary import power

        return power(as_expr(base), self)

    def __neg__(self) -> Expr:
        """Return the negative."""
        return total(((-1, self),))

    def __pos__(self) -> Expr:
        """Return the expression itself."""
        return self

    def __bool__(self) -> bool:
        """Refuse: whether an expression is zero is a question for ``is_zero``."""
        raise ExpressionError("an expression has no truth value; ask is_zero(...) or equal(..., ...).")

    # -- reading ---------------------------------------------------------------------------------------------
    @property
    def value(self) -> Number | None:
        """The value of a number, else None."""
        return self.data if self.op == "number" else None

    def __float__(self) -> float:
        """Return the value of a constant, rounded; an expression with symbols has none."""
        from dalembert.expr.readers import Floats
        from dalembert.expr.walk import evaluate

        return float(evaluate([self], Floats({}))[0])

    @property
    def dot(self) -> Expr:
        """The time derivative: ``x.dot`` is the velocity of the variable x."""
        if self.op == "symbol" and self.data.role == "variable":
            return symbol(self.data.dot)
        from dalembert.expr.calculus import time_derivative

        return time_derivative(self)

    def __repr__(self) -> str:
        """Return the text of a small expression, or say how large it is."""
        from dalembert.expr.text.printer import summary

        return summary(self)

    def _repr_latex_(self) -> str | None:
        """Return what a notebook shows, or None to leave it to ``repr``."""
        from dalembert.expr.display import notebook

        return notebook(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as a flat list of nodes, so that depth is no limit and identity is restored on arrival."""
        from dalembert.expr.walk import pack, unpack

        return unpack, (pack([self]), 0)

    def __copy__(self) -> Expr:
        """Return the same object: there is only one."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Expr:
        """Return the same object: there is only one."""
        return self


def make(op: str, data: Any = None, args: tuple[Expr, ...] = ()) -> Expr:
    """Return the one node with this content. Callers outside this package want the smart constructors."""
    key = (op, data, args)
    with _lock:
        node = _table.get(key)
        if node is None:
            node = object.__new__(Expr)
            node.op, node.data, node.args = op, data, args
            node.stamp = hash((_CODE[op], stamp_of(op, data), *[a.stamp for a in args]))
            kinds, tree = KIND[op], 1
            for argument in args:
                kinds |= argument.kinds
                tree += argument.tree
            if op == "product":
                for exponent in data:
                    if exponent.__class__ is not int and exponent.denominator != 1:
                        kinds |= ROOT
            node.kinds, node.tree = kinds, min(COUNTED, tree)
            _table[key] = node
            if len(_table) > _sweep.due:
                _sweep()
    return node


class _Sweep:
    """Forgets the nodes that nobody uses any more, whenever their table has doubled.

    The table holds its nodes by ordinary references and a node is unused when it has no others. Weak references would
    do the same at once but cost three times as much per node made. Nodes are older than what uses them, so one pass
    from the youngest to the oldest frees whole expressions, and no deep chain is ever freed recursively.
    """

    due = 100_000

    def __call__(self) -> None:
        keys = list(_table)
        while keys:  # popped, so that the list itself keeps nothing alive
            key = keys.pop()
            if sys.getrefcount(_table[key]) == 2:  # the table, and the argument of this very call
                del _table[key]
        self.due = max(100_000, 2 * len(_table))


_sweep = _Sweep()


def number(value: Number) -> Expr:
    """Return the exact constant ``value``."""
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise ExpressionError(f"{value!r} is not an exact number; write a fraction or the text of a decimal.")
    return make("number", tidy_number(value))


def symbol(name: str | Symbol, **facts: Any) -> Expr:
    """Return the leaf for a symbol, or for the name and facts of one.

    >>> symbol("m", role="parameter", domain="positive")
    m
    """
    return make("symbol", name if isinstance(name, Symbol) else Symbol(name, **facts))


def as_expr(value: Operand) -> Expr:
    """Return ``value`` as an expression."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, Symbol):
        return make("symbol", value)
    return number(value)


_by_stamp = attrgetter("stamp")


def total(terms: Iterable[tuple[Number, Expr]], constant: Number = 0) -> Expr:
    """Return ``constant + sum of coefficient * term``, like terms collected."""
    parts: dict[Expr, Number] = {}
    for coefficient, term in terms:
        if not coefficient:
            continue
        if term.op == "number":
            constant += coefficient * term.data
            continue
        if term.op == "sum" and len(term.args) == 1 and not term.data[0]:
            coefficient, term = coefficient * term.data[1][0], term.args[0]
        parts[term] = parts[term] + coefficient if term in parts else coefficient
    kept = [n for n, c in parts.items() if c]
    if not kept:
        return number(constant)
    if len(kept) == 1 and not constant and parts[kept[0]] == 1:
        return kept[0]
    kept.sort(key=_by_stamp)
    weights = [parts[n] for n in kept]
    coefficients = tuple([c if c.__class__ is int else tidy_number(c) for c in weights])
    return make("sum", (tidy_number(constant), coefficients), tuple(kept))


def product(factors: Iterable[tuple[Expr, Number]], coefficient: Number = 1) -> Expr:
    """Return ``coefficient * product of base**exponent``, like bases collected, numbers taken out."""
    parts: dict[Expr, Number] = {}
    pending = list(factors)
    rooted = False
    while pending:
        base, exponent = pending.pop()
        op = base.op
        whole = exponent.__class__ is int or exponent.denominator == 1
        rooted = rooted or not whole
        if op == "pick" or op == "symbol":  # noqa: PLR1714 - most factors are these, and a set takes longer
            parts[base] = parts[base] + exponent if base in parts else exponent
            continue
        if op == "number":
            if whole:
                coefficient *= base.data if exponent == 1 else exact_power(base.data, int(exponent))
                continue
        elif op == "sum" and len(base.args) == 1 and not base.data[0]:
            scale = base.data[1][0]
            if whole:
                coefficient *= scale if exponent == 1 else exact_power(scale, int(exponent))
                base = base.args[0]
            elif scale > 0 and scale != 1:
                pending += [(base.args[0], exponent), (number(scale), exponent)]
                continue
        if base.op == "product":
            if base.args[0].op == "number" and all(a.op == "number" for a in base.args):
                pending += [(a, e * exponent) for a, e in zip(base.args, base.data, strict=True)]
                continue
            if len(base.args) == 1:
                inner = base.data[0]
                if whole or inner.denominator != 1 or is_positive(base.args[0]):
                    pending.append((base.args[0], inner * exponent))
                    continue
        parts[base] = parts[base] + exponent if base in parts else exponent
    if rooted:
        if any(e.denominator == 1 and _opens(n) for n, e in parts.items()):
            return product(parts.items(), coefficient)  # roots that met are whole powers now: sqrt(-x) * sqrt(-x)
        for base in [n for n in parts if n.op == "number"]:
            coefficient *= _split_root(base.data, parts.pop(base), parts)
    if not coefficient:
        return ZERO
    kept = [n for n, e in parts.items() if e]
    if not kept:
        return number(coefficient)
    if len(kept) == 1 and parts[kept[0]] == 1:
        node = kept[0]
    else:
        kept.sort(key=_by_stamp)
        powers = [parts[n] for n in kept]
        node = make("product", tuple([e if e.__class__ is int else tidy_number(e) for e in powers]), tuple(kept))
    return node if coefficient == 1 else total(((coefficient, node),))


def _stays(node: Expr) -> bool:
    """Say whether a node stands in a product as it is."""
    op = node.op
    if op == "sum":
        return len(node.args) > 1 or bool(node.data[0])
    if op == "product":
        return len(node.args) > 1 and node.args[0].op != "number"
    return op != "number"


def _opens(node: Expr) -> bool:
    """Say whether a whole power of the node is written by its only argument: ``c*x`` or ``x**e``."""
    return len(node.args) == 1 and (node.op == "product" or (node.op == "sum" and not node.data[0]))


def _split_root(base: Number, exponent: Number, parts: dict[Expr, Number]) -> Number:
    """Write ``base**exponent`` as a rational (returned) times primes to exponents in (0, 1), put into ``parts``."""
    coefficient, primes = split_root(base, exponent)
    for prime, power in primes.items():
        node = make("number", prime)
        parts[node] = parts.get(node, 0) + power
    again = [n for n, e in parts.items() if n.op == "number" and e >= 1]
    for node in again:  # the same prime met twice: sqrt(2) * sqrt(2)
        whole = math.floor(parts[node])
        coefficient *= exact_power(node.data, whole)
        parts[node] -= whole
    return coefficient


def is_positive(node: Expr) -> bool:
    """Say whether a node is positive at a glance (the real test is ``truth.sign``)."""
    match node.op:
        case "number":
            return bool(node.data > 0)
        case "symbol":
            return bool(node.data.domain == "positive")
        case "call":
            return bool(node.data == "exp")
        case "product":
            return all(is_positive(a) for a in node.args if a.op != "product") and not any(
                a.op == "product" for a in node.args
            )
        case _:
            return node.op == "pi"


ZERO: Final = make("number", 0)
ONE: Final = make("number", 1)
PI: Final = make("pi")
