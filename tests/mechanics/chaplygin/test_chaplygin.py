"""Generalized Chaplygin systems: the examples of the paper, the gallery, and what the JSON has."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chaplygin_systems import NO_PROOFS, decided, full_motion, meets_multipliers, reduced, verdicts

from dalembert import gallery
from dalembert.expr import ZERO, Expr, evaluate
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.readers import Floats
from dalembert.expr.text import parse
from dalembert.expr.truth import is_zero, vanish
from dalembert.geometry.forms import Form
from dalembert.mechanics.chaplygin import chaplygin
from dalembert.mechanics.chaplygin.chaplygin import motion_of
from dalembert.mechanics.chaplygin.formalism import FORMALISM
from dalembert.mechanics.chaplygin.gyroscopic import (
    almost_symplectic_form,
    derivations,
    semi_basic_form,
    solves_almost_symplectic_equation,
    vanishes,
)
from dalembert.mechanics.chaplygin.hypotheses import examine
from dalembert.mechanics.chaplygin.in_frame import derive_in_frame
from dalembert.mechanics.nonholonomic import lagrange_dalembert
from dalembert.mechanics.registry import claims
from dalembert.model.files import dumps
from dalembert.model.system import System
from dalembert.numerics.simulate import simulate


def same(system: System, found: object, told: object) -> bool:
    """Whether nested tuples of expressions are what nested lists of texts say."""
    if isinstance(told, str):
        assert isinstance(found, Expr)
        return is_zero(found - parse(told, system.vocabulary)).holds is True
    assert isinstance(found, tuple | list)
    assert isinstance(told, list)
    return len(found) == len(told) and all(same(system, f, t) for f, t in zip(found, told, strict=True))


def components(forms: tuple[Form, ...]) -> list[list[Expr]]:
    return [[form.component(i) for i in range(form.chart.dimension)] for form in forms]


# -- the examples of the paper -------------------------------------------------------------------------------
def test_two_wheeled_robot() -> None:
    system = gallery.load("two-wheeled-robot")
    found = reduced(system)
    A = "m0*l*R^3/(4*c^2)"
    a, b = "J2 + m*R^2/4 + J*R^2/(4*c^2)", "m*R^2/4 - J*R^2/(4*c^2)"
    turn = ["R/(2*c)", "-R/(2*c)"]
    assert same(
        system,
        components(found.connection.forms),
        [
            [f"R*cos(theta)/2 + y*{turn[0]}", f"R*cos(theta)/2 + y*({turn[1]})", "1", "0", "y"],
            [f"R*sin(theta)/2 - x*{turn[0]}", f"R*sin(theta)/2 - x*({turn[1]})", "0", "1", "-x"],
            [*turn, "0", "0", "1"],
        ],
    )
    assert same(system, found.curvature[0][1], ["R^2*sin(theta)/(2*c)", "-R^2*cos(theta)/(2*c)", "0"])
    assert same(system, found.reduced_metric, [[a, b], [b, a]])
    assert same(system, found.metric_connection, [[["0", A], [f"-{A}", "0"]], [["0", f"-{A}"], [A, "0"]]])
    # the paper prints the opposite sign of alpha, against its own (13)
    assert same(system, found.gyroscopic, [f"-{A}*(psi1' - psi2')*psi2'", f"{A}*(psi1' - psi2')*psi1'"])
    assert not same(system, found.gyroscopic, [f"{A}*(psi1' - psi2')*psi2'", f"-{A}*(psi1' - psi2')*psi1'"])
    assert same(system, semi_basic_form(found).component(0, 1), f"{A}*(psi1' - psi2')")
    field = motion_of(found).rates()
    numbers = {p: float(v) for p, v in system.parameters.items() if v is not None}
    wheels = dict(zip(found.velocities, (1.0, 3.0), strict=True))
    assert evaluate([field[v] for v in found.velocities], Floats({**numbers, **wheels})) == pytest.approx(
        [-13 / 15, 7 / 15]
    )


def test_robot_of_fixed_orientation() -> None:
    system = gallery.load("fixed-orientation-robot")
    found = reduced(system)
    assert same(system, found.curvature[0][1], ["R*sin(theta)", "-R*cos(theta)"])
    assert same(system, found.reduced_metric, [["J", "0"], ["0", "3*Jw + m*R^2"]])
    assert same(system, found.gyroscopic, ["0", "0"])
    assert same(system, found.metric_connection, [[["0", "0"], ["0", "0"]], [["0", "0"], ["0", "0"]]])


def test_the_counterexample_and_the_particle() -> None:
    """z' = f(x, y) x' with f unspecified, and the two cases of it in the gallery."""
    system = System.of(
        name="particle",
        coordinates="x y z",
        functions={"f": {"of": ["x", "y"]}},
        lagrangian="(x'^2 + y'^2 + z'^2)/2",
        constraints={"slope": "z' = f(x, y)*x'"},
        symmetry={"e1": {"z": 1}},
    )
    found = reduced(system)
    slope = "f(x, y)*D(f, 2)(x, y)"
    assert same(system, found.curvature[0][1], ["D(f, 2)(x, y)"])
    assert same(system, found.reduced_metric, [["1 + f(x, y)^2", "0"], ["0", "1"]])
    assert same(system, found.metric_connection, [[["0", slope], [f"-{slope}", "0"]], [["0", "0"], ["0", "0"]]])
    assert same(system, found.gyroscopic, [f"-{slope}*x'*y'", f"{slope}*x'^2"])
    counter = gallery.load("particle-xy")
    assert same(counter, reduced(counter).gyroscopic, ["-x^2*y*x'*y'", "x^2*y*x'^2"])
    plain = gallery.load("nonholonomic-particle")
    assert same(plain, reduced(plain).gyroscopic, ["-y*x'*y'", "y*x'^2"])


def test_skew_contorsion() -> None:
    system = gallery.load("skew-contorsion")
    found = reduced(system)
    signs = {(0, 1, 2): 1, (1, 2, 0): 1, (2, 0, 1): 1, (0, 2, 1): -1, (2, 1, 0): -1, (1, 0, 2): -1}
    told = [[[f"{signs.get((a, b, c), 0)}*s" for c in range(3)] for b in range(3)] for a in range(3)]
    assert same(system, found.metric_connection, told)
    assert same(system, found.gyroscopic, ["0", "0", "0"])
    assert same(system, found.reduced_metric, [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]])


# -- the gallery ---------------------------------------------------------------------------------------------
STARTS: dict[str, tuple[dict[str, float], float]] = {  # away from where D + V = TQ fails
    "chaplygin-sleigh": ({"theta": 0.7, "theta'": -0.05, "x'": 1.0, "y'": float(np.tan(0.7))}, 5),
    "skateboard": ({"phi'": 0.05}, 3),
    "snakeboard": ({}, 1),
    "wheeled-snake": ({"q1": 0.3, "q2": 1.1, "q3": -0.6}, 0.3),
    "steered-cart": ({}, 10),
}
WITHOUT_CHARTS = ["chaplygin-ball", "plate-and-ball", "suslov", "veselova"]
CHAPLYGIN = [
    "chaplygin-ball-chart", "chaplygin-sleigh", "differential-drive", "falling-rolling-disc", "fixed-orientation-robot",
    "heisenberg",
    "nonholonomic-particle", "particle-xy", "plate-and-ball-chart", "skateboard", "skew-contorsion", "snakeboard",
    "steered-cart", "two-wheeled-robot", "vertical-rolling-disc", "veselova-chart", "wheeled-snake",
]  # fmt: skip


@pytest.mark.thorough
def test_which_systems_of_the_gallery_apply() -> None:
    found = [name for name in gallery.names() if not chaplygin.check(gallery.load(name))]
    assert found == sorted([*CHAPLYGIN, *WITHOUT_CHARTS])


@pytest.mark.parametrize("name", CHAPLYGIN)
@pytest.mark.thorough("wheeled-snake", "steered-cart", "plate-and-ball-chart", "chaplygin-ball-chart")
@pytest.mark.thorough(
    "chaplygin-sleigh",
    "differential-drive",
    "falling-rolling-disc",
    "fixed-orientation-robot",
    "snakeboard",
    "two-wheeled-robot",
)
def test_motions_of_the_gallery(name: str) -> None:
    system = gallery.load(name)
    start, time = STARTS.get(name, ({}, 20))
    found = reduced(system)
    equations = motion_of(found)
    assert meets_multipliers(system, found.bundle, equations) is True
    one = simulate(equations, start, time, system=system, tolerance=1e-14, samples=21)
    other = simulate(full_motion(system), start, time, system=system, tolerance=1e-14, samples=21)
    assert one.status == other.status == 0
    for q in system.q:
        label = q.data.name
        assert np.max(np.abs(one[label] - other[label])) < 1e-10 * (1 + np.max(np.abs(other[label])))


# -- the derivation alone ------------------------------------------------------------------------------------
def test_a_derivation_decides_hypotheses_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a normal form is asked for nor the measure made; the theorems and the objects ask."""
    module = sys.modules["dalembert.expr.field.normal"]
    asked: list[object] = []
    plain = module.ask

    def counted(*what: Any, **options: Any) -> Any:
        asked.append(what)
        return plain(*what, **options)

    monkeypatch.setattr(module, "ask", counted)
    monkeypatch.setattr(module, "_known", {})
    found = chaplygin.derive(gallery.load("two-wheeled-robot"))
    assert asked == []
    assert "measure" not in vars(found)
    assert {claim.role for claim in found.hypotheses} == {"hypothesis"}
    assert [claim.verdict.holds for claim in claims(found, only="invariant measure exists")] == [False]
    assert "density" in found.objects()
    assert asked


def test_forces_that_cancel_are_zero_before_anything_is_made_short() -> None:
    """The gyroscopic force of a skew contorsion vanishes by parts that cancel; that of a particle does not."""
    still, pushed = (motion_of(reduced(gallery.load(name))) for name in ("skew-contorsion", "particle-xy"))
    assert still.force == (ZERO, ZERO, ZERO)
    assert [is_zero(f).holds for f in pushed.force] == [False, True]


def test_a_claim_on_each_side_may_be_asked_alone() -> None:
    found = chaplygin.derive(gallery.load("chaplygin-sleigh"))
    for name in ("complement everywhere", "Hamel's contorsion is skew", "compatibility", "free motions", "multipliers"):
        (claim,) = claims(found, only=name)
        assert claim.place
    assert claims(found, only="Theorem 7.5") == ()


# -- any invariant Lagrangian --------------------------------------------------------------------------------
def test_a_lagrangian_that_is_not_of_mechanical_type() -> None:
    """Quartic in the velocities, with a potential and a linear term: all of the symplectic side holds, no metric."""
    system = System.of(
        name="quartic",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 + (x'^2 + z'^2)^2/8 + y*x' - cos(x)*y^2",
        constraints={"slope": "z' = sin(y)*x' + x*y'"},
        symmetry={"e1": {"z": 1}},
    )
    found = reduced(system)
    assert found.reduced_metric is found.metric is found.metric_connection is None
    equations = motion_of(found)
    rates = equations.rates()
    assert set(verdicts(derivations(found, NO_PROOFS)).values()) == {True}
    acceleration = [rates[v] for v in found.velocities]
    assert solves_almost_symplectic_equation(found, acceleration, NO_PROOFS).holds is True
    twin = [acceleration[0] + found.velocities[0], *acceleration[1:]]
    assert solves_almost_symplectic_equation(found, twin, NO_PROOFS).holds is False
    assert vanishes(found, NO_PROOFS).holds is False
    assert meets_multipliers(system, found.bundle, equations) is True
    assert is_zero(almost_symplectic_form(found).component(0, 1)).holds is False


def test_forces_that_are_invariant() -> None:
    system = gallery.load("two-wheeled-robot").but(
        forces={"psi1": "u1 - J2*psi1'", "psi2": "u2", "theta": "-m*theta'"}, controls={"u1": 0.3, "u2": "0"}
    )
    found = chaplygin.derive(system)
    assert isinstance(found, chaplygin.Chaplygin)
    theorems, laws = verdicts(claims(found)), decided(FORMALISM.laws, found)
    names = theorems | verdicts(laws)
    assert names["energy balance"] is names["multipliers"] is names["almost symplectic equation"] is True
    assert names["energy conserved"] is False
    assert not [claim.name for claim in (*claims(found), *laws) if claim.failed]
    twin = found.reduction.forces[0] + found.reduction.velocities[0]
    assert is_zero(twin - found.reduction.forces[0]).holds is False


# -- in a frame on Q -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["two-wheeled-robot", "particle-xy", "veselova-chart"])
@pytest.mark.thorough("two-wheeled-robot")
def test_in_a_frame_on_q(name: str) -> None:
    """Without base coordinates the same motion comes out, and the gyroscopic form is the same function on D."""
    system = gallery.load(name)
    examination = examine(system)
    assert examination.action is not None
    found = derive_in_frame(system, examination.action, examination.claims)
    said = verdicts([*claims(found), *decided(FORMALISM.laws, found)])
    assert said["reduced equation"] is said["multipliers"] is True
    assert said["connection gives back the generators"] is said["D invariant"] is True
    wrong, plain = (
        replace(e, force=tuple(2 * f + 1 for f in e.force)) for e in (found.equations, found.in_coordinates)
    )
    twin = replace(found, equations=wrong, plain=plain)
    assert {c.verdict.holds for c in decided(FORMALISM.laws, twin) if c.name == "reduced equation"} == {False}
    assert [c.verdict.holds for c in claims(twin, only="multipliers")] == [False]
    base = [r.data.label for r in reduced(system).bundle.base]
    assert list(found.objects()["gyroscopic_form"]) == list(found.directions)  # type: ignore[call-overload]
    if list(found.directions) == base:
        pairs = zip(found.gyroscopic, reduced(system).gyroscopic, strict=True)
        assert all(is_zero(a - b).holds for a, b in pairs)


def test_in_a_frame_on_q_that_may_fail_it_moves_in_saddle_form() -> None:
    system = gallery.load("skateboard")
    examination = examine(system)
    assert examination.action is not None
    plain = derive_in_frame(system, examination.action, examination.claims).in_coordinates
    run = simulate(plain, system=system)
    assert (run.provenance["form"], run.provenance["formalism"]) == ("saddle", "chaplygin")
    same = simulate(lagrange_dalembert.derive(system))
    assert max(abs(run[q][-1] - same[q][-1]) for q in ("x", "y")) < 1e-8
    alone = simulate(replace(plain, saddle_form=None), system=system)
    assert alone.status != 0 or "divide by vanishes" in alone.message  # the twin


# -- what comes out ------------------------------------------------------------------------------------------
@pytest.mark.thorough
def test_objects_and_command(tmp_path: Path) -> None:
    path = tmp_path / "particle.toml"
    path.write_text(dumps(gallery.load("particle-xy")))
    command = [sys.executable, "-m", "dalembert.cli.main", "derive", str(path), "--as", "chaplygin", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["state"] == ["x", "y", "x'", "y'"]
    assert list(answer["lift"]) == ["z"]
    wanted = {
        "structure_constants", "connection", "curvature", "reduced_lagrangian", "gyroscopic_form",
        "gyroscopic_two_form", "reduced_metric", "metric_connection_tensor",
    }  # fmt: skip
    assert wanted <= answer["objects"].keys()
    assert not [c for c in answer["claims"] if c["role"] != "question" and c["verdict"] == "refuted"]


def test_a_curvature_that_is_read_off_on_the_orbits_is_that_of_the_connection() -> None:
    reduction = chaplygin.derive(gallery.load("wheeled-snake")).reduction
    assert reduction.bundle.configuration  # else the connection is shown, and applied to brackets
    gamma, _, curvature = reduction.shortened(SimplificationBudget(0.0))
    assert gamma is reduction.connection
    shown, whole = ([e for row in one for parts in row for e in parts] for one in (curvature, reduction.curvature))
    assert vanish([a - b for a, b in zip(shown, whole, strict=True)])
    assert not vanish([a + b for a, b in zip(shown, whole, strict=True)])
