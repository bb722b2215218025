"""The gallery: every system loads, comes back from its file as it was, and is what is said of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from adapted import Motion, constrained, distribution
from clock import quickly
from loading import load

from dalembert import derive, gallery
from dalembert.errors import HypothesisError, ModelError
from dalembert.expr import TIME, Expr, define, evaluate, jacobian, substitute, symbol, time_derivative
from dalembert.expr.readers import Floats, Rationals
from dalembert.expr.text import parse
from dalembert.expr.truth import Fact, Sphere, generic_rank, is_zero
from dalembert.geometry.distributions import Distribution, choose_dependent, curvature, growth_vector, involutive
from dalembert.geometry.fields import VectorField, bracket, coordinate_field
from dalembert.geometry.frames import hamel_equations
from dalembert.geometry.groups.actions import action_from_generators, prolonged
from dalembert.mechanics.lagrangian import euler_lagrange, hamilton
from dalembert.mechanics.lagrangian.jets import energy
from dalembert.mechanics.lagrangian.noether import invariance
from dalembert.mechanics.nonholonomic import general_constraints
from dalembert.mechanics.registry import claims
from dalembert.mechanics.vakonomic import vakonomic
from dalembert.model.files import dumps, loads
from dalembert.model.parts import Known
from dalembert.model.system import System
from dalembert.numerics.field import Field
from dalembert.numerics.simulate import prepare

SINGLE = [name for name in gallery.names() if gallery.default_size(name) is None]
FAMILIES = [name for name in gallery.names() if gallery.default_size(name) is not None]
ALL = [*SINGLE, *(f"{name}:{n}" for name in FAMILIES for n in (1, 2, 3))]
LARGE = ["bicycle", *(f"{name}:{n}" for name in ("arm", "car-with-trailers", "snake", "tree") for n in (1, 3))]
"""Machines by their parts whose sweep is left to ``make long``; others like them are swept in every run."""


# -- the list ------------------------------------------------------------------------------------------------
def test_what_there_is() -> None:
    assert {
        "affine-time", "free-rigid-body", "general-particle", "heavy-top", "heisenberg", "kepler", "magnetic",
        "nonholonomic-particle", "particle-in-potential", "particle-xy", "pendulum", "plate-and-ball", "quartic",
        "skateboard", "snakeboard", "spherical-pendulum", "vertical-rolling-disc", "wheeled-snake",
    } <= set(gallery.names())  # fmt: skip
    assert list(gallery.names()) == sorted(gallery.names())


@pytest.mark.parametrize("name", gallery.names())
def test_every_file_says_what_it_is(name: str) -> None:
    sentence = gallery.about(name)
    assert sentence.endswith(".")
    assert sentence[0].isupper()
    assert len(sentence) < 160


@pytest.mark.parametrize(("name", "read"), [("quartic", []), ("pendulum", ["dalembert.gallery.pendulum"])])
@pytest.mark.thorough("quartic-read0")
def test_a_family_is_read_when_it_is_asked_for(name: str, read: list[str]) -> None:
    program = (
        f"import sys; from dalembert import gallery; gallery.names(); gallery.load('{name}');"
        "print(sorted(m for m in sys.modules if m.startswith('dalembert.gallery.')))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(read)


@pytest.mark.parametrize(
    ("name", "n", "sentence"),
    [
        ("keppler", None, "the gallery has no system 'keppler'; did you mean 'kepler'?"),
        ("record", None, "the gallery has no system 'record'"),
        ("../kepler", None, "the gallery has no system '../kepler'; did you mean 'kepler'?"),
        ("qqqq", None, "the gallery has no system 'qqqq'; 'dalembert gallery' lists them."),
        ("kepler:3", None, "'kepler' is one system and has no size; write 'kepler'."),
        ("kepler", 3, "'kepler' is one system and has no size"),
        ("pendulum:", None, "'pendulum:' is not a system; give its size once, as in 'pendulum:2'."),
        ("pendulum:two", None, "'pendulum:two' is not a system"),
        ("pendulum:\N{ARABIC-INDIC DIGIT TWO}", None, "is not a system"),
        ("pendulum:-1", None, "'pendulum:-1' is not a system"),
        ("pendulum:2", 3, "'pendulum:2' is not a system; give its size once"),
        ("pendulum:0", None, "'pendulum' has 1 to 100 links, not 0."),
        ("pendulum:" + "9" * 5000, None, "'pendulum' has 1 to 100 links, not a number of 5000 digits."),
    ],
)
def test_what_is_not_there(name: str, n: int | None, sentence: str) -> None:
    with pytest.raises(ModelError) as caught:
        gallery.load(name, n)
    assert sentence in str(caught.value)


@pytest.mark.parametrize("name", [name for name in gallery.names() if gallery.default_size(name)])
def test_the_longest_of_a_family_is_read(name: str) -> None:
    assert len(gallery.load(name, gallery.MOST_LINKS).q) >= gallery.MOST_LINKS


def test_sizes_are_written_in_two_ways() -> None:
    assert gallery.load("pendulum:3") == gallery.load("pendulum", 3)
    assert gallery.load("pendulum") == gallery.load("pendulum", gallery.default_size("pendulum"))
    assert gallery.known("wheeled-snake:4").dimension == 6


# -- facts ---------------------------------------------------------------------------------------------------
def stated(system: System) -> list[str]:
    """The constraints but for the units of rotations and directions, which nobody states."""
    return [name for name in system.constraints if name not in system.units]


Check = Callable[[System, Known], object]


def dimension(system: System, known: Known) -> None:
    assert len(system.q) - len(system.points) == known.dimension


def regular(system: System, known: Known) -> None:
    assert euler_lagrange._regular(system).holds is known.regular


def symmetries(system: System, known: Known) -> None:
    assert {name: invariance(system, name)[0] for name in system.symmetry} == dict(known.symmetries)


def algebra(system: System, known: Known) -> None:
    fields = {name: g.on(system.chart) for name, g in system.symmetry.items() if g.components}
    assert (action_from_generators(fields).algebra.name() if fields else "") == known.algebra


def kinds(system: System, known: Known) -> None:
    assert {name: system.kind_of(name) for name in stated(system)} == dict(known.constraints)


def directions(system: System, known: Known) -> None:
    linear = bool(stated(system)) and set(known.constraints.values()) == {"linear"}
    assert linear is (known.holonomic is not None)
    if linear:
        assert involutive(distribution(system)).holds is known.holonomic
    if known.growth:
        assert growth_vector(distribution(system).fields) == known.growth


def energy_law(system: System, known: Known) -> None:
    rate = Motion(system).rate(energy(system.lagrangian, system.q, system.order))
    assert is_zero(rate, on_spheres(system)).holds is known.energy_conserved


def rates(system: System, texts: Mapping[str, str]) -> dict[str, bool | None]:
    motion = Motion(system)
    found = {name: motion.rate(parse(text, system.vocabulary)) for name, text in texts.items()}
    return {name: is_zero(rate, on_spheres(system)).holds for name, rate in found.items()}


def on_spheres(system: System) -> tuple[Fact, ...]:
    """That rotations and directions have unit length."""
    return tuple(Sphere(sphere) for sphere in system.spheres)


def integrals(system: System, known: Known) -> None:
    assert rates(system, known.integrals) == dict.fromkeys(known.integrals, True)


def varying(system: System, known: Known) -> None:
    assert known.varying
    assert rates(system, known.varying) == dict.fromkeys(known.varying, False)


CHECKS: list[Check] = [
    dimension, regular, symmetries, algebra, kinds, directions, energy_law, integrals, varying,
]  # fmt: skip


@pytest.mark.thorough(*(f"{name}-{check.__name__}" for name in LARGE for check in CHECKS))
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.thorough("axle-directions", "ball-directions", "plate-and-ball-directions")
def test_facts(name: str, check: Check) -> None:
    system = load(name)
    check(system, system.known)


WRONG = {
    "dimension": {"dimension": 5},
    "regular": {"regular": False},
    "symmetries": {"symmetries": {"e1": "symmetry", "e2": "none"}},
    "algebra": {"algebra": "se(2)"},
    "kinds": {"constraints": {"rolls_in_x": "linear", "rolls_in_y": "affine"}},
    "directions": {"growth": (2, 4)},
    "energy_law": {"energy_conserved": False},
    "integrals": {"integrals": {"x": "x"}},
    "varying": {"varying": {"phi'": "2*phi'"}},
}


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_a_wrong_fact_is_seen(check: Check) -> None:
    disc = load("vertical-rolling-disc")
    known = disc.known
    check(disc, known)
    with pytest.raises(AssertionError):
        check(disc, replace(known, **WRONG[check.__name__]))


@pytest.mark.thorough(*LARGE)
@pytest.mark.parametrize("name", [n for n in ALL if load(n).known.constraints])
def test_generators_keep_the_constraints(name: str) -> None:
    system = load(name)
    if "nonlinear" in system.known.constraints.values():
        fields = [generator.on(system.chart) for generator in system.symmetry.values()]
        assert all(is_zero(prolonged(x, c.expression)).holds for x in fields for c in system.constraints.values())
        return
    D = distribution(system)
    for generator in system.symmetry.values():
        assert keeps(D, generator.on(system.chart))


def keeps(D: Distribution, field: VectorField) -> bool:
    parts = [part for other in D.fields for part in D.leaving(bracket(field, other))]
    return all(is_zero(part).holds for part in parts)


def test_the_heading_alone_does_not_keep_them() -> None:
    disc = load("vertical-rolling-disc")
    assert not keeps(distribution(disc), coordinate_field(disc.chart, disc.vocabulary["psi"]))


# -- files and starts ----------------------------------------------------------------------------------------
@pytest.mark.thorough(*LARGE)
@pytest.mark.parametrize("name", [*ALL, "pendulum:15", "wheeled-snake:15"])
@pytest.mark.thorough("pendulum:15", "wheeled-snake:15")
def test_round_trip_through_a_file(name: str) -> None:
    system = load(name)
    text = dumps(system)
    again = loads(text)
    assert again == system
    assert dumps(again) == text
    assert loads(text.replace("time = ", "time = 1")) != system


@pytest.mark.thorough(*LARGE)
@pytest.mark.parametrize("name", ALL)
@pytest.mark.thorough("veselova", "kirchhoff-body")
@pytest.mark.thorough("ball", "coupled-bodies", "plate-and-ball", "top")
def test_a_motion_can_start(name: str) -> None:
    """The stated velocities can be completed to ones that obey the constraints, and there all rates are finite."""
    system = load(name)
    assert len(system.defaults) == len(system.parameters)
    assert system.run.time is not None
    if system.points:
        problem, _, _ = prepare(derive(system, "nonholonomic" if stated(system) else "euler-lagrange"))
        assert np.abs(Field(problem).rates(0.0, problem.start)).max() < 1e3
        return
    said = define(list(system.start.values.values()), system.definitions)
    point = dict.fromkeys(system.q, 0.0) | {symbol(TIME): float(system.run.begin.value)}
    point |= {p: float(v) for p, v in system.defaults.items()}
    point |= dict(zip(system.start.values, evaluate(said, Floats(point)), strict=True))
    open_ones = [v for v in system.v if v not in point]
    residuals = [c.expression for c in system.constraints.values()]

    def at(expressions: list[Expr]) -> list[float]:
        driven = substitute(expressions, {u: value for u, value in system.controls.items() if value is not None})
        return evaluate(define(driven, system.definitions), Floats(dict.fromkeys(open_ones, 0.0) | point))

    if system.constraints and system.order > 1:
        result = vakonomic.derive(system)
        point = result.initial_state()
        found = at(list(result.equations.kinematics.values()))
    elif system.constraints:
        slopes = [at(row) for row in jacobian(residuals, open_ones)]
        completed = np.linalg.lstsq(np.array(slopes), -np.array(at(residuals)), rcond=None)[0]
        point |= dict(zip(open_ones, completed.tolist(), strict=True))
        assert max(map(abs, at(residuals))) < 1e-12
        if any(system.kind_of(name) == "nonlinear" for name in system.constraints):
            assert max(map(abs, at(list(general_constraints.derive(system).equations.rates().values())))) < 1e3
            return
        equations = constrained(system)
        free = [point[system.v[i]] for i in distribution(system).independent]
        point |= dict(zip(equations.frame.quasi_velocities, free, strict=False))
        found = at(equations.accelerations())
    else:
        found = at(list(euler_lagrange.motion(system).rates().values()))
    assert max(map(abs, found)) < 1e3


@pytest.mark.thorough(*LARGE, "coupled-bodies", "kirchhoff-body", "curved-se2", "wong-space", "pendulum:3")
@pytest.mark.parametrize("name", ALL)
@pytest.mark.thorough("wong-plane", "free-rigid-body-chart", "kovalevskaya-top", "gyrostat", "arm:2", "tree:2")
@pytest.mark.thorough("free-rigid-body", "gyroscope", "heavy-top", "top", "pendulum:2")
def test_every_free_system_has_its_equations(name: str) -> None:
    system = load(name)
    if stated(system):
        with pytest.raises(HypothesisError, match="do not take constraints"):
            euler_lagrange.derive(system)
        return
    canonical = () if hamilton.check(system) else hamilton.derive(system).claims
    assert bool(canonical) is all(point.is_rotation for point in system.points)  # Hamilton takes no directions
    for decided in (claims(euler_lagrange.derive(system)), canonical):
        assert not [claim.name for claim in decided if claim.failed or claim.verdict.holds is None]


# -- known values --------------------------------------------------------------------------------------------
def accelerations_at(system: System, **values: Fraction | int) -> list[Fraction]:
    """The accelerations of the independent coordinates x and y, and the velocity of z, exactly."""
    equations = constrained(system)
    words = system.vocabulary
    point = {words[name]: value for name, value in values.items() if name in "txyz"}
    point |= dict(zip(equations.frame.quasi_velocities, (values["vx"], values["vy"], 0), strict=True))
    wanted = [*equations.accelerations(), equations.frame.kinematics[2]]
    return evaluate(wanted, Rationals({q: Fraction(v) for q, v in point.items()}))


def test_the_particle_in_a_potential() -> None:
    point = {"x": 1, "y": 2, "z": Fraction(1, 2), "vx": 1, "vy": -1}
    found = accelerations_at(load("particle-in-potential"), **point)
    assert found == [Fraction(-41, 20), -1, 2]


def test_the_affine_constraint_in_time() -> None:
    point = {"t": 1, "x": 1, "y": 2, "z": Fraction(1, 2), "vx": 1, "vy": -1}
    found = accelerations_at(load("affine-time"), **point)
    assert found == [Fraction(-94, 31), Fraction(-174, 31), Fraction(7, 2)]


@pytest.mark.parametrize(
    ("name", "growth"),
    [("heisenberg", (2, 3)), ("vertical-rolling-disc", (2, 3, 4)), ("plate-and-ball", (2, 3, 5))],
)
def test_growth_vectors(name: str, growth: tuple[int, ...]) -> None:
    fields = distribution(load(name)).fields
    assert growth_vector(fields) == growth
    assert growth_vector(fields[:1]) == (1,)


def test_growth_at_a_point_where_it_is_slower() -> None:
    system = load("particle-xy")
    fields = distribution(system).fields
    x, y, z = system.q
    assert growth_vector(fields, {x: 1, y: 1, z: 0}) == (2, 3)
    assert growth_vector(fields, {x: 0, y: 1, z: 0}) == (2, 2, 3)


def test_the_curvature_of_the_particle_has_the_sign_of_the_books() -> None:
    """Delta = +d nu: for z' = y x', nu = dz - y dx and d nu(X_x, X_y) = 1."""
    D = distribution(load("nonholonomic-particle"))
    ((delta,),) = curvature(D).values()
    assert is_zero(delta - 1).holds


# -- the snake -----------------------------------------------------------------------------------------------
def test_the_snake_of_fifteen_links_is_derived_at_once() -> None:
    system = load("wheeled-snake:15")
    solved = quickly(3.0, lambda: constrained(system).accelerations())
    assert distribution(system).dependent == tuple(range(2, 17))  # the pivots that never vanish
    assert len(solved) == 2


@pytest.mark.thorough
def test_hamel_of_the_snake_meets_the_projection() -> None:
    for links in (3, 15):
        system = load("wheeled-snake", links)
        projected = constrained(system)
        make = partial(hamel_equations, system.lagrangian, projected.frame, active=projected.active)
        hamel = quickly(3.0, make)
        for a, b in zip(projected.accelerations(), hamel.accelerations(), strict=True):
            assert is_zero(a - b).holds
            assert is_zero(a + b).holds is False


def test_the_snake_stated_by_the_middle_of_its_first_link_is_no_slower() -> None:
    """There every choice of dependent velocities fails somewhere, and 136 of them have to be told apart."""
    system = load("wheeled-snake:15")
    words = system.vocabulary
    middle = {words["x"]: parse("x - l1*cos(q1)", words), words["y"]: parse("y - l1*sin(q1)", words)}
    put = middle | {q.dot: time_derivative(end) for q, end in middle.items()}
    rows = jacobian(substitute([c.expression for c in system.constraints.values()], put), system.v)
    dependent = quickly(1.0, lambda: choose_dependent(rows))
    assert len(dependent) == 15
    assert generic_rank([[row[i] for i in dependent] for row in rows]).rank == 15


def test_the_middle_of_each_link_moves_along_it() -> None:
    """The named velocities are the rates of the positions they belong to."""
    system = load("wheeled-snake:3")
    words = system.vocabulary
    x = words["x"]
    for k in (1, 2, 3):
        x = x + parse(f"l{k}*cos(q{k})", words)
        assert is_zero(time_derivative(x) - words[f"u{k}"]).holds
        x = x + parse(f"l{k}*cos(q{k})", words)
    assert is_zero(time_derivative(x) - words["u3"]).holds is False
