"""Systems drawn at random that state speeds: their equations move as multipliers say, and as without speeds."""

from random import Random

import numpy as np
import pytest
from judging import accelerations, reference
from speed_systems import drawn_with_speeds, drawn_with_symmetry

from dalembert import claims, derive
from dalembert.expr import symbol
from dalembert.expr.symbols import TIME
from dalembert.present.json_export import answer

pytestmark = pytest.mark.long


@pytest.mark.parametrize("seed", range(20))
def test_drawn_speeds_move_as_multipliers_say(seed):
    system = drawn_with_speeds(seed)
    judged(system, derive(system, "nonholonomic" if system.constraints else "euler-lagrange"), seed)


@pytest.mark.parametrize("seed", range(12))
def test_drawn_speeds_of_shapes_move_as_multipliers_say(seed):
    system = drawn_with_symmetry(seed)
    for formalism in ("chaplygin", "semisymplectic") if system.constraints else ("routh",):
        judged(system, derive(system, formalism), seed)


def judged(system, result, seed):
    """Ask the claim, and compare the JSON with multipliers."""
    (claim,) = [claim for claim in claims(result, only="speeds") if claim.name == "speeds"]
    assert claim.verdict.holds is True
    shown = answer(result, {}, ())
    assert set(shown["speeds"]) <= set(shown["state"])
    draw = Random(seed)
    parameters = {p: float(value) for p, value in result.equations.parameters.items()}
    seen = 0
    while seen < 3:
        variables = [*shown["state"], *shown["lift"]]
        names = {n: symbol(n) if n in shown["speeds"] else system.vocabulary.symbol(n) for n in variables}
        state = {one: draw.uniform(0.2, 0.9) * draw.choice((-1, 1)) for one in names.values()}
        q, v, a = accelerations(system, shown, {**state, **parameters, symbol(TIME): 0.3})
        if np.abs(v).max() > 20:  # there the speeds hardly give all velocities, and the reference is not as good
            continue
        seen += 1
        wanted = reference(system, q, v, 0.3, parameters)
        assert np.max(np.abs(a - wanted)) < 1e-6 * (1 + np.max(np.abs(wanted)))
