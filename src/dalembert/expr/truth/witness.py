"""Points where an expression is not zero, that a person can check.

Inputs are small rationals. Where the expression is rational in them and in half-angle tangents, the value is exact;
else it is a ball that excludes zero. Unspecified functions are given by polynomials.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product as cartesian
from random import Random
from typing import Any, TypeAlias

from dalembert.errors import DalembertError
from dalembert.expr.calculus import define
from dalembert.expr.graph import ZERO, Expr, product, symbol, total
from dalembert.expr.phases import phases
from dalembert.expr.readers import Balls, Rationals
from dalembert.expr.symbols import Function, Symbol
from dalembert.expr.text.printer import text
from dalembert.expr.truth.points import DOMAINS
from dalembert.expr.truth.verdict import Witness
from dalembert.expr.walk import evaluate, functions, postorder

Polynomials: TypeAlias = "dict[Function, tuple[list[Expr], Expr]]"
"""A body, and its formal arguments, for each unspecified function."""
Chosen: TypeAlias = "tuple[Polynomials, dict[Expr, Fraction]]"
"""Polynomials, and the values of parameters that they were chosen for."""

_POINTS = 60
_LARGE = 3_000
_LONGEST = 60
_HIGHEST = 100


def find_witness(
    expression: Expr,
    bodies: Callable[[Random, int], Chosen | None] | None = None,
    conditions: Sequence[tuple[Expr, str]] = (),
) -> Witness | None:
    """Return a point where the expression is certainly not zero, or None when none was found.

    The same expression gets the same witness every time. ``bodies`` chooses the unspecified functions; it may refuse by
    None. ``conditions`` are further expressions with the domain in which each has to be.
    """
    draw = Random(20_260)
    choose = bodies or _polynomials_for(expression)
    for attempt in range(_POINTS):
        chosen = choose(draw, attempt)
        if chosen is None:
            continue
        polynomials, fixed = chosen
        try:
            plain, *more = define([expression, *(e for e, _ in conditions)], polynomials)
            found = None if conditions else _try_exact(plain, fixed, draw, attempt)
            inside = [(e, domain) for e, (_, domain) in zip(more, conditions, strict=True)]
            found = found or _try_ball(plain, fixed, draw, attempt, inside)
        except DalembertError:
            continue
        if found is not None:
            point, value, exact = found
            names = {
                f"{f.name}({', '.join(text(a) for a in formal)})": text(body)
                for f, (formal, body) in polynomials.items()
            }
            return Witness(dict(sorted(point.items())), value, exact, names)
    return None


def defined_somewhere(expression: Expr, bodies: Callable[[Random, int], Chosen | None] | None = None) -> bool:
    """Say whether a real point was found where the expression has a value."""
    draw = Random(20_260)
    choose = bodies or _polynomials_for(expression)
    for attempt in range(_POINTS):
        chosen = choose(draw, attempt)
        if chosen is not None:
            with contextlib.suppress(DalembertError):
                (plain,) = define([expression], chosen[0])
                Balls(_values([plain], chosen[1], draw, attempt)).read([plain])
                return True
    return False


_REACH = (Fraction(1, 8), Fraction(1), Fraction(3), Fraction(7), Fraction(1, 2))


def _small(draw: Random, attempt: int, domain: str) -> Fraction:
    """Return a small rational in a domain: whole numbers first, then fractions near zero and further away in turn."""
    value = Fraction(draw.randint(1, 3)) if attempt < 4 else _REACH[attempt % 5] * Fraction(draw.randint(1, 12), 12)
    if domain == "negative" or (domain != "positive" and draw.random() < 0.5):
        value = -value
    return value


# -- exact values ----------------------------------------------------------------------------------------------
def _try_exact(
    plain: Expr, fixed: dict[Expr, Fraction], draw: Random, attempt: int
) -> tuple[dict[str, Fraction], str, bool] | None:
    """Evaluate in rationals, each angle given by the tangent of its half (or of a smaller part)."""
    nodes = postorder([plain])
    if len(nodes) > _LARGE or any(n.op in {"pi", "call", "power"} for n in nodes):
        return None
    if any(n.op == "product" and any(e.denominator != 1 or abs(e) > _HIGHEST for e in n.data) for n in nodes):
        return None
    turning = [n for n in nodes if n.op == "sincos"]
    spread = {n: phases(n.args[0]) for n in turning}
    inside = {part for parts in spread.values() for part in parts}
    if any(part.op != "symbol" for part in inside) or inside & _outside(nodes):
        return None
    point: dict[str, Fraction] = {}
    values: dict[Expr, Fraction] = {}
    for node in sorted((n for n in nodes if n.op == "symbol" and n not in inside), key=lambda n: n.data.label):
        values[node] = point[node.data.label] = fixed.get(node) or _small(draw, attempt, node.data.domain)
    steps: dict[Expr, tuple[int, Fraction]] = {}
    for part in sorted(inside, key=lambda n: n.data.label):
        fine = max(Fraction(c[part]).denominator for c in spread.values() if part in c)
        tangent = _small(draw, attempt, "real")
        values[part] = Fraction(0)  # only its sine and cosine are read
        steps[part] = (fine, tangent)
        point[f"tan({part.data.label}/{2 * fine})"] = tangent
    turns = {n: _turn(parts, steps) for n, parts in spread.items()}
    if any(t is None for t in turns.values()):
        return None
    (value,) = evaluate([plain], Rationals(values, turns))  # type: ignore[arg-type]
    short = max(value.numerator.bit_length(), value.denominator.bit_length()) < 4 * _LONGEST
    shown = str(value) if short else ""
    return (point, shown, True) if value and short and len(shown) <= _LONGEST else None


def _outside(nodes: Sequence[Expr]) -> set[Expr]:
    """Return the leaves that are read outside of sines and cosines."""
    seen: set[Expr] = set()
    stack = [nodes[-1]]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            if node.op != "sincos":
                stack += node.args
    return seen


def _turn(parts: dict[Expr, Any], steps: dict[Expr, tuple[int, Fraction]]) -> tuple[Fraction, Fraction] | None:
    cosine, sine = Fraction(1), Fraction(0)
    for part, times in parts.items():
        fine, tangent = steps[part]
        count = times * fine
        if count.denominator != 1 or abs(count) > 64:
            return None
        below = 1 + tangent * tangent
        c, s = (1 - tangent * tangent) / below, 2 * tangent / below * (1 if count > 0 else -1)
        for _ in range(abs(int(count))):
            cosine, sine = cosine * c - sine * s, cosine * s + sine * c
    return sine, cosine


# -- balls -----------------------------------------------------------------------------------------------------
def _values(roots: Sequence[Expr], fixed: dict[Expr, Fraction], draw: Random, attempt: int) -> dict[Expr, Fraction]:
    leaves = sorted((n for n in postorder(roots) if n.op == "symbol"), key=lambda n: n.data.label)
    return {node: fixed.get(node) or _small(draw, attempt, node.data.domain) for node in leaves}


def _try_ball(
    plain: Expr, fixed: dict[Expr, Fraction], draw: Random, attempt: int, inside: Sequence[tuple[Expr, str]]
) -> tuple[dict[str, Fraction], str, bool] | None:
    """Evaluate in balls at rational inputs, more precisely where the ball still contains zero."""
    places = [plain, *(e for e, _ in inside)]
    values = _values(places, fixed, draw, attempt)
    for bits in (128, 1_024, 8_192) if attempt < 3 else (128,):
        result, *others = Balls(values, bits).read(places)
        if not all(DOMAINS[domain](value) for value, (_, domain) in zip(others, inside, strict=True)):
            return None
        if not result.contains(0):
            return {n.data.label: v for n, v in values.items()}, result.str(20), False
    return None


# -- unspecified functions -------------------------------------------------------------------------------------
def formal_arguments(function: Function) -> list[Expr]:
    """Return names for the slots of a function."""
    return [symbol(Symbol(f"u{k + 1}", role="parameter")) for k in range(function.arity)]


def monomials(formal: Sequence[Expr], degree: int) -> list[Expr]:
    """Return all monomials up to a degree."""
    powers = [p for p in cartesian(range(degree + 1), repeat=len(formal)) if sum(p) <= degree]
    powers.sort(key=lambda p: (sum(p), p))
    return [product([(u, k) for u, k in zip(formal, p, strict=True) if k]) for p in powers]


def jet_order(expression: Expr, function: Function) -> int:
    """Return the highest order to which a function occurs differentiated."""
    return max((sum(n.data[1]) for n in postorder([expression]) if n.op == "jet" and n.data[0] == function), default=0)


def _polynomials_for(expression: Expr) -> Callable[[Random, int], Chosen]:
    """Return a chooser of polynomials whose degree suffices for the derivatives that occur."""
    wanted = {f: jet_order(expression, f) for f in sorted(functions([expression]), key=lambda f: f.name)}

    def choose(draw: Random, attempt: int) -> Chosen:
        chosen: Polynomials = {}
        for function, order in wanted.items():
            formal = formal_arguments(function)
            terms = monomials(formal, min(order + 1 + attempt // 8, 9))
            keep = max(order + 1, 3) + attempt
            if len(terms) > keep:
                terms = [*draw.sample(terms[:-1], keep - 1), terms[-1]]
            body = total([(draw.choice((-2, -1, 1, 2, 3)), term) for term in terms])
            chosen[function] = (formal, body if body is not ZERO else formal[0])
        return chosen, {}

    return choose
