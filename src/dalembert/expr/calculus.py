"""Differentiation on the graph: forward (tangents), reverse (gradients), partial and total.

Both directions are one pass over the nodes, so the derivative of a graph is a graph of the same order of size. Jets
carry the chain rule: the derivative of ``f(u, v)`` is ``D(f, 1)(u, v) u' + D(f, 2)(u, v) v'``, each slot for itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.assembled import along, backwards
from dalembert.expr.elementary import basic, log, power
from dalembert.expr.graph import ONE, ZERO, Expr, make, product, symbol, total
from dalembert.expr.symbols import TIME, Function
from dalembert.expr.walk import below, postorder, rebuild, substitute


def tangent(roots: Sequence[Expr], seed: Mapping[Expr, Expr]) -> list[Expr]:
    """Return the derivative of each root in the direction ``seed``: how fast each leaf changes (others do not).

    Partial derivatives, total time derivatives and Lie derivatives are all this, with different seeds.
    """
    speed = _known_along(tuple(seed.items())).speed
    for node in below(roots, speed):
        speed[node] = _forward(node, speed) if node.args else ZERO
    return [speed[root] for root in roots]


_MOST_FIELDS, _MOST_KNOWN = 8, 20_000
"""Along how many fields derivatives are remembered, and of how many nodes each."""


class _Along:
    """Derivatives along one field by node: what is differentiated along it again has most of its parts in common."""

    __slots__ = ("_seed", "_speed")

    def __init__(self, seed: tuple[tuple[Expr, Expr], ...]) -> None:
        self._seed = seed
        self._speed: dict[Expr, Any] = dict(seed)

    @property
    def speed(self) -> dict[Expr, Any]:
        """What is known by now, unless it is too much; whoever has it already keeps it."""
        if len(self._speed) > _MOST_KNOWN:
            self._speed = dict(self._seed)
        return self._speed


@lru_cache(maxsize=_MOST_FIELDS)
def _known_along(seed: tuple[tuple[Expr, Expr], ...]) -> _Along:
    return _Along(seed)


def _forward(node: Expr, speed: dict[Expr, Any]) -> Any:
    """Return the derivative of a node from those of its arguments; several values come as a list."""
    args = node.args
    if node.op == "pick":
        return speed[args[0]][node.data]
    if node.op == "solve":  # A x = b gives A x' = b' - A' x, with the same factorisation
        factor, rhs = args[0], args[1:]
        size: int = factor.data
        values = [make("pick", k, (node,)) for k in range(size)]
        entries = speed[factor]
        moved = []
        for i in range(size):
            terms = [(1, speed[rhs[i]])]
            terms += [(-1, entries[i * size + j] * values[j]) for j in range(size) if entries[i * size + j] is not ZERO]
            moved.append(total(terms))
        return _solve_like(factor, moved)
    if node.op == "basic":
        return _forward_basic(node, speed)
    if node.op == "assembled":
        return along(node, [speed[a] for a in args])
    if node.op == "factor":
        return [speed[a] for a in args]
    moving = [i for i, a in enumerate(args) if speed[a] is not ZERO]
    if not moving:
        return (ZERO, ZERO) if node.op == "sincos" else ZERO
    if node.op == "sum":
        return total([(node.data[1][i], speed[args[i]]) for i in moving])
    partials = _partials(node, moving)
    if node.op == "sincos":
        return tuple(p * speed[args[0]] for p in partials)
    return total([(1, p * speed[args[i]]) for p, i in zip(partials, moving, strict=True)])


def _forward_basic(node: Expr, speed: dict[Expr, Any]) -> list[Expr]:
    """Return the derivative of a basic solution with its pivots: A x' = b' - A' x for the same rows and columns."""
    size, rank = node.data
    square = size * size
    if all(speed[a] is ZERO for a in node.args):
        return [ZERO] * size
    values = [make("pick", k, (node,)) for k in range(size)]
    moved = []
    for i in range(size):
        entries = [speed[a] for a in node.args[i * size : (i + 1) * size]]
        terms = [(-1, rate * x) for rate, x in zip(entries, values, strict=True) if rate is not ZERO]
        moved.append(total([(1, speed[node.args[square + i]]), *terms]))
    return basic([node.args[i * size : (i + 1) * size] for i in range(size)], moved, rank)


def _partials(node: Expr, wanted: Sequence[int]) -> list[Expr]:
    """Return the derivatives of a node by some of its arguments (of both values, for ``sincos``)."""
    args = node.args
    match node.op:
        case "product":
            return [_product_partial(node, i) for i in wanted]
        case "sincos":
            return [make("pick", 1, (node,)), -make("pick", 0, (node,))]
        case "jet":
            function, orders = node.data
            return [make("jet", (function, _raise(orders, i)), args) for i in wanted]
        case "power":
            base, exponent = args
            return [exponent * power(base, exponent - 1) if i == 0 else node * log(base) for i in wanted]
        case "call":
            return [_call_partial(node)]
        case _:
            raise ExpressionError(f"an operation '{node.op}' cannot be differentiated.")


def _product_partial(node: Expr, i: int) -> Expr:
    exponent = node.data[i]
    factors = [(a, e) for k, (a, e) in enumerate(zip(node.args, node.data, strict=True)) if k != i]
    if exponent != 1:
        factors.append((node.args[i], exponent - 1))
    return product(factors, exponent)


def _raise(orders: tuple[int, ...], slot: int) -> tuple[int, ...]:
    return (*orders[:slot], orders[slot] + 1, *orders[slot + 1 :])


def _call_partial(node: Expr) -> Expr:
    value = node.args[0]
    match node.data:
        case "exp":
            return node
        case "log":
            return 1 / value
        case "atan":
            return 1 / (1 + value**2)
        case "asin":
            return power(1 - value**2, Fraction(-1, 2))
        case _:
            return -power(1 - value**2, Fraction(-1, 2))


def _solve_like(factor: Expr, rhs: Sequence[Expr]) -> list[Expr]:
    """Return a further solve with a matrix that is already factored."""
    if all(b is ZERO for b in rhs):
        return [ZERO] * len(rhs)
    node = make("solve", None, (factor, *rhs))
    return [make("pick", k, (node,)) for k in range(len(rhs))]


def diff(expression: Expr, *variables: Expr) -> Expr:
    """Return the partial derivative, taken once for each variable named.

    >>> from dalembert.expr import symbol, sin
    >>> x, y = symbol("x"), symbol("y")
    >>> diff(x**2 * sin(y), x, y)
    2*x*cos(y)
    """
    for variable in variables:
        _check_leaf(variable)
        expression = tangent([expression], {variable: ONE})[0]
    return expression


def _check_leaf(variable: Expr) -> None:
    if variable.op != "symbol":
        raise ExpressionError(f"a derivative is taken with respect to a symbol, not '{variable!r}'.")


def time_derivative(expression: Expr, order: int = 1, rules: Mapping[Expr, Expr] | None = None) -> Expr:
    """Return the total time derivative: variables move at their velocities, parameters do not move.

    ``rules`` gives the derivative of some variables instead (``{w: ...}`` for a field on phase space).
    """
    for _ in range(order):
        seed: dict[Expr, Expr] = {}
        for node in postorder([expression]):
            if node.op == "symbol":
                if rules is not None and node in rules:
                    seed[node] = rules[node]
                elif node.data.role == "variable":
                    seed[node] = symbol(node.data.dot)
                elif node.data.role == "time":
                    seed[node] = ONE
        expression = tangent([expression], seed)[0]
    return expression


def partial_time(expression: Expr) -> Expr:
    """Return the partial derivative by time, all variables held."""
    return diff(expression, symbol(TIME))


def gradient(expression: Expr, variables: Sequence[Expr]) -> list[Expr]:
    """Return the partial derivatives by all variables in one reverse pass."""
    return list(_gradient(expression, tuple(variables)))


@lru_cache(maxsize=8)  # the slopes of a Lagrangian are asked for in every frame that is tried
def _gradient(expression: Expr, variables: tuple[Expr, ...]) -> list[Expr]:
    for variable in variables:
        _check_leaf(variable)
    order = postorder([expression])
    moving = set(variables)  # what depends on them; the rest may not even have a derivative, as asin(1)
    for node in order:
        if not moving.isdisjoint(node.args):
            moving.add(node)
    terms: dict[Expr, Any] = {expression: [(1, ONE)]}
    for node in reversed(order):
        if node in terms and node in moving and node.args:
            _reverse(node, terms[node], terms, moving)
    return [total(terms.get(v, ())) for v in variables]


def _reverse(node: Expr, arrived: Any, terms: dict[Expr, Any], moving: set[Expr]) -> None:
    """Pass what has arrived at a node on to its arguments. Nodes with several values hold a table of terms."""
    if node.op == "pick":
        table = terms.setdefault(node.args[0], {})
        table.setdefault(node.data, []).extend(arrived)
        return
    if node.op == "sum":
        weight = total(arrived)
        for coefficient, argument in zip(node.data[1], node.args, strict=True):
            if argument in moving:
                terms.setdefault(argument, []).append((coefficient, weight))
        return
    if node.op == "solve":
        _reverse_solve(node, {k: total(v) for k, v in arrived.items()}, terms, moving)
        return
    if node.op == "basic":
        _reverse_basic(node, {k: total(v) for k, v in arrived.items()}, terms, moving)
        return
    if node.op == "assembled":
        weights = [total(arrived.get(k, ())) for k in range(node.data[0])]
        for argument, weight in backwards(node, weights):
            if argument in moving:
                terms.setdefault(argument, []).append((1, weight))
        return
    if node.op == "factor":
        for place, weight in arrived.items():
            terms.setdefault(node.args[place], []).extend(weight)
        return
    wanted = [i for i, a in enumerate(node.args) if a in moving]
    partials = _partials(node, wanted)
    if node.op == "sincos":
        pairs = [(total(arrived[k]) * p, node.args[0]) for k, p in enumerate(partials) if k in arrived]
    else:
        weight = total(arrived)
        pairs = [(weight * p, node.args[i]) for p, i in zip(partials, wanted, strict=True)]
    for term, argument in pairs:
        terms.setdefault(argument, []).append((1, term))


def _reverse_solve(node: Expr, arrived: dict[int, Expr], terms: dict[Expr, Any], moving: set[Expr]) -> None:
    """A x = b: the adjoint is y with A^T y = weight; b receives y and A receives -y x^T."""
    factor = node.args[0]
    size: int = factor.data
    flipped = make("factor", size, tuple(factor.args[j * size + i] for i in range(size) for j in range(size)))
    adjoint = _solve_like(flipped, [arrived.get(k, ZERO) for k in range(size)])
    table = terms.setdefault(factor, {})
    for i, y in enumerate(adjoint):
        if y is ZERO:
            continue
        if node.args[1 + i] in moving:
            terms.setdefault(node.args[1 + i], []).append((1, y))
        for j in range(size):
            if factor.args[i * size + j] in moving:
                table.setdefault(i * size + j, []).append((-1, y * make("pick", j, (node,))))


def _reverse_basic(node: Expr, arrived: dict[int, Expr], terms: dict[Expr, Any], moving: set[Expr]) -> None:
    """As above, for a basic solution."""
    size, rank = node.data
    flipped = [[node.args[j * size + i] for j in range(size)] for i in range(size)]
    adjoint = basic(flipped, [arrived.get(k, ZERO) for k in range(size)], rank)
    for i, y in enumerate(adjoint):
        right = node.args[size * size + i]
        if right in moving:
            terms.setdefault(right, []).append((1, y))
        for j in range(size):
            entry = node.args[i * size + j]
            if entry in moving:
                terms.setdefault(entry, []).append((-1, y * make("pick", j, (node,))))


def jacobian(roots: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """Return the matrix of partial derivatives, rows by roots, by whichever direction needs fewer passes."""
    if len(roots) <= len(variables):
        return [gradient(root, variables) for root in roots]
    columns = []
    for variable in variables:
        _check_leaf(variable)
        columns.append(tangent(roots, {variable: ONE}))
    return [[column[i] for column in columns] for i in range(len(roots))]


def hessian(expression: Expr, variables: Sequence[Expr]) -> list[list[Expr]]:
    """Return the matrix of second derivatives; both halves are the same nodes."""
    return [list(row) for row in _hessian(expression, tuple(variables))]


@lru_cache(maxsize=4)  # a mass matrix is asked for by hypotheses, equations and starts in turn
def _hessian(expression: Expr, variables: tuple[Expr, ...]) -> list[list[Expr]]:
    slopes = gradient(expression, variables)
    size = len(variables)
    matrix = [[ZERO] * size for _ in range(size)]
    above = _above(slopes, variables)
    for j, variable in enumerate(variables):
        speed: dict[Expr, Any] = _Still({variable: ONE})
        for node in above[j]:
            speed[node] = _forward(node, speed)
        for i in range(j + 1):
            matrix[i][j] = matrix[j][i] = speed[slopes[i]]
    return matrix


class _Still(dict[Expr, Any]):
    """Speeds of nodes; what is not there does not move."""

    def __missing__(self, node: Expr) -> Any:
        if node.op == "factor":
            return [ZERO] * len(node.args)
        return (ZERO, ZERO) if node.op == "sincos" else ZERO


def _above(roots: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """Return, for each variable, the nodes that depend on it, arguments before what uses them."""
    masks = {variable: 1 << j for j, variable in enumerate(variables)}
    above: list[list[Expr]] = [[] for _ in variables]
    for node in postorder(roots):
        mask = 0
        for argument in node.args:
            mask |= masks.get(argument, 0)
        if mask:
            masks[node] = mask
            for j in range(len(variables)):
                if mask >> j & 1:
                    above[j].append(node)
    return above


def define(roots: Sequence[Expr], definitions: Mapping[Function, tuple[Sequence[Expr], Expr]]) -> list[Expr]:
    """Return the roots with unspecified functions replaced by (formal arguments, body), derivatives included.

    >>> from dalembert.expr import jet, symbol
    >>> V, x, u = Function("V", 1), symbol("x"), symbol("u")
    >>> define([jet(V, (x,), slots=(1,))], {V: ([u], u**3)})
    [3*x^2]
    """
    for function, (formal, _) in definitions.items():
        if len(formal) != function.arity:
            raise ExpressionError(f"'{function.name}' takes {function.arity} arguments, but {len(formal)} are named.")
    bodies: dict[tuple[Function, tuple[int, ...]], Expr] = {}

    def body(function: Function, orders: tuple[int, ...]) -> Expr:
        if (function, orders) not in bodies:
            formal, plain = definitions[function]
            bodies[function, orders] = diff(
                plain, *(v for v, times in zip(formal, orders, strict=True) for _ in range(times))
            )
        return bodies[function, orders]

    def replace(node: Expr, arguments: Sequence[Expr]) -> Expr:
        function, orders = node.data
        if function not in definitions:
            return make("jet", node.data, tuple(arguments))
        formal = definitions[function][0]
        return substitute([body(function, orders)], dict(zip(formal, arguments, strict=True)))[0]

    return rebuild(roots, replace)
