"""Whether events are quiet on a whole step, in machine code: by balls of their values, then by their own polynomials.

Both come from the values at the begin of a step and the F_i of its dense output. Most events are settled by the first.
Those that stay near zero without reaching it, as a level near that of an energy, are settled by the second, which knows
what cancels along the motion; only then a step has to be cut.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dalembert.expr.graph import Expr
from dalembert.expr.walk import evaluate, postorder
from dalembert.numerics.compile.bounds import NESTED, SHIFT_ERROR, CodeNumbers, Value, excludes
from dalembert.numerics.compile.lanes import Lanes
from dalembert.numerics.compile.writer import Writer
from dalembert.numerics.jets import Ball, Jet, Jets
from dalembert.numerics.models import Model, Models, ball_of, line, modelled, of_dense, point
from dalembert.records import dataclass

_RANGES = tuple((a / (a + b)) ** a * (b / (a + b)) ** b if b else 1.0 for a, b in NESTED)
"""The largest values of s^a (1-s)^b; the least are 0."""


@dataclass(frozen=True)
class Inputs:
    """Where the values on a step come from: the places of symbols, time and length, parameters, variables."""

    places: Mapping[Expr, tuple[str, int]]
    clock: tuple[Value, Value]
    parameter: Callable[[int], Value]
    variable: Callable[[int], tuple[Value, list[Value]]]
    """The value at the begin, and the F_i."""


def give_quiet(w: Writer, lanes: Lanes, events: Sequence[Expr], inputs: Inputs) -> None:
    """Write the end of a function: it returns whether all events have no zero on the step, lane by lane."""
    truths = excluded_by_balls(lanes, events, inputs)
    quiet = lanes.every(truths)
    if any(map(modelled, events)):
        with w.when(lanes.any(lanes.opposite(quiet))):
            w.give(lanes.truth, lanes.every(excluded_by_models(lanes, events, inputs, truths)))
    w.give(lanes.truth, quiet)


def excluded_by_balls(lanes: Lanes, events: Sequence[Expr], inputs: Inputs) -> list[str]:
    """Return of each event whether balls over the whole step exclude a zero."""
    numbers = CodeNumbers(lanes)
    balls = evaluate(list(events), Jets(numbers, 0, _balls(events, inputs, numbers)))
    return [excludes(jet[0], lanes) for jet in balls]


def excluded_by_models(lanes: Lanes, events: Sequence[Expr], inputs: Inputs, known: Sequence[str]) -> list[str]:
    """Return of each event whether it is known to have no zero, or its polynomial over the whole step excludes one."""
    numbers, truths = CodeNumbers(lanes), list(known)
    better = [k for k, event in enumerate(events) if modelled(event)]
    chosen = [events[k] for k in better]
    for k, model in zip(better, evaluate(chosen, Models(numbers, _models(chosen, inputs, numbers))), strict=True):
        truths[k] = lanes.either(truths[k], excludes(ball_of(numbers, model), lanes))
    return truths


def _models(events: Sequence[Expr], inputs: Inputs, numbers: CodeNumbers) -> dict[Expr, Model]:
    """Return models of the symbols over a whole step."""
    known: dict[Expr, Model] = {}
    for node in postorder(events):
        base, index = inputs.places.get(node, ("", 0))
        if base == "%p":
            known[node] = point(inputs.parameter(index))
        elif base == "%t":
            known[node] = line(numbers, *inputs.clock)
        elif base == "%y":
            known[node] = of_dense(numbers, *inputs.variable(index))
    return known


def _balls(events: Sequence[Expr], inputs: Inputs, numbers: CodeNumbers) -> dict[Expr, Jet]:
    """Return balls of the symbols over a whole step, from values at its begin and the F_i of the dense output.

    Each s^a (1-s)^b F_i lies between 0 and its largest value, so that no polynomial is needed.
    """
    known: dict[Expr, Jet] = {}
    half, rounding = numbers.constant(0.5), numbers.constant(SHIFT_ERROR)
    for node in postorder(events):
        base, index = inputs.places.get(node, ("", 0))
        if base == "%p":
            known[node] = [Ball(inputs.parameter(index))]
        elif base == "%t":
            begin, length = inputs.clock
            error = (abs(begin) + abs(length)) * rounding
            known[node] = [Ball(begin + length * half, abs(length) * half + error)]
        elif base == "%y":
            centre, nested = inputs.variable(index)
            size = numbers.constant(0.0)
            for largest, part in zip(_RANGES, nested, strict=True):
                reach = part * numbers.constant(largest / 2)
                centre, size = centre + reach, size + abs(reach)
            known[node] = [Ball(centre, size + (abs(centre) + size) * rounding)]
    return known
