"""Coordinates that are rotations and directions: their parts, what is read and written, and what is refused."""

import pytest
from rotation_systems import INERTIA, SPIN, body, chaplygin_ball, made_up, top

from dalembert import System, is_zero, latex, mathml
from dalembert.errors import EvaluationError, ModelError
from dalembert.expr import symbol
from dalembert.expr.display.names import words_lettered
from dalembert.expr.sympy_border import from_sympy, to_sympy
from dalembert.expr.text import parse, text
from dalembert.expr.truth import Sphere
from dalembert.expr.vocabulary import Vocabulary
from dalembert.model.files import dumps, loads
from dalembert.model.kinds import Point
from dalembert.present.report import kind_of_system


# -- parts ---------------------------------------------------------------------------------------------------
def test_a_rotation_is_four_coordinates_of_unit_length():
    system = System.of(name="two", coordinates={"R": "rotation", "x": "real", "n": "direction"}, lagrangian="x'^2")
    assert [q.data.name for q in system.q] == ["R.q0", "R.q1", "R.q2", "R.q3", "x", "n.x", "n.y", "n.z"]
    assert system.spheres == (system.q[:4], system.q[5:])
    assert not system.stated_constraints
    assert not system.stated_speeds


def test_entries_are_orthogonal_and_angular_velocities_are_those_of_the_matrix():
    point = Point("R", "rotation")
    rows, on = point.rows, [Sphere(point.components)]
    for i in range(3):
        for j in range(3):
            product = sum((a * b for a, b in zip(rows[i], rows[j], strict=True)), symbol("zero") * 0)
            assert is_zero(product - (1 if i == j else 0), on).holds
            assert is_zero(product - (1 if i == j else 0)).holds is (i != j)  # off the sphere lengths are others
    words = Vocabulary({q.data.name: "real" for q in point.components}, let=point.words)
    for name, rate in {"R.m11'": "R.m12*R.w3 - R.m13*R.w2", "R.m32'": "R.m33*R.w1 - R.m31*R.w3"}.items():
        assert is_zero(words.symbol(name) - parse(rate, words), on).holds
        assert is_zero(words.symbol(name) + parse(rate, words), on).holds is False
    for k in (1, 2, 3):
        turned = sum((words.symbol(f"R.m{k}{j}") * words.symbol(f"R.w{j}") for j in (1, 2, 3)), symbol("zero") * 0)
        assert is_zero(words.symbol(f"R.s{k}") - turned, on).holds
        assert words.symbol(f"R.e{k}y") is words.symbol(f"R.m2{k}")


# -- reading and writing -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "system",
    [
        top(forces={"R.w1": "-R.w1/5", "R.s3": "R.m11"}, start={"R": {"w1": 1, "q1": 0.6}}),
        chaplygin_ball(),
        body(speeds={"spin": "R.w3 + R.w1"}, symmetry={"turn": {"R": "left 3"}}, let={"tilt": "R.m33^2"}),
        made_up(1, 2),
    ],
    ids=lambda system: system.name,
)
def test_files_give_the_system_back(system):
    assert loads(dumps(system)) == system
    assert system.but(name="other").but(name=system.name) == system


def test_files_have_parts_by_name_and_no_unit_length():
    written = dumps(top(forces={"R.w1": "-R.w1"}))
    assert 'R = "rotation"' in written
    assert "A*R.w1^2" in written
    assert "R.q0" not in written
    assert "unit" not in written


def test_points_in_toml_need_no_quotes():
    text = f"""
name = "top"
lagrangian = "{SPIN}"
[coordinates]
R = "rotation"
[parameters]
A = 1
B = 2
C = 3
[forces]
R.w1 = "-R.w1"
[start]
R.q1 = 0.6
R.s3 = 2
"""
    system = loads(text)
    assert {one.data.name for one in system.stated_forces} == {"R.w1"}
    assert {one.data.name for one in system.start.values} == {"R.q1", "R.s3"}


def test_text_and_sympy_give_expressions_back():
    lagrangian = made_up(1).lagrangian
    assert parse(text(lagrangian), Vocabulary.covering([lagrangian])) is lagrangian
    assert is_zero(from_sympy(to_sympy(lagrangian)) - lagrangian).holds


def test_parts_look_as_the_field_writes_them():
    looks = {"R.w1": r"\Omega_1", "R.s2": r"\omega_2", "R.m33": "R_{33}", "R.q0": "q_0", "n.x": "n_x"}
    looks |= {"S.w1": r"\Omega_{S, 1}", "R.e1x": "e_{1, x}", "S.m12": "S_{12}"}
    assert {name: latex(symbol(name)) for name in looks} == looks
    assert len({mathml(symbol(name)) for name in looks}) == len(looks)
    assert words_lettered("theta1 and R.w1") == "θ₁ and Ω₁"


def test_a_page_says_what_there_is():
    assert kind_of_system(chaplygin_ball()).text.startswith("A system with 1 rotation, 2 coordinates and 2 linear")


# -- what is refused -----------------------------------------------------------------------------------------
FAULTS = {
    "R.q5": ({"lagrangian": f"{SPIN} + R.q5"}, "'R' has no part 'q5'; it has q0, q1, q2, q3, m11"),
    "R.w4": ({"lagrangian": f"{SPIN} + R.w4"}, "'R' has no part 'w4'"),
    "x.y": ({"coordinates": {"R": "rotation", "x": "real"}, "lagrangian": f"{SPIN} + x.y"}, "'x' has no parts"),
    "alone": ({"lagrangian": f"{SPIN} + R"}, "'R' has several parts: write one of them, as R.q0"),
    "z.y": ({"lagrangian": f"{SPIN} + z.y"}, "unknown name 'z.y'"),
    "a part is declared": ({"coordinates": {"R.q0": "real"}, "lagrangian": "R.q0'^2"}, "'R.q0' is not a name"),
    "another R": ({"parameters": {**INERTIA, "R": 1}}, "'R' is already declared in [coordinates]"),
    "no turn": ({"symmetry": {"e": {"R": "left 4"}}}, "'left 4' is no turn of a rotation; write 'left 3'"),
    "turned twice": ({"symmetry": {"e": {"R": "left 3", "R.q0": "R.q1"}}}, "'R' is turned already"),
    "length": ({"start": {"R.q0": 0.6, "R.q1": 0.6}}, "add up to 0.72 and not to 1, as those of a rotation do"),
    "too long": ({"start": {"R.q1": 2}}, "add up to 4 and not to 1"),
    "unit": ({"holonomic": {"unit R": "R.q0 = 1"}}, "'unit R' is the name of what is true of 'R' by its kind"),
    "force": ({"forces": {"R.w5": "1"}}, "'R.w5' is not known here"),
    "start": ({"start": {"R.m11": 1}}, "'R.m11' is not known here"),
    "held by a rate": ({"holonomic": {"h": "R.w3 = 0"}}, "what moves with 'R' cannot stand in a holonomic constraint"),
    "start by a part": ({"start": {"R.w1": "R.q0"}}, "a part of 'R' cannot stand in a value at the start or end"),
    "off the sphere": ({"symmetry": {"e": {"R.q0": "1"}}}, "it leaves the unit length of 'R'"),
}


@pytest.mark.parametrize(("tables", "said"), FAULTS.values(), ids=FAULTS)
def test_what_is_wrong_is_told_in_one_sentence(tables, said):
    with pytest.raises(ModelError) as caught:
        body(**tables)
    told = str(caught.value)
    assert said in told
    assert len(told.splitlines()) == 1


def test_components_are_completed_or_refused():
    n = Point("n", "direction")
    x, y, z = n.components
    assert n.completed({}) == {x: 0.0, y: 0.0, z: 1.0}
    assert n.completed({x: 0.6}) == {x: 0.6, y: 0.0, z: 0.8}
    assert n.completed({z: -1.0}) == {x: 0.0, y: 0.0, z: -1.0}
    with pytest.raises(EvaluationError, match=r"add up to 0\.25 and not to 1, as those of a direction do"):
        n.completed({z: 0.5})
