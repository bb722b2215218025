"""Velocities left out of a start: those of the least kinetic energy, or a question. Against KKT and SLSQP."""

import numpy as np
import pytest
from starting import KINDS, Drawn, differs, twin, velocities

from dalembert import derive, gallery, simulate_ensemble
from dalembert.errors import EvaluationError, HypothesisError
from dalembert.expr.graph import ONE, ZERO
from dalembert.expr.walk import substitute
from dalembert.model.least import kinetic_matrix, kinetic_momenta
from dalembert.model.system import System
from dalembert.numerics import start
from dalembert.numerics.simulate import prepare, simulate


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.thorough("time-dependent", "nonlinear")
def test_random_starts_have_the_least_kinetic_energy(kind):
    told_apart = 0
    for seed in range(2):
        drawn = Drawn(kind, seed)
        found = velocities(drawn)
        assert differs(drawn, found) < 1e-8, seed
        told_apart += differs(drawn, twin(drawn)) > 1e-6  # the wrong twin: a sum of squares of metres and radians
    assert told_apart  # where nothing at all is given, both may be at rest


def test_units_do_not_matter():
    def rod(unit):  # the same rod, in metres and in millimetres
        return System.of(
            name="rod",
            coordinates={"x": "real", "y": "real", "th": "angle"},
            lagrangian=f"((x'^2 + y'^2)/{unit}^2 + th'^2/12)/2",
            constraints={"end": f"x' - {unit}*sin(th)*th' = {unit}"},
            start={"th": 1},
        )

    one, other = (simulate(derive(rod(unit), "nonholonomic"), time=(0, 0)) for unit in (1, 1000))
    assert other["th'"][0] == pytest.approx(one["th'"][0], rel=1e-10)
    assert other["x'"][0] == pytest.approx(1000 * one["x'"][0], rel=1e-10)


def test_the_kinetic_matrix_is_known_by_its_columns():
    """Of many velocities it is not written down; at rest, where a Lagrangian is not quadratic."""
    system = System.of(
        name="bent",
        coordinates={"x": "real", "y": "real", "th": "angle"},
        parameters={"m": 2},
        lagrangian="m*x'^2/2 + y'^2*(2 + cos(th))/2 + x'*th'*sin(x) + x'^4 + y'^3*th' + exp(y)*th'^2 - x'",
    )
    along, momenta = kinetic_momenta(system)
    columns = [substitute(momenta, {c: ONE if c is one else ZERO for c in along}) for one in along]
    assert [list(row) for row in zip(*columns, strict=True)] == kinetic_matrix(system)
    moved = substitute(kinetic_momenta(system.but(lagrangian="m*x'^2/2 + y'^2 + th'^2"))[1], {along[0]: ONE})
    assert moved[1:] != columns[0][1:]  # a wrong twin


def test_a_start_is_the_same_by_columns(monkeypatch):
    def begun():
        rod = System.of(
            name="rod",
            coordinates={"x": "real", "y": "real", "th": "angle"},
            lagrangian="x'^2 + y'^2/2 + x'*y'*cos(th) + th'^2/12",
            constraints={"end": "x' - sin(th)*th' + y' = 1"},
            start={"th": 1},
        )
        return prepare(derive(rod, "nonholonomic"), None, 1)[0].start

    first = begun()
    monkeypatch.setattr(start, "_MANY", 1)
    assert np.abs(first - begun()).max() < 1e-14
    monkeypatch.setattr(start, "kinetic_momenta", lambda system: 2 * kinetic_momenta(system)[:1])  # no masses: a twin
    assert np.abs(first - begun()).max() > 1e-3


def plane(**more):
    return System.of(**{"name": "plane", "coordinates": "x y z", "lagrangian": "(x'^2 + y'^2 + z'^2)/2"} | more)


@pytest.mark.parametrize(
    ("formalism", "start"), [("nonholonomic", {}), ("semisymplectic", {}), ("vakonomic", {"leans": 0.3})]
)
def test_formalisms_complete_alike(formalism, start):
    system = plane(
        lagrangian="(x'^2 + 4*y'^2 + 2*x'*y' + 9*z'^2)/2",
        constraints={"leans": "z' = x*y' + x'"},
        start={"x": 1, "y'": 1},
    )
    mass = np.array([[1, 1, 0], [1, 4, 0], [0, 0, 9.0]])
    border = np.array([[1, 1, -1], [0, 1, 0.0]])
    whole = np.block([[mass, border.T], [border, np.zeros((2, 2))]])
    wanted = np.linalg.solve(whole, [0, 0, 0, 0, 1])[:3]
    run = simulate(derive(system, formalism), {f"lambda.{k}": v for k, v in start.items()}, time=(0, 0))
    assert [run[f"{q}'"][0] for q in "xyz"] == pytest.approx(wanted, abs=1e-10)


def test_the_states_of_a_vakonomic_result_are_completed_alike():
    system = plane(lagrangian="(x'^2 + 4*y'^2 + 9*z'^2)/2", constraints={"leans": "x' + y' + z' = 1"})
    result = derive(system, "vakonomic")
    found = result.initial_state({"leans": 0})
    run = simulate(result, {"leans": 0}, time=(0, 0))
    assert [found[p] for p in result.form.costates] == pytest.approx([run[f"p_{q}"][0] for q in "xyz"], abs=1e-12)
    inverse = np.array([1, 1 / 4, 1 / 9])
    assert [run[f"{q}'"][0] for q in "xyz"] == pytest.approx(inverse / inverse.sum(), abs=1e-12)


def test_members_of_an_ensemble_begin_where_single_motions_do():
    system = plane(
        lagrangian="((2 + sin(x))*x'^2 + 4*y'^2 + 2*x'*y' + 9*z'^2)/2", constraints={"leans": "z' = x*y' + x' + sin(t)"}
    )
    result = derive(system.but(run={"begin": 1}), "nonholonomic")
    places = np.linspace(-1, 1, 7)
    several = simulate_ensemble(result, {"x": places, "y'": 0.5}, (1, 1.5), samples=2)
    for k, x in enumerate(places):
        one = simulate(result, {"x": x, "y'": 0.5}, (1, 1.5))
        assert several.start[:, k] == pytest.approx(one.y[:, 0], abs=1e-12)
    old = [np.abs(several.start[list(several.names).index("x'"), k]) > 1e-3 for k in range(7)]
    assert all(old)  # the twin: a sum of squares would leave x' at rest in half of the plane of velocities


# -- what is refused ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("system", "start", "named"),
    [
        (plane(lagrangian="(x'^2 + y'^2 - z'^2)/2", constraints={"c": "x' = y"}), {}, "z'"),  # indefinite
        (plane(lagrangian="(x'^2 + y'^2)/2 + z*z'^3", constraints={"c": "x' = y"}), {"z": 1}, "z'"),  # singular at rest
        (plane(constraints={"ring": "x'^2 + y'^2 = 1"}), {}, "x', y'"),  # a whole circle
        (plane(constraints={"ring": "x'^2 + 4*y'^2 = 1"}), {}, "y'"),  # two points of it
        (plane(constraints={"ring": "x'^2 + y'^2 = 1"}), {"x'": 0.6, "z'": 0}, "y'"),  # up or down
    ],
)
def test_what_the_energy_does_not_decide_is_asked_for(system, start, named):
    with pytest.raises((EvaluationError, HypothesisError)) as error:
        prepare(derive(system, "nonholonomic"), start, 1)
    assert f"does not say what {named}" in str(error.value)
    assert "give" in str(error.value)


def test_its_true_twins_are_completed():
    definite = plane(lagrangian="(x'^2 + y'^2 - z'^2)/2", constraints={"c": "x' = y"})
    prepare(derive(definite, "nonholonomic"), {"z'": 0}, 1)
    ring = derive(plane(constraints={"ring": "x'^2 + 4*y'^2 + y' = 1"}), "nonholonomic")
    run = simulate(ring, time=(0, 0))  # above is nearer than below
    assert run["x'"][0] ** 2 + 4 * run["y'"][0] ** 2 + run["y'"][0] == pytest.approx(1)
    assert run["y'"][0] == pytest.approx((17**0.5 - 1) / 8)
    assert run["x'"][0] == pytest.approx(0, abs=1e-9)


def test_positions_left_out_are_nearest_in_the_metric():
    bead = plane(lagrangian="(x'^2 + 4*y'^2 + 9*z'^2)/2", holonomic={"sheet": "x + y + z = 1"})
    run = simulate(derive(bead, "nonholonomic"), time=(0, 0))
    inverse = np.array([1, 1 / 4, 1 / 9])
    assert [run[q][0] for q in "xyz"] == pytest.approx(inverse / inverse.sum(), abs=1e-12)
    wheel = derive(plane(holonomic={"ring": "x^2 + y^2 = 1"}), "nonholonomic")
    with pytest.raises(EvaluationError, match=r"does not say what 'x', 'y' are.*as near to zero"):
        prepare(wheel, {}, 1)
    with pytest.raises(EvaluationError, match=r"does not say what 'y' is.*as near to zero"):
        prepare(wheel, {"x": 0.6}, 1)
    prepare(wheel, {"x": 0.6, "y": -0.8}, 1)


def test_without_a_lagrangian_rest_is_rest_and_the_rest_is_asked_for():
    drift = derive(System.of(name="drift", coordinates="x y", equations={"x''": "-x", "y''": "x'"}), "nonholonomic")
    problem, _, _ = prepare(drift, {"x": 1}, 1)
    assert problem.start == pytest.approx([1, 0, 0, 0], abs=0)
    with pytest.raises(EvaluationError, match="no kinetic energy here"):
        prepare(drift, {"x'": 1}, 1)
    prepare(drift, {"x'": 1, "y'": 0}, 1)


def test_completing_twice_changes_nothing():
    top = derive(gallery.load("heavy-top-chart").but(start={"theta": 0.6, "psi'": 15}), "euler-lagrange")
    first = simulate(top, time=(0, 0))
    again = simulate(top, {"phi'": first["phi'"][0]}, time=(0, 0))
    assert again.y[:, 0] == pytest.approx(first.y[:, 0], rel=1e-13)
    assert abs(first["phi'"][0]) > 1  # a spinning top that is let go drags its axis along


def test_angular_velocities_that_are_given_move_what_is_left_out_too():
    """Also where rates are written without a mass matrix, and rest would be the least without them."""
    inertia = " + ".join(f"({k}*R.s{k}^2 + {4 - k}*S.s{k}^2)/2" for k in (1, 2, 3))
    turned = {"axis": [1, 2, 0], "angle": 0.4, "w1": 0.2, "w3": 1}
    pair = System.of(
        name="pair", coordinates={"R": "rotation", "S": "rotation"},
        lagrangian=f"{inertia} - R.m31*S.m31 - R.m32*S.m32",
        start={"R": turned, "S": turned},
    )  # fmt: skip
    run = simulate(derive(pair, "euler-lagrange"), time=0.1, samples=2)
    [m, w] = [
        np.array([[run[f"R.m{i}{j}"][0] for j in (1, 2, 3)] for i in (1, 2, 3)]),
        [run[f"R.w{k}"][0] for k in (1, 2, 3)],
    ]
    assert abs((m.T @ np.diag([1, 2, 3]) @ m @ w)[1]) < 1e-12
    assert abs(w[1]) > 0.01
