"""Text with shared parts named: as long as the graph is large, where plain text would be as long as the tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.graph import Expr
from dalembert.expr.text.printer import Printer, without_solves
from dalembert.expr.vocabulary import RESERVED, is_name
from dalembert.expr.walk import functions, postorder, symbols

__all__ = ["program"]


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
