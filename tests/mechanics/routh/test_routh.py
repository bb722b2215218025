"""Routh's procedure: every system by both forms, by coordinates and by the full equations; what it refuses, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest
from routh_systems import SYSTEMS, carried_back, claim, decided, derived, only

from dalembert import gallery, simulate
from dalembert.errors import EvaluationError, HypothesisError, ModelError
from dalembert.expr import ONE, ZERO, symbol
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import symbols
from dalembert.mechanics.registry import claims
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.routh import derive, derive_cases
from dalembert.mechanics.theorem import Theorem
from dalembert.model.system import System

CLOSED = [name for name in SYSTEMS if "quartic" not in name and name not in ("curved", "askew", "relativistic")]
IDENTITIES = (
    "principal connection", "lifts", "equivariance", "barred fields", "brackets of barred fields", "Routhian",
    "Hessian of the Routhian", "generalised Routh equations",
    "generalised Routh equations by Gamma_0", "Gamma_0", "equations in coordinates",
    "full equations", "isotropy",
)  # fmt: skip


THOROUGH = ("curved, along", "spin", "wong plane", "spin at rest", "wong space", "askew", "quartic spin at rest")
"""Near others of the list: these run in make long."""


def with_thorough(names: Iterable[str]) -> list[Any]:
    """Return cases of a test, of which some run in make long only."""
    return [pytest.param(name, marks=[pytest.mark.thorough] * (name in THOROUGH)) for name in names]


@pytest.mark.parametrize("name", with_thorough(SYSTEMS))
@pytest.mark.thorough("curved", "se2")
@pytest.mark.thorough("relativistic", "heavy top", "rigid body", "quartic")
def test_all_derivations_meet(name: str) -> None:
    found = decided(derived(name), "reconstruction", "simple system")
    assert not [one for one in found.values() if one.failed]
    for identity in IDENTITIES:
        assert found[identity].verdict.holds is True, identity


@pytest.mark.parametrize("name", ["kepler", "spin", "quartic"])
@pytest.mark.thorough("spin")
def test_the_checks_of_what_was_written_bite(name: str) -> None:
    """Equations that are another motion fail; and a lift at another speed is refuted where it is known."""
    result = derived(name)
    equations = result.equations
    pushed = replace(equations, force=tuple(f + ONE / 7 for f in equations.force))
    closed = result.level.iota is not None
    assert claim(replace(result, equations=pushed), "full equations").verdict.holds is not closed
    assert claim(replace(result, equations=pushed), "energy balance").verdict.holds is not closed
    if closed:
        turned = replace(equations, reconstruction={q: 2 * rate for q, rate in equations.reconstruction.items()})
        assert claim(result, "level set").verdict.holds is True
        assert claim(replace(result, equations=turned), "level set").verdict.holds is False


def test_to_derive_decides_no_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("nobody asked")

    monkeypatch.setattr(Theorem, "claims", refuse)
    result = derive(gallery.load("heavy-top-chart"))
    assert [one.role for one in result.hypotheses] == ["hypothesis"] * len(result.hypotheses)
    with pytest.raises(AssertionError, match="nobody asked"):
        claims(result, only="full equations")


@pytest.mark.parametrize("name", with_thorough(CLOSED))
@pytest.mark.thorough("se2")
def test_state_and_lift_are_a_motion_in_the_stated_coordinates(name: str) -> None:
    result = derived(name)
    left = carried_back(result)
    assert all_vanish({str(k): e for k, e in enumerate(left)}).holds is True
    for check in ("level set", "Lagrange-Routh equations", "energy balance"):
        assert claim(result, check).verdict.holds is True


@pytest.mark.parametrize("name", with_thorough(SYSTEMS))
def test_the_state_does_not_contain_what_was_divided_out(name: str) -> None:
    equations = derived(name).equations
    known = {s.data for s in (*equations.state, *equations.implicit, *equations.parameters)}
    lift = {q.data for q in equations.reconstruction}
    assert symbols([*equations.kinematics.values(), *equations.force]).isdisjoint(lift)
    assert {s for s in symbols(equations.rates().values()) if s.role == "variable"} <= known
    assert {q.data for q in equations.state}.isdisjoint(lift)


@pytest.mark.parametrize(
    ("name", "isotropy", "state"),
    [
        ("se2", 1, "x z1 theta x'"),
        ("curved", 1, "u w z theta u' w'"),
        ("curved, along", 1, "u w z1 theta u' w'"),
        ("spin", 1, "r theta psi r'"),
        ("spin at rest", 3, "r r'"),
        ("kepler", 1, "r1 z r1' z'"),
        ("heavy top", 2, "theta theta'"),
        ("rigid body", 1, "theta psi"),
        ("quartic", 1, "r r'"),
    ],
)
@pytest.mark.thorough("curved, along-1-u w z1 theta u' w'")
@pytest.mark.thorough("spin-1-r theta psi r'")
def test_what_is_left(name: str, isotropy: int, state: str) -> None:
    result = derived(name)
    assert result.frame.isotropy_dimension == isotropy == len(result.equations.reconstruction)
    assert [q.data.label for q in result.equations.state] == state.split()


@pytest.mark.thorough
def test_the_hard_systems_are_hard() -> None:
    """They have curvature, B, a group that does not commute, and momenta that are not linear in the velocities."""
    curved, at_rest = derived("curved"), derived("quartic spin at rest")
    assert any(is_zero(r).holds is False for r in curved.frame.curvature[0][1])
    assert any(is_zero(b).holds is False for row in curved.level.b_coefficients for b in row)
    assert any(is_zero(g).holds is False for row in at_rest.frame.g_ai for g in row)
    assert curved.frame.connection_name == "given"
    assert curved.level.iota is at_rest.level.iota is None
    assert set(curved.equations.implicit) == set(curved.frame.v_fibre)


def test_an_implicit_level_set_of_a_group_that_does_not_commute_has_unknowns_of_its_own_for_the_lift() -> None:
    result = derived("quartic spin at rest")
    assert len(result.equations.implicit) == 6
    assert symbols(result.equations.reconstruction.values()).isdisjoint(v.data for v in result.frame.v_fibre)


def test_momenta_without_values_are_parameters_with_the_value_at_the_start() -> None:
    result = derived("spherical pendulum")
    (mu,) = result.frame.momentum
    assert mu is symbol("mu_turn", role="parameter")
    assert float(result.equations.parameters[mu]) == pytest.approx(2 * 0.8414709848078965**2)


def test_generators_that_move_time_are_left_out_in_words() -> None:
    result = derived("quartic")
    assert claim(result, "generators").verdict.evidence == "clock moves time and is left out."


def test_new_names_are_not_those_of_parameters() -> None:
    stated = gallery.load("quartic").but(
        name="taken", parameters={"r": 1, "v_turn": 1}, let=None, lagrangian="(x'^2 + y'^2)/2 - r*v_turn*(x^2 + y^2)"
    )
    result = derive(stated)
    assert [q.data.label for q in result.equations.state] == ["r1", "r1'"]
    assert result.frame.v_fibre[0].data.name == "v_turn1"


# -- cases ---------------------------------------------------------------------------------------------------
def test_a_symbolic_momentum_falls_into_cases() -> None:
    system = gallery.load("se2-routh").but(parameters={"A": {"value": 0.5, "sign": "any"}}, momentum=None)
    generic, special = derive_cases(system)
    assert [len(r.equations.reconstruction) for r in (generic, special)] == [1, 3]
    assert [q.data.label for q in special.equations.state] == ["x", "x'"]
    assert special.frame.action.algebra.is_abelian is False
    assert special.frame.momentum[:2] == (ZERO, ZERO)
    assert [str(case) for case in generic.cases()] == [
        "rank 2 where mu_e1, mu_e2 not all 0",
        "rank 0 where mu_e1 = 0 and mu_e2 = 0",
    ]
    for result in (generic, special):
        assert all_vanish({str(k): e for k, e in enumerate(carried_back(result))}).holds is True


@pytest.mark.thorough
def test_orbits_that_are_not_straight_leave_the_momentum_on_its_orbit_as_state() -> None:
    result = derived("askew")
    assert result.frame.isotropy_dimension == 1
    assert [v.data.label for v in result.equations.state] == ["r", "Pi_e1", "Pi_e2", "Pi_e3", "r'"]
    assert claim(result, "adapted coordinates").verdict.kind == "undecided"
    assert all_vanish({str(k): e for k, e in enumerate(carried_back(result))}).holds is True


# -- refusals ------------------------------------------------------------------------------------------------
PLANE = {"name": "plane", "coordinates": "x y", "lagrangian": "x'^2 + y'^2", "symmetry": {"along": {"x": 1}}}
TURNS = {"turn": {"x": "-y", "y": "x"}}


def plane(**tables: object) -> System:
    return System.of(**{**PLANE, **tables})


@pytest.mark.parametrize(
    ("system", "words"),
    [
        (lambda: gallery.load("kepler"), "the action of e1, e2, e3 is not free"),
        (lambda: only("magnetic", "across_x"), "across_x: L is invariant under it only up to a total derivative"),
        (lambda: plane(lagrangian="x'^2 + y'^2 - x^2"), "along: L is not invariant under it"),
        (lambda: plane(lagrangian="x'*y'"), "g_ab has rank 0 of 1"),
        (lambda: plane(lagrangian="y'^2"), "it is singular"),
        (lambda: plane(lagrangian="exp(x') + y'^2", momentum=[-2]), "the value -2 is not attained"),
        (lambda: plane(lagrangian="sqrt(1 + x'^2) + y'^2", momentum=[1]), "the value seems not to be attained"),
        (lambda: plane(lagrangian="sqrt(1 + x'^2) + y'^2", momentum=[2]), "no velocity was found"),
        (lambda: plane(symmetry=None), "no generators are stated"),
        (lambda: plane(symmetry={"clock": {"t": 1}}), "all generators move time"),
        (lambda: plane(symmetry={"push": {"x": "t"}}), "push: it depends on time"),
        (lambda: plane(forces={"y": "-y'"}), "does not take forces"),
        (lambda: plane(constraints={"c": "y' = x'"}), "c: Routh's procedure does not take constraints"),
        (lambda: plane(bundle={"base": ["x"], "fibre": ["y"]}), "'x' is moved by the generator along"),
        (lambda: plane(bundle={"connection": ["dx - x*dy"]}), "[along, X_y]: it is the number 1"),
        (
            lambda: gallery.load("quartic").but(symmetry=TURNS, bundle={"connection": "mechanical"}),
            "the Hessian of L depends on velocities, so there is no mechanical connection",
        ),
    ],
)
def test_refusals_say_what_is_wrong_and_where(system: object, words: str) -> None:
    stated = system()  # type: ignore[operator]
    with pytest.raises(HypothesisError) as refused:
        derive(stated)
    assert words in str(refused.value)
    assert refused.value.faults == routh.check(stated)


def test_a_wrong_number_of_momenta_is_refused_when_stated() -> None:
    with pytest.raises(ModelError, match="2 momenta are given, but the generators number 3"):
        gallery.load("se2-routh").but(momentum=[1, 2])


def test_points_that_are_not_free_are_named() -> None:
    assert "sin(theta) = 0" in claim(derived("rigid body"), "free action").statement


# -- time, functions -----------------------------------------------------------------------------------------
TIMED = "(theta'^2 + sin(theta)^2*phi'^2)*(1 + t^2)/2 + g*t*cos(theta) + t*phi'"
GENERAL = "(theta'^2 + f(theta)*phi'^2)/2 - V(theta, t)"


@pytest.mark.parametrize("lagrangian", [TIMED, GENERAL])
def test_explicit_time_and_unspecified_functions(lagrangian: str) -> None:
    result = derive(
        System.of(
            name="driven",
            coordinates={"theta": "angle", "phi": "angle"},
            parameters={"g": 1},
            functions={"V": {"of": ["theta", "s"]}, "f": {"of": ["theta"]}} if "V" in lagrangian else None,
            lagrangian=lagrangian,
            symmetry={"turn": {"phi": 1}},
        )
    )
    assert not [one for one in decided(result).values() if one.failed]
    assert all_vanish({str(k): e for k, e in enumerate(carried_back(result))}).holds is True


def test_a_body_in_angles_begins_with_the_momentum_that_is_stated() -> None:
    """Where [start] is silent: it stood still, for the equations in Pi hold at every momentum."""
    system = gallery.load("free-rigid-body-chart")
    system = system.but(momentum=dict(zip(system.symmetry, (0.3, 0.5, 0.9), strict=True)), start={"theta": 1})
    found = derive(system)
    run = simulate(found, time=0.1)
    square = sum(run[f"Pi_e{k}"][0] ** 2 for k in (1, 2, 3))
    assert abs(square - 0.3**2 - 0.5**2 - 0.9**2) < 1e-12
    with pytest.raises(EvaluationError, match="what relates Pi_"):
        simulate(found, {"phi'": 3, "theta'": 0, "psi'": 1}, 0.1)
