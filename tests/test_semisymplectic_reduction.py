"""Reduction of constrained systems whose constraints meet the orbits: shapes, momenta, and what is left of omega."""

import pytest

from dalembert import gallery, is_zero, parse
from dalembert.errors import HypothesisError
from dalembert.expr import symbol
from dalembert.expr.calculus import diff
from dalembert.expr.walk import symbols
from dalembert.mechanics import semisymplectic
from dalembert.mechanics.principal_reduction import principal_reduction
from dalembert.mechanics.semisymplectic_reduction import Datum, semisymplectic_reduction
from dalembert.model.system import System


def verdicts(result):
    return {claim.name: claim.verdict.holds for claim in result.claims}


@pytest.fixture(scope="module")
def sleigh():
    return principal_reduction(gallery.load("chaplygin-sleigh"))


def test_the_sleigh_is_reduced_to_its_momentum_equation(sleigh):
    # u' = a w^2, (I + m a^2) w' = -m a u w with the speed u of the blade and the turning rate w
    words = sleigh.system.vocabulary
    u, w = sleigh.speeds
    a, m, inertia = (parse(n, words) for n in ("a", "m", "I"))
    assert sleigh.bundle.base == ()
    assert is_zero(sleigh.momenta[0] - m * u).holds
    assert is_zero(sleigh.momenta[1] - (inertia + m * a**2) * w).holds
    assert is_zero(sleigh.momentum_rates[0] - m * a * w**2).holds
    assert is_zero(sleigh.momentum_rates[1] + m * a * u * w).holds
    assert is_zero(sleigh.momentum_rates[1] - m * a * u * w).holds is False
    assert all(verdicts(sleigh).values())


def test_the_reduced_sleigh_is_symplectic_although_the_sleigh_is_not(sleigh):
    reduced = semisymplectic_reduction(sleigh)
    assert verdicts(reduced)["reduced system is symplectic"]
    assert verdicts(reduced)["reduced motion"]
    assert reduced.manifold.chart.coordinates == sleigh.speeds
    assert verdicts(semisymplectic.derive(sleigh.system))["jacobi"] is False


def test_the_snakeboard_under_planar_motions():
    found = principal_reduction(gallery.load("snakeboard"))
    assert [r.data.name for r in found.bundle.base] == ["psi", "phi1", "phi2"]
    assert found.vertical == 1
    assert all(verdicts(found).values())
    # the momentum along the orbits does not depend on the shape velocities: the frame is orthogonal
    assert all(is_zero(diff(found.momenta[0], r.dot)).holds for r in found.bundle.base)
    # it reads the position in the plane nowhere
    free = {s.name for e in (*found.momenta, *found.momentum_rates) for s in symbols([e])}
    assert free.isdisjoint({"x", "y", "theta"})


def test_a_rotor_that_lies_in_the_constraint_is_fixed_at_its_momentum():
    board = gallery.load("snakeboard")
    plane = {name: {q.data.name: c for q, c in g.components.items()} for name, g in board.symmetry.items()}
    system = board.but(symmetry={**plane, "rotor": {"psi": 1}})
    reduced = semisymplectic_reduction(principal_reduction(system))
    assert reduced.datum.momenta == ((0, 0, 0, 1),)
    assert reduced.datum.steps == 1
    assert len(reduced.datum.group) == 4
    names = [x.data.label for x in reduced.manifold.chart.coordinates]
    assert len(names) == 5
    assert {"phi1", "phi2", "phi1'", "phi2'"} < set(names)
    assert verdicts(reduced)["level set"]
    assert verdicts(reduced)["reduced motion"]


def test_a_datum_without_its_momentum_is_larger():
    board = gallery.load("vertical-rolling-disc")
    system = board.but(symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "spin": {"phi": 1}})
    shapes = principal_reduction(system)
    whole = semisymplectic_reduction(shapes)
    assert whole.datum.momenta == ()
    assert len(whole.manifold.chart.coordinates) == 3
    assert verdicts(whole)["reduced motion"]
    smaller = Datum(((1, 0, 0),), (), (), {}, 0)
    assert len(semisymplectic_reduction(shapes, smaller).manifold.chart.coordinates) == 5


def test_the_particle_with_any_slope_reduces_to_a_particle_in_the_potential():
    system = System.of(
        name="tilted",
        coordinates="x y z",
        functions={"a": {"of": ["y"]}, "V": {"of": ["y"]}},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - V(y)",
        constraints={"slope": "z' = a(y)*x'"},
        symmetry={"e1": {"x": 1}, "e2": {"z": 1}},
    )
    reduced = semisymplectic_reduction(principal_reduction(system))
    words = system.vocabulary
    xi = symbol("xi_1")
    assert reduced.canonical == ((parse("y", words), parse("y'", words)),)
    assert is_zero(reduced.energy - xi**2 * parse("(1 + a(y)^2)/2", words) - parse("y'^2/2 + V(y)", words)).holds
    (casimir,) = reduced.casimirs
    assert is_zero(casimir - xi**2 * parse("1 + a(y)^2", words)).holds
    assert verdicts(reduced)["reduced system is symplectic"]


def test_without_constraints_this_is_the_classical_reduction():
    reduced = semisymplectic_reduction(principal_reduction(gallery.load("heavy-top")))
    assert reduced.datum.momenta == ((1, 0), (0, 1))
    assert [x.data.label for x in reduced.manifold.chart.coordinates] == ["theta", "theta'"]
    assert verdicts(reduced)["reduced system is symplectic"]
    assert verdicts(reduced)["level set"]


def test_a_case_of_chaplygin_has_no_momenta_and_agrees_with_multipliers():
    found = principal_reduction(gallery.load("two-wheeled-robot"))
    assert found.vertical == 0
    assert verdicts(found)["multipliers in the frame"]
    assert verdicts(semisymplectic_reduction(found))["reduced system is symplectic"] is False


def test_reduction_stands_in_the_answer():
    found = semisymplectic.derive(gallery.load("chaplygin-sleigh")).objects()["reduction"]
    assert found["fibre"] == ["x", "y", "theta"]
    assert len(found["momentum_equation"]) == 2


def test_what_does_not_fit_is_refused():
    with pytest.raises(HypothesisError, match="D and the orbits span 3 of 4 dimensions"):
        principal_reduction(gallery.load("vertical-rolling-disc"), ["e1"])
    skew = System.of(
        name="skew",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"rope": "z' = sqrt(x'^2 + y'^2)"},
        symmetry={"e1": {"x": 1}},
    )
    with pytest.raises(HypothesisError, match="it is nonlinear"):
        principal_reduction(skew)


def test_a_lagrangian_that_is_not_invariant_is_seen():
    tipped = gallery.load("chaplygin-sleigh")
    found = principal_reduction(tipped.but(lagrangian="(x'^2 + y'^2 + theta'^2)/2 - x"))
    assert verdicts(found)["reduced equations close"] is False
