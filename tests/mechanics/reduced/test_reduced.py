"""Reduced equations and reconstruction against the unreduced motion, on vehicles and bodies; wrong twins fail."""

from dataclasses import replace

import pytest
from judging import deviations

from dalembert import System, claims, derive, gallery, simulate, tidy
from dalembert.errors import HypothesisError
from dalembert.expr import ZERO, cos, sin, substitute, symbol, tangent
from dalembert.expr.truth import vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.groups import lie_algebra
from dalembert.mechanics.found_symmetries import with_symmetry
from dalembert.mechanics.reduced.level_set import tangent_to_level
from dalembert.mechanics.reduced.motion import motion_of
from dalembert.mechanics.reduced.reduced import Reduced, short_matrix
from dalembert.mechanics.reduced.theorems import meets_multipliers, momentum_equation
from dalembert.present.json_export import answer
from dalembert.present.page import Columns, Section
from dalembert.present.report import Part
from dalembert.present.results import section_of
from dalembert.present.study_page import report_page
from dalembert.present.text_writer import in_text

SE2 = {"e1": {"x": 1}, "e2": {"y": 1}}
PLANE = {"x": "real", "y": "real", "th": "angle"}


def sleigh(**more: object) -> System:
    tables = {
        "name": "sleigh",
        "coordinates": PLANE,
        "parameters": {"m": 1, "a": 0.4, "J": 0.6, "c": 0.3, "v": 0.2},
        "lagrangian": "m*((x' - a*sin(th)*th')^2 + (y' + a*cos(th)*th')^2)/2 + J*th'^2/2",
        "constraints": {"blade": "y'*cos(th) = x'*sin(th)"},
        "symmetry": {**SE2, "e3": {"x": "-y", "y": "x", "th": 1}},
        "start": {"x'": 1, "th'": 1.5},
        "run": {"time": 2},
    }
    return System.of(**{**tables, **more})  # type: ignore[arg-type]


def hinged() -> System:
    return System.of(
        name="two hinged sleighs",
        coordinates={**PLANE, "ph": "angle"},
        parameters={"m": 1, "J": 0.5, "M": 2, "K": 0.7, "b": 0.6, "c": 0.8},
        let={"X": "x - b*cos(th) - c*cos(ph)", "Y": "y - b*sin(th) - c*sin(ph)"},
        lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 + M*(X'^2 + Y'^2)/2 + K*ph'^2/2",
        constraints={"front": "y'*cos(th) = x'*sin(th)", "rear": "Y'*cos(ph) = X'*sin(ph)"},
        symmetry={**SE2, "e3": {"x": "-y", "y": "x", "th": 1, "ph": 1}},
        start={"x'": 1, "th'": 0.3, "ph": 0.2},
        run={"time": 2},
    )


def tractor() -> System:
    """A tractor that is steered by a torque, with two trailers and friction at its axle."""
    return System.of(
        name="tractor with two trailers",
        coordinates={**PLANE, "a": "angle", "d": "angle"},
        parameters={"m": 3, "J": 1, "n": 2, "K": 0.7, "b": 0.3, "c": 0.8, "k": 0.2},
        functions={"tau": {"of": ["s"], "value": "sin(s)"}},
        let={
            "x1": "x - b*cos(th) - c*cos(a)",
            "y1": "y - b*sin(th) - c*sin(a)",
            "x2": "x1 - c*cos(d)",
            "y2": "y1 - c*sin(d)",
        },
        lagrangian="(m*(x'^2 + y'^2) + J*th'^2 + n*(x1'^2 + y1'^2) + K*a'^2 + n*(x2'^2 + y2'^2) + K*d'^2)/2",
        constraints={
            "tractor": "y'*cos(th) = x'*sin(th)",
            "one": "y1'*cos(a) = x1'*sin(a)",
            "two": "y2'*cos(d) = x2'*sin(d)",
        },
        forces={"th": "tau(a - th) - k*th'", "a": "-tau(a - th)"},
        symmetry={**SE2, "e3": {"x": "-y", "y": "x", "th": 1, "a": 1, "d": 1}},
    )


def rotor() -> System:
    """A skate that carries a rotor on a spring and is driven along by a belt under it."""
    return System.of(
        name="skate with a rotor",
        coordinates={**PLANE, "ps": "angle"},
        parameters={"m": 1, "J": 0.5, "K": 0.3, "k": 2, "v": 0.4},
        lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 + K*(th' + ps')^2/2 + k*cos(ps)",
        constraints={"blade": "(y' - v)*cos(th) = x'*sin(th)"},
        symmetry=SE2,
    )


def disc(symmetry: dict[str, object], slip: str = "0") -> System:
    """A rolling disc; the constraints meet the orbits in all ways, as more or less of its symmetry is stated."""
    return System.of(
        name="disc",
        coordinates={**PLANE, "ps": "angle"},
        parameters={"m": 1, "J": 0.5, "K": 0.3, "R": 0.7},
        lagrangian="m*(x'^2 + y'^2)/2 + J*th'^2/2 + K*ps'^2/2",
        constraints={"along": f"x' = R*cos(th)*ps' + {slip}", "across": "y' = R*sin(th)*ps'"},
        symmetry=symmetry,
    )


def speed_kept() -> System:
    """A particle whose speed is held, in a field that the plane turns with: a constraint that is not linear."""
    return System.of(
        name="held speed",
        coordinates={"x": "real", "y": "real", "z": "real", "s": "real"},
        parameters={"m": 1, "k": 0.4},
        lagrangian="m*(x'^2 + y'^2 + z'^2 + s'^2)/2 + k*(x*y' - y*x') - (z - s)^2/2",
        constraints={"speed": "s'^2 = x'^2 + y'^2 + z'^2/4"},
        symmetry={"turn": {"x": "-y", "y": "x"}, "up": {"z": 1, "s": 1}},
    )


TURN = {"e3": {"x": "-y", "y": "x", "th": 1}}
SYSTEMS = {
    "sleigh": sleigh(),
    "sleigh with friction": sleigh(forces={"th": "-c*th'"}),
    "sleigh, translations alone": sleigh(symmetry=SE2),
    "hinged sleighs": hinged(),
    "tractor": tractor(),
    "rotor": rotor(),
    "disc, all": disc({**SE2, **TURN, "spin": {"ps": 1}}),
    "disc, one direction": disc({"e1": {"x": 1}}),
    "disc on a belt": disc({"e2": {"y": 1}, "spin": {"ps": 1}}, slip="sin(t)"),
    "held speed": speed_kept(),
}


LONG = pytest.param("tractor", marks=pytest.mark.thorough)


@pytest.fixture(scope="module", params=[LONG if name == "tractor" else name for name in SYSTEMS])
def found(request: pytest.FixtureRequest) -> Reduced:
    return derive(SYSTEMS[request.param], "reduced")


def test_reduced_and_reconstructed_is_the_unreduced_motion(found: Reduced) -> None:
    assert meets_multipliers(found, ProofBudget(0.0)).holds
    assert momentum_equation(found, ProofBudget(0.0)).holds
    assert max(deviations(found.system, answer(found, {}, ()), 3, states=1)) < 1e-7


def test_without_the_brackets_of_the_group_it_is_another_motion() -> None:
    """The curvature and the bracket terms of the momentum equation are dropped: on SE(2) that is seen."""
    for name in ("sleigh", "hinged sleighs", "disc, all"):
        right = derive(SYSTEMS[name], "reduced")
        flat = replace(right.invariant, algebra=lie_algebra(right.group, {}))
        wrong = motion_of(flat, right.free)
        equations = replace(right.equations, mass=wrong.mass, force=wrong.force)
        twin = replace(right, motion=wrong, equations=equations)
        assert meets_multipliers(twin, ProofBudget(0.0)).holds is (name == "disc, all")
        changed = replace(right, motion=replace(right.motion, momentum_rates=wrong.momentum_rates))
        assert momentum_equation(changed, ProofBudget(0.0)).holds is (name == "disc, all")


def test_the_sleigh_has_its_momentum_equation() -> None:
    result = derive(sleigh(), "reduced")
    shown = {str(p): tidy(rate) for p, (_, rate) in result.equations.momenta.items()}
    assert {name: str(rate) for name, rate in shown.items()} == {"p_1": "a*m*xi_2^2", "p_2": "-a*m*xi_1*xi_2"}
    kept = {claim.name: claim.verdict.holds for claim in claims(result)}
    assert kept["multipliers"] is True
    assert kept["momentum p_1"] is False
    assert kept["volume preserved"] is False
    assert kept["energy conserved"] is True
    assert kept["horizontal symmetry"] is False


def test_how_the_constraints_meet_the_orbits() -> None:
    names = ("hinged sleighs", "disc, all", "disc, one direction")
    met = {name: (len(r.free.vertical), len(r.free.u)) for name in names for r in [derive(SYSTEMS[name], "reduced")]}
    assert met["hinged sleighs"] == (1, 2)
    assert met["disc, all"] == (2, 2)
    assert met["disc, one direction"] == (0, 2)
    base = derive(SYSTEMS["disc, one direction"], "reduced")
    assert len(base.invariant.base) == 3  # D and the orbits span 3 of 4 dimensions: a base velocity is given


def test_horizontal_symmetries_have_conserved_momenta() -> None:
    result = derive(disc({**SE2, **TURN, "spin": {"ps": 1}}), "reduced")
    assert [c.verdict.holds for c in claims(result, "horizontal symmetry")] == [False]
    turned = System.of(
        name="free rotor",
        coordinates={**PLANE, "ps": "angle"},
        lagrangian="(x'^2 + y'^2 + 2*th'^2 + (th' + ps')^2)/2",
        constraints={"blade": "y'*cos(th) = x'*sin(th)"},
        symmetry={"spin": {"ps": 1}, **SE2},
    )
    names = [(c.name, c.verdict.holds) for c in claims(derive(turned, "reduced"), "horizontal symmetry")]
    assert names == [("horizontal symmetry spin", True)]


def test_motions_agree() -> None:
    system = hinged()
    whole, part = (simulate(derive(system, name), {}) for name in ("nonholonomic", "reduced"))
    for name in ("x", "y", "th", "ph"):
        assert abs(whole.at(2.0)[name] - part.at(2.0)[name]) < 1e-8


@pytest.mark.parametrize(
    ("system", "said"),
    [
        (with_symmetry(sleigh(symmetry={}), "none"), "no generators are stated"),
        (sleigh(symmetry={"e": {"x": "x"}}), "is not invariant"),
        (sleigh(constraints={"a": "x' = 0", "b": "y' = 0", "c": "th' = 0"}), "no direction to move in"),
        (sleigh(lagrangian="x'^2 + y'^2", constraints={"b": "x' = 0"}, symmetry={"e": {"y": 1}}), "rank 1 of 2"),
    ],
)
def test_what_is_refused(system: System, said: str) -> None:
    with pytest.raises(HypothesisError, match=said):
        derive(system, "reduced")


def test_a_report_begins_with_the_momentum_equation() -> None:
    result = derive(sleigh(), "reduced")
    part = Part("reduced", page=section_of(result), equations=result.equations)
    first = next(block for block in report_page(result.system, [part]).blocks if isinstance(block, Columns)).left[0]
    assert isinstance(first, Section)
    assert first.title == "Equations of motion"
    assert "a*m*xi_2^2" in in_text(first)


# -- momenta put in ----------------------------------------------------------------------------------------------
def rotor(**more: object) -> System:
    """A rolling disc that carries a rotor; what the rotor weighs depends on how far the disc has rolled."""
    tables = {
        "name": "a rolling disc with a rotor",
        "coordinates": {**PLANE, "ph": "angle", "ps": "angle"},
        "parameters": {"m": 1, "R": 1, "I": 0.5, "J": 0.7, "K": 0.3, "l": 0.4},
        "lagrangian": "m*(x'^2 + y'^2)/2 + I*ph'^2/2 + J*th'^2/2 + K*(2 + cos(ph))*(ps' + th')^2/2",
        "constraints": {"a": "x' = R*cos(th)*ph'", "b": "y' = R*sin(th)*ph'"},
        "symmetry": {**SE2, "e3": {"x": "-y", "y": "x", "th": 1}, "s": {"ps": 1}},
        "momentum": {"e1": 0, "e2": 0, "e3": 0, "s": "l"},
        "start": {"ph'": 1, "th'": 0.3},
        "run": {"time": 2},
    }
    return System.of(**{**tables, **more})  # type: ignore[arg-type]


def test_the_momentum_of_a_horizontal_symmetry_is_put_in() -> None:
    found = derive(rotor(), "reduced")
    assert [v.data.label for v in found.equations.state] == ["ph", "xi_1", "ph'"]
    told = {claim.name: claim.verdict for claim in claims(found)}
    assert told["momentum of s"].holds
    assert told["level set"].holds
    assert told["multipliers"].holds
    assert "no horizontal symmetry" in told["momentum of e3"].evidence
    part = simulate(found)
    spin = 0.4 / (0.3 * 3) - 0.3
    whole = simulate(derive(rotor(momentum=None), "nonholonomic"), {"ps'": spin, "ph'": 1, "th'": 0.3}, 2)
    assert max(abs(part.at(2.0)[q] - whole.at(2.0)[q])[0] for q in ("x", "ph", "ps")) < 1e-8


def test_on_another_level_the_motion_is_another_and_what_changes_is_not_put_in() -> None:
    level = derive(rotor(), "reduced").level
    assert level is not None
    wrong = replace(
        level, equations=derive(rotor(momentum={"e1": 0, "e2": 0, "e3": 0, "s": "2*l"}), "reduced").equations
    )
    assert tangent_to_level(level, (), ProofBudget(0.0)).holds
    assert tangent_to_level(wrong, (), ProofBudget(0.0)).holds is False
    braked = derive(rotor(forces={"ps": "-ps'"}), "reduced")
    told = {claim.name: claim.verdict.evidence for claim in claims(braked)}
    assert "forces do work along it" in told["momentum of s"]
    assert braked.level is None


# -- constraints on positions ------------------------------------------------------------------------------------
def joined(**more: object) -> System:
    """Two skates, joined by a rod."""
    tables = {
        "name": "two skates joined by a rod",
        "coordinates": {**PLANE, "u": "real", "v": "real", "ps": "angle"},
        "parameters": {"m": 1, "J": 0.5, "l": 1},
        "lagrangian": "m*(x'^2 + y'^2 + u'^2 + v'^2)/2 + J*(th'^2 + ps'^2)/2",
        "constraints": {"a": "y'*cos(th) = x'*sin(th)", "b": "v'*cos(ps) = u'*sin(ps)"},
        "holonomic": {"rod": "(x - u)^2 + (y - v)^2 = l^2"},
        "symmetry": {
            "e1": {"x": 1, "u": 1},
            "e2": {"y": 1, "v": 1},
            "e3": {"x": "-y", "y": "x", "th": 1, "u": "-v", "v": "u", "ps": 1},
        },
    }
    return System.of(**{**tables, **more})  # type: ignore[arg-type]


@pytest.mark.thorough
def test_positions_that_are_held_are_kept_by_the_group() -> None:
    found = derive(joined(), "reduced")
    assert found.group == ("e1", "e2", "e3")
    told = {claim.name: claim.verdict.holds for claim in claims(found)}
    assert told["multipliers"]
    assert told["momentum equation"]
    assert told["energy conserved"]
    assert "volume preserved" not in told
    assert found.equations.projection
    tied = derive(joined(holonomic={"rod": "(x - u)^2 + (y - v)^2 = l^2", "tie": "x + u = 2*l"}), "reduced")
    assert tied.group == ("e2",)


def test_a_pendulum_on_its_rod_moves_as_without_the_group() -> None:
    pendulum = System.of(
        name="spherical pendulum",
        coordinates="x y z",
        parameters={"g": 9.81},
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - g*z",
        holonomic={"rod": "x^2 + y^2 + z^2 = 1"},
        symmetry={"turn": {"x": "-y", "y": "x"}},
        start={"x": 0.8, "y": 0, "z": -0.6, "y'": 1.2},
        run={"time": 1},
    )
    part, whole = (simulate(derive(pendulum, name)) for name in ("reduced", "nonholonomic"))
    assert max(abs(part.at(1.0)[q] - whole.at(1.0)[q])[0] for q in "xyz") < 1e-8
    assert [claim.verdict.holds for claim in claims(derive(pendulum, "reduced"), only="multipliers")] == [True]


def test_the_reduced_lagrangian_is_the_stated_one_in_the_body_velocities_beside_it():
    system = hinged()
    reduced = derive(system, "reduced")
    objects = reduced.objects()
    meaning = {symbol(name): e for name, e in objects["body_velocities"].items()}
    base = {r: e for r, e in reduced.body.bundle.projection.items() if r in reduced.invariant.base}
    rates = {r.dot: tangent([e], {q: q.dot for q in system.q})[0] for r, e in base.items()}

    def stated(velocities):
        return substitute([objects["reduced_lagrangian"]], {**velocities, **rates, **base})[0]

    assert vanish([stated(meaning) - system.lagrangian])
    first = next(iter(meaning))
    assert not vanish([stated({**meaning, first: 2 * meaning[first]}) - system.lagrangian])  # a wrong meaning is seen


def test_a_momentum_that_is_zero_is_not_said_to_be_conserved():
    """The section along the orbits that a rope on a wheel leaves has none."""
    told = [claim for claim in claims(derive(gallery.load("appell-hamel"), "reduced")) if claim.name == "momentum p_1"]
    assert [claim.statement for claim in told] == ["the momentum p_1 is zero"]
    assert told[0].verdict.holds


def test_entries_that_are_equal_across_the_diagonal_are_searched_once():
    a, b = symbol("a", domain="angle"), symbol("b")
    disguised = b * (1 - cos(a) ** 2)
    asked = []

    def short(entry):
        asked.append(entry)
        return tidy(entry)

    rows = short_matrix([[b, disguised], [b * sin(a) ** 2, cos(a) ** 2 + sin(a) ** 2 - 1]], short, ())
    assert rows[0][1] is rows[1][0]
    assert rows[1][1] is ZERO
    assert asked == [b, b * sin(a) ** 2]  # of the two the shorter one
    # a twin that is not symmetric keeps both
    rows = short_matrix([[b, disguised], [-disguised, b]], short, ())
    assert vanish([rows[0][1] + rows[1][0]])
    assert not vanish([rows[0][1] - rows[1][0]])


def test_words_of_constraints_are_of_systems_with_constraints():
    """Nothing is horizontal where nothing is constrained, and what was found to vanish was looked at."""
    free = System.of(
        name="free",
        coordinates={"x": "real", "h": "angle"},
        parameters={"mu": 1},
        lagrangian="(1 + x^2)*(x'^2 + h'^2)/2",
        symmetry={"turn": {"h": 1}},
        momentum={"turn": "mu"},
    )
    shown = [claim.statement for claim in claims(derive(free, "reduced"))]
    assert shown
    assert not [one for one in shown if "allowed everywhere" in one]
    held = free.but(constraints={"c": "x' = 0"}, momentum=None)
    assert [one for one in claims(derive(held, "reduced")) if "allowed everywhere" in one.statement]
