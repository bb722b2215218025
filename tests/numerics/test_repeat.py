"""A result that is moved again costs arithmetic only; what is too large for a model file moves all the same."""

import gc
import json
import threading
import weakref

import numpy as np
import pytest
from multipliers_by_hand import ByMultipliers
from snakes import follow_snake

from dalembert import derive, gallery
from dalembert.errors import ModelError
from dalembert.geometry.distributions import Distribution
from dalembert.model.equations import Equations
from dalembert.model.files import dumps
from dalembert.model.stored_form import is_graph, read_back, written
from dalembert.model.system import System
from dalembert.numerics import outcome, recorded, words_in_use
from dalembert.numerics.compile.machine import Machine
from dalembert.numerics.field import Tape
from dalembert.numerics.forms import may_fail
from dalembert.numerics.simulate import simulate
from dalembert.numerics.start import Start

MOVED = [
    ("vertical-rolling-disc", "nonholonomic"),
    ("chaplygin-sleigh", "nonholonomic"),
    ("perpendicular-velocities", "nonholonomic"),  # in saddle form
    ("appell-hamel", "nonholonomic"),
    ("heavy-top-chart", "routh"),
    ("curved-se2", "routh"),  # implicit
    ("heisenberg", "chaplygin"),
    ("veselova-chart", "semisymplectic"),
    ("elastica", "vakonomic"),
    ("kepler", "euler-lagrange"),
]


@pytest.fixture
def work(monkeypatch):
    """Count what is prepared, compiled, derived and written."""
    counts = dict.fromkeys(["starts", "tapes", "machines", "specialised", "written"], 0)

    def counted(owner, name, what):
        plain = getattr(owner, name)

        def call(*args, **more):
            counts[what] += 1
            return plain(*args, **more)

        monkeypatch.setattr(owner, name, call)

    counted(Start, "__init__", "starts")
    counted(Tape, "__init__", "tapes")
    counted(Machine, "__init__", "machines")
    counted(words_in_use, "without_functions", "specialised")
    counted(recorded, "written", "written")
    return counts


@pytest.mark.parametrize(("name", "formalism"), MOVED)
@pytest.mark.thorough("curved-se2-routh")
@pytest.mark.thorough("perpendicular-velocities-nonholonomic", "elastica-vakonomic")
def test_nothing_is_prepared_twice(name, formalism, work):
    result = derive(gallery.load(name), formalism)
    first = simulate(result)
    assert work["specialised"]
    assert work["starts"]
    work.update(dict.fromkeys(work, 0))
    again = simulate(result)
    assert work == dict.fromkeys(work, 0)
    assert np.array_equal(first.y, again.y)


def test_what_is_new_is_prepared(work):  # the wrong twin of the counting
    result = derive(gallery.load("vertical-rolling-disc"), "nonholonomic")
    simulate(result, time=1)
    work.update(dict.fromkeys(work, 0))
    simulate(result, {"x'": 1, "phi'": 1}, time=1)  # other names
    assert work["starts"] == 1
    simulate(derive(gallery.load("vertical-rolling-disc"), "nonholonomic"), time=1)
    assert work["specialised"] == 1


def test_the_masses_at_a_start_in_saddle_form_are_not_walked_through_again(monkeypatch):
    result = derive(gallery.load("four-bar"), "nonholonomic")
    first = simulate(result, time=0.1)
    walked = []
    usual = outcome.evaluate
    monkeypatch.setattr(outcome, "evaluate", lambda roots, *more: (walked.append(len(roots)), usual(roots, *more))[1])
    assert np.array_equal(simulate(result, time=0.1).y, first.y)
    assert max(walked) < len(result.equations.mass) ** 2  # where its variables end is


def test_values_are_not_mixed_up():
    result = derive(gallery.load("vertical-rolling-disc"), "nonholonomic")
    for radius, spin in [(1, 3), (2, 3), (1, 3), (2, 5)]:
        run = simulate(result, {"phi'": spin}, 1, values={"R": radius})
        assert run["x'"][0] == pytest.approx(radius * spin, abs=1e-12)
        assert run.provenance["values"]["R"] == radius
    ball = derive(
        System.of(name="ball", coordinates="z", functions={"V": ["z"]}, lagrangian="z'^2/2 - V(z)", start={"z": 1}),
        "euler-lagrange",
    )
    for value, slope in [("z", 1), ("2*z", 2), ("z", 1)]:
        assert simulate(ball, time=1, functions={"V": value})["z"][-1] == pytest.approx(1 - slope / 2)


def test_provenance_is_made_when_it_is_read(work):
    run = simulate(derive(gallery.load("kepler"), "euler-lagrange"), time=1)
    run.at([0.5])["x"]
    assert work["written"] == 0
    assert run.provenance["model"] == dumps(gallery.load("kepler"))
    assert json.dumps(dict(run.provenance))
    assert work["written"] == 1


def test_what_is_prepared_goes_with_its_equations():
    result = derive(gallery.load("chaplygin-sleigh"), "nonholonomic")
    simulate(result)
    gone = weakref.ref(result.equations)
    before = len(words_in_use._KEPT)
    del result
    gc.collect()
    assert gone() is None
    assert len(words_in_use._KEPT) < before


def test_threads_share_what_is_prepared():
    result = derive(gallery.load("veselova-chart"), "nonholonomic")
    wanted = simulate(derive(gallery.load("veselova-chart"), "nonholonomic"), time=1).y[:, -1]
    found = []
    threads = [threading.Thread(target=lambda: found.append(simulate(result, time=1).y[:, -1])) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == 6
    assert all(np.array_equal(end, wanted) for end in found)


# -- too large for a model file ----------------------------------------------------------------------------------
def arm(joints):
    """Return an arm of bodies that turn about one axis after the other, made by SymPy's frames."""
    from sympy.physics.mechanics import Point, ReferenceFrame, dynamicsymbols

    q = dynamicsymbols(f"a1:{joints + 1}")
    ground = frame = ReferenceFrame("N")
    origin = point = Point("O")
    origin.set_vel(ground, 0)
    lagrangian = sum(angle.diff() ** 2 for angle in q) / 10
    for k, angle in enumerate(q):
        frame = frame.orientnew(f"F{k}", "Axis", [angle, [frame.x, frame.y, frame.z][k % 3]])
        here = point.locatenew(f"P{k}", frame.x + 2 * frame.y / 3 + frame.z / 5)
        here.v2pt_theory(point, ground, frame)
        speed = here.vel(ground)
        lagrangian += speed.dot(speed) / 2 - here.pos_from(origin).dot(ground.z)
        point = here
    return System.of(name="arm", coordinates=q, lagrangian=lagrangian, start={"a1": 0.3, "a2'": 1}, run={"time": 1})


@pytest.mark.thorough
def test_an_arm_from_sympy_moves_and_is_written_down(tmp_path):
    system = arm(5)
    with pytest.raises(ModelError, match="too large for a model file"):
        dumps(system)
    run = simulate(derive(system, "euler-lagrange"))
    assert run.success
    assert np.ptp(run["energy"]) < 1e-8
    assert is_graph(run.provenance["model"])
    assert read_back(run.provenance["model"]) == system
    run.save(tmp_path / "arm.nc")
    assert read_back(type(run).load(tmp_path / "arm.nc").provenance["model"]) == system
    by = ByMultipliers(system)  # without constraints: the mass matrix and NumPy
    for k in range(0, len(run.t), 5):
        q, v = (np.array([run[one.data.label][k] for one in several]) for several in (system.q, system.v))
        slope = run.dense.slope(np.array([run.t[k]]))[len(q) :, 0]
        assert slope == pytest.approx(by(run.t[k], q, v)[0], rel=1e-6, abs=1e-6)


@pytest.mark.thorough
def test_every_system_has_a_text_that_is_read_back():
    for name in ("falling-rolling-disc", "elastica", "turning-table", "wheeled-snake:48"):
        system = gallery.load(name)
        assert read_back(written(system)) == system
    assert is_graph(written(system))
    other = written(system).replace('"wheel48"', '"wheel49"')
    assert read_back(other) != system  # the wrong twin


@pytest.mark.parametrize(
    "text",
    [
        '{"dalembert system":1,}',
        '{"dalembert system":1,"nodes":[],"roots":[],"tables":["table"]}',
        '{"dalembert system":1,"nodes":[["sum",0,[3]]],"roots":[0],"tables":["table"]}',
        '{"dalembert system":1,"nodes":[["eval","x",[]]],"roots":[0],"tables":["table"]}',
        '{"dalembert system":1,"nodes":[],"roots":[],"tables":["table",["lagrangian",["expression",4]]]}',
    ],
)
def test_a_broken_graph_is_refused_in_a_sentence(text):
    with pytest.raises(ModelError):
        read_back(text)


@pytest.mark.thorough
def test_a_long_snake_keeps_its_frame():
    """Its determinant is the product of the lengths, whatever the headings are: no other form is ever better."""

    def fails(links, dependent):
        system = gallery.load(f"wheeled-snake:{links}")
        chosen = Distribution.from_forms(system.chart, system.constraint_matrix().rows, dependent)
        return may_fail(Equations("", "", {}, pivots=(chosen.determinant,)))

    assert not fails(48, range(2, 50))
    assert fails(3, [0, 1, 4])  # the twin: these velocities may fail


@pytest.mark.thorough
def test_a_snake_moves_as_the_multipliers_say():
    follow_snake(8, 1.0)
