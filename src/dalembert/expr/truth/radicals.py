"""Squares taken out of roots, so that every root has one branch that arithmetic modulo a prime can follow.

``sqrt((1 + x^2)^2)`` is ``1 + x^2``: the sign is proved and the root disappears. ``sqrt(x^2)`` is the absolute value of
x, which stays a root and is counted as an open sign: it may go either way.

Statements are about the points where everything in them is defined, so that ``sqrt(x^2 y)`` may be read as
``|x| sqrt(y)``. A formula that takes the place of another has to be ``careful``: at x = 0 the first is defined for
every y, so the square stays where it is unless x is never zero or y never negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Any

from dalembert.expr import work
from dalembert.expr.graph import KIND, ROOT, Expr
from dalembert.expr.truth.roots import (
    are_independent,
    bounds_by,
    has_root,
    hides_root,
    open_signs,
    plain,
    positive_symbols,
    under_even_roots,
    without_roots,
)
from dalembert.expr.truth.simplest_roots import (
    MOST_TERMS,
    TakeOut,
    angles_that_matter,
    known_in,
    simplest_root,
    unscaled,
)
from dalembert.expr.walk import evaluate, has_kind, postorder
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Roots:
    """Expressions with squares taken out of their roots, and what is left."""

    roots: list[Expr]
    radicands: int
    """How many different roots are left, absolute values not counted."""
    open_signs: int
    """How many signs are left open: absolute values, and products of roots like sqrt(x y) sqrt(y z) sqrt(z x)."""
    suspects: tuple[Expr, ...] = ()
    """What stands under a root and may be a square in disguise: roots inside roots, what was too large to factor."""
    changes: tuple[frozenset[Expr], ...] = ()
    """For each open sign, what stands under the roots that change with it; empty where fourth roots are among them."""


def take_squares_out(roots: Sequence[Expr], *, careful: bool = False) -> Roots:
    """Return the expressions with roots in simplest form; what is too large to factor stays as it is.

    If ``careful``, they are defined wherever the given ones are.
    """
    if not has_kind(roots, _ROOTS):
        return Roots(list(roots), 0, 0)
    nodes = _with_roots_or_turns(roots)
    if not any(has_root(node) or hides_root(node) for node in nodes):
        return Roots(list(roots), 0, 0)
    new = list(roots)
    for _ in range(3):
        turning = _turning(nodes, careful=careful)
        real = tuple(under_even_roots(nodes))
        bounds = tuple((bounds_by(real) | positive_symbols(nodes)).items())
        if careful or any(has_root(unscaled(node.args[0])) for node in turning):  # what is absolute may leave an angle
            reader = TakeOut(turning, real, bounds, careful)
            reader.written = {} if careful else None
            new = evaluate(new, reader, without_roots(postorder(new)))
            absolute, whole = reader.absolute, reader.whole
        else:
            under = _square_roots_alone(nodes)
            if under and _stay(under, (turning, real, bounds, False)):
                return Roots(new, len(under), 0)
            known = known_in(turning, real, bounds)
            with known.lock:
                before, (new, absolute, whole) = new, known.apply(new, nodes)
            if new == before:
                break
        nodes = _with_roots_or_turns(new)
        if turning == _turning(nodes, careful=careful):
            break  # else a root in an angle went, and half of the new angle may make a square of something
    degrees: dict[Expr, int] = {}
    for node in nodes:
        if has_root(node):
            for base, exponent in zip(node.args, node.data, strict=True):
                if exponent.denominator != 1 and base.op != "number":
                    degrees[base] = lcm(degrees.get(base, 1), exponent.denominator)
    even = [n for n, degree in degrees.items() if degree % 2 == 0]
    rooted = [n for n in even if n.kinds & ROOT]
    seen_through = plain(even, nodes)
    suspects = {n: None for n in even if n in whole or n in rooted or n not in seen_through}
    clear = [n for n in even if n not in suspects]
    signs = open_signs(clear, nodes, MOST_TERMS)
    if signs is None:
        suspects |= dict.fromkeys(clear)
    found = tuple(signs or ())
    high = any(degrees[n] % 4 == 0 for n in clear)
    return Roots(new, sum(n not in absolute for n in degrees), len(found), tuple(suspects), () if high else found)


_ROOTS = ROOT | KIND["power"] | KIND["call"]
_NOTED = frozenset({"sincos", "power", "call"})


def _with_roots_or_turns(roots: Sequence[Expr]) -> list[Expr]:
    """Return the nodes that matter to roots, in postorder: these themselves, angles, powers and functions."""
    return [n for n in postorder(roots) if n.op in _NOTED or (n.op == "product" and has_root(n))]


def _turning(nodes: Sequence[Expr], *, careful: bool) -> tuple[Expr, ...]:
    """Return the sines and cosines; in an order of their own where nobody sees it, so that questions are alike."""
    found = [node for node in nodes if node.op == "sincos"]
    return tuple(found if careful else sorted(found, key=lambda node: node.stamp))


def _square_roots_alone(nodes: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return what stands under square roots, in an order of its own; nothing where other roots or functions occur."""
    found: set[Expr] = set()
    for node in nodes:
        if node.op in {"power", "call"}:
            return ()
        if node.op == "product":
            for base, exponent in zip(node.args, node.data, strict=True):
                if exponent.denominator != 1 and base.op != "number":
                    if exponent.denominator != 2 or base.kinds & ROOT:
                        return ()
                    found.add(base)
    return tuple(sorted(found, key=lambda node: node.stamp))


@work.remembered(64)  # questions about one system share their roots
def _stay(radicands: tuple[Expr, ...], known: tuple[Any, ...]) -> bool:
    """Say whether square roots may stay as they are written: each has a sign of its own, and is real somewhere.

    What is zero with one choice of their signs is zero with every other, also where a square could leave a root. The
    root of a fraction of half-angle tangents, which is what it would become, is ten times as long.
    """
    turning = known[0]
    if len(plain(radicands, turning)) < len(radicands):
        return False
    for radicand in radicands:
        mattering = angles_that_matter(radicand, turning, known[1])
        factors, absolute, whole = simplest_root(radicand, Fraction(1, 2), (mattering, *known[1:]))
        under = [base for base, power in factors if power.denominator != 1 and base.op != "number"]
        # of several, what is never negative has to be a square by itself: so it is seen which are never real together
        if absolute or whole or len(under) > 1 < len(radicands):
            return False
    return are_independent(radicands, turning, MOST_TERMS)
