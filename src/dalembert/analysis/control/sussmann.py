"""Systems with drift, x' = f_0(x) + u^i f_i(x), at a point where f_0 vanishes: Sussmann's sufficient condition (1987).

A bracket is bad if f_0 occurs an odd number of times in it and each f_i an even one: such a direction can be gone only
one way. Its degree is theta times the number of f_0 in it, plus the number of all f_i, with theta from 0 to 1. Where
brackets span all directions, and every bad one, summed over all permutations of the inputs, is a combination of
brackets of lower degree at the point, the system is small-time locally controllable there. Where all brackets together
span fewer directions it is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby, permutations

from dalembert.analysis.control.chow import closed
from dalembert.analysis.control.formal_brackets import (
    Bracket,
    Fields,
    TooLong,
    letters_in,
    lyndon_brackets,
    renamed,
    said,
)
from dalembert.analysis.control.spans import Span
from dalembert.expr.graph import Expr, total
from dalembert.expr.truth import Fact, Verdict
from dalembert.geometry.fields import VectorField

_WEIGHTS = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
"""Values of theta that are tried."""
_LONGEST = 8
_MOST = 160
"""How many brackets are looked at."""


def sussmann(
    drift: VectorField,
    inputs: Sequence[VectorField],
    names: Sequence[str],
    point: Mapping[Expr, Expr],
    dimension: int,
    facts: Sequence[Fact] = (),
) -> tuple[Verdict, tuple[str, ...]]:
    """Return whether the system is small-time locally controllable at the point, and the brackets that span there."""
    letters = len(inputs) + 1
    longest = max(
        length
        for length in range(1, _LONGEST + 1)
        if length <= 2 or sum(len(lyndon_brackets(letters, k)) for k in range(1, length + 1)) <= _MOST
    )
    trees = [tree for k in range(1, longest + 1) for tree in lyndon_brackets(letters, k)]
    made = Fields([drift, *inputs])
    called = ["drift", *names]
    why = ""
    for weight in _WEIGHTS:
        span, fault = _by_degree(trees, made, called, weight, weight * longest, Span(point, facts), dimension)
        if not fault:
            evidence = f"{', '.join(span.names)} are independent, and every bad bracket is a combination of lower ones."
            return Verdict(span.verdict.kind, evidence), tuple(span.names)
        if not why and (fewer := closed([drift, *inputs], dimension, facts)) is not None:
            return fewer, ()
        why = why or fault
    return Verdict("undecided", why), ()


def _by_degree(
    trees: Sequence[Bracket],
    made: Fields,
    names: Sequence[str],
    weight: Fraction,
    highest: Fraction,
    span: Span,
    dimension: int,
) -> tuple[Span, str]:
    """Return what brackets span, degree by degree, and why the condition fails, or nothing."""

    def degree(tree: Bracket) -> Fraction:
        letters = letters_in(tree)
        drifts = letters.count(0)
        return weight * drifts + (len(letters) - drifts)

    within = sorted((tree for tree in trees if degree(tree) <= highest), key=degree)
    for _, group in groupby(within, key=degree):
        alike = list(group)
        try:
            for tree in alike:
                if is_bad(tree, len(names) - 1) and not span.holds(
                    said(tree, names), _over_inputs(tree, made, len(names))
                ):
                    return span, f"the bad bracket {said(tree, names)} is no combination of lower ones."
            for tree in alike:
                span.add(said(tree, names), made[tree].components)
        except TooLong as fault:
            return span, str(fault)
        if span.rank == dimension:
            return span, ""
    return span, f"the brackets that were looked at span {span.rank} of {dimension} directions."


def is_bad(tree: Bracket, inputs: int) -> bool:
    """Say whether the drift occurs an odd number of times, and each input an even one."""
    letters = letters_in(tree)
    return letters.count(0) % 2 == 1 and all(letters.count(i) % 2 == 0 for i in range(1, inputs + 1))


def _over_inputs(tree: Bracket, made: Fields, letters: int) -> list[Expr]:
    """Return the sum of a bracket over all permutations of the inputs."""
    if letters > 5:  # more permutations than are worth it: the bracket alone asks for more
        return list(made[tree].components)
    turned = [renamed(tree, dict(enumerate((0, *order)))) for order in permutations(range(1, letters))]
    parts = [made[one].components for one in turned]
    return [total([(1, e) for e in entries]) for entries in zip(*parts, strict=True)]
