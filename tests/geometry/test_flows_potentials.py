"""Flows in closed form and potentials of closed forms: what is returned is right, and None where none was found."""

from collections.abc import Sequence
from fractions import Fraction

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import (
    ONE,
    PI,
    ZERO,
    Expr,
    Function,
    asin,
    atan,
    cos,
    count,
    diff,
    exp,
    jet,
    log,
    power,
    sin,
    sqrt,
    substitute,
    symbol,
    tan,
)
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import postorder
from dalembert.geometry import Chart, VectorField, closed, d, flow, one_form, potential
from dalembert.geometry.constants import constant_combination, written_out
from dalembert.geometry.flows import _is_flow
from dalembert.testing.objects import SPACE, Objects

x, y, z = (symbol(n) for n in "xyz")
omega, b = symbol("omega", role="parameter"), symbol("b", role="parameter")
a, k, m, g = (symbol(n, role="parameter", domain="positive") for n in "akmg")
s, t = symbol("s", role="parameter"), symbol("t", role="time")
LINE, PLANE, ROOM = Chart.of(x), Chart.of(x, y), Chart.of(x, y, z)
V = jet(Function("V", 2), (x, y))


def chart_of(*components: Expr | int) -> Chart:
    return (LINE, PLANE, ROOM)[len(components) - 1]


# -- flows -------------------------------------------------------------------------------------------------------
FLOWS = {
    "translation": [1, 2, k],
    "direction": [cos(b), sin(b)],
    "rotation": [-y, x],
    "rotation at a rate": [-omega * y, omega * x],
    "screw": [-y, x, k],
    "rotation about another point": [1 - omega * y, omega * x + k],
    "spiral": [b * x - omega * y, omega * x + b * y],
    "scaling": [x, -2 * y],
    "affine": [b * x + k],
    "oscillator": [y, -k * x],
    "irrational": [y, 2 * x],
    "irrational rate": [-sqrt(2) * y, x],
    "full turns": [-2 * PI * y, 2 * PI * x],
    "damped": [y, -x - y],
    "screw about a diagonal": [z - y + 1, x - z + 1, y - x + 1],
    "shear": [y, z, 0],
    "jordan": [x + y, y],
    "triangular": [x, x**2 + y],
    "polynomial": [1, x**2, x * y],
    "waves": [1, sin(x)],
    "waves at a rate": [1, sin(omega * x)],
    "growth at a rate": [1, exp(k * x)],
    "projective": [x**2],
    "projective plane": [x**2, x * y],
    "logistic": [x * (1 - x)],
}


@pytest.mark.parametrize("name", FLOWS)
def test_flows_are_flows(name: str) -> None:
    field = VectorField.of(chart_of(*FLOWS[name]), FLOWS[name])
    q = field.chart.coordinates
    moved = flow(field, s)
    assert moved is not None
    rates = substitute(list(field.components), dict(zip(q, moved, strict=True)))
    assert all(is_zero(diff(p, s) - rate).holds is True for p, rate in zip(moved, rates, strict=True))
    # a group: flowing for s and then for r is flowing for s + r
    r = symbol("r", role="parameter")
    twice = substitute(moved, dict(zip(q, substitute(moved, {s: r}), strict=True)))
    once = substitute(moved, {s: s + r})
    assert all(is_zero(p - o).holds is True for p, o in zip(twice, once, strict=True))
    # and it commutes with its own field, as no other flow does
    assert all(is_zero(field(p) - rate).holds is True for p, rate in zip(moved, rates, strict=True))
    assert not _is_flow(field, [2 * p for p in moved], s)
    assert not _is_flow(field, substitute(moved, {s: 2 * s}), s)


def is_short(found: Expr, wanted: Expr) -> bool:
    """Say whether something is what was wanted, in no more operations."""
    return is_zero(found - wanted).holds is True and count([found]).total <= count([wanted]).total


def test_flows_are_short() -> None:
    turned = flow(VectorField.of(PLANE, [-omega * y, omega * x]), s) or []
    angle = omega * s
    wanted = [x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)]
    assert all(is_short(p, w) for p, w in zip(turned, wanted, strict=True))
    assert is_short((flow(VectorField.of(ROOM, [y, z, 0]), s) or [])[0], x + s * y + s**2 * z / 2)
    (moved,) = flow(VectorField.of(LINE, [x**2]), t) or []
    assert is_short(moved, x / (1 - t * x))
    assert substitute([moved], {x: ZERO}) == [ZERO]  # no pole where the field has none


def test_no_flow_is_made_up() -> None:
    for components in ([x**3], [sqrt(x)], [sin(x)], [x * y, y * x], [y, b * x], [V, 0]):
        assert flow(VectorField.of(chart_of(*components), components), s) is None
    with pytest.raises(ExpressionError, match="a symbol that does not occur in the field"):
        flow(VectorField.of(LINE, [s * x]), s)
    with pytest.raises(ExpressionError, match="a symbol that does not occur"):
        flow(VectorField.of(LINE, [x]), x)
    with pytest.raises(ExpressionError, match="a symbol that does not occur"):
        flow(VectorField.of(LINE, [x]), 2 * s)


# -- combinations with constants ---------------------------------------------------------------------------------
def test_constants_are_numbers_or_in_parameters() -> None:
    assert constant_combination([2 * sin(x) * cos(x)], [[x], [sin(2 * x)]], [x]) == [ZERO, ONE]
    assert constant_combination([k * x + 1, k * y], [[x, y], [ONE, ZERO]], [x, y]) == [k, ONE]
    (found,) = constant_combination([power(x, k - 1)], [[power(x, k) / (k * x)]], [x]) or []
    assert is_zero(found - k).holds is True
    assert constant_combination([k * exp(k * x)], [[exp(k * x) / k]], [x]) == [k**2]
    assert constant_combination([x * y], [[x], [y]], [x, y]) is None
    assert constant_combination([x * y], [[x], [y]], [x]) == [y, ZERO]
    assert written_out((omega * x) / omega) is x


# -- potentials --------------------------------------------------------------------------------------------------
POTENTIALS: Sequence[Expr] = [
    x**2 * y - y**3,
    (x + y + 2 * z) ** 4,
    m * g * y + k * x**2 / 2,
    (a + k) * x * y / (m + g),
    sin(x) * y + cos(y),
    sin(x) ** 3 * cos(y) ** 2,
    x**2 * sin(x + 2 * y),
    sin(k * x) * exp(omega * y),
    exp(-omega * x) * sin(k * x),
    exp(x * y) * z,
    x**3 * exp(2 * x) * y,
    log(x**2 + y**2),
    log(x + y + z) * k / (a + k),
    log(1 + x**2 * y**2) / 2,
    x * log(y) + y * log(x),
    log((x - 1) / (x + 1)),
    log(cos(x)) + tan(x) * y,
    log(1 + exp(x)),
    atan(y / x),
    atan(x / a) * y,
    x * atan(x),
    atan((2 * x + 1) / sqrt(3)),
    (1 + sqrt(3)) * log(x + y) + PI * sin(PI * x),
    atan(exp(x)),
    y / x + 1 / (x * y),
    x * y / (1 + x**2) ** 2,
    x * y * z / (1 + x),
    sqrt(x**2 + y**2),
    m * sqrt(a + x**2),
    asin(x),
    log(x + sqrt(x**2 + 1)),
    power(x, k) * y,
    V**2,
    log(1 + V**2) + atan(V),
    x * V,
    t * x**2 + sin(t),
    log(b + y**2),
    log(1 - b**2 + y**2) + log(x - s),
    log(1 + 2 * b * y + y**2) + x * y,
]


@pytest.mark.parametrize("function", POTENTIALS, ids=repr)
@pytest.mark.thorough(
    "log((x - 1)/(x + 1))",
    "atan(sqrt(3)*(2*x + 1)/3)",
    "sqrt(x^2 + y^2)",
    "m*sqrt(a + x^2)",
    "asin(x)",
    "log(x + sqrt(x^2 + 1))",
)
def test_potentials_are_found(function: Expr) -> None:
    used = set(postorder([function]))
    chart = Chart(tuple(q for q in (x, y, z, t) if q in used))
    form = d(function, chart)
    found = potential(form)
    assert found is not None
    assert (d(found, chart) - form).is_zero().holds is True
    assert (d(found, chart) - 2 * form).is_zero().holds is False


INTEGRALS = [
    (1 / cos(x), True),
    (1 / sin(x) ** 2, True),
    (tan(x) ** 2, True),
    (sin(x) ** 4, True),
    (1 / (x**3 + 1), True),
    (1 / (x**2 - 2), True),
    (1 / (a * x**2 + m), True),
    (k / (k**2 + x**2), True),
    (x**5 / (1 + x**2), True),
    (1 / (1 + x**2) ** 2, True),
    (sqrt(1 - x**2), True),
    (x**2 * log(x), True),
    (x**2 * cos(omega * x), True),
    (exp(x**2), False),
    (sin(x) / x, False),
    (1 / log(x), False),
    (exp(x) / x, False),
    (sqrt(1 + x**3), False),
]


@pytest.mark.parametrize(("function", "elementary"), INTEGRALS, ids=repr)
@pytest.mark.thorough("1/(x^3 + 1)-True", "1/(a*x^2 + m)-True", "sqrt(1 - x^2)-True", "sqrt(x^3 + 1)-False")
def test_integrals_of_one_variable(function: Expr, elementary: bool) -> None:
    found = potential(one_form(LINE, [function]))
    assert (found is not None) is elementary
    if found is not None:
        assert is_zero(diff(found, x) - function).holds is True


def test_what_is_not_closed_has_no_potential() -> None:
    for components in ([y, -x], [y, 2 * x], [sin(y), 0], [V, V]):
        form = one_form(PLANE, components)
        assert closed(form).holds is False
        assert potential(form) is None
    assert closed(one_form(PLANE, [y, x])).holds is True
    assert potential(one_form(PLANE, [0, 0])) is ZERO
    assert potential(one_form(PLANE, [sin(x) ** 2 + cos(x) ** 2 - 1, 0])) is ZERO
    with pytest.raises(ExpressionError, match="degree 2"):
        potential(d(one_form(PLANE, [y, -x])))


@pytest.mark.thorough
def test_potentials_of_random_differentials() -> None:
    for seed in range(1, 6):
        some = Objects(seed)
        form = d(some.function() * some.function(), SPACE)
        found = potential(form)
        assert found is not None
        assert (d(found, SPACE) - form).is_zero().holds is True


def test_the_potential_of_a_simple_form_is_simple() -> None:
    cases = [
        (m * g * x + k * y**2 / 2, PLANE, [m * g, k * y]),
        (atan(y / x), PLANE, [-y / (x**2 + y**2), x / (x**2 + y**2)]),
        (log(x), LINE, [1 / x]),
        (-atan(x), LINE, [-1 / (1 + x**2)]),
        (x / 3, LINE, [Fraction(1, 3)]),
        (-asin(x), LINE, [-1 / sqrt(1 - x**2)]),
        (log(1 + x**2 * y**2) / 2, PLANE, [x * y**2 / (1 + x**2 * y**2), x**2 * y / (1 + x**2 * y**2)]),
    ]
    for wanted, chart, components in cases:
        found = potential(one_form(chart, components))
        assert found is not None
        assert is_short(found, wanted)
