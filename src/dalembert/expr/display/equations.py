"""Systems of equations on a page: aligned, long sums broken into lines, large or repeated parts named.

Three things get a name: what occurs often enough to be worth one, if the whole is long; what is wider than a line and
cannot be broken, such as a numerator; and a large part of a fraction that has fractions in it. The name is the
left side of the equation, if one says what it is; else ``c_1`` and so on, listed below the equations.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, TypeAlias

from dalembert.errors import ExpressionError
from dalembert.expr.display.idioms import for_the_page
from dalembert.expr.display.layout import Layout, Term, joined
from dalembert.expr.display.measure import parts_to_name, widths_and_uses
from dalembert.expr.display.names import MOST_DOTS, head, label_part
from dalembert.expr.display.records import Formula, Operator, Part, Row, Space, Table, Text, row
from dalembert.expr.graph import ONE, Expr, Number, total
from dalembert.expr.vocabulary import is_name
from dalembert.expr.walk import functions, postorder, symbols
from dalembert.records import dataclass, replace

Left: TypeAlias = "Expr | str | None"
"""The left side of an equation: an expression, a name, or nothing at all."""
Right: TypeAlias = "Expr | Sequence[Sequence[Expr]]"
"""The right side of an equation: an expression, or the rows of a matrix."""

_LETTERS: Final = "ckabhuwpnsdrfgvzABDEFGKNPSUVWYZ"
"""What names of parts begin with, if nothing else does."""
_ALIKE: Final = {"e": "c"}
"""Letters that look like others in small print: c_1 beside a generator e_1 was read as that."""
_AVOIDED: Final[ContextVar[frozenset[str]]] = ContextVar("avoided", default=frozenset())
"""Names that stand for something else on the page at hand, wherever they are on it."""
LONGEST: Final = 75.0
"""Letters in a line."""
_INDICES: Final = re.compile(r"[\^_{\s]")
WHERE: Final = Text("where")
"""The row between equations and the parts that have names."""


@dataclass(frozen=True, slots=True)
class _Equation:
    """The two sides, ready for the page; ``rows`` has one entry if the right side is no matrix."""

    left: Left
    rows: tuple[tuple[Expr, ...], ...]
    is_matrix: bool

    @property
    def entries(self) -> list[Expr]:
        return [entry for entries in self.rows for entry in entries]

    @property
    def label(self) -> str | None:
        """The left side as a name for the right one, if it can be."""
        if self.is_matrix:
            return None
        if isinstance(self.left, Expr):
            return self.left.data.label if self.left.op == "symbol" and self.left.data.order <= MOST_DOTS else None
        return None if self.left and _INDICES.search(self.left) else self.left  # a component is no name for others


def system(
    pairs: Sequence[tuple[Left, Right]], *, longest: float = LONGEST, short: bool = False, prefix: str | None = None
) -> tuple[Layout, Table]:
    """Return equations, given by their two sides, as a table, and the layout for what is in it."""
    layout, (table,), parts = systems([pairs], longest=longest, short=short, prefix=prefix)
    below = ((WHERE, Row(())), *parts.rows) if parts.rows else ()
    return layout, Table((*table.rows, *below), "equations")


def systems(
    groups: Sequence[Sequence[tuple[Left, Right]]],
    *,
    longest: float = LONGEST,
    short: bool = False,
    prefix: str | None = None,
) -> tuple[Layout, list[Table], Table]:
    """Return a table for each group of equations, and one of the parts that have a name in any of them."""
    if longest < 10:
        raise ExpressionError(f"a line of {longest} letters is too short for a formula; take at least 10.")
    if prefix is not None and not is_name(f"{prefix}1"):
        raise ExpressionError(f"'{prefix}' cannot begin a name: it takes a letter, then letters, digits or '_'.")
    equations = _opened(_ready([pair for pairs in groups for pair in pairs]), longest, short=short)
    limits = {e: longest / len(q.rows[0]) for q in equations if q.is_matrix for e in q.entries}
    rights = [entry for equation in equations for entry in equation.entries]
    lefts = [equation.left for equation in equations if isinstance(equation.left, Expr)]
    inside = {s.label for s in symbols(rights)}  # x = x + 1 does not give x + 1 a name
    labels = {q.rows[0][0]: q.label for q in reversed(equations) if q.label and q.label not in inside}
    named = parts_to_name(rights, longest, limits=limits, free=labels, short=short)
    labels = {node: label for node, label in labels.items() if node in named}
    roots = [*rights, *lefts]
    taken = {s.name for s in symbols(roots)} | {f.name for f in functions(roots)}
    taken |= {equation.left for equation in equations if isinstance(equation.left, str)}
    named -= labels.keys()
    numbered = part_names(named, roots, taken, short=short, prefix=prefix)
    layout = Layout(roots, {**labels, **numbered}, short=short)
    if unseen := named - layout.reached(roots):
        numbered = part_names(named - unseen, roots, taken, short=short, prefix=prefix)
        layout = Layout(roots, {**labels, **numbered}, short=short)
    ready = iter(equations)
    tables = [
        [line for _ in pairs for line in _rows(next(ready), labels, numbered, layout, longest)] for pairs in groups
    ]
    parts = [line for node, name in numbered.items() for line in _lines(label_part(name), layout.terms(node), longest)]
    return layout, [Table(tuple(rows), "equations") for rows in tables], Table(tuple(parts), "equations")


def stacked(table: Table, wide: Sequence[bool]) -> Table:
    """Return equations that are not aligned; right sides begin on lines of their own behind left ones that are wide."""
    rows: list[tuple[Part, ...]] = []
    turns = iter(wide)
    for left, right in table.rows:
        if left == Row(()):
            rows.append((left, right))
        elif next(turns):
            rows += [(Row(()), left), (Row(()), row(Space(), right))]
        else:
            rows.append((Row(()), row(left, right)))
    return Table(tuple(rows), table.kind)


def matrix(rows: Sequence[Sequence[Expr]]) -> Table:
    """Return a matrix of expressions that are ready for the page."""
    return Table(tuple(tuple(Formula(entry) for entry in entries) for entries in rows), "matrix")


def check_rectangle(rows: Sequence[Sequence[Expr]]) -> None:
    """Refuse a matrix with rows of unlike length, or with nothing in it."""
    if len({len(entries) for entries in rows}) != 1 or not rows[0]:
        raise ExpressionError("a matrix needs at least one row, and as many entries, at least one, in each.")


def _ready(pairs: Sequence[tuple[Left, Right]]) -> list[_Equation]:
    """Return equations with all expressions made ready for the page together, so that they share their parts."""
    roots: list[Expr] = []
    for left, right in pairs:
        if not isinstance(right, Expr):
            check_rectangle(right)
        roots += [left] if isinstance(left, Expr) else []
        roots += [right] if isinstance(right, Expr) else [entry for entries in right for entry in entries]
    ready = iter(for_the_page(roots))
    equations = []
    for left, right in pairs:
        side = next(ready) if isinstance(left, Expr) else left
        shape = [[right]] if isinstance(right, Expr) else right
        equations.append(_Equation(side, _taken(shape, ready), not isinstance(right, Expr)))
    return equations


def _opened(equations: list[_Equation], longest: float, *, short: bool) -> list[_Equation]:
    """Return equations in which no right side is a number times a name: of a long sum each term is multiplied.

    A sum that stands elsewhere too keeps its name.
    """
    found = {e for q in equations if not q.is_matrix for e in q.entries if _multiple(e) is not None}
    if not found:
        return equations
    roots = [side for q in equations for side in (*q.entries, *([q.left] if isinstance(q.left, Expr) else []))]
    widths, uses = widths_and_uses(roots, short=short)
    opened = {}
    for root in found:
        inner = _multiple(root)
        if inner is not None and widths[root] > longest and uses[inner] == 1:
            (number,) = root.data[1]
            opened[root] = total((number * c, a) for c, a in _terms(inner))
    return [q if q.is_matrix else replace(q, rows=(tuple(opened.get(e, e) for e in q.rows[0]),)) for q in equations]


def _terms(node: Expr) -> Iterator[tuple[Number, Expr]]:
    """Yield the terms of a sum with their numbers, those of sums in it too."""
    waiting = [node]
    while waiting:
        constant, numbers = (one := waiting.pop()).data
        if constant:
            yield constant, ONE
        for number, a in zip(numbers, one.args, strict=True):
            if number == 1 and a.op == "sum":
                waiting.append(a)
            else:
                yield number, a


def _multiple(node: Expr) -> Expr | None:
    """Return the sum of which a node is a multiple by a number; None of others."""
    one = node.op == "sum" and len(node.args) == 1 and not node.data[0] and node.args[0].op == "sum"
    return node.args[0] if one else None


def _taken(shape: Sequence[Sequence[Expr]], entries: Iterator[Expr]) -> tuple[tuple[Expr, ...], ...]:
    return tuple(tuple(next(entries) for _ in line) for line in shape)


def _rows(
    equation: _Equation, labels: dict[Expr, str], numbered: dict[Expr, str], layout: Layout, longest: float
) -> list[tuple[Part, Part]]:
    left = Formula(equation.left) if isinstance(equation.left, Expr) else equation.left and label_part(equation.left)
    if equation.is_matrix:
        return [(left or Row(()), row(*([Operator("equals")] if left else []), matrix(equation.rows)))]
    right = equation.rows[0][0]
    if right in numbered or labels.get(right, equation.label) != equation.label:
        return _lines(left or None, [Term(True, Formula(right), 0.0)], longest)
    return _lines(left or None, layout.terms(right), longest)


def _lines(left: Part | None, terms: Sequence[Term], longest: float) -> list[tuple[Part, Part]]:
    """Return an equation as rows: as many terms in each as there is room for."""
    lines: list[list[Term]] = []
    room = 0.0
    for term in terms:
        if not lines or term.width > room:
            lines.append([])
            room = longest
        lines[-1].append(term)
        room -= term.width + 2
    rows: list[tuple[Part, Part]] = []
    for line in lines:
        if rows:
            sign = Operator("plus" if line[0].positive else "minus")
            first = Term(True, line[0].part, line[0].width)
            rows.append((Row(()), row(Space(), sign, joined([first, *line[1:]]))))
        else:
            rows.append((left, row(Operator("equals"), joined(line))) if left else (Row(()), joined(line)))
    return rows


@contextmanager
def avoiding(names: Collection[str]) -> Iterator[None]:
    r"""Keep names, and the letters they begin with, from parts of formulas that are written meanwhile.

    >>> from dalembert.expr.display import latex_equations
    >>> from dalembert.expr.graph import symbol
    >>> wide = 1 / sum((symbol(f"x{k}") ** 2 for k in range(30)), symbol("y"))
    >>> with avoiding({"c1", "k"}):
    ...     print(latex_equations([("L", wide)]).splitlines()[1])
    L &= \frac{1}{a_1} \\
    """
    token = _AVOIDED.set(_AVOIDED.get() | frozenset(names))
    try:
        yield
    finally:
        _AVOIDED.reset(token)


def avoided() -> frozenset[str]:
    """Return the names that are kept from parts of formulas now."""
    return _AVOIDED.get()


def part_names(
    nodes: Collection[Expr],
    roots: Sequence[Expr],
    taken: Collection[str],
    *,
    short: bool = False,
    prefix: str | None = None,
) -> dict[Expr, str]:
    """Return names, in an order in which each is given before it is used.

    They begin with a letter that begins no other name, if there is one; a short cosine is a c.
    """
    every = {*taken, *avoided()}
    used = {head(name) for name in every}
    used |= {_ALIKE[letter] for letter in used.intersection(_ALIKE)}
    letters = [letter for letter in _LETTERS if not (short and letter == "c")]
    letter = prefix or next((one for one in letters if one not in used), letters[0])
    names: dict[Expr, str] = {}
    number = 0
    for node in postorder(roots):
        if node in nodes:
            number += 1
            while not every.isdisjoint({f"{letter}{number}", f"{letter}_{number}"}):
                number += 1
            names[node] = f"{letter}{number}"
    return names
