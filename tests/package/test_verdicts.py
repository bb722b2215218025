"""A verdict is as sure as the least sure of what it rests on, and says no more than was decided; each with its twin."""

from dataclasses import replace

import pytest

from dalembert import System, derive, gallery
from dalembert.analysis.fields import meetings
from dalembert.expr import ONE, atan, cos, sin, symbol
from dalembert.expr.graph import PI, ZERO
from dalembert.expr.truth import Verdict, agreement, all_hold, full_rank, generic_rank, in_span, negated, weakest
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import one_form
from dalembert.mechanics.chaplygin.measure.divergence_form import Loop, Period, _exactness, period_of
from dalembert.mechanics.registry import claims

X, Y, Z, S = (symbol(name) for name in "xyzs")
P = symbol("p", domain="positive")
DISGUISED = atan(P) + atan(1 / P) - PI / 2
"""Zero, and not seen to be: modulo a prime it is not."""
PROVED, CERTAIN = Verdict("proved", "so it is."), Verdict("certain", "nearly so.", -90.0)
MEASURED, REFUTED = Verdict("measured", "to 1e-9."), Verdict("refuted", "not at all.")


def test_what_is_measured_is_not_certain_with_others():
    for order in ([CERTAIN, MEASURED, PROVED], [MEASURED, PROVED, CERTAIN]):
        found = all_hold({str(k): verdict for k, verdict in enumerate(order)})
        assert (found.kind, found.evidence) == ("measured", "to 1e-9.")
    both = all_hold({"a": CERTAIN, "b": PROVED, "c": CERTAIN})
    assert (both.kind, both.error_bits) == ("certain", -89.0)
    assert all_hold({"a": PROVED, "b": PROVED}).kind == "proved"
    assert weakest([]) == ("proved", None)
    assert agreement({"a": CERTAIN, "b": MEASURED}).kind == "measured"
    assert agreement({"a": CERTAIN, "b": CERTAIN}).kind == "certain"
    assert agreement({"a": REFUTED, "b": MEASURED}).kind == "undecided"  # a number refutes nothing
    assert agreement({"a": REFUTED, "b": CERTAIN}).kind == "refuted"


def test_a_rank_that_no_point_shows_decides_nothing():
    assert full_rank(generic_rank([[X, DISGUISED], [0, Y]]), 2, "it").kind == "proved"
    assert full_rank(generic_rank([[X, 0], [0, DISGUISED]]), 2, "it").kind == "undecided"
    assert full_rank(generic_rank([[X, X], [Y, Y]]), 2, "it").kind == "refuted"
    assert in_span([[1, 0]], [[X, DISGUISED]]).kind == "undecided"
    assert in_span([[1, 0]], [[X, Y]]).kind == "refuted"
    assert in_span([[1, X]], [[Y, X * Y]]).kind == "certain"
    assert in_span([[1, 0], [0, X]], [[Y, X * Y]]).kind == "proved"  # there is no room for more
    assert negated(in_span([[1, X]], [[Y, X * Y]]), "it is new").kind == "refuted"
    assert negated(in_span([[1, X]], [[Y, Y]]), "it is new").kind == "proved"


@pytest.mark.parametrize(
    ("weight", "kind"), [("atan(x) + atan(1/x) - pi/2", "undecided"), ("atan(x) + atan(1/x)", "proved")]
)
def test_a_hessian_that_may_be_singular_in_disguise_is_not_proved_regular(weight, kind):
    system = System.of(name="odd", coordinates={"x": "positive", "y": "real"}, lagrangian=f"x'^2 + ({weight})*y'^2")
    said = {claim.name: claim.verdict.kind for claim in claims(derive(system, "euler-lagrange"))}
    assert said["regular"] == kind


# -- measures --------------------------------------------------------------------------------------------------
def test_a_period_by_quadrature_makes_exactness_measured():
    loop = Loop("round", S, {X: cos(S)})
    for period, kind in ((MEASURED, "measured"), (CERTAIN, "certain"), (REFUTED, "refuted")):
        assert _exactness(None, [Period(loop, None, period)], PROVED, CERTAIN).kind == kind


def test_a_pole_that_the_loop_does_not_meet_is_no_excuse():
    """z + 20 vanishes at s = 5, where the loop does not go: the form has the period 2 pi all the same."""
    chart = Chart.of(X, Y, Z)
    turn = [-Y / (X**2 + Y**2), X / (X**2 + Y**2)]
    loop = Loop("around", S, {X: cos(2 * PI * S), Y: sin(2 * PI * S), Z: S * (1 - S)}, end=ONE)
    assert period_of(one_form(chart, [*turn, 1 / (Z + 20)]), loop).zero.holds is not True
    phi = symbol("phi", domain="angle")
    met = period_of(one_form(Chart.of(phi), [1 / cos(phi)]), Loop("phi", phi, {phi: phi}))
    assert met.zero.kind == "proved"  # every circle meets the pole


# -- constraints that are not solved for velocities --------------------------------------------------------------
def cubic(level: int) -> System:
    return System.of(
        name="cubic",
        coordinates="x y z",
        lagrangian="(x'^2 + 2*y'^2 + 3*z'^2)/2 - x*z",
        constraints={"c": f"x'^3 + y'^3 + z'^3 = {level}"},
    )


def test_energy_is_asked_for_where_the_constraint_holds():
    """A homogeneous constraint contains the velocity among its virtual displacements; off it that is not so."""
    kept = {claim.name: claim.verdict.holds for claim in claims(derive(cubic(0), "nonholonomic"))}
    assert kept["energy conserved"] is True
    assert kept["constraint forces do no work"] is True
    lost = {claim.name: claim.verdict.holds for claim in claims(derive(cubic(1), "nonholonomic"))}
    assert lost["energy conserved"] is not True
    assert lost["constraint forces do no work"] is not True


def test_what_follows_from_a_measured_hypothesis_is_measured():
    found = {claim.name: claim.verdict.kind for claim in claims(derive(cubic(1), "vakonomic"))}
    assert found["main hypothesis"] == found["abnormal extremals"] == "measured"
    found = {claim.name: claim.verdict.kind for claim in claims(derive(gallery.load("skateboard"), "vakonomic"))}
    assert found["main hypothesis"] == found["abnormal extremals"] == "proved"


QUARTIC = System.of(
    name="quartic wheel",
    coordinates={"r": "real", "phi": "angle"},
    lagrangian="(r'^2 + (1 + r^2)*phi'^2)/2 + phi'^4/4 - r^2",
    symmetry={"turn": {"phi": 1}},
    momentum={"turn": 2},
)


def test_fields_with_implicit_velocities_are_compared_where_their_residuals_are_zero():
    found = {name: derive(QUARTIC, name).equations for name in ("euler-lagrange", "routh")}
    assert found["routh"].implicit
    (claim,) = meetings(QUARTIC, found)
    assert claim.verdict.holds is True
    wrong = replace(found["routh"], force=tuple(f + ONE / 7 for f in found["routh"].force))
    (twin,) = meetings(QUARTIC, {**found, "routh": wrong})
    assert twin.verdict.holds is not True


# -- others ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("time", "kept"), [("sin(phi)^2 + cos(phi)^2 - 1", ["turn"]), ("1", [])])
def test_a_generator_moves_time_only_where_that_is_not_zero(time, kept):
    wheel = System.of(
        name="wheel",
        coordinates={"r": "real", "phi": "angle"},
        lagrangian="(r'^2 + (1 + r^2)*phi'^2)/2",
        symmetry={"turn": {"phi": 1, "t": time}, "on": {"phi": 1}},
    )
    still = [name for name, generator in wheel.symmetry.items() if generator.time is ZERO]
    assert still == [*kept, "on"]


@pytest.mark.parametrize(
    ("potential", "kind"), [("x^2", "proved"), ("-x^2", "refuted"), ("x^4", "undecided"), ("-x^4", "undecided")]
)
def test_a_minimum_is_refuted_by_a_negative_square_only(potential, kind):
    from dalembert.analysis.relative_equilibria import relative_equilibria
    from dalembert.mechanics.routh import routh

    system = System.of(
        name="well",
        coordinates={"x": "real", "phi": "angle"},
        lagrangian=f"(x'^2 + phi'^2)/2 - ({potential})",
        symmetry={"turn": {"phi": 1}},
        momentum=[1],
    )
    points = relative_equilibria(routh.derive(system), starts=6).points
    kinds = {claim.verdict.kind for point in points for claim in point.claims if claim.name == "minimum"}
    assert kinds == {kind}
