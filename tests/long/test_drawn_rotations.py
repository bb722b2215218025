"""Made-up systems with one or two rotations and a direction, constraints and forces among them."""

from random import Random

import pytest
from judging import deviations
from rotation_systems import drawn_state, error_at, made_up

from dalembert import derive
from dalembert.mechanics.registry import formalism
from dalembert.present.json_export import answer


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


@pytest.mark.parametrize("held", [0, 1])
@pytest.mark.parametrize("seed", range(5, 15))
def test_what_is_written_of_them_is_judged_to_be_right(seed, held):
    """Twenty systems by their JSON, read back as text; nothing of how they were derived is known there."""
    system = made_up(seed, held)
    told = answer(derive(system, "nonholonomic" if held else "euler-lagrange"))
    found = deviations(system, told, seed, states=2)
    assert len(found) == 2
    assert max(found) < 1e-6
