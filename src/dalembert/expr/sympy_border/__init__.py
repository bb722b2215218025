"""SymPy in and out.

Three ways of writing velocities are understood: plain symbols in pairs, ``dynamicsymbols``, and functions of time.

>>> import sympy
>>> from sympy.physics.mechanics import dynamicsymbols
>>> m, x, v = sympy.symbols("m x v")
>>> from_sympy(m * v**2 / 2 - m * x, {x: v})
m*x'^2/2 - m*x
>>> q = dynamicsymbols("q")
>>> t = dynamicsymbols._t
>>> from_sympy(m * q.diff(t) ** 2 / 2 - m * q)
m*q'^2/2 - m*q

:class:`Names` says more: parameters, domains, the symbol for time. Passed both ways it brings the same symbols back.

>>> L = m * v**2 / 2
>>> names = names_of(L, names={x: v})
>>> to_sympy(from_sympy(L, names), names) == L
True

Decimal numbers are taken for what they say, not for the nearest binary fraction: ``0.1`` becomes 1/10.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dalembert.errors import ExpressionError, expect
from dalembert.expr.graph import Expr
from dalembert.expr.sympy_border.names import Ledger, Names, Style
from dalembert.expr.sympy_border.translation import Reading, Writing
from dalembert.expr.walk import evaluate, functions, unroll
from dalembert.expr.walk import symbols as symbols_in

__all__ = ["Names", "from_sympy", "names_of", "to_sympy"]


def from_sympy(expression: Any, symbols: Names | Mapping[Any, Any] | Iterable[Any] | None = None) -> Expr:
    """Return a SymPy expression as a graph.

    Derivatives mean what they mean in SymPy: by a plain symbol, or by ``q(t)``, they are partial; by time, functions
    of time move and plain symbols do not. A derivative taken at a point stays a derivative in its slot.

    >>> import sympy
    >>> x, y = sympy.symbols("x y")
    >>> f = sympy.Function("f")
    >>> from_sympy(f(x, y).diff(x).subs(x, y))
    D(f, 1)(y, y)

    Parameters
    ----------
    expression
        A SymPy expression or a Python number.
    symbols
        What its symbols mean: a :class:`Names`, or just the coordinates for one (``{x: xdot}``). Plain symbols that
        are not mentioned are parameters, functions of time are variables; both with the assumptions SymPy has.
    """
    return Reading(Ledger(_as_names(symbols))).read(expression)


def to_sympy(
    expression: Expr, symbols: Names | Mapping[Any, Any] | Iterable[Any] | None = None, style: Style = "functions"
) -> Any:
    """Return a graph as a SymPy expression; linear solves are written out.

    >>> from dalembert.expr import sin, symbol
    >>> x = symbol("x")
    >>> to_sympy(sin(x) * x.dot)
    sin(x(t))*Derivative(x(t), t)
    >>> to_sympy(sin(x) * x.dot, style="symbols")
    xdot*sin(x)

    Parameters
    ----------
    expression
        The graph.
    symbols
        The SymPy objects to use. To read the result back, use :func:`names_of` and pass the same names both ways.
    style
        How variables without a name of their own are written: ``functions`` of time, or plain ``symbols``.
    """
    expect(expression, Expr, "to_sympy takes an expression")
    (root,) = unroll([expression])
    try:
        return evaluate([root], Writing(Ledger(_as_names(symbols)), style, root))[0]
    except RecursionError:
        raise ExpressionError("an argument of an unspecified function is nested too deeply for SymPy.") from None


def names_of(
    *expressions: Any, names: Names | Mapping[Any, Any] | Iterable[Any] | None = None, style: Style = "functions"
) -> Names:
    """Return ``names`` with all that occurs in some expressions, SymPy's or graphs, added to it.

    >>> from dalembert.expr import symbol
    >>> x = symbol("x", domain="angle")
    >>> names = names_of(x * x.dot, style="symbols")
    >>> from_sympy(to_sympy(x * x.dot, names), names) is x * x.dot
    True
    """
    ledger = Ledger(_as_names(names))
    for expression in expressions:
        if isinstance(expression, Expr):
            for one in sorted(symbols_in([expression]), key=lambda s: (s.order, s.name)):
                ledger.atom_of(one, style)
            for function in functions([expression]):
                ledger.head_of(function)
        else:
            Reading(ledger).read(expression)
    return ledger.names()


def _as_names(given: Names | Mapping[Any, Any] | Iterable[Any] | None) -> Names:
    if given is None:
        return Names()
    return given if isinstance(given, Names) else Names.of(given)
