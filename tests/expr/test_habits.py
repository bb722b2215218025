"""What people write out of habit from books and other languages is answered by what to write here."""

import pytest

from dalembert import System, Vocabulary, claims, derive, parse, simulate
from dalembert.errors import ExpressionError, ModelError, TextError, WrongKind

WORDS = Vocabulary.of(coordinates={"x": "real", "theta": "angle", "φ": "angle"}, parameters={"m": "positive"})
ENTRIES = "state each equation as an entry of its own."
NO_UNITS = "behind a number; numbers have no units here, and a product needs its *"
HABITS = {
    "xdot^2": "column 1: unknown name 'xdot'; did you mean x'?",
    "x_dot": "column 1: unknown name 'x_dot'; did you mean x'?",
    "xddot": "column 1: unknown name 'xddot'; did you mean x''?",
    "vx": "column 1: unknown name 'vx'; did you mean x'?",
    "v_theta": "column 1: unknown name 'v_theta'; did you mean theta'?",
    "dx/dt": "column 1: unknown name 'dx'; did you mean x'?",
    "\u1e8b": "column 1: unknown name '\u1e8b'; did you mean x'?",
    "\u1e8d": "column 1: unknown name '\u1e8d'; did you mean x''?",
    "φ\u0307": "column 2: the character U+0307 has no meaning here; a dot above is a prime behind the name, as in x'.",
    "vm": "column 1: unknown name 'vm'; did you mean 'm'?",
    "diff(x, t)": "column 1: diff is a partial derivative, and x is beside t in it: its rate is x'.",
    "diff(x', t)": "column 1: diff is a partial derivative, and x' is beside t in it: its rate is x''.",
    "θ": "column 1: unknown name 'θ'; did you mean 'theta'?",
    "phi": "column 1: unknown name 'phi'; did you mean 'φ'?",
    "π*x": "column 1: unknown name 'π'; did you mean 'pi'?",
    "ln(x)": "column 1: unknown name 'ln'; did you mean log(...)?",
    "sec(x)": "column 1: unknown name 'sec'; did you mean 1/cos(...)?",
    "e^x": "column 1: unknown name 'e'; did you mean exp(...)?",
    "|x|": "column 1: '|' has no meaning here; write abs(...) instead.",
    "30*deg": "column 4: unknown name 'deg'; angles are in radians: 30 degrees are 30*pi/180.",
    "30°": "column 3: the character '°' has no meaning here; angles are in radians: 30 degrees are 30*pi/180.",
    "3 kg": f"column 3: unknown name 'kg' {NO_UNITS}.",
    "10s": f"column 3: unknown name 's' {NO_UNITS}.",
    "2thet": f"column 2: unknown name 'thet' {NO_UNITS}; did you mean 'theta'?",
    "9,81": "column 2: ',' only stands between the arguments of a function; a decimal number has a point.",
    "m₁": "column 2: the character '₁' has no meaning here; write 1.",
    "x⁴": "column 2: the character '⁴' has no meaning here; write ^4.",
    "x\u00a0+ m": "column 2: the character U+00A0 has no meaning here; write an ordinary space.",
    "x >= m": "column 3: the character '>' has no meaning here; what is stated are equations, written with one =.",
    "x; m": f"column 2: the character ';' has no meaning here; arguments have commas between them; {ENTRIES}",
    "x and m": f"column 3: unknown name 'and'; {ENTRIES}",
    "\\theta": "column 1: the character '\\' has no meaning here; LaTeX is not read: write a/b, sqrt(a), theta, x'.",
}


@pytest.mark.parametrize(("source", "sentence"), HABITS.items(), ids=map(repr, HABITS))
def test_a_habit_is_answered_by_what_to_write(source, sentence):
    with pytest.raises(TextError) as caught:
        parse(source, WORDS)
    assert str(caught.value) == sentence


def test_a_partial_derivative_by_time_of_what_may_contain_it_is_taken():
    words = Vocabulary.of(coordinates="x", functions={"f": 1}, let={"s": parse("3*t", Vocabulary.of())})
    assert parse("diff(s, t) + diff(f(t), t) + diff(x*t, t)", words) == parse("3 + D(f, 1)(t) + x", words)


FALL = {"name": "fall", "coordinates": "x", "lagrangian": "x'^2/2 - x"}


def test_a_velocity_is_recognised_wherever_it_is_named():
    with pytest.raises(ModelError, match=r"\[start\] vx: 'vx' is not a coordinate; did you mean x'\?$"):
        System.of(**FALL, start={"vx": 1})
    fall = derive(System.of(**FALL), "euler-lagrange")
    with pytest.raises(ExpressionError, match=r"not a variable here; did you mean x'\?$"):
        simulate(fall, {"xdot": 1}, 1)
    with pytest.raises(ExpressionError, match=r"did you mean x'\?$"):
        simulate(fall, {}, 1)["v_x"]


def test_claims_are_about_what_was_derived():
    system = System.of(**FALL)
    for other, what in ((system, "a system"), (derive(system, "euler-lagrange").equations, ""), (3, "a number")):
        with pytest.raises(WrongKind, match=f"^claims takes what a formalism derived, not {what}"):
            claims(other)
