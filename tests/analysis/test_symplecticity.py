"""d alpha_t along motions: by the variational equations and by its rate; zero where the flow is symplectic."""

import numpy as np
import pytest

from dalembert.analysis.variational_equations import symplectic_defect
from dalembert.mechanics.semisymplectic import semisymplectic
from dalembert.model.system import System


def particle(constraint, potential):
    return System.of(
        name="particle",
        coordinates="x y z",
        parameters={"k": 0.7},
        lagrangian=f"(x'^2 + y'^2 + z'^2)/2 - ({potential})",
        constraints={"c": constraint},
        start={"x": 0.3, "y": 0.4, "z": -0.2, "x'": 0.8, "y'": -0.5},
        run={"time": 3},
    )


def verdicts(found):
    return {claim.name: claim.verdict.holds for claim in found.claims()}


def test_a_nonholonomic_flow_is_not_symplectic():
    found = symplectic_defect(semisymplectic.derive(particle("z' = y*x'", "k*(x^2 + y^2 + z^2)/2")))
    assert verdicts(found)["flow is not symplectic"] is True
    assert "flow is symplectic" not in verdicts(found)
    assert verdicts(found)["defect by two methods"]
    assert found.disagreement < 1e-8
    assert np.max(np.abs(found.matrices)) > 0.1
    assert found.matrices[:, :, 0] == pytest.approx(0, abs=1e-14)
    assert found.matrices + np.swapaxes(found.matrices, 0, 1) == pytest.approx(0, abs=1e-10)


def test_a_holonomic_one_is_on_the_constraint():
    # z = x^2/2 + const: F_t^* omega - omega is a multiple of the constraint form, so it vanishes on K
    found = symplectic_defect(semisymplectic.derive(particle("z' = x*x'", "k*(x^2 + y^2 + z^2)/2")))
    x = 0.3
    basis = [[1, 0, x, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]
    worst = max(np.max(np.abs(found.on(a, b))) for a in basis for b in basis)
    assert worst < 1e-9
    assert found.disagreement < 1e-8
    outside = max(np.max(np.abs(found.on([0, 0, 1, 0, 0], b))) for b in basis)
    assert outside > 1e-3


def test_on_a_holonomic_subsystem_the_flow_is_symplectic():
    # y = y' = 0 is invariant, and its directions in K see no defect; those across do
    system = particle("z' = y*x' + x'/2", "k*(x^2 + z^2)/2").but(start={"x": 0.3, "z": -0.2, "x'": 0.8})
    found = symplectic_defect(semisymplectic.derive(system))
    along = [[1, 0, 0.5, 0, 0], [0, 0, 0, 1, 0]]
    assert np.max(np.abs(found.on(*along))) < 1e-8
    across = [[0, 1, 0, 0, 0], [0, 0, 0, 1, 0]]
    assert np.max(np.abs(found.on(*across))) > 1e-2
