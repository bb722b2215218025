"""Section VII of Crampin and Mestdag: simple mechanical systems, locked inertia, amended potential, omega^mu."""

from __future__ import annotations

from dataclasses import replace

import pytest
from reconstruction_systems import circling, known, reduced

from dalembert import System, claims, derive
from dalembert.expr import ZERO, cos, diff, sin, substitute
from dalembert.expr.truth import is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.mechanics.lagrangian.momentum_map import amended_potential, simple_mechanical
from dalembert.mechanics.routh import routh
from dalembert.mechanics.routh.reconstruction.sample_points import level_point, on_level
from dalembert.mechanics.routh.reconstruction.simple_systems import (
    SimpleReconstruction,
    body_parts,
    metric_and_potential,
    section_seven_defects,
    simple_laws,
    simple_reconstruction,
)
from dalembert.mechanics.routh.reconstruction.summary import (
    reconstruction_claims,
    reconstruction_objects,
    simple_claims,
)


def simple(name: str) -> SimpleReconstruction:
    found = simple_reconstruction(known(name))
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["turning", "turning, askew", "turning, mu = 0", "circling", "se2"])
def test_section_seven_holds(name: str) -> None:
    claims = simple_laws(known(name), simple(name))
    names = ("locked inertia", "amendment", "inverse inertia", "one connection", "amended equations")
    assert [c.name for c in claims] == [f"simple system, {name}" for name in names]
    assert {c.name for c in claims if c.verdict.holds is not True} == set()


@pytest.mark.parametrize("name", ["turning"])
def test_the_printed_sign_of_the_amendment_is_refuted(name: str) -> None:
    """The equations of section VII have minus the derivative of C_mu."""
    found, parts = known(name), simple(name)
    level = parts.frame.level
    point = level_point(level)
    assert on_level(level, point, section_seven_defects(found, parts, -1)).holds is True
    assert on_level(level, point, section_seven_defects(found, parts, 1)).holds is False


def test_wrong_twins_of_section_seven() -> None:
    found, parts = known("turning"), simple("turning")
    wrong = replace(parts, rate=tuple(-r for r in parts.rate))
    assert _failed(found, wrong) == {"inverse inertia"}
    wrong = replace(parts, rate=parts.spin[:1])  # g^Aa mu_a in the place of G^AB mu_B
    assert _failed(found, wrong) == {"inverse inertia"}
    wrong = replace(parts, amendment=2 * parts.amendment)
    assert _failed(found, wrong) == {"amendment", "amended equations"}
    flat = replace(parts, frame=found.frame)  # the trivial connection is not the mechanical one
    assert _failed(found, flat) >= {"one connection", "amended equations"}


def _failed(found, parts) -> set[str]:
    failed = [c.name for c in simple_laws(found, parts) if c.verdict.holds is False]
    return {name.removeprefix("simple system, ") for name in failed}


def test_what_is_not_simple_is_seen() -> None:
    assert simple_reconstruction(known("curved")) is None
    level = known("circling").level
    magnetic = replace(level, lagrangian=level.lagrangian + level.velocities[0])
    assert metric_and_potential(level) is not None
    assert metric_and_potential(magnetic) is None


def test_what_has_no_value_at_rest_is_not_simple() -> None:
    """abs(x')^3 has slopes with abs(x')/x' in them; the reduction goes on without section VII."""
    bent = System.of(
        name="bent", coordinates="x y", lagrangian="abs(x')^3 + y'^2", symmetry={"e1": {"x": 1}, "e2": {"y": 1}}
    )
    found = derive(bent, "routh")
    assert not [claim for claim in claims(found) if claim.failed]
    assert "amended_potential" not in found.objects()


def test_the_amendment_in_the_body() -> None:
    found, parts = known("turning"), simple("turning")
    assert found.adjoint is not None
    inertia, momentum = body_parts(found.adjoint, parts)
    phi, theta, psi = found.level.chart.coordinates[2:]
    mu = found.level.momentum[0]
    turned = {"1": momentum[0] - mu * cos(theta)}
    turned |= {"2": momentum[1] ** 2 + momentum[2] ** 2 - (mu * sin(theta)) ** 2}
    assert all_vanish(turned).holds
    for row in inertia:
        for entry in row:
            assert all(is_zero(diff(entry, q)).holds for q in (phi, theta, psi))


@pytest.mark.thorough
def test_reduction_of_the_heavy_top_and_the_rigid_body() -> None:
    top = reduced("top")
    objects = reconstruction_objects(top)
    found = (*reconstruction_claims(top), *simple_claims(top))
    assert {c.name for c in found if c.verdict.holds is not True} == set()
    assert "simple system, amended potential" in {c.name for c in found}
    parts = simple_mechanical(top.system)
    assert parts is not None
    stated = amended_potential(parts, top.frame.stated, [4, 3])
    assert is_zero(objects["amended_potential"] - stated).holds
    assert {q for q, s in objects["relative_equilibria"]["vanish"].items() if not is_zero(s).holds} == {"theta"}
    body = reduced("body")
    objects = reconstruction_objects(body)
    names = {s.data.name: s for s in (*body.system.q, *body.system.parameters)}
    theta, psi = names["theta"], names["psi"]
    a, b, c = (names[n] for n in ("I1", "I2", "I3"))
    energy = 2 * (sin(theta) ** 2 * (sin(psi) ** 2 / a + cos(psi) ** 2 / b) + cos(theta) ** 2 / c)
    assert is_zero(objects["amended_potential"] - energy).holds
    inertia = sin(theta) ** 2 * (a * sin(psi) ** 2 + b * cos(psi) ** 2) + c * cos(theta) ** 2
    assert is_zero(objects["mechanical_vertical_part"]["e3"] - 2 / inertia).holds


def test_the_mechanical_connection_makes_both_vertical_parts_one() -> None:
    """With the mechanical connection on M, Phi = Phi_m; with the trivial one they differ, but not at rest."""
    shown = {}
    for connection in ("trivial", "mechanical"):
        result = routh.derive(circling().but(bundle={"base": ["x", "y"], "connection": connection}))
        objects = reconstruction_objects(result)
        shown[connection] = objects["mechanical_vertical_part"]["turn"], objects["vertical_lift_vertical_part"]["turn"]
    assert is_zero(shown["mechanical"][0] - shown["mechanical"][1]).holds
    assert is_zero(shown["trivial"][0] - shown["trivial"][1]).holds is False
    still = substitute(list(shown["trivial"]), dict.fromkeys((q.dot for q in circling().q[:2]), ZERO))
    assert is_zero(still[0] - still[1]).holds
    assert is_zero(shown["mechanical"][0] - shown["trivial"][0]).holds  # Omega^m does not ask for a connection on M
