"""The energy of machines along their motions: kept, or what forces and a moving support add to it."""

from functools import partial

import numpy as np
import pytest
from stated_machines import ELLIPSOID, QUADRUPED

from dalembert import System, derive, gallery, simulate
from dalembert.model.files import load

pytestmark = pytest.mark.long


def ball(surface):
    return System.of(
        name="ball",
        coordinates={"x": "real", "y": "real", "z": "real", "R": "rotation"},
        parameters={"m": 0.3, "r": 0.1, "B": 0.6, "g": 9.81},
        frames={"ball": {"rotation": "R"}},
        points={"middle": ["x", "y", "z"]},
        bodies={"ball": {"shape": "sphere", "mass": "m", "radius": "r", "centre": "middle"}},
        contacts={"bowl": {"ball": "ball", "radius": "r", "surface": surface}},
        forces={"weight": {"gravity": "g"}},
    )


MACHINES = {
    "gyroscope": (lambda: gallery.load("gyroscope"), {}, 2),
    "four-bar": (lambda: gallery.load("four-bar"), {}, 2),
    "chain": (lambda: gallery.load("arm", 6), {}, 0.5),
    "ball in a cylinder": (
        partial(ball, {"cylinder": "B", "axis": "z", "side": "inside"}),
        {"x": 0.5, "y": 0, "z": 0, "y'": 1.5, "z'": 0.2, "R.w1": 3},
        2,
    ),
    "ball in a bowl": (
        partial(ball, {"sphere": "B", "side": "inside"}),
        {"x": 0.3, "y": 0, "z": -0.4, "y'": 0.7},
        2,
    ),
}


@pytest.mark.parametrize("name", MACHINES)
def test_energy_is_kept(name):
    make, start, time = MACHINES[name]
    system = make().but(forces=None, facts=None)  # no dampers and motors: weights and springs are in the Lagrangian
    run = simulate(
        derive(system, "nonholonomic" if system.constraints else "euler-lagrange"), start, time, tolerance=1e-12
    )
    assert run.success
    energy = run["energy"]
    assert np.ptp(energy) < 1e-8 * (1 + np.abs(energy).max())
    assert max(np.ptp(run[q.data.name]) for q in system.q) > 0.02  # it moves


def test_a_quadruped_loses_what_its_dampers_take(tmp_path):
    file = tmp_path / "quadruped.urdf"
    file.write_text(QUADRUPED)
    start = {"torso_joint_x'": 0.3, "torso_joint_rotation.w1": 0.5, "roll0'": 2, "pitch1'": -1}
    start |= {f"knee{k}": -1 for k in range(4)}
    run = simulate(derive(load(file), "euler-lagrange"), start, 0.3, samples=600, tolerance=1e-11)
    assert run.success
    power = -0.1 * sum(run.value(f"roll{k}'") ** 2 for k in range(4))
    work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(run.t))])
    energy = run["energy"]
    assert np.abs(energy - energy[0] - work).max() < 1e-4 * abs(work[-1])
    assert np.abs(energy - energy[0] - 1.01 * work).max() > 1e-3 * abs(work[-1])  # the twin


def test_an_ellipsoid_on_a_turntable_keeps_its_moving_energy():
    """E - W J with the moment of momentum J about the axis of the table: rolling does no work seen from the table."""
    start = {"b": 0.4, "c": 0.2, "x": 0.3, "y": 0.1, "b'": 0.5, "a'": 0.7, "c'": -0.3}
    run = simulate(derive(ELLIPSOID, "nonholonomic"), start, 2, tolerance=1e-12)
    assert run.success
    moments = 1.3 / 5 * np.array([0.41, 0.34, 0.25])
    spin = sum(run.value(f"egg.e{k}z") * moments[k - 1] * run.value(f"egg.w{k}") for k in (1, 2, 3))
    turning = spin + 1.3 * (run["x"] * run["y'"] - run["y"] * run["x'"])
    moving = run["energy"] - 0.7 * turning
    assert np.ptp(moving) < 1e-8 * (1 + np.abs(moving).max())
    assert np.ptp(run["energy"]) > 1e-2  # the twin: the table does work
