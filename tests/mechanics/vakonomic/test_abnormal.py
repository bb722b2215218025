"""Abnormal extremals that are found, and the conditions of second order on those that are given."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from dalembert import HypothesisError, System, claims, derive
from dalembert.errors import ExpressionError
from dalembert.expr import TIME, cos, diff, sin, substitute, symbol
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.groups.matrices import as_matrix
from dalembert.mechanics.vakonomic import abnormal, abnormal_field
from dalembert.mechanics.vakonomic.legendre_condition import keeps_sign
from dalembert.mechanics.vakonomic.legendre_of_several import some_keeps_sign

t = symbol(TIME)
TRAILER = {
    "name": "car with a trailer",
    "coordinates": {"x": "real", "y": "real", "a": "angle", "b": "angle"},
    "parameters": {"l": 1},
    "lagrangian": "(x'^2 + y'^2 + a'^2 + b'^2)/2",
    "constraints": {"car": "x'*sin(a) = y'*cos(a)", "trailer": "l*b' = sin(a - b)*(x'*cos(a) + y'*sin(a))"},
}


def of(coordinates, **constraints):
    squares = "+".join(f"{q}'^2" for q in coordinates.split())
    return System.of(name="plain", coordinates=coordinates, lagrangian=f"({squares})/2", constraints=constraints)


ENGEL = of("x y z w", first="z' = x*y'", second="w' = x^2*y'/2")
CARTAN = of("x y z u w", a="z' = x*y'", b="u' = x^2*y'/2", c="w' = x*y*y'")


def test_a_car_with_a_trailer_turns_on_the_spot():
    system = System.of(**TRAILER)
    found = abnormal_field(system)
    x, y, a, b = found.field
    assert is_zero(x).holds and is_zero(y).holds and is_zero(b).holds and is_zero(a).holds is False  # noqa: PT018
    assert found.is_abnormal(ProofBudget(0.0)).holds
    assert abnormal(system, {"x": 0, "y": 0, "a": t, "b": 0}).verdict.holds  # the same curve, by the other method
    straight = {"x": t, "y": 0, "a": 0, "b": 0}
    assert abnormal(system, straight).verdict.holds is False
    turned = replace(found, controls=(found.controls[1], found.controls[0]))
    assert turned.is_abnormal(ProofBudget(0.0)).holds is False


@pytest.mark.parametrize("system", [ENGEL, CARTAN], ids=["Engel", "Cartan"])
def test_fields_of_abnormal_extremals_and_their_twins(system):
    found = abnormal_field(system)
    assert found.is_abnormal(ProofBudget(0.0)).holds
    twin = replace(found, controls=(found.controls[0] + found.controls[1], found.controls[1]))
    assert twin.is_abnormal(ProofBudget(0.0)).holds is False


def test_every_direction_of_a_generic_distribution_of_rank_2_in_5_dimensions_is_abnormal():
    # of u = (cos, sin) times a speed: lambda = (0, sin, -cos) at the origin
    for c, s in ((1, 0), (0, 1), (3, 4)):
        curve = {"x": c * t, "y": s * t, "z": c * s * t**2 / 2, "u": c * c * s * t**3 / 6, "w": c * s * s * t**3 / 3}
        assert abnormal(CARTAN, curve).verdict.holds, (c, s)
    bent = {"x": sin(t), "y": -cos(t), "z": t / 2 - sin(2 * t) / 4, "u": sin(t) ** 4 * 0, "w": 0}
    with pytest.raises(HypothesisError, match="does not obey"):
        abnormal(CARTAN, bent)


def test_where_there_are_none_and_where_they_lie_on_a_surface():
    contact, martinet = of("x y z", c="z' = x*y'"), of("x y z", c="z' = (x^2 - y)^2*x'")
    (claim,) = abnormal_field(contact).claims(ProofBudget(0.0))
    assert claim.verdict.kind == "proved"
    assert "no abnormal" in claim.statement
    on_surface = of("x y z", c="z' = (x^2*y + y)*y'*x")
    for system in (martinet, on_surface):
        found = abnormal_field(system)
        assert found.claims(ProofBudget(0.0))[0].verdict.holds, system
        twin = replace(found, controls=(found.controls[1], found.controls[0]))
        assert twin.is_abnormal(ProofBudget(0.0)).holds is False, system
    found = derive(ENGEL, "vakonomic")
    assert [c.verdict.holds for c in claims(found, only="abnormal extremals of rank 2")] == [True]
    assert "abnormal_extremals" in found.objects()


def test_the_search_says_what_it_is_not_for():
    with pytest.raises(HypothesisError, match="leave 3 velocities free"):
        abnormal_field(of("x y z w", c="z' = x*y'"))
    with pytest.raises(HypothesisError, match="not linear"):
        abnormal_field(of("x y z", c="z' = x*y' + 1"))


def test_conditions_of_second_order():
    ridge = abnormal(of("x y z w", c="z' = x*y'"), {"x": 0, "y": 0, "z": 0, "w": t})
    assert ridge.verdict.holds
    assert ridge.goh.holds is False
    assert ridge.goh_dimension == 0
    bowl = abnormal(of("x y z w", c="z' = (x^2 + w^2)*y'"), {"x": 0, "y": t, "z": 0, "w": 0})
    saddle = abnormal(of("x y z w", c="z' = (x^2 - w^2)*y'"), {"x": 0, "y": t, "z": 0, "w": 0})
    assert [claim.verdict.holds for claim in bowl.claims] == [True, True, True]
    assert [claim.verdict.holds for claim in saddle.claims] == [True, True, False]


SLOPES = {
    "x^2 + (1 + y^2)*w^2": True,
    "x^2 + (y - 1)*w^2": False,
    "y*(x^2 + w^2)": False,
    "x^2*y^2 + 2*x*w*y + w^2": True,
    "exp(y)*x^2 + x*w*y + 3*w^2": False,
    "(2 + sin(y))*(x^2 + x*w + w^2)": True,
}


@pytest.mark.parametrize("slope", SLOPES)
def test_the_form_of_legendre_along_a_curve_is_the_second_variation_of_the_constraint(slope):
    """Of z' = F(x, w, y) y' along x = w = 0: the second variation of z is the integral of F's Hessian times y'."""
    system = of("x w y z", slope=f"z' = ({slope})*y'")
    found = abnormal(system, {"x": 0, "w": 0, "y": t, "z": 0})
    assert found.goh.holds
    x, w, y, _ = system.q
    F = parse(slope, system.vocabulary)
    wanted = [substitute([diff(F, a, b) for b in (x, w)], {x: 0 * t, w: 0 * t, y: t}) for a in (x, w)]
    for i, j in ((0, 0), (0, 1), (1, 1)):
        assert is_zero(found.legendre[i][j] + wanted[i][j]).holds
    assert any(is_zero(found.legendre[i][i] - wanted[i][i]).holds is False for i in (0, 1))
    assert found.one_sign.holds is SLOPES[slope]


def test_an_interval_decides_where_all_times_do_not():
    bowl = of("x w y z", slope="z' = (exp(y)*x^2 + x*w*y + w^2)*y'")
    middle = {"x": 0, "w": 0, "y": t, "z": 0}
    spans = {None: "refuted", (-1, 3): "proved", (-9, 3): "refuted"}
    assert {span: abnormal(bowl, middle, during=span).one_sign.kind for span in spans} == spans
    twice = of("x w y z", slope="z' = (y - 2)*(x^2 + w^2)*y'")
    assert abnormal(twice, middle, during=(3, 8)).one_sign.holds
    assert abnormal(twice, middle, during=(1, 8)).one_sign.holds is False
    with pytest.raises(ExpressionError, match="the earlier one first"):
        abnormal(twice, middle, during=(8, 1))
    # a factor that may change its sign says nothing of the form's
    assert keeps_sign([[1 + t**2]], {}).holds
    assert keeps_sign([[1 + t**2]], {}, [t]).holds is None
    assert keeps_sign([[1 + t**2]], {}, [t], (Fraction(1), Fraction(2))).holds


def sharpest(forms):
    """Return the largest lowest root of two forms with weights on a circle: below zero where none is semidefinite."""
    one, two = (np.array(form, dtype=float) for form in forms)
    turns = np.linspace(0, 2 * np.pi, 2001)
    whole = np.cos(turns)[:, None, None] * one + np.sin(turns)[:, None, None] * two
    return float(np.linalg.eigvalsh(whole)[:, 0].max())


def test_one_of_several_multipliers_may_obey_the_condition_of_legendre():
    """Forms that are drawn, against a look at all weights; and constraints whose multipliers move, by hand."""
    draw, still = Random(5), as_matrix([[0, 0], [0, 0]])
    seen = set()
    for _ in range(7):
        forms = []
        for _ in range(2):
            drawn = [[draw.randint(-3, 3) for _ in range(2)] for _ in range(2)]
            forms.append([[drawn[0][0], drawn[0][1]], [drawn[0][1], drawn[1][1]]])
        wanted = sharpest(forms)
        assert abs(wanted) > 1e-6
        verdict, form = some_keeps_sign([as_matrix(one) for one in forms], still, {})
        assert verdict.holds is (wanted > 0)
        assert (form is None) is (wanted < 0)
        seen.add(verdict.holds)
    assert seen == {True, False}
    # lambda_b is constant, lambda_a = c - lambda_b t: squares -2 (lambda_b + lambda_a), -2 (lambda_b - lambda_a)
    pen = of("x w y a b", a="a' = (x^2 - w^2)*y'", b="b' = (x^2 + w^2 + a)*y'")
    straight = {"x": 0, "w": 0, "y": t, "a": 0, "b": 0}
    for span, holds in {None: False, (0, 1): True, (Fraction(1, 2), 2): True, (0, 3): False}.items():
        found = abnormal(pen, straight, during=span)
        assert (found.goh_dimension, found.one_sign.holds) == (2, holds)
    # no weights at all: the forms are those of traceless matrices
    apart = abnormal(of("x w y a b", a="a' = (x^2 - w^2)*y'", b="b' = x*w*exp(y)*y'"), straight)
    assert apart.one_sign.holds is False
    assert apart.claims[2].statement.endswith("the quadratic form of one of its multipliers keeps one sign")


def test_a_factor_that_all_components_share_is_no_exception():
    """A trailer hitched behind the axle: the field does not vanish where the car points along y."""
    hitched = {
        "car": TRAILER["constraints"]["car"],
        "trailer": f"{TRAILER['constraints']['trailer']} - c*a'*cos(a - b)",
    }
    found = abnormal_field(System.of(**{**TRAILER, "parameters": {"l": 1, "c": 0.3}, "constraints": hitched}))
    a, b = found.system.q[2:]
    along_y = substitute(list(found.field), {a: parse("pi/2", found.system.vocabulary), b: 0 * b})
    assert any(is_zero(one).holds is False for one in along_y)
    (claim,) = found.claims(ProofBudget(0.0))
    assert claim.verdict.holds
    assert claim.statement.endswith("but for where c^2*sin(a - b) = c*cos(a - b) + l = 0")


def test_where_a_characteristic_field_says_nothing_is_named():
    found = abnormal_field(of("x y z", slope="z' = x^2*y*y'"))
    x, y, _ = found.system.q
    assert found.exceptional_set == (2 * x, 2 * y)
    (claim,) = found.claims(ProofBudget(0.0))
    assert claim.statement.endswith("on the surface 2*x*y = 0, but for where 2*x = 2*y = 0")
    assert abnormal_field(of("x y z", slope="z' = x^2*y'")).exceptional_set == ()
    assert abnormal_field(ENGEL).exceptional_set == ()
    zero = substitute(list(found.field), {x: 0 * x, y: 0 * y})
    assert all(is_zero(one).holds for one in zero)
    assert not all(is_zero(one).holds for one in substitute(list(found.field), {x: 0 * x}))


def test_a_field_on_a_surface_without_points_is_not_shown():
    """[X_1, X_2] is nowhere in D, though the field of H_12 is not zero: there are no curves to show."""
    contact = of("x y z", slope="z' = sinh(x)*y'")
    found = abnormal_field(contact)
    assert not all(is_zero(one).holds for one in found.field)
    (claim,) = found.claims(ProofBudget(0.0))
    assert claim.statement.startswith("there are no abnormal extremals")
    assert not found.exists
    assert "abnormal_extremals" not in derive(contact, "vakonomic").objects()
    martinet = derive(of("x y z", slope="z' = x^2*y'"), "vakonomic").objects()["abnormal_extremals"]
    assert repr(martinet["where_zero"]) == "2*x"


def test_constraints_on_positions_make_every_curve_abnormal():
    """Not of the field alone: the same is decided of a curve by the Euler operators. A third bracket ends it."""
    said = "every curve that the constraints allow is an abnormal extremal"
    surface = of("x y z", a="z' = x*y' + y*x'")
    half = of("x y z w", a="z' = y*x'", b="w' = x*y' + y*x'")
    flat = of("x y z w v", a="z' = x'", b="w' = 2*y'", c="v' = x*x'")
    for system in (surface, half, flat):
        (claim,) = abnormal_field(system).claims(ProofBudget(0.0))
        assert claim.statement.startswith(said)
        assert claim.verdict.holds
    y = t + t**3
    assert abnormal(surface, {"x": t**2, "y": y, "z": t**2 * y}).verdict.holds
    assert abnormal(half, {"x": t**2, "y": y, "z": 2 * t**3 / 3 + 2 * t**5 / 5, "w": t**2 * y}).verdict.holds
    for system in (of("x y z", a="z' = x*y'"), ENGEL, CARTAN, of("x y z w v", a="z' = x'", b="w' = y'", c="v' = x*y'")):
        (claim,) = abnormal_field(system).claims(ProofBudget(0.0))
        assert not claim.statement.startswith(said)
