"""What a terminal shows first: equations, results with their answers, and no more than 40 lines."""

import io
import re
import sys
import unicodedata
from dataclasses import replace

import pytest
from commanding import command
from hypothesis import given
from hypothesis import strategies as st

from dalembert import System, __version__, claims, derive, gallery
from dalembert.cli.main import main
from dalembert.expr import cos, exp, sin, sqrt, symbol
from dalembert.expr.display.unicode import unicode_name, unicode_text
from dalembert.expr.text import parse, text
from dalembert.expr.truth import Verdict, is_zero
from dalembert.expr.vocabulary import Vocabulary
from dalembert.mechanics.registry import obvious_formalism
from dalembert.model.claim import Claim
from dalembert.present.conserved import Sentence
from dalembert.present.html_writer import html
from dalembert.present.latex_document import latex_document
from dalembert.present.latex_writer import in_latex
from dalembert.present.lines import breadth, columns, statements
from dalembert.present.overview import (
    LINES,
    derivation_overview,
    example_claim,
    grouped_claims,
    lines_taken,
    next_commands,
    results_section,
    rows_of,
)
from dalembert.present.page import Claims, Code, Equations, Section, Words
from dalembert.present.report import Part
from dalembert.present.study_overview import study_overview
from dalembert.present.text_writer import UNICODE, in_text
from dalembert.studies.known_integrals import known_integrals
from dalembert.studies.parts import part_of
from dalembert.studies.studying import crossed

CART = System.of(
    name="spring pendulum on a cart",
    coordinates={"x": "real", "r": "positive", "a": "angle"},
    parameters={"M": 2, "m": 1, "k": 40, "l": 1, "g": 9.81},
    lagrangian="M*x'^2/2 + m*((x' + r'*sin(a) + r*a'*cos(a))^2 + (r'*cos(a) - r*a'*sin(a))^2)/2"
    " - k*(r - l)^2/2 + m*g*r*cos(a)",
)
DRIVEN = System.of(
    name="driven skate with many letters",
    coordinates={"x": "real", "y": "real", "h": "angle", "s": "angle"},
    parameters={"m": 2, "J": 1, "K": "1/5", "a": "3/2", "c": 1},
    lagrangian="m*(x'^2 + y'^2)/2 + J*h'^2/2 + K*(h' + s')^2/2",
    constraints={"front": "y'*cos(h) = x'*sin(h)", "rear": "x'*sin(h + s) - y'*cos(h + s) + a*cos(s)*h' = 0"},
    forces={"s": "-c*s'"},
)
ROWS = System.of(
    name="a chain of springs",
    coordinates=" ".join(f"x{k}" for k in range(1, 31)),
    lagrangian=" + ".join(f"x{k}'^2/2 - (x{k} - x{max(k - 1, 1)})^2/2 + cos(x{k}*x{31 - k})" for k in range(1, 31)),
)
NAMED = ["chaplygin-sleigh", "bicycle", "kepler", "heavy-top", "pendulum:4", "falling-rolling-disc", "four-bar"]


def overview(system):
    result = derive(system, obvious_formalism(system))
    decided = claims(result)
    found, look = known_integrals(result, decided)
    symmetries = [one.written for one in look.symmetries] if look else ()
    return derivation_overview(result, decided, found, symmetries, "MODEL", 80)


@pytest.fixture(scope="module", params=[*NAMED, CART, DRIVEN, ROWS], ids=lambda one: getattr(one, "name", one))
def page(request):
    return overview(gallery.load(request.param) if isinstance(request.param, str) else request.param)


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_derivation_takes_at_most_40_lines_of_a_terminal(page, width):
    for letters in ({}, {"letters": UNICODE}):
        assert lines_taken(in_text(page, width, **letters), width) <= LINES
    assert lines_taken("\n".join(["x"] * (LINES + 1)), 80) > LINES  # it counts


def test_equations_come_first_then_results_then_the_next_command(page):
    motion, results, following = page.blocks
    assert motion.title.startswith("Equations of motion (")
    assert results.title == "Results"
    assert isinstance(following, Code)
    said = in_text(page, 80)
    assert said.index("Equations of motion") < said.index("Results") < said.index("Next:")
    assert "refuted" not in said
    summed_up = not any(isinstance(block, Equations) and block.groups for block in motion.blocks[:1])
    assert ("operations" in said) or not summed_up


def test_long_equations_say_how_long_they_are_and_where_they_are_written():
    said = in_text(overview(gallery.load("bicycle")), 80)
    assert "3 equations M a = f for a = (phi'', delta'', chiR'')" in said
    assert re.search(r"chiF': \d+ operations", said)
    assert "dalembert derive MODEL --equations" in said
    assert "operations" not in in_text(overview(gallery.load("pendulum:2")), 80)


def test_speeds_stand_beside_the_title_and_are_those_of_the_equations():
    page = overview(gallery.load("chaplygin-sleigh"))
    assert page.blocks[0].beside == "with u = x'*cos(theta) + y'*sin(theta)"
    assert [str(left) for left, _ in page.blocks[0].blocks[0].groups[0].pairs] == ["x'", "y'", "u'", "theta''"]


def test_results_answer_first_and_say_last_how_it_is_known():
    said = in_text(overview(gallery.load("chaplygin-sleigh")), 100)
    assert re.search(r"^  yes  The energy is conserved: .*  proved$", said, re.MULTILINE)
    assert re.search(r"^  no   The constraint is integrable\. +proved$", said, re.MULTILINE)
    assert re.search(r"^  no   Substituting the constraints .* the same motion\. +counterexample$", said, re.MULTILINE)
    flat = in_text(
        overview(System.of(name="s", coordinates="x y", lagrangian="x'^2 + y'^2", constraints={"c": "y' = x'"}))
    )
    assert re.search(r"^  yes  The constraint is integrable\.", flat, re.MULTILINE)


@pytest.mark.parametrize("name", ["kepler", "bicycle", "heavy-top", "four-bar"])
def test_the_commands_that_come_next_work(name):
    shown = command("derive", name).out
    (claim,) = re.findall(r'check \S+(?: --as \S+)? --that "(.*)"', shown)
    ended = command("check", name, "--that", claim)
    assert ended.status in {0, 1}
    assert ended.out.lstrip().startswith(("yes", "no", "FAILS", "open"))


@pytest.mark.parametrize("name", ["steady", "control"])
def test_commands_choose_the_formalism_as_derive_does(name):
    ended = command(name, "pendulum" if name == "steady" else "snakeboard")
    assert ended.status == 0, ended.err
    assert "Using the " in ended.err
    assert " formalism because the model has " in ended.err


def test_the_version_is_printed():
    for words in (("--version",), ("--no-cache", "--version")):
        assert command(*words).out == f"dalembert {__version__}\n"


def test_everything_and_the_evidence_are_there_when_they_are_asked_for():
    brief, full, why = (command("derive", "chaplygin-sleigh", *more).out for more in ((), ("--full",), ("--why",)))
    assert "lambda_blade" in full
    assert "lambda_blade" not in brief
    evidence = "its normal form, a fraction of polynomials, has the numerator 0"
    assert evidence not in brief + full
    assert evidence in why
    assert why.startswith(brief.rstrip("\n"))


# -- a study ---------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def sleigh():
    system = gallery.load("chaplygin-sleigh")
    names = ("nonholonomic", "reduced", "vakonomic", "euler-lagrange", "routh")
    return crossed(system, [part_of(system, name, 0.2, answers=False, film=False) for name in names])


def test_a_study_shows_the_motion_that_is_meant_and_takes_40_lines(sleigh):
    said = in_text(study_overview(sleigh.system, sleigh.parts, sleigh.crossed, "chaplygin-sleigh", 80), 80)
    assert lines_taken(said, 80) < LINES
    assert "Equations of motion (nonholonomic)" in said
    assert "theta'' = -a*m*theta'*u/(a^2*m + I)" in said
    assert "operations" not in said, "short equations are not summed up to make room for results"
    assert re.search(r"nonholonomic +\d+ yes, 2 no\n", said)
    assert re.search(r"vakonomic .*a different motion", said)
    assert re.search(r"Not applicable: euler-lagrange \(the Euler-Lagrange equations", said)
    assert "refuted" not in said


def test_what_another_motion_conserves_is_not_said_of_this_one(sleigh):
    vakonomic = next(part for part in sleigh.parts if part.formalism == "vakonomic")
    other = {one.text for one in vakonomic.sentences if "momenta of e1" in one.text}
    assert other
    said = in_text(study_overview(sleigh.system, sleigh.parts, sleigh.crossed), 80)
    assert not any(one in said for one in other)
    alone = in_text(study_overview(sleigh.system, [vakonomic]), 80)
    assert any(one.rstrip(".") in alone for one in other), "where it is the only motion it is"


def test_agreement_is_one_sentence_with_the_worst_number(sleigh):
    said = " ".join(in_text(study_overview(sleigh.system, sleigh.parts, sleigh.crossed), 80).split())
    (sentence,) = re.findall(r"Cross-checks: .*? up to t = 10\.", said)
    fields = [c for c in sleigh.crossed if c.name.endswith(" as fields")]
    bound = int(re.search(r"below 2\^(-\d+)", sentence)[1])
    assert bound >= max(claim.verdict.error_bits for claim in fields)
    worst = max(claim.verdict.size for claim in sleigh.crossed if claim.verdict.size is not None)
    assert f"agree to {worst:.1e}" in sentence
    apart = Claim("nonholonomic and reduced", "they are the same", "check", Verdict("undecided", "no."))
    assert "1 comparison could not be decided" in in_text(study_overview(sleigh.system, sleigh.parts, [apart]), 80)


def agreeing(name, size):
    """Return the claim that two motions are the same, with how far they are apart."""
    return Claim(name, "they are the same", "check", Verdict("measured", "so it is.", size=size))


def cross_checks(sleigh, parts, compared):
    fields = Claim("nonholonomic, reduced and chaplygin as fields", "they are one", "check", Verdict("proved", "0."))
    said = " ".join(in_text(study_overview(sleigh.system, parts, [fields, *compared]), 80).split())
    return re.search(r"Cross-checks: .*? up to t = [^.]*\.(?:\d[^.]*\.)?", said)[0]


def test_a_formalism_that_was_not_simulated_does_not_agree(sleigh):
    parts = {part.formalism: part for part in sleigh.parts}
    halted = replace(parts["reduced"], formalism="chaplygin", track=None)
    both = [agreeing("nonholonomic and reduced", 3e-12)]
    said = cross_checks(sleigh, [*sleigh.parts, halted], both)
    assert "nonholonomic, reduced and chaplygin define the same vector field (proved)" in said
    assert "the simulated motions of nonholonomic and reduced agree to 3.0e-12 up to t = 10" in said
    assert "(chaplygin was not simulated)" in said
    assert "not simulated" not in cross_checks(sleigh, sleigh.parts, both)


def test_a_formalism_that_is_far_from_the_others_is_named_with_its_difference(sleigh):
    parts = {part.formalism: part for part in sleigh.parts}
    names = ("nonholonomic and reduced", "nonholonomic and chaplygin", "reduced and chaplygin")
    shown = [*sleigh.parts, replace(parts["reduced"], formalism="chaplygin")]
    said = cross_checks(sleigh, shown, [*map(agreeing, names, (1e-9, 5e-5, 4e-5))])
    assert "their simulated motions agree to 1.0e-09 up to t = 10; chaplygin differs by 5.0e-05." in said
    said = cross_checks(sleigh, shown, [*map(agreeing, names, (1e-9, 5e-9, 4e-9))])
    assert "their simulated motions agree to 5.0e-09 up to t = 10." in said
    said = cross_checks(sleigh, shown, [*map(agreeing, names, (1e-15, 8e-11, 8e-11))])
    assert "their simulated motions agree to 8.0e-11 up to t = 10." in said, "no worse than errors of steps"


def test_a_check_that_fails_stands_first_by_name(sleigh):
    wrong = Claim("twin", "the twin is right", "check", Verdict("refuted", "it is not."))
    said = in_text(study_overview(sleigh.system, sleigh.parts, [wrong]), 80)
    assert re.search(r"Results\n  FAILS  The twin is right\.", said)
    assert ", 1 failed" in said


def test_a_motion_that_is_missing_or_ends_early_says_why():
    parts = [Part("nonholonomic", motion={"why": "the start contradicts the constraints"}), Part("reduced")]
    said = in_text(study_overview(CART, parts), 80)
    assert "No motion is shown: the start contradicts the constraints (nonholonomic)" in said
    assert "No motion" not in in_text(study_overview(CART, [Part("reduced")]), 80)


def test_what_is_conserved_is_listed_without_formulas_that_are_too_long():
    x = symbol("x")
    long = [Sentence("The momenta of a, b are conserved:", "proved", "conserved", ((x + k) ** 2,) * 40) for k in (1, 2)]
    (row,) = rows_of(long)
    assert (row.text, row.formulas, row.answer) == ("The momenta of a, b are conserved.", (), "yes")
    (short,) = rows_of([Sentence("The momentum of a is conserved:", "proved", "conserved", (x,))])
    assert short.formulas == (x,)


def test_reasons_are_short_and_told_once():
    none = "[constraints]: there are none; use routh. The theorem asks for a submanifold."
    parts = [Part("nonholonomic", faults=(none,)), Part("vakonomic", faults=(none,)), Part("routh", faults=("a; b",))]
    said = " ".join(in_text(study_overview(CART, parts), 80).split())
    assert "Not applicable: nonholonomic and vakonomic (there are no constraints; use routh), routh." in said
    assert "submanifold" not in said


def test_the_report_shows_no_refuted_question(sleigh):
    page = re.sub(r"<(script|style).*?</\1>|<[^>]*>", "", sleigh.to_html(), flags=re.DOTALL)
    assert "refuted" not in page
    assert "by a witness" not in page
    assert "counterexample" in page
    assert "refuted" not in sleigh.to_latex()[0]


def test_open_claims_are_named_unless_there_are_many(sleigh):
    def told(count):
        several = [Claim(f"c{k}", "it holds", "question", Verdict("undecided", "no.")) for k in range(count)]
        return " ".join(in_text(study_overview(sleigh.system, sleigh.parts[:1], several), 80).split())

    assert "1 formalism derived, 0 not applicable" in told(0)
    assert "claim" not in told(0).partition("Equations")[0]
    assert ", 1 claim open: c0." in told(1)
    assert ", 3 claims open: c0, c1, c2." in told(3)
    assert ", 4 claims open." in told(4)


def test_one_more_result_is_printed_and_definitions_are_never_left_out():
    rows = [Words(f"It is {k}.", "proved", answer="yes") for k in range(5)]
    defined = Words("dalembert found and uses e1 = d/dx.")

    def shown(most):
        return in_text(Section("", tuple(results_section([*rows, defined], most, ())), level=1))

    assert "It is 4." in shown(4)
    assert "more result" not in shown(4)
    assert "2 more results: --full shows them." in shown(3)
    assert all("e1 = d/dx" in shown(most) for most in range(7))


def test_the_claim_that_is_suggested_is_not_on_the_page():
    plane = System.of(name="plane", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - y^2")
    assert example_claim(plane, []) == "x' conserved"
    kept = Words("It is constant:", "proved", (parse("x'", Vocabulary.of("x")),), answer="yes")
    assert example_claim(plane, [kept]) == "y' conserved"
    assert example_claim(gallery.load("heavy-top"), []) == "R.w1 conserved"


@pytest.mark.parametrize("width", [60, 80, 100])
def test_next_commands_leave_out_what_has_no_room(width):
    (block,) = next_commands("m", ("a" * 40, "short"), ("b" * 20, "a description that is longer"), columns=width)
    assert max(map(len, block.text.splitlines())) <= width
    assert "a" * 40 + "  short" in block.text
    assert ("longer" in block.text) is (width > 60)


# -- how a statement is shown ----------------------------------------------------------------------------------
NO = Claim("q", "the bracket is a Poisson bracket", "question", is_zero(symbol("x")))
WRONG = Claim("c", "the two are equal", "check", is_zero(symbol("x")))


def test_a_question_whose_answer_is_no_is_no_failure_on_any_page():
    for write in (in_text, in_latex, html, lambda page: latex_document(Section("", (page,), level=1))):
        shown = write(Claims((NO, NO)))
        assert "refuted" not in shown.replace('class="verdict refuted"', "")
        assert "FAILS" not in shown
        assert re.search(r"\bno\b", shown)
        assert "counterexample" in shown
        assert "The bracket is a Poisson bracket." in shown
        assert "FAILS" in write(Claims((WRONG, NO)))
    assert 'class="verdict refuted"' not in html(Claims((NO, NO)))
    assert 'class="verdict refuted"' in html(Claims((WRONG, NO)))
    assert NO.to_json()["verdict"] == "refuted"  # for programs nothing changes


def test_what_is_refuted_without_a_point_is_proved_or_certain():
    assert [Verdict("refuted", "", bits).basis for bits in (None, -80.0)] == ["proved", "certain"]
    assert is_zero(symbol("x")).basis == "counterexample"


def test_numbers_in_evidence_have_four_digits_and_fractions_are_exact():
    evidence = is_zero(cos(symbol("x")) - 1).evidence + is_zero(symbol("x") / 4 - 20).evidence
    assert not re.search(r"\d\.\d{5}", evidence)
    assert "+/-" not in evidence


def test_claims_of_several_formalisms_are_one_line():
    kept, other = (
        Claim("e", f"the {it} is conserved", "check", Verdict("proved", "it is 0.")) for it in ("energy", "E")
    )
    said = in_text(grouped_claims({"reduced": (kept,), "routh": (kept, other)}))
    assert said.count("The energy is conserved (reduced, routh).  proved") == 1
    assert "The E is conserved (routh)." in said


# -- Unicode ----------------------------------------------------------------------------------------------------
WORDS = Vocabulary.of("x theta phi", "a m1 x2 alpha")
NAMES = ["x", "theta", "phi", "a", "m1", "x2", "alpha", "R.w1", "mass"]
BACK = {unicode_name(name + dots): name + dots for name in NAMES for dots in ("", "'", "''")}
ABOVE = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
LEAVES = [parse(name, WORDS) for name in (*NAMES[:-2], "x'", "theta'", "phi''", "theta''")]


def typed(shown):
    """Return what is typed for a formula in Unicode: each sign by its own, names by a table."""
    shown = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹]+", lambda found: "^" + found[0].translate(ABOVE), shown)
    shown = shown.replace("·", "*").replace("\N{MINUS SIGN}", "-").replace("√", "sqrt")
    for name in sorted(BACK, key=len, reverse=True):
        shown = re.sub(rf"(?<![^\W\d_])(?<!\u0307){re.escape(name)}(?![\w'\u0307\u0308])", f"<{BACK[name]}>", shown)
    return shown.replace("<", "").replace(">", "")


def expressions():
    numbers = st.fractions(-9, 9, max_denominator=7)
    return st.recursive(
        st.sampled_from(LEAVES),
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda two: two[0] + two[1]),
            st.tuples(inner, inner).map(lambda two: two[0] * two[1]),
            st.tuples(inner, inner).map(lambda two: two[0] / (two[1] ** 2 + 1)),
            st.tuples(inner, numbers).map(lambda two: two[0] - two[1]),
            st.tuples(inner, st.integers(2, 12)).map(lambda two: two[0] ** two[1]),
            inner.map(lambda one: sqrt(one**2 + 2)),
            inner.map(sin),
            inner.map(cos),
            inner.map(lambda one: -exp(-one)),
        ),
        max_leaves=8,
    )


@given(expressions())
def test_unicode_reads_back_to_the_same_expression(expression):
    assert parse(typed(unicode_text(expression)), WORDS) is expression
    assert parse(text(expression), WORDS) is expression


def test_names_have_one_letter_with_its_marks():
    assert unicode_name("x'") == "\N{LATIN SMALL LETTER X WITH DOT ABOVE}"  # one letter where there is one
    assert unicode_name("theta''") == "θ\u0308"
    assert unicodedata.normalize("NFC", unicode_name("y''")) == unicode_name("y''")
    assert unicode_text(-((symbol("x") - symbol("theta")) ** 2)) == "−(x − θ)²"  # noqa: RUF001
    assert unicode_text((symbol("x") ** 2) ** symbol("a")) == "(x²)^a"


def test_sentences_and_titles_have_one_kind_of_letters():
    long = "stable if theta'^2*(a^2*m + J)*cos(theta)/2 - g*m*sin(theta)*theta'^2*(a^2*m + J)/2 - a*m*cos(theta) > 0"
    assert not set("*'") & set(in_text(Words(long), letters=UNICODE))
    assert in_text(Section("1. theta' = -2", ()), letters=UNICODE) == "1. θ̇ = −2"  # noqa: RUF001
    assert in_text(Section("theta' = 0", (), level=1), letters=UNICODE) == "theta' = 0", "the name of a system"
    assert in_text(Words("the motion of L*."), letters=UNICODE) == "the motion of L*."


def test_marks_take_no_room_in_columns():
    assert breadth("θ\u0307·ẋ") == 3
    rows = [["θ\u0308", "one"], ["xx", "two"]]
    assert {breadth(line.partition("one")[0].partition("two")[0]) for line in columns(rows, 40)} == {4}
    found = statements([("yes", "θ\u0308 = 0", "proved"), ("no", "xx = 0", "proved")], 60)
    assert len({breadth(line) for lines in found for line in lines}) == 1


def test_a_wide_cell_does_not_push_short_verdicts_to_lines_of_their_own():
    rows = [
        ["E", "e" * 39, "energy", "proved"],
        ["J1", "j" * 10, "momentum", "proved"],
        ["J2", "x", "f" * 37, "certain"],
    ]
    lines = columns(rows, 80, indent="    ")
    assert len(lines) == len(rows)
    assert all(breadth(line) <= 80 for line in lines)
    assert [line.split() for line in lines] == rows
    assert len({line.index(end) for line, end in zip(lines[1:], ("proved", "certain"), strict=True)}) == 1


def test_a_terminal_gets_unicode_unless_it_asks_for_ascii(monkeypatch):
    class Terminal(io.StringIO):
        encoding = "utf-8"

        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    shown = {}
    for words in ((), ("--ascii",)):
        monkeypatch.setattr("sys.stdout", Terminal())
        main(["derive", "pendulum", *words])
        shown[words] = sys.stdout.getvalue()
    assert "θ\u0308" in shown[()] or "\u0308" in unicodedata.normalize("NFD", shown[()])
    assert shown["--ascii",].replace("\x1b", "").isascii()
    assert "''" in shown["--ascii",]


def test_unicode_is_for_terminals_alone():
    shown = command("derive", "chaplygin-sleigh").out
    assert shown.isascii()
    assert "theta'' = -a*m*theta'*u/(a^2*m + I)" in shown
    assert "θ\u0308" in in_text(overview(gallery.load("chaplygin-sleigh")), 80, letters=UNICODE)


def test_words_are_not_mathematics():
    said = in_text(Words("a = theta'^2 is a formula, a mass is a word", answer="yes"), 80, letters=UNICODE)
    assert said == "  yes  a = θ\u0307² is a formula, a mass is a word"
