"""What is not a Chaplygin system is refused with the right sentence; base coordinates are found or checked."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from chaplygin_systems import ALGEBRAS, NO_PROOFS, full_motion, meets_multipliers, reduced, verdicts

from dalembert import gallery
from dalembert.errors import ExpressionError, HypothesisError
from dalembert.expr import substitute, symbol
from dalembert.expr.text import text
from dalembert.expr.truth import is_zero
from dalembert.geometry.connections.principal import curvature_forms, from_forms
from dalembert.geometry.forms import pull_back
from dalembert.mechanics.chaplygin import chaplygin
from dalembert.mechanics.chaplygin.chaplygin import motion_of
from dalembert.mechanics.chaplygin.gyroscopic import compatibility
from dalembert.mechanics.chaplygin.hypotheses import complement_everywhere, examine
from dalembert.mechanics.chaplygin.in_frame import ChaplyginInFrame
from dalembert.mechanics.chaplygin.local_data import from_local_data
from dalembert.mechanics.chaplygin.theorems import reduced_lagrangian_laws
from dalembert.mechanics.principal_bundle import partial_cover
from dalembert.mechanics.registry import claims, formalism, formalism_names
from dalembert.model.system import System
from dalembert.numerics.simulate import simulate
from dalembert.present.json_export import answer


def particle(**tables: Any) -> System:
    stated = {
        "name": "particle",
        "coordinates": "x y z",
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2",
        "constraints": {"slope": "z' = y*x'"},
        "symmetry": {"e1": {"z": 1}},
    }
    return System.of(**(stated | tables))


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"lagrangian": "(x'^2 + y'^2 + z'^2)/2 - z"}, "[symmetry] e1: the Lagrangian is not invariant under it"),
    ({"constraints": {"slope": "z' = z*x'"}}, "[symmetry] e1: it does not keep the constraint slope"),
    ({"constraints": {"slope": "z' = y*x' + 1"}}, "[constraints] slope: it has a part that is free of velocities"),
    ({"constraints": {"slope": "z'^2 = x'^2"}}, "[constraints] slope: it is not linear in velocities"),
    ({"constraints": {"slope": "z' = t*x'"}}, "[constraints] slope: it depends on time"),
    ({"lagrangian": "(x'^2 + y'^2 + z'^2)/2 - t*x"}, "lagrangian: it depends on time"),
    ({"symmetry": {"e1": {"z": "t"}}}, "[symmetry] e1: it moves time or depends on it"),
    ({"symmetry": {}}, "[symmetry]: no generators are stated"),
    ({"constraints": {}}, "[constraints]: there are none"),
    (
        {"constraints": {"slope": "z' = x' + cos(y)*y'"}, "symmetry": {"e1": {"x": 1, "z": 1}}},
        "[symmetry] e1: e1 points in a direction that the constraints allow, so D does not complement the orbits",
    ),
    ({"forces": {"z": "-z"}}, "[symmetry] e1: the forces are not invariant under it"),
    ({"forces": {"x": "cos(t)"}}, "[forces] x: it depends on time"),
    ({"forces": {"x": "cos(t)", "y": "-y", "z": "t"}}, "[forces] x, z: it depends on time"),
    ({"virtual": {"slope": {"z": 1}}}, "[virtual]: the theorem is for virtual displacements in D"),
    ({"lagrangian": "x'^2/2 + z'"}, "lagrangian: the reduced Lagrangian L* is not regular: y' has no inertia"),
    ({"constraints": {"slope": "z' = y*x'", "other": "x' = y'"}}, "1 generators cannot complement the allowed"),
    ({"lagrangian": "x''^2/2"}, "lagrangian: it is of order 2"),
]  # fmt: skip


@pytest.mark.parametrize(("tables", "sentence"), FAULTS, ids=[s[:40] for _, s in FAULTS])
def test_refusals(tables: dict[str, Any], sentence: str) -> None:
    with pytest.raises(HypothesisError) as caught:
        chaplygin.derive(particle(**tables))
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("broken", "sentence"),
    [
        ({"y": 1, "psi1": "psi2"}, "[symmetry] e2: the Lagrangian is not invariant under it"),
        ({"y": "y"}, "[symmetry] e2: the Lagrangian is not invariant under it"),
        ({"theta": 1}, "[symmetry] e2: it does not keep the constraint no_side_slip"),
    ],
)
def test_an_almost_chaplygin_system(broken: dict[str, Any], sentence: str) -> None:
    """The robot with one generator broken: that one is named, and no other."""
    robot = gallery.load("two-wheeled-robot")
    symmetry = {"e1": {"x": 1}, "e2": broken, "e3": {"x": "-y", "y": "x", "theta": 1}}
    faults = chaplygin.check(robot.but(symmetry=symmetry))
    assert any(sentence in str(fault) for fault in faults)
    assert {fault.where for fault in faults} == {"[symmetry] e2"}


def test_generators_that_do_not_close() -> None:
    """Two screws whose bracket is a third direction: symmetries each, but not of a group of two dimensions."""
    system = System.of(
        name="screws",
        coordinates="x y a b",
        lagrangian="(x'^2 + y'^2)/2 + ((a' - x*b')^2 + b'^2)/2",
        constraints={"one": "a' = x*b'", "two": "b' = 0"},
        symmetry={"e1": {"x": 1, "a": "b"}, "e2": {"b": 1}},
    )
    faults = chaplygin.check(system)
    assert any("the bracket [e1, e2]" in str(f) or "complement" in str(f) for f in faults)


def test_more_generators_than_constraints() -> None:
    """A subgroup that complements D is taken, and said; of several, one whose complement holds everywhere."""
    disc = examine(gallery.load("falling-rolling-disc"))
    assert disc.action is not None
    assert disc.action.names == ("e1", "e2")
    (said,) = [claim.statement for claim in disc.claims if claim.name == "group"]
    assert said == "the group with generators e1, e2 complements D, and is taken without e3"
    sleigh = examine(gallery.load("chaplygin-sleigh"))
    assert sleigh.action is not None
    where = complement_everywhere(gallery.load("chaplygin-sleigh"), sleigh.action.names)
    assert where.verdict.kind == "refuted"
    assert "(it fails where sin(theta) = 0)" in where.statement
    robot = examine(gallery.load("two-wheeled-robot"))
    assert robot.action is not None
    where = complement_everywhere(gallery.load("two-wheeled-robot"), robot.action.names)
    assert where.verdict.kind == "proved"


def test_a_broken_generator_among_many_is_left_out() -> None:
    system = gallery.load("nonholonomic-particle").but(symmetry={"bad": {"y": 1}, "e2": {"z": 1}})
    examination = examine(system)
    assert examination.action is not None
    assert examination.action.names == ("e2",)


# -- base coordinates ----------------------------------------------------------------------------------------
def is_motion(system: System) -> bool:
    found = reduced(system)
    return meets_multipliers(system, found.bundle, motion_of(found)) is True


def around(**tables: Any) -> System:
    stated = {
        "name": "around an axis",
        "coordinates": "x y z",
        "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - (x^2 + y^2)*z/3 + z'*(x*y' - y*x')/5",
        "constraints": {"turns": "x*y' - y*x' = (1 + z^2)*(x*x' + y*y') + z'*(x^2 + y^2)"},
        "symmetry": {"turn": {"x": "-y", "y": "x"}},
    }
    return System.of(**(stated | tables))


def test_straightened_orbits_of_rotations() -> None:
    system = around()
    found = reduced(system)
    assert found.bundle.origin == "straightened"
    assert [text(v) for v in found.bundle.configuration.values()] == ["x_base*cos(s_turn)", "x_base*sin(s_turn)"]
    assert is_motion(system)


def test_the_curvature_in_the_coordinates_of_the_user() -> None:
    """Of a straightened bundle it is given in both, and both are one 2-form."""
    system = around()
    reduction = reduced(system)
    action = examine(system).action
    assert action is not None
    gamma = from_forms(action.generators, system.constraint_matrix().rows)
    (form,) = curvature_forms(gamma)
    put = [reduction.bundle.configuration.get(q, q) for q in system.q]
    moved = pull_back(form, reduction.bundle.chart, put)
    x, y = reduction.horizontal
    assert is_zero(moved(x, y) - reduction.curvature[0][1][0]).holds
    assert is_zero(moved(x, y) + reduction.curvature[0][1][0]).holds is False


def test_straightened_orbits_of_motions_of_the_plane() -> None:
    """Two points moved together by SE(2): the base is found, the invariants of the pair."""
    system = System.of(
        name="two points",
        coordinates="x1 y1 x2 y2 u",
        lagrangian="(x1'^2 + y1'^2 + 2*x2'^2 + 2*y2'^2 + u'^2)/2",
        constraints={
            "along": "(x2 - x1)*x1' + (y2 - y1)*y1' = u'",
            "across": "(x2 - x1)*y1' - (y2 - y1)*x1' = u*u'",
            "turn": "(x2 - x1)*(y2' - y1') - (y2 - y1)*(x2' - x1') = u*((x2 - x1)*(x2' - x1') + (y2 - y1)*(y2' - y1'))",
        },
        symmetry={
            "e1": {"x1": 1, "x2": 1},
            "e2": {"y1": 1, "y2": 1},
            "e3": {"x1": "-y1", "y1": "x1", "x2": "-y2", "y2": "x2"},
        },
    )
    found = reduced(system)
    assert found.bundle.origin == "straightened"
    assert len(found.bundle.base) == 2
    assert is_motion(system)


def relative(**bundle: Any) -> System:
    return System.of(
        name="relative angle",
        coordinates={"x": "angle", "y": "angle", "z": "real"},
        lagrangian="(x'^2 + 2*y'^2 + z'^2)/2 + cos(x - y)*x'*z'/4 - z*sin(x - y)",
        constraints={"c": "x' = z*y' + sin(x - y)*z'"},
        symmetry={"both": {"x": 1, "y": 1}},
        bundle=bundle or None,
    )


@pytest.mark.parametrize(
    "bundle",
    [
        {},
        {"base": ["d", "z"], "adapted": {"d": "x - y"}},
        {"base": ["d", "z"], "fibre": ["x"], "adapted": {"d": "x - y"}, "inverse": {"y": "x - d"}},
        {
            "base": ["d", "z"],
            "fibre": ["s"],
            "adapted": {"d": "x - y", "s": "(x + y)/2"},
            "inverse": {"x": "s + d/2", "y": "s - d/2"},
        },
    ],
)  # fmt: skip
def test_base_coordinates_by_any_method(bundle: dict[str, Any]) -> None:
    system = relative(**bundle)
    assert chaplygin.check(system) == ()
    found = reduced(system)
    assert found.bundle.origin == ("stated" if bundle else "straightened")
    assert is_motion(system)


def test_the_reduced_lagrangian_does_not_depend_on_the_fibre_coordinates() -> None:
    one = reduced(relative(base=["d", "z"], adapted={"d": "x - y"}))
    other = reduced(relative(base=["d", "z"], fibre=["s"], adapted={"d": "x - y", "s": "2*x - y"}))
    (moved,) = substitute([other.reduced_lagrangian], dict(zip(other.bundle.base, one.bundle.base, strict=True)))
    assert is_zero(one.reduced_lagrangian - moved).holds
    assert is_zero(one.gyroscopic[0] - other.gyroscopic[0]).holds


@pytest.mark.parametrize(
    ("bundle", "sentence"),
    [
        ({"base": ["x", "z"]}, "[bundle] base: 'x' is moved by the generator both"),
        ({"base": ["z"]}, "[bundle] base: it names 1 coordinates, but Q/G has dimension 3 - 1"),
        ({"base": ["d", "z"], "fibre": ["x"], "adapted": {"d": "sin(x - y)"}}, "inverse: y cannot be solved for"),
    ],
)  # fmt: skip
def test_a_bundle_that_is_wrong(bundle: dict[str, Any], sentence: str) -> None:
    assert sentence in "\n".join(map(str, chaplygin.check(relative(**bundle))))
    with pytest.raises(HypothesisError):
        chaplygin.derive(relative(**bundle))


@pytest.mark.parametrize(
    ("connection", "holds"),
    [({"w": "dz - y*dx"}, True), ("mechanical", False), ("trivial", False), ({"w": "dz"}, False), ("constraint", None)],
)
def test_the_connection_stated(connection: Any, holds: bool | None) -> None:
    """Another connection than that of the constraints is not taken in silence."""
    system = particle(bundle={"base": ["x", "y"], "connection": connection})
    said = claims(chaplygin.derive(system), only="stated connection")
    assert [c.verdict.holds for c in said] == ([] if holds is None else [holds])


def test_orbits_that_are_not_straightened() -> None:
    """A flow without closed form: the motion is given in a frame on Q, and the reason is said."""
    system = System.of(
        name="no closed flow",
        coordinates="x y z",
        functions={"f": {"of": ["x"]}},
        lagrangian="x'^2/(2*f(x)^2) + y'^2/2 + (z' - x'/f(x))^2/2",
        constraints={"c": "x' = y*f(x)*(y' + z')"},
        symmetry={"e1": {"x": "f(x)", "z": "1"}},
    )
    found = chaplygin.derive(system)
    assert isinstance(found, ChaplyginInFrame)
    assert not [c.name for c in claims(found) if c.failed]
    (base,) = [c for c in claims(found) if c.name == "base coordinates"]
    assert base.verdict.kind == "undecided"
    shown = json.dumps(answer(found))
    assert "gyroscopic_form" in shown


@pytest.mark.parametrize(
    ("system", "start"),
    [
        (around(), {"x": 0.7, "y": -0.5, "z": 0.2, "x'": 0.3, "z'": 0.4}),
        (relative(), {"x": 0.7, "y": -0.5, "z": 0.2, "y'": 0.3, "z'": 0.4}),
    ],
)
def test_motions_that_start_in_stated_coordinates(system: System, start: dict[str, float]) -> None:
    """Straightened coordinates are found from the stated ones at the begin, and give these back on the way."""
    one = simulate(motion_of(reduced(system)), start, 2, system=system, tolerance=1e-13, samples=11)
    other = simulate(full_motion(system), start, 2, system=system, tolerance=1e-13, samples=11)
    for name in "xyz":
        assert np.max(np.abs(one[name] - other[name])) < 1e-10


def test_a_symmetry_that_holds_by_assumption() -> None:
    """V(x, z) with D(V, 2) = 0 is invariant, which no look at the formula alone could say."""
    tables = {"functions": {"V": {"of": ["x", "z"]}}, "lagrangian": "(x'^2 + y'^2 + z'^2)/2 - V(x, z)"}
    assert "not invariant" in str(chaplygin.check(particle(**tables))[0])
    system = particle(**tables, assume={"flat": "D(V, 2)(x, z) = 0"})
    assert chaplygin.check(system) == ()
    assert is_motion(system)
    found = reduced(system)
    assert set(verdicts(reduced_lagrangian_laws(found, NO_PROOFS)).values()) == {True}
    twin = replace(found, reduced_lagrangian=found.reduced_lagrangian + found.bundle.base[0])
    assert set(verdicts(reduced_lagrangian_laws(twin, NO_PROOFS)).values()) == {False}


def test_new_names_are_new() -> None:
    system = around(
        parameters={"x_base": 0.3, "s_turn": 2}, lagrangian="(x'^2 + y'^2 + z'^2)/2 - x_base*s_turn*(x^2 + y^2)"
    )
    found = reduced(system).bundle
    assert [r.data.name for r in (*found.base, *found.fibre)] == ["x_base1", "z", "s_turn1"]
    x = symbol("s_e1")
    with pytest.raises(ExpressionError, match="'s_e1' is a base and a fibre coordinate"):
        from_local_data("clash", {x: "real"}, x.dot**2, [symbol("xi")], [[x]], ALGEBRAS["R"])


def test_a_lagrangian_that_is_singular_alone() -> None:
    """L without z' is not regular, but on the constraint it is: the motion exists, and compatibility is not decided."""
    system = particle(lagrangian="(x'^2 + y'^2)/2 - x^2/2")
    assert is_motion(system)
    claim = compatibility(reduced(system))
    assert claim.verdict.kind == "undecided"
    assert compatibility(reduced(particle())).verdict.kind == "proved"


def test_constraints_that_are_not_compatible() -> None:
    """With a metric that is not definite the constraint may be null: then C_ij is singular, and so is L*."""
    null = particle(lagrangian="(x'^2 + y'^2 - z'^2)/2", constraints={"slope": "z' = x'"})
    claim = compatibility(reduced(null))
    assert claim.verdict.kind == "refuted"
    with pytest.raises(HypothesisError, match="not regular"):
        chaplygin.derive(null)


def test_it_is_one_of_the_formalisms_that_a_study_goes_through() -> None:
    assert "chaplygin" in formalism_names()
    assert formalism("chaplygin").derive is chaplygin.derive


def test_local_data_that_do_not_fit() -> None:
    x, xi = symbol("x"), symbol("xi")
    with pytest.raises(ExpressionError, match="3 generators over 1 base coordinates need 3 body velocities"):
        from_local_data("wrong", {x: "real"}, x.dot**2, [xi], [[x]], ALGEBRAS["SO(3)"])


def test_a_generator_that_moves_time_takes_no_part() -> None:
    """Where there are enough others it is left out, and that is said; alone it does not do."""
    found = examine(particle(symmetry={"e1": {"z": 1}, "clock": {"t": 1}, "boost": {"x": "t"}}))
    assert found.faults == ()
    (group,) = (claim for claim in found.claims if claim.name == "group")
    assert group.statement.endswith("is taken without clock, boost")
    assert {str(f).partition(":")[0] for f in chaplygin.check(particle(symmetry={"clock": {"t": 1}}))} == {
        "[symmetry] clock"
    }


def test_straightened_coordinates_reach_all_points_or_say_where() -> None:
    """Along a scaling the positive coordinate is used up, so the other keeps its sign; else half a plane is left."""
    tables: dict[str, Any] = {
        "name": "scaling",
        "lagrangian": "(x'^2 + y'^2)/(2*x^2) + z'^2/2",
        "constraints": {"c": "x' = x*z*z' + y'*z"},
        "symmetry": {"s": {"x": "x", "y": "y"}},
    }
    whole = reduced(System.of(coordinates={"x": "positive", "y": "real", "z": "real"}, **tables)).bundle
    half = reduced(System.of(coordinates="x y z", **tables)).bundle
    assert [text(image) for image in whole.configuration.values()] == ["exp(s_s)", "y_base*exp(s_s)"]
    assert partial_cover(whole) == ""
    assert partial_cover(half) == "y > 0"
    assert "where y > 0" in chaplygin.base_coordinates(half).statement
