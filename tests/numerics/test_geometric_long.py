"""Long times: whose energy stays and whose drifts, with and without a reversing symmetry. The table of the document."""

import pytest
from geometric_systems import PLANE, SLOPE, drift, energies


@pytest.fixture(scope="module", params=[0, 1], ids=["reversible", "not-reversible"])
def table(request):
    rows = energies(request.param, 10_000)
    found = {(problem, method, order): drift(energy) for problem, method, order, energy in rows}
    assert len(found) == 8
    return request.param == 0, found


@pytest.mark.thorough
def test_a_symplectic_integrator_does_not_drift_reversible_or_not(table):
    for order in (2, 4):
        moved, swing = table[1][PLANE.name, "variational", order]
        assert moved < swing / 20


@pytest.mark.thorough
def test_the_discrete_principle_drifts_just_where_the_problem_is_not_reversible(table):
    reversible, found = table
    for order in (2, 4):
        moved, swing = found[SLOPE.name, "lagrange-dalembert", order]
        assert (moved < swing / 100) if reversible else (moved > 2 * swing)


@pytest.mark.thorough("not-reversible")
@pytest.mark.thorough("reversible")
def test_the_discrete_gradient_keeps_energy_whatever_the_problem(table):
    for name in (PLANE.name, SLOPE.name):
        moved, swing = table[1][name, "energy-preserving", 2]
        assert moved < 1e-12
        assert swing < 1e-12


@pytest.mark.thorough("not-reversible")
@pytest.mark.thorough("reversible")
def test_a_method_that_keeps_nothing_drifts_everywhere(table):
    for name in (PLANE.name, SLOPE.name):
        moved, swing = table[1][name, "Kutta", 4]
        assert moved > 3 * swing
