"""Machines that several tests follow: a quadruped in URDF, an ellipsoid on a turntable."""

from dalembert import System

G = 9.81

LEG = """
  <link name="hip{k}"><inertial><origin xyz="0 {y} 0"/><mass value="0.7"/>
    <inertia ixx="0.001" iyy="0.002" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="thigh{k}"><inertial><origin xyz="0 0 -0.1" rpy="0 0.2 0"/><mass value="1"/>
    <inertia ixx="0.005" iyy="0.006" izz="0.001" ixy="0" ixz="0.0002" iyz="0"/></inertial></link>
  <link name="shank{k}"><inertial><origin xyz="0.01 0 -0.12"/><mass value="0.3"/>
    <inertia ixx="0.002" iyy="0.002" izz="0.0001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="foot{k}"/>
  <joint name="roll{k}" type="revolute"><parent link="torso"/><child link="hip{k}"/><origin xyz="{x} {y} 0"/>
    <axis xyz="1 0 0"/><limit lower="-1" upper="1"/><dynamics damping="0.1"/></joint>
  <joint name="pitch{k}" type="revolute"><parent link="hip{k}"/><child link="thigh{k}"/><origin xyz="0 {y} 0"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2"/></joint>
  <joint name="knee{k}" type="revolute"><parent link="thigh{k}"/><child link="shank{k}"/><origin xyz="0 0 -0.2"/>
    <axis xyz="0 1 0"/><limit lower="-2.7" upper="-0.1"/></joint>
  <joint name="ankle{k}" type="fixed"><parent link="shank{k}"/><child link="foot{k}"/></joint>"""
CORNERS = ((0.2, 0.05), (0.2, -0.05), (-0.2, 0.05), (-0.2, -0.05))
QUADRUPED = """<robot name="quadruped"><link name="torso"><inertial><origin xyz="0.02 0 0.01"/><mass value="6"/>
  <inertia ixx="0.03" iyy="0.1" izz="0.11" ixy="0.001" ixz="0.002" iyz="0"/></inertial></link>{}</robot>""".format(
    "".join(LEG.format(k=k, x=x, y=y) for k, (x, y) in enumerate(CORNERS))
)

ELLIPSOID = System.of(
    name="ellipsoid on a turntable",
    coordinates={"x": "real", "y": "real", "z": "real", "a": "angle", "b": "angle", "c": "angle"},
    parameters={"g": G, "W": 0.7, "m": 1.3},
    frames={"egg": {"turns": [["a", "z"], ["b", "x"], ["c", "y"]]}, "table": {"turn": "W*t", "about": "z"}},
    points={"middle": ["x", "y", "z"]},
    bodies={"egg": {"shape": "ellipsoid", "mass": "m", "axes": [0.3, 0.4, 0.5], "centre": "middle"}},
    contacts={"table": {"ellipsoid": "egg", "axes": [0.3, 0.4, 0.5], "on": "table", "through": "ground"}},
    forces={"weight": {"gravity": "g"}},
)
