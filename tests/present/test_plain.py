"""Results as text: lines of a width, nothing cut off, equations that read back to what they are."""

import pytest

from dalembert import gallery
from dalembert.expr.text import parse, parse_equation
from dalembert.expr.truth import is_zero
from dalembert.expr.walk import substitute
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.registry import claims
from dalembert.present.latex_writer import in_latex
from dalembert.present.lines import broken, columns, paragraph
from dalembert.present.page import Claims
from dalembert.present.results import result_page
from dalembert.present.text_writer import counted, in_text

ROWS = [
    ["proved", "energy conserved", "the energy is conserved: its normal form has the numerator 0."],
    ["refuted", "a name that is much longer than the names of the others", "not zero: value 2 at x = 1, y = 2."],
]


@pytest.mark.parametrize("width", [None, 30, 50, 79, 200])
def test_columns_lose_nothing_and_keep_to_the_width(width):
    lines = columns(ROWS, width, indent="  ", widest=24)
    assert " ".join(" ".join(lines).split()) == " ".join(" ".join(row) for row in ROWS)
    if width is None:
        assert len(lines) == 2
    else:
        wide = [line for line in lines if len(line) > width]
        assert all("much longer" in line for line in wide)  # a name is not cut


def test_only_the_cell_of_a_verdict_is_painted():
    painted = columns(ROWS, 79, paint=lambda k, cell: f"<{cell}>" if k == 0 else cell)
    assert painted[0].startswith("<proved >  energy conserved")
    assert sum(line.count("<") for line in painted) == 2


def test_words_are_kept_whole():
    assert paragraph("value 12345678901234567890123456789012345 at x", 30, "  ") == [
        "  value",
        "  12345678901234567890123456789012345",
        "  at x",
    ]


@pytest.mark.parametrize("width", [20, 40, 60])
def test_a_broken_formula_is_the_same_text(width):
    formula = "x'' = (a*sin(x + y) - b)*(c + d^2)/(1 + f(x, y, z)) + exp(-x^2)*(a + b + c + d) - 1"
    lines = broken(formula, width, "  ")
    assert "".join("".join(lines).split()) == "".join(formula.split())
    assert len(lines) > 1
    assert all(len(line) <= max(width, 30) for line in lines)
    assert broken(formula, None) == [formula]


def equations_of(shown, system):
    """Return the equations of a text, read back with the parts that are named in it."""
    body = shown.partition("\n\n")[2].partition("\n\nclaims")[0]
    whole = body.replace("\n      ", " ").splitlines()  # what goes on in the next line is indented further
    cut = whole.index("where") if "where" in whole else len(whole)
    words = system.vocabulary
    named = whole.index("with masses") if "with masses" in whole else cut
    for line in [*whole[cut + 1 :], *whole[named + 1 : cut]]:
        name, _, right = line.partition("=")
        words = words.with_let(name.strip(), parse(right, words))
    return [parse_equation(line, words) for line in whole[:named]]


@pytest.mark.parametrize(
    ("name", "how", "width"), [("pendulum:2", "euler-lagrange", 50), ("kepler", "euler-lagrange", 40)]
)
def test_the_equations_shown_hold_for_the_rates_derived(name, how, width):
    system = gallery.load(name)
    result = derive(system, how)
    rates = {s.dot: rate for s, rate in result.equations.rates().items()}
    read = equations_of(in_text(result_page(result, effort=0.0), width), system)
    assert len(read) == len(system.q)
    for left, right in read:
        (defect,) = substitute([left - right], rates)
        assert is_zero(defect).holds
        (wrong,) = substitute([left - right], {rate: right + 1 for rate, right in rates.items()})
        assert is_zero(wrong).holds is False


def test_a_long_system_names_its_parts_and_leaves_nothing_out():
    result = derive(gallery.load("wheeled-snake:6"), "nonholonomic")
    shown = in_text(result_page(result, effort=0.0), 100)
    assert "\nwhere\n" in shown
    assert "see --json" not in shown
    assert max(map(len, shown.splitlines())) <= 100
    assert all(f"q{k}'" in shown for k in range(1, 7))


def test_what_is_found_again_is_shown_too():
    result = derive(gallery.load("vertical-rolling-disc"), "chaplygin")
    shown = in_text(result_page(result))
    assert "reconstruction\n  x' = R*phi'*cos(psi)\n" in shown
    assert r"\dot{x} &= R \dot{\phi} \cos\psi" in in_latex(result_page(result))
    decided = claims(result)
    lines = in_text(Claims(decided)).splitlines()
    assert lines[0] == f"claims: {counted(decided)}"
    for claim, line, why in zip(decided, lines[1::2], lines[2::2], strict=True):
        assert line.split()[0] == claim.answer
        assert line.split()[-1] == claim.verdict.basis
        assert claim.sentence in line
        assert all(part in why for part in (claim.name, claim.role, claim.verdict.evidence))
    assert in_text(Claims(decided, brief=True)).splitlines()[1:] == lines[1::2]
