"""Made-up systems with one or two rotations and a direction, constraints and forces among them."""

from random import Random

import pytest
from rotation_systems import drawn_state, error_at, made_up

from dalembert import derive
from dalembert.mechanics.registry import formalism


@pytest.mark.parametrize("held", [0, 1, 2])
@pytest.mark.parametrize("seed", range(5, 20))
def test_made_up_systems_move_as_multipliers_say(seed, held):
    name = "nonholonomic" if held else "euler-lagrange"
    result = derive(made_up(seed, held), name)
    rows = [row for row in formalism(name).theorems if row.role != "question"]
    assert not [claim for row in rows for claim in row.claims(result) if claim.failed]
    draw = Random(seed)
    for _ in range(3):
        assert error_at(result, drawn_state(result.system, [s.data.label for s in result.equations.state], draw)) < 1e-6
