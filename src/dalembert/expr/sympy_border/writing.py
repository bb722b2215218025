"""From the graph to SymPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.exact import Number
from dalembert.expr.graph import Expr
from dalembert.expr.sympy_border.names import Ledger, Style
from dalembert.expr.walk import Reader, postorder, symbols

__all__ = ["Writing"]

_DEEP = 60  # SymPy's own rules recurse through an expression; what is deeper than this is written without them


class Writing(Reader[Any]):
    """Builds SymPy's objects, by its own rules (``evaluate``) as long as they are not too deep for those."""

    def __init__(self, ledger: Ledger, style: Style, root: Expr) -> None:
        self._ledger, self._style = ledger, style
        self._depth: dict[Expr, int] = {}
        for node in postorder([root]):
            self._depth[node] = 1 + max((self._depth[a] for a in node.args), default=0)
        for one in sorted(symbols([root]), key=lambda s: (s.order, s.name)):
            ledger.atom_of(one, style)  # coordinates first: their velocities are derivatives of them

    def _finish(self, value: Any) -> Any:
        if value.is_Atom and value.is_number and not value.is_finite:  # zoo, oo, nan
            raise ExpressionError("the expression divides by something that SymPy sees to be zero.")
        hash(value)  # which SymPy keeps; from the bottom up it never recurses
        return value

    def _apply(self, head: Any, node: Expr, *values: Any) -> Any:
        return self._finish(head(*values, evaluate=self._depth[node] <= _DEEP))

    def leaf(self, node: Expr) -> Any:
        import sympy

        if node.op == "symbol":
            return self._ledger.atom_of(node.data, self._style)
        return sympy.pi if node.op == "pi" else _rational(node.data)

    def sum(self, node: Expr, terms: Sequence[Any]) -> Any:
        import sympy

        constant, coefficients = node.data
        parts = [] if not constant else [_rational(constant)]
        for coefficient, term in zip(coefficients, terms, strict=True):
            parts.append(term if coefficient == 1 else self._apply(sympy.Mul, node, _rational(coefficient), term))
        return parts[0] if len(parts) == 1 else self._apply(sympy.Add, node, *parts)

    def product(self, node: Expr, bases: Sequence[Any]) -> Any:
        import sympy

        parts = [
            base if exponent == 1 else self._apply(sympy.Pow, node, base, _rational(exponent))
            for base, exponent in zip(bases, node.data, strict=True)
        ]
        return parts[0] if len(parts) == 1 else self._apply(sympy.Mul, node, *parts)

    def power(self, node: Expr, base: Any, exponent: Any) -> Any:
        import sympy

        return self._apply(sympy.Pow, node, base, exponent)

    def call(self, node: Expr, value: Any) -> Any:
        import sympy

        return self._apply(getattr(sympy, node.data), node, value)

    def sincos(self, node: Expr, angle: Any) -> Sequence[Any]:
        import sympy

        return self._apply(sympy.sin, node, angle), self._apply(sympy.cos, node, angle)

    def factor(self, node: Expr, entries: Sequence[Any]) -> Any:
        raise AssertionError  # solves are written out before

    def solve(self, node: Expr, factor: Any, rhs: Sequence[Any]) -> Sequence[Any]:
        raise AssertionError

    def jet(self, node: Expr, arguments: Sequence[Any]) -> Any:
        """Write a derivative by its arguments where they are symbols that say which slot is meant, else at a point."""
        import sympy

        function, orders = node.data
        head = self._ledger.head_of(function)
        slots = [i for i, order in enumerate(orders) if order]
        if not slots:
            return self._finish(head(*arguments))
        if self._tells_slots(node, slots):
            return sympy.Derivative(head(*arguments), *((arguments[i], orders[i]) for i in slots))
        dummies = {i: sympy.Dummy(f"xi_{i + 1}", dummy_index=i + 1, real=True) for i in slots}
        written = head(*(dummies.get(i, argument) for i, argument in enumerate(arguments)))
        if len({arguments[i] for i in slots}) == len(slots):
            written = sympy.Derivative(written, *((dummies[i], orders[i]) for i in slots))
            return self._finish(sympy.Subs(written, tuple(dummies.values()), tuple(arguments[i] for i in slots)))
        for i in slots:  # one after the other: SymPy takes dummies with the same point for the same dummy
            written = sympy.Subs(sympy.Derivative(written, (dummies[i], orders[i])), dummies[i], arguments[i])
        return self._finish(written)

    def _tells_slots(self, node: Expr, slots: Sequence[int]) -> bool:
        """Say whether differentiating by the arguments themselves is the derivative in the slots."""
        if any(a.op not in {"symbol", "number"} for a in node.args):
            return False
        leaves = [a.data for a in node.args if a.op == "symbol"]
        if len({(s.name, s.role) for s in leaves}) < len(leaves) or any(node.args[i].op != "symbol" for i in slots):
            return False
        by_time = any(node.args[i].data.role == "time" for i in slots)
        return not (by_time and any(s.name in self._ledger.moving for s in leaves))


def _rational(value: Number) -> Any:
    import sympy

    return sympy.Rational(value.numerator, value.denominator)
