"""From SymPy to the graph, and from the graph to SymPy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr import elementary
from dalembert.expr.calculus import tangent
from dalembert.expr.exact import Number
from dalembert.expr.graph import ONE, PI, Expr, number, product, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.sympy_border.names import Ledger, Style
from dalembert.expr.walk import Reader, postorder, substitute, symbols

_MOST_BITS = 20_000


class Reading:
    """One walk over a SymPy expression, by an explicit stack: depth is no limit.

    Nodes are known by identity, since comparing and hashing recurse in SymPy. Symbols bound by a ``Subs`` mean
    something else inside it; each such inside is a scope of its own, a table of the symbols bound there.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._scopes: list[dict[Any, Expr]] = [{}]
        self._inside: dict[tuple[int, int], int] = {}

    def read(self, root: Any) -> Expr:
        """Return the expression as a graph."""
        import sympy

        if isinstance(root, float):
            return number(_decimal(repr(root)))
        if isinstance(root, int | Fraction):
            return number(root)
        if not isinstance(root, sympy.Basic):
            raise ExpressionError(
                f"a SymPy expression or a number is expected here, not one of type {type(root).__name__}."
            )
        done: dict[tuple[int, int], Expr] = {}
        stack: list[tuple[Any, int]] = [(root, 0)]
        while stack:
            node, scope = stack[-1]
            if (id(node), scope) in done:
                stack.pop()
                continue
            parts = self._parts(node, scope)
            waiting = [part for part in parts if (id(part[0]), part[1]) not in done]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            values = [done[id(part), where] for part, where in parts]
            done[id(node), scope] = self._build(node, scope, values) if parts else self._leaf(node, scope)
        return done[id(root), 0]

    def _parts(self, node: Any, scope: int) -> list[tuple[Any, int]]:
        """Return what must be read before a node, each part with its scope."""
        import sympy
        from sympy.core.function import AppliedUndef

        if not node.args or isinstance(node, sympy.Symbol) or self._is_motion(node, scope):
            return []
        if isinstance(node, sympy.Subs):
            inside = self._scope_inside(node, scope)
            free = [v for v in node.variables if not isinstance(v, sympy.Symbol)]
            return [(node.expr, inside), *((p, scope) for p in node.point), *((v, inside) for v in free)]
        if isinstance(node, sympy.Derivative):
            return [(node.expr, scope), *((pair[0], scope) for pair in node.variable_count)]
        if isinstance(node, sympy.Add | sympy.Mul | sympy.Pow | AppliedUndef) or node.func in _elementary():
            return [(part, scope) for part in node.args]
        raise _foreign(node)

    def _is_motion(self, node: Any, scope: int) -> bool:
        return self._ledger.is_motion(node) and node.args[0] not in self._scopes[scope]

    def _scope_inside(self, node: Any, scope: int) -> int:
        import sympy

        key = id(node), scope
        if key not in self._inside:
            bound = dict(self._scopes[scope])
            for variable in node.variables:
                if isinstance(variable, sympy.Symbol):  # a space keeps it apart from every name that can be written
                    bound[variable] = symbol(f"bound {len(self._scopes)} {variable.name}", role="parameter")
            self._inside[key] = len(self._scopes)
            self._scopes.append(bound)
        return self._inside[key]

    def _leaf(self, node: Any, scope: int) -> Expr:
        import sympy

        if isinstance(node, sympy.Symbol):
            bound = self._scopes[scope].get(node)
            return symbol(self._ledger.symbol_of(node)) if bound is None else bound
        if self._is_motion(node, scope):
            return symbol(self._ledger.symbol_of(node))
        if isinstance(node, sympy.Rational):
            return number(Fraction(int(node.p), int(node.q)))
        if isinstance(node, sympy.Float):
            return number(_float(node))
        if node is sympy.pi:
            return PI
        if node is sympy.E:
            return elementary.exp(1)
        raise _foreign(node)

    def _build(self, node: Any, scope: int, values: list[Expr]) -> Expr:
        import sympy
        from sympy.core.function import AppliedUndef

        if isinstance(node, sympy.Add):
            return total([(1, value) for value in values])
        if isinstance(node, sympy.Mul):
            return product([(value, 1) for value in values])
        if isinstance(node, sympy.Pow):
            return elementary.power(values[0], values[1])
        if isinstance(node, sympy.Subs):
            return self._put_in(node, scope, values)
        if isinstance(node, sympy.Derivative):
            return self._differentiate(node, values)
        if isinstance(node, AppliedUndef):
            return elementary.jet(self._ledger.function_of(node.func, len(values)), values)
        return _elementary()[node.func](*values)

    def _differentiate(self, node: Any, values: list[Expr]) -> Expr:
        result = values[0]
        for (_, times), variable in zip(node.variable_count, values[1:], strict=True):
            if not times.is_Integer:
                raise ExpressionError(
                    "a SymPy derivative has a symbol as its order; only whole numbers are understood."
                )
            for _ in range(int(times)):
                result = tangent([result], self._seed(result, variable))[0]
        return result

    def _seed(self, expression: Expr, variable: Expr) -> dict[Expr, Expr]:
        """Return what moves when SymPy differentiates by a variable."""
        if variable.op not in {"symbol", "jet"}:
            raise ExpressionError("a SymPy derivative is taken by something that is neither a symbol nor a function.")
        seed = {variable: ONE}
        if variable.op == "symbol" and variable.data == TIME:
            for one in symbols([expression]):
                if one.role == "variable" and one.name in self._ledger.moving:
                    seed[symbol(one)] = symbol(one.dot)
        return seed

    def _put_in(self, node: Any, scope: int, values: list[Expr]) -> Expr:
        import sympy

        bound = self._scopes[self._inside[id(node), scope]]
        size = len(node.point)
        body, points, free = values[0], values[1 : 1 + size], iter(values[1 + size :])
        replacements = {}
        for variable, point in zip(node.variables, points, strict=True):
            replaced = bound[variable] if isinstance(variable, sympy.Symbol) else next(free)
            if not isinstance(variable, sympy.Symbol) and _outlives(replaced, body):
                raise ExpressionError(
                    "a SymPy Subs replaces a function whose derivative stands beside it, which has no clear meaning."
                )
            replacements[replaced] = point
        return substitute([body], replacements)[0]


def _outlives(replaced: Expr, body: Expr) -> bool:
    """Say whether a higher derivative of what is replaced would stay behind."""
    if replaced.op != "symbol":
        return any(n.op == "jet" and n is not replaced and n.data[0] == replaced.data[0] for n in postorder([body]))
    return any(s.name == replaced.data.name and s.order > replaced.data.order for s in symbols([body]))


@cache
def _elementary() -> Mapping[Any, Callable[..., Expr]]:
    """Return what SymPy's functions of one argument mean."""
    import sympy

    same = ("sin", "cos", "tan", "exp", "log", "atan", "asin", "acos", "sinh", "cosh", "tanh")
    table: dict[Any, Callable[..., Expr]] = {getattr(sympy, name): getattr(elementary, name) for name in same}
    table[sympy.Abs] = elementary.absolute
    table[sympy.cot] = lambda angle: elementary.cos(angle) / elementary.sin(angle)
    table[sympy.sec] = lambda angle: 1 / elementary.cos(angle)
    table[sympy.csc] = lambda angle: 1 / elementary.sin(angle)
    return table


def _decimal(text: str) -> Number:
    try:
        return Fraction(text)
    except ValueError:
        raise ExpressionError(f"the number '{text}' is not finite.") from None


def _float(node: Any) -> Number:
    """Return the shortest decimal that the digits of a SymPy float stand for."""
    from sympy.printing import sstr

    value = float(node)
    if node._prec == 53 and sys.float_info.min <= abs(value) <= sys.float_info.max:  # noqa: SLF001
        return _decimal(repr(value))
    _, _, exponent, bits = node._mpf_
    if abs(exponent + bits) > _MOST_BITS:
        raise ExpressionError("a SymPy float is too large or too small to be written as a fraction.")
    return _decimal(sstr(node, full_prec=True))


def _foreign(node: Any) -> ExpressionError:
    return ExpressionError(f"SymPy's '{type(node).__name__}' is not among the operations that are understood here.")


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
