"""What is conserved is told once on the first screen, whichever formalism says it first."""

from dataclasses import replace

import pytest

from dalembert import System, derive
from dalembert.expr import symbol
from dalembert.expr.truth import Verdict
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.present.conserved import Sentence, constants
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


def test_a_momentum_too_long_for_a_sentence_is_known_all_the_same():
    long = sum((symbol(f"x{k}").dot ** 2 for k in range(30)), symbol("y"))
    (told,) = constants([FirstIntegral(long, Verdict("proved", ""), "momentum of e1")], lambda e: e)
    assert (told.text, told.formulas, told.meant) == ("The momentum of e1 is conserved.", (), (long,))
