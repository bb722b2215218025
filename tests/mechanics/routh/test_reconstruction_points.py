"""Points of level sets that no linear equations give: claims are decided there, and wrong twins are not believed."""

from __future__ import annotations

import pytest
from reconstruction_systems import PLANE, level_of_system

from dalembert import gallery
from dalembert.expr import Expr, substitute
from dalembert.expr.truth import is_zero
from dalembert.mechanics.routh.reconstruction.decomposition import Reconstruction, reconstruct, reconstruction_laws
from dalembert.mechanics.routh.reconstruction.sample_points import level_point, on_level
from dalembert.model.system import System

HEISENBERG = {"e1": {"x": 1, "z": "y"}, "e2": {"y": 1}, "e3": {"z": 1}}
QUARTIC = System.of(
    name="quartic on R x Heisenberg",
    coordinates="u x y z",
    let={"w": "z' - x*y'", "s": "x'^2 + y'^2 + w^2"},
    lagrangian="(u'^2 + s)/2 + s^2/8 + u*u'*x'/3 - u^2/2",
    symmetry=HEISENBERG,
    momentum=[0.2, -0.5, 0.3],
)
ROOT = System.of(
    name="a root on SE(2)",
    coordinates={"y": "real", "z": "real", "th": "angle"},
    let={"a": "cos(th)*y' + sin(th)*z'", "b": "-sin(th)*y' + cos(th)*z'"},
    lagrangian="-sqrt(4 - a^2 - 2*b^2 - th'^2)",
    symmetry=PLANE,
    momentum=[0.3, 0, 0],
)


def split(system: System, base: int) -> Reconstruction:
    """By the level set alone, without Routh's procedure."""
    return reconstruct(*level_of_system(system, base))


def kinds(found: Reconstruction) -> dict[str, str]:
    return {claim.name: claim.verdict.kind for claim in reconstruction_laws(found)}


def vertical(found: Reconstruction, factor: int) -> dict[str, Expr]:
    """Omega^m(Gamma) - Phi_m, which vanishes on N_mu with the factor 1 and no other."""
    parts = zip(found.mechanical.components(found.gamma), found.phi_mechanical, strict=True)
    return {str(k): value - factor * phi for k, (value, phi) in enumerate(parts)}


@pytest.mark.parametrize(
    ("system", "base"), [(gallery.load("curved-se2"), 2), (QUARTIC, 1)], ids=["SE(2)", "Heisenberg"]
)
def test_equations_solved_in_turn(system: System, base: int) -> None:
    """No choice of velocities and parameters makes the momenta linear; one by one they can be solved."""
    found = split(system, base)
    point = level_point(found.level, found.adjoint)
    assert point is not None
    defects = [p - mu for p, mu in zip(found.frame.momenta, found.level.momentum, strict=True)]
    assert all(is_zero(value).holds for value in substitute(defects, point))
    assert any(is_zero(value).holds is False for value in defects)
    assert set(kinds(found).values()) <= {"proved", "certain"}
    assert on_level(found.level, point, vertical(found, 1)).holds is True
    assert on_level(found.level, point, vertical(found, 2)).holds is False


def test_points_by_newtons_method() -> None:
    """Roots of sums of velocities cannot be solved; what is not zero on all of TM is measured, and never refuted."""
    found = split(ROOT, 0)
    assert level_point(found.level, found.adjoint) is None
    right = kinds(found)
    assert set(right.values()) <= {"proved", "certain", "measured"}
    assert "measured" in right.values()
    wrong = on_level(found.level, None, vertical(found, 2))
    assert wrong.kind == "undecided"
    assert "relative to its terms" in wrong.evidence
