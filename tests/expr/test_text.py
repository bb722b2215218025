"""Text to expressions and back."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings

from dalembert.errors import ExpressionError, TextError, WrongKind
from dalembert.expr import (
    ONE,
    PI,
    TIME,
    ZERO,
    absolute,
    cos,
    diff,
    evaluate,
    exp,
    functions,
    jet,
    number,
    power,
    product,
    sin,
    solve,
    sqrt,
    symbol,
    symbols,
    tan,
    time_derivative,
    total,
    tree_size,
    unroll,
)
from dalembert.expr.readers import Floats
from dalembert.expr.text import Limits, parse, parse_equation, program, summary, text
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import postorder
from dalembert.testing.strategies import VOCABULARY, any_expressions

GENEROUS = Limits(length=10**7, depth=10**4, digits=4300, exponent=10**300, bits=10**6, work=10**9)
"""For what one has printed oneself."""

WORDS = Vocabulary.of("x y z phi", "m g k", functions={"V": 2, "f": 1}, extra="w")
x, y, z, phi, m, g, k = (WORDS[name] for name in ("x", "y", "z", "phi", "m", "g", "k"))
V, f = WORDS.function("V"), WORDS.function("f")
LETS = WORDS.with_let("r2", x**2 + y**2)


# -- round trip ----------------------------------------------------------------------------------------------
@settings(max_examples=4 * settings.default.max_examples)
@given(any_expressions())
def test_text_reads_back_to_the_same_object(expression):
    assert parse(text(expression), VOCABULARY, GENEROUS) is expression


def test_round_trip_bites():
    """What the printer must tell apart is indeed different, and so is its text."""
    twins = [
        (total([(1, x), (1, y), (1, z)]), (x + y) + z),
        (product([(x, 1), (y, 1), (z, 1)]), (x * y) * z),
        (product([(x, 1), (y, -1), (z, -1)]), x / (y * z)),
        (product([(x, 2), (y, 2)]), (x * y) ** 2),
        (jet(V, (x, x), (1,)), diff(jet(V, (x, x)), x)),
        (x, absolute(x)),
    ]
    for one, other in twins:
        assert one is not other
        assert text(one) != text(other)
        assert parse(text(one), WORDS) is one
        assert parse(text(other), WORDS) is other


@settings(max_examples=2 * settings.default.max_examples)
@given(any_expressions(most=6, solves=True))
def test_solves_are_written_out(expression):
    try:
        written = unroll([expression])[0]
    except ExpressionError:  # the drawn matrix is singular
        assume(False)
    assert all(node.op != "solve" for node in postorder([written]))
    assert parse(text(expression), VOCABULARY, GENEROUS) is written


def test_a_solve_has_the_value_of_its_text():
    solution = solve([[x, y], [m, 2]], [z, k])
    point = {x: 1.5, y: 0.5, m: 3.0, z: 2.0, k: -1.0}
    written = [parse(text(s), WORDS) for s in solution]
    assert evaluate(written, Floats(point)) == pytest.approx(evaluate(solution, Floats(point)))


def test_text_is_the_same_in_every_process():
    code = (
        "from dalembert.expr import symbol, sin\n"
        "a = [symbol(f'q{i}') for i in range(12)]\n"
        "print(sum((i*v*sin(w) for i, (v, w) in enumerate(zip(a, a[1:]))), a[0]/a[5]))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "q9*sin(q10)" in outputs.pop()


# -- reading -------------------------------------------------------------------------------------------------
READ = {
    "-x^2": -(x**2),
    "(-x)^2": x**2,
    "-x^-2": -(x**-2),
    "2^-x": power(2, -x),
    "2^3^2": number(512),
    "x^y^z": power(x, power(y, z)),
    "(x^y)^z": power(power(x, y), z),
    "x**2": x**2,
    "x - y - z": total([(1, x), (-1, y), (-1, z)]),
    "x - (y - z)": x - (y - z),
    "x/y/z": product([(x, 1), (y, -1), (z, -1)]),
    "x/y*z": product([(x, 1), (y, -1), (z, 1)]),
    "x/(y*z)": x / (y * z),
    "-x*y": -(x * y),
    "x*-y": -(x * y),
    "- - x": x,
    "+x": x,
    "x - -y": x + y,
    "2*x^2/3": Fraction(2, 3) * x**2,
    "-x^2*y": -(x**2 * y),
    "-2^2": number(-4),
    "0.1": number(Fraction(1, 10)),
    ".5": number(Fraction(1, 2)),
    "2.": number(2),
    "1e-3": number(Fraction(1, 1000)),
    "1.5E+2": number(150),
    "0.1 + 0.2 - 0.3": ZERO,
    "x'": x.dot,
    "x''": x.dot.dot,
    "w'": symbol("w", order=1),
    "t": symbol(TIME),
    "pi": PI,
    "sqrt(4)": number(2),
    "abs(x)": absolute(x),
    "tan(phi)": tan(phi),
    "sin(pi/6)": number(Fraction(1, 2)),
    "f(x)": jet(f, (x,)),
    "V(y, x + 1)": jet(V, (y, x + 1)),
    "D(V, 1)(x, x)": jet(V, (x, x), (1,)),
    "D(V, 2, 1, 2)(x, y)": jet(V, (x, y), (1, 2, 2)),
    "diff(x^2*sin(y), x)": 2 * x * sin(y),
    "diff(V(x, x), x)": jet(V, (x, x), (1,)) + jet(V, (x, x), (2,)),
    "diff(m*x'^2/2, x')": m * x.dot,
    "diff(x^2*y, x, y)": 2 * x,
    "diff(sin(k*t), t)": k * cos(k * symbol(TIME)),
    "diff(k*x, k)": x,
    "r2": x**2 + y**2,
    "r2'": 2 * x * x.dot + 2 * y * y.dot,
    "diff(r2, x)": 2 * x,
    " \n x\t+ y\r\n": x + y,
}


@pytest.mark.parametrize(("source", "expected"), READ.items(), ids=READ)
def test_reading(source, expected):
    assert parse(source, LETS) is expected


def test_let_derivatives_are_total_time_derivatives():
    assert parse("r2''", LETS) is time_derivative(x**2 + y**2, 2)


def test_names_that_look_alike_are_one():
    words = Vocabulary.of("φ", "μ")
    assert parse("\N{MICRO SIGN}*\N{GREEK PHI SYMBOL}'", words) is words["μ"] * words["φ'"]


def test_equations():
    assert parse_equation("x' = m*cos(phi)", WORDS) == (x.dot, m * cos(phi))
    assert parse_equation("x' - y'", WORDS) == (x.dot - y.dot, ZERO)


def test_one_parser_serves_many_threads():
    texts = [f"diff(sin({n}*x)^2, x) + V(x, {n})" for n in range(60)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda source: parse(source, WORDS), texts))
    assert together == [parse(source, WORDS) for source in texts]
    assert len(set(together)) == len(texts)


# -- what is wrong -------------------------------------------------------------------------------------------
AN_EXPRESSION = "an expression is missing"
USE_OF_D = "D takes an unspecified function, its slots, then its arguments, as in D(f, 1)(x)."
FAULTS = {
    "": "column 1: the text is empty; an expression is expected.",
    " \n ": "column 1: the text is empty; an expression is expected.",
    "m*phj": "column 3: unknown name 'phj'; did you mean 'phi'?",
    "X + 1": "column 1: unknown name 'X'; did you mean 'x'?",
    "x + sn(y)": "column 5: unknown name 'sn'; did you mean 'sin'?",
    "x + qqq": "column 5: unknown name 'qqq'.",
    "\u0445 + 1": "column 1: unknown name '\u0445', in which \u0445 is the Cyrillic small letter ha.",
    "2x": "column 2: an operator is missing before 'x'; write 2*x for a product.",
    "x y": "column 3: an operator is missing before 'y'; write x*y for a product.",
    "3 4": "column 3: an operator is missing before '4'; write 3*4 for a product.",
    "2(x)": "column 2: an operator is missing before '('; write 2*( for a product.",
    "(x) y": "column 5: an operator is missing before 'y'; write )*y for a product.",
    "x(1)": "column 2: 'x' is not a function; write x*(...) for a product.",
    "sin x": "column 1: 'sin' is a function: write sin(x).",
    "1 + f": "column 5: 'f' is a function: write f(...).",
    "diff": "column 1: 'diff' is a function: write diff(...).",
    "sin(x, y)": "column 1: 'sin' takes 1 argument, not 2.",
    "V(x)": "column 1: 'V' takes 2 arguments, not 1.",
    "1 + f(x, y)": "column 5: 'f' takes 1 argument, not 2.",
    "f()": f"column 3: {AN_EXPRESSION} between '(' and ')'.",
    "V(x,)": f"column 5: {AN_EXPRESSION} between ',' and ')'.",
    "x +": f"column 4: {AN_EXPRESSION} after '+'.",
    "*x": f"column 1: {AN_EXPRESSION} before '*'.",
    "x + * y": f"column 5: {AN_EXPRESSION} between '+' and '*'.",
    "x^": f"column 3: {AN_EXPRESSION} after '^'.",
    "()": f"column 2: {AN_EXPRESSION} between '(' and ')'.",
    "2*(x + (y)": "column 3: this '(' is never closed; a ')' is missing.",
    "x + y)": "column 6: this ')' closes nothing; remove it, or open a '(' before it.",
    "x, y": "column 2: ',' only stands between the arguments of a function.",
    "(x, y)": "column 3: ',' only stands between the arguments of a function.",
    "x = 1": "column 3: '=' makes an equation, but an expression is expected.",
    "f(x = 1)": "column 5: '=' cannot stand inside brackets.",
    "m'": "column 1: 'm' is a parameter: it has no velocity.",
    "2*t'": "column 3: 't' is time itself: it has no velocity.",
    "f'(x)": "column 2: 'f' is a function: a prime stands behind the name of a variable.",
    "(x)'": "column 4: a prime ' stands behind the name of a variable, as in x'.",
    "x '": "column 3: a prime follows the name at once, without a space: write x'.",
    "1.2.3": "column 1: '1.2.3' is not a number.",
    "1_000": "column 1: '1_000' is not a number.",
    "x + 1e": "column 5: '1e' is not a number: its exponent has no digits.",
    "x/0": "column 2: division by zero.",
    "y + x/(y - y)": "column 6: division by zero.",
    "0^-1": "column 2: division by zero.",
    "x + sqrt(-1)": "column 5: a root of the negative number -1 is not real.",
    "log(0)": "column 1: the logarithm of 0 is not real.",
    "x $ y": "column 3: the character '$' has no meaning here.",
    "x\0": "column 2: the character U+0000 has no meaning here.",
    "x\N{MINUS SIGN}y": "column 2: '\N{MINUS SIGN}' has no meaning here; write - instead.",
    "x\N{SUPERSCRIPT TWO}": "column 2: '\N{SUPERSCRIPT TWO}' has no meaning here; write ^2 instead.",
    "x\N{PRIME}": "column 2: '\N{PRIME}' has no meaning here; write ' instead.",
    "[x + y]^2": "column 1: '[' has no meaning here; write ( instead.",
    "diff(x)": "column 1: diff needs a variable, as in diff(x^2, x).",
    "diff(x, 2)": "column 1: diff differentiates with respect to names such as x, x' or t, not expressions.",
    "diff(x, sin(x))": "column 1: diff differentiates with respect to names such as x, x' or t, not expressions.",
    "D(f)(x)": f"column 4: {USE_OF_D}",
    "D(f, 1)": f"column 8: {USE_OF_D}",
    "D(x, 1)(x)": f"column 3: {USE_OF_D}",
    "D(f, x)(x)": f"column 6: {USE_OF_D}",
    "D(f, 2)(x)": "column 3: 'f' has the slots 1 to 1, not 2.",
    "D(f, 0.5)(x)": "column 6: a slot must be a whole number, not 0.5.",
    "(-1)^x": "column 5: a power with a symbol in the exponent needs a positive base.",
}


@pytest.mark.parametrize(("source", "sentence"), FAULTS.items(), ids=map(repr, FAULTS))
def test_faults(source, sentence):
    with pytest.raises(TextError) as caught:
        parse(source, WORDS)
    assert str(caught.value) == sentence
    assert caught.value.text == source
    assert sentence.startswith(f"column {caught.value.column}: ")


@pytest.mark.parametrize(
    ("source", "sentence"),
    {
        "x = y = z": "column 7: a second '='; state each equation as an entry of its own.",
        "= x": f"column 1: {AN_EXPRESSION} before '='.",
        "x =": f"column 4: {AN_EXPRESSION} after '='.",
        "(x = y)": "column 4: '=' cannot stand inside brackets.",
        "x == y": "column 4: an equation is written with one '='.",
        "x = y, y = x": "column 6: ',' only stands between the arguments of a function; "
        "state each equation as an entry of its own.",
    }.items(),
)
def test_faults_of_equations(source, sentence):
    with pytest.raises(TextError) as caught:
        parse_equation(source, WORDS)
    assert str(caught.value) == sentence


def test_only_text_is_read():
    with pytest.raises(WrongKind, match=r"^an expression is read from text, not a number\.$"):
        parse(3, WORDS)


# -- writing -------------------------------------------------------------------------------------------------
WRITTEN = {
    "2*x/(3*y)": 2 * x / (3 * y),
    "x/2": x / 2,
    "-x/2": -x / 2,
    "1/(2*x)": 1 / (2 * x),
    "1/x": 1 / x,
    "x/y/z": product([(x, 1), (y, -1), (z, -1)]),
    "x/(2*y)/z": product([(x, 1), (y, -1), (z, -1)], Fraction(1, 2)),
    "x/(2*y*z)": x / (2 * y * z),
    "x/(y*z)": x / (y * z),
    "z*(x*y)": x * y * z,
    "m*(x'^2 + y'^2)/2 - g*m*y": m * (x.dot**2 + y.dot**2) / 2 - product([(g, 1), (m, 1), (y, 1)]),
    "x^2 + x*y + x + y^2 + y + 1": total([(1, y), (1, x), (1, x * y), (1, y**2), (1, x**2)], 1),
    "y - x": y - x,
    "-x - y": total([(-1, x), (-1, y)]),
    "1 - x": 1 - x,
    "x - 1/2": x - Fraction(1, 2),
    "-(x + y)": -(x + y),
    "2*(x + y)/3": Fraction(2, 3) * (x + y),
    "z - (x + y)": z - (x + y),
    "sqrt(x)": sqrt(x),
    "1/sqrt(x)": 1 / sqrt(x),
    "abs(x)": absolute(x),
    "1/abs(x)^3": absolute(x) ** -3,
    "x^(1/3)": x ** Fraction(1, 3),
    "(x + y)^(3/2)": (x + y) ** Fraction(3, 2),
    "sqrt(6)*x/2": sqrt(6) * x / 2,
    "3*x/(2*y) + z": total([(Fraction(3, 2), x / y), (1, z)]),
    "z - 3/(x*y)": total([(-3, 1 / (x * y)), (1, z)]),
    "(2*z - x/y)*(x/y + z)": total([(-1, x / y), (2, z)]) * total([(1, x / y), (1, z)]),
    "sqrt(6)*x/2 + 5*y*(sqrt(6)*x) + z": total([(Fraction(1, 2), sqrt(6) * x), (5, sqrt(6) * x * y), (1, z)]),
    "2^(1/3)": number(2) ** Fraction(1, 3),
    "x^(y + 1)": power(x, y + 1),
    "x^(-y)": power(x, -y),
    "(2*x)^y": power(2 * x, y),
    "(1/2)^x": power(Fraction(1, 2), x),
    "exp(-x)": exp(-x),
    "m*x*cos(phi)": product([(cos(phi), 1), (x, 1), (m, 1)]),
    "D(V, 1, 2)(x, y + 1)": jet(V, (x, y + 1), (1, 2)),
    "V(x, -1/2)": jet(V, (x, number(Fraction(-1, 2)))),
    "-2/3": number(Fraction(-2, 3)),
    "2*pi*x'": 2 * PI * x.dot,
}


@pytest.mark.parametrize(("expected", "expression"), WRITTEN.items(), ids=WRITTEN)
def test_writing(expected, expression):
    assert text(expression) == expected
    assert repr(expression) == expected
    assert parse(expected, WORDS) is expression


def test_depth_is_no_limit():
    deep = x
    for _ in range(8_000):
        deep = exp(deep + y)
    written = text(deep)
    assert written.startswith("exp(y + exp(y + exp(y + ")
    assert written.count("(") == written.count(")") == 8_000
    assert parse(written, WORDS, Limits(length=10**7, depth=10**6, work=10**6)) is deep


def test_numbers_of_any_length_are_written():
    value = Fraction(7**6000, 2**15000)
    assert text(number(value)) == text(number(7**6000)) + "/" + text(number(2**15000))
    assert len(text(number(7**6000))) == 5071
    assert text(number(7**6000)).endswith("0001")


def test_summary():
    assert summary(x + y) == "x + y"
    big = x
    for _ in range(12):
        big = sin(big) * big + 1
    assert summary(big) == f"<expression of {len(postorder([big]))} shared nodes ({tree_size(big)} as a tree)>"
    for _ in range(100):
        big = sin(big) * big + 1
    assert summary(big) == f"<expression of {len(postorder([big]))} shared nodes (beyond counting as a tree)>"
    with pytest.raises(ExpressionError, match="too long"):
        text(big)


def test_summary_of_solves():
    first = solve([[x, y], [y, 1]], [1, 0])[0]
    assert summary(first) == text(first)
    assert summary(first.args[0]) == "<solve node over 5 others>"
    assert summary(solve([[ZERO, ZERO], [y, x]], [ONE, ZERO])[0]).startswith("<expression of 7 shared nodes")
    with pytest.raises(ExpressionError, match="several values"):
        text(first.args[0])


# -- programs ------------------------------------------------------------------------------------------------
def _read_back(lets, texts, words):
    for name, definition in lets:
        words = words.with_let(name, parse(definition, words, GENEROUS))
    return [parse(source, words, GENEROUS) for source in texts]


@settings(max_examples=2 * settings.default.max_examples)
@given(any_expressions(most=16), any_expressions())
def test_program_reads_back(one, other):
    roots = [one, other, one]
    lets, texts = program(roots)
    assert _read_back(lets, texts, VOCABULARY) == roots


def test_program_is_linear_and_has_the_same_value():
    nodes = [x, y]
    for i in range(60):
        nodes.append(sin(nodes[-1] + nodes[-2]) * nodes[-2] + Fraction(i, 7) * nodes[-1])
    lets, texts = program(nodes[-2:])
    assert sum(len(source) for _, source in lets) + sum(map(len, texts)) < 40 * 60
    again = _read_back(lets, texts, WORDS)
    assert again == nodes[-2:]
    point = Floats({x: 0.3, y: -0.2})
    assert evaluate(again, point) == evaluate(nodes[-2:], point)
    swapped = _read_back(lets, [texts[1], texts[0]], WORDS)
    assert evaluate(swapped, point) != evaluate(nodes[-2:], point)


def test_program_names_what_is_shared_and_no_trifles():
    c1, c2 = symbol("c1"), Vocabulary.of(functions={"c2": 1}).function("c2")
    shared = sin(x + c1)
    lets, texts = program([shared**2 + jet(c2, (x,)), shared * sin(x) ** 2 - 2 * sin(x) ** 2, -2 * c1, x**2, x**2 + c1])
    assert lets == [("c3", "sin(c1 + x)")]
    assert texts == ["c3^2 + c2(x)", "c3*sin(x)^2 - 2*sin(x)^2", "-2*c1", "x^2", "c1 + x^2"]
    assert {s.name for s in symbols([shared])} == {"x", "c1"}
    assert functions([jet(c2, (x,))]) == {c2}


def test_a_product_with_a_name_is_written_by_it_in_every_sum():
    """The factors of one without a name are kept from sum to sum."""
    lets, texts = program([1 / (2 * (x * y + z)), 1 / (3 * (x * y)), x * y + z / 2, x * y + z])
    assert lets == [("c1", "x*y"), ("c2", "c1 + z")]
    assert texts == ["1/(2*c2)", "1/(3*c1)", "c1 + z/2", "c2"]


def test_program_prefix():
    lets, texts = program([(x + y) ** 2, 1 / (x + y)], prefix="aux_")
    assert (lets, texts) == ([("aux_1", "x + y")], ["aux_1^2", "1/aux_1"])
    with pytest.raises(ExpressionError, match="cannot begin a name"):
        program([x], prefix="1")
