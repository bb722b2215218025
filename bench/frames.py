"""What the chosen frames cost, how long their equations are, and where they fail; run as ``python -m bench.frames``.

For every system of the gallery with linear or affine constraints, and for model files that are named: the cost of the
rates (operations, with 15 for a sine and cosine and 4 for a division) by velocities of coordinates and in the chosen
frame, the characters of the printed equations without blanks and their named parts, and at how many points of a grid of
angles {0, +-pi/2, pi, 0.3} the rates are not finite.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from itertools import product as cartesian

import numpy as np

from dalembert import derive, gallery
from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr.calculus import define
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.geometry.adapted_frames import cost
from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic
from dalembert.model import files
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.present.motion_equations import equations_blocks
from dalembert.present.text_writer import in_text

_GRID = (0.0, np.pi / 2, -np.pi / 2, np.pi, 0.3)
_MOST_POINTS = 625
_LARGE = 1e12


def systems(named: list[str]) -> Iterator[tuple[str, System]]:
    """Yield the systems that are looked at."""
    for name in named:
        yield name, files.load(name) if name.endswith(".toml") else gallery.load(name)
    if not named:
        for name in gallery.names():
            yield name, gallery.load(name)


def expense(equations: Equations) -> int:
    """Return what it costs to evaluate the rates once."""
    return cost([*equations.kinematics.values(), *solve(equations.mass, equations.force)])


def not_finite(system: System, equations: Equations) -> tuple[int, int]:
    """Return at how many points of the grid a rate is not finite, and how many there are."""
    angles = [q for q in system.q if system.coordinates[q] == "angle"]
    values: dict[Expr, float] = {p: float(v) for p, v in equations.parameters.items()}
    values |= {s: 0.7 + 0.1 * k for k, s in enumerate(equations.state)} | {symbol(TIME): 0.3}
    rates = define(list(equations.rates().values()), system.definitions)
    bad = total = 0
    for point in islice(cartesian(_GRID, repeat=len(angles)), _MOST_POINTS):
        try:
            found = evaluate(rates, Floats({**values, **dict(zip(angles, point, strict=True))}))
        except EvaluationError:  # a matrix that is singular there
            found = [np.inf]
        bad, total = bad + (not np.all(np.abs(found) < _LARGE)), total + 1
    return bad, total


def printed(result: Nonholonomic) -> tuple[int, int]:
    """Return the characters of the printed equations without blanks, and how many parts they name."""
    _, shown = equations_blocks(replace(result.equations, speeds={}), SimplificationBudget(3.0, each=1.0, largest=600))
    body = in_text(shown, 100)
    parts = body.partition("\nwhere\n")[2]
    return len("".join(body.split())), parts.count(" = ")


def row(name: str, system: System) -> str | None:
    """Return a line on a system, None where it has no frame."""
    began = time.process_time()
    try:
        result = derive(system, "nonholonomic")
    except DalembertError:
        return None
    if not isinstance(result, Nonholonomic):
        return None
    spent = time.process_time() - began
    before, after = expense(result.in_coordinates), expense(result.equations)
    bad, points = not_finite(system, result.in_coordinates)
    now, _ = not_finite(system, result.equations)
    letters, parts = printed(result)
    return (
        f"{name:28} cost {before:5} -> {after:5} ({after / before:4.2f})  {letters:5} characters, {parts:2} parts  "
        f"not finite {bad:3} -> {now:3} of {points:3}  {1e3 * spent:5.0f} ms  "
        f"{result.moving.certified.origin if result.moving else 'velocities of coordinates'}"
    )


if __name__ == "__main__":
    for name, system in systems(sys.argv[1:]):
        line = row(name, system)
        if line is not None:
            print(line, flush=True)
