"""Second-order fields under constraints that are not affine: connection, Jacobi endomorphism, tension, symmetries."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dalembert import System, claims, derive
from dalembert.errors import ExpressionError
from dalembert.expr import ZERO, evaluate, symbol
from dalembert.expr.readers.rationals import Rationals
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.gallery import load
from dalembert.geometry.fields import bracket
from dalembert.geometry.forms import Form
from dalembert.mechanics.nonholonomic.fundamental_form import form_along, in_kernel_of_the_form, obeys_the_paper
from dalembert.mechanics.nonholonomic.symmetry_search import findings
from dalembert.mechanics.second_order import identities
from dalembert.mechanics.second_order.calculus_along import jacobi
from dalembert.mechanics.second_order.changes import admissible_change, changed, covariance_laws
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.identities import second_order_identities
from dalembert.mechanics.second_order.search.symmetries import Symmetry, symmetry_equation, symmetry_residuals

PROOFS = ProofBudget(2.0)


def pursuit():
    """Two points; the velocity of the first is parallel to the line that joins them and the second pulls."""
    return System.of(
        name="two points, one slope",
        coordinates="x y u v",
        lagrangian="(x'^2 + y'^2 + 2*u'^2 + 2*v'^2)/2 - x*u",
        constraints={"parallel": "x'*v' = y'*u'"},
        start={"x'": 1, "u'": 1},
    )


def isokinetic():
    """A particle whose kinetic energy a thermostat keeps."""
    return System.of(
        name="isokinetic",
        coordinates="x y z",
        parameters={"c": 1},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - x*y^2 + z",
        constraints={"speed": "x'^2 + y'^2 + z'^2 = c^2"},
        start={"z'": 1},
    )


def stated():
    """A field by its equations, under a first-order equation that is cubic in the velocities, with time."""
    return System.of(
        name="stated",
        coordinates="x y z",
        equations={"x''": "-x*z", "y''": "x'*y'", "z'": "x'^2*y' - t*z"},
    )


def kinds(laws):
    return {law.name: law.verdict.holds for law in laws}


@pytest.mark.thorough
def test_the_laws_hold_of_a_stated_field_and_a_wrong_tension_is_seen(monkeypatch):
    sode = derive(stated(), "nonholonomic").sode
    assert not sode.is_affine
    assert set(kinds(second_order_identities(sode)).values()) == {True}
    change = admissible_change(sode)
    assert set(kinds(covariance_laws(sode, change)).values()) == {True}
    there = changed(sode, change)
    wrong = kinds(covariance_laws(sode, change, replace(there, drift=(there.drift[0] + 1,))))
    assert False in wrong.values()
    monkeypatch.setattr(identities, "_tension_forms", lambda s: [Form(s.chart, 2, {}) for _ in s.tension])
    untensed = kinds(second_order_identities(sode))
    assert [name for name, holds in untensed.items() if holds is False] == ["Nijenhuis tensor of N1"]


def test_affine_constraints_have_no_tension_and_their_fields_stay():
    sode = derive(load("affine-time"), "nonholonomic").sode
    assert sode.is_affine
    assert all(e is ZERO for rows in sode.tension for row in rows for e in row)


@pytest.mark.parametrize("system", [pursuit, isokinetic])
@pytest.mark.thorough("isokinetic")
def test_the_motion_obeys_the_equations_of_the_paper(system):
    found = derive(system(), "nonholonomic")
    assert obeys_the_paper(found, PROOFS).holds
    assert in_kernel_of_the_form(found, PROOFS).holds
    # C^a_alpha without the accelerations in Gamma(B) is what affine constraints would have: it is wrong here
    lazy = replace(found.sode, acceleration=(ZERO,) * len(found.sode.acceleration))
    assert form_along(found.system, lazy).verdict(found.acceleration, found.held.facts).holds is False


def test_without_chetaevs_rule_the_equations_of_the_paper_are_not_claimed():
    rope = load("appell-hamel").but(virtual={"rope": {"z": 1}})
    found = derive(rope, "nonholonomic")
    assert found.objects()["tension"]
    assert not obeys_the_paper(found, PROOFS).holds


def test_symmetries_commute_with_the_field():
    found = derive(pursuit().but(lagrangian="(x'^2 + y'^2 + 2*u'^2 + 2*v'^2)/2"), "nonholonomic")
    sode, q = found.sode, dict(zip(("x", "y", "u", "v"), found.system.q, strict=True))
    turn = {q["x"]: -q["y"], q["y"]: q["x"], q["u"]: -q["v"], q["v"]: q["u"]}
    scale = {q["x"]: q["x"], q["y"]: q["y"], q["u"]: q["u"], q["v"]: q["v"]}
    for generator in (turn, scale):
        one = Symmetry.of_generator(sode, generator)
        assert all(is_zero(e, sode.facts).holds for e in symmetry_residuals(sode, one))
        assert all(is_zero(e, sode.facts).holds for e in symmetry_equation(sode, one))
        # the vector field itself: mu^alpha X_alpha + mu^a d_a + Gamma(mu^alpha) d/dv^alpha
        fields = [*zip(one.across, sode.horizontal, strict=True), *zip(one.along, sode.fibre, strict=True)]
        lifted = [*fields, *zip(sode.rates(one.across), sode.vertical, strict=True)]
        whole = sum((c * field for c, field in lifted[1:]), lifted[0][0] * lifted[0][1])
        assert all(is_zero(e, sode.facts).holds for e in bracket(sode.field, whole).components)
    wrong = Symmetry.of_generator(sode, {**turn, q["v"]: -q["u"]})
    assert any(is_zero(e, sode.facts).holds is False for e in symmetry_residuals(sode, wrong))
    others = findings(found).symmetries
    assert len(others) >= 6
    assert all(is_zero(e, sode.facts).holds for e in symmetry_equation(sode, others[-1]))


def test_numbers_of_a_field_by_hand():
    x, z = symbol("x"), symbol("z")
    sode = SecondOrderField.solved({x: x.dot, z: x.dot**3}, (-z * x.dot,))
    at = Rationals({x: Fraction(1), z: Fraction(2), x.dot: Fraction(3), symbol("t"): Fraction(0)})
    values = jacobi(sode)
    # Gamma(B) - X(g) = 6 v f: f = -6; Gam = z/2; Phi = -[B df/dz + Gam^2 + Gamma(Gam)] = -[27(-3) + 1 + 27/2]
    assert evaluate([sode.curvature[0][0], values.phi[0][0], values.phi_fibre[0][0]], at) == [
        Fraction(-108),
        Fraction(133, 2),
        Fraction(3),
    ]
    assert sode.tension[0][0][0] == 6 * x.dot


def test_constraints_without_a_closed_solution_say_so():
    bent = System.of(
        name="bent",
        coordinates="x y",
        lagrangian="(x'^2 + y'^2)/2",
        constraints={"c": "y'^5 + y' = x'^3 + x'"},
        start={"y'": 1, "x'": 1},
    )
    found = derive(bent, "nonholonomic")
    assert "tension" not in found.objects()
    said = [c for c in claims(found) if c.name == "searches"]
    assert "no closed solution" in said[0].verdict.evidence
    with pytest.raises(ExpressionError, match="no closed solution"):
        _ = found.sode
