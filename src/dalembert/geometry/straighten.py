"""Coordinates in which a vector field is straight: it moves one coordinate at a constant rate, and no other.

Where a coordinate s has a constant rate, the others are carried back along the flow by s, and so become constant. Where
there is none one is made: the angle in a plane that turns, the logarithm of what grows, the quotient of what is
sheared. This covers translations, rotations, scalings, shears and screws, that is most linear and affine actions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import permutations

from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import atan, exp, log, sincos, solve, sqrt
from dalembert.expr.field import tidy
from dalembert.expr.graph import ZERO, Constant, Expr, symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import Domain, Symbol
from dalembert.expr.truth import cleared, depends_on, is_zero, vanish
from dalembert.expr.walk import evaluate, substitute, symbols
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.flows import flow
from dalembert.records import dataclass

_SECONDS = 0.5
"""How long a component may take to be written shorter."""
_TINY = 1e-12


@dataclass(frozen=True, slots=True)
class Straightened:
    """New coordinates, in which the field is a constant times d/ds."""

    chart: Chart
    inverse: Mapping[Expr, Expr]
    """Each old coordinate as a function of the new ones."""
    forward: Mapping[Expr, Expr]
    """Each new coordinate as a function of the old ones, on one branch of angles and roots."""
    along: Expr
    """The coordinate s that moves; the others are constant along the field."""


def fresh(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken: this one, or this one with a number.

    >>> fresh("r", {"r", "r1"})
    'r2'
    """
    names = [name, *(f"{name}{k}" for k in range(1, len(taken) + 2))]
    return next(one for one in names if one not in taken)


def fresh_names(names: Iterable[str], taken: Collection[str]) -> list[str]:
    """Return names that are not taken, and differ from each other.

    >>> fresh_names(["r", "r1"], {"r"})
    ['r1', 'r11']
    """
    found: list[str] = []
    for name in names:
        found.append(fresh(name, {*taken, *found}))
    return found


def carried(field: VectorField, chart: Chart, inverse: Mapping[Expr, Expr]) -> VectorField:
    """Return a field in new coordinates, of which the old ones are known functions; no other direction is needed."""
    images = [inverse[q] for q in field.chart.coordinates]
    moved = substitute(list(field.components), dict(inverse))
    components = solve(jacobian(images, chart.coordinates), moved)
    return VectorField(chart, tuple(cleared([tidy(c, _SECONDS) for c in components])))


def straighten(
    field: VectorField, taken: Collection[str] = (), at: Mapping[Expr, Constant] | None = None
) -> Straightened | None:
    """Return coordinates in which a field is straight, or None where none were found in closed form.

    New coordinates get names that are not ``taken``; ``at`` has values of parameters at which they should be ones.

    >>> x, y = symbol("x"), symbol("y")
    >>> found = straighten(VectorField.of(Chart.of(x, y), [-y, x]))
    >>> found.along, found.inverse
    (phi, {x: r*cos(phi), y: r*sin(phi)})
    >>> found = straighten(VectorField.of(Chart.of(x, y), [1, symbol("mu", role="parameter")]))
    >>> found.along, found.inverse
    (x, {x: x, y: mu*x + y1})
    """
    names = {*taken, *(q.data.name for q in field.chart.coordinates)}
    field = VectorField(field.chart, tuple(cleared(field.components)))
    straight = _carried_back(field, names, at or {})
    if straight is not None:
        return straight
    for chart, inverse, forward in (*_turning(field, names), *_growing(field, names), *_sheared(field, names)):
        inner = _carried_back(
            carried(field, chart, inverse), names | {q.data.name for q in chart.coordinates}, at or {}
        )
        if inner is not None:
            there, back = composed(inverse, inner.inverse), composed(inner.forward, forward)
            return Straightened(inner.chart, there, back, inner.along)
    return None


def composed(outer: Mapping[Expr, Expr], inner: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """Return functions with others put in for their variables."""
    return dict(zip(outer, substitute(list(outer.values()), dict(inner)), strict=True))


def _is_constant(expression: Expr, chart: Chart) -> bool:
    return not depends_on([expression], chart.coordinates)


def vanishes_at(expression: Expr, at: Mapping[Expr, Constant]) -> bool:
    """Say whether an expression is zero, but for rounding, at values of its parameters, if all have one."""
    if not {symbol(s) for s in symbols([expression])} <= set(at):
        return False
    return bool(abs(evaluate([expression], Floats({p: float(value) for p, value in at.items()}))[0]) < _TINY)


def _new(name: str, names: Collection[str], domain: Domain = "real") -> Expr:
    return symbol(Symbol(fresh(name, names), domain=domain))


def _carried_back(field: VectorField, names: Collection[str], at: Mapping[Expr, Constant]) -> Straightened | None:
    """Return coordinates made by the flow from one that moves at a constant rate."""
    chart = field.chart
    moved = [q for q, c in zip(chart.coordinates, field.components, strict=True) if c is not ZERO]
    rates = dict(zip(chart.coordinates, field.components, strict=True))
    steady = [q for q in moved if _is_constant(rates[q], chart) and is_zero(rates[q]).holds is False]
    if not steady:
        return None
    # a rate that is a number is better than one with parameters, which may vanish, worst where their values are known
    along = min(steady, key=lambda q: (rates[q].op != "number", vanishes_at(rates[q], at)))
    if moved == [along]:
        same = {q: q for q in chart.coordinates}
        return Straightened(chart, same, same, along)
    time = symbol(Symbol(fresh("time of the flow", names), role="parameter"))
    images = flow(field, time)
    if images is None:
        return None
    used = set(names)
    new: dict[Expr, Expr] = {}
    for q in moved:
        if q is not along:
            new[q] = _new(f"{q.data.name}1", used, "angle" if q.data.domain == "angle" else "real")
            used.add(new[q].data.name)
    begin = {**new, along: ZERO, time: along / rates[along]}
    inverse = dict(zip(chart.coordinates, substitute(images, begin), strict=True)) | {along: along}
    back = substitute(images, {time: -along / rates[along]})
    forward = {new.get(q, q): image for q, image in zip(chart.coordinates, back, strict=True)} | {along: along}
    return Straightened(Chart(tuple(new.get(q, q) for q in chart.coordinates)), inverse, forward, along)


Change = tuple[Chart, dict[Expr, Expr], dict[Expr, Expr]]
"""New coordinates, the old ones by the new, the new ones by the old."""


def _replaced(chart: Chart, values: Mapping[Expr, Expr], new: Mapping[Expr, tuple[Expr, Expr]]) -> Change:
    """Return a change of some coordinates: their values by the new ones, and for each its successor and its value."""
    inverse = {q: values.get(q, q) for q in chart.coordinates}
    pairs = [new.get(q, (q, q)) for q in chart.coordinates]
    return Chart(tuple(one for one, _ in pairs)), inverse, dict(pairs)


def _turning(field: VectorField, names: Collection[str]) -> Sequence[Change]:
    """Return polar coordinates of planes that turn about a point: x' = -w y + a, y' = w x + b."""
    chart = field.chart
    rates = dict(zip(chart.coordinates, field.components, strict=True))
    found = []
    for x, y in permutations(chart.coordinates, 2):
        (left,), (right,) = jacobian([rates[x]], [y]), jacobian([rates[y]], [x])
        speed = right[0]
        if vanish([speed]) or not _is_constant(speed, chart) or not vanish([left[0] + speed]):
            continue
        offsets = [rates[x] + speed * y, rates[y] - speed * x]
        offsets = [tidy(e, _SECONDS) for e in offsets]
        if not all(_is_constant(e, chart) for e in offsets) or (speed.value or 1) < 0:
            continue
        radius, angle = _new("r", names, "nonzero"), _new("phi", names, "angle")
        s, c = sincos(angle)
        centre = -offsets[1] / speed, offsets[0] / speed
        values = {x: radius * c + centre[0], y: radius * s + centre[1]}
        size = sqrt((x - centre[0]) ** 2 + (y - centre[1]) ** 2)
        turn = 2 * atan((y - centre[1]) / (size + x - centre[0]))  # the angle by the tangent of its half
        found.append(_replaced(chart, values, {x: (radius, size), y: (angle, turn)}))
    return found


def _growing(field: VectorField, names: Collection[str]) -> Sequence[Change]:
    """Return logarithms of positive coordinates that grow: x' = w x."""
    found = []
    for x, rate in zip(field.chart.coordinates, field.components, strict=True):
        if x.data.domain == "positive" and rate is not ZERO:
            speed = tidy(rate / x, _SECONDS)
            if _is_constant(speed, field.chart):
                size = _new(f"log_{x.data.name}", names)
                found.append(_replaced(field.chart, {x: exp(size)}, {x: (size, log(x))}))
    return found


def _sheared(field: VectorField, names: Collection[str]) -> Sequence[Change]:
    """Return quotients of coordinates and their rates, where these are constant along the field: x' = f, f' = 0."""
    found = []
    for x, rate in zip(field.chart.coordinates, field.components, strict=True):
        if rate is ZERO or depends_on([rate], [x]) or not vanish([field(rate)]):
            continue
        quotient = _new(f"{x.data.name}1", names)
        found.append(_replaced(field.chart, {x: quotient * rate}, {x: (quotient, x / rate)}))
    return found
