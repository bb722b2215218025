"""Every verb given things of every kind: it takes them, or says in one sentence what it takes; no raw error leaves."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import dalembert
from dalembert import gallery
from dalembert.analysis.agreement import compare_engines, compare_formalisms, compare_runs
from dalembert.analysis.audit import audit
from dalembert.analysis.boundary import solve_boundary
from dalembert.analysis.compare import compare
from dalembert.analysis.holonomy import holonomy
from dalembert.analysis.phases import phases
from dalembert.analysis.relative_equilibria import relative_equilibria, relative_equilibria_claims
from dalembert.analysis.sweep import sweep
from dalembert.analysis.variational_equations import symplectic_defect
from dalembert.analysis.variational_equations import volume_change as closed_orbit
from dalembert.errors import DalembertError, WrongKind
from dalembert.expr import symbol
from dalembert.expr.truth import is_zero
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.registry import formalism, formalism_names
from dalembert.mechanics.routh.reconstruction.summary import horizontal_lift, reconstruction_equations
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.trajectory import Trajectory
from dalembert.numerics.codegen import code
from dalembert.numerics.ensemble import simulate_ensemble
from dalembert.numerics.geometric.march import march
from dalembert.numerics.linearise import equilibrium, flow, linearise, monodromy, rates_jacobian
from dalembert.numerics.lyapunov import lyapunov_exponents
from dalembert.numerics.sections import section
from dalembert.numerics.simulate import simulate
from dalembert.present.json_export import answer
from dalembert.present.motion import plots_of
from dalembert.present.notebook import film
from dalembert.present.scene import scene_of
from dalembert.studies.studying import study

PLANE = System.of(
    name="plane",
    coordinates={"r": "positive", "th": "angle"},
    parameters={"k": 2},
    lagrangian="(r'^2 + r^2*th'^2)/2 - k*r^2/2",
    symmetry={"turn": {"th": 1}},
    momentum=[1],
    start={"r": 1, "th'": 1},
    run={"time": 0.1},
)
KNIFE = System.of(
    name="knife",
    coordinates="x y z",
    parameters={"k": 2},
    lagrangian="(x'^2 + y'^2 + z'^2)/2 - k*y",
    constraints={"held": "z' = y*x'"},
    symmetry={"up": {"z": 1}},
    start={"x'": 1, "y'": 0.5, "y": 0.4},
    run={"time": 0.1},
)
STATED = System.of(name="stated", coordinates="x y", equations={"x''": "-x", "y'": "x'"}, run={"time": 0.1})
WITH_A_RESULT = {"euler-lagrange": PLANE, "routh": PLANE} | dict.fromkeys(
    ("nonholonomic", "chaplygin", "vakonomic", "semisymplectic"), KNIFE
)


@cache
def thing(kind: str) -> Any:
    """One thing of a kind."""
    x = symbol("x")
    if kind in WITH_A_RESULT:
        return derive(WITH_A_RESULT[kind], kind)
    made: dict[str, Callable[[], Any]] = {
        "stated field": lambda: derive(STATED, "nonholonomic"),
        "system": lambda: PLANE,
        "equations": lambda: thing("euler-lagrange").equations,
        "by hand": lambda: Equations("decay", "by hand", {x: -x}),
        "motion": lambda: simulate(thing("euler-lagrange")),
        "ensemble": lambda: simulate_ensemble(thing("euler-lagrange"), [{}], 0.1),
        "expression": lambda: x * x,
        "verdict": lambda: is_zero(x),
    }
    return made[kind]()


PLAIN = {
    "nothing": None,
    "text": "r",
    "a number": 3,
    "a list": [1],
    "a table": {},
    "a class": System,
    "a module": gallery,
}
KINDS = [
    *WITH_A_RESULT,
    "stated field",
    "system",
    "equations",
    "by hand",
    "motion",
    "ensemble",
    "expression",
    "verdict",
]
LOOP = {"x": "cos(t)", "y": "sin(t)"}


def motion_of_plane() -> Trajectory:
    found: Trajectory = thing("motion")
    return found


VERBS: dict[str, Callable[[Any], Any]] = {
    # what ``dalembert`` offers
    "constant": dalembert.constant,
    "derive": partial(derive, name="euler-lagrange"),
    "derive by": partial(derive, PLANE),
    "dumps": dalembert.dumps,
    "equal": lambda one: dalembert.equal(one, one),
    "from_sympy": dalembert.from_sympy,
    "generic_rank": dalembert.generic_rank,
    "generic_rank of entries": lambda one: dalembert.generic_rank([[one]]),
    "is_zero": dalembert.is_zero,
    "latex": dalembert.latex,
    "load": dalembert.load,
    "loads": dalembert.loads,
    "mathml": dalembert.mathml,
    "never_zero": dalembert.never_zero,
    "normal": dalembert.normal,
    "parse": lambda one: dalembert.parse(one, dalembert.Vocabulary.of("x")),
    "parse by": lambda one: dalembert.parse("x", one),
    "parse_equation": lambda one: dalembert.parse_equation(one, dalembert.Vocabulary.of("x")),
    "text": dalembert.text,
    "tidy": dalembert.tidy,
    "to_sympy": dalembert.to_sympy,
    "simulate": partial(simulate, time=0.1),
    "simulate_ensemble": lambda one: simulate_ensemble(one, [{}], 0.1),
    "ensemble from": lambda one: simulate_ensemble(thing("euler-lagrange"), one, 0.1),
    "ensemble with": lambda one: simulate_ensemble(thing("euler-lagrange"), [{}], 0.1, values=one),
    "audit": lambda one: audit(one, thing("euler-lagrange")),
    "audit by": lambda one: audit(motion_of_plane(), one),
    # a motion
    "value": lambda one: motion_of_plane().value(one),
    "[]": lambda one: motion_of_plane()[one],
    "at": lambda one: motion_of_plane().at(one),
    "save": lambda one: motion_of_plane().save(one),
    "Trajectory.load": Trajectory.load,
    # analysis
    "compare_engines": compare_engines,
    "compare_formalisms": compare_formalisms,
    "compare_runs": lambda one: compare_runs((one, one), (one, one), ("a", "b")),
    "solve_boundary": lambda one: solve_boundary(one, {"x": 0}, {"x": 1}, 1, attempts=1),
    "compare": compare,
    "holonomy": lambda one: holonomy(one, LOOP),
    "closed orbit": lambda one: closed_orbit(one, {}, 1.0),
    "phases": phases,
    "relative_equilibria": relative_equilibria,
    "relative_equilibria_claims": relative_equilibria_claims,
    "symplectic_defect": partial(symplectic_defect, samples=21),
    # numerics
    "equilibrium": equilibrium,
    "linearise": linearise,
    "monodromy": lambda one: monodromy(one, {}, 1.0),
    "flow": lambda one: flow(one, {}, 0.1),
    "rates_jacobian": rates_jacobian,
    "lyapunov_exponents": lambda one: lyapunov_exponents(one, {}, 0.1, parts=10),
    "section": lambda one: section(one, "t = 0.05"),
    "section through": lambda one: section(motion_of_plane(), one),
    "march": lambda one: march(one, time=0.1, step=0.01),
    "code": lambda one: code(one, "python"),
    "code in": lambda one: code(thing("euler-lagrange"), one),
    "horizontal_lift": horizontal_lift,
    "reconstruction_equations": reconstruction_equations,
    # pages
    "answer": answer,
    "plots_of": plots_of,
    "scene_of": lambda one: scene_of(one, PLANE),
    "film": film,
    "gallery.load": gallery.load,
    "gallery.about": gallery.about,
}
OPTIONS = ["start", "time", "values", "functions", "engine", "tolerance", "events", "samples", "most_steps"]


def with_option(name: str, one: Any) -> Trajectory:
    return simulate(thing("by hand"), **{"start": {"x": 1}, "time": 0.1, name: one})


VERBS |= {f"simulate, {name}": partial(with_option, name) for name in OPTIONS}
COMPILED = {
    "compare_engines", "equilibrium", "flow", "linearise", "lyapunov_exponents", "march", "monodromy", "section",
    "simulate", "simulate_ensemble",
}  # fmt: skip
"""These take the results of all formalisms, for which other tests are; here one of them will do."""


def kinds_for(verb: str) -> list[str]:
    left_out = {"compare": ["system"], "phases": ["routh"], "closed orbit": ["equations"]}.get(verb, [])
    left_out = [*WITH_A_RESULT][1:] if verb in COMPILED else left_out
    return [kind for kind in (*KINDS, *PLAIN) if kind not in left_out]


@pytest.mark.parametrize("verb", VERBS)
def test_no_raw_error_leaves(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # where a text would be the name of a file
    for kind in kinds_for(verb):
        given = PLAIN[kind] if kind in PLAIN else thing(kind)
        try:
            VERBS[verb](given)
        except DalembertError:
            continue
        except Exception as error:  # noqa: BLE001
            pytest.fail(f"{verb} of {kind}: {type(error).__name__}: {error}")


def test_the_sweep_can_fail() -> None:
    """The twin: a verb that does not look leaves a raw error."""

    def careless(result: Any) -> Any:
        return result.frame.lagrangian

    assert careless(thing("routh")) is not None
    with pytest.raises(AttributeError):
        careless(thing("vakonomic"))


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: relative_equilibria(thing("nonholonomic")), "steady takes the rest), not what 'nonholonomic' derived"),
        (lambda: holonomy(thing("routh"), LOOP), "takes what chaplygin.reduce found, not what 'routh' derived"),
        (lambda: solve_boundary(PLANE), "takes what 'vakonomic' derived in coordinates of a chart, not a system"),
        (lambda: simulate(PLANE), "simulate takes what a formalism derived, or equations, not a system"),
        (lambda: simulate(thing("by hand"), 3, 1), "a start must be a table of values by name, not a number"),
        (lambda: derive("sleigh", "routh"), "derive takes a system, not text"),
        (lambda: audit(motion_of_plane(), thing("routh")), "of 'plane euler-lagrange', not of the equations"),
        (lambda: dalembert.text(None), "text takes an expression, not nothing"),
        (lambda: sweep(KNIFE.q, "routh", over=[], store="s"), "sweep takes a system, not a list"),
        (lambda: study(thing("motion")), "study takes a system, not a motion"),
        (lambda: bool(is_zero(symbol("x"))), "a verdict has three answers"),
    ],
)  # fmt: skip
def test_which_kinds_are_taken(ask: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(WrongKind) as caught:
        ask()
    assert sentence in str(caught.value)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("name", formalism_names())
def test_formalisms_take_systems(name: str) -> None:
    for given in (None, "x", thing("by hand"), thing("motion")):
        with pytest.raises(WrongKind, match="a formalism takes a system"):
            formalism(name).derive(given)
