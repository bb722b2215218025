"""Rigorous real values: every result is a ball (FLINT's ``arb``) that is certain to contain the true number.

A ball that excludes zero is a proof that the expression is not zero at that point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr.graph import Expr, Number
from dalembert.expr.readers.numeric import NumericReader

_HIGHEST_ROOT = 1_000
"""Higher roots are taken by the logarithm: there ``arb`` is slow, and its degrees end."""


def ball(value: Number) -> Any:
    """Return the ball around an exact rational."""
    return arb(fmpq(value.numerator, value.denominator))


class Balls(NumericReader[Any]):
    """Read in ball arithmetic at ``bits`` of precision.

    >>> from dalembert.expr import evaluate, sin, cos, symbol
    >>> x = symbol("x")
    >>> Balls({x: Fraction(1, 3)}).read([sin(x)**2 + cos(x)**2 - 1])[0].contains(0)
    True
    """

    def __init__(self, values: Mapping[Expr, Number], bits: int = 128) -> None:
        """Turn exact values into balls when they are looked up."""
        super().__init__(values)
        self.bits = bits

    def read(self, roots: Sequence[Expr]) -> list[Any]:
        """Evaluate at this reader's own precision, and put the precision back."""
        from dalembert.expr.walk import evaluate

        before = ctx.prec
        ctx.prec = self.bits
        try:
            return evaluate(roots, self)
        finally:
            ctx.prec = before

    def _look_up(self, node: Expr) -> Any:
        return ball(super()._look_up(node))

    def number(self, value: Number) -> Any:
        """Read a constant."""
        return ball(value)

    def pi(self) -> Any:
        """Read pi."""
        return arb.pi()

    def root(self, base: Any, exponent: Fraction) -> Any:
        """Read a root of what is certainly positive."""
        if not base > 0:
            if base == 0:
                return base
            raise EvaluationError("a root of what may be negative.")
        if exponent.denominator > _HIGHEST_ROOT:
            return base ** ball(exponent)
        root = base.sqrt() if exponent.denominator == 2 else base.root(exponent.denominator)
        return root**exponent.numerator

    def reciprocal(self, value: Any) -> Any:
        """Read one over what is certainly not zero."""
        if value.contains(0):
            raise EvaluationError("a denominator may be zero here.")
        return 1 / value

    def size(self, value: Any) -> float:
        """Return a lower bound of the magnitude."""
        return float(value.abs_lower())

    def is_zero(self, value: Any) -> bool:
        """Say whether the ball is the point zero; one that only contains zero may not be left out."""
        return bool(value.is_zero())

    def whole_power(self, base: Any, exponent: int) -> Any:
        """Read a power by squaring where the base may be zero: there ``arb`` itself knows no value."""
        if not base.contains(0):
            return base**exponent
        result = arb(1)
        for digit in f"{exponent:b}":
            result = result * result * base if digit == "1" else result * result
        return result

    def power(self, node: Expr, base: Any, exponent: Any) -> Any:
        """Read a power of what is certainly positive."""
        if not base > 0:
            raise EvaluationError("a power of what may be negative.")
        return base**exponent

    def call(self, node: Expr, value: Any) -> Any:
        """Read an elementary function."""
        if node.data == "log" and not value > 0:
            raise EvaluationError("a logarithm of what may be negative.")
        result = getattr(value, node.data)()
        if not result.is_finite():
            raise EvaluationError(f"{node.data} has no value here.")
        return result

    def sincos(self, node: Expr, angle: Any) -> Sequence[Any]:
        """Read sine and cosine."""
        return angle.sin_cos()  # type: ignore[no-any-return]


# -- rigorous integrals --------------------------------------------------------------------------------------
class BallsAlong(Balls):
    """Reads with one symbol that stands for a whole interval."""

    def __init__(self, values: Mapping[Expr, Number], name: Expr, span: Any, bits: int = 64) -> None:
        super().__init__(values, bits)
        self.name, self.span = name, span

    def _look_up(self, node: Expr) -> Any:
        return self.span if node is self.name else super()._look_up(node)


def integral_ball(
    integrand: Expr, name: Expr, ends: tuple[Expr, Expr], given: Mapping[Expr, Number], count: int = 2_048
) -> Any:
    """Return a ball that contains the integral, or None where the integrand may have a pole.

    The interval is cut into pieces; on each the range of the integrand is enclosed. The ball shrinks like 1/count.

    >>> from dalembert.expr import symbol
    >>> from dalembert.expr.graph import ONE, ZERO
    >>> x = symbol("x")
    >>> integral_ball(x**2, x, (ZERO, ONE), {}, 64).overlaps(arb(1) / 3)
    True
    """
    try:
        begin, end = Balls(given, 64).read(list(ends))
        step = (end - begin) / count
        sum_of = arb(0)
        for k in range(count):
            left, right = begin + step * k, begin + step * (k + 1)
            span = left.union(right)
            sum_of += BallsAlong(given, name, span).read([integrand])[0] * step
    except DalembertError:  # a pole, or a root of what may be negative, within a piece
        return None
    return sum_of
