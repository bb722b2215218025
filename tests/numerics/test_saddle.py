"""The saddle form: all velocities and all constraints kept; rows that repeat others; the way through a loss of rank."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from commanding import command
from judging import accelerations, reference
from mechanisms import bricard, bricard_reference
from nonholonomic_systems import PERPENDICULAR, drifting_line, sloping_particle, turning_table
from scipy.integrate import solve_ivp

from dalembert import System, claims, derive, gallery, simulate, simulate_ensemble
from dalembert.analysis.audit import audit
from dalembert.errors import DalembertError, EvaluationError
from dalembert.expr import symbol
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME
from dalembert.expr.walk import evaluate
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.nonholonomic.saddle_point_form import SaddlePointMotion
from dalembert.model.files import load
from dalembert.numerics import leaps
from dalembert.numerics.outcome import END, RANK_LOST
from dalembert.numerics.sweep.plan import equations_from_text, equations_to_text
from dalembert.present.json_export import answer
from dalembert.present.text_writer import in_text
from dalembert.present.things import page_of

LINKAGES = Path(__file__).parent.parent / "linkages"
VIRTUAL = System.of(
    name="pushed along z",
    coordinates="x y z",
    parameters={"g": 2},
    lagrangian="(x'^2 + 2*y'^2 + z'^2)/2 - g*z + x*y",
    constraints={"slope": "z' = (1 + y^2)*x'"},
    virtual={"slope": {"z": "1", "x": "x/3"}},
)
TWICE = {
    "name": "skate stated twice",
    "coordinates": {"x": "real", "y": "real", "th": "angle"},
    "lagrangian": "(x'^2 + y'^2 + th'^2)/2 - x + y/2",
}
BLADE = {"blade": "x'*sin(th) = y'*cos(th)"}
AGAIN = {"again": "2*x'*sin(th) - 2*y'*cos(th) = 0"}


# -- the form ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("system", "start"),
    [
        (drifting_line(), {"x": 0.3, "x'": 1.0}),
        pytest.param(sloping_particle(), {"y": 0.2, "x'": 1.0, "y'": -0.5}, marks=pytest.mark.thorough),
        pytest.param(turning_table(), {"x": 1.0, "theta": 1.0, "phi'": 0.3, "psi'": 0.2}, marks=pytest.mark.thorough),
        (VIRTUAL, {"x": 0.1, "y": 0.4, "x'": 1.0, "y'": 0.3}),
        (PERPENDICULAR, {"x1'": 1.0, "y1'": 3.0, "x2'": -6.0, "y2'": 2.0}),
    ],
)
def test_it_is_the_motion_of_the_usual_frame(system, start):
    result = derive(system, "nonholonomic")
    usual = simulate(result, start, 0.25, tolerance=1e-11)
    saddle = simulate(result, start, 0.25, tolerance=1e-11, form="saddle")
    assert (usual.status, saddle.status) == (END, END)
    assert saddle.names == tuple(v.data.label for v in (*system.q, *system.v))
    for q in system.q:
        assert saddle[q.data.label][-1] == pytest.approx(usual[q.data.label][-1], abs=1e-9)
    assert saddle.provenance["form"] == "saddle"
    name = next(iter(system.constraints))
    gap = np.interp(saddle.t, usual.t, usual[f"multiplier {name}"]) - saddle[f"multiplier {name}"]
    assert abs(gap[0]) < 1e-9


def test_accelerations_are_those_of_the_multipliers_at_any_point():
    for system in (VIRTUAL, turning_table(), PERPENDICULAR):
        saddle = derive(system, "nonholonomic").saddle_form()
        rates = saddle.equations.rates()
        point = {v: 0.3 + 0.17 * i for i, v in enumerate((*system.q, *system.v))}
        point |= {p: float(v) for p, v in system.defaults.items()}
        found = evaluate([rates[v] for v in system.v], Floats(point))
        assert found == pytest.approx(evaluate(by_multipliers(system)[0], Floats(point)), rel=1e-10)


def test_chetaev_in_place_of_the_virtual_rows_is_another_motion():
    """The wrong twin: A^T where W^T belongs."""
    plain = VIRTUAL.but(virtual=None)
    start = {"x": 0.1, "y": 0.4, "x'": 1.0, "y'": 0.3}
    one, other = (simulate(derive(s, "nonholonomic"), start, 0.25, form="saddle") for s in (VIRTUAL, plain))
    assert abs(one["x"][-1] - other["x"][-1]) > 1e-3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"form": "pivots"}, "there is no form 'pivots'; use saddle"),
        ({"form": "frame", "through": True}, "goes through a loss of rank in saddle form only"),
        ({"through": True, "engine": "scipy"}, "only the native engine goes through a loss of rank"),
    ],
)
def test_what_cannot_be_asked_for(words, sentence):
    with pytest.raises(DalembertError, match=sentence):
        simulate(derive(drifting_line(), "nonholonomic"), {"x'": 1}, 1, **words)


def test_speeds_are_understood_in_it():
    """The state is that of the coordinates; a start and a question may be said by the speed."""
    along = {"v": "x'*cos(th) + y'*sin(th)"}
    result = derive(System.of(**TWICE, speeds=along, constraints=BLADE), "nonholonomic")
    again = derive(System.of(**TWICE, speeds=along, constraints=BLADE | AGAIN), "nonholonomic")
    start = {"th": 0.3, "v": 1, "th'": 1.1}
    usual, saddle = (simulate(result, start, 2, tolerance=1e-11, form=form) for form in (None, "saddle"))
    repeated = simulate(again, start, 2, tolerance=1e-11)
    assert "v" in usual.names
    assert saddle.names == repeated.names == ("x", "y", "th", "x'", "y'", "th'")
    for run in (saddle, repeated):
        assert [run[n][-1] for n in ("x", "v")] == pytest.approx([usual[n][-1] for n in ("x", "v")], abs=1e-9)
    assert abs(saddle["x'"][-1] - usual["v"][-1]) > 1e-3  # the wrong twin: v is not the velocity along x


def test_its_page_has_the_rows_and_their_multipliers():
    once, twice = (derive(System.of(**TWICE, constraints=c), "nonholonomic") for c in (BLADE, BLADE | AGAIN))
    usual, saddle = (in_text(page_of(result)) for result in (once, twice))
    assert "x''  = 2*lambda_again*sin(th) + lambda_blade*sin(th) - 1" in saddle
    assert "constraint again repeats others" in saddle
    assert "lambda" not in usual  # the wrong twin: a frame has no multipliers in its equations


def test_equations_carry_it_without_their_system():
    result = derive(System.of(**TWICE, constraints=BLADE), "nonholonomic")
    start = {"x": 0, "y": 0, "th": 0.3, "x'": float(np.cos(0.3)), "y'": float(np.sin(0.3)), "th'": 1.1}
    known = simulate(result, start, 1, form="saddle")
    assert simulate(result.equations, start, 1, form="saddle")["x"][-1] == known["x"][-1]
    with pytest.raises(
        DalembertError, match="have no saddle form to change to: there is one of nonholonomic and reduced motion"
    ):
        simulate(replace(result.equations, saddle_form=None), start, 1, form="saddle")


def test_there_is_none_without_constraints():
    fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    with pytest.raises(
        DalembertError, match="have no saddle form to change to: there is one of nonholonomic and reduced motion"
    ):
        simulate(derive(fall, "euler-lagrange"), {"z": 1}, 1, form="saddle")


# -- rows that repeat others -------------------------------------------------------------------------------------
START = {"th": 0.3, "th'": 1.1, "x'": "cos(0.3)", "y'": "sin(0.3)"}


def test_a_constraint_stated_twice_changes_nothing_but_the_multipliers():
    once, twice = (derive(System.of(**TWICE, constraints=c), "nonholonomic") for c in (BLADE, BLADE | AGAIN))
    assert isinstance(twice, SaddlePointMotion)
    alone = simulate(once, START, 2, tolerance=1e-11, form="saddle")
    both = simulate(twice, START, 2, tolerance=1e-11)
    assert both.provenance["rank"] == [1, 0]
    for name in ("x", "y", "th", "constraint force x", "constraint force y"):
        assert both[name][-1] == pytest.approx(alone[name][-1], abs=1e-9)
    # of least norm, with rows scaled: both carry half of what one carries alone, the second in its own units
    half = alone["multiplier blade"][-1] / 2
    assert both["multiplier blade (least norm)"][-1] == pytest.approx(half, abs=1e-9)
    assert both["multiplier again (least norm)"][-1] == pytest.approx(half / 2, abs=1e-9)


@cache
def linkage():
    return derive(bricard(bars=True), "nonholonomic")


@pytest.mark.thorough
def test_bricard_with_all_five_equations():
    run = simulate(linkage(), None, 1.2, tolerance=1e-9)
    assert (run.status, run.provenance["rank"]) == (END, [4, 4])
    end = np.array([run[q.data.label][-1] for q in linkage().system.q])
    assert np.abs(end - bricard_reference(linkage().system, 1.2)).max() < 1e-7
    assert 0 < run.provenance["projection"]["positions"] < 1e-7


def test_with_a_rank_too_high_accelerations_are_nonsense():
    """The wrong twin: rows that repeat others where the constraints hold, taken for independent ones beside that."""
    equations = linkage().equations
    places = [0.3, 0.2407, -0.3, -0.2407, -0.3001, 0.5, 0.4, -0.5, -0.4, -0.5]
    point = {
        **dict(zip(equations.state, places, strict=True)),
        **{p: float(v) for p, v in equations.parameters.items()},
    }
    all_rows = replace(equations, saddle=replace(equations.saddle, rank=5))
    right, wrong = (np.array(evaluate(list(e.rates().values()), Floats(point))) for e in (equations, all_rows))
    assert np.abs(right).max() < 100
    assert np.abs(right - wrong).max() > 500


def test_what_repeats_others_is_written_as_rows():
    result = derive(System.of(**TWICE, constraints=BLADE | AGAIN), "nonholonomic")
    told = json.loads(json.dumps(answer(result)))
    assert list(told["field"]) == told["state"]
    assert told["saddle"]["rank"] == 1
    assert told["saddle"]["constraints"] == ["blade", "again"]
    assert told["saddle"]["rows"][0] == ["sin(th)", "-cos(th)", "0"]
    assert equations_from_text(equations_to_text(result.equations)) == result.equations
    kinds = {claim.name: claim.verdict.kind for claim in claims(result)}
    assert kinds["constraint again repeats others"] == "certain"
    assert kinds["energy conserved"] in {"proved", "certain"}
    assert audit(simulate(result, START, 1), result).drifts[0].conserved.holds is True


def test_a_force_that_works_changes_the_energy_where_constraints_repeat_others():
    """Its power is a function of the state, for which no accelerations are needed: it was left open before."""
    pushed = derive(System.of(**TWICE, constraints=BLADE | AGAIN, forces={"x": "-x'"}), "nonholonomic")
    told = {claim.name: claim.verdict for claim in claims(pushed)}["energy conserved"]
    assert told.holds is False
    assert "where the equations hold" in told.evidence
    across = {"x": "sin(th)", "y": "-cos(th)"}  # along which the blade does not let it move
    held = derive(System.of(**TWICE, constraints=BLADE | AGAIN, forces=across), "nonholonomic")
    assert {claim.name: claim.verdict for claim in claims(held)}["energy conserved"].holds is True
    moving = {"blade": "x'*sin(th) - y'*cos(th) = 1", "again": "3*x'*sin(th) - 3*y'*cos(th) = 3"}
    driven = derive(System.of(**TWICE, constraints=moving, forces={"x": "-x'"}), "nonholonomic")
    assert {claim.name: claim.verdict for claim in claims(driven)}["energy conserved"].holds is None


def test_members_of_an_ensemble_are_the_single_motions():
    result = derive(drifting_line(), "nonholonomic").saddle_form()
    speeds = np.array([0.5, 1.0, 2.0, -1.0, 0.1])
    run = simulate_ensemble(result, {"x'": speeds}, 1.5)
    for k, speed in enumerate(speeds.tolist()):
        alone = simulate(result, {"x'": speed}, 1.5)
        np.testing.assert_allclose(run.y[:, k], alone.y[:, -1], rtol=0, atol=1e-12)
    few = simulate_ensemble(result, {"x'": speeds[[3, 1]]}, 1.5)
    assert few.y.tobytes() == run.y[:, [3, 1]].tobytes()  # whoever else there is


# -- where the usual frame has no finite choice ------------------------------------------------------------------
def test_a_frame_that_divides_by_zero_on_the_way_is_not_trusted():
    """y1' passes zero, by which the usual frame divides; its steps pass over that and lose the motion."""
    result, start = derive(PERPENDICULAR, "nonholonomic"), {"x1'": 1, "y1'": 0.3, "x2'": -0.6, "y2'": 2}
    run = simulate(result, start, 2, tolerance=1e-8)
    assert run.provenance["form"] == "saddle"
    fine = simulate(result, start, 2, tolerance=1e-12, form="saddle")
    assert abs(run["x1"][-1] - fine["x1"][-1]) < 1e-6
    twin = simulate(result, start, 2, tolerance=1e-8, form="frame")  # in this frame alone the motion ends there
    assert twin.status < 0
    assert abs(twin["y1'"][-1]) < 1e-3


def test_the_kinetic_energy_is_named_where_it_degenerates():
    sphere = System.of(
        name="on a sphere",
        coordinates={"th": "angle", "ph": "angle", "z": "real"},
        lagrangian="(th'^2 + sin(th)^2*ph'^2 + z'^2)/2",
        constraints={"lift": "z' = th'"},
    )
    result = derive(sphere, "nonholonomic")
    with pytest.raises(EvaluationError, match=r"the kinetic energy degenerates at the start, th = 0"):
        simulate(result, {"th": 0, "th'": 1, "ph'": 0}, 1, form="saddle")
    assert simulate(result, {"th": 1, "th'": 1, "ph'": 0}, 1, form="saddle").status == END


# -- through a loss of rank --------------------------------------------------------------------------------------
def parallelogram(time):
    """Return the angle of the cranks after a while: on its branch the linkage is a pendulum."""

    def rates(_, y):
        return [y[1], -1.2 * 9.81 * np.cos(y[0])]

    return solve_ivp(rates, (0, time), [1, 0], method="DOP853", rtol=1e-13, atol=1e-13).y[0, -1]


@pytest.mark.parametrize(("tolerance", "error"), [pytest.param(1e-8, 3e-6, marks=pytest.mark.thorough), (1e-11, 1e-7)])
def test_four_bars_go_through_where_they_are_aligned(tolerance, error):
    bars = derive(load(LINKAGES / "four_bar.toml"), "nonholonomic")
    run = simulate(bars, None, 2, tolerance=tolerance, through=True)
    assert run.status == END
    angle = parallelogram(2)
    assert abs(run["a0"][-1] - angle) < error
    assert abs(run["a1"][-1] - angle) < error
    crossed = [one["time"] for one in run.provenance["rank_losses"]]
    sines = np.sin(run.dense(np.linspace(0, 2, 4001))[0])
    assert len(crossed) == np.count_nonzero(np.diff(np.sign(sines)))  # every one is reported
    assert f"lost rank {len(crossed)} times on the way" in run.message
    assert "others exist" in run.message
    for one in run.provenance["rank_losses"]:
        assert one["names"] == ("x0",)
        assert abs(np.sin(run.at([one["time"]])["a0"][0])) < 1e-5  # when it happened
        assert max(one["moved"], one["energy"]) <= 10 * max(tolerance, 1e-11)


def test_without_being_asked_it_stops():
    bars = derive(load(LINKAGES / "four_bar.toml"), "nonholonomic")
    run = simulate(bars, None, 3, form="saddle")
    assert run.status == RANK_LOST
    assert "the constraint 'x0' loses rank at t = " in run.message
    told = float(run.message.split("t = ")[1].split(",")[0])
    assert told == pytest.approx(0.512086, abs=1e-4)
    assert run.t[-1] <= told


def test_a_start_where_the_rank_is_lost_is_a_loss_at_once():
    bars = derive(load(LINKAGES / "four_bar.toml"), "nonholonomic")
    run = simulate(bars, {"a0": 0, "a1": 0, "b0": 0}, 1, form="saddle")
    assert (run.status, run.t[-1]) == (RANK_LOST, 0)
    assert "the constraint 'x0' loses rank at t = 0," in run.message


def test_a_leap_that_is_no_motion_is_refused(monkeypatch):
    """The wrong twin: states that are not those of a smooth motion lead beside the constraints."""
    bars = derive(load(LINKAGES / "four_bar.toml"), "nonholonomic")
    smooth = leaps._hermite

    def bent(nodes, values, slopes):
        at, wrong = smooth(nodes, values, slopes), 1e-4 * np.sin(1 + np.arange(values.shape[1]))[:, None]
        return lambda times: at(times) + wrong

    monkeypatch.setattr(leaps, "_hermite", bent)
    run = simulate(bars, None, 3, through=True)
    assert run.status == RANK_LOST
    assert "so that it is none" in run.message


def test_events_on_a_leap_are_found():
    bars = derive(load(LINKAGES / "four_bar.toml"), "nonholonomic")
    run = simulate(bars, None, 1, through=True, events={"level": "a0 = 0"})
    assert len(run.events["level"]) == 1
    assert run.events["level"][0] == pytest.approx(run.provenance["rank_losses"][0]["time"], abs=1e-4)
    ended = simulate(bars, None, 1, through=True, events={"level": "a0 = 0 stop"})
    assert ended.t[-1] == pytest.approx(run.events["level"][0], abs=1e-9)


def test_perpendicular_velocities_go_through_rest():
    """With accelerations (g/2)(1, -1) and (g/2)(-1, -1) the velocities stay perpendicular, also where both vanish."""
    result, rest, time = derive(PERPENDICULAR, "nonholonomic"), 0.5, 1.3
    ways = np.array([5.0, -5.0, -5.0, -5.0])
    start = dict(zip(("x1'", "y1'", "x2'", "y2'"), (-rest * ways).tolist(), strict=True))
    exact = ways * ((time - rest) ** 2 - rest**2) / 2
    for tolerance in (1e-6, 1e-10):
        run = simulate(result, start, time, tolerance=tolerance, through=True)
        assert run.status == END
        assert np.abs(run.y[:4, -1] - exact).max() < 1e-11
        assert run.provenance["rank_losses"][0]["time"] == pytest.approx(rest, abs=1e-6)


@pytest.mark.thorough
def test_the_command_goes_through_and_says_so():
    path = str(LINKAGES / "slider_crank.toml")
    ended = command("simulate", path, "--as", "nonholonomic", "--time", "0.5", "--through")
    assert ended.status == 0
    told = " ".join(ended.out.split())
    assert "The constraint 'across' lost rank once on the way, at t = 0.24988" in told
    assert told.count("rank lost at t = ") == 1
    assert "projection: moved velocities by up to" in told
    stopped = command("simulate", path, "--as", "nonholonomic", "--form", "saddle", "--json")
    assert stopped.status == 1
    assert json.loads(stopped.out)["form"] == "saddle"
    free = command("simulate", path, "--as", "nonholonomic", "--time", "0.2", "--no-projection", "--json")
    assert "projection" not in json.loads(free.out)


def test_the_json_of_repeated_constraints_has_accelerations():
    told = {"coordinates": "x y z", "lagrangian": "(x'^2 + 2*y'^2 + z'^2)/2 - z", "holonomic": {"once": "x*y + z = 1"}}
    alone = System.of(name="sheet", **told)
    again = alone.but(constraints={"twice": "x'*y + x*y' + z' = 0"})
    shown, plain = (answer(derive(one, "nonholonomic"), {}, ()) for one in (again, alone))
    assert set(shown["field"]) == set(shown["state"])
    wrong = {**shown, "field": {**shown["field"], "x'": "0"}}
    values = {"x": 0.4, "y": 0.7, "z": 0.72, "x'": 0.3, "y'": -0.2}
    values["z'"] = -(values["x'"] * values["y"] + values["x"] * values["y'"])
    state = {alone.vocabulary.symbol(n): v for n, v in values.items()}
    found, expected, twin = (
        accelerations(alone, one, {symbol(TIME): 0.0, **state})[2] for one in (shown, plain, wrong)
    )
    assert found == pytest.approx(expected, abs=1e-12)
    assert twin != pytest.approx(expected, abs=1e-3)


def test_the_json_of_a_linkage_holds_where_its_velocities_fail():
    """Four equal bars with the crank on the ground: the other two turn as one, and their velocities are dependent."""
    bars = load(LINKAGES / "four_bar.toml")
    result = derive(bars, "nonholonomic")
    shown = json.loads(json.dumps(answer(result, {}, ())))
    assert shown["state"] == ["a0", "a1", "b0", *shown["saddle"]["velocities"]]
    parameters = {p: float(value) for p, value in bars.defaults.items()}
    q, v = np.array([0.0, 0.7, 0.7]), np.array([0.0, 1.3, 1.3])
    wanted = reference(bars, q, v, 0.0, parameters)
    point = {**parameters, symbol(TIME): 0.0, **dict(zip((*bars.q, *bars.v), (*q, *v), strict=True))}
    assert accelerations(bars, shown, point)[2] == pytest.approx(wanted, abs=1e-8)
    with pytest.raises(EvaluationError, match="singular here"):
        evaluate(list(result.equations.rates().values()), Floats(point))
    assert "saddle" not in answer(derive(gallery.load("snakeboard"), "nonholonomic"), {}, ())
