"""Linkages from many starts: every motion is right, or stops where the constraints lose rank and says so."""

import numpy as np
import pytest
from mechanisms import LOST, closed, five_bar, four_bars, reference, scotch_yoke, slider_crank

from dalembert import derive, simulate
from dalembert.numerics.outcome import END, RANK_LOST

pytestmark = pytest.mark.long

CASES = [
    (four_bars, [1.0, 1.0, 0.0], [0, 0, 0], {}),
    (four_bars, [2.0, 2.0, 0.0], [3, 3, 0], {"g": 3.0}),
    (four_bars, [1.0, 1.0, 0.0], [0, 0, 0], {"c": 1.001}),
    (four_bars, [1.0, 1.0, 0.0], [0, 0, 0], {"c": 1.01, "g": 1.0}),
    (four_bars, [1.0, 1.5, 0.4], [2, 0, 0], {"c": 1.3}),
    (slider_crank, [0.7, -0.7, 1.5], [4, -4, 0], {}),
    (slider_crank, [0.7, -0.3, 2.6], [4, 0, 0], {"l": 2.0}),
    (slider_crank, [0.7, -0.6, 1.6], [4, 0, 0], {"l": 1.05}),
    (scotch_yoke, [0.3, 0.95], [3, 0], {}),
    (scotch_yoke, [0.3, 0.95], [0.1, 0], {"g": 0.5}),
    (five_bar, [2.0, 0.5, 2.2, 1.0], [0, 0, 0, 0], {}),
    (five_bar, [2.0, 0.5, 2.2, 1.0], [1, 0, 0, -2], {"g": 9.81}),
]


@pytest.mark.parametrize(("make", "guess", "wish", "values"), CASES)
def test_right_or_stopped(make, guess, wish, values):
    system = make()
    q, v = closed(system, guess, wish, values)
    exact = reference(system, q, v, 4.0, values)
    start = {x.data.label: float(value) for x, value in zip((*system.q, *system.v), (*q, *v), strict=True)}
    result = derive(system, "nonholonomic")
    for tolerance in (1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12):
        run = simulate(result, start, 4, values=values, tolerance=tolerance)
        assert run.status in {END, RANK_LOST}, run.message
        until = run.t <= exact.end
        found = np.array([run[x.data.label] for x in system.q])
        apart = np.abs(found - exact.motion.sol(run.t)[: len(q)])[:, until].max()
        assert apart < 3e4 * tolerance + 2e-7
        if exact.lost:  # the reference ends before the loss, where the measure is 2 percent
            assert run.t[-1] < exact.end * (1 + 2 * LOST)
            assert run.status == RANK_LOST
        else:
            assert run.status == END or exact.sizes.min() < 10 * np.sqrt(tolerance)
