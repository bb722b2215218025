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
from dalembert.expr.walk import substitute
from dalembert.present.json_export import answer, written_equations
from dalembert.testing.values import concrete, random_point

WIDE = Limits(length=10**7)
DIGITS_60 = 200
"""Bits of 60 digits; where they do not tell a number from zero, more are taken,"""
MOST_BITS = 3_200
"""up to so many."""
PARTS = ("field", "lift", "configuration", "implicit", "monitors")
"""Tables in which all is formulas; objects have words too."""
NO_LINEAR: Mapping[str, Any] = {"velocities": (), "mass": (), "force": ()}


@dataclass(slots=True)
class Reading:
    """How many expressions were read, which divide by zero, and which have no value for another reason."""

    read: int = 0
    divided_by_zero: list[str] = field(default_factory=list)
    without_value: list[str] = field(default_factory=list)


def read_back(result: Any, points: int = 3, seed: int = 1) -> Reading:
    """Evaluate every expression of the answer of a formalism, as its text says it, at random points."""
    made, equations = result.objects(), written_equations(result)
    shown = json.loads(json.dumps(answer(result, made)))
    long = shown.get("left_out", {})
    kept = {name: value for name, value in made.items() if f"objects {name}" not in long}
    entries = [(f"{part} {name}", text) for part in PARTS for name, text in shown[part].items()]
    assert set(shown["field"]) == {s.data.label for s in equations.state} - set(
        shown.get("linear", NO_LINEAR)["velocities"]
    )
    entries += [(f"linear {k}", text) for k, text in enumerate(_flat(shown.get("linear", NO_LINEAR)))]
    objects = list(leaves(kept, shown["objects"], "objects"))
    entries += [(path, text) for path, _, text in objects]
    derived = [*equations.rates().values(), *equations.reconstruction.values(), *equations.configuration.values()]
    derived += [*equations.implicit.values(), *equations.monitors.values(), *(made_of for _, made_of, _ in objects)]
    roots = [*derived, *equations.state, *equations.implicit, *result.system.q]
    words = Vocabulary.covering(substitute(roots, dict(equations.named)))  # names of entries are told in "let"
    entered = {}
    for name, text in shown["let"]:
        if name in words.coordinates:  # an entry of a rotation whose rate is a velocity of its own
            entered[words[name]] = parse(text, words, WIDE)
        else:
            words = words.with_let(name, parse(text, words, WIDE))
    texts = list(dict.fromkeys(text for _, text in entries))
    known = dict(zip(texts, substitute([parse(text, words, WIDE) for text in texts], entered), strict=True))
    return evaluated({path: known[text] for path, text in entries}, points, seed)


def _flat(linear: Mapping[str, Any]) -> list[str]:
    """Return the formulas of a linear system that stands in the place of accelerations."""
    return [*(text for row in linear["mass"] for text in row), *linear["force"]]


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
