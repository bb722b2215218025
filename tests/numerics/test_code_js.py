"""JavaScript, run by Node where there is one: the code of equations and the integrator of pages, against ours."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from code_systems import NAMES, agree, expected, points, systems
from section_systems import PAIR

from dalembert import System, derive, gallery, simulate
from dalembert.numerics.codegen import code
from dalembert.numerics.codegen.model import robust_form
from dalembert.numerics.few_operations import without_linear_system
from dalembert.present.living import living_of
from dalembert.present.scripts import integrator

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no Node on this machine: JavaScript was not run")

VALUES = """
const jobs = JSON.parse(require("fs").readFileSync(process.argv[2]));
const answers = {};
for (const [name, job] of Object.entries(jobs)) {
  const model = require(job.path), many = model.results;
  answers[name] = { tables: [model.variables, model.parameters, model.defaults] };
  for (const which of Object.keys(many)) {
    answers[name][which] = job.t.map((t, k) => {
      const u = job.u.length ? job.u[k].map(v => v + 0.1) : [], out = new Array(many[which].length);
      if (u.length && !model.solve(t, job.y[k], model.defaults, u)) { return null; }
      model[which](t, job.y[k], model.defaults, u, out);
      return out;
    });
  }
}
console.log(JSON.stringify(answers, (key, value) => value !== value ? "nan" : value));
"""

MOVES = """
const job = JSON.parse(require("fs").readFileSync(process.argv[2]));
const dalembert = require(job.integrator);
const answers = job.runs.map(one => {
  const model = require(one.path);
  const run = dalembert.motion(model, one.start, { parameters: model.defaults, end: one.end, tolerance: one.tolerance,
    unknowns: model.unknowns.map(() => 0.0), every: one.every });
  while (!run.advance(50)) { }
  const ended = dalembert.chartEnd(model, run, model.defaults);
  const y = new Array(one.start.length);
  return { message: run.message, ended: ended, last: run.end(), steps: run.steps, corrections: run.corrections,
    inside: run.dense.filter(Boolean).length, y: one.times.map(t => { run.at(t, y); return y.slice(); }) };
});
console.log(JSON.stringify(answers));
"""


def node(script, job, folder):
    """Run a script with a job."""
    (folder / "run.js").write_text(script)
    (folder / "job.json").write_text(json.dumps(job))
    done = subprocess.run(
        [NODE, str(folder / "run.js"), str(folder / "job.json")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def values_of(name, folder, text=None):
    """Return what the code computes at the points of a system, as ``agree`` calls it."""
    equations = systems()[name]
    path = folder / f"{name}.js"
    path.write_text(text or code(equations, "js"), encoding="utf-8")
    times, states, values = points(equations)
    rows = [expected(equations, t, y, values)[2].tolist() for t, y in zip(times, states, strict=True)]
    unknowns = rows if equations.implicit else []
    job = {name: {"path": str(path), "t": times.tolist(), "y": states.tolist(), "u": unknowns}}
    found = node(VALUES, job, folder)[name]
    variables, parameters, defaults = found["tables"]
    assert variables == [v.data.label for v in (*equations.state, *equations.reconstruction)]
    assert dict(zip(parameters, defaults, strict=True)) == {
        p.data.label: float(v) for p, v in equations.parameters.items()
    }

    def call(which, t, *_):
        return np.array(found[which][times.tolist().index(t)], dtype=float)

    return equations, call


@pytest.mark.parametrize("name", NAMES)
def test_it_computes_what_the_native_engine_computes(name, tmp_path):
    """Unknowns are found by its own Newton's method, from beside where they are."""
    agree(*values_of(name, tmp_path))


def test_a_wrong_sign_would_be_noticed(tmp_path):
    text = code(systems()["robot"], "js")
    wrong = text.replace("out[4] = ", "out[4] = -")
    assert wrong != text
    with pytest.raises(AssertionError, match="Not equal to tolerance"):
        agree(*values_of("robot", tmp_path, wrong))


def slider():
    """A crank that drives a slider through a rod, by its loop: constraints on positions are kept by projection."""
    return System.of(
        name="crank",
        coordinates={"a": "angle", "b": "angle", "x": "real"},
        parameters={"r": 1, "l": 3},
        lagrangian="(a'^2 + b'^2/3 + x'^2)/2 - sin(a)",
        holonomic={"along": "x = r*cos(a) + l*cos(b)", "across": "0 = r*sin(a) - l*sin(b)"},
        start={"a": 1, "b": "asin(sin(1)/3)", "x": "cos(1) + 3*cos(asin(sin(1)/3))", "a'": 2},
    )


def test_its_motions_are_ours(tmp_path):
    """A snakeboard to t = 2 as asked of pages, a loop that has to be projected, and that as a page moves it.

    States are asked for at a few times alone there, so that most steps have none inside.
    """
    (tmp_path / "integrator.js").write_text(integrator())
    derived = {
        "board": (derive(gallery.load("snakeboard"), "nonholonomic"), 2.0),
        "crank": (derive(slider(), "nonholonomic"), 4.0),
        "moved": (derive(gallery.load("four-bar"), "nonholonomic"), 0.4),
    }
    runs, ours = [], []
    for name, (result, end) in derived.items():
        as_moved = robust_form(result.equations) if name != "board" else result
        as_moved = without_linear_system(as_moved) if name == "moved" else as_moved
        (tmp_path / f"{name}.js").write_text(written := code(as_moved, "js"))
        if name == "moved":  # with the linear system for states where a pivot is weak
            assert "substitute(" not in written.partition("field: function")[2].partition("\n  }")[0]
            assert "model.field_by_size(" in written
        run = simulate(result, None, end, tolerance=1e-12)
        times = np.linspace(0, end, 9)
        start = run.y[:, 0].tolist()
        runs.append(
            {"path": str(tmp_path / f"{name}.js"), "start": start, "end": end, "tolerance": 1e-12, "times": list(times)}
            | ({"every": end / 8} if name == "moved" else {})
        )
        ours.append((run, run.at(times).y.T))
    for found, (run, states) in zip(
        node(MOVES, {"integrator": str(tmp_path / "integrator.js"), "runs": runs}, tmp_path), ours, strict=True
    ):
        assert found["message"] == ""
        assert found["inside"] == found["steps"] if run is not ours[-1][0] else found["inside"] <= 8 < found["steps"]
        assert abs(found["steps"] - run.provenance["steps"]) <= 0.2 * run.provenance["steps"] + 2
        np.testing.assert_allclose(np.array(found["y"]), states, rtol=0, atol=1e-10)


def test_a_page_stops_where_the_variables_of_a_reduction_end_and_says_why(tmp_path):
    """The mass goes through the centre at t = 1; away from it, or with code that does not say where, nothing stops."""
    result, path = derive(PAIR, "routh"), tmp_path / "integrator.js"
    path.write_text(integrator())
    text = code(result, "js")
    assert "'ends' gives that" in text
    (tmp_path / "pair.js").write_text(text)
    (tmp_path / "twin.js").write_text(text.replace("ends: function", "other: function"))
    start = [1.0, 0.3, 0.5, -1.0, 0.2, 0.4, 0.0]
    moves = [("pair", start), ("pair", [*start[:3], 1.0, *start[4:]]), ("twin", start)]
    runs = [{"path": str(tmp_path / f"{name}.js"), "start": y, "end": 3, "tolerance": 1e-11, "times": [0.5]}
            for name, y in moves]  # fmt: skip
    stops, away, twin = node(MOVES, {"integrator": str(path), "runs": runs}, tmp_path)
    assert stops["ended"]
    assert abs(stops["last"] - 1) < 1e-9
    assert "the variables end at t = 1.00000, where r vanishes" in stops["message"]
    assert [away["message"], away["last"], twin["message"], twin["last"]] == ["", 3, "", 3]


def test_a_run_that_went_on_is_moved_by_the_stated_coordinates():
    result = derive(PAIR, "routh")
    for end, names in ((3, [0, 1, 2, 3]), (0.2, [])):
        made = living_of(result, simulate(result, None, end, samples=5))
        assert made.data["coordinates"] == names
        assert ("moved by the stated coordinates" in made.data["faults"][0]) == bool(names)
