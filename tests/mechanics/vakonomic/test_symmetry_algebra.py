"""The algebra of symmetries, equivariant momenta, Casimirs, and Lie-Poisson reduction, each with a wrong twin."""

from dataclasses import replace

import pytest

from dalembert import HypothesisError, System, claims, derive, gallery
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.mechanics.vakonomic.left_invariant import LeftInvariant
from dalembert.present.results import result_page
from dalembert.present.text_writer import in_text

TRAILER = {
    "name": "car with a trailer on a plane",
    "coordinates": {"x": "real", "y": "real", "a": "angle", "b": "angle"},
    "parameters": {"m": 2, "I": 1, "J": {"value": 0.5}, "l": 1},
    "lagrangian": "m*(x'^2 + y'^2)/2 + I*a'^2/2 + J*b'^2/2",
    "constraints": {"car": "x'*sin(a) = y'*cos(a)", "trailer": "l*b' = sin(a - b)*(x'*cos(a) + y'*sin(a))"},
    "symmetry": {"e": {"x": 1}, "n": {"y": 1}, "turn": {"x": "-y", "y": "x", "a": 1, "b": 1}, "later": {"t": 1}},
}
SKATE = {
    "name": "skate",
    "coordinates": {"x": "real", "y": "real", "phi": "angle"},
    "parameters": {"m": 1, "I": 2},
    "lagrangian": "m*(x'^2 + y'^2)/2 + I*phi'^2/2",
    "constraints": {"blade": "x'*sin(phi) = y'*cos(phi)"},
    "symmetry": {"e": {"x": 1}, "n": {"y": 1}, "turn": {"x": "-y", "y": "x", "phi": 1}},
}


def holds(result, name):
    (found,) = [claim for claim in claims(result, only=name) if claim.name == name]
    return found.verdict.holds


def other_way(algebra: LieAlgebra) -> LieAlgebra:
    """The constants of the brackets of the generators themselves: the sign that is easily taken for the right one."""
    return LieAlgebra(algebra.names, tuple(tuple(tuple(-c for c in row) for row in t) for t in algebra.constants))


def test_momenta_have_the_brackets_of_their_generators():
    result = derive(System.of(**TRAILER), "vakonomic")
    found = result.symmetry_algebra
    assert found.algebra.dimension == 4
    assert found.objects()["momentum_brackets"].keys() == {"e, turn", "n, turn"}
    assert holds(result, "symmetry algebra")
    assert holds(result, "equivariance")
    assert {repr(one) for one in found.casimirs} == {"J_later", "J_e^2 + J_n^2"}
    assert holds(result, "Casimir 1")
    assert holds(result, "Casimir 2")
    twin = replace(found, action=replace(found.action, algebra=other_way(found.algebra)))
    assert twin.equivariance(ProofBudget(0.0))[0].verdict.holds is False


def test_a_symmetry_up_to_a_total_derivative_may_leave_a_cocycle():
    charged = System.of(
        name="charged",
        coordinates="x y z",
        parameters={"B": 3},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + B*x*y'",
        constraints={"slope": "z' = z*x'"},
        symmetry={"e": {"x": 1}, "n": {"y": 1}},
    )
    result = derive(charged, "vakonomic")
    assert holds(result, "equivariance") is False
    assert holds(result, "equivariance up to a cocycle")
    assert [repr(one) for one in result.symmetry_algebra.remainders.values()] in (["B"], ["-B"])


def test_symmetries_that_do_not_close_are_told_what_is_missing():
    open_ones = System.of(**{**SKATE, "symmetry": {"e": {"x": 1}, "turn": SKATE["symmetry"]["turn"]}})
    result = derive(open_ones, "vakonomic")
    (claim,) = claims(result, only="symmetry algebra")
    assert claim.verdict.holds is False
    assert "[e, turn]" in claim.verdict.evidence
    assert result.symmetry_algebra is None
    assert not claims(result, only="equivariance")


def test_a_left_invariant_problem_lives_on_the_dual_of_its_algebra():
    result = derive(System.of(**SKATE), "vakonomic")
    reduced = result.left_invariant
    assert repr(reduced.hamiltonian) == "mu_turn^2/(2*I) + mu_e^2/(2*m)"
    assert holds(result, "invariant Hamiltonian")
    assert holds(result, "Lie-Poisson reduction")
    assert LeftInvariant(reduced.form, other_way(reduced.algebra), reduced.frame).moves(ProofBudget(0.0)).holds is False
    fields = tuple(result.symmetry_algebra.action.generators)
    chart = reduced.frame.fields[0].chart
    generators = tuple(replace(field, chart=chart, components=field.components[:3]) for field in fields)
    wrong = LeftInvariant(reduced.form, reduced.algebra, replace(reduced.frame, fields=generators))
    assert wrong.invariant(ProofBudget(0.0)).holds is False


BALL = {
    "name": "ball on a plate",
    "parameters": {"A": 1, "B": 2, "g": 3},
    "lagrangian": "(A*w1^2 + B*w2^2)/2 + w1*w2/3 - g*n3",
    "constraints": {"no spin": "w3 = w1*n3"},
    "algebra": {"name": "so(3)", "velocities": ["w1", "w2", "w3"], "advected": {"n": "vector"}},
}


def test_a_problem_stated_on_an_algebra():
    result = derive(System.of(**BALL), "vakonomic")
    assert holds(result, "Lie-Poisson")
    assert holds(result, "Casimirs")
    assert holds(result, "energy conserved")
    assert len(result.casimirs) == 2
    plain = {**BALL, "lagrangian": "(A*w1^2 + B*w2^2)/2 + w1*w2/3", "constraints": {"no spin": "w3 = w1"}}
    plain["algebra"] = {"name": "so(3)", "velocities": ["w1", "w2", "w3"]}
    found = derive(System.of(**plain), "vakonomic")
    assert holds(found, "on the group")
    turned = {mu: -rate for mu, rate in found.equations.kinematics.items()}
    twin = replace(found, equations=replace(found.equations, kinematics=turned))
    assert twin.on_group(ProofBudget(0.0)).holds is False
    assert twin.lie_poisson(ProofBudget(0.0)).holds is False


def test_what_an_algebra_does_not_take_is_said():
    with pytest.raises(HypothesisError, match="bordered Hessian"):
        derive(System.of(**{**BALL, "constraints": {"c": "w1 = 0"}}), "vakonomic")
    with pytest.raises(HypothesisError, match="not affine"):
        derive(System.of(**{**BALL, "constraints": {"c": "w3 = w1^2"}}), "vakonomic")


def test_a_page_shows_brackets_and_lie_poisson_equations_with_rates_that_are_zero():
    page = in_text(result_page(found := derive(gallery.load("heisenberg"), "vakonomic"), (), (), found.objects()))
    assert "brackets of the Noether momenta\n  {J_e1, J_e2} = J_e3" in page
    assert "left-invariant Hamiltonian\n  H = (mu_e1^2 + mu_e2^2)/2" in page
    assert "Lie-Poisson equations\n  mu_e1' = -mu_e2*mu_e3\n  mu_e2' = mu_e1*mu_e3\n  mu_e3' = 0" in page
