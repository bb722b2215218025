"""Robots in URDF: the tables they become, what is refused, and their accelerations against Newton and Euler."""

from pathlib import Path

import numpy as np
import pytest
from judging import reference
from newton_euler import Solid, allowed, angular_velocity, order, path, turn, unbalanced, vector

from dalembert import derive, simulate
from dalembert.errors import ModelError
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.model.files import load
from dalembert.model.machine.robots import tables_of_robot

ARM = """<robot name="arm">
  <link name="base-link"/>
  <link name="upper"><inertial>
    <origin xyz="0.1 0 0.2" rpy="0.3 -0.2 0.5"/><mass value="2"/>
    <inertia ixx="0.03" iyy="0.04" izz="0.05" ixy="0.001" ixz="-0.002" iyz="0.003"/>
  </inertial><visual><geometry><mesh filename="/etc/passwd"/></geometry></visual></link>
  <link name="hand"><inertial>
    <mass value="0.5"/><inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="shoulder" type="continuous">
    <parent link="base-link"/><child link="upper"/><origin xyz="0 0 1" rpy="0 1.5707963 0"/><axis xyz="0 0 1"/>
  </joint>
  <joint name="slide" type="prismatic">
    <parent link="upper"/><child link="hand"/><origin xyz="0.4 0 0" rpy="0 0 0.7"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/><dynamics damping="0.2"/>
  </joint>
</robot>"""


def arm(q):
    angle, way = q
    upper = turn("y", np.pi / 2) @ turn("z", angle)
    tilted = upper @ turn("z", 0.5) @ turn("y", -0.2) @ turn("x", 0.3)
    moments = np.array([[0.03, 0.001, -0.002], [0.001, 0.04, 0.003], [-0.002, 0.003, 0.05]])
    centre = vector(0, 0, 1) + upper @ vector(0.1, 0, 0.2)
    hand = upper @ turn("z", 0.7)
    held = vector(0, 0, 1) + upper @ vector(0.4, 0, 0) + hand @ vector(0, way, 0)
    along = np.array([part.c[0] for part in hand @ vector(0, 1, 0)])
    lever = np.array([part.c[0] for part in held - centre])
    oil = -0.2 * way.c[1] * along
    return [
        Solid(2, moments, tilted, centre, lambda: np.array([0, 0, -2 * 9.81]) - oil, lambda: -np.cross(lever, oil)),
        Solid(0.5, np.diag([0.01, 0.02, 0.03]), hand, held, lambda: np.array([0, 0, -0.5 * 9.81]) + oil),
    ]


def test_a_robot_obeys_newton_and_euler(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    system = load(file)
    assert [q.data.name for q in system.q] == ["shoulder", "slide"]
    q, v = np.array([0.4, 0.3]), np.array([0.7, -0.5])
    a = reference(system, q, v, 0.0, {})
    assert np.abs(unbalanced(arm, q, v, a, np.eye(2))).max() < 1e-7
    file.write_text(
        ARM.replace('rpy="0.3 -0.2 0.5"', 'rpy="0.5 -0.2 0.3"').replace("0.1 0 0.2", "0.2 0 0.1")
    )  # the twin
    wrong = reference(load(file), q, v, 0.0, {})
    assert np.abs(unbalanced(arm, q, v, wrong, np.eye(2))).max() > 1e-3


def test_what_is_left_out_is_listed():
    assert tables_of_robot(ARM)["notes"] == (
        "Its root link 'base-link' is held. Read from URDF without what it looks like. A motion ends where a joint "
        "reaches its limit. Rounded multiples of pi/12 are exact here: 1.5707963 is pi*(1/2). "
        "Limits of efforts and velocities are left out."
    )


def test_an_angle_is_made_exact_in_sight_or_kept():
    """The wrong twins are as near to a multiple, with the digits that say that they are not meant as one."""
    for given, kept in (("1.5707963", "pi*(1/2)"), ("1.570796", "pi*(1/2)"), ("3.14159265", "pi*(1)")):
        tables = tables_of_robot(ARM.replace("1.5707963", given))
        assert tables["joints"]["shoulder"]["turns"] == [[kept, "y"]]
        assert f"{given} is {kept}" in tables["notes"]
    for given in ("1.5707960", "1.57079650", "3.141593", "0.26180001", "0.2"):
        tables = tables_of_robot(ARM.replace("1.5707963", given))
        ((angle, _),) = tables["joints"]["shoulder"]["turns"]
        assert angle.startswith("pi") == (given in tables["notes"])
    near = tables_of_robot(ARM.replace("1.5707963", "1.57079650"))
    assert near["joints"]["shoulder"]["turns"] == [["3141593/2000000", "y"]]


def test_attributes_that_are_not_read_are_listed():
    text = ARM.replace('<mass value="2"/>', '<mass value="2" unit="kg"/>').replace(
        "</joint>", "<limit lower='1'/></joint>", 1
    )
    said = tables_of_robot(text)["notes"]
    assert "Read from URDF without what it looks like, unit of <mass>." in said
    assert "Limits of the continuous joint 'shoulder' are left out." in said


def test_limits_are_events_and_dry_friction_is_smooth(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(ARM.replace('damping="0.2"', 'damping="0.2" friction="0.3"'))
    system = load(file)
    assert dict(system.run.events) == {
        "lower limit of slide": "slide = 0 falling stop",
        "upper limit of slide": "slide = 1 rising stop",
    }
    run = simulate(derive(system, "euler-lagrange"), {"slide": 0.5, "slide'": 1}, 5)
    assert run["slide"][-1] == pytest.approx(1)
    (rate,) = (q for q in system.v if q.data.name == "slide")
    (speed,) = system.parameters
    push = [evaluate([system.forces[system.q[1]]], Floats({rate: v, speed: 0.01}))[0] for v in (-1.0, 0.0, 1.0)]
    assert push == pytest.approx([0.5, 0, -0.5], rel=1e-4)


def test_a_joint_that_mimics_another_is_a_constraint(tmp_path):
    follower = """<link name="thumb"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="grip" type="revolute"><parent link="hand"/><child link="thumb"/>
      <limit lower="-2" upper="0.2"/><mimic joint="slide" multiplier="-2" offset="0.1"/></joint></robot>"""
    file = tmp_path / "gripper.urdf"
    file.write_text(ARM.replace("</robot>", follower))
    system = load(file)
    assert str(system.holonomic["grip"]) == "grip = 1/10 - 2*slide"
    assert system.run.events["lower limit of grip"] == "grip = -2 falling stop"  # limits of its own


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<!DOCTYPE r [<!ENTITY a "b">]><robot name="&a;"/>', "a document type or an entity is not read"),
        ("<robot><link/></robot>", "a link has no name"),
        ("<robot", "this is not XML"),
        ("<sdf/>", "the root of a URDF is <robot>"),
        (ARM.replace("continuous", "elastic"), "the joint 'shoulder' is of the type 'elastic'"),
        (ARM.replace('link="hand"', 'link="foot"'), "has no child link 'foot'"),
        (ARM.replace('value="2"', 'value="two"'), "'two' is not a number"),
        (ARM.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><mimic joint="none"/>'), "mimics 'none'"),
        (ARM.replace('rpy="0 0 0.7"', 'quat_xyzw="0 0 0 1"'), "'quat_xyzw' of an origin is not read"),
        (ARM.replace('name="hand"', 'name="upper"'), "two links are called 'upper'"),
        ("<robot>" + "<a>" * 100 + "</a>" * 100 + "</robot>", "nested too deeply"),
        (ARM.replace('<child link="upper"/>', '<child link="hand"/>'), "2"),
        (
            ARM.replace("<limit ", '<limit lower="0.3" upper="0.2"/><limit '),
            "the lower limit of the joint 'slide' is above",
        ),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(tmp_path, text, said):
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    with pytest.raises(ModelError) as refused:
        load(file)
    assert said in str(refused.value)
    assert str(refused.value).startswith("robot.urdf")


# -- wheels --------------------------------------------------------------------------------------------------
DRIVE = (Path(__file__).parent / "differential_drive.urdf").read_text()


def drive(q):
    """Base, wheels and caster, written down by hand; the attitude is a quaternion."""
    x, y, z, q0, q1, q2, q3, left, right = q
    base = np.array([
        [1 - 2 * (q2 * q2 + q3 * q3), 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
        [2 * (q1 * q2 + q0 * q3), 1 - 2 * (q1 * q1 + q3 * q3), 2 * (q2 * q3 - q0 * q1)],
        [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), 1 - 2 * (q1 * q1 + q2 * q2)],
    ])  # fmt: skip
    origin = vector(x, y, z)
    disc, ball = np.diag([0.00125, 0.00125, 0.0025]), 0.0002 * np.eye(3)
    return [
        Solid(mass, inertia, base @ turned, origin + base @ vector(*at), lambda m=mass: np.array([0, 0, -9.81 * m]))
        for mass, inertia, turned, at in (
            (8, np.diag([0.1, 0.1, 0.15]), turn("z", 0.0), (0.05, 0, 0.1)),
            (0.5, disc, turn("x", -np.pi / 2) @ turn("z", left), (0, 0.2, 0.05)),
            (0.5, disc, turn("x", -np.pi / 2) @ turn("z", right), (0, -0.2, 0.05)),
            (0.2, ball, turn("z", 0.0), (0.2, 0, 0)),
        )
    ]


def on_the_ground(q, v):
    """The velocities of the rims where they touch, of the height of the caster, and of the length of the quaternion."""
    _, left, right, caster = drive(path(q, v))
    down = np.array([0, 0, -0.1])
    rims = [order(one.centre, 1) + np.cross(angular_velocity(one.turned), down) for one in (left, right)]
    return np.array([*rims[0], *rims[1], order(caster.centre, 1)[2], q[3:7] @ v[3:7]])


def test_wheels_that_are_asked_for_roll(tmp_path):
    file = tmp_path / "drive.urdf"
    file.write_text(DRIVE)
    said = str(load(file).metadata["notes"])
    assert "With wheels asked for it would stand on 'left' and 'right' and 'caster'." in said
    assert not load(file).stated_constraints
    system = load(file, wheels=True)
    assert len(system.stated_constraints) == 6  # that the second wheel does not slip sideways would repeat one
    q = np.array([0.3, -0.1, 0.05, np.cos(0.4), 0, 0, np.sin(0.4), 0.7, -0.2])
    directions = allowed(on_the_ground, q)
    assert directions.shape == (9, 2)
    v = directions @ np.array([0.8, -1.3])
    a = reference(system, q, v, 0.0, {})
    assert np.abs(unbalanced(drive, q, v, a, directions)).max() < 1e-6
    assert np.abs(unbalanced(drive, q, v, a, allowed(lambda q, v: on_the_ground(q, v)[[0, 1, 2, 7]], q))).max() > 1e-2


@pytest.mark.parametrize(
    "text",
    [
        DRIVE.replace('xyz="0 -0.2 0.05"', 'xyz="0.3 -0.2 0.05"'),  # two axles
        DRIVE.replace("<cylinder", "<box"),
        DRIVE.replace('<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>'),  # not round about this axis
        ARM,
    ],
)
def test_what_is_no_wheel_is_not_offered(text):
    tables = tables_of_robot(text, wheels=True)
    assert "contacts" not in tables
    assert "No wheels of one axle were found" in tables["notes"]
