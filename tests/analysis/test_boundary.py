"""Two-point boundary problems: known minimisers, several solutions, free ends, shooting as a check, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from vakonomic_results import derived

from dalembert import gallery
from dalembert.analysis.boundary import solve_boundary
from dalembert.analysis.collocation import Readings, collocate
from dalembert.errors import EvaluationError, HypothesisError
from dalembert.expr import sin, symbol
from dalembert.mechanics.vakonomic.vakonomic import Vakonomic, derive
from dalembert.model.equations import Equations
from dalembert.model.system import System

CURVE = System.of(
    name="elastica by its angle",
    coordinates={"x": "real", "y": "real", "a": "angle"},
    lagrangian="a'^2",
    constraints={"c": "x' = cos(a)", "s": "y' = sin(a)"},
)


@pytest.fixture(scope="module")
def heisenberg() -> Vakonomic:
    return derived("heisenberg")


def test_dido(heisenberg: Vakonomic) -> None:
    """From the origin to a point above it: circles of area 1, with the length squared over twice the time as cost."""
    ends = {"x": 0, "y": 0, "z": 0}, {"x": 0, "y": 0, "z": 1}
    found = solve_boundary(heisenberg, *ends, 1.0, attempts=3)
    assert found.attempts == 3
    assert len(found.solutions) >= 2
    for one in found.solutions:
        assert one.converged
        assert abs(one.cost - 2 * np.pi) < 1e-9
        assert abs(one.trajectory["p_z"][0] - 2 * np.pi) < 1e-8
        assert one.shooting_error < 1e-10
        assert one.collocation_residual < 1e-9


def test_a_chord_and_its_arc(heisenberg: Vakonomic) -> None:
    """The arc over the chord from (0, 0) to (1, 0) that encloses a given area, by its half angle."""
    found = solve_boundary(heisenberg, {"x": 0, "y": 0, "z": 0}, {"x": 1, "y": 0, "z": 0.4}, 1.0, attempts=3).best
    half = found.trajectory["p_z"][0] / 2
    area = (2 * half - np.sin(2 * half)) / (8 * np.sin(half) ** 2)
    assert abs(area - 0.4) < 1e-8
    assert abs(found.cost - (half / np.sin(half)) ** 2 / 2) < 1e-9


def test_several_solutions_and_a_free_end() -> None:
    result = derive(CURVE)
    fixed = solve_boundary(result, {"x": 0, "y": 0, "a": 0}, {"x": 1.2, "y": 0.4, "a": -0.5}, 2.0, attempts=10)
    good = [one for one in fixed.solutions if one.converged]
    assert len(good) >= 2
    assert good[0].cost < good[1].cost - 0.1
    assert abs(good[0].cost - 12.60702084) < 1e-6
    free = solve_boundary(result, {"x": 0, "y": 0, "a": 0}, {"x": 1.2, "y": 0.4}, 2.0, attempts=2).best
    assert free.cost < good[0].cost
    assert abs(free.trajectory["p_a"][-1]) < 1e-10


def test_the_cost_grows_next_to_the_solution(heisenberg: Vakonomic) -> None:
    """Admissible neighbours with the same ends cost more, to second order in the distance."""
    found = solve_boundary(heisenberg, {"x": 0, "y": 0, "z": 0}, {"x": 1, "y": 0, "z": 0.4}, 1.0, attempts=1).best
    t = np.linspace(0, 1, 2001)
    assert found.trajectory.dense is not None
    x, y = found.trajectory.dense(t)[:2]

    def gathered(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
        u, v = np.gradient(a, t, edge_order=2), np.gradient(b, t, edge_order=2)
        return float(np.trapezoid((u**2 + v**2) / 2, t)), float(np.trapezoid((a * v - b * u) / 2, t))

    cost, height = gathered(x, y)
    bump, other = np.sin(np.pi * t) ** 2, np.sin(2 * np.pi * t)
    changes = []
    for size in (0.05, 0.1):
        a, slope = (
            x + size * other,
            (gathered(x + size * other, y + 1e-6 * bump)[1] - gathered(x + size * other, y)[1]) / 1e-6,
        )
        b = y + bump * (height - gathered(a, y)[1]) / slope
        b = b + bump * (height - gathered(a, b)[1]) / slope
        assert abs(gathered(a, b)[1] - height) < 1e-4
        changes.append(gathered(a, b)[0] - cost)
    assert changes[0] > 1e-4
    assert 3 < changes[1] / changes[0] < 5


def test_ends_of_the_model_and_other_values() -> None:
    system = gallery.load("skateboard").but(end={"x": 1, "y": 0.5, "phi": 0.7}, start={"x": 0, "y": 0, "phi": 0.3})
    result = derive(system)
    found = solve_boundary(result, time=1.0, attempts=1).best
    assert found.converged
    assert abs(found.cost - 0.2108354508) < 1e-7
    heavy = solve_boundary(result, time=1.0, values={"I": 2.0}, attempts=1).best
    assert heavy.converged
    assert heavy.cost > found.cost


def test_order_two() -> None:
    """A spline along a line: cubic in both coordinates, with the cost that the cubic has."""
    line = System.of(name="line", coordinates="x y", lagrangian="x''^2 + y''^2", constraints={"diagonal": "y' = x'"})
    result = derive(line)
    begin, end = {"x": 0, "y": 0, "x'": 1, "y'": 1}, {"x": 1, "y": 1, "x'": 0, "y'": 0}
    found = solve_boundary(result, begin, end, 1.0, attempts=1).best
    assert found.converged
    assert abs(found.cost - 8) < 1e-9
    assert found.trajectory.dense is not None
    t = np.linspace(0, 1, 7)
    assert np.max(np.abs(found.trajectory.dense(t)[0] - (t + t**2 - t**3))) < 1e-9
    # with its slope left free the end is natural, x''(1) = 0: another cubic; what follows from the constraint is no end
    natural = solve_boundary(result, {"x": 0, "y": 0, "x'": 1}, {"x": 0}, 1.0, attempts=1).best
    assert natural.converged
    assert abs(natural.cost - 6) < 1e-9
    clamped = solve_boundary(result, {"x": 0, "y": 0, "x'": 1}, {"x": 0, "x'": 0}, 1.0, attempts=1).best
    assert clamped.cost > natural.cost + 1


@pytest.fixture(scope="module")
def spline() -> Vakonomic:
    return derive(
        System.of(
            name="spline",
            coordinates="x y z",
            parameters={"k": 0.1},
            lagrangian="(x''^2 + y''^2 + z''^2)/2",
            constraints={"slope": "z' = y*x' + k"},
        )
    )


@pytest.mark.parametrize(
    ("end", "cost"),
    [
        ({"x": 1, "y": 0.5, "z": 0.4, "x'": 1, "y'": 1, "z'": 0.6}, 5.761683),
        ({"x": 1, "y": 0.5, "z": 0.4}, 2.134858),
        ({"x": 1, "z": 0.4}, 1.185885),
    ],
)
@pytest.mark.thorough("end0-5.761683")
def test_order_two_with_free_ends(spline: Vakonomic, end: dict[str, float], cost: float) -> None:
    """The costs are those of a direct minimisation over polynomials of degree 8."""
    found = solve_boundary(spline, {"x": 0, "y": 0, "z": 0, "x'": 1, "y'": 0}, end, 1.0, attempts=1).best
    assert found.converged
    assert abs(found.cost - cost) < 1e-5


def test_ends_that_contradict_the_constraint(spline: Vakonomic) -> None:
    begin = {"x": 0, "y": 0, "z": 0, "x'": 1, "y'": 0, "z'": 0.2}
    with pytest.raises(HypothesisError, match=r"begin: the values given do not obey the constraint 'slope': it is 0.1"):
        solve_boundary(spline, begin, {"x": 1}, 1.0)


def test_a_nonlinear_constraint_from_the_plainest_guess() -> None:
    """The multiplier is fitted to the straight line; the cost is that of a direct minimisation."""
    system = System.of(
        name="bent",
        coordinates="x y z",
        lagrangian="(x'^2 + y'^2 + z'^2)/2 - x^2/2",
        constraints={"slope": "z' = y*x' + x'^2/2"},
    )
    ends = {"x": 0, "y": 0.2, "z": 0}, {"x": 1, "y": 0.5, "z": 0.85}
    found = solve_boundary(derive(system), *ends, 1.0, attempts=2).best
    assert found.converged
    assert abs(found.cost - 0.7307143) < 1e-6


def test_what_is_refused(heisenberg: Vakonomic) -> None:
    with pytest.raises(
        HypothesisError, match=r"begin: 'w' is none of .*; give values of x, y, z\. The theorem asks for"
    ):
        solve_boundary(heisenberg, {"w": 0}, {"x": 1}, 1.0)
    with pytest.raises(EvaluationError, match="no integration time is given; pass time= \\(--time"):
        solve_boundary(derive(CURVE), {}, {"x": 1})
    far = solve_boundary(derive(CURVE), {"x": 0, "y": 0, "a": 0}, {"x": 3, "y": 0, "a": 0}, 1.0, attempts=2)
    assert not [one for one in far.solutions if one.converged]  # farther than the curve is long


def test_collocation_is_of_fourth_order() -> None:
    """x'' = -sin(x) between two ends, against a fine mesh; the order is measured."""
    x, v = symbol("x"), symbol("v")
    equations = Equations("pendulum", "by hand", {x: v, v: -sin(x)})
    rates = Readings(equations, [], [v, -sin(x)])
    first, last = Readings(equations, [], [x - 1]), Readings(equations, [], [x + 2])

    def begin(size: int) -> float:
        t = np.linspace(0, 2, size + 1)
        guess = np.array([1 - 1.5 * t, 0 * t - 1.5])
        found = collocate(rates, first, last, t, guess, np.zeros((0, size + 1)))
        assert found.converged
        return float(found.y[1, 0])

    exact = begin(256)
    errors = [abs(begin(size) - exact) for size in (8, 16)]
    assert 3.5 < np.log2(errors[0] / errors[1]) < 4.6


def test_collocation_with_an_implicit_unknown() -> None:
    """The same with v' given by w^3 + w = ... : Newton's method inside, and slopes by the implicit function theorem."""
    x, v, w = symbol("x"), symbol("v"), symbol("w")
    plain = Equations("pendulum", "by hand", {x: v, v: w}, implicit={w: w**3 + w + sin(x) ** 3 + sin(x)})
    rates = Readings(plain, [], [v, w])
    first, last = Readings(plain, [], [x - 1]), Readings(plain, [], [x + 2])
    t = np.linspace(0, 2, 17)
    found = collocate(rates, first, last, t, np.array([1 - 1.5 * t, 0 * t - 1.5]), np.zeros((1, 17)))
    assert found.converged
    assert np.max(np.abs(found.unknowns[0] + np.sin(found.y[0]))) < 1e-12
    assert found.iterations < 12
