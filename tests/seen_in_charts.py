"""A motion of one rotation without a chart beside the same in Euler's angles."""

from __future__ import annotations

from dalembert.expr import TIME, symbol
from dalembert.expr.calculus import tangent, time_derivative
from dalembert.expr.graph import ONE
from dalembert.expr.walk import substitute
from dalembert.geometry.rotations import from_euler
from dalembert.numerics.wording import NameResolver

ANGLES = ("phi", "theta", "psi")


def apart(free, chart, sequence="ZXZ"):
    """Return by variable how the rates of the one differ from those of what the variables are in the other."""
    words = NameResolver(chart.equations, chart.system)
    turned = from_euler(sequence, [chart.system.vocabulary[name] for name in ANGLES])
    (body,) = free.system.points
    places = dict(zip(body.components, turned, strict=True))
    moving = places | {q.dot: time_derivative(e) for q, e in places.items()}
    equations = free.equations
    state = {v: equations.speeds.get(v, v) for v in equations.state}
    known = dict(zip(state, words.all_translated(substitute(list(state.values()), moving)), strict=True))
    drive = {**words.drive, symbol(TIME): ONE}
    rates = equations.rates()
    found = zip(substitute([rates[v] for v in state], known), tangent(list(known.values()), drive), strict=True)
    return {v.data.label: a - b for v, (a, b) in zip(state, found, strict=True)}
