"""First integrals: given ones are judged, the search finds all in an ansatz, moving energies where energies move."""

from functools import cache

import pytest
from clock import quickly

from dalembert import gallery
from dalembert.expr import Expr, substitute
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.nonholonomic.linear_constraints import Nonholonomic, derive
from dalembert.mechanics.nonholonomic.symmetry_search import first_integrals_of
from dalembert.mechanics.second_order.field import SecondOrderField, field_of
from dalembert.mechanics.second_order.search.first_integrals import (
    find_first_integrals,
    is_first_integral,
    moving_energies,
)
from dalembert.mechanics.second_order.search.linear_search import Ansatz, combination_of
from dalembert.mechanics.second_order.search.symmetries import adjoint_claims, adjoint_of
from dalembert.model.system import System

DISC = "vertical-rolling-disc"


@cache
def result(name: str) -> Nonholonomic:
    return derive(gallery.load(name))


@cache
def field(name: str) -> SecondOrderField:
    return field_of(result(name))


def read(name: str, *texts: str) -> list[Expr]:
    return [parse(text, gallery.load(name).vocabulary) for text in texts]


def turning_skate(blade: str = "(x' + w*y)*sin(phi) = (y' - w*x)*cos(phi)") -> System:
    """A skate on a table that turns with the speed w."""
    return System.of(
        name="skate on a turning table",
        coordinates={"phi": "angle", "x": "real", "y": "real"},
        parameters={"w": 1, "J": 2},
        lagrangian="(x'^2 + y'^2 + J*phi'^2)/2",
        constraints={"blade": blade},
        symmetry={"turn": {"x": "-y", "y": "x", "phi": 1}},
    )


def test_the_disc() -> None:
    known = read(DISC, "phi'", "psi'", "psi'*x - R*sin(psi)*phi'", "psi'*y + R*cos(psi)*phi'")
    found = find_first_integrals(field(DISC), Ansatz(1, 1))
    assert found.dimension == 4
    assert found.complete.kind == "proved"
    for expected in known:
        assert combination_of([[i.expression] for i in found.basis], [expected]) is not None
    assert combination_of([[i.expression] for i in found.basis], read(DISC, "x*phi'")) is None


@pytest.mark.thorough
def test_the_disc_with_squares_and_time() -> None:
    """Linear independence is not functional independence: of eight functions six say it all."""
    found = find_first_integrals(field(DISC), Ansatz(1, 2, 1, bare_angles=1))
    seventh = read(DISC, "(x^2 + y^2)*psi' - 2*R*phi'*(x*sin(psi) - y*cos(psi))")
    with_time = read(DISC, "phi - t*phi'", "psi - t*psi'", "phi*psi' - psi*phi'")
    for expected in [*seventh, *with_time]:
        assert combination_of([[i.expression] for i in found.basis], [expected]) is not None
    assert found.dimension == 8
    assert len(found.independent(field(DISC))) == 6
    assert combination_of([[i.expression] for i in found.basis], read(DISC, "phi")) is None


@pytest.mark.thorough
def test_every_first_integral_is_an_adjoint_symmetry() -> None:
    for name in (DISC, "heisenberg", "nonholonomic-particle", "snakeboard"):
        f = field(name)
        found = find_first_integrals(f, Ansatz(2, 1))
        assert found.dimension > 1
        for integral in found.basis[:3]:
            assert integral.verdict.holds
            assert is_first_integral(f, integral.expression).holds
            claims = adjoint_claims(f, adjoint_of(f, integral.expression))
            assert {claim.verdict.holds for claim in claims} == {True}, (name, integral.expression)
            assert is_first_integral(f, integral.expression + f.coordinates[0]).holds is False


def test_what_is_not_polynomial_is_judged_when_given() -> None:
    name = "nonholonomic-particle"
    good, bad = read(name, "x'*sqrt(1 + y^2)", "x'*(1 + y^2)")
    assert is_first_integral(field(name), good).holds
    assert is_first_integral(field(name), bad).holds is False
    square = read(name, "x'^2*(1 + y^2)")
    assert combination_of([[i.expression] for i in find_first_integrals(field(name), Ansatz(2, 2)).basis], square)


def test_the_energy_is_found_for_natural_systems() -> None:
    cases = {"heisenberg": Ansatz(2, 0), "nonholonomic-particle": Ansatz(2, 2), "particle-in-potential": Ansatz(2, 4)}
    for name, ansatz in cases.items():
        found = find_first_integrals(field(name), ansatz)
        assert combination_of([[i.expression] for i in found.basis], [result(name).energy]) is not None, name
    for without_constraints in ("magnetic", "heavy-top-chart", "pendulum:1"):
        motion = euler_lagrange.derive(gallery.load(without_constraints))
        found = find_first_integrals(field_of(motion.equations), Ansatz(2, 0, harmonics=2))
        assert combination_of([[i.expression] for i in found.basis], [motion.energy]) is not None, without_constraints


def test_time_in_the_constraint_leaves_no_energy() -> None:
    assert first_integrals_of(result("affine-time")) == ()
    ramp = System.of(
        name="ramp", coordinates="x z", lagrangian="(x'^2 + z'^2)/2", constraints={"ramp": "z' = t*x' + 1"}
    )
    found = find_first_integrals(field_of(derive(ramp)), Ansatz(2, 1, 2))
    expected = parse("z - t - (1 + t^2)*x'", ramp.vocabulary)
    assert combination_of([[i.expression] for i in found.basis], [expected]) is not None


def test_equations_without_a_lagrangian() -> None:
    stated = System.of(name="springs", coordinates="x y z", equations={"x''": "-x", "y''": "-y", "z'": "y*x'"})
    found = find_first_integrals(field_of(stated), Ansatz(2, 2))
    longer = find_first_integrals(field_of(stated), Ansatz(2, 2, 1))
    area = "2*z - x*y + t*(x*y' - y*x')"
    for text in ("x*y' - y*x'", "x'^2 + x^2", area):
        target = [parse(text, stated.vocabulary)]
        assert (combination_of([[i.expression] for i in found.basis], target) is None) == (text is area)
        assert combination_of([[i.expression] for i in longer.basis], target) is not None


@pytest.mark.thorough
def test_the_quick_list_of_the_disc() -> None:
    disc = derive(gallery.load(DISC))
    found = quickly(2.0, lambda: first_integrals_of(disc))
    assert [integral.name for integral in found] == ["energy", "", "", "", ""]
    assert {integral.verdict.kind for integral in found} == {"proved"}
    known = read(DISC, *gallery.known(DISC).integrals.values())
    for expected in known:
        assert combination_of([[i.expression] for i in found], [expected]) is not None


def test_moving_energy_of_a_skate_on_a_turning_table() -> None:
    system = turning_skate()
    motion = derive(system)
    assert is_zero(motion.energy_rate).holds is False
    (moving,) = moving_energies(motion)
    assert moving.name == "moving energy"
    assert moving.verdict.kind == "proved"
    f = field_of(motion)
    momentum = parse("x*y' - y*x' + J*phi'", system.vocabulary)
    put = dict(zip((q.dot for q in f.dependent), f.dependent_velocities, strict=True))
    (on_constraint,) = substitute([motion.energy - parse("w", system.vocabulary) * momentum], put)
    assert is_zero(moving.expression - on_constraint).holds
    assert is_first_integral(f, moving.expression).holds
    assert moving in first_integrals_of(motion)


@pytest.mark.parametrize("blade", ["(x' + w*y)*sin(phi) = (y' - w*y)*cos(phi)", "x'*sin(phi) = y'*cos(phi) + w*x"])
def test_no_moving_energy_where_the_table_does_not_turn(blade: str) -> None:
    motion = derive(turning_skate(blade))
    assert is_zero(motion.energy_rate).holds is False
    assert moving_energies(motion) == []


def test_without_affine_constraints_the_moving_energy_is_the_energy() -> None:
    (energy,) = moving_energies(result(DISC))
    assert energy.name == "energy"
    assert moving_energies(result("affine-time")) == []
    assert is_zero(energy.expression - result(DISC).energy).holds


def test_a_ball_on_a_turning_table() -> None:
    """Its energy changes; the energy seen from the table is kept, and so is the centre of its circle."""
    plate = gallery.load("plate-and-ball-chart")
    system = plate.but(
        parameters={"m": 1, "J": 0.4, "r": 1, "w": 2},
        constraints={"in_x": "x' = r*wy - w*y", "in_y": "y' = -r*wx + w*x"},
        symmetry={"turn": {"x": "-y", "y": "x", "phi": 1}},
    )
    motion = derive(system)
    f = field_of(motion)
    assert is_zero(motion.energy_rate).holds is False
    (moving,) = moving_energies(motion)
    assert moving.verdict.kind == "proved"
    put = dict(zip((q.dot for q in f.dependent), f.dependent_velocities, strict=True))
    texts = ("(m*r^2 + J)*x' + J*w*y", "(m*r^2 + J)*y' - J*w*x", "wz", "(m*r^2 + J)*x' - J*w*y")
    kept = substitute([parse(text, system.vocabulary) for text in texts], put)
    assert [is_first_integral(f, e).holds for e in kept] == [True, True, True, False]
