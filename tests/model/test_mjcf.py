"""Robots in MJCF: accelerations against Newton and Euler, what they become, what is listed and what is refused."""

from math import acos, asin
from pathlib import Path

import numpy as np
import pytest
from judging import reference
from newton_euler import Jet, Solid, allowed, angular_velocity, order, turn, unbalanced, vector

from dalembert import derive, simulate
from dalembert.errors import ModelError
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.model.files import load
from dalembert.model.machine.robots import tables_of_robot

G = 9.81
CRANE = Path(__file__).parent / "crane.xml"


def by_quaternion(q0, q1, q2, q3):
    """The rotation of a quaternion of length 1, of numbers or of what moves."""
    return np.array([
        [1 - 2 * (q2 * q2 + q3 * q3), 2 * (q1 * q2 - q0 * q3), 2 * (q1 * q3 + q0 * q2)],
        [2 * (q1 * q2 + q0 * q3), 1 - 2 * (q1 * q1 + q3 * q3), 2 * (q2 * q3 - q0 * q1)],
        [2 * (q1 * q3 - q0 * q2), 2 * (q2 * q3 + q0 * q1), 1 - 2 * (q1 * q1 + q2 * q2)],
    ])  # fmt: skip


def unit(*q):
    return np.array(q) / np.linalg.norm(q)


def capsule(radius, half, density):
    """Mass and moments of a capsule along z, summed up over thin discs."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    mass, across, along = 0.0, 0.0, 0.0
    for low, high in ((-half - radius, -half), (-half, half), (half, half + radius)):
        z = (high + low) / 2 + (high - low) / 2 * nodes
        square = radius**2 - np.maximum(np.abs(z) - half, 0) ** 2
        thin = density * np.pi * square * weights * (high - low) / 2
        mass, along, across = (
            mass + thin.sum(),
            along + (thin * square / 2).sum(),
            across + (thin * (square / 4 + z**2)).sum(),
        )
    return mass, np.diag([across, across, along])


def pulled(mass):
    return lambda: np.array([0, 0, -G * mass])


def crane(q, u=(0.0, 0.0), rotor=True):
    """Where everything is, as the file says it, written down by hand."""
    slew, lift, reach = q[:3]
    mounted = turn("z", np.pi / 6)
    tower = mounted @ turn("z", slew)
    anchor = vector(0, 0, 1) + mounted @ vector(0.1, 0, 0)
    origin = anchor - tower @ vector(0.1, 0, 0)
    held = tower @ by_quaternion(*unit(0.9, 0.1, -0.3, 0.2))
    jib = held @ turn("y", lift)
    base = origin + tower @ vector(0.2, 0, 0.5) + jib @ vector(reach, 0, 0)
    load_frame = jib @ by_quaternion(*q[3:])
    hung = base + jib @ vector(0.8, 0, 0)
    inertia = (
        by_quaternion(*unit(1, 0.2, 0, 0.1)) @ np.diag([0.02, 0.03, 0.01]) @ by_quaternion(*unit(1, 0.2, 0, 0.1)).T
    )
    way = np.array([0.8, 0.1, 0.2])
    mass, moments = capsule(0.05, np.linalg.norm(way) / 2, 2000)
    axis = way / np.linalg.norm(way)
    rod = moments[0, 0] * np.eye(3) + (moments[2, 2] - moments[0, 0]) * np.outer(axis, axis)

    spin = order(load_frame, 0) @ (order(load_frame, 0).T @ (angular_velocity(load_frame) - angular_velocity(jib)))
    up, across, along = (
        order(m, 0) @ np.array(e, float) for m, e in ((tower, [0, 0, 1]), (jib, [0, 1, 0]), (jib, [1, 0, 0]))
    )
    lifting = 5 * u[1] - 5 * lift.c[0] - lift.c[1] - 0.1 * lift.c[1] - 20 * (lift.c[0] - np.pi / 18)
    lifting -= 0.02 * 2 * lift.c[2] if rotor else 0  # what turns the rotor is missing elsewhere
    slewing = 3 * u[0] - 0.3 * slew.c[1]
    sliding = -0.3 * reach.c[1] * along
    swinging = -0.05 * spin
    at_jib = order(base, 0)
    middle, end = base + jib @ vector(*way / 2), base + jib @ vector(*way)

    def on_rod():  # the slide pushes at the origin of the jib, and back on the tower
        return np.cross(at_jib - order(middle, 0), sliding) + lifting * across - swinging

    box = 3 / 3 * np.diag([0.1**2 + 0.5**2, 0.2**2 + 0.5**2, 0.2**2 + 0.1**2])
    middle_of_tower = origin + tower @ vector(0, 0, 0.1)
    pushed_back = np.cross(at_jib - order(middle_of_tower, 0), -sliding)
    return [
        Solid(
            3,
            box,
            tower,
            middle_of_tower,
            lambda: pulled(3)() - sliding,
            lambda: slewing * up - lifting * across + pushed_back,
        ),
        Solid(mass, rod, jib, middle, lambda: pulled(mass)() + sliding, on_rod),
        Solid(1.5, 0.4 * 1.5 * 0.01 * np.eye(3), jib, end, pulled(1.5)),
        Solid(2, inertia, load_frame, hung + load_frame @ vector(0, 0.1, -0.4), pulled(2), lambda: swinging),
    ]


def test_a_crane_obeys_newton_and_euler():
    system = load(CRANE)
    assert [q.data.name for q in system.q] == ["slew", "lift", "reach", *(f"swing.q{k}" for k in range(4))]
    draw = np.random.default_rng(3)
    q = np.array([0.4, -0.3, 0.2, *unit(*draw.uniform(-1, 1, 4))])

    def length(q, v):
        return np.array([q[3:] @ v[3:]])

    v = allowed(length, q) @ draw.uniform(-1, 1, 6)
    u = 0.7, -0.4
    a = reference(system, q, v, 0.0, dict(zip(system.controls, u, strict=True)))
    directions = allowed(length, q)
    assert np.abs(unbalanced(lambda p: crane(p, u), q, v, a, directions)).max() < 1e-6
    assert np.abs(unbalanced(lambda p: crane(p, u, rotor=False), q, v, a, directions)).max() > 1e-3  # the twin


def test_what_is_left_out_is_listed_and_limits_are_events():
    tables = tables_of_robot(CRANE.read_text())
    assert tables["notes"] == (
        "Read from MJCF without meshes and materials, sensors, lights, limits of actuators, contacts. "
        "A motion ends where a joint reaches its limit."
    )
    assert tables["run"]["events"] == {
        "lower limit of lift": "lift = pi*(-2/9) falling stop",
        "upper limit of lift": "lift = pi*(1/3) rising stop",
    }
    assert list(tables["controls"]) == ["m", "lift_2"]  # a control is not called as a coordinate


def test_attributes_that_are_not_read_are_listed():
    text = """<mujoco><default><geom fluidshape="ellipsoid"/></default><worldbody>
      <body name="bob"><joint name="pin" axis="0 1 0"/><geom size="0.1" friction="1"/><site name="s" hue="2"/></body>
    </worldbody>
    <equality><joint joint1="pin" polycoef="0.1" damped="1"/></equality>
    <actuator><position joint="pin" kp="2" delay="1"/><velocity joint="pin" ctrllimited="true"/></actuator></mujoco>"""
    left = "fluidshape of geoms, hue of sites, damped of equalities, delay of actuators, limits of actuators, contacts"
    assert tables_of_robot(text)["notes"].startswith(f"Read from MJCF without {left}.")


@pytest.mark.thorough
def test_a_motion_ends_where_a_joint_reaches_its_limit():
    run = simulate(derive(load(CRANE), "euler-lagrange"), time=3, functions={"lift_2": "-20"})
    assert run["lift"][-1] == pytest.approx(-40 * np.pi / 180)
    assert "'lower limit of lift' ended the motion" in run.message


# -- loops and couplings -------------------------------------------------------------------------------------
BETA = acos(0.38 / 0.7)
GAMMA = asin(0.7 * np.sin(BETA) / 0.6)
GAMMA = GAMMA if 0.3 + 0.7 * np.cos(BETA) > 0.8 else np.pi - GAMMA
LOOP = f"""<mujoco model="four bars"><compiler angle="radian" autolimits="false"/>
  <default><joint axis="0 1 0"/></default>
  <worldbody>
    <body name="a"><joint name="A"/><inertial mass="1" pos="0.15 0 0" diaginertia="0.001 0.0075 0.0075"/>
      <body name="b" pos="0.3 0 0" euler="0 {BETA!r} 0"><joint name="B" range="-1 1"/>
        <inertial mass="2" pos="0.35 0 0" diaginertia="0.002 0.08 0.08"/></body></body>
    <body name="c" pos="0.8 0 0" axisangle="0 1 0 {GAMMA!r}"><joint name="C"/>
      <inertial mass="1.5" pos="0.3 0 0" fullinertia="0.002 0.045 0.045 0 0 0"/></body>
  </worldbody>
  <equality>WITH</equality></mujoco>"""


def bars(q):
    a, b, c = q
    found = []
    for turned, mass, moment, start, half in (
        (turn("y", a), 1, 0.0075, vector(0, 0, 0), 0.15),
        (turn("y", a + b + BETA), 2, 0.08, turn("y", a) @ vector(0.3, 0, 0), 0.35),
        (turn("y", c + GAMMA), 1.5, 0.045, vector(0.8, 0, 0), 0.3),
    ):
        found.append(
            Solid(mass, np.diag([0.001, moment, moment]), turned, start + turned @ vector(half, 0, 0), pulled(mass))
        )
    return found


def loaded(tmp_path, text):
    file = tmp_path / "robot.xml"
    file.write_text(text)
    return load(file)


def test_a_loop_that_is_connected_obeys_newton_and_euler(tmp_path):
    system = loaded(tmp_path, LOOP.replace("WITH", '<connect body1="b" body2="c" anchor="0.7 0 0"/>'))
    assert len(system.holonomic) == 2  # in a plane one of three equations holds by itself
    q = np.zeros(3)
    closed = evaluate([e.expression for e in system.holonomic.values()], Floats(dict(zip(system.q, q, strict=True))))
    assert np.abs(closed).max() < 1e-12

    def gap(q, v):
        """The velocity of one tip against the other."""
        tips = []
        for name, length in ((1, 0.7), (2, 0.6)):
            moved = bars([Jet(x, w) for x, w in zip(q, v, strict=True)])[name]
            half = {1: 0.35, 2: 0.3}[name]
            tips.append(order(moved.centre + moved.turned @ vector(length - half, 0, 0), 1))
        return (tips[0] - tips[1])[[0, 2]]

    directions = allowed(gap, q)
    v = directions @ np.array([0.9])
    a = reference(system, q, v, 0.0, {})
    assert np.abs(unbalanced(bars, q, v, a, directions)).max() < 1e-6
    free = reference(loaded(tmp_path, LOOP.replace("WITH", "")), q, v, 0.0, {})
    assert np.abs(unbalanced(bars, q, v, free, np.eye(3))).max() < 1e-6
    assert np.abs(gap(q, a) - gap(q, free)).max() > 1e-2  # the twin: an open chain


def test_joints_that_are_coupled_and_bodies_that_are_welded(tmp_path):
    coupled = loaded(tmp_path, LOOP.replace("WITH", '<joint joint1="B" joint2="C" polycoef="0.1 -2 0 3"/>'))
    assert [str(e) for e in coupled.holonomic.values()] == ["B = 3*C^3 - 2*C + 1/10"]
    twice = '<weld body1="c"/><connect body1="b" anchor="0 0 0" active="false"/>'
    welded = loaded(tmp_path, LOOP.replace("WITH", twice))
    assert len(welded.holonomic) == 1  # that it does not turn; its pin stays where it is anyway
    held = loaded(tmp_path, LOOP.replace("WITH", '<connect body1="b" anchor="0.7 0 0"/>'))  # to the world
    values = evaluate([e.expression for e in held.holonomic.values()], Floats(dict.fromkeys(held.q, 0.0)))
    assert np.abs(values).max() < 1e-12


ARM = """<mujoco><worldbody>
  <body name="arm" euler="0 20 0"><joint name="pin" axis="0 1 0" pos="0.1 0 0"/>
    <inertial mass="1" pos="0.5 0 0" diaginertia="0.1 0.1 0.1"/>{}</body>{}</worldbody>{}</mujoco>"""
BOX = """<body name="box" {}>{}<inertial mass="2" pos="0 0.1 0" diaginertia="0.2 0.3 0.1"/></body>"""


@pytest.mark.thorough
def test_a_free_body_that_is_welded_moves_as_a_part(tmp_path):
    """The box is free and held by six equations, or inside the arm: one machine stated twice."""
    turned = turn("y", np.pi / 9)
    at = [part.c[0] for part in turned @ vector(1, 0.2, 0)]
    axes = " ".join(repr(turned[i, k].c[0]) for k in (0, 1) for i in range(3))
    place = f'pos="{at[0]!r} {at[1]!r} {at[2]!r}" xyaxes="{axes}"'
    apart = loaded(
        tmp_path,
        ARM.format("", BOX.format(place, "<freejoint/>"), '<equality><weld body1="arm" body2="box"/></equality>'),
    )
    inside = loaded(tmp_path, ARM.format(BOX.format('pos="1 0.2 0"', ""), "", ""))
    wrong = loaded(tmp_path, ARM.format(BOX.format('pos="0.9 0.2 0"', ""), "", ""))
    assert len(apart.stated_constraints) == 6
    moved = simulate(derive(apart, "nonholonomic"), time=0.5)["pin"][-1]
    ends = [simulate(derive(one, "euler-lagrange"), time=0.5)["pin"][-1] for one in (inside, wrong)]
    assert moved == pytest.approx(ends[0], abs=1e-7)
    assert abs(moved - ends[1]) > 1e-3  # the twin


def test_a_free_body_starts_where_the_file_has_it(tmp_path):
    system = loaded(
        tmp_path,
        '<mujoco><worldbody><body name="box" pos="1 2 3" euler="0 0 90"><freejoint/>'
        '<geom type="box" size="1 2 3" density="1"/></body></worldbody></mujoco>',
    )
    run = simulate(derive(system, "euler-lagrange"), time=1)
    assert run["box_joint_z"][-1] == pytest.approx(3 - G / 2)
    assert run["box_joint_rotation.m21"][0] == pytest.approx(1)


# -- files and refusals --------------------------------------------------------------------------------------
def test_files_are_included_from_the_folder_of_the_model_only(tmp_path):
    (tmp_path / "secret.xml").write_text("<mujoco/>")
    folder = tmp_path / "robot"
    folder.mkdir()
    (folder / "parts.xml").write_text('<mujocoinclude><body name="a"><joint/><geom size="1"/></body></mujocoinclude>')
    main = folder / "robot.xml"
    main.write_text('<mujoco><worldbody><include file="parts.xml"/></worldbody></mujoco>')
    assert len(load(main).q) == 1
    for name in ("../secret.xml", str(tmp_path / "secret.xml"), "nothing.xml", ""):
        main.write_text(f'<mujoco><worldbody><include file="{name}"/></worldbody></mujoco>')
        with pytest.raises(ModelError, match=r"outside of the folder|cannot be read"):
            load(main)
    (folder / "parts.xml").write_text('<mujoco><include file="parts.xml"/></mujoco>')
    main.write_text('<mujoco><include file="parts.xml"/></mujoco>')
    with pytest.raises(ModelError, match="included twice"):
        load(main)


def test_what_changes_no_mass_is_no_matter():
    harmless = "settotalmass='-1' boundmass='0' boundinertia='0' balanceinertia='false' inertiagrouprange='0 5'"
    text = body("<joint/><geom size='1'/><geom type='plane' size='0 0 1'/>", f"<compiler {harmless}/>")
    assert tables_of_robot(text)["notes"] == "Read from MJCF without contacts."


def test_an_equality_may_be_called_as_a_joint():
    bodies = "".join(f"<body name='{name}'><joint name='{name}'/><geom size='1'/></body>" for name in "ab")
    more = "<equality><connect name='a' body1='a' body2='b' anchor='0 0 1'/><joint name='b' joint1='a'/></equality>"
    tables = tables_of_robot(f"<mujoco><worldbody>{bodies}</worldbody>{more}</mujoco>")
    assert [(name, joint["type"]) for name, joint in tables["joints"].items()] == [
        ("a", "revolute"),
        ("b", "revolute"),
        ("a_2", "spherical"),
    ]
    assert list(tables["holonomic"]) == ["b_2"]


def body(inside, more=""):
    return f"<mujoco>{more}<worldbody><body name='a'>{inside}</body></worldbody></mujoco>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('<!DOCTYPE r [<!ENTITY a "b">]><mujoco model="&a;"/>', "a document type or an entity is not read"),
        (body("<joint type='door'/><geom size='1'/>"), "a joint of the type 'door' is not known"),
        (body("<joint/><geom type='mesh' mesh='m'/>"), "from a mesh, which is not read"),
        (body("<joint/><geom size='one'/>"), "'one' is not a number"),
        (body("<joint axis='1 0'/><geom size='1'/>"), "'axis' has 2 numbers instead of 3"),
        (body("<joint/><geom size='1' class='soft'/>"), "there is no class 'soft'"),
        (body("<joint/><geom size='1' quat='0 0 0 0'/>"), "a quaternion that is zero"),
        (body("<joint/><geom size='1' quat='1 0 0 0' euler='1 2 3'/>"), "quat and euler both say"),
        (body("<freejoint/><joint/><geom size='1'/>"), "is free, and has other joints"),
        (body("<joint/><geom size='1'/><replicate count='3'/>"), "a <replicate> is not read"),
        (body("", "<compiler coordinate='global'/>"), "global coordinates"),
        (
            body("<joint/><geom size='1'/>", "<equality><connect body1='b'/></equality>"),
            "the body 'b', which there is not",
        ),
        (body("<joint/><geom size='1e999999'/>"), "is not a number"),
        (body("<joint name='j'/><joint name='j' type='slide'/><geom size='1'/>"), "two joints are called 'j'"),
        (
            body("<joint/><geom size='1'/><body name='a'><joint/><geom size='2'/></body>"),
            "two bodies are called 'a'",
        ),
        (body("<joint/><geom type='box' size='1 -1 1'/>"), "a size of a box is positive, and this is -1"),
        (body("<joint/><geom/>"), "a size of a sphere is positive, and this is 0"),
        (body("<joint/><geom size='1'/><geom size='1' mass='-2'/>"), "a mass is not negative, and this is -2"),
        (body("<joint range='20 -20'/><geom size='1'/>"), "the lower limit of the joint 'a_joint' is above"),
        (body("<joint/><geom size='1'/>", "<compiler settotalmass='10'/>"), "settotalmass would change the masses"),
        (body("<joint/><geom size='1'/>", "<compiler boundmass='0.1'/>"), "boundmass would change the masses"),
        (body("<joint/><geom size='1'/>", "<compiler balanceinertia='true'/>"), "balanceinertia would change"),
        (body("<joint/><geom size='1'/>", "<compiler inertiagrouprange='1 2'/>"), "inertiagrouprange would change"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(tmp_path, text, said):
    with pytest.raises(ModelError) as refused:
        loaded(tmp_path, text)
    assert said in str(refused.value)
    assert str(refused.value).startswith("robot.xml")


MESHES = """
<mujoco>
  <asset><mesh name="hull" file="hull.stl"/></asset>
  <worldbody>
    <geom type="mesh" mesh="hull"/>
    <body name="one">
      JOINT<inertial pos="0 0 0" mass="1" diaginertia="1 2 3"/><geom type="mesh" mesh="hull"/>
    </body>
    <body name="two" pos="0 1 1">INERTIA<geom type="mesh" mesh="hull"/></body>
  </worldbody>
  <equality><weld body1="one" body2="two"/></equality>
</mujoco>"""


@pytest.mark.parametrize("joint", ["<freejoint/>", '<joint type="ball"/>'])
def test_a_robot_of_meshes_that_is_welded_to_the_world_stays_where_it_is(tmp_path, joint):
    inertia = '<inertial pos="0 0 0" mass="1" diaginertia="1 2 3"/>'
    text = MESHES.replace("JOINT", joint)
    with pytest.raises(ModelError, match="moments of inertia from a mesh"):
        loaded(tmp_path, text.replace("INERTIA", ""))
    motion = simulate(derive(loaded(tmp_path, text.replace("INERTIA", inertia)), "nonholonomic"), time=1)
    assert motion.status == 0
    assert np.abs(motion.y - motion.y[:, :1]).max() < 1e-12
