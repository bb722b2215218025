"""Text that wants to hang, crash, exhaust or escape: refused in time, by the one error that says so, or just read."""

import pytest
from clock import quickly
from hostile import FAMILIES, WORDS

from dalembert.errors import TextError
from dalembert.expr import Expr
from dalembert.expr.text import Limits, parse, parse_equation

REFUSED = {
    "9^9^9^9": "the exponent of a power must be at most 1000",
    "(((9^999)^999)^999)": "this power has too many digits",
    "x^1001": "the exponent of a power must be at most 1000",
    "x^600*x^600": "the exponent of a power must be at most 1000",
    "(x^100)^100": "the exponent of a power must be at most 1000",
    "x^(1/9999999)": "the exponent of a power must be at most 1000",
    "1e9999999": "the exponent of a decimal number must be at most 400",
    "1e-401": "the exponent of a decimal number must be at most 400",
    "9" * 501: "a number of 501 digits is too long",
    "(" * 1_000_000: "the text has 1000000 characters; the most is 20000",
    "sin(" * 10_000: "the text has 40000 characters; the most is 20000",
    "(" * 101 + "x" + ")" * 101: "brackets are nested more than 100 deep",
    "-" * 21 + "x": "more than 20 signs in a row",
    "x" + "'" * 11: "'x' has 11 primes; the most is 10",
    "q" * 61: "a name of 61 characters is too long",
    "__import__('os')": "the character '_' has no meaning here",
    "().__class__": "the character '.' has no meaning here",
    "x.__class__": "the character '.' has no meaning here",
    "lambda: x": "unknown name 'lambda'",
    "x if x else y": "unknown name 'if'",
    "x\0": "the character U\\+0000 has no meaning here",
    "x\ud800": "the character U\\+D800 has no meaning here",
    "x\u202ey": "the character U\\+202E has no meaning here",
    "\uff58 + 1\u0301": "the character U\\+0301 has no meaning here",
    "diff(" * 60 + "exp(sin(x)*cos(x))" + ",x)" * 60: "the derivatives here grow too large",
}


@pytest.mark.parametrize(("source", "sentence"), REFUSED.items(), ids=(f"{len(s)} {s[:20]!a}" for s in REFUSED))
def test_refused(source, sentence):
    with pytest.raises(TextError, match=sentence) as caught:
        parse(source, WORDS)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "source",
    ["9^999", "1e400", "1e-400", "x^1000", "9" * 500, "(" * 100 + "x" + ")" * 100, "-" * 20 + "x", "x" + "'" * 10],
    ids=lambda source: f"{len(source)} {source[:20]}",
)
def test_what_is_just_allowed_is_read(source):
    assert isinstance(parse(source, WORDS), Expr)


def outcome(source: str) -> Expr | TextError:
    try:
        return parse(source, WORDS)
    except TextError as error:
        return error


def test_no_short_text_takes_long():
    sources = [make(30) for make in FAMILIES.values()]
    assert all(isinstance(one, Expr | TextError) for one in quickly(8.0, lambda: [*map(outcome, sources)]))


@pytest.mark.parametrize("size", [3_000, pytest.param(100_000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("family", FAMILIES)
def test_no_text_takes_long(family, size):
    source = FAMILIES[family](size)
    assert isinstance(quickly(1.0, lambda: outcome(source)), Expr | TextError)


def test_limits_can_be_widened():
    source = "x+" * 20_000 + "x"
    with pytest.raises(TextError, match="the text has 40001 characters"):
        parse(source, WORDS)
    assert parse(source, WORDS, Limits(length=10**5)) is 20_001 * WORDS["x"]
    with pytest.raises(TextError, match="the exponent of a power must be at most 5"):
        parse_equation("x^6", WORDS, Limits(exponent=5))
