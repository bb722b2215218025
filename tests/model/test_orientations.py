"""Starts of rotations and directions by angles, axis, matrix and quaternion, and motions asked for them again."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dalembert import System, derive, loads, simulate
from dalembert.errors import DalembertError, ModelError
from dalembert.model.files import dumps
from dalembert.model.trajectory import Trajectory

TOP = """
name = "top"
lagrangian = "(A*(R.w1^2 + R.w2^2) + C*R.w3^2)/2 - k*R.m33"
[coordinates]
R = "rotation"
[parameters]
A = 2
C = 1
k = 1
tilt = 0.6
[start]
"""
TILTED = Rotation.from_euler("ZXZ", [0.1, 0.6, 0.3])
MATRIX = [[float(entry) for entry in row] for row in TILTED.as_matrix()]
VECTOR = TILTED.as_rotvec()
WAYS = {
    "intrinsic": 'R = { euler = "ZXZ", angles = [0.1, 0.6, 0.3] }',
    "extrinsic": 'R = { euler = "zxz", angles = [0.3, 0.6, 0.1] }',
    "texts": 'R = { euler = "ZXZ", angles = ["1/10", "tilt", 0.3] }',
    "degrees": f'R = {{ euler = "ZXZ", degrees = true, angles = {np.degrees([0.1, 0.6, 0.3]).tolist()} }}',
    "cardan": f'R = {{ euler = "XYZ", angles = {TILTED.as_euler("XYZ").tolist()} }}',
    "axis": f"R = {{ axis = {VECTOR.tolist()}, angle = {np.linalg.norm(VECTOR)} }}",
    "matrix": f"R = {{ matrix = {MATRIX} }}",
    "quaternion": f"R = {{ quaternion = {np.roll(TILTED.as_quat(), 1).tolist()} }}",
}


def begin(text, **more):
    run = simulate(derive(loads(TOP + text), "euler-lagrange"), time=0.1, **more)
    return run.rotation("R")


@pytest.mark.parametrize("way", WAYS)
def test_every_way_says_the_same_start(way):
    assert begin(WAYS[way]).matrix[0] == pytest.approx(TILTED.as_matrix(), abs=1e-14)


def test_the_wrong_twin_starts_elsewhere():
    twin = begin(WAYS["intrinsic"].replace("ZXZ", "zxz"))
    assert twin.matrix[0] != pytest.approx(TILTED.as_matrix(), abs=0.1)


def test_a_start_may_be_said_to_simulate_and_speeds_stand_beside_it():
    said = {"R": {"euler": "ZXZ", "angles": [0.1, "tilt", 0.3], "w3": 5}}
    run = simulate(derive(loads(TOP + "R.q0 = 1"), "euler-lagrange"), said, 0.1, values={"tilt": 0.8})
    assert run.rotation("R").euler("ZXZ")[0] == pytest.approx([0.1, 0.8, 0.3], abs=1e-14)
    assert run["R.w3"][0] == 5
    assert run["R.m33"][0] == pytest.approx(np.cos(0.8), abs=1e-14)


def test_a_model_with_such_a_start_is_written_and_read_again():
    system = loads(TOP + WAYS["texts"])
    assert loads(dumps(system)).start == system.start


def test_a_direction_is_a_list():
    arrow = System.of(
        name="arrow",
        coordinates={"n": "direction"},
        lagrangian="(n.x'^2 + n.y'^2 + n.z'^2)/2 - n.z",
        start={"n": ["3/5", 0, "4/5"]},
    )
    run = simulate(derive(arrow, "euler-lagrange"), time=0.1)
    assert [run[f"n.{x}"][0] for x in "xyz"] == pytest.approx([0.6, 0, 0.8], abs=1e-15)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ('R = { euler = "ZXZ" }', "the euler of 'R' needs angles beside it"),
        ('R = { euler = "ZXX", angles = [0, 0, 0] }', "'ZXX' is no sequence of axes"),
        ('R = { euler = "ZXZ", angles = [0, 0] }', "angles is a list of three entries"),
        ('R = { euler = "ZXZ", angles = [0, 0, "tlt"] }', "did you mean 'tilt'"),
        ("R = { axis = [0, 0, 1], angle = 1, quaternion = [1, 0, 0, 0] }", "said by axis and by quaternion"),
        ("R = { axis = [0, 0, 1], angle = 1, q0 = 1 }", "leave 'R.q0' out"),
        ("R = { quaternion = [1, 1, 0, 0] }", "the quaternion has length 1.41421356, not 1"),
        ("R = { quaternion = [1, 0, 0, 0], degrees = true }", "degrees = true may stand beside angles"),
        ("R = { matrix = [[1, 0, 0], [0, 1, 0], [0, 0, -1]] }", "a reflection"),
        ("R = [1, 0, 0]", "does not say where 'R' is; write it as { euler"),
        ("R = { axis = [0, 0, 1], angle = 1, w4 = 1 }", "R.w4"),
    ],
)
def test_what_says_no_rotation_is_refused_in_one_sentence(start, said):
    with pytest.raises(ModelError, match=said.replace("[", r"\[").replace("{", r"\{")) as caught:
        loads(TOP + start)
    assert len(caught.value.faults) == 1


def test_a_motion_without_that_rotation_says_so():
    run = Trajectory([0.0], [[1.0]] * 4, ("R.q0", "R.q1", "R.q2", "R.q3"))
    with pytest.raises(DalembertError, match="there is no rotation 'S' in this trajectory; known: R"):
        run.rotation("S")
    with pytest.raises(DalembertError, match="'x' in this trajectory; this motion has none"):
        Trajectory([0.0], [[1.0]], ("x",)).rotation("x")
