"""What is measured along motions: drifts, residuals, two methods compared; each with a twin that must be told apart."""

import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from motions import OSCILLATOR

from dalembert import derive, gallery, parse
from dalembert.analysis.agreement import compare_engines, compare_formalisms
from dalembert.analysis.audit import audit
from dalembert.analysis.constants import _energy, _rates
from dalembert.errors import DalembertError, WrongKind
from dalembert.expr import log, sqrt, symbol
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ONE, ZERO, number
from dalembert.mechanics.nonholonomic.linear_constraints import derive_in_coordinates
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.table import waits
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.simulate import simulate

DISC = derive(gallery.load("vertical-rolling-disc"), "nonholonomic")
KEPLER = derive(gallery.load("kepler"), "euler-lagrange")
ROBOT = derive(gallery.load("two-wheeled-robot"), "nonholonomic")


def test_what_is_constant_is_decided_and_how_constant_is_measured():
    run = simulate(KEPLER, time=10, tolerance=1e-13)
    found = audit(run, KEPLER)
    assert [d.name for d in found.drifts] == ["energy", "momentum e1", "momentum e2", "momentum e3"]
    assert all(d.conserved.holds for d in found.drifts)
    assert found.worst < 1e-12
    assert {c.verdict.kind for c in found.claims} == {"measured"}
    energy = next(c for c in found.claims if c.name == "drift of energy")
    assert "engine native, tolerance 1e-13" in energy.verdict.evidence
    assert "that it is constant is" in energy.verdict.evidence


def test_what_is_not_constant_is_no_claim():
    pushed = derive(KEPLER.system.but(forces={"x": "y'"}), "euler-lagrange")
    found = audit(simulate(pushed, time=2), pushed)
    assert [d.name for d in found.conserved] == ["momentum e1"]  # the push is along x, as is this axis
    assert found.drifts[0].conserved.holds is False
    assert found.drifts[0].absolute > 0.01
    assert [c.name for c in found.claims] == ["drift of momentum e1", "equations"]


def constants(system, formalism, start, time=2):
    """Return what is said to be constant, having seen that nothing which moves is said to be."""
    result = derive(system, formalism)
    assert result.equations.implicit
    drifts = audit(simulate(result, start, time, tolerance=1e-12), result).drifts
    assert not [d.name for d in drifts if d.conserved.holds is True and d.relative > 1e-8]
    return {d.name: d.conserved.holds for d in drifts}


PLACE = {"x": 1, "x'": 0.6, "y'": 0.8}


@pytest.mark.parametrize(("potential", "multiplier"), [("x^2/2", False), ("0", True)], ids=["spring", "none"])
def test_a_multiplier_is_constant_only_where_its_rate_is_zero(potential, multiplier):
    """It is an implicit unknown, and follows from its residual: without a rate of its own it is not at rest."""
    system = System.of(
        name="cone",
        coordinates="x y z",
        lagrangian=f"(x'^2 + y'^2 + 2*z'^2)/2 - ({potential})",
        constraints={"c": "x'^2 + y'^2 - z'^2 = 1"},
    )
    found = constants(system, "vakonomic", {**PLACE, "y'": 1.2, "z'": 0.8**0.5, "multiplier c": 0.2})
    momenta = [found.pop(name) for name in list(found) if name.startswith("momentum")]  # of symmetries that are found
    assert all(momenta)
    assert found == {"energy": True, "multiplier c": multiplier, "c": True}


@pytest.mark.thorough
def test_two_nonlinear_constraints_and_a_holonomic_one():
    two = System.of(
        name="two circles",
        coordinates="x y z w",
        lagrangian="(x'^2 + 2*y'^2 + 3*z'^2 + 4*w'^2)/2 - x*z",
        constraints={"c": "x'^2 + y'^2 = 1", "d": "z'^2 + w'^2 = 1"},
        symmetry={"up": {"y": 1}},
    )
    start = {**PLACE, "z'": 0.8, "w'": 0.6, "multiplier c": 0.2, "multiplier d": 0.1}
    assert [name for name, held in constants(two, "vakonomic", start).items() if held] == [
        "energy", "momentum up", "c", "d"
    ]  # fmt: skip
    ring = System.of(
        name="ring",
        coordinates="x y z",
        lagrangian="(x'^2 + 2*y'^2 + 3*z'^2)/2 - y",
        constraints={"c": "x'^2 + y'^2 + z'^2 = 1"},
        holonomic={"h": "x^2 + y^2 = 1"},
    )
    start = {"x": 1, "y'": 0.8, "z'": 0.6, "multiplier c": 0.2, "multiplier h": 0}
    assert [name for name, held in constants(ring, "vakonomic", start).items() if held] == ["energy", "c", "h"]


def test_nothing_is_refuted_off_the_constraint():
    """Energy is kept where the cubic constraint holds, not elsewhere; where it is not homogeneous energy is not."""
    cubic = System.of(
        name="cubic",
        coordinates="x y z",
        lagrangian="(x'^2 + 2*y'^2 + 3*z'^2)/2 - x*z",
        constraints={"c": "x'^3 + y'^3 + z'^3 = 0"},
    )
    start = {**PLACE, "z'": -((0.6**3 + 0.8**3) ** (1 / 3))}
    assert constants(cubic, "nonholonomic", start)["energy"] is not False
    uneven = cubic.but(constraints={"c": "x'^3 + y'^3 + z'^3 = 1"})
    start = {**PLACE, "z'": (1 - 0.6**3 - 0.8**3) ** (1 / 3)}
    assert constants(uneven, "nonholonomic", start, 0.5)["energy"] is not True


def test_what_is_constant_on_a_holonomic_constraint_only():
    ring = derive(
        System.of(name="ring", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - y", holonomic={"h": "x^2 + y^2 = 1"}),
        "nonholonomic",
    )
    words = ring.system.vocabulary
    given = {"true": parse("t*(x^2 + y^2)^2 - t", words), "false": parse("t*(x^2 + y^2)^2 + t", words)}
    measured = audit(simulate(ring, {"x": 1, "y'": 1}, 1), ring, given)
    assert measured.defect < 1e-6  # the motion cannot begin in the first frame, and is measured in the one it had
    found = {d.name: d.conserved.holds for d in measured.drifts}
    assert found["true"] is True
    assert found["false"] is False


def test_a_coarse_run_drifts_more():
    coarse = audit(simulate(ROBOT, time=3, tolerance=1e-4), ROBOT)
    fine = audit(simulate(ROBOT, time=3, tolerance=1e-12), ROBOT)
    assert coarse.worst > 1e3 * fine.worst
    assert max(coarse.residuals.values()) > 1e3 * max(fine.residuals.values())
    assert coarse.defect > 1e3 * fine.defect


@pytest.mark.parametrize("engine", ["native", "scipy", "taylor"])
@pytest.mark.thorough("scipy")
def test_constraints_hold_on_the_differentiated_dense_output(engine):
    found = audit(simulate(DISC, time=4, tolerance=1e-13, engine=engine), DISC)
    assert set(found.residuals) == {"rolls_in_x", "rolls_in_y"}
    assert max(found.residuals.values()) < 1e-10
    assert found.defect < 1e-10


def test_a_dense_output_that_slips_is_seen():
    run = simulate(DISC, time=4, tolerance=1e-12)
    dense = run.dense

    def slipping(times):
        states = np.array(dense(times))
        states[run.names.index("x")] += 1e-4 * np.sin(5 * np.asarray(times))
        return states

    found = audit(replace(run, dense=slipping), DISC)
    assert found.residuals["rolls_in_x"] == pytest.approx(5e-4, rel=0.1)
    assert found.residuals["rolls_in_y"] < 1e-9


def test_further_integrals_and_impostors():
    words = DISC.system.vocabulary
    given = {"true": parse("psi'*x - R*sin(psi)*phi'", words), "false": parse("psi'*x + R*sin(psi)*phi'", words)}
    found = audit(simulate(DISC, time=4), DISC, given)
    by_name = {d.name: d for d in found.drifts}
    assert by_name["true"].conserved.holds is True
    assert by_name["true"].relative < 1e-9
    assert by_name["false"].conserved.holds is False
    assert by_name["false"].relative > 0.1
    assert "drift of false" not in {c.name for c in found.claims}


def test_monitors_are_read_once_with_their_terms():
    """An audit reads states: the monitors of the motion, which would be a second pass, still wait after it."""
    result = derive(gallery.load("snakeboard"), "nonholonomic")
    run = simulate(result, time=1)
    found = {drift.name: drift for drift in audit(run, result).drifts}
    assert waits(run.monitors)
    for name, values in run.monitors.items():
        assert found[name].first == values[0]
        assert found[name].absolute == np.max(np.abs(values - values[0]))


def test_the_scale_is_the_largest_term():
    far = derive(
        System.of(name="far", coordinates="z", parameters={"g": 10}, lagrangian="z'^2/2 - g*(z - 1000)"),
        "euler-lagrange",
    )
    found = audit(simulate(far, {"z": 1000, "z'": 30}, 3), far)
    assert found.drifts[0].scale == pytest.approx(900)  # z'^2, of which a half is taken away
    nothing = audit(simulate(far, {"z": 1000}, 0), far)
    assert nothing.drifts[0].relative == 0


@pytest.mark.thorough
def test_an_audit_without_dense_output_still_has_drifts(tmp_path):
    simulate(DISC, time=2).save(tmp_path / "run.nc")
    found = audit(Trajectory.load(tmp_path / "run.nc"), DISC)
    assert found.defect is None
    assert [c.name for c in found.claims] == ["drift of energy"]


def test_values_functions_and_controls_of_the_run_are_used():
    driven = derive(
        System.of(
            name="driven",
            coordinates="x",
            parameters={"m": 1},
            functions={"V": {"of": ["x"]}},
            lagrangian="m*x'^2/2 - V(x)",
            forces={"x": "u"},
            controls={"u": {}},
        ),
        "euler-lagrange",
    )
    run = simulate(driven, {"x": 1}, 2, values={"m": 3}, functions={"V": "x^4", "u": "-x'"}, tolerance=1e-11)
    found = audit(run, driven)
    assert found.defect < 1e-6
    assert found.drifts[0].first == pytest.approx(1)
    free = simulate(driven, {"x": 1}, 2, functions={"V": "x^4", "u": "0"}, tolerance=1e-11)
    assert audit(free, driven).drifts[0].relative < 1e-8


def test_plain_equations_will_do():
    found = audit(simulate(OSCILLATOR, {"x": 1, "y": 0}, 5, tolerance=1e-12), OSCILLATOR)
    assert [c.name for c in found.claims] == ["drift of energy", "equations"]
    assert found.worst < 1e-10


def test_an_audit_as_json():
    told = audit(simulate(DISC, time=1), DISC).to_json()
    assert set(told) == {"drifts", "constraint_residuals", "defect", "claims"}
    assert told["drifts"]["energy"]["conserved"] in {"proved", "certain"}
    assert told["claims"][0]["verdict"] == "measured"


@pytest.mark.parametrize("engines", [("native", "scipy"), ("taylor", "native")])
def test_two_engines_agree(engines):
    found = compare_engines(DISC, time=3, engines=engines)
    assert found.agree
    assert found.difference < 1e-8
    assert found.claim.verdict.kind == "measured"


def test_two_formalisms_agree_and_a_wrong_one_does_not():
    other = derive(DISC.system, "chaplygin")
    assert compare_formalisms([DISC, other], time=3).agree
    heavy = derive(DISC.system.but(lagrangian="(x'^2 + y'^2)/2 + phi'^2/4 + psi'^2/8 - x"), "nonholonomic")
    found = compare_formalisms([DISC, heavy], time=3)
    assert not found.agree
    assert found.claim.verdict.kind == "undecided"
    assert "more than errors explain" in found.claim.verdict.evidence
    assert found.difference > 0.01


def test_there_is_nothing_to_compare_where_a_motion_fails():
    falling = derive(System.of(name="well", coordinates="x", lagrangian="x'^2/2 + x^4"), "euler-lagrange")
    with pytest.raises(DalembertError, match=r"nothing to compare: .* grows without bound"):
        compare_engines(falling, {"x": 1}, 9)


# -- motions that begin, or pass, where a frame is degenerate -------------------------------------------
ROD = System.of(
    name="rod", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - 9.81*y", holonomic={"rod": "x^2 + y^2 = 1"}
)
QUATERNION = System.of(
    name="quaternion",
    coordinates="a b c d",
    lagrangian="2*(a*b' - b*a' + c*d' - d*c')^2 + 4*(a*c' - c*a' + d*b' - b*d')^2 + 6*(a*d' - d*a' + b*c' - c*b')^2",
    holonomic={"unit": "a^2 + b^2 + c^2 + d^2 = 1"},
)


@pytest.mark.parametrize(
    ("system", "start"),
    [
        (ROD, {"x": 1, "y": 0}),
        (ROD, {"x": 0, "y": -1, "x'": 3}),
        (ROD, {"x": 0.6, "y": -0.8}),
        (QUATERNION, {"a": 1, "b'": 0.1, "c'": 0.5, "d'": 0.02}),
        (QUATERNION, {"d": 1, "b'": 0.1, "c'": 0.5}),
    ],
)
@pytest.mark.thorough("system3-start3", "system4-start4")
def test_a_right_motion_has_a_small_audit_wherever_it_begins(system, start, monkeypatch):
    result = derive(system, "nonholonomic")
    run = simulate(result, start, 3)
    measured = audit(run, result)
    assert measured.worst < 1e-7
    assert measured.defect < 1e-5
    assert max(measured.residuals.values()) < 1e-5
    assert all(np.isfinite(list(d.numbers.values())).all() for d in measured.drifts)
    assert "NaN" not in json.dumps(measured.to_json())
    if [v.data.label for v in (*result.equations.state, *result.equations.reconstruction)] != list(run.names):
        # the wrong twin: read in a frame that fails on the way, the same motion looks wrong
        monkeypatch.setattr("dalembert.analysis.audit.equations_followed", lambda of, *_: of)
        monkeypatch.setattr("dalembert.analysis.audit._refuse_other_motion", lambda *_: None)
        wrong = audit(run, result)
        assert wrong.defect > 1e-3 or not np.isfinite(wrong.worst)


@pytest.mark.thorough
def test_monitors_are_read_in_the_form_that_the_motion_was_in():
    """The velocities of a rod divide by x or by y, and its energy and multiplier are garbled beside their zeros."""
    result = derive_in_coordinates(ROD)
    run = simulate(result, {"x": 0.6, "y": -0.8, "x'": 4, "y'": 3}, 3, samples=20_001)
    assert run.provenance["form"] == "saddle"
    assert np.abs(run["energy"] - run["energy"][0]).max() < 1e-6
    speed = run["x'"] ** 2 + run["y'"] ** 2
    pull = 9.81 * run["y"] - speed  # 2 lambda = x x'' + y y'' + g y
    np.testing.assert_allclose(2 * run["multiplier rod"], pull, atol=1e-6)


def test_what_has_no_value_is_no_constant():
    x = symbol("x")
    still = Equations("still", "by hand", {x: ZERO}, monitors={"root": sqrt(x - 2), "log": log(x)})
    measured = audit(simulate(still, {"x": 1}, 1), still)
    root, real = measured.drifts
    assert (root.conserved.kind, root.shown[0]) == ("undecided", "no value")
    assert "has no value on this motion" in root.conserved.evidence
    assert real.conserved.holds
    assert measured.claims[0].name == "drift of log"
    told = measured.to_json()["drifts"]
    assert told["root"]["first"] is told["root"]["relative"] is None
    assert told["log"]["relative"] == 0


def test_monitors_are_differentiated_in_one_pass(monkeypatch):
    """Those of constraints share one solve: one by one, each of 96 took as long as all together."""
    asked = []

    def counted(expressions, seed):
        asked.append(len(expressions))
        return tangent(expressions, seed)

    monkeypatch.setattr("dalembert.analysis.constants.tangent", counted)
    found = audit(simulate(ROBOT, time=1), ROBOT)
    assert asked[0] == len(found.drifts) - 1 > 1  # of the energy the formalism knows
    assert 1 not in asked[: -len(ROBOT.system.q)]  # the rest are the coordinates of the dense output


def test_a_rate_that_cannot_be_had_leaves_the_others(monkeypatch):
    x = symbol("x")

    def failing(expressions, seed):
        if x in expressions:
            raise DalembertError("no rate.")
        return tangent(expressions, seed)

    monkeypatch.setattr("dalembert.analysis.constants.tangent", failing)
    found = _rates({"bad": x, "good": x**2, "other": 3 * x}, {x: ONE})
    assert str(found.pop("bad")) == "no rate."
    assert found == {"good": 2 * x, "other": number(3)}


def test_a_motion_whose_positions_were_found_is_audited_in_its_form():
    """With b and c left out a frame was once chosen where both are zero, and the motion refused as another's."""
    linkage = System.of(
        name="linkage",
        coordinates={"a": "angle", "b": "angle", "c": "angle"},
        lagrangian="(a'^2 + b'^2 + c'^2)/2 - sin(a) - 2*sin(c)",
        holonomic={"across": "cos(a) + 2*cos(b) - cos(c) = 2", "up": "sin(a) + 2*sin(b) - sin(c) = 0"},
        start={"a": 1.2, "a'": 0.4},
    )
    result = derive(linkage, "nonholonomic")
    run = simulate(result, time=1)
    measured = audit(run, result)
    assert {drift.name for drift in measured.drifts} >= {"energy"}
    assert measured.defect < 1e-6
    with pytest.raises(WrongKind, match="not of the equations"):  # the twin: a motion of other equations is refused
        audit(run, derive(linkage.but(holonomic={"across": "cos(a) + 2*cos(b) - cos(c) = 2"}), "nonholonomic"))


@pytest.mark.parametrize(("force", "kind"), [("0", True), ("-z'", False)])
def test_a_motion_says_of_the_energy_what_its_formalism_says(force, kind):
    """It knows more of it than the rate, which decides nothing with many loops; of nothing else it is asked."""
    fall = derive(
        System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z", forces={"z": force}), "euler-lagrange"
    )
    found = _energy(fall, fall.equations.monitors)
    assert {name: verdict.holds for name, verdict in found.items()} == {"energy": kind}
    assert _energy(fall, {"z": ONE}) == {}


def test_a_constant_that_is_zero_is_shown_as_zero():
    """Terms that cancel leave rounding, which is no value."""
    fall = derive(System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z"), "euler-lagrange")
    z, rise = symbol("z"), symbol("z").dot
    nothing = (z + rise) ** 3 - z**3 - 3 * z**2 * rise - 3 * z * rise**2 - rise**3
    small = number(Fraction(1, 10**12))
    run = simulate(fall, {"z": 0.1, "z'": 1 / 3}, 1)
    found = {drift.name: drift for drift in audit(run, fall, {"nothing": nothing, "something": small + nothing}).drifts}
    assert found["nothing"].shown[0] == "0"
    assert float(found["something"].shown[0]) == pytest.approx(1e-12, abs=1e-15)  # the twin: small, and not zero
