"""Robots in URDF: the tables they become, what is refused, and their accelerations against Newton and Euler."""

import numpy as np
import pytest
from judging import reference
from newton_euler import Solid, turn, unbalanced, vector

from dalembert.errors import ModelError
from dalembert.model.files import load
from dalembert.model.machine.urdf import tables_of_urdf

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
    notes = tables_of_urdf(ARM)["notes"]
    assert notes == "Its root link 'base-link' is held. Read from URDF without what it looks like, limits of joints."


def test_a_joint_that_mimics_another_is_a_constraint(tmp_path):
    follower = """<link name="thumb"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="grip" type="revolute"><parent link="hand"/><child link="thumb"/>
      <mimic joint="slide" multiplier="-2" offset="0.1"/></joint></robot>"""
    file = tmp_path / "gripper.urdf"
    file.write_text(ARM.replace("</robot>", follower))
    system = load(file)
    assert str(system.holonomic["grip"]) == "grip = 1/10 - 2*slide"


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
        (ARM.replace('damping="0.2"', 'friction="0.2"'), "dry friction"),
        ("<robot>" + "<a>" * 100 + "</a>" * 100 + "</robot>", "nested too deeply"),
        (ARM.replace('<child link="upper"/>', '<child link="hand"/>'), "2"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(tmp_path, text, said):
    file = tmp_path / "robot.urdf"
    file.write_text(text)
    with pytest.raises(ModelError) as refused:
        load(file)
    assert said in str(refused.value)
    assert str(refused.value).startswith("robot.urdf")
