"""Constraints that lose rank: refused where they repeat each other, watched along every motion, told by name."""

import math
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from commanding import command
from mechanisms import closed, coupled, four_bars, reference, scotch_yoke, slider_crank

from dalembert import System, derive, gallery, simulate, simulate_ensemble
from dalembert.errors import EvaluationError, HypothesisError, ModelError
from dalembert.expr.graph import ONE, ZERO
from dalembert.mechanics.nonholonomic.linear_constraints import derive_in_coordinates
from dalembert.mechanics.nonholonomic.saddle_point_form import SaddlePointMotion
from dalembert.model.equations import Equations
from dalembert.model.files import dumps
from dalembert.model.ranks import never_falls
from dalembert.model.repeated import repeated
from dalembert.numerics import losses
from dalembert.numerics.engines import integrate
from dalembert.numerics.geometric import march
from dalembert.numerics.losses import Way
from dalembert.numerics.outcome import END, RANK_LOST
from dalembert.numerics.rank import RankWatch, rank_watch
from dalembert.numerics.simulate import prepare, wording_of
from dalembert.numerics.sweep.chunk import MEANINGS, code_of

BARS = derive(four_bars(), "nonholonomic")
SLIDER = derive(slider_crank(), "nonholonomic")
FALL = {"a0": 1.0, "a1": 1.0, "b0": 0.0}
CRANK = {"a": 0.7, "b": -0.7, "x": 2 * math.cos(0.7), "a'": 4.0, "b'": -4.0, "x'": -8 * math.sin(0.7)}


def point(names="x y", **statement):
    return System.of(name="point", coordinates=names, lagrangian="x'^2/2 + y'^2/2", **statement)


# -- what is refused, and what is not ----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("holonomic", "name", "words"),
    [
        ({"once": "y = 0", "twice": "y*(1 + x^2) = 0"}, "twice", "repeats the constraints before it"),
        ({"rod": "x^2 + y^2 = 1", "far": "(x^2 + y^2 - 1)*(2 + sin(x)) = 0"}, "far", "repeats the constraints"),
        ({"once": "y = 0", "double": "2*y = 0"}, "double", "follows from the constraints before it"),
    ],
)
def test_what_repeats_others_where_all_hold_is_known_by_name(holonomic, name, words):
    system = point(holonomic=holonomic)
    assert list(repeated(system)) == [name]
    assert words in repeated(system)[name].what
    assert isinstance(derive(system, "nonholonomic"), SaddlePointMotion)
    with pytest.raises(HypothesisError, match=rf"\[holonomic\] {name}: .*{words}.*saddle form"):
        derive(system, "vakonomic")
    kept = {key: text for key, text in holonomic.items() if key != name}
    assert not repeated(point(holonomic=kept))  # the others alone are independent


@pytest.mark.parametrize(
    ("holonomic", "name", "words"),
    [
        ({"square": "(x^2 + y^2 - 1)^2 = 0"}, "square", "its derivatives all vanish"),
        ({"here": "y = 0", "there": "y = 1"}, "there", "contradicts the constraints before it"),
    ],
)
def test_what_says_nothing_or_contradicts_is_refused_by_name(holonomic, name, words):
    with pytest.raises(ModelError, match=rf"\[holonomic\] {name}: .*{words}"):
        point(holonomic=holonomic)


def test_constraints_that_only_meet_somewhere_are_not_refused():
    """The twin: two branches that cross are singular at a point, and regular elsewhere on the set."""
    assert len(point(holonomic={"cross": "x*y = 0"}).constraints) == 1
    assert len(four_bars().constraints) == 2


def test_on_a_branch_the_rank_is_that_around_the_start():
    """Where y = 0 the second constraint follows from the first, and z is free; where y = 1 it says that z = x."""
    holonomic = {"a": "y*(y - 1) = 0", "b": "y*(z - x) = 0"}
    system = System.of(name="p", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2", holonomic=holonomic)
    motion = derive(system, "nonholonomic")
    free = simulate(motion, {"x": 1, "y": 0, "z": 0, "x'": 1, "y'": 0, "z'": 3}, 1)
    assert (free.status, free.provenance["rank"]) == (END, [1, 1])
    assert (free["x"][-1], free["z"][-1]) == pytest.approx((2, 3))
    tied = simulate(motion, {"x": 1, "y": 1, "z": 1, "x'": 1}, 1)
    assert (tied.status, tied["z"][-1]) == (END, pytest.approx(2))
    assert tied.provenance["rank"] == [2, 2]


def test_a_start_where_bars_are_aligned_names_the_constraint():
    run = simulate(BARS, {"a0": 0, "a1": 0, "b0": 0}, 1)
    assert (run.status, len(run)) == (RANK_LOST, 1)
    assert run.message.startswith("the constraint 'h0' loses rank at t = 0,")
    with pytest.raises(EvaluationError, match="the constraint 'h0' loses rank at the start"):
        simulate(BARS, {"a0": 0, "a1": 0, "b0": 0}, 1, form="frame")


# -- what is proved to need no watch -----------------------------------------------------------------------------
def test_where_the_rank_cannot_fall_nothing_is_watched():
    def watched(system):
        equations = Equations(system.name, "", {q: q.dot for q in system.q} | dict.fromkeys(system.v, ZERO))
        words, numbers, _ = wording_of(replace(equations, parameters=system.defaults), system)
        return rank_watch(words, numbers, 1e-10)

    rod = point(holonomic={"rod": "x^2 + y^2 = 1"})
    for system in (gallery.load("vertical-rolling-disc"), SKATE, rod):
        assert watched(system) is None
    assert isinstance(watched(gallery.load("snakeboard")), RankWatch)
    assert isinstance(watched(slider_crank()), RankWatch)


def test_rows_that_have_a_column_of_their_own_need_no_watch():
    """A trailer of a length that is not zero; of length zero it would turn with its car, where the rows are one."""

    def watched(length):
        car = System.of(
            name="car with a trailer",
            coordinates={"x": "real", "y": "real", "a": "angle", "b": "angle"},
            parameters={"d": length},
            let={"X": "x - d*cos(b)", "Y": "y - d*sin(b)"},
            lagrangian="(x'^2 + y'^2 + X'^2 + Y'^2 + a'^2 + b'^2)/2",
            constraints={"front": "x'*sin(a) = y'*cos(a)", "back": "X'*sin(b) = Y'*cos(b)"},
        )
        words, numbers, _ = wording_of(derive(car, "nonholonomic").equations, car)
        return rank_watch(words, numbers, 1e-10)

    assert watched(0.5) is None
    assert isinstance(watched({"value": 0.5, "sign": "any"}), RankWatch)


def test_the_proof_uses_the_relations():
    x, y = rows = point().q
    assert never_falls(rows, 2, (x**2 + y**2 - 1,))
    assert not never_falls(rows, 2)
    assert not never_falls(rows, 2, (x**2 - y**2,))
    assert never_falls((ONE, x), 2)


# -- along a motion ----------------------------------------------------------------------------------------------
def ends(system, start, values):
    """Return where the multiplier equations come near the loss."""
    q = [start.get(x.data.label, 0.0) for x in system.q]
    v = [start.get(x.data.label, 0.0) for x in system.v]
    return reference(system, *closed(system, q, v, values), 10.0, values)


@pytest.mark.parametrize(
    ("result", "start", "name"),
    [
        (BARS, FALL, "h0"),
        pytest.param(BARS, {"a0": 2.0, "a1": 2.0, "a0'": -1.0, "a1'": -1.0}, "h0", marks=pytest.mark.thorough),
        (SLIDER, CRANK, "across"),
    ],
)
@pytest.mark.thorough("result2-start2-across")
def test_a_loss_ends_the_motion_where_it_happens(result, start, name):
    exact = ends(result.system, start, {})
    assert exact.lost
    q = [x.data.label for x in result.system.q]
    for tolerance in (1e-4, 1e-8, 1e-12):
        run = simulate(result, start, 10, tolerance=tolerance)
        assert run.status == RANK_LOST
        assert not run.success
        assert run.provenance["steps"] == len(run) - 1
        assert f"the constraint '{name}' loses rank at t = " in run.message
        told = float(run.message.split("t = ")[1].split(",")[0])
        assert exact.end < told < 1.03 * exact.end  # it ends a little before the loss
        assert told * (1 - 12 * math.sqrt(tolerance)) < run.t[-1] < told
        until = run.t <= exact.end
        apart = np.abs(np.array([run[x] for x in q]) - exact.motion.sol(run.t)[: len(q)])[:, until]
        assert apart.max() < 300 * tolerance + 1e-10
        assert all(np.isfinite(values).all() for values in run.monitors.values())


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8])
def test_step_ends_miss_the_loss(tolerance):
    """The wrong twin: without looks within the steps the least singular value is far from zero."""
    problem, words, _ = prepare(SLIDER, CRANK, 0.5, tolerance=tolerance)
    motion = integrate(problem)  # nobody watches, and the end is reached
    assert motion.status == END
    a, b = motion.y[0], motion.y[1]
    rows = np.array([[-np.sin(a), -np.sin(b), -np.ones_like(a)], [np.cos(a), np.cos(b), 0 * a]])
    least = np.linalg.svd(np.moveaxis(rows, 2, 0), compute_uv=False)[:, -1]
    assert least.min() > 0.03
    watch = rank_watch(words, problem.parameters, tolerance)
    loss = watch.look(watch.way(motion))
    assert "loses rank" in loss.message


def crossing(both):
    """Return x*u = 0, and y*w = 0 where both are, with u = w = 0 and x, y passing through zero at t = 0.3."""
    holonomic = {"one": "x*u = 0"} | ({"two": "y*w = 0"} if both else {})
    system = System.of(name="p", coordinates="x y u w", lagrangian="(x'^2 + y'^2 + u'^2 + w'^2)/2", holonomic=holonomic)
    result = derive(system, "nonholonomic")
    words, numbers, _ = wording_of(result.equations, result.system)
    times = np.linspace(0, 1, 12)
    points = np.array([times - 0.3, times - 0.3, 0 * times, 0 * times])
    slopes = np.array([1 + 0 * times, 1 + 0 * times, 0 * times, 0 * times])
    return rank_watch(words, numbers, 1e-10), Way(times, points, slopes)


def test_two_losses_at_once_are_seen():
    """A change of sign of det [A; N^T] alone would miss them: x and y change theirs together, x*y does not."""
    one, way = crossing(both=False)
    assert "the constraint 'one' loses rank at t = 0.3" in one.look(way).message
    two, way = crossing(both=True)
    x, y = way.points[:2]
    assert (x * y > 0).all()  # det [A; N^T] with N along x and y
    loss = two.look(way)
    assert "the constraints 'one', 'two' lose rank at t = 0.3" in loss.message
    assert 0.2 < loss.stop < 0.3


def test_backwards_and_branches_that_cross():
    yoke = derive(scotch_yoke(), "nonholonomic")
    there = simulate(yoke, {"a": 0.3, "x": "cos(0.3)", "a'": 3.0}, 5, tolerance=1e-10)
    back = simulate(yoke, {"a": 0.3, "x": "cos(0.3)", "a'": -3.0}, (0, -5), tolerance=1e-10)
    assert there.status == back.status == RANK_LOST
    assert back.t[-1] == pytest.approx(-there.t[-1], abs=1e-6)
    assert "near a = -1.571" in there.message


@cache
def nearly_aligned():
    """Return values with which the bars are nearly aligned on the way, a start, and the motion."""
    values = {"c": 1.001}
    q, v = closed(BARS.system, [1, 1, 0], [0, 0, 0], values)
    return values, dict(zip(("a0", "a1", "b0"), q.tolist(), strict=True)), reference(BARS.system, q, v, 0.8, values)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.thorough("1e-06", "1e-08")
def test_a_motion_that_stays_regular_near_a_loss_goes_on(tolerance):
    values, start, exact = nearly_aligned()
    assert 0.03 < exact.sizes.min() < 0.07
    run = simulate(BARS, start, 0.8, values=values, tolerance=tolerance)
    assert run.status == END
    apart = np.abs(run.y[:3] - exact.motion.sol(run.t)[:3]).max()
    assert apart < 5e3 * tolerance + 1e-9


def test_what_a_tolerance_cannot_tell_from_a_loss_it_does_not_pass():
    values = {"c": 1.00001}
    q, _ = closed(BARS.system, [1, 1, 0], [0, 0, 0], values)
    start = dict(zip(("a0", "a1", "b0"), q.tolist(), strict=True))
    loose, tight = (simulate(BARS, start, 2, values=values, tolerance=e) for e in (1e-6, 1e-9))
    assert loose.status == RANK_LOST
    assert "as far as the tolerance 1e-06 can tell" in loose.message
    assert tight.status == END


# -- what is no loss ---------------------------------------------------------------------------------------------
def test_where_a_choice_of_velocities_fails_the_constraints_lose_nothing():
    fall, rod = "(x'^2 + y'^2)/2 - 9.81*y", {"rod": "x^2 + y^2 = 1"}
    system = System.of(name="rod", coordinates="x y", lagrangian=fall, holonomic=rod)
    run = simulate(derive_in_coordinates(system), {"x": 1, "y": 0}, 5)
    assert (run.status, run.provenance["form"]) == (END, "saddle")
    assert run["x"].min() < 0 < run["x"].max()  # by x' and by y', each of them fails on the way
    assert run["y"].min() < -0.99


RACER = {
    "name": "racer",
    "coordinates": {"x": "real", "y": "real", "th": "angle", "ph": "angle"},
    "parameters": {"d1": 0.5, "d2": 0.2},
    "lagrangian": "7*(x'^2 + y'^2)/10 + 2*th'^2/5 + 3*(th' + ph')^2/20",
}
AXLE = "(d1*cos(ph) + d2)*th' + d2*ph'"


def test_a_loss_of_the_statement_alone_is_no_loss():
    """Where sin(ph) = 0 these rows are parallel, and the same constraints can be stated so that they never are."""
    stated = {"a": f"sin(ph)*x' = cos(th)*({AXLE})", "b": f"sin(ph)*y' = sin(th)*({AXLE})"}
    better = {"a": "x'*sin(th) = y'*cos(th)", "b": f"sin(ph)*(x'*cos(th) + y'*sin(th)) = {AXLE}"}
    start = {"ph": 0.5, "ph'": -0.3, "th'": 0.2}
    one, other = (derive(System.of(**RACER, constraints=c), "nonholonomic") for c in (stated, better))
    run = simulate(one, start, 6, tolerance=1e-10)
    assert run.status == END
    assert run["ph"].min() < 0 < run["ph"].max()
    same = simulate(other, {name: float(run[name][0]) for name in ("ph", "ph'", "th'", "x'", "y'")}, 6, samples=run.t)
    for name in ("x", "y", "th", "ph"):
        np.testing.assert_allclose(run[name], same[name], atol=1e-7)
    words, numbers, _ = wording_of(one.equations, one.system)
    watch = rank_watch(words, numbers, 1e-10)
    at_zero = np.array([0.0, 0.0, 0.3, 0.0])
    rows = watch._matrix(np.zeros(1), at_zero[:, None], np.ones(2))[0]
    assert np.linalg.svd(rows, compute_uv=False)[-1] < 1e-15  # the statement does lose rank there


SKATE = System.of(
    name="skate",
    coordinates={"x": "real", "y": "real", "th": "angle"},
    lagrangian="(x'^2 + y'^2 + th'^2)/2",
    constraints={"blade": "x'*sin(th) = y'*cos(th)"},
)


# -- everywhere --------------------------------------------------------------------------------------------------
ENGINES = ["scipy", "stiff", *(["taylor"] if find_spec("heyoka") else [])]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.thorough("taylor")
def test_every_engine_stops(engine):
    run = simulate(SLIDER, CRANK, 1, engine=engine, tolerance=1e-8)
    assert run.status == RANK_LOST
    assert "the constraint 'across' loses rank at t = 0.2969" in run.message
    assert simulate(SLIDER, CRANK, 0.25, engine=engine, tolerance=1e-8).status == END


def test_fixed_steps_stop():
    run = march(SLIDER.system, CRANK, 1, step=0.01, method="lagrange-dalembert")
    assert run.status == RANK_LOST
    assert run.t[-1] == pytest.approx(0.29)
    assert march(SLIDER.system, CRANK, 0.2, step=0.01, method="lagrange-dalembert").status == END


@pytest.mark.parametrize("tolerance", [pytest.param(1e-4, marks=pytest.mark.thorough), 1e-10])
@pytest.mark.thorough("1e-10")
def test_members_of_an_ensemble_stop_each_for_itself(tolerance, monkeypatch):
    angles = np.array([-2.0, -1.0, 0.5, 1.0, 1.4, 2.0])
    starts = {"a0": angles, "a1": angles, "b0": 0.0}
    run = simulate_ensemble(BARS, starts, 3, tolerance=tolerance)
    assert (run.status == np.where(angles < 0, END, RANK_LOST)).all()
    alone = simulate(BARS, {"a0": 1.0, "a1": 1.0, "b0": 0.0}, 3, tolerance=tolerance)
    assert run.messages[3] == alone.message
    few = simulate_ensemble(BARS, {name: angles[[3, 1]] for name in ("a0", "a1")}, 3, tolerance=tolerance)
    assert few.y.tobytes() == run.y[:, [3, 1]].tobytes()  # whoever else there is
    assert MEANINGS[code_of(RANK_LOST)] == "the constraints lose rank"
    # the wrong twin: lanes that do not look out for it come to an end
    monkeypatch.setattr("dalembert.numerics.ensemble.near_loss.statement_of", lambda _: None)
    assert (simulate_ensemble(BARS, starts, 0.9, tolerance=1e-10).status[2:5] == END).any()


def test_the_command_fails_and_names_the_constraint(tmp_path):
    model = tmp_path / "slider.toml"
    model.write_text(dumps(SLIDER.system))
    pairs = [f"--start={name}={value!r}" for name, value in CRANK.items()]
    ended = command("simulate", str(model), "--as", "nonholonomic", "--time", "1", *map(str, pairs))
    assert ended.status == 1
    assert "the constraint 'across' loses rank at t = 0.296" in " ".join(ended.out.split())
    assert "nan" not in ended.out


# -- many constraints --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("meets", "status"), [("x0 - 1", RANK_LOST), ("x0 + 1", END)])
@pytest.mark.thorough("x0 - 1--8")
def test_the_rank_of_many_constraints_is_watched(meets, status):
    """With x12 = 0 the branches x12 = 0 and x0 = 1 of the last constraint cross on the way; x0 = -1 lies behind."""
    result = derive(coupled(12, f"x12*({meets}) = 0"), "nonholonomic")
    run = simulate(result, {"x0": 0, "x12": 0, "x0'": 1}, 1.5)
    assert run.status == status
    if status == RANK_LOST:
        assert "the constraint 'cross' loses rank at t = " in run.message
        assert 0.999 < run["x0"][-1] < 1
    else:
        assert run["x0"][-1] > 1


def product_of_singular_values(self, times, points, parameters, norms, _=0):
    return np.linalg.svd(self.matrices(times, points, parameters, norms), compute_uv=False).prod(axis=1)


@pytest.mark.parametrize(("wrong", "status"), [(False, END), (True, RANK_LOST)])
@pytest.mark.thorough("False-0")
@pytest.mark.thorough
def test_many_rows_that_shrink_a_little_are_no_loss(wrong, status, monkeypatch):
    """Each of 30 rows falls to a third; the wrong twin is their determinant, which falls to 3^-30."""
    monkeypatch.setenv("DALEMBERT_CACHE", "off")
    monkeypatch.setattr("dalembert.model.ranks.never_falls", lambda *_: False)  # it is proved that these cannot fall
    if wrong:
        monkeypatch.setattr(losses.Statement, "least", product_of_singular_values)
    names = [f"y{i}" for i in range(30)]
    kinetic = " + ".join(f"{name}'^2/2" for name in ("x", *names))
    flat = {f"c{i}": f"(2 + cos(x))*{name} = 0" for i, name in enumerate(names)}
    system = System.of(name="flat", coordinates=" ".join(["x", *names]), lagrangian=kinetic, holonomic=flat)
    assert simulate(derive(system, "nonholonomic"), {"x": 0, "x'": 1}, 4).status == status
