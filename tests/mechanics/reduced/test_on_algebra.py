"""Systems on Lie algebras against the same systems on their groups, and against rotations; wrong twins fail."""

from dataclasses import replace
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from dalembert import System, claims, derive, dumps, loads, reconstruct_along, simulate
from dalembert.errors import ExpressionError, HypothesisError, ModelError
from dalembert.expr.truth.many import ProofBudget
from dalembert.geometry.groups import algebra_of_matrices, lie_algebra
from dalembert.geometry.groups.standard_algebras import standard_algebra
from dalembert.mechanics.found_symmetries import find_symmetries
from dalembert.mechanics.reduced.motion import motion_of
from dalembert.mechanics.reduced.on_algebra import OnAlgebra, hamiltonian, meets_group
from dalembert.present.report import kind_of_system

BODY = {"A": 1, "B": 1.4, "C": 0.6, "m": 1, "g": 9.81, "c": 0.3, "b": 0.2}
SO3 = {"name": "so(3)", "velocities": ["w1", "w2", "w3"]}
KINETIC = "(A*w1^2 + B*w2^2 + C*w3^2)/2"
PAIRS = ("12", "13", "14", "23", "24", "34")


def full(names: tuple[str, ...]) -> tuple[dict[str, float], str]:
    """Return parameters and a kinetic energy with all products of velocities."""
    pairs = list(combinations_with_replacement(names, 2))
    values = {f"I{a}_{b}": 2.0 if a == b else 0.1 for a, b in pairs}
    return values, " + ".join(f"I{a}_{b}*w{a}*w{b}{'/2' if a == b else ''}" for a, b in pairs)


def heavy_top(**more: object) -> System:
    tables = {
        "name": "heavy top",
        "parameters": BODY,
        "lagrangian": f"{KINETIC} - m*g*(b*k1 + c*k3)",
        "algebra": {**SO3, "advected": {"k": "vector"}},
        "start": {"w3": 5, "w1": 0.2, "k1": 0.6, "k3": 0.8},
        "run": {"time": 1},
    }
    return System.of(**{**tables, **more})  # type: ignore[arg-type]


def suslov4() -> System:
    values, kinetic = full(PAIRS)
    return System.of(
        name="Suslov on so(4)",
        parameters=values,
        lagrangian=kinetic,
        constraints={"a": "w12 = 0", "b": "w13 = 0", "c": "w23 = 0"},
        algebra={"name": "so(4)", "velocities": [f"w{p}" for p in PAIRS]},
    )


def suslov5() -> System:
    """A body in five dimensions that does not turn in one plane, its inertia in no special position to that."""
    names = [f"w{i}{j}" for i in range(1, 6) for j in range(i + 1, 6)]
    squares = " + ".join(f"I{w}*{w}^2/2 + P{w}*{w}*w45" for w in names[:-1])
    return System.of(
        name="Suslov on so(5)",
        parameters={**{f"I{w}": 1 for w in names}, **{f"P{w}": 0.1 for w in names[:-1]}},
        lagrangian=f"{squares} + Iw45*w45^2/2",
        constraints={"a": "w45 = 0"},
        algebra={"name": "so(5)", "velocities": names},
    )


def veselova5() -> System:
    """A body in five dimensions that turns only in planes with an axis k of space: the 3-form k ^ w is zero."""
    names = [f"w{i}{j}" for i in range(1, 6) for j in range(i + 1, 6)]
    kinetic = " + ".join(f"I{w}*{w}^2/2" for w in names)
    return System.of(
        name="Veselova on so(5)",
        parameters={**{f"I{w}": round(1 + 0.13 * k, 2) for k, w in enumerate(names)}, "p": 0.1},
        lagrangian=f"{kinetic} + p*(w12*w34 + w15*w23)",
        constraints={f"c{i}{j}": f"k5*w{i}{j} + k{i}*w{j}5 - k{j}*w{i}5 = 0" for i, j in combinations(range(1, 5), 2)},
        algebra={"name": "so(5)", "velocities": names, "advected": {"k": "vector"}},
    )


SYSTEMS = {
    "Suslov on so(5)": suslov5(),
    "Veselova on so(5)": veselova5(),
    "heavy top": heavy_top(),
    "Suslov": heavy_top(lagrangian=f"{KINETIC} + b*w1*w3 + c*w2*w3", constraints={"c": "w3 = 0"}),
    "Suslov, pushed": heavy_top(constraints={"c": "w3 = b*w1 + sin(t)"}, forces={"w1": "-b*w1", "w2": "k1"}),
    "Veselova": heavy_top(lagrangian=KINETIC, constraints={"c": "k1*w1 + k2*w2 + k3*w3 = 0"}),
    "held speed": heavy_top(lagrangian=KINETIC, constraints={"c": "w3^2 = w1^2 + b*w2^2"}),
    "Suslov on so(4)": suslov4(),
    "Kirchhoff": System.of(
        name="Kirchhoff",
        parameters={**BODY, "d": 0.1},
        lagrangian=f"{KINETIC} + (m*v1^2 + 2*m*v2^2 + 3*m*v3^2)/2 + d*(w1*v2 + w2*v3)",
        algebra={"name": "se(3)", "velocities": ["w1", "w2", "w3", "v1", "v2", "v3"]},
    ),
    "a rotor in a body": System.of(
        name="a rotor in a body",
        coordinates={"ps": "angle"},
        parameters=BODY,
        lagrangian=f"{KINETIC} + b*(ps' + w3)^2/2 + c*cos(ps)*w1*w2 + m*cos(ps)",
        algebra=SO3,
    ),
    "by brackets": System.of(
        name="by brackets",
        parameters={"a": 1, "b": 2},
        lagrangian="(u^2 + 2*v^2 + 3*w^2)/2 + u*w/2 - x*y",
        algebra={
            "basis": ["e1", "e2", "e3"],
            "brackets": {"e1, e2": "a*e2 + b*e3", "e1, e3": "a*e3"},
            "velocities": ["u", "v", "w"],
            "advected": {"x": "a*x*u", "y": "-a*y*u"},
        },
    ),
}


LONG = ("Suslov on so(5)", "Veselova on so(5)", "Kirchhoff", "held speed", "Suslov, pushed")


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[pytest.mark.thorough] * (name in LONG)) for name in SYSTEMS]
)
def found(request: pytest.FixtureRequest) -> OnAlgebra:
    result = derive(SYSTEMS[request.param], "reduced")
    assert isinstance(result, OnAlgebra)
    return result


def test_the_motion_is_that_on_the_group(found: OnAlgebra) -> None:
    assert meets_group(found, ProofBudget(0.0)).holds


def test_with_brackets_of_the_other_sign_it_is_not(found: OnAlgebra) -> None:
    names = found.algebra.names
    turned = lie_algebra(names, [[[-c for c in row] for row in table] for table in found.algebra.constants])
    wrong = motion_of(replace(found.invariant, algebra=turned), found.free)
    equations = replace(found.in_coordinates, mass=wrong.mass, force=wrong.force)
    assert meets_group(replace(found, equations=equations, plain=None, motion=wrong), ProofBudget(0.0)).holds is False
    if found.plain is not None:
        pushed = replace(found.equations, force=tuple(f + 1 for f in found.equations.force))
        assert meets_group(replace(found, equations=pushed), ProofBudget(0.0)).holds is False


def test_lie_poisson_and_casimirs() -> None:
    top = derive(SYSTEMS["heavy top"], "reduced")
    said = {claim.name: claim.verdict.holds for claim in claims(top)}
    assert all(said[name] for name in ("Lie-Poisson", "Casimirs", "Casimir 1 conserved", "Casimir 2 conserved"))
    assert [str(c) for c in top.casimirs] == ["k1*mu_e1 + k2*mu_e2 + k3*mu_e3", "k1^2 + k2^2 + k3^2"]
    body = derive(SYSTEMS["Kirchhoff"], "reduced")
    assert [str(c) for c in body.casimirs] == ["mu_e1*mu_f1 + mu_e2*mu_f2 + mu_e3*mu_f3", "mu_f1^2 + mu_f2^2 + mu_f3^2"]
    flipped = replace(top, equations=replace(top.equations, force=tuple(-f for f in top.equations.force)))
    assert hamiltonian(flipped, ProofBudget(0.0)).holds is False


def test_the_top_moves_as_a_rotation_does() -> None:
    """The same top, stated as a rotation in space; k is the vertical seen from the body."""
    turning = System.of(
        name="heavy top in space",
        coordinates={"R": "rotation"},
        parameters=BODY,
        lagrangian="(A*R.w1^2 + B*R.w2^2 + C*R.w3^2)/2 - m*g*(b*R.m31 + c*R.m33)",
        start={"R.w3": 5, "R.w1": 0.2, "R": {"axis": [0, 1, 0], "angle": -0.6435011087932844}},
        run={"time": 1},
    )
    one = simulate(derive(SYSTEMS["heavy top"], "reduced")).at(1.0)
    other = simulate(derive(turning, "euler-lagrange")).at(1.0)
    for name in ("w1", "w2", "w3"):
        assert abs(one[name] - other[f"R.{name}"]) < 1e-8
    assert abs(one["k3"] - other["R.m33"]) < 1e-8


def test_it_is_read_back_as_written() -> None:
    for system in SYSTEMS.values():
        assert loads(dumps(system)) == system


def test_other_formalisms_refuse() -> None:
    said = "A system with 3 velocities of a Lie algebra, 3 advected parameters and no constraints."
    assert kind_of_system(SYSTEMS["heavy top"]).text == said
    with pytest.raises(ExpressionError, match="divided out already"):
        find_symmetries(SYSTEMS["heavy top"])
    with pytest.raises(HypothesisError, match="use reduced"):
        derive(SYSTEMS["heavy top"], "euler-lagrange")


@pytest.mark.parametrize(
    ("algebra", "said"),
    [
        ({"name": "so(3)"}, "velocities of the Lie algebra are not named"),
        ({"name": "so(17)", "velocities": ["w1"]}, "n is at most 6"),
        ({"name": "spin", "velocities": ["w1"]}, "no Lie algebra that is known by name"),
        ({"name": "so(3)", "velocities": ["w1", "w2"]}, "has dimension 3"),
        ({"velocities": ["w1"]}, "has a name, or a basis"),
        ({**SO3, "advected": {"k": "w1^2"}}, "not linear in w1"),
        ({**SO3, "advected": {"k": "k*w1", "n": "k*w2"}}, "those of no action"),
        (
            {
                "basis": ["a", "b", "c"],
                "brackets": {"a, b": "c", "b, c": "a", "c, a": "a"},
                "velocities": ["w1", "w2", "w3"],
            },
            "Jacobi's identity fails on a, b, c",
        ),
        ({"basis": ["a", "b"], "brackets": {"a, b": "a*b"}, "velocities": ["w1", "w2"]}, "no sum of basis vectors"),
        ({"basis": ["a", "b"], "brackets": {"a b": "a"}, "velocities": ["w1", "w2"]}, "no pair of basis vectors"),
    ],
)
def test_what_is_wrong_is_said(algebra: dict[str, object], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        System.of(name="wrong", lagrangian="w1^2", algebra=algebra)


def test_a_constraint_that_turns_is_followed_where_a_frame_would_fail() -> None:
    """The axis of Veselova's constraint passes through all directions; the constraint stays, and the energy."""
    result = derive(SYSTEMS["Veselova"].but(start={"w1": 1, "w2": 0.5, "k1": 0.6, "k3": 0.8}), "reduced")
    assert result.equations.saddle is not None
    end = simulate(result, time=3.0).at(3.0)
    assert abs(sum(end[f"k{i}"] * end[f"w{i}"] for i in (1, 2, 3))) < 1e-9
    assert abs(end["energy"] - result_energy(1, 0.5, -0.75)) < 1e-8


@pytest.mark.thorough
def test_what_noether_says_of_veselovas_body_in_five_dimensions() -> None:
    """Turns of space in planes with k are allowed, and leave l alone: in space M k is constant, so its length is."""
    system = veselova5()
    axis = np.array([0.1, 0.2, -0.1, 0.3, np.sqrt(0.85)])
    arm = np.array([0.5, -0.4, 0.3, 0.7, 0.2])
    turn = np.outer(arm, axis) - np.outer(axis, arm)
    start = {f"k{i + 1}": axis[i] for i in range(5)}
    start |= {f"w{i + 1}{j + 1}": turn[i, j] for i, j in combinations(range(5), 2)}
    run = simulate(derive(system, "reduced"), start, time=4, tolerance=1e-11, samples=9)
    k = np.array([run[f"k{i + 1}"] for i in range(5)])
    beside = {"12": "34", "34": "12", "15": "23", "23": "15"}
    momentum = np.zeros((5, 5, len(run)))
    for i, j in combinations(range(5), 2):
        name = f"{i + 1}{j + 1}"
        inertia = float(system.defaults[system.vocabulary[f"Iw{name}"]])
        momentum[i, j] = inertia * run[f"w{name}"] + (0.1 * run[f"w{beside[name]}"] if name in beside else 0)
        momentum[j, i] = -momentum[i, j]
    kept = np.linalg.norm(np.einsum("ijt,jt->it", momentum, k), axis=0)
    assert np.ptp(kept) < 1e-9 * kept[0]
    assert np.ptp(run["energy"]) < 1e-9
    assert np.ptp(np.linalg.norm(momentum, axis=(0, 1))) > 0.01  # that of M is not: planes without k do not count


def result_energy(w1: float, w2: float, w3: float) -> float:
    return (BODY["A"] * w1**2 + BODY["B"] * w2**2 + BODY["C"] * w3**2) / 2


def test_the_place_in_the_group_is_followed_as_a_matrix():
    top = derive(heavy_top(), "reduced")
    run = simulate(top, tolerance=1e-12)
    turning = reconstruct_along(top.matrices, run, ["w1", "w2", "w3"])
    there = run.at(turning.t)
    fixed = np.einsum("tij,jt->ti", turning.g, [there["k1"], there["k2"], there["k3"]])
    assert abs(fixed - [0.6, 0, 0.8]).max() < 1e-9  # what is carried along stands still in space
    for name in ("heisenberg", "R^2", "se(2)", "so(4)", "sl(2)"):
        known = standard_algebra(name)
        assert algebra_of_matrices(known.algebra.names, known.group).constants == known.algebra.constants
    adjoint = System.of(
        name="by brackets", lagrangian="(u^2 + v^2)/2",
        algebra={"basis": ["a", "b"], "brackets": {"a, b": "b"}, "velocities": ["u", "v"]},
    )  # fmt: skip
    assert derive(adjoint, "reduced").matrices == [[[0, 0], [0, 1]], [[0, 0], [-1, 0]]]
    middle = adjoint.but(algebra={"basis": ["a", "b"], "brackets": {}, "velocities": ["u", "v"]})
    with pytest.raises(HypothesisError, match="has a centre"):
        _ = derive(middle, "reduced").matrices
