r"""Expressions on a page: LaTeX and MathML from one display tree.

================================ ===========================================================================
in text                          on the page
================================ ===========================================================================
``x'``, ``x''``                  :math:`\dot{x}`, :math:`\ddot{x}`; from order 4 on :math:`x^{(4)}`
``theta``, ``phi1``, ``m_wheel`` Greek letters, subscripts, words upright (see ``names``)
``V(x, y)``                      an unspecified function
``D(V, 1, 2)(x, y)``             :math:`\partial_1 \partial_2 V(x, y)`, derivatives *by slot*
``D(f, 1)(x)``                   :math:`f'(x)`, since there is one slot only
``abs(x)``, ``x^(2/3)``          bars; roots with their degree, other broken powers with a slash
================================ ===========================================================================

A page is for reading: it shows the value of an expression, not the shape of its graph, so it cannot be read back as
``text`` can.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from dalembert.errors import ExpressionError, expect
from dalembert.expr.display.equations import (
    LONGEST,
    Left,
    Right,
    avoided,
    check_rectangle,
    matrix,
    stacked,
    system,
    systems,
)
from dalembert.expr.display.idioms import for_the_page
from dalembert.expr.display.layout import Layout
from dalembert.expr.display.measure import widths_and_uses
from dalembert.expr.display.records import Formula, Part, Row, Table
from dalembert.expr.display.writers import LatexWriter, MathmlWriter
from dalembert.expr.graph import Expr
from dalembert.expr.walk import postorder

__all__ = [
    "latex",
    "latex_equations",
    "latex_groups",
    "latex_matrix",
    "mathml",
    "mathml_equations",
    "mathml_groups",
    "mathml_matrix",
    "notebook",
]

FONTS = "STIX Two Math, Cambria Math, Latin Modern Math, DejaVu Math TeX Gyre, math"
"""Fonts with tall brackets, one of which is on most machines; Chromium on Linux does not look for them by itself."""
_MOST_PARTS = 500_000
"""Nodes of a tree that is written without names."""
_SHORT = 150
"""Nodes of a tree that a notebook shows in one line."""
_LONG = 3_000
"""Shared nodes that a notebook still shows."""
_PAGES = 32
"""Groups of equations that are remembered: two formalisms with the same equations, or an object that is shown twice,
show the same ones."""


def latex(expression: Expr, *, short: bool = False) -> str:
    r"""Return an expression as LaTeX, for amsmath or MathJax, without dollar signs.

    >>> from dalembert.expr import cos, symbol
    >>> x, phi1 = symbol("x"), symbol("phi1")
    >>> print(latex(x.dot**2 * cos(phi1) / 2))
    \frac{1}{2} \dot{x}^2 \cos\phi_1
    >>> print(latex(cos(phi1 + x), short=True))
    c_{\phi_1 + x}

    Parameters
    ----------
    expression
        What to show; linear solves are written out.
    short
        Write :math:`s_\theta` and :math:`c_\theta` for sine and cosine where the angle is short.
    """
    expect(expression, Expr, "latex takes an expression")
    layout, part = _formula(expression, short)
    return LatexWriter(layout).write(part)


def mathml(expression: Expr, *, short: bool = False, block: bool = True) -> str:
    """Return an expression as a ``math`` element of MathML Core, on a line of its own or in the text.

    >>> from dalembert.expr import symbol
    >>> print(mathml(symbol("x")**2, block=False))  # doctest: +ELLIPSIS
    <math xmlns="http://www.w3.org/1998/Math/MathML" style="..."><msup><mi>x</mi><mn>2</mn></msup></math>
    """
    expect(expression, Expr, "mathml takes an expression")
    layout, part = _formula(expression, short)
    return _math(MathmlWriter(layout).write(part), block=block)


def latex_equations(
    pairs: Sequence[tuple[Left, Right]], *, longest: float = LONGEST, short: bool = False, prefix: str | None = None
) -> str:
    r"""Return equations, given as (left side, right side), as an ``aligned`` block of LaTeX.

    A left side is an expression, a name, or None where there is only a right side; a right side is an expression or
    the rows of a matrix. Sums wider than a line are broken; what is too wide to be broken, has fractions inside
    fractions, or occurs often in a long system, is named and listed below.

    >>> from dalembert.expr import symbol
    >>> x, k = symbol("x"), symbol("k", role="parameter")
    >>> print(latex_equations([(x.dot.dot, -k*x), ("E", (x.dot**2 + k*x**2)/2)]))
    \begin{aligned}
    \ddot{x} &= -k x \\
    E &= \frac{1}{2} (k x^2 + \dot{x}^2)
    \end{aligned}

    Parameters
    ----------
    pairs
        The two sides of each equation.
    longest
        About how many letters wide a line may be.
    short
        As for :func:`latex`.
    prefix
        What the names of parts begin with; by itself a letter that no other name begins with, ``c`` if possible.
    """
    layout, table = system(pairs, longest=longest, short=short, prefix=prefix)
    return LatexWriter(layout).write(table)


def mathml_equations(
    pairs: Sequence[tuple[Left, Right]], *, longest: float = LONGEST, short: bool = False, prefix: str | None = None
) -> str:
    """Return equations as a ``math`` element; as :func:`latex_equations` does."""
    layout, table = system(pairs, longest=longest, short=short, prefix=prefix)
    return _math(MathmlWriter(layout).write(table), block=True)


def latex_groups(groups: Sequence[Sequence[tuple[Left, Right]]], *, longest: float = LONGEST) -> tuple[list[str], str]:
    r"""Return groups of equations as LaTeX, and the parts that have a name in any of them.

    >>> from dalembert.expr import symbol
    >>> latex_groups([[("E", symbol("x") ** 2)], []])
    (['\\begin{aligned}\nE &= x^2\n\\end{aligned}', ''], '')
    """
    layout, tables, parts = systems(groups, longest=longest)
    writer = LatexWriter(layout)
    above = [
        writer.write(_in_lines(table, pairs, longest)) if table.rows else ""
        for table, pairs in zip(tables, groups, strict=True)
    ]
    return above, writer.write(parts) if parts.rows else ""


def mathml_groups(
    groups: Sequence[Sequence[tuple[Left, Right]]], *, longest: float = LONGEST
) -> tuple[list[str], str, int]:
    """Return groups of equations as ``math`` elements, the parts that have a name in any of them, and their number.

    >>> from dalembert.expr import symbol
    >>> mathml_groups([[("E", symbol("x") ** 2)]])[1:]
    ('', 0)
    """
    given = tuple(tuple((left, _kept(right)) for left, right in pairs) for pairs in groups)
    above, below, names = _mathml_groups(given, longest, avoided())
    return list(above), below, names


def _kept(right: Right) -> Right:
    """Return a right side that does not change."""
    return right if isinstance(right, Expr) else tuple(map(tuple, right))


@lru_cache(maxsize=_PAGES)
def _mathml_groups(
    groups: tuple[tuple[tuple[Left, Right], ...], ...],
    longest: float,
    _avoided: frozenset[str],  # names of parts depend on it
) -> tuple[tuple[str, ...], str, int]:
    layout, tables, parts = systems(groups, longest=longest)
    writer = MathmlWriter(layout)
    above = tuple(_math(writer.write(table), block=True) if table.rows else "" for table in tables)
    names = sum(left != Row(()) for left, _ in parts.rows)  # a part that is broken has lines without one
    return above, _math(writer.write(parts), block=True) if parts.rows else "", names


def _in_lines(table: Table, pairs: Sequence[tuple[Left, Right]], longest: float) -> Table:
    """Return equations that are aligned, or, where left sides leave no room for right ones, in lines of their own."""
    widths, _ = widths_and_uses([left for left, _ in pairs if isinstance(left, Expr)], short=False)
    room = [widths[left] if isinstance(left, Expr) else 0.0 for left, _ in pairs]
    if all(width <= longest / 2 for width in room):
        return table
    return stacked(table, [width > longest / 6 for width in room])  # lines of right sides may be full


def latex_matrix(rows: Sequence[Sequence[Expr]], *, short: bool = False) -> str:
    r"""Return a matrix, given by its rows, as LaTeX.

    >>> from dalembert.expr import ONE, ZERO, symbol
    >>> print(latex_matrix([[ONE, symbol("x")], [ZERO, symbol("theta")]]))
    \begin{pmatrix} 1 & x \\ 0 & \theta \end{pmatrix}
    """
    layout, table = _matrix(rows, short)
    return LatexWriter(layout).write(table)


def mathml_matrix(rows: Sequence[Sequence[Expr]], *, short: bool = False, block: bool = True) -> str:
    """Return a matrix, given by its rows, as a ``math`` element."""
    layout, table = _matrix(rows, short)
    return _math(MathmlWriter(layout).write(table), block=block)


def notebook(expression: Expr) -> str | None:
    """Return what a notebook shows: a line, equations with named parts, or None for what nobody would read."""
    if len(postorder([expression])) > _LONG:
        return None
    try:
        shown = for_the_page([expression])
    except ExpressionError:  # a node of several values, or a singular matrix: repr has something to say about it
        return None
    if _tree_size(shown) <= _SHORT:
        return rf"$\displaystyle {latex(expression)}$"
    if len(postorder(shown)) > _LONG:
        return None
    return f"${latex_equations([(None, expression)])}$"


def _formula(expression: Expr, short: bool) -> tuple[Layout, Part]:
    roots = for_the_page([expression])
    _check_size(roots)
    return Layout(roots, short=short), Formula(roots[0])


def _matrix(rows: Sequence[Sequence[Expr]], short: bool) -> tuple[Layout, Table]:
    check_rectangle(rows)
    roots = for_the_page([entry for entries in rows for entry in entries])
    _check_size(roots)
    size = len(rows[0])
    return Layout(roots, short=short), matrix([roots[i : i + size] for i in range(0, len(roots), size)])


def _check_size(roots: Sequence[Expr]) -> None:
    if _tree_size(roots) > _MOST_PARTS:
        raise ExpressionError("the formula would be too long; show it with its parts named (latex_equations).")


def _tree_size(roots: Sequence[Expr]) -> int:
    """Return how many nodes there would be if nothing were shared, as far as one cares to count."""
    size: dict[Expr, int] = {}
    for node in postorder(roots):
        size[node] = min(1 + sum(size[a] for a in node.args), _MOST_PARTS + 1)
    return sum(size[root] for root in roots)


def _math(body: str, *, block: bool) -> str:
    display = ' display="block"' if block else ""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{display} style="font-family: {FONTS}">{body}</math>'
