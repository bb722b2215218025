"""Relative equilibria: found, recognised exactly, and judged by energy and momentum or by the spectrum."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from reconstruction_systems import PLANE, circling, level_of_system, reduced

from dalembert import gallery
from dalembert.analysis.amended_search import amended_search, proved_stable, proved_turning, proved_unstable
from dalembert.analysis.relative_equilibria import (
    RelativeEquilibria,
    critical_points,
    relative_equilibria,
    relative_equilibria_claims,
)
from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr import cos, sin, symbol
from dalembert.expr.readers.rationals import recognised
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.reconstruction.decomposition import reconstruct
from dalembert.mechanics.routh.reconstruction.simple_systems import simple_reconstruction
from dalembert.model.system import System


def found(system: System, base: int, **how) -> RelativeEquilibria:
    """By the level set alone, without Routh's procedure."""
    parts = reconstruct(*level_of_system(system, base))
    simple = simple_reconstruction(parts)
    assert simple is not None
    return critical_points(parts, simple, system.defaults, **how)


def verdicts(one) -> dict[str, str]:
    return {c.name: c.verdict.kind for c in one.claims}


def central(power: int, momentum: Fraction) -> System:
    return System.of(
        name="central force",
        coordinates={"r": "positive", "phi": "angle"},
        lagrangian=f"(r'^2 + r^2*phi'^2)/2 + 1/r^{power}",
        symmetry={"turn": {"phi": 1}},
        momentum=[momentum],
    )


def test_circular_orbits_of_kepler_and_of_a_stronger_force() -> None:
    (circle,) = found(central(1, Fraction(3, 2)), 1, starts=8).points
    r = next(iter(circle.position))
    assert circle.exact is not None
    assert circle.exact[r].data == Fraction(9, 4)
    assert circle.stability == "stable"
    assert verdicts(circle) == dict.fromkeys(("critical", "turning", "minimum", "stability"), "proved")
    turning = 1.5 / 2.25**2  # of the orbit; radial and azimuthal periods are the same
    assert circle.spin == pytest.approx((turning,))
    assert sorted(z.imag for z in circle.spectrum) == pytest.approx([-turning, turning])
    (other,) = found(central(3, Fraction(3, 2)), 1, starts=8).points  # r^-3: no circle is stable
    assert other.exact is not None
    assert other.exact[r].data == Fraction(4, 3)
    assert other.stability == "unstable"
    assert verdicts(other) == {"critical": "proved", "turning": "proved", "minimum": "refuted", "stability": "proved"}
    assert max(z.real for z in other.spectrum) == pytest.approx(0.84375)
    assert "at least 0.84375" in other.claims[-1].verdict.evidence


def test_the_spherical_pendulum_goes_round_a_cone() -> None:
    """cos(theta) = 3/5 at mu = 1 and g = 375/256; squared frequency of small oscillations g (1 + 3 cos^2)/cos."""
    pendulum = gallery.load("spherical-pendulum").but(
        parameters={"m": 1, "l": 1, "g": Fraction(375, 256)}, momentum=[1]
    )
    (cone,) = relative_equilibria(routh.derive(pendulum), starts=8).points
    theta = pendulum.q[0]
    assert cone.exact is not None
    assert abs(cone.position[theta]) == pytest.approx(2 * np.arctan(0.5))
    assert cone.stability == "stable"
    assert cone.second_variation == pytest.approx((375 / 256 * (1 + 3 * 0.36) / 0.6,))
    assert max(z.imag for z in cone.spectrum) ** 2 == pytest.approx(cone.second_variation[0])
    moved = relative_equilibria(reduced("pendulum"), {"g": 2}, starts=8, region={"theta": (0.1, 1.5)}).points
    assert moved[0].exact is None
    assert verdicts(moved[0])["critical"] == "measured"
    c, s = np.cos(moved[0].position[theta]), np.sin(moved[0].position[theta])
    assert c == pytest.approx(2 * s**4)


def sleeping(momentum: Fraction) -> System:
    """A symmetric top in angles that are regular where it stands upright, with its spin alone as symmetry."""
    return System.of(
        name="sleeping top",
        coordinates={"a": "angle", "b": "angle", "psi": "angle"},
        parameters={"I1": 1, "I3": 0.5},
        lagrangian="I1*(a'^2*cos(b)^2 + b'^2)/2 + I3*(psi' + a'*sin(b))^2/2 - cos(a)*cos(b)",
        symmetry={"spin": {"psi": 1}},
        momentum=[momentum],
    )


def test_a_sleeping_top_wakes_below_the_critical_spin() -> None:
    """Upright it is unstable for mu^2 < 4 m g l I1; above, energy does not decide and no eigenvalue grows."""
    for momentum, wanted in ((Fraction(19, 10), "unstable"), (Fraction(21, 10), "open")):
        result = found(sleeping(momentum), 2, starts=12)
        upright = [p for p in result.points if all(abs(x) < 1e-9 for x in p.position.values())]
        assert [p.stability for p in upright] == [wanted]
        assert verdicts(upright[0])["stability"] == {"open": "undecided", "unstable": "proved"}[wanted]
        assert upright[0].second_variation == pytest.approx((-1, -1))
        hanging = next(p for p in result.points if p.stability == "stable")
        assert hanging.second_variation == pytest.approx((1, 1))
        growth = np.sqrt(complex(1 - float(momentum) ** 2 / 4)).real
        assert max(z.real for z in upright[0].spectrum) == pytest.approx(growth, abs=1e-7)


def test_exact_arithmetic_sees_no_more_than_there_is() -> None:
    """At the stable orbit nothing grows, the unstable one is no extremum, and beside them nothing turns."""
    for power, radius, stable in ((1, Fraction(9, 4), True), (3, Fraction(4, 3), False)):
        system = central(power, Fraction(3, 2))
        parts = reconstruct(*level_of_system(system, 1))
        simple = simple_reconstruction(parts)
        assert simple is not None
        search = amended_search(parts, simple, {})
        here, beside = (recognised({system.q[0]: float(r), system.q[1]: 0.0}) for r in (radius, radius + 1))
        assert here is not None
        assert beside is not None
        assert proved_stable(search, here) is stable
        assert bool(proved_unstable(search, here)) is not stable
        assert proved_turning(search, here)
        assert not proved_turning(search, beside)


def test_a_momentum_that_is_not_stated_is_that_of_the_start() -> None:
    kepler = central(1, Fraction(1)).but(momentum=None, start={"r": 1, "phi'": 2})
    result = routh.derive(kepler)
    (circle,) = relative_equilibria(result, starts=6).points
    assert circle.position[kepler.q[0]] == pytest.approx(4)
    (moved,) = relative_equilibria(result, {"mu_turn": 3}, starts=6).points
    assert moved.position[kepler.q[0]] == pytest.approx(9)


def test_unspecified_functions_take_their_values() -> None:
    """V(r) = -1/r by name gives the orbit of Kepler; without a value there is nothing to search."""
    named = central(1, Fraction(2)).but(
        lagrangian="(r'^2 + r^2*phi'^2)/2 - V(r)", functions={"V": {"of": ["r"], "value": "-1/r"}}
    )
    (circle,) = relative_equilibria(routh.derive(named), starts=6).points
    assert circle.exact is not None
    assert circle.exact[named.q[0]].data == 4
    unknown = routh.derive(named.but(functions={"V": {"of": ["r"]}}))
    with pytest.raises(ExpressionError, match="the functions V have no value"):
        relative_equilibria(unknown)


def test_steady_precession_of_the_heavy_top() -> None:
    (steady,) = relative_equilibria(reduced("top"), starts=8).points
    assert steady.stability == "stable"
    theta = abs(next(x for q, x in steady.position.items() if q.data.name == "theta"))
    precession = steady.spin[0]
    # I1 cos(theta) phi'^2 - p_psi phi' + m g l = 0
    assert np.cos(theta) * precession**2 - 3 * precession + 9.81 * 0.3 == pytest.approx(0, abs=1e-9)


@pytest.mark.thorough
def test_the_double_spherical_pendulum() -> None:
    """Both pendulums lie in one turning plane; stretched out they are stable, and balance as bobs on strings do."""
    double = System.of(
        name="double spherical pendulum",
        coordinates={"a": "angle", "b": "angle", "psi": "angle", "phi": "angle"},
        parameters={"m": 1, "M": 2, "g": 1},
        let={"p": "sin(a)", "q": "sin(b)", "w": "phi' + psi'"},
        lagrangian=(
            "(m + M)*(a'^2 + p^2*phi'^2)/2 + M*(b'^2 + q^2*w^2)/2 + (m + M)*g*cos(a) + M*g*cos(b)"
            " + M*(cos(psi)*(cos(a)*cos(b)*a'*b' + p*q*phi'*w)"
            " + sin(psi)*(cos(b)*b'*p*phi' - cos(a)*a'*q*w) + p*q*a'*b')"
        ),
        symmetry={"turn": {"phi": 1}},
        momentum=[1],
    )
    points = found(double, 3, starts=24).points
    assert points[0].stability == "stable"
    assert {p.stability for p in points[1:]} == {"unstable"}
    for point in points:
        a, b, psi, _ = point.position.values()
        near, far = np.sin(a), np.cos(psi) * np.sin(b)
        assert abs(np.sin(psi)) < 1e-9
        square = point.spin[0] ** 2
        assert np.tan(b) * np.cos(psi) == pytest.approx(square * (near + far))
        assert 3 * np.tan(a) == pytest.approx(square * (3 * near + 2 * far))


def test_a_study_has_them_among_its_claims() -> None:
    top = reduced("top")
    added = relative_equilibria_claims(top)
    assert [c.name for c in added] == [f"relative equilibrium 1, {n}" for n in ("critical", "turning", "stability")]
    assert {c.verdict.kind for c in added} == {"measured"}
    assert added[2].statement.startswith("at theta = ")
    quartic = routh.derive(gallery.load("quartic"))  # no amended potential
    assert relative_equilibria_claims(quartic) == ()


@pytest.mark.thorough
def test_a_chart_that_fails_at_zero() -> None:
    """V_mu of Wong's particle does not depend on the angles; where all are zero there is no metric."""
    (anywhere,) = relative_equilibria(routh.derive(gallery.load("wong-plane"))).points
    assert {q.data.name: value for q, value in anywhere.position.items()}["theta"] == 1
    assert anywhere.stability == "open"


@pytest.mark.thorough
def test_axes_of_the_rigid_body() -> None:
    """Turning about the middle axis is unstable, about the others stable; one of them is where the chart fails."""
    body = gallery.load("free-rigid-body-chart").but(momentum={"e1": 0, "e2": 0, "e3": 2})
    result = found(body, 0, starts=12)
    by_energy = {round(p.amended, 9): p.stability for p in result.points}
    assert by_energy == {1.0: "unstable", 2.0: "stable"}
    assert all(p.exact is not None for p in result.points)
    growth = max(z.real for z in next(p for p in result.points if p.stability == "unstable").spectrum)
    assert growth**2 == pytest.approx(1.0 * (2.0 - 1.0) * (2.5 - 2.0) / (1.0 * 2.5))  # w^2 (I2-I1)(I3-I2)/(I1 I3)
    theta = body.q[1]
    assert all(abs(np.sin(p[theta])) < 1e-6 for p in result.singular)
    for point in result.points:  # I^-1 mu lies in g_mu
        assert point.spin[1:] == pytest.approx((0, 0), abs=1e-12)


def test_no_claim_of_stability_where_the_theorem_does_not_reach() -> None:
    """A body in a fluid going broadside: V_mu has a strict minimum, but translations turn se(2) without bound."""
    body = System.of(
        name="plate",
        coordinates={"y": "real", "z": "real", "th": "angle"},
        let={"u1": "cos(th)*y' + sin(th)*z'", "u2": "-sin(th)*y' + cos(th)*z'"},
        lagrangian="u1^2/2 + 3*u2^2/2 + th'^2/2",
        symmetry=PLANE,
        momentum={"e1": 1, "e2": 0, "e3": 0},
    )
    points = found(body, 0, starts=12).points
    assert {round(p.amended, 9): p.stability for p in points} == {round(1 / 6, 9): "open", 0.5: "unstable"}
    assert verdicts(points[0])["minimum"] == "proved"
    assert "inner product" in points[0].reason


def test_exact_points_are_recognised_and_not_made_up() -> None:
    x, phi = symbol("x"), symbol("phi", domain="angle")
    point = recognised({x: 0.75, phi: np.pi / 6})
    assert point is not None
    assert point.read([sin(phi) - x]) == [Fraction(-1, 4)]
    assert point.read([cos(phi)]) is None  # sqrt(3)/2
    assert recognised({x: float(np.sqrt(2)), phi: 0.0}) is None
    turned = recognised({phi: 2 * np.arctan(2 / 3)})
    assert turned is not None
    assert turned.read([cos(phi), sin(phi)]) == [Fraction(5, 13), Fraction(12, 13)]


def test_what_is_refused() -> None:
    with pytest.raises(HypothesisError, match="it is not T - V"):
        relative_equilibria(routh.derive(circling().but(lagrangian="(x'^2 + y'^2 + phi'^2)/2 + x*y' - x^2 - y^2")))
    driven = circling().but(lagrangian="(x'^2 + y'^2 + phi'^2)/2 - x^2*cos(t)")
    with pytest.raises(HypothesisError, match="it depends on time"):
        relative_equilibria(routh.derive(driven))
    pendulum = reduced("pendulum")
    with pytest.raises(ExpressionError, match="there is no parameter 'gg'"):
        relative_equilibria(pendulum, {"gg": 1})
    with pytest.raises(ExpressionError, match="there is no coordinate 'thet'"):
        relative_equilibria(pendulum, region={"thet": (0, 1)})
    parts = reconstruct(*level_of_system(sleeping(Fraction(1)), 2))
    simple = simple_reconstruction(parts)
    assert simple is not None
    with pytest.raises(ExpressionError, match="the parameters I1, I3 have no value"):
        critical_points(parts, simple, {})
