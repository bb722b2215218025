"""Elementary functions, unspecified functions and linear solves as expressions.

Arguments are brought to one sign (``sin(-x)`` is ``-sin(x)``), full and quarter turns are taken out, and what is
known exactly (``cos(pi/3)``, ``exp(log(x))``) becomes so. ``tan`` and the hyperbolic functions are written by sine,
cosine and ``exp``: fewer kinds of node mean fewer rules for every reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from dalembert.errors import ExpressionError
from dalembert.expr.exact import exact_power, tidy_number
from dalembert.expr.graph import (
    KIND,
    ONE,
    PI,
    ZERO,
    Expr,
    Number,
    Operand,
    as_expr,
    make,
    number,
    product,
    total,
)
from dalembert.expr.symbols import Function

CALLS = ("exp", "log", "atan", "asin", "acos")
"""The functions of one argument that are nodes of their own."""


def power(base: Operand, exponent: Operand) -> Expr:
    """Return ``base**exponent``; with a number as exponent it is a factor of a product, else a node of its own.

    A power with a symbol in its exponent has a positive base: x^k has no value at x = -1, also if k is 2.
    """
    base, exponent = as_expr(base), as_expr(exponent)
    if exponent.op == "number":
        if base.op == "number" and isinstance(exponent.data, int):
            return number(exact_power(base.data, exponent.data))
        return product(((base, exponent.data),))
    if base is ONE:
        return ONE
    if base.op == "number" and base.data <= 0:
        raise ExpressionError("a power with a symbol in the exponent needs a positive base.")
    return make("power", None, (base, exponent))


def opposite(expression: Expr) -> Expr:
    """Return -e, of a sum with the signs of its terms changed.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> opposite(x - y), -(x - y)
    (y - x, -(x - y))
    """
    if expression.op != "sum":
        return -expression
    constant, coefficients = expression.data
    return total([(-c, term) for c, term in zip(coefficients, expression.args, strict=True)], -constant)


def sqrt(value: Operand) -> Expr:
    """Return the square root that is not negative."""
    return power(value, Fraction(1, 2))


def absolute(value: Operand) -> Expr:
    """Return the absolute value, as the root of the square."""
    return sqrt(power(value, 2))


def sincos(angle: Operand) -> tuple[Expr, Expr]:
    """Return sine and cosine of an angle; both read one shared node."""
    angle = as_expr(angle)
    if angle is ZERO:
        return ZERO, ONE
    sign, angle = _oriented(angle)  # first, since -(x + pi) shows its turn only then
    turn, rest = _turn(angle)
    known = _known_turns().get(Fraction(turn) % 2) if turn else None
    if known is None:  # no pi, or pi times a fraction that has no short value: it stays inside
        sine, cosine = _sincos_of_rest(angle)
        return sign * sine, cosine
    sine, cosine = _sincos_of_rest(rest)
    s, c = known
    return sign * (sine * c + cosine * s), cosine * c - sine * s


def _sincos_of_rest(angle: Expr) -> tuple[Expr, Expr]:
    if angle is ZERO:
        return ZERO, ONE
    sign, angle = _oriented(angle)
    node = make("sincos", None, (angle,))
    return sign * make("pick", 0, (node,)), make("pick", 1, (node,))


def _oriented(value: Expr) -> tuple[int, Expr]:
    """Return a sign, and that one of ``value`` and ``-value`` by which odd and even functions are written.

    A sum is turned around inside: the negative of ``x - y`` is ``y - x``, not ``-(x - y)``, else both would occur.
    """
    if value.op == "number":
        return (1, value) if value.data >= 0 else (-1, -value)
    if value.op != "sum":
        return 1, value
    constant, coefficients = value.data
    if len(coefficients) == 1 and not constant:  # what is scaled is no such sum, so this goes down once
        sign, inner = _oriented(value.args[0])
        scale = sign * coefficients[0]
        return (1 if scale > 0 else -1), total(((abs(scale), inner),))
    if coefficients[0] > 0:
        return 1, value
    return -1, total([(-c, a) for c, a in zip(coefficients, value.args, strict=True)], -constant)


def _turn(angle: Expr) -> tuple[Number, Expr]:
    """Split ``r*pi + rest``, also where pi stands in a sum inside a sum; these stay sums inside sums."""
    if not angle.kinds & KIND["pi"]:
        return 0, angle
    from dalembert.expr.walk import postorder  # which needs this file

    split: dict[Expr, tuple[Number, Expr]] = {PI: (1, ZERO)}
    for node in postorder([angle]):
        if node.op == "sum" and node.kinds & KIND["pi"]:
            constant, coefficients = node.data
            parts = [(c, *split.get(a, (0, a))) for c, a in zip(coefficients, node.args, strict=True)]
            turn = sum((c * times for c, times, _ in parts), start=Fraction(0))
            split[node] = tidy_number(turn), total([(c, rest) for c, _, rest in parts], constant)
    return split.get(angle, (0, angle))


@cache
def _known_turns() -> dict[Fraction, tuple[Expr, Expr]]:
    """Sine and cosine of the multiples of pi/4 and pi/6 up to a full turn."""
    half, root2, root3 = number(Fraction(1, 2)), sqrt(2) / 2, sqrt(3) / 2
    first = {
        Fraction(0): (ZERO, ONE),
        Fraction(1, 6): (half, root3),
        Fraction(1, 4): (root2, root2),
        Fraction(1, 3): (root3, half),
    }
    table = {}
    for quarter in range(4):
        for turn, (s, c) in first.items():
            for _ in range(quarter):
                s, c = c, -s
            table[turn + Fraction(quarter, 2)] = (s, c)
    return table


def sin(angle: Operand) -> Expr:
    """Return the sine."""
    return sincos(angle)[0]


def cos(angle: Operand) -> Expr:
    """Return the cosine."""
    return sincos(angle)[1]


def tan(angle: Operand) -> Expr:
    """Return the tangent, as sine over cosine."""
    sine, cosine = sincos(angle)
    return sine / cosine


def call(name: str, value: Operand) -> Expr:
    """Return the elementary function ``name`` (one of ``CALLS``) of a value."""
    value = as_expr(value)
    match name:
        case "exp":
            if value is ZERO:
                return ONE
            if value.op == "call" and value.data == "log":
                return value.args[0]
        case "log":
            if value is ONE:
                return ZERO
            if value.op == "number" and value.data <= 0:
                raise ExpressionError(f"the logarithm of {value.data} is not real.")
            if value.op == "call" and value.data == "exp":
                return value.args[0]
        case "atan" | "asin":
            if value is ZERO:
                return ZERO
            sign, value = _oriented(value)
            return sign * make("call", name, (value,))
        case "acos":
            if value is ONE:
                return ZERO
        case _:
            raise ExpressionError(f"there is no elementary function '{name}'.")
    return make("call", name, (value,))


def exp(value: Operand) -> Expr:
    """Return the exponential."""
    return call("exp", value)


def log(value: Operand) -> Expr:
    """Return the natural logarithm."""
    return call("log", value)


def atan(value: Operand) -> Expr:
    """Return the arc tangent, between -pi/2 and pi/2."""
    return call("atan", value)


def asin(value: Operand) -> Expr:
    """Return the arc sine, between -pi/2 and pi/2."""
    return call("asin", value)


def acos(value: Operand) -> Expr:
    """Return the arc cosine, between 0 and pi."""
    return call("acos", value)


def sinh(value: Operand) -> Expr:
    """Return the hyperbolic sine, by ``exp``."""
    grow = exp(value)
    return total(((Fraction(1, 2), grow), (Fraction(-1, 2), 1 / grow)))


def cosh(value: Operand) -> Expr:
    """Return the hyperbolic cosine, by ``exp``."""
    grow = exp(value)
    return total(((Fraction(1, 2), grow), (Fraction(1, 2), 1 / grow)))


def tanh(value: Operand) -> Expr:
    """Return the hyperbolic tangent, by ``exp``; so that it is 1 where that exceeds all machine numbers."""
    grow = exp(2 * as_expr(value))
    return 1 - 2 / (grow + 1)


def jet(function: Function, arguments: Sequence[Operand], slots: Sequence[int] = ()) -> Expr:
    """Return an unspecified function, or its derivative in the given slots (counted from 1), at its arguments.

    >>> from dalembert.expr import symbol
    >>> V, x = Function("V", 2), symbol("x")
    >>> jet(V, (x, x), slots=(1, 2))
    D(V, 1, 2)(x, x)
    """
    if len(arguments) != function.arity:
        raise ExpressionError(f"'{function.name}' takes {function.arity} arguments, not {len(arguments)}.")
    orders = [0] * function.arity
    for slot in slots:
        if not 1 <= slot <= function.arity:
            raise ExpressionError(f"'{function.name}' has the slots 1 to {function.arity}, not {slot}.")
        orders[slot - 1] += 1
    return make("jet", (function, tuple(orders)), tuple(as_expr(a) for a in arguments))


def solve(matrix: Sequence[Sequence[Operand]], rhs: Sequence[Operand]) -> list[Expr]:
    """Return the solution of ``matrix * x = rhs`` as values of one solve node; nothing is expanded.

    Solves with the same matrix share its factorisation. A diagonal entry that is the only one in its row and column
    is divided out at once, so that what is sparse stays so.
    """
    size = len(rhs)
    rows = [[as_expr(entry) for entry in row] for row in matrix]
    if len(rows) != size or any(len(row) != size for row in rows):
        raise ExpressionError(f"a solve needs a square matrix of the size {size} of its right-hand side.")
    right = [as_expr(b) for b in rhs]
    if all(b is ZERO for b in right):
        return [ZERO] * size
    alone = [i for i in range(size) if all(i == j or (rows[i][j] is ZERO and rows[j][i] is ZERO) for j in range(size))]
    rest = [i for i in range(size) if i not in alone]
    answer = [ZERO] * size
    for i in alone:
        if rows[i][i] is ZERO:
            raise ExpressionError("a linear system is singular: it does not determine one of its unknowns.")
        answer[i] = right[i] / rows[i][i]
    if rest and any(right[i] is not ZERO for i in rest):
        entries = tuple(rows[i][j] for i in rest for j in rest)
        factor = make("factor", len(rest), entries)
        node = make("solve", None, (factor, *(right[i] for i in rest)))
        for k, i in enumerate(rest):
            answer[i] = make("pick", k, (node,))
    return answer


def basic(matrix: Sequence[Sequence[Operand]], rhs: Sequence[Operand], rank: int) -> list[Expr]:
    """Return a solution of ``matrix * x = rhs`` where the matrix has a rank that may be less than its size.

    Pivots are chosen by size when there are numbers, in rows and columns, as many as the rank says at most; unknowns
    without a pivot are zero. It is a solution where the system has one, and what all solutions agree on is right.

    >>> from dalembert.expr import evaluate, symbol
    >>> from dalembert.expr.readers import Floats
    >>> a = symbol("a")
    >>> evaluate(basic([[a, 0], [2*a, 0]], [3, 6], 1), Floats({a: 1.5}))
    [2.0, 0.0]
    """
    size = len(rhs)
    if len(matrix) != size or any(len(row) != size for row in matrix) or not 0 <= rank <= size:
        raise ExpressionError(f"a basic solution needs a square matrix of size {size} and a rank that is no larger.")
    entries = tuple(as_expr(entry) for row in matrix for entry in row)
    node = make("basic", (size, rank), (*entries, *map(as_expr, rhs)))
    return [make("pick", k, (node,)) for k in range(size)]
