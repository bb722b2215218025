"""Hamilton's equations: the Legendre transformation in closed form and implicit, and both meet Lagrange's side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dalembert import gallery
from dalembert.errors import HypothesisError
from dalembert.expr import ZERO, diff, gradient, jacobian, substitute
from dalembert.expr.field import tidy
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.expr.vocabulary import Vocabulary
from dalembert.mechanics.lagrangian import euler_lagrange, hamilton
from dalembert.model.system import System


def words(result: hamilton.Hamilton) -> Vocabulary:
    """The names of the system and those of the costates."""
    stated = result.system.vocabulary
    extra = {p.data.name: "real" for p in result.costates}
    return Vocabulary(stated.coordinates, stated.parameters, stated.functions, stated.let, extra)


@pytest.mark.parametrize(
    ("name", "hamiltonian"),
    [
        ("spherical-pendulum", "(p_theta^2 + p_phi^2/sin(theta)^2)/(2*m*l^2) - m*g*l*cos(theta)"),
        ("kepler", "(p_x^2 + p_y^2 + p_z^2)/(2*m) - k/r"),
        ("magnetic", "((p_x + b*y/2)^2 + (p_y - b*x/2)^2 + p_z^2)/(2*m)"),
        (
            "heavy-top-chart",
            "p_theta^2/(2*I1) + (p_phi - p_psi*cos(theta))^2/(2*I1*sin(theta)^2) + p_psi^2/(2*I3) + m*g*l*cos(theta)",
        ),
    ],
)
def test_known_hamiltonians(name: str, hamiltonian: str) -> None:
    result = hamilton.derive(gallery.load(name))
    assert not result.equations.implicit
    assert is_zero(result.hamiltonian - parse(hamiltonian, words(result))).holds
    assert is_zero(result.hamiltonian - parse(hamiltonian, words(result)) + result.costates[0]).holds is False
    assert result.claims[0].verdict.holds
    assert result.equations.monitors["energy"] is result.hamiltonian


def test_the_equations_are_canonical() -> None:
    result = hamilton.derive(gallery.load("free-rigid-body-chart"))
    q, p, H = result.system.q, result.costates, result.hamiltonian
    for x, y, speed, pull in zip(q, p, gradient(H, p), gradient(H, q), strict=True):
        assert is_zero(result.equations.kinematics[x] - speed).holds
        assert is_zero(result.equations.kinematics[y] + pull).holds
    field = list(result.equations.kinematics.values())
    divergence = sum((row[i] for i, row in enumerate(jacobian(field, result.equations.state))), ZERO)
    assert is_zero(divergence).holds  # Liouville


def test_a_quartic_lagrangian_stays_implicit() -> None:
    result = hamilton.derive(gallery.load("quartic"))
    system = result.system
    assert set(result.equations.implicit) == set(system.v)
    assert result.velocities == system.v
    assert result.claims[0].verdict.holds
    assert "implicit" in result.claims[0].statement
    momenta = dict(zip(result.costates, gradient(system.lagrangian, system.v), strict=True))
    for residual in substitute(list(result.equations.implicit.values()), momenta):
        assert is_zero(residual).holds
    (energy,) = substitute([result.hamiltonian], momenta)
    assert is_zero(energy - euler_lagrange.derive(system).energy).holds
    x = system.q[0]
    assert is_zero(result.equations.kinematics[result.costates[0]] - diff(system.lagrangian, x)).holds


def test_a_wrong_field_does_not_meet_lagrange() -> None:
    system = gallery.load("quartic")
    result = hamilton.derive(system)
    momenta = dict(zip(result.costates, gradient(system.lagrangian, system.v), strict=True))
    right = hamilton._meets_lagrange(system, momenta, result.equations)
    assert right.verdict.holds
    for variable in result.equations.kinematics:
        wrong = {q: rate * 2 if q is variable else rate for q, rate in result.equations.kinematics.items()}
        claim = hamilton._meets_lagrange(system, momenta, replace(result.equations, kinematics=wrong))
        assert claim.failed
        assert f"the rate of {variable.data.name}:" in claim.verdict.evidence


def test_forces_time_and_affine_momenta() -> None:
    system = System.of(
        name="driven",
        coordinates="x y",
        parameters={"c": 1},
        lagrangian="(1 + y^2)*x'^2/2 + y'^2/2 + x'*y' /3 + t*x*y' - x^2*cos(t)",
        forces={"x": "-c*x'", "y": "sin(t)*x'"},
    )
    result = hamilton.derive(system)
    assert result.claims[0].verdict.holds
    x_force = result.equations.kinematics[result.costates[0]] + diff(result.hamiltonian, system.q[0])
    (back,) = substitute([x_force], dict(zip(result.costates, gradient(system.lagrangian, system.v), strict=True)))
    assert is_zero(back - parse("-c*x'", system.vocabulary)).holds
    free = hamilton.derive(system.but(forces=None))
    assert is_zero(free.hamiltonian - result.hamiltonian).holds


def test_velocities_that_only_seem_to_be_nonlinear() -> None:
    system = System.of(name="seems", coordinates="x", lagrangian="((x' + 1)^3 - x'^3 - 3*x')/6 + x")
    result = hamilton.derive(system)
    assert not result.equations.implicit
    assert tidy(result.velocities[0], 5) is result.costates[0]


def test_names_of_costates_avoid_those_taken() -> None:
    system = System.of(
        name="taken", coordinates="x p_x", parameters={"p_x_": 1}, lagrangian="(x'^2 + p_x'^2)/2 - p_x_*x"
    )
    names: list[str] = [p.data.name for p in hamilton.derive(system).costates]
    assert names == ["p_x__", "p_p_x"]


def test_functions_keep_their_values() -> None:
    system = System.of(
        name="well",
        coordinates="x",
        functions={"V": {"of": ["u"], "value": "u^4"}, "W": {"of": ["u"]}},
        lagrangian="x'^2/2 - V(x) - W(x)",
    )
    functions = {f.name: body for f, body in hamilton.derive(system).equations.functions.items()}
    assert functions["W"] is None
    assert functions["V"] is not None
    assert functions["V"][1] is functions["V"][0][0] ** 4


def test_what_is_refused() -> None:
    with pytest.raises(HypothesisError, match="hamilton: lagrangian: it is of order 2"):
        hamilton.derive(System.of(name="beam", coordinates="x", lagrangian="x''^2/2"))
    with pytest.raises(HypothesisError, match="equations do not take constraints"):
        hamilton.derive(gallery.load("skateboard"))
    with pytest.raises(HypothesisError, match="it does not contain 'y'"):
        hamilton.derive(System.of(name="flat", coordinates="x y", lagrangian="x'^2/2 - y^2"))
