"""Routh's procedure seen from a body: relative attitudes are the shapes, and at momentum zero nothing else is left."""

from dataclasses import replace

import pytest
from reduced_relative import ARM, GIMBAL
from routh_systems import followed_beside_euler_lagrange

from dalembert import claims, derive
from dalembert.expr.truth.many import ProofBudget
from dalembert.mechanics.routh.without_charts.rows import THEOREMS

FREE = GIMBAL.but(forces=None)
STILL = FREE.but(momentum=dict.fromkeys(FREE.symmetry, 0))


def verdict(name, found):
    (theorem,) = (one for one in THEOREMS if one.name == name)
    return theorem.decide(found, ProofBudget(0.0))


@pytest.mark.thorough
def test_at_momentum_zero_the_relative_attitude_moves_by_itself():
    found = derive(STILL, "routh")
    assert [x.data.name for x in found.equations.state] == [
        *(f"S_in_R.q{k}" for k in range(4)),
        *(f"S_in_R.w{k}" for k in (1, 2, 3)),
    ]
    assert [q.data.name for q in found.equations.reconstruction] == [f"R.q{k}" for k in range(4)]
    assert verdict("full equations", found).holds
    equations = found.equations
    wrong = replace(equations, force=(equations.force[0] + equations.velocities[1], *equations.force[1:]))
    assert verdict("full equations", replace(found, equations=wrong)).holds is False
    rates = {**equations.reconstruction}
    first = next(iter(rates))
    turned = replace(equations, reconstruction={**rates, first: rates[first] + equations.velocities[0]})
    assert verdict("full equations", replace(found, equations=turned)).holds is False


@pytest.mark.thorough
@pytest.mark.parametrize("system", [FREE, ARM], ids=lambda system: system.name)
def test_at_a_momentum_the_body_that_sees_is_in_the_state(system):
    found = derive(system, "routh")
    assert found.level.base.invariant
    told = {claim.name: claim for claim in claims(found, verify=True)}
    assert [claim.name for claim in told.values() if claim.failed] == []
    assert told["full equations"].verdict.holds
    assert told["adapted coordinates"].verdict.holds
    followed_beside_euler_lagrange(found)
