"""Symmetries up to a total derivative with rotations and directions: what is one on the spheres, and what is not."""

from __future__ import annotations

import pytest

from dalembert import System, claims, derive
from dalembert.expr import time_derivative
from dalembert.expr.truth import is_zero
from dalembert.mechanics.common import facts_of
from dalembert.mechanics.lagrangian import hamilton

BODY = "R.w1^2 + 2*R.w2^2 + 3*R.w3^2 + x'^2/2"
NEEDLE = "n.x'^2 + n.y'^2 + n.z'^2 + x'^2/2"


def shifted(lagrangian: str) -> System:
    kind = {"R": "rotation"} if "R." in lagrangian else {"n": "direction"}
    return System.of(name="shifted", coordinates={**kind, "x": "real"}, lagrangian=lagrangian, symmetry={"s": {"x": 1}})


@pytest.mark.parametrize(
    ("more", "kind", "gauge"),
    [
        ("x*R.m33'", "up to a total derivative", "R.m33"),
        ("x*(R.m33*R.m31' + R.m33'*R.m31)", "up to a total derivative", "R.m33*R.m31"),
        ("x*R.w3", "none", "0"),  # R.w3 is no rate: turns about two axes do not commute
        ("x*(R.m33*R.m31' - R.m33'*R.m31)", "none", "0"),
        ("x*n.z'", "up to a total derivative", "n.z"),
        ("x*(n.x*n.y' - n.y*n.x')", "none", "0"),  # twice an area
        ("x*(n.x*n.x' + n.y*n.y' + n.z*n.z')", "symmetry", "0"),  # zero on the sphere
        ("x*(n.x*n.x' + n.y*n.y')", "up to a total derivative", "-n.z^2/2"),  # up to a number
    ],
)
@pytest.mark.thorough(
    "x*(R.m33*R.m31' + R.m33'*R.m31)-up to a total derivative-R.m33*R.m31",
    "x*(R.m33*R.m31' - R.m33'*R.m31)-none-0",
    "x*(n.x*n.y' - n.y*n.x')-none-0",
)
def test_what_changes_by_a_total_derivative_on_the_spheres(more: str, kind: str, gauge: str) -> None:
    system = shifted(f"{BODY if 'R.' in more else NEEDLE} + {more}")
    result = derive(system, "euler-lagrange")
    (found,) = result.noether
    assert found.kind == kind
    (claim,) = claims(result, only="momentum")
    assert claim.verdict.holds is (kind != "none")
    assert claim.role == ("check" if kind != "none" else "question")
    known = System.of(name="g", coordinates=dict(system.kinds) | {"x": "real"}, lagrangian=f"x'*({gauge})").lagrangian
    assert known is not None
    apart = found.gauge - known / system.q[-1].dot
    assert is_zero(time_derivative(apart), facts_of(system)).holds


def test_it_commutes_with_the_hamiltonian() -> None:
    system = shifted(f"{BODY} + x*R.m33'")
    result = hamilton.derive(system)
    (momentum,) = result.momentum_map().values()
    assert is_zero(result.bracket(momentum, result.hamiltonian), facts_of(system)).holds
    assert is_zero(result.bracket(result.costates[-1], result.hamiltonian), facts_of(system)).holds is False
