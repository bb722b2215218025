"""What names mean."""

import pytest

from dalembert.errors import ExpressionError
from dalembert.expr import PI, TIME, Function, Symbol, jet, sin, symbol, time_derivative
from dalembert.expr.text import parse, text
from dalembert.expr.vocabulary import ELEMENTARY, RESERVED, Vocabulary

WORDS = Vocabulary.of({"x": "real", "phi": "angle"}, "m R", functions={"V": 2}, extra="w lambda1")


def test_names_and_their_meanings():
    assert list(WORDS) == ["t", "pi", "x", "phi", "w", "lambda1", "m", "R", "V"]
    assert WORDS.find("phi") == Symbol("phi", domain="angle")
    assert WORDS.find("w") == Symbol("w")
    assert WORDS.find("m") == Symbol("m", role="parameter", domain="positive")
    assert WORDS.find("V") == Function("V", 2)
    assert WORDS.find("t") is TIME
    assert WORDS.find("pi") is PI
    assert WORDS.find("n") is None
    assert "x" in WORDS
    assert "n" not in WORDS


def test_names_may_come_in_several_shapes():
    same = Vocabulary.of(["x", "phi"], {"m": "positive"})
    assert same == Vocabulary.of("x phi", "m") == Vocabulary({"x": "real", "phi": "real"}, {"m": "positive"})
    assert same != Vocabulary.of("x phi", {"m": "real"})


def test_symbols_with_primes():
    assert WORDS["x"] is WORDS.symbol("x") is symbol("x")
    assert WORDS["phi''"] is symbol("phi", domain="angle").dot.dot
    assert WORDS["t"] is symbol(TIME)
    with pytest.raises(ExpressionError, match="'m' is a parameter: it has no velocity"):
        WORDS.symbol("m'")
    with pytest.raises(ExpressionError, match="'V' is a function: it needs arguments"):
        WORDS.symbol("V")
    with pytest.raises(ExpressionError, match="unknown name 'phj'; did you mean 'phi'"):
        WORDS.symbol("phj")
    stated = Vocabulary(coordinates={"ph": "angle"})
    assert stated.nearest("phi") == "ph"  # as near as pi, which nobody stated
    assert stated.nearest("sine") == "sin"
    with pytest.raises(ExpressionError, match="'x' is not a function"):
        WORDS.function("x")
    with pytest.raises(ExpressionError, match="unknown name 'U'"):
        WORDS.function("U")


def test_lets_come_in_order_and_leave_the_old_vocabulary_alone():
    first = WORDS.with_let("v2", WORDS["x'"] ** 2)
    second = first.with_let("energy", parse("m*v2/2", first))
    assert list(second.let) == ["v2", "energy"]
    assert second["energy"] is parse("m*x'^2/2", WORDS)
    assert second["energy'"] is time_derivative(second["energy"])
    assert "v2" not in WORDS
    assert "energy" not in first
    assert Vocabulary.of("x", let={"a": symbol("x") ** 2})["a"] is symbol("x") ** 2
    with pytest.raises(ExpressionError, match="'x' is declared twice, as one of coordinates and of let"):
        second.with_let("x", WORDS["m"])
    with pytest.raises(ExpressionError, match="'v2' is declared twice, as one of let and of let"):
        second.with_let("v2", WORDS["m"])
    with pytest.raises(ExpressionError, match="'sin' is a word of the syntax"):
        second.with_let("sin", WORDS["m"])


def test_it_is_frozen():
    with pytest.raises(TypeError):
        WORDS.coordinates["z"] = "real"
    with pytest.raises(AttributeError):
        WORDS.coordinates = {}


def test_nearest():
    assert WORDS.nearest("ph") == "phi"
    assert WORDS.nearest("PHI") == "phi"
    assert WORDS.nearest("arctan") == "atan"
    assert WORDS.nearest("zzzz") is None


def test_all_faults_are_listed_at_once():
    with pytest.raises(ExpressionError) as caught:
        Vocabulary(
            {"x": "real", "2y": "real", "sin": "real", "a": "round"},
            {"x": "positive", "a b": "positive", "_c": "real"},
            {"V": 0, "W": True, "pi": 1},
            {"k": 3},
            {"V": "real"},
        )
    message = str(caught.value)
    for part in (
        "'2y' is not a name",
        "'sin' is a word of the syntax and cannot be a name",
        "'a' has the unknown domain 'round', not one of real, angle, positive, negative, nonzero",
        "'x' is declared twice, as one of coordinates and of parameters",
        "'a b' is not a name",
        "'_c' is not a name",
        "the function 'V' needs a whole number of arguments, at least 1, not 0",
        "the function 'W' needs a whole number of arguments, at least 1, not True",
        "'pi' is a word of the syntax",
        "the let 'k' is not an expression but 3",
        "'V' is declared twice, as one of functions and of extra",
    ):
        assert part in message
    assert message.count(";") == 10


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_words_of_the_syntax_are_taken(name):
    with pytest.raises(ExpressionError, match=f"'{name}' is a word of the syntax"):
        Vocabulary.of(name)


@pytest.mark.parametrize("name", ["x x", ["x", "m", "x"]])
def test_repetitions_are_seen(name):
    with pytest.raises(ExpressionError, match=r"^'x' is declared twice\.$"):
        Vocabulary.of(name)


@pytest.mark.parametrize("name", ["", "x'", "x²", "x½", "é".join("ab") + "\u0301", "٣", "x٣", "a.b.c", "a" * 61, "x\n"])
def test_bad_names(name):
    with pytest.raises(ExpressionError, match="is not a name: it takes a letter"):
        Vocabulary({name: "real"})


@pytest.mark.parametrize("name", ["θ", "φ1", "é", "ñandú", "Ж_2", "x" * 60, "lambda", "class", "e", "i", "I"])
def test_good_names(name):
    words = Vocabulary.of(name)
    assert parse(f"2*{name}''", words) is 2 * words[name].dot.dot
    assert text(words[name + "'"]) == name + "'"


def test_one_spelling_of_each_name():
    with pytest.raises(ExpressionError, match="another spelling that looks the same: write 'μ'"):
        Vocabulary.of("\N{MICRO SIGN}")


def test_covering():
    x, phi, v = symbol("x"), symbol("phi", domain="angle"), symbol("v", order=1)
    k = symbol("k", role="parameter", domain="nonzero")
    expression = k * sin(phi) * phi.dot + jet(Function("U", 1), (x,)) + v + symbol(TIME)
    words = Vocabulary.covering([expression])
    assert words == Vocabulary({"phi": "angle", "x": "real", "v": "real"}, {"k": "nonzero"}, {"U": 1})
    assert parse(text(expression), words) is expression
    with pytest.raises(ExpressionError, match="'x' is declared twice"):
        Vocabulary.covering([x, symbol("x", domain="positive")])
    with pytest.raises(ExpressionError, match="'x' is declared twice, as one of coordinates and of parameters"):
        Vocabulary.covering([x.dot, symbol("x", role="parameter")])


@pytest.mark.parametrize("name", ELEMENTARY)
def test_every_elementary_function_is_read(name):
    words = Vocabulary.of("r", "m")
    assert parse(f"{name}(r/2)", words) is ELEMENTARY[name](words["r"] / 2)
