"""Points that obey equations, found by Newton's method and enclosed.

Krawczyk's test shows that a box around a point contains a true solution, and a value on the whole box that excludes
zero is a proof. What the equations are like does not matter.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

from flint import arb

from dalembert.errors import DalembertError
from dalembert.expr.calculus import jacobian
from dalembert.expr.graph import Expr
from dalembert.expr.readers import Floats
from dalembert.expr.readers.balls import ball
from dalembert.expr.truth.points import DOMAINS, Boxes
from dalembert.expr.truth.verdict import Witness
from dalembert.expr.walk import evaluate, functions, postorder

if TYPE_CHECKING:
    import numpy as np

_ATTEMPTS = 20
_STEPS = 20
_RADIUS = Fraction(1, 2**40)
_MOST_ZEROS = 6
"""What may be zero in so many places is not asked for in more."""
_BETTER, _HALVED = 0.95, 6
"""A step has to bring residuals down to this part, at most so often halved; else there may be nothing to approach."""
_NEAR = 1e-3
"""Where residuals are below this, Newton's method goes on with as many variables as there are equations."""


def enclosed(
    expression: Expr, equations: Sequence[Expr], conditions: Sequence[tuple[Expr, str]] = ()
) -> tuple[Witness | None, int]:
    """Return a point that obeys equations and conditions and where the expression is not zero, or None.

    Beside it stands at how many such points before that it may be zero.

    >>> from dalembert.expr import cos, sin, symbol
    >>> a, b = (symbol(n, domain="angle") for n in "ab")
    >>> loop = cos(a) + 2*cos(b) - 1
    >>> enclosed(a - b, [loop])[0] is None, enclosed(loop, [loop])
    (False, (None, 6))
    """
    zeros = 0
    for point, (value,) in _boxes([expression], equations, conditions):
        if not value.contains(0):
            return _witness(point, value), zeros
        zeros += 1
        if zeros == _MOST_ZEROS:
            break
    return None, zeros


def enclosed_together(
    expressions: Sequence[Expr], equations: Sequence[Expr], conditions: Sequence[tuple[Expr, str]] = ()
) -> list[Witness | None]:
    """Return for each expression the first point of :func:`enclosed` for all of them if it is not zero there, or None.

    What they have in common is read once.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> [one is None for one in enclosed_together([x, x**2 + y**2 - 2, y], [x**2 + y**2 - 2])]
    [False, True, False]
    """
    for point, values in _boxes(expressions, equations, conditions):
        return [None if value.contains(0) else _witness(point, value) for value in values]
    return [None] * len(expressions)


def _witness(point: Mapping[Expr, Fraction], value: Any) -> Witness:
    centre = {n.data.label: there for n, there in point.items()}
    return Witness(dict(sorted(centre.items())), value.str(10), exact=False, near=True)


def _boxes(
    expressions: Sequence[Expr], equations: Sequence[Expr], conditions: Sequence[tuple[Expr, str]]
) -> Iterator[tuple[dict[Expr, Fraction], list[Any]]]:
    """Yield points near to which equations and conditions are obeyed, and the values of expressions there."""
    import numpy as np

    everything = [*expressions, *equations, *(e for e, _ in conditions)]
    if functions(everything):
        return
    leaves = sorted((n for n in postorder(everything) if n.op == "symbol"), key=lambda n: n.data.label)
    slopes = jacobian(equations, leaves)
    draw = Random(20_260)
    for _ in range(_ATTEMPTS):
        point = {n: _some(draw, n.data.domain) for n in leaves}
        try:
            box = _box(equations, slopes, leaves, point)
            if box is None:
                continue
            values = Boxes(box).read([*expressions, *(e for e, _ in conditions)])
        except (DalembertError, ArithmeticError, np.linalg.LinAlgError):
            continue
        inside = [DOMAINS[n.data.domain](box[n]) for n in leaves if n.data.domain in DOMAINS]
        others = values[len(expressions) :]
        inside += [DOMAINS[domain](other) for other, (_, domain) in zip(others, conditions, strict=True)]
        if all(inside):
            yield point, values[: len(expressions)]


def _some(draw: Random, domain: str) -> Fraction:
    size = Fraction(draw.randint(1, 24), 8)
    return -size if domain == "negative" or (domain != "positive" and draw.random() < 0.5) else size


def _box(
    equations: Sequence[Expr], slopes: Sequence[Sequence[Expr]], leaves: Sequence[Expr], point: dict[Expr, Fraction]
) -> dict[Expr, Any] | None:
    """Move a point to a solution, and return a box that contains a true one; the others are held as they are."""
    import numpy as np

    size, entries = len(equations), [e for row in slopes for e in row]
    if not equations:  # none of them has a part in what is asked: any point will do
        return {n: ball(value) for n, value in point.items()}
    if not _approached(equations, entries, leaves, point):
        return None
    columns = _pivots(_floats(entries, point).reshape(size, -1))
    moved = [leaves[j] for j in columns]
    flat = [row[j] for row in slopes for j in columns]
    for _ in range(_STEPS):
        square = _floats(flat, point).reshape(size, size)
        step = np.linalg.solve(square, _floats(equations, point))
        if not np.isfinite(step).all():
            return None
        for leaf, part in zip(moved, step, strict=True):
            point[leaf] = Fraction(float(point[leaf]) - float(part))
        if abs(step).max() < 1e-13:
            break
    inverse = np.linalg.inv(square)
    middle = {n: ball(value) for n, value in point.items()}
    box = {n: arb(value, ball(_RADIUS).abs_upper()) if n in moved else value for n, value in middle.items()}
    at = Boxes(middle).read(equations)
    along = Boxes(box).read(flat)
    inside = {}
    for i, leaf in enumerate(moved):  # Krawczyk: m - Y F(m) + (1 - Y F'(X)) (X - m) lies in X
        left = [float(inverse[i, k]) for k in range(size)]
        rest = middle[leaf] - sum((y * f for y, f in zip(left, at, strict=True)), arb(0))
        for j, other in enumerate(moved):
            spread = arb(int(i == j)) - sum((left[k] * along[k * size + j] for k in range(size)), arb(0))
            rest += spread * (box[other] - middle[other])
        if not box[leaf].contains_interior(rest):
            return None
        inside[leaf] = rest
    return {**middle, **inside}


def _approached(
    equations: Sequence[Expr], entries: Sequence[Expr], leaves: Sequence[Expr], point: dict[Expr, Fraction]
) -> bool:
    """Move a point near to a solution, by least steps that are halved until they help; say whether that succeeded."""
    import numpy as np

    values = _floats(equations, point)
    for _ in range(_STEPS):
        off = abs(values).max()
        if not np.isfinite(off) or off < _NEAR:
            break
        matrix = _floats(entries, point).reshape(len(equations), -1)
        if not np.isfinite(matrix).all():
            return False
        step = np.linalg.lstsq(matrix, values, rcond=None)[0]
        for halvings in range(_HALVED):
            near = {n: Fraction(float(point[n]) - float(s) / 2**halvings) for n, s in zip(leaves, step, strict=True)}
            if all(_keeps(n.data.domain, near[n]) for n in leaves):
                there = _floats(equations, near)
                if np.linalg.norm(there) < _BETTER * np.linalg.norm(values):
                    break
        else:
            return False
        point |= near
        values = there
    return bool(abs(values).max() < _NEAR)


def _keeps(domain: str, value: Fraction) -> bool:
    return value > 0 if domain == "positive" else value < 0 if domain == "negative" else True


def _floats(expressions: Sequence[Expr], point: Mapping[Expr, Fraction]) -> np.ndarray:
    import numpy as np

    return np.array(evaluate(list(expressions), Floats({n: float(v) for n, v in point.items()})), float)


def _pivots(matrix: np.ndarray) -> list[int]:
    """Return columns that are far from dependent, one for each row, by elimination."""
    import numpy as np

    rest, columns = matrix.copy(), []
    for _ in range(len(matrix)):
        sizes = np.linalg.norm(rest, axis=0)
        best = int(np.argmax(sizes))
        if not sizes[best] > 1e-9:
            raise ZeroDivisionError("the equations are dependent here")
        columns.append(best)
        unit = rest[:, best] / sizes[best]
        rest = rest - np.outer(unit, unit @ rest)
    return columns
