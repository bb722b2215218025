"""Section 3: Noether's theorem and the momentum map."""

import pytest

from dalembert import gallery
from dalembert.expr import ONE, substitute
from dalembert.expr.calculus import time_derivative
from dalembert.expr.text import parse
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import lie_derivative
from dalembert.mechanics.lagrangian.jets import derivative
from dalembert.model.system import System
from papers.exact import dot, same

from .test_formulas import T, constrained, none, plain_euler

# -- 3 -----------------------------------------------------------------------------------------------------------------
FREE = gallery.load("skateboard").but(
    name="free skate",
    lagrangian="m*(x'^2 + y'^2)/2 + I*phi'^2/2",
    symmetry={"turn": {"x": "-y", "y": "x", "phi": 1}, "across": {"x": 1}, "later": {"t": 1}},
)
COIN = System.of(
    name="coin",
    coordinates={"x": "real", "y": "real", "phi": "angle", "psi": "angle"},
    parameters={"m": 1, "I": 2, "J": 1, "R": 1},
    lagrangian="m*(x'^2 + y'^2)/2 + I*phi'^2/2 + J*psi'^2/2",
    constraints={"along": "x' = R*psi'*cos(phi)", "across": "y' = R*psi'*sin(phi)"},
    symmetry={"turn": {"x": "-y", "y": "x", "phi": 1}, "across": {"x": 1}, "roll": {"psi": 1}, "later": {"t": 1}},
)
"""Two constraints."""
RAMP = System.of(
    name="bead on a ramp that turns",
    coordinates={"x": "real", "y": "real", "z": "real"},
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - z",
    constraints={"ramp": "z' = x*y' - y*x' + 1/2"},
    symmetry={"turn": {"x": "-y", "y": "x"}, "later": {"t": 1}},
)
"""An affine constraint; a shift of x that is carried along in z keeps it, but not the weight."""
SHIFTED = System.of(
    name="any cyclic",
    coordinates="x y z",
    functions={"K": {"of": list("abcde")}, "G": {"of": list("abcd")}},
    lagrangian="K(y, z, x', y', z')",
    constraints={"c": "z' = G(y, z, x', y')"},
    symmetry={"shift": {"x": 1}, "later": {"t": 1}},
)
"""Any L and any constraint that a shift leaves alone, as every symmetry is in coordinates of its own."""
BENT = System.of(
    name="any cyclic of order two",
    coordinates="x y z",
    functions={"K": {"of": list("abc")}, "G": {"of": list("ab")}},
    lagrangian="K(y, x', y'') + z*x''*y' + z''^2/2 + x''^2/2",
    constraints={"c": "z' = G(y, x')"},
    symmetry={"shift": {"x": 1}, "later": {"t": 1}},
)
ADMISSIBLE = {
    "any cyclic of order two": {"z'": "G(y, x')"},
    "any cyclic": {"z'": "G(y, z, x', y')"},
    "free skate": {"y'": "x'*sin(phi)/cos(phi)"},
    "coin": {"x'": "R*psi'*cos(phi)", "y'": "R*psi'*sin(phi)"},
    "bead on a ramp that turns": {"z'": "x*y' - y*x' + 1/2"},
}
FIELDS = {
    "any cyclic of order two": {"shift": ("1", "0", "0")},
    "any cyclic": {"shift": ("1", "0", "0")},
    "free skate": {"turn": ("-y", "x", "1"), "across": ("1", "0", "0")},
    "coin": {"turn": ("-y", "x", "1", "0"), "across": ("1", "0", "0", "0"), "roll": ("0", "0", "0", "1")},
    "bead on a ramp that turns": {"turn": ("-y", "x", "0")},
}
OTHERS = {"free skate": [("0", "0", "1"), ("x", "0", "0")], "coin": [("0", "0", "1", "0"), ("x", "0", "0", "0")],
          "bead on a ramp that turns": [("1", "0", "y"), ("1", "0", "0")],
          "any cyclic": [("0", "1", "0"), ("x", "0", "0")],
          "any cyclic of order two": [("0", "1", "0"), ("x", "0", "0")]}  # fmt: skip
SYMMETRIC = pytest.mark.parametrize("given", [FREE, COIN, RAMP, SHIFTED, BENT], ids=lambda one: one.name)


def fields_of(given):
    """Return symmetries, and fields that are none, with whether they are."""
    words = given.vocabulary
    told = [*((row, True) for row in FIELDS[given.name].values()), *((row, False) for row in OTHERS[given.name])]
    return [([parse(one, words) for one in row], symmetric) for row, symmetric in told]


def admissible(given):
    """Return velocities that obey the constraints, by others."""
    words = given.vocabulary
    found = {parse(v, words): parse(value, words) for v, value in ADMISSIBLE[given.name].items()}
    for _ in range(2 * given.order - 1):  # derivatives of the constraint, of the lowest order first
        found |= {v.dot: substitute([time_derivative(value)], found)[0] for v, value in found.items()}
    return found


def prolonged(components, given, chart):
    """Return a field on jets up to order 2r - 1."""
    parts = dict(zip(given.q, components, strict=True))
    level = list(components)
    for k in range(1, 2 * given.order):
        level = [time_derivative(c) for c in level]
        parts |= {derivative(q, k): c for q, c in zip(given.q, level, strict=True)}
    return VectorField.of(chart, parts)


@SYMMETRIC
def test_symmetries_leave_the_cartan_form_on_admissible_curves(given):
    *_, theta, _ = constrained(given)
    chart = theta.chart
    along = VectorField(chart, tuple(ONE if c is T else c.dot for c in chart.coordinates))
    for components, symmetric in fields_of(given):
        value = lie_derivative(prolonged(components, given, chart), theta)(along)
        assert none(*substitute([value], admissible(given))) is symmetric


@SYMMETRIC
def test_momenta_of_symmetries_are_constant(given):
    L, constraints, names, theta, _ = constrained(given)
    # on any admissible curve its rate is what the equations do along the symmetry; of another field there is more
    whole = given.lagrangian + dot(names, [one.function for one in constraints])
    seen = []
    for field, kept in fields_of(given):
        along = L.boundary(field) + dot(names, [one.boundary(field) for one in constraints])
        rate = time_derivative(along) + dot(plain_euler(whole, given.q, given.order), field)
        assert none(*substitute([rate], admissible(given))) is kept
        seen.append(kept)
        assert same([along], [theta(prolonged(field, given, theta.chart))])  # i_D Theta~
    assert set(seen) == {True, False}
