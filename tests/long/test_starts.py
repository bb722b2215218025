"""2,000 random starts with velocities left out, against circuits and KKT systems or SLSQP; 400 of each kind."""

import numpy as np
import pytest
from starting import KINDS, Drawn, differs, twin, velocities

from dalembert.errors import EvaluationError

STARTS = 400


@pytest.mark.parametrize("kind", KINDS)
def test_starts_obey_the_rule(kind):
    asked, told_apart, wrong = 0, 0, []
    for seed in range(100, 100 + STARTS):
        drawn = Drawn(kind, seed)
        try:
            found = velocities(drawn)
        except EvaluationError:  # no real velocities obey a bent constraint, or several are as good
            assert kind == "nonlinear"
            asked += 1
            continue
        far = differs(drawn, found)
        if not (far < 1e-7 or np.isnan(far)):
            wrong.append((seed, far))
        if kind != "nonlinear":
            told_apart += differs(drawn, twin(drawn)) > 1e-6
    assert wrong == []
    assert asked < STARTS / 2
    assert kind == "nonlinear" or told_apart > STARTS / 2, told_apart
