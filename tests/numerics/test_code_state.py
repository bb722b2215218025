"""Generated code has the state that is shown, inputs in declared order, and refuses arrays of another length."""

import json
import re
import shutil
import subprocess

import numpy as np
import pytest

from dalembert import System, derive
from dalembert.expr.calculus import jacobian
from dalembert.expr.readers import Floats
from dalembert.expr.walk import evaluate
from dalembert.numerics.codegen import code
from dalembert.numerics.codegen.model import LANGUAGES

CAR = System.of(
    name="car",
    coordinates={"x": "real", "y": "real", "heading": "angle", "steer": "angle"},
    parameters={"m": 2, "l": 1.5, "J": 1, "K": 0.1},
    speeds={"v": "x'*cos(heading) + y'*sin(heading)", "turn": "steer'"},
    lagrangian="m*(x'^2 + y'^2)/2 + J*heading'^2/2 + K*steer'^2/2",
    constraints={"rear": "x'*sin(heading) = y'*cos(heading)", "front": "l*heading'*cos(steer) = v*sin(steer)"},
    forces={"turn": "torque", "v": "drive - brake*v"},
    controls={"torque": {}, "drive": {}, "brake": {}},
)
SHOWN = derive(CAR, "nonholonomic")
STATE = [v.data.label for v in SHOWN.equations.state]
Y = [0.1, 0.2, 0.3, 0.4, 1.5, 0.6]
INPUTS = {"torque": 0.7, "drive": 0.8, "brake": 0.9}


def state_of(text, language):
    """Return the names that code has for its state."""
    if language == "c":
        return re.search(r"y: (.*)", text)[1].removesuffix(" */").split(", ")
    if language == "js":
        return json.loads(re.search(r"variables: (\[.*?\])", text)[1])
    row = re.search(r"^(?:const )?VARIABLES = \((.*)\)$", text, re.MULTILINE)[1]
    return [name for pair in re.findall(r"\"([^\"]*)\"|'([^']*)'", row) for name in pair if name]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_state_is_that_of_the_equations(language):
    assert state_of(code(SHOWN, language), language) == STATE
    assert len(STATE) == len(CAR.q) + len(CAR.speeds) == len(Y)
    whole = state_of(code(SHOWN, language, form="saddle"), language)
    assert len(whole) == 2 * len(CAR.q)


def test_a_note_says_where_there_are_no_numbers():
    text = " ".join(code(SHOWN, "c").split())
    assert "divide by l*cos(steer): where that vanishes there are no numbers; code(..., form='saddle')" in text
    assert "divide by" not in code(SHOWN, "c", form="saddle")


def test_inputs_come_as_they_are_declared():
    declared = ["m", "l", "J", "K", *INPUTS]
    fields = re.search(r"typedef struct {(.*?)}", code(SHOWN, "c"), re.DOTALL)[1]
    assert re.findall(r"double (\w+);", fields) == declared
    assert json.loads(re.search(r"parameters: (\[.*?\])", code(SHOWN, "js"))[1]) == declared


def module(language, **more):
    names = {}
    exec(code(SHOWN, language, **more), names)  # noqa: S102 (it is the code under test)
    return names


def test_jax_refuses_another_length_and_has_the_jacobian_of_what_is_shown():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", val=True)
    names = module("jax")
    given = {**names["PARAMETERS"], **INPUTS}
    found = jax.jit(jax.jacfwd(lambda y: names["field"](0.0, y, given)))(np.array(Y))
    rates = list(SHOWN.equations.rates().values())
    values = dict(zip(SHOWN.equations.state, Y, strict=True))
    values |= {p: float(v) for p, v in CAR.defaults.items()}
    values |= {u: INPUTS[u.data.name] for u in CAR.controls}
    flat = [entry for row in jacobian(rates, list(SHOWN.equations.state)) for entry in row]
    assert np.asarray(found).ravel() == pytest.approx(evaluate(flat, Floats(values)), abs=1e-12)
    for wrong in (Y[:5], [*Y, 0.0, 0.0], 1.0):
        with pytest.raises(ValueError, match=r"y has the shape .* and needs 6 values: x, y, heading, steer, v, turn"):
            names["field"](0.0, np.array(wrong), given)
    batch = jax.vmap(lambda y: names["field"](0.0, y, given))(np.array([Y, Y]))
    assert batch.shape == (2, 6)


def test_casadi_refuses_another_length():
    pytest.importorskip("casadi")
    field = module("casadi")["field"]
    assert field(0, Y, [2, 1.5, 1, 0.1, 0.7, 0.8, 0.9]).shape == (6, 1)
    with pytest.raises(RuntimeError, match="y"):
        field(0, [*Y, 0.0, 0.0], [2, 1.5, 1, 0.1, 0.7, 0.8, 0.9])


def test_javascript_refuses_another_length(tmp_path):
    if shutil.which("node") is None:
        pytest.skip("there is no node here")
    (tmp_path / "car.js").write_text(code(SHOWN, "js"))
    script = """
    const car = require("./car.js"), out = new Array(6), said = [];
    const p = car.defaults.slice(0, 4).concat([0.7, 0.8, 0.9]);
    car.field(0, [0.1, 0.2, 0.3, 0.4, 1.5, 0.6], p, [], out);
    for (const [y, q] of [[[1, 2, 3, 4, 5, 6, 7, 8], p], [[1, 2, 3, 4, 5, 6], [1]], [[1], p]]) {
      try { car.field(0, y, q, [], out); said.push("nothing"); } catch (fault) { said.push(fault.message); }
    }
    console.log(JSON.stringify({out, said}));
    """
    done = subprocess.run(["node", "-e", script], cwd=tmp_path, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found["said"] == [f"field: {what} values" for what in ("y needs 6", "p needs 7", "y needs 6")]
    assert all(np.isfinite(found["out"]))


def test_julia_checks_lengths():
    text = code(SHOWN, "julia")
    assert 'length(y) == 6 || throw(DimensionMismatch("y needs 6 values, as VARIABLES has them"))' in text
    assert "length(out) == 6 || throw(" in text
