"""The JSON of ``derive`` read back as text and evaluated in balls of 60 digits at random points.

What is undefined on a set of measure zero (a pole of a chart) is not met by a random point, so an expression that
divides there by what may be zero, however many digits are taken, divides by zero everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from dalembert.errors import EvaluationError
from dalembert.expr import Expr, symbols
from dalembert.expr.readers import Balls
from dalembert.expr.text import Limits, parse
from dalembert.expr.vocabulary import Vocabulary
from dalembert.present.json_export import answer
from dalembert.testing.values import concrete, random_point

WIDE = Limits(length=10**7)
DIGITS_60 = 200
"""Bits of 60 digits; where they do not tell a number from zero, more are taken,"""
MOST_BITS = 3_200
"""up to so many."""
PARTS = ("field", "lift", "configuration", "implicit", "monitors", "objects")


@dataclass(slots=True)
class Reading:
    """How many expressions were read, which divide by zero, and which have no value for another reason."""

    read: int = 0
    divided_by_zero: list[str] = field(default_factory=list)
    without_value: list[str] = field(default_factory=list)


def read_back(result: Any, points: int = 3, seed: int = 1) -> Reading:
    """Evaluate every expression of the answer of a formalism, as its text says it, at random points."""
    made = result.objects()
    shown = json.loads(json.dumps(answer(result, made)))
    equations = result.equations
    stated = {q: equations.configuration.get(q, q) for q in result.system.q}
    tables = (equations.rates(), equations.reconstruction, stated, equations.implicit, equations.monitors, made)
    entries = [entry for part, table in zip(PARTS, tables, strict=True) for entry in leaves(table, shown[part], part)]
    words = Vocabulary.covering([*(made_of for _, made_of, _ in entries), *equations.state, *result.system.q])
    for name, text in shown["let"]:
        words = words.with_let(name, parse(text, words, WIDE))
    known = {text: parse(text, words, WIDE) for _, _, text in entries}
    return evaluated({path: known[text] for path, _, text in entries}, points, seed)


def evaluated(expressions: Mapping[str, Expr], points: int = 3, seed: int = 1) -> Reading:
    """Evaluate expressions by name at random points; a point where a root is not real is followed by another."""
    found = Reading(read=len(expressions))
    plain = dict(zip(expressions, concrete(list(expressions.values())), strict=True))
    draw = Random(seed)
    open_, dividing = set(plain), set()
    for attempt in range(12):
        wanted = list(plain) if attempt < points else sorted(open_)
        if not wanted:
            break
        at = random_point(symbols(plain.values()), draw)
        outcomes = fates([plain[name] for name in wanted], at)
        dividing |= {name for name, fate in zip(wanted, outcomes, strict=True) if fate == "divides by zero"}
        open_ -= {name for name, fate in zip(wanted, outcomes, strict=True) if fate != "no value"}
    found.divided_by_zero, found.without_value = sorted(dividing), sorted(open_)
    return found


def fates(expressions: Sequence[Expr], at: Mapping[Expr, Fraction]) -> list[str]:
    """Say of each expression whether it is finite at a point, divides by zero, or has no value for another reason."""
    try:
        Balls(at, DIGITS_60).read(expressions)
    except EvaluationError:
        return [_fate(expression, at) for expression in expressions]
    return ["finite"] * len(expressions)


def _fate(expression: Expr, at: Mapping[Expr, Fraction]) -> str:
    bits = DIGITS_60
    while True:
        try:
            Balls(at, bits).read([expression])
        except EvaluationError as fault:
            if "denominator" not in str(fault):
                return "no value"
            if bits >= MOST_BITS:
                return "divides by zero"
            bits *= 2
        else:
            return "finite"


def leaves(value: Any, shown: Any, path: str) -> Iterator[tuple[str, Expr, str]]:
    """Yield the expressions of a nested table: where each stands, what it is, and its text."""
    if isinstance(value, Expr):
        yield path, value, shown
    elif isinstance(value, Mapping):
        for part, (key, text) in zip(value.values(), shown.items(), strict=True):
            yield from leaves(part, text, f"{path} {key}")
    elif isinstance(value, list | tuple):
        for k, (part, text) in enumerate(zip(value, shown, strict=True)):
            yield from leaves(part, text, f"{path} {k}")
