"""The momentum map: its signs, equivariance, and what the metric of L = T - V makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dalembert import gallery
from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr import ZERO, cos, gradient, sin, symbol
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.geometry.connections import principal
from dalembert.geometry.fields import coordinate_field
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.tangent_bundle import complete_lift
from dalembert.mechanics.lagrangian import momentum_map
from dalembert.model.system import System

SE2 = System.of(
    name="body in the plane",
    coordinates={"x": "real", "y": "real", "theta": "angle"},
    parameters={"m": 1, "J": 2, "a": 3},
    lagrangian="m*(x'^2 + y'^2)/2 + J*theta'^2/2 + m*a*theta'*(cos(theta)*y' - sin(theta)*x')",
    symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "theta": 1}},
)
HEISENBERG = System.of(
    name="invariant metric",
    coordinates="x y z",
    lagrangian="(x'^2 + y'^2 + (z' - (x*y' - y*x')/2)^2)/2",
    symmetry={"e1": {"x": 1, "z": "y/2"}, "e2": {"y": 1, "z": "-x/2"}, "e3": {"z": 1}},
)
NON_ABELIAN = {"se(2)": SE2, "so(3)": gallery.load("free-rigid-body-chart"), "heisenberg": HEISENBERG}


def claims(result: momentum_map.MomentumMap) -> dict[str, tuple[str, bool | None]]:
    return {c.name: (c.role, c.verdict.holds) for c in result.claims}


# -- signs ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", NON_ABELIAN)
def test_equivariance_has_the_sign_of_the_group(name: str) -> None:
    """E~_a^C(p_b) = -C_ab^c p_c; with the flipped sign, which is an isomorphic algebra, it fails."""
    result = momentum_map.derive(NON_ABELIAN[name])
    assert result.action.algebra.name() == name
    assert claims(result)["equivariance"] == ("check", True)
    algebra = result.action.algebra
    flipped = LieAlgebra(algebra.names, tuple(tuple(tuple(-c for c in row) for row in t) for t in algebra.constants))
    assert not flipped.faults()
    verdict = momentum_map.equivariance(replace(result.action, algebra=flipped), result.momenta)
    assert verdict.kind == "refuted"
    assert verdict.evidence.startswith("generator ")


def test_the_constants_are_those_of_matrix_commutators() -> None:
    constants = momentum_map.derive(SE2).action.algebra
    assert constants.bracket([0, 0, 1], [1, 0, 0]) == constants.element([0, 1, 0])
    assert constants.bracket([0, 0, 1], [0, 1, 0]) == constants.element([-1, 0, 0])


def test_equivariance_on_all_pairs_by_hand() -> None:
    result = momentum_map.derive(SE2)
    p = result.momenta
    turn = complete_lift(result.action.generators[2])
    assert is_zero(turn(p[0]) + p[1]).holds  # [e3, e1] = e2
    assert is_zero(turn(p[1]) - p[0]).holds
    assert is_zero(turn(p[2])).holds


def test_magnetic_translations_are_not_equivariant() -> None:
    result = momentum_map.derive(gallery.load("magnetic"))
    found = claims(result)
    assert found["closure"] == ("hypothesis", True)
    assert found["invariance turn"] == ("question", True)
    assert found["invariance across_x"] == ("question", False)
    assert found["equivariance"] == ("question", False)


# -- the metric ----------------------------------------------------------------------------------------------
def parts_of(system: System) -> momentum_map.SimpleMechanical:
    parts = momentum_map.simple_mechanical(system)
    assert parts is not None
    return parts


def only(system: System, *names: str) -> System:
    return system.but(symmetry={name: system.symmetry[name].on(system.chart) for name in names})


@pytest.mark.parametrize(
    ("name", "generator", "potential"),
    [
        ("spherical-pendulum", "turn", "mu^2/(2*m*l^2*sin(theta)^2) - m*g*l*cos(theta)"),
        ("kepler", "e3", "mu^2/(2*m*(x^2 + y^2)) - k/r"),
    ],
)
def test_known_amended_potentials(name: str, generator: str, potential: str) -> None:
    system = only(gallery.load(name), generator)
    constants = {p.data.name: value for p, value in system.parameters.items()}
    system = system.but(parameters=constants | {"mu": {"sign": "any"}})
    found = momentum_map.amended_potential(
        parts_of(system), momentum_map.derive(system).action, [system.vocabulary["mu"]]
    )
    wanted = parse(potential, system.vocabulary)
    assert is_zero(found - wanted).holds
    assert is_zero(found - parts_of(system).potential).holds is False


def test_amended_potential_of_the_top_with_both_momenta() -> None:
    system = gallery.load("heavy-top-chart")
    words = system.vocabulary
    a, b = (symbol(n, role="parameter", domain="real") for n in "ab")
    theta, I1, I3 = words["theta"], words["I1"], words["I3"]
    action = momentum_map.derive(system).action
    found = momentum_map.amended_potential(parts_of(system), action, [a, b])
    known = (a - b * cos(theta)) ** 2 / (2 * I1 * sin(theta) ** 2) + b**2 / (2 * I3) + parts_of(system).potential
    assert is_zero(found - known).holds
    swapped = momentum_map.amended_potential(parts_of(system), action, [b, a])
    assert is_zero(swapped - known).holds is False


def test_locked_inertia_is_that_of_the_frozen_body() -> None:
    parts, result = parts_of(SE2), momentum_map.derive(SE2)
    inertia = momentum_map.locked_inertia(parts, result.action)
    words = SE2.vocabulary
    m, J, a, x, y, theta = (words[n] for n in ("m", "J", "a", "x", "y", "theta"))
    centre = [x + a * cos(theta), y + a * sin(theta)]
    known = [
        [m, 0, -m * centre[1]],
        [0, m, m * centre[0]],
        [-m * centre[1], m * centre[0], m * (x**2 + y**2) + J + 2 * m * a * (x * cos(theta) + y * sin(theta))],
    ]
    for row, other in zip(inertia, known, strict=True):
        assert all(is_zero(entry - value).holds for entry, value in zip(row, other, strict=True))
    assert is_zero(inertia[2][2] - inertia[2][1]).holds is False


def test_momenta_are_inertia_times_connection() -> None:
    """J_a = I_ab gamma^b(q'): the connection is I^-1 J."""
    for name in ("spherical-pendulum", "heavy-top-chart"):
        system = gallery.load(name)
        parts, result = parts_of(system), momentum_map.derive(system)
        connection = momentum_map.mechanical_connection(parts, result.action)
        inertia = momentum_map.locked_inertia(parts, result.action)
        values = [sum((form.component(i) * v for i, v in enumerate(system.v)), ZERO) for form in connection.forms]
        for row, p in zip(inertia, result.momenta, strict=True):
            assert is_zero(sum((i * g for i, g in zip(row, values, strict=True)), -p)).holds


def test_the_mechanical_connection_is_a_connection() -> None:
    system = System.of(
        name="two bodies",
        coordinates={"x": "real", "y": "real", "phi": "angle", "r": "positive"},
        parameters={"m": 1, "J": 2},
        lagrangian="m*(x'^2 + y'^2)/2 + (J + r^2)*phi'^2/2 + r'^2/2 + r*x'*phi'*cos(phi) + r*y'*phi'*sin(phi)"
        " + r'*x'*sin(phi) - r'*y'*cos(phi)",
        symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x", "phi": 1}},
    )
    result = momentum_map.derive(system)
    assert claims(result)["equivariance"] == ("check", True)
    connection = momentum_map.mechanical_connection(parts_of(system), result.action)
    assert connection.reproduces_generators().holds
    constants = result.action.algebra.constants
    assert principal.equivariance(connection, constants).holds
    flipped = [[[-c for c in row] for row in table] for table in constants]
    assert principal.equivariance(connection, flipped).holds is False
    metric = parts_of(system).metric
    for e in result.action.generators:  # horizontal is orthogonal to the orbits
        for q in system.q:
            field = connection.horizontal_part(coordinate_field(system.chart, q))
            across = [metric[i][j] * e.components[i] * field.components[j] for i in range(4) for j in range(4)]
            assert is_zero(sum(across, ZERO)).holds


def test_lagrangians_that_are_not_kinetic_less_potential() -> None:
    assert momentum_map.simple_mechanical(gallery.load("quartic")) is None
    assert momentum_map.simple_mechanical(gallery.load("magnetic")) is None
    parts = parts_of(gallery.load("pendulum:2"))
    assert is_zero(gradient(parts.potential, gallery.load("pendulum:2").v)[0]).holds


# -- what is refused -----------------------------------------------------------------------------------------
def test_what_is_refused() -> None:
    system = gallery.load("spherical-pendulum")
    with pytest.raises(HypothesisError, match=r"\[symmetry\]: no generators are stated"):
        momentum_map.derive(system.but(symmetry=None))
    with pytest.raises(HypothesisError, match=r"\[symmetry\] clock: it moves time"):
        momentum_map.derive(gallery.load("quartic"))
    with pytest.raises(HypothesisError, match=r"the bracket \[a, b\] = \(-1, 0\) is no combination of a, b"):
        momentum_map.derive(system.but(symmetry={"a": {"phi": 1, "theta": "phi"}, "b": {"phi": 1}}))
    with pytest.raises(HypothesisError, match="lagrangian: it is of order 2"):
        momentum_map.derive(System.of(name="beam", coordinates="x", lagrangian="x''^2/2", symmetry={"e": {"x": 1}}))


def test_dependent_generators_have_no_connection() -> None:
    system = gallery.load("kepler")
    result = momentum_map.derive(system)
    with pytest.raises(ExpressionError, match="rank 2 of 3"):
        momentum_map.mechanical_connection(parts_of(system), result.action)
    with pytest.raises(ExpressionError, match="rank 2 of 3"):
        momentum_map.amended_potential(parts_of(system), result.action, [1, 2, 3])
