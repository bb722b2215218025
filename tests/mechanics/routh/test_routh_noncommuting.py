"""G_mu that does not commute, beside a complement: all of the paper, section V where the Hessian on g_mu allows it."""

from __future__ import annotations

import pytest

from dalembert import System, derive
from dalembert.analysis.fields import in_stated_coordinates
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute
from dalembert.mechanics.registry import formalism
from dalembert.mechanics.routh.routh import derive as derive_in_chart

SHIFTS = {"ex": {"x": 1}, "ey": {"y": 1}, "turn": {"x": "-y", "y": "x", "th": 1}}
REGULAR = System.of(
    name="a scaled drawing and a cart",
    coordinates={"u": "positive", "v": "real", "x": "real", "y": "real", "th": "angle", "r": "real"},
    lagrangian="(u'^2 + v'^2)/(2*u^2) + (x'^2 + y'^2)/2 + th'^2 + r'^2/2 - r^2 + u'*r'/(3*u) + r'*th'/5"
    " + r*(v'/u)*(x'*cos(th) + y'*sin(th))/4",
    symmetry={"scale": {"u": "u", "v": "v"}, "shift": {"v": 1}, **SHIFTS},
    momentum={"scale": "1/2", "shift": "0", "ex": "1", "ey": "1/3", "turn": "1/5"},
)  # fmt: skip
"""Aff(1) x SE(2): mu is fixed by all of the first, which does not commute, and by a line in the second."""
SINGULAR = REGULAR.but(
    lagrangian="(u'/u)*th' + (v'/u)*(x'*cos(th) + y'*sin(th)) + (y'*cos(th) - x'*sin(th))^2/2 + r'^2/2 - r^2"
    " + u'*r'/(3*u)",
)
"""g_ab is regular, and g_AB on g_mu is not."""


def told(system: System) -> dict[str, bool | None]:
    result, how = derive_in_chart(system), formalism("routh")
    claims = [claim for row in (*how.theorems, *how.laws) for claim in row.claims(result)]
    return {claim.name: claim.verdict.holds for claim in claims}


@pytest.mark.parametrize("system", [REGULAR, SINGULAR], ids=["regular", "singular"])
@pytest.mark.thorough
def test_all_sections_hold_and_section_v_where_its_hypothesis_does(system: System) -> None:
    result = derive_in_chart(system)
    inside = result.frame.isotropy_dimension
    assert inside == 3
    constants = result.frame.action.algebra.constants
    assert any(not vanish([c]) for a in range(inside) for b in range(inside) for c in constants[a][b])
    found = told(system)
    assert found.pop("mechanical connection") is (system is REGULAR)
    assert found.pop("adapted coordinates") is None
    assert ("reconstruction, mechanical connection" in found) == (system is REGULAR)
    assert found.pop("equations divide by nothing that vanishes", True) in (True, False)
    assert all(found.values()), [name for name, holds in found.items() if not holds]


@pytest.mark.thorough
def test_typed_reconstruction_of_the_drawing() -> None:
    """With w = g^-1 g' in the body: u' = u w^scale and v' = u w^shift, whatever mu is."""
    equations = derive_in_chart(REGULAR).equations
    places, velocities, _ = in_stated_coordinates(equations, REGULAR.q)
    assert {q.data.name for q in equations.reconstruction} == {"u", "v", "x", "y", "th"}
    u, v = (places[k] for k in (0, 1))
    body = [velocities[0] / u, velocities[1] / u]
    moved = substitute(body, {u: 3 * u, v: 3 * v + 7})
    assert vanish([a - b for a, b in zip(body, moved, strict=True)])
    assert derive(REGULAR, "routh").form == "section"
