"""Small equations with their terms collected, so that what cancels is not computed at every step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dalembert.expr.graph import KIND, Expr, is_positive
from dalembert.expr.walk import count, postorder
from dalembert.model.equations import Equations
from dalembert.model.kept import Kept
from dalembert.model.remembered import remembered
from dalembert.model.table import waits

_MOST = 150
"""Masses and forces of more nodes are not those of a small system."""
_KEPT = Kept()


def collected(equations: Equations) -> Equations:
    """Return small equations with the terms of masses and forces collected: many cancel, or are a sine's square.

    m cos(a)^2 + m sin(a)^2 is what the elimination of constraints leaves; the sine and a product would be computed for
    nothing, at every step. Positions that are no angles may be far away: beside them nothing is multiplied out, and
    neither are differences of velocities or parameters, which may be small beside their terms. Differences of
    sines are, for they have the rounding of their sines anyway; but not their squares, which have less.
    """
    if equations.saddle is not None or waits(equations.mass) or waits(equations.force):
        return equations
    entries = [*(e for row in equations.mass for e in row), *equations.force]
    if not _is_small_and_near(entries, equations.kinematics):
        return equations
    found: tuple[Expr, ...] = _KEPT(equations)(
        "collected", lambda: remembered(equations, "collected", lambda: _in_terms(entries))
    )
    if list(found) == entries:
        return equations
    size = len(equations.velocities)
    mass = tuple(found[i * size : (i + 1) * size] for i in range(size))
    return replace(equations, mass=mass, force=found[size * size :])


def _is_small_and_near(entries: Sequence[Expr], positions: Mapping[Expr, Expr]) -> bool:
    """Say whether there is no more than a small system has, and each position stands within an angle."""
    seen, left = set(entries), list(entries)
    while left and len(seen) <= _MOST:
        node = left.pop()
        if node in positions:
            return False
        new = [a for a in node.args if a not in seen and node.op != "sincos"]
        seen.update(new)
        left += new
    return not left


def _to_be_kept(entries: Sequence[Expr]) -> set[Expr]:
    """Return sums that may be small beside their terms: those without sines, and others where they are multiplied.

    (1 - cos(a))^2 is right to all digits that 1 - cos(a) has; of 1 - 2 cos(a) + cos(a)^2 nothing is left at a = 1e-4.
    """
    kept: set[Expr] = set()
    small: dict[Expr, int] = {}  # how many factors of a node may be small, as far as it would be multiplied out
    for node in postorder(entries):
        small[node] = 0
        if node.op == "sum" and _may_cancel(node):
            if node.kinds & KIND["sincos"]:
                small[node] = max(1, 0 if node.data[0] else min(small[a] for a in node.args))
            else:
                kept.add(node)
        elif node.op == "sum" and not node.data[0]:
            small[node] = min(small[a] for a in node.args)
        elif node.op == "product" and all(e.denominator == 1 for e in node.data):
            small[node] = sum(abs(int(e)) * small[a] for a, e in zip(node.args, node.data, strict=True))
        if small[node] > 1:
            kept.update(_sums_of(node, small))
            small[node] = 0
    return kept


def _sums_of(node: Expr, small: Mapping[Expr, int]) -> list[Expr]:
    """Return the sums that are factors of a product, or of its factors, as far as they may be small."""
    found, left = [], [node]
    while left:
        one = left.pop()
        if one.op == "sum":
            found.append(one)
        else:
            left += [a for a in one.args if small[a]]
    return found


def _may_cancel(node: Expr) -> bool:
    """Say whether a sum may be small beside its terms."""
    constant, coefficients = node.data
    if len(coefficients) == 1 and not constant:  # a multiple
        return False
    return constant < 0 or any(c < 0 for c in coefficients) or not all(map(_is_evidently_positive, node.args))


def _is_evidently_positive(node: Expr) -> bool:
    if node.op != "product":
        return is_positive(node)
    return all(is_positive(a) or e % 2 == 0 for a, e in zip(node.args, node.data, strict=True))


def _in_terms(entries: Sequence[Expr]) -> tuple[Expr, ...]:
    """Return entries with their terms collected, where each takes fewer operations then, and all of them."""
    from dalembert.expr.polynomials import Ring
    from dalembert.expr.truth import vanish

    ring = Ring(_to_be_kept(entries).__contains__)
    terms = [ring.expression(one) for one in ring.read(entries)]
    chosen = [new if count([new]).total < count([old]).total else old for old, new in zip(entries, terms, strict=True)]
    if count(chosen).total >= count(entries).total:
        return tuple(entries)
    same = vanish([new - old for old, new in zip(entries, chosen, strict=True) if new is not old])
    return tuple(chosen if same else entries)
