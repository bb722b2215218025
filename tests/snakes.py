"""The wheeled snake followed, and held against the multiplier equations: in the gate with few links, else with many."""

import numpy as np
import pytest
from multipliers_by_hand import ByMultipliers

from dalembert import derive, gallery, simulate

__all__ = ["follow_snake"]


def follow_snake(links, time):
    """Follow a snake, and compare its accelerations with the multiplier equations at states along the run."""
    result = derive(gallery.load(f"wheeled-snake:{links}"), "nonholonomic")
    run, by = simulate(result, time=time), ByMultipliers(result.system)
    moved = {one: run.value(f"{one}''") for one in ("x", "y")}
    for k in range(0, len(run.t), max(1, len(run.t) // 12)):
        q, v = (np.array([run[one.data.label][k] for one in several]) for several in (result.system.q, result.system.v))
        wanted, residual = by(run.t[k], q, v)
        assert np.abs(residual).max() < 1e-7
        for one, accelerations in moved.items():
            got = accelerations[k]
            assert got == pytest.approx(wanted[[s.data.label for s in result.system.q].index(one)], rel=1e-5, abs=1e-5)
    energy = run["energy"]
    assert np.ptp(energy) < 1e-7 * energy[0]
    return run
