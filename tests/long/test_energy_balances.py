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
    "long chain": (lambda: gallery.load("arm", 40), {}, 0.05),  # 40 s of CPU, nearly all to prepare
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


def test_a_plane_chain_of_forty_links_keeps_its_energy():
    """The energy is added up here from the headings of the rods and their rates, not by the library.

    CPU time as measured: 0.4 s to read, 0.7 s to derive, 3.5 s to prepare, 0.02 s to move for a second.
    """
    size, mass, length, gravity = 40, 0.1, 0.1, 9.81
    rod = {"shape": "rod", "mass": "m", "length": "l", "axis": "x", "centre": ["l/2", 0, 0]}
    hangs = {k: {"parent": f"link{k - 1}", "at": ["l", 0, 0]} if k > 1 else {} for k in range(1, size + 1)}
    chain = System.of(
        name="chain",
        parameters={"m": mass, "l": length, "g": gravity},
        bodies={f"link{k}": rod for k in hangs},
        joints={f"q{k}": {"type": "revolute", "axis": "y", "child": f"link{k}", **at} for k, at in hangs.items()},
        forces={"weight": {"gravity": "g"}},
        start={"q1": 0.1, "q2": 0.3, "q1'": 1, "q30'": -2},
    )
    run = simulate(derive(chain, "euler-lagrange"), {}, 1, tolerance=1e-10)
    assert run.success
    heading, rate = (np.cumsum([run[f"q{k}{dot}"] for k in hangs], axis=0) for dot in ("", "'"))
    assert np.ptp(heading, axis=1).min() > 0.1  # every link moves
    along = length * np.stack([np.cos(heading), -np.sin(heading)])  # x and z, from each joint to the next
    moving = length * np.stack([-np.sin(heading) * rate, -np.cos(heading) * rate])
    centre, velocity = (np.cumsum(one, axis=1) - one / 2 for one in (along, moving))
    travel = mass * ((velocity**2).sum(axis=(0, 1)) / 2 + gravity * centre[1].sum(axis=0))
    energy = travel + mass * length**2 / 24 * (rate**2).sum(axis=0)
    assert np.abs(energy - run["energy"]).max() < 1e-9
    assert np.ptp(energy) < 1e-9
    assert np.ptp(travel) > 1e-3  # the twin: without the turning of the rods nothing is kept


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
