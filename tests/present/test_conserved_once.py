"""What is conserved is told once on the first screen, whichever formalism says it first."""

from dataclasses import replace

import pytest

from dalembert import System, derive, gallery
from dalembert.expr import cos, sin, symbol, total
from dalembert.expr.truth import Verdict
from dalembert.expr.walk import substitute
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.present.conserved import Sentence, constants
from dalembert.present.dependence import Surface
from dalembert.present.integrals import each_once
from dalembert.present.report import Part, sentences


@pytest.fixture(scope="module")
def parts():
    system = System.of(
        name="wheel",
        coordinates="x theta",
        parameters={"m": 2},
        lagrangian="m*x'^2/2 + theta'^2/2 - theta^2/2",
        symmetry={"along": {"x": 1}},
    )
    made = []
    for name in ("euler-lagrange", "reduced"):
        result = derive(system, name)
        made.append(Part(name, equations=result.equations, sentences=tuple(sentences(result))))
    return made


def texts(parts):
    return [one.text for one in each_once(parts).values()]


def test_a_momentum_along_the_orbits_is_not_told_beside_that_of_its_generator(parts):
    assert [s.text for s in parts[1].sentences if s.topic == "conserved"] == ["The momentum p_1 is conserved."]
    assert "The momentum of along is conserved." in texts(parts)
    assert "The momentum p_1 is conserved." not in texts(parts)


def test_one_that_says_something_else_stays(parts):
    x, theta = symbol("x"), symbol("theta")
    new = Sentence("Something new is conserved.", "proved", "conserved", meant=(theta.dot**2 + theta**2 + x.dot,))
    again = replace(new, text="The same is conserved.", meant=(new.meant[0] + 3 * x.dot,))
    unknown = replace(new, text="Who knows is conserved.", meant=(symbol("z"),))
    told = texts([parts[0], replace(parts[1], sentences=(new, again, unknown))])
    assert new.text in told
    assert unknown.text in told
    assert again.text not in told


def test_what_is_too_long_for_a_sentence_is_said_to_be_there():
    held = Verdict("proved", "")
    long = sum((symbol(f"x{k}").dot ** 2 for k in range(30)), symbol("y"))
    (told,) = constants([FirstIntegral(long, held)], lambda e: e)
    assert told.text == "A function is constant along every motion, too long for this place; it is below."
    assert told.meant == (long,)
    (told,) = constants([FirstIntegral(symbol("y").dot, held, "moving energy")], lambda e: e)
    assert told.text == "The moving energy is conserved."
    assert not list(constants([FirstIntegral(symbol("y").dot, held, "energy")], lambda e: e))  # theorems speak of it


def test_what_a_later_formalism_says_in_full_is_not_told_before_it_in_part(parts):
    x, theta = symbol("x"), symbol("theta")
    half = Sentence("In part:", "proved", "conserved", (x.dot - theta.dot,))
    whole = Sentence("All:", "proved", "conserved", (x.dot + theta, theta.dot + theta))
    told = texts([replace(parts[0], sentences=(half,)), replace(parts[1], sentences=(whole,))])
    assert told == ["All:"]
    less = replace(whole, formulas=(x.dot + theta, theta.dot - theta))  # from which the difference does not follow
    told = texts([replace(parts[0], sentences=(half,)), replace(parts[1], sentences=(less,))])
    assert told == ["In part:", "All:"]


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


def test_what_is_the_same_where_the_constraints_hold_is_told_once(held):
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


def test_a_momentum_too_long_for_a_sentence_is_known_all_the_same():
    long = sum((symbol(f"x{k}").dot ** 2 for k in range(30)), symbol("y"))
    (told,) = constants([FirstIntegral(long, Verdict("proved", ""), "momentum of e1")], lambda e: e)
    assert (told.text, told.formulas, told.meant) == ("The momentum of e1 is conserved.", (), (long,))


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


def test_momenta_of_a_reduced_motion_are_told_once_although_its_coordinates_are_others():
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
