"""``dalembert simulate``: what it prints, what it writes, and how it ends."""

import json
import re
from pathlib import Path

import pytest
from commanding import Ended, command

from dalembert.model.trajectory import Trajectory

MODEL = """
name = "sled"
lagrangian = "m*(x'^2 + y'^2)/2 + theta'^2/2 - V(x)"
[coordinates]
x = "real"
y = "real"
theta = "angle"
[parameters]
m = 1.0
[functions]
V = { of = ["x"], value = "x^2/2" }
[constraints]
blade = "x'*sin(theta) = y'*cos(theta)"
[start]
"x'" = 1.0
"theta'" = 0.5
[run]
time = 2.0
formalism = "nonholonomic"
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "sled.toml"
    path.write_text(MODEL)
    return str(path)


def run(*words: str) -> Ended:
    return command("simulate", *words)


def test_it_says_what_became_of_the_motion(model):
    status, shown, _ = run(model)
    assert status == 0
    assert "sled, nonholonomic: reached t = 2." in shown
    assert re.search(r"constraints are violated by at most \d\.\de-\d\d \(blade\)", shown)
    assert "Constraint blade: residual at most" not in shown
    assert "Constraint blade: residual at most" in run(model, "--full").out
    assert "multiplier blade" in shown
    assert re.search(
        r"^ *yes  energy  (changed by \S+ of its size|did not change)  (certain|proved)", shown, re.MULTILINE
    )


def test_json_is_for_programs(model):
    status, shown, _ = run(
        model, "--json", "--time", "1", "--set", "m=2", "--start", "theta'=0.25", "--event", "half: x = 1/2"
    )
    assert status == 0
    told = json.loads(shown)
    assert told["values"] == {"m": 2}
    assert told["start"]["theta'"] == 0.25
    assert told["span"] == [0, 1]
    assert len(told["events"]["half"]) == 1
    assert told["audit"]["drifts"]["energy"]["relative"] < 1e-8
    assert "model" not in told


def test_files_are_written(model, tmp_path):
    status, shown, _ = run(
        model, "-o", str(tmp_path / "run.nc"), "--plot", str(tmp_path / "run.html"), "--samples", "11"
    )
    assert status == 0
    assert f"written: {tmp_path / 'run.nc'}" in shown
    back = Trajectory.load(tmp_path / "run.nc")
    assert len(back) == 11
    assert "[constraints]" in back.provenance["model"]
    assert "<svg" in (tmp_path / "run.html").read_text()


def test_an_event_can_end_it(model):
    status, shown, _ = run(model, "--event", "x = 1/2 stop", "--engine", "scipy")
    assert status == 0
    assert "the event 'x = 1/2 stop' ended the motion" in shown


def test_a_function_can_be_given(model):
    status, shown, _ = run(model, "--let", "V=0", "--json")
    assert status == 0
    assert json.loads(shown)["functions"]["V"] == [["x"], "0"]


def test_a_motion_that_fails_ends_in_status_1(model):
    status, shown, errors = run(model, "--let", "V=-x^4", "--start", "x=1", "--time", "20")
    assert status == 1
    assert errors.strip() == "the motion did not reach its end."  # why stands at the head of what is shown, once
    assert len(shown.splitlines()[0].partition(": ")[2]) > 20


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--start", "y'=3"], 2, "contradicts the constraints, 'blade' by"),
        (["--start", "q=3"], 2, "which is not a variable here"),
        (["--set", "m"], 2, "--set takes name=value, not 'm'"),
        (["--set", "m=-1"], 2, "'m' = -1 is not positive"),
        (["--set", "M=1"], 2, "there is no parameter 'M'; did you mean 'm'?"),
        (["--engine", "fast"], 2, "there is no engine 'fast'"),
        (["--event", "xx = 0"], 2, "unknown name 'xx'"),
        (["-o", "run.txt"], 2, "the output must end in .nc, .zarr or .csv, not 'run.txt'"),
        (["--as", "magic"], 2, "there is no formalism 'magic'"),
        (["--as", "euler-lagrange"], 1, "the Euler-Lagrange equations do not take constraints"),
        (["--let", "W=1"], 2, "there is no function or control 'W'"),
        (["--tolerance", "0"], 2, "the tolerance must be positive"),
        (["--time", "x"], 2, "--time x: column 1: unknown name 'x'"),
        (["--set", "m=one"], 2, "--set m=one: column 1: unknown name 'one'"),
    ],
)
def test_mistakes_end_in_a_sentence(model, words, status, said):
    found, _, errors = run(model, *words)
    assert (found, said in errors) == (status, True), errors


def test_a_control_is_set_by_let(tmp_path):
    steered = tmp_path / "steered.toml"
    steered.write_text(MODEL + '[forces]\ntheta = "u"\n[controls]\nu = {}\n')
    assert run(str(steered), "--let", "V=0", "--let", "u=1")[0] == 0
    status, _, errors = run(str(steered), "--let", "u=0", "--set", "u=1")
    assert (status, "'u' is a control, and no parameter" in errors, "--let" in errors) == (2, True, True)
    status, _, errors = run(str(steered), "--let", "V=0")
    assert (status, "the control 'u' needs a value" in errors, "--let" in errors) == (2, True, True)


def test_the_obvious_formalism_is_taken_and_said(tmp_path):
    bare = tmp_path / "bare.toml"
    bare.write_text(MODEL.replace('formalism = "nonholonomic"', ""))
    status, shown, errors = run(str(bare))
    assert (status, "Using the nonholonomic formalism because the model has constraints." in errors) == (0, True)
    assert run(str(bare), "--as", "nonholonomic")[:2] == (0, shown)


def test_missing_velocities_are_printed_if_they_are_not_zero(tmp_path):
    path = tmp_path / "wheels.toml"
    text = (
        'name = "wheels"\nlagrangian = "(a\'^2 + (a\' + b\')^2)/2"\n[coordinates]\na = "angle"\nb = "angle"\n'
        '[start]\n"b\'" = 1\n[run]\ntime = 1\n'
    )
    path.write_text(text)
    assert "Initial v" not in run(str(path))[1]
    path.write_text(text + "[constraints]\nbelt = \"a' = 2*b'\"\n")
    assert "Initial velocities computed from constraints and given values: a' = 2\n" in run(str(path))[1]
    assert "Initial v" not in run(str(path), "--start", "a'=2")[1]
    said = run(str(path), "--as", "vakonomic")[1]
    assert "Initial velocities computed from constraints and given values: a' = 2\n" in said
    assert "Initial values that were not given: multiplier belt = 0\n" in said
    assert "multiplier belt = 0\n" not in run(str(path), "--as", "vakonomic", "--start", "belt=1")[1]


def test_angles_of_a_robot_that_are_read_as_multiples_of_pi_are_printed(tmp_path):
    path = tmp_path / "arm.urdf"
    text = (
        '<robot name="arm"><link name="base"/><link name="bob"><inertial><origin xyz="0 0 -1" rpy="0 0.5236 0"/>'
        '<mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="pin" type="continuous"><parent link="base"/><child link="bob"/>'
        '<origin rpy="1.5707963 0 0"/><axis xyz="0 1 0"/></joint></robot>'
    )
    path.write_text(text)
    _, _, told = run(str(path), "--time", "0.1")
    assert "arm.urdf: The angle 1.5707963 is read as pi*(1/2)." in told
    assert "0.5236" not in told  # it is not pi/6 to six digits, and stays what it is
    path.write_text(text.replace("1.5707963", "1.5708963"))
    assert "is read as" not in "".join(map(str, run(str(path), "--time", "0.1")))


def test_a_singular_start_is_refused_from_the_command_line_and_the_file(tmp_path):
    path = tmp_path / "sphere.toml"
    text = (
        'name = "sphere"\nlagrangian = "(theta\'^2 + sin(theta)^2*phi\'^2)/2"\n'
        '[coordinates]\ntheta = "angle"\nphi = "angle"\n[run]\ntime = 1\n[start]\ntheta = "START"\n'
    )
    path.write_text(text.replace("START", "1"))
    assert run(str(path))[0] == 0
    code, _, told = run(str(path), "--start", "theta=2*pi")
    assert code != 0
    assert "singular at the start, theta = 2*pi" in told
    path.write_text(text.replace("START", "-2*pi"))
    assert "singular at the start, theta = -2*pi" in run(str(path))[2]


def test_without_a_time_it_takes_10_and_says_so(tmp_path):
    path = tmp_path / "sled.toml"
    path.write_text(MODEL.replace("time = 2.0\n", "") + "begin = 1\n")
    status, shown, told = run(str(path))
    assert status == 0
    assert "sled, nonholonomic: reached t = 11." in shown
    assert "Using --time 10 because the model has no time in [run]." in told
    assert "--time" not in run(str(path), "--time", "1").err
