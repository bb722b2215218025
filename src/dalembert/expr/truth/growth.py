"""Exponentials, symbolic powers and logarithms, taken apart into what is independent.

``exp(2 x + n log(m))`` is ``exp(x)^2 m^n`` and ``log(m exp(x))`` is ``log(m) + x``. What a logarithm is taken of is
positive, though its factors need not be: ``log(x y)`` is ``log|x| + log|y|`` for both signs that x and y may have. So a
logarithm always stands for that of the absolute value, and a symbolic power for a power of it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from dalembert.expr.graph import ONE, Expr, Number, number, prime_factors
from dalembert.expr.phases import factors, phases

__all__ = ["Grown", "Logarithm", "growth", "logarithm"]

Grown: TypeAlias = "tuple[Expr | None, Expr, Number]"
"""(base, part, times) for ``(|base|**part)**times``; no base means e, and the part ONE a plain power of the base."""
Logarithm: TypeAlias = "tuple[Number, tuple[Expr, ...], Expr | None]"
"""(number, expressions, argument) for their product with the logarithm of |argument|, if there is one."""


def growth(node: Expr) -> list[Grown]:
    """Return an exponential or a symbolic power as a product of independent powers."""
    base = node.args[0] if node.op == "power" else None
    pending: list[Grown] = [(base, part, times) for part, times in phases(node.args[-1]).items()]
    found: list[Grown] = []
    while pending:
        base, part, times = pending.pop()
        if base is None:
            logs = [n for n, e in factors(part)[1].items() if _is_call(n, "log") and e == 1]
            if len(logs) == 1:
                pending.append((logs[0].args[0], part / logs[0], times))
            else:
                found.append((None, part, times))
        elif part is ONE:
            found.append((base, ONE, times))
        else:
            for factor, power in _sizes(base):
                inner = _multiplied(factor, part)
                found += [(factor, part, times * power)] if inner is None else []
                pending += [(b, p, c * times * power) for b, p, c in inner or ()]
    return found


def _multiplied(factor: Expr, part: Expr) -> list[Grown] | None:
    """Return a power of a power with its exponents multiplied; None for what is no power, or would become a root."""
    if _is_call(factor, "exp"):
        return [(None, p, c) for p, c in phases(factor.args[0] * part).items()]
    if factor.op != "power":
        return None
    parts = phases(factor.args[1] * part)
    return None if Fraction(parts.get(ONE, 0)).denominator != 1 else [(factor.args[0], p, c) for p, c in parts.items()]


def logarithm(argument: Expr) -> list[Logarithm]:
    """Return the logarithm of something positive as a sum of independent logarithms and of plain expressions."""
    pending: list[tuple[Number, tuple[Expr, ...], Expr]] = [(1, (), argument)]
    found: list[Logarithm] = []
    while pending:
        scale, others, node = pending.pop()
        for factor, power in _sizes(node):
            if _is_call(factor, "exp"):
                found.append((scale * power, (*others, factor.args[0]), None))
            elif factor.op == "power":
                pending.append((scale * power, (*others, factor.args[1]), factor.args[0]))
            else:
                found.append((scale * power, others, factor))
    return found


def _is_call(node: Expr, name: str) -> bool:
    return node.op == "call" and bool(node.data == name)


def _sizes(node: Expr) -> list[tuple[Expr, Number]]:
    """Return factors, numbers split into primes: what must be positive is the product of their absolute values."""
    coefficient, parts = factors(node)
    split: list[tuple[Expr, Number]] = []
    for base, power in parts.items():
        split += (
            [(base, power)] if base.op != "number" else [(number(p), k * power) for p, k in prime_factors(base.data)]
        )
    for integer, sign in ((abs(coefficient.numerator), 1), (coefficient.denominator, -1)):
        split += [(number(p), sign * k) for p, k in prime_factors(integer)]
    return split
