"""The first screen of a report and its first sheet of paper, as far as markup and style sheet decide them."""

import re

import pytest

from dalembert.expr.truth import Verdict
from dalembert.model.claim import Claim
from dalembert.present import animation, plots
from dalembert.present.html_writer import document, html
from dalembert.present.page import Claims, Columns, Picture, Section, Words
from dalembert.present.scripts import script
from dalembert.present.style import STYLE

LIVING = script("living", "css")
PAGE = Section(
    "sleigh",
    (
        Words("A plate on a blade."),
        Columns((Section("Equations of motion", (Words("here", source="nonholonomic", verdict="proved"),)),),
                (Picture('<div class="living"></div>', ""),)),
        Section("The system", anchor="system"),
        Section("Chaplygin reduction", anchor="chaplygin", look="formalism"),
        Words("All of them", link="chaplygin"),
    ),
    level=1,
)  # fmt: skip
COLUMN, GAP, EDGE = 29.75 * 16, 2 * 16, 1.5 * 16
MILLIMETRES = 25.4 / 72
"""In a point."""


def on_paper():
    return STYLE[STYLE.index("@media print") :]


@pytest.mark.parametrize(("wide", "high", "least"), [(1440, 900, 0.35), (1280, 720, 0.33)])
def test_the_mechanism_takes_a_third_of_the_screen(wide, high, least):
    """The column of equations has a fixed width; the mechanism has all the rest, and its shape gives its height."""
    assert f"minmax({COLUMN / 16:g}rem, 1fr)" in STYLE
    assert f"gap: 0 {GAP / 16:g}rem" in STYLE
    assert f"padding: 0 {EDGE / 16:g}rem" in STYLE
    stage = wide - COLUMN - GAP - 2 * EDGE
    assert stage <= (high - 160) * 1.633  # no higher than the window
    assert stage**2 * animation.HEIGHT / animation.WIDTH >= least * wide * high


def test_python_and_the_page_draw_on_one_sheet():
    sizes = re.search(r"WIDTH = (\d+), HEIGHT = (\d+)", script("pictures"))
    assert [float(size) for size in sizes.groups()] == [animation.WIDTH, animation.HEIGHT]


def test_equations_stand_beside_the_mechanism_under_the_title_and_no_formalism_is_named():
    page = document(PAGE)
    bar, rest = page[page.index("<nav") :].split("</nav>")
    assert 'href="#system"' in bar
    assert "chaplygin" not in bar
    beside, drawn = rest[: rest.index("The system")].split('<div class="living">')
    assert beside.index("<h1>") < beside.index("A plate") < beside.index("Equations of motion")
    assert "nonholonomic" not in re.sub(r'title="[^"]*"', "", beside + drawn)
    assert 'title="nonholonomic"><span class="verdict proved">' in beside
    assert '<a href="#chaplygin">All of them</a>' in rest


def test_nothing_is_printed_over_the_mechanism_which_is_80_mm_wide():
    printed = LIVING[LIVING.index("@media print") :].partition("\n")[0]
    assert ".living .cloud" in printed
    assert "minmax(0, 1fr) 80mm" in on_paper()
    assert '"class": "cloud"' in script("living")
    assert re.search(r'"class": "cloud"[^}]*hidden: ""', script("living"))


def test_marks_on_axes_are_7_points_on_paper():
    """Plots stand in two columns on A4 with margins of 14 mm."""
    column = (210 - 2 * 14 - 16 * 25.4 / 96) / 2
    assert re.search(r"\.plots, \.living \.plots \{ grid-template-columns: 1fr 1fr; \}", on_paper())
    (living_wide,) = map(int, re.findall(r"const W = (\d+)", script("curves")))
    letters = {"svg.plot": plots.WIDTH, ".living .curve text": living_wide}
    for name, wide in letters.items():
        size = float(re.search(rf"{re.escape(name)} \{{ font-size: ([\d.]+)px", on_paper())[1])
        assert size * column / wide >= 7 * MILLIMETRES, name


@pytest.mark.parametrize(("role", "red"), [("question", False), ("check", True)])
def test_a_question_whose_answer_is_no_is_not_red(role, red):
    assert re.search(r"\.refuted \{ background: (#\w+)", STYLE)[1] != re.search(r"\.no \{ background: (#\w+)", STYLE)[1]
    claim = Claim("one", "there is one", role, Verdict("refuted", "at x = 1"))
    assert ('class="verdict refuted"' in html(Claims((claim,)))) is red
