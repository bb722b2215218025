"""Which functions are functions of others where the constraints of a motion hold."""

import pytest

from dalembert import System, derive, gallery
from dalembert.expr import cos, sin, symbol, total
from dalembert.expr.walk import substitute
from dalembert.mechanics.dependence import Surface


@pytest.fixture(scope="module")
def held():
    given = {
        "name": "head in a slot on a skate",
        "coordinates": {"x": "real", "y": "real", "f": "angle", "R": "rotation"},
        "parameters": {"m": 2},
        "lagrangian": "m*(x'^2 + y'^2)/2 + f'^2/2 + R.w1^2 + 2*R.w2^2 + 3*R.w3^2",
    }
    constraints = {"constraints": {"blade": "x'*sin(f) = y'*cos(f)"}, "holonomic": {"slot": "R.m13 = R.m32/2"}}
    return System.of(**given, **constraints), derive(System.of(**given), "euler-lagrange").equations  # the same state


def test_functions_may_depend_where_the_constraints_hold_alone(held):
    system, equations = held
    surface = Surface.of(equations, system)
    m, x, y, f = symbol("m", role="parameter", domain="positive"), symbol("x"), symbol("y"), symbol("f", domain="angle")
    along, across = m * (x.dot * cos(f) + y.dot * sin(f)), m * y.dot / sin(f)
    row, column = (symbol(f"R.m{k}") for k in (13, 32))
    for one, other, same in (
        (across, along, True),
        (across, m * y.dot, False),
        (row**2, column, True),  # on the slot alone
        (row**2, symbol("R.m33"), False),
        (row, along, False),
    ):
        (one, other) = substitute([one, other], equations.named)
        seen = [surface.seen(e, equations) for e in (one, other)]
        assert surface.are_functions(seen[:1], seen[1:]) is same
    free = Surface.of(equations)
    assert not free.are_functions([free.seen(across, equations)], [free.seen(along, equations)])


def test_angular_velocities_in_the_body_are_known_where_those_in_space_move():
    """Of Veselova's body: energy and Chaplygin's integral are functions of the state, and say what is one of both."""
    equations = derive(gallery.load("veselova"), "nonholonomic").equations
    w, r = ([symbol(f"R.{part}{k}") for k in (1, 2, 3)] for part in ("w", "m3"))
    m = [symbol(f"I{k}", role="parameter", domain="positive") * wk for k, wk in enumerate(w, 1)]
    energy, square, along = (total((1, a * b) for a, b in zip(m, one, strict=True)) for one in (w, m, r))
    surface = Surface.of(equations)
    seen = [surface.seen(e, equations) for e in (energy, square - along**2, 3 * energy + square - along**2, square)]
    assert None not in seen
    assert surface.are_functions([seen[2]], seen[:2])
    assert not surface.are_functions([seen[3]], seen[:2])


def test_momenta_of_a_reduced_motion_are_told_although_its_coordinates_are_others():
    system = System.of(
        name="two pucks on a spring",
        coordinates="x y u v",
        parameters={"m": 2, "k": 3, "n": 1},
        lagrangian="m*(x'^2 + y'^2)/2 + n*(u'^2 + v'^2)/2 - k*((x - u)^2 + (y - v)^2)^2/2 - k*(x^2 + y^2)",
        symmetry={"turn": {"x": "-y", "y": "x", "u": "-v", "v": "u"}},
    )
    whole, reduced = (derive(system, name).equations for name in ("euler-lagrange", "reduced"))
    surface = Surface.of(whole)
    ((along, _),) = reduced.momenta.values()
    assert surface.seen(along, reduced) is None
    turn, energy = whole.monitors["momentum turn"], whole.monitors["energy"]
    assert surface.are_told([along], reduced, [turn])
    assert not surface.are_told([along], reduced, [energy])
    assert not surface.are_told([along, reduced.state[0]], reduced, [turn])
