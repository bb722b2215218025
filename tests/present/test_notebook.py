"""What a notebook shows: all that a user gets in hand, the tutorial from top to bottom, nothing huge."""

import base64
import gzip
import json
from dataclasses import fields, is_dataclass
from html.parser import HTMLParser
from types import FunctionType, ModuleType

import numpy as np
import pytest
from clock import quickly
from IPython.core.interactiveshell import InteractiveShell
from places import ROOT
from traitlets.config import Config

from dalembert import (
    Claim,
    System,
    Trajectory,
    Verdict,
    discover,
    gallery,
    is_zero,
    parse,
    simulate,
    simulate_ensemble,
    steady,
)
from dalembert.errors import EvaluationError
from dalembert.expr import ONE, ZERO, cos, sin, symbol
from dalembert.geometry.connections.affine import AffineConnection
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import coordinate_form, wedge
from dalembert.geometry.groups.algebra import lie_algebra
from dalembert.mechanics.common import Derived
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.lagrangian import euler_lagrange
from dalembert.mechanics.nonholonomic import symmetry_search
from dalembert.mechanics.registry import claims
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral
from dalembert.model.table import Table
from dalembert.present.notebook import bundle, film, html_of, latex_of
from dalembert.present.report import Part
from dalembert.present.text_writer import brief
from dalembert.present.things import is_ours, page_of

TUTORIAL = ROOT / "examples" / "tutorial.ipynb"
LESSONS = sorted((ROOT / "examples" / "teaching").glob("*.ipynb"))
LONGEST = 500_000
SKATE = gallery.load("skateboard")
BALL = System.of(name="ball", coordinates="x z", lagrangian="(x'^2 + z'^2)/2 - 10*z", start={"x'": 1, "z'": 5})
DERIVED = [  # the others are in the tutorial
    ("kepler", "euler-lagrange", {"EulerLagrange", "NoetherMomentum", "Form", "Generator", "State", "Run"}),
    ("appell-hamel", "nonholonomic", {"ConstrainedMotion", "Constraint", "Equations"}),
    ("heavy-top-chart", "routh", {"Routh", "LieAlgebra", "VectorField", "LevelSet"}),
    ("skateboard", "vakonomic", {"Vakonomic", "ConstrainedMomentum", "HamiltonianForm"}),
    ("nonholonomic-particle", "semisymplectic", {"SemiHamiltonian", "SemiSymplectic"}),
]


class Reader(HTMLParser):
    """Keeps the words that are seen, and the elements; what is inside an attribute is not looked at."""

    def __init__(self, page):
        super().__init__()
        self.words, self.elements, self.attributes = [], [], []
        self.quiet = 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs
        self.quiet += tag in ("style", "script")

    def handle_endtag(self, tag):
        self.quiet -= tag in ("style", "script")

    def handle_data(self, data):
        if not self.quiet:
            self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


def plain_of(thing):
    return brief(page_of(thing))


def seen(thing):
    return Reader(html_of(thing)).text


# -- every thing ---------------------------------------------------------------------------------------------
def records(things):
    """Return one thing of each of our types that can be reached through fields, lists and tables, by its name."""
    found, waiting, known = {}, list(things), set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in known:
            continue
        known.add(id(thing))
        if isinstance(thing, Table | dict):
            waiting += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset):
            waiting += thing
        elif is_ours(thing) and not isinstance(thing, type | ModuleType | FunctionType):
            found.setdefault(type(thing).__name__, thing)
            if is_dataclass(thing):
                waiting += [getattr(thing, f.name) for f in fields(thing)]
    return found


def all_shown(things):
    """Return the names of our types among things, all of which are shown, soon, briefly and in words."""
    found = records(things)
    for name, thing in found.items():
        if name == "Film":
            continue
        shown = quickly(2.0, lambda thing=thing: bundle(thing))
        page = Reader(shown["text/html"])
        assert len(page.text.strip()) > 3 or {"math", "svg"} & set(page.elements), name
        assert len(shown["text/html"]) < LONGEST, name
        assert 0 < len(shown["text/plain"]) < 3_500, name
        assert " at 0x" not in page.text + shown["text/plain"], name
    return set(found)


@pytest.mark.parametrize(("system", "how", "among"), DERIVED)
@pytest.mark.thorough(
    "kepler-euler-lagrange-among0", "heavy-top-chart-routh-among2", "nonholonomic-particle-semisymplectic-among4"
)
@pytest.mark.thorough("appell-hamel-nonholonomic-among1")
def test_every_result_is_shown_with_all_that_it_has(system, how, among):
    result = derive(gallery.load(system), how)
    assert isinstance(result, Derived)
    shown = bundle(result)
    assert "<math" in shown["text/html"]
    assert shown["text/html"].count('class="verdict') >= len(result.hypotheses)
    assert bundle(claims(result, only="energy"))["text/html"].count('class="verdict') >= 1
    assert shown["text/plain"].startswith(f"{result.system.name}, {how}\n")
    assert r"\begin{aligned}" in shown["text/latex"]
    objects = {name: value for name, value in result.objects().items() if value not in ((), [], {}, None)}
    words = seen(objects)
    assert all(name.replace("_", " ") in words for name in objects)
    assert among <= all_shown([result])


def test_what_is_shown_is_what_there_is():
    x, y, z = (symbol(name) for name in "xyz")
    theta = symbol("theta", domain="angle")
    assert seen(VectorField(Chart.of(x, y), (-y, x))) == "−y∂x+x∂y"  # noqa: RUF001
    turned = VectorField(Chart.of(x, theta), (cos(theta), -x - 1))
    assert seen(turned).replace("\u2061", "") == "cosθ∂x−(x+1)∂θ"  # noqa: RUF001
    assert latex_of(turned) == r"$\displaystyle \cos\theta \, \partial_{x} - (x + 1) \, \partial_{\theta}$"
    assert plain_of(turned) == "cos(theta) d/dx + (-x - 1) d/dtheta"
    space = Chart.of(x, y, z)
    area = x * wedge(coordinate_form(space, y), coordinate_form(space, z))
    assert seen(area) == "xdy∧dz"
    assert latex_of(area) == r"$\displaystyle x \, \mathrm{d}y \wedge \mathrm{d}z$"
    assert seen(VectorField(space, (ZERO, ZERO, ZERO))) == "0"
    so3 = lie_algebra("ijk", {("i", "j"): {"k": 1}, ("j", "k"): {"i": 1}, ("k", "i"): {"j": 1}})
    assert "[i, j] = k" in seen(so3)
    assert "[i, k] = −j" in seen(so3)  # noqa: RUF001
    r = symbol("r", domain="positive")
    polar = AffineConnection.of(Chart.of(r, theta), [[[0, 0], [0, -r]], [[0, ONE / r], [ONE / r, 0]]])
    assert seen(polar).count("Γ") == 3
    assert seen((x, y)) == "x, y"
    assert seen(((x, y), (y, x))) == "(xyyx)"
    assert seen([x, [1, 2]]) == "x1, 2"
    assert seen({"x": sin(theta)}).replace("\u2061", "") == "xsinθ"
    assert seen(Verdict("proved", "it is the number 0.")) == "yesit is the number 0. proved"
    kept = FirstIntegral(x**2 + y**2, Verdict("proved", "by hand."), "radius")
    assert seen([kept]) == "provedx2+y2(radius)"
    claim = Claim("c", "x < y & y > x", "check", Verdict("undecided", "nobody knows."))
    assert "x < y & y > x" in seen([claim, claim])
    assert plain_of(claim) == "open: x < y & y > x. (undecided, check) nobody knows."


def test_a_system_says_what_it_was_told():
    shown = seen(SKATE)
    for word in ("coordinates", "parameters", "blade (linear)", "start"):
        assert word in shown
    assert "  blade (linear): x'*sin(phi) - y'*cos(phi) = 0" in plain_of(SKATE)
    assert "constraints" not in seen(gallery.load("kepler"))


# -- motions -------------------------------------------------------------------------------------------------
def test_a_motion_is_plotted_and_played():
    run = simulate(euler_lagrange.derive(BALL), time=1)
    assert "path of (x, z)" in seen(run)
    assert repr(film(run)) == "<film of ball>"
    page = film(run)._repr_html_() + film(run, BALL)._repr_html_()
    outside = Reader(page)
    assert outside.elements == ["iframe", "iframe"]  # scripts and names are inside, each film with its own
    inside = [value for name, value in outside.attributes if name == "srcdoc"]
    assert all("<script>" in page and "data-shape" in page for page in inside)
    stranger = Trajectory([0, 1], [[2, 3]], ("x",))
    assert "x over time" in seen(stranger)
    with pytest.raises(EvaluationError, match="give it as well"):
        film(stranger)


def test_a_part_that_says_nothing_says_why():
    assert "routh[symmetry]: there is none." in seen(Part("routh", faults=("[symmetry]: there is none.",)))
    assert "it was stopped" in seen(Part("routh", stopped="it was stopped."))


# -- nothing huge --------------------------------------------------------------------------------------------
def huge():
    x, y = symbol("x"), symbol("y")
    deep = x
    for k in range(8_000):
        deep = sin(deep) + k * y
    claim = Claim("c", "a statement of some length, said again", "check", Verdict("proved", "an evidence."))
    long = np.linspace(0, 1, 400_000)
    yield "deep", deep
    yield "many", {f"e{k}": sin(x) ** k for k in range(3_000)}
    yield "matrix", [[sin(x + j) * cos(y + k) for j in range(40)] for k in range(40)]
    yield "claims", (claim,) * 20_000
    yield "field", VectorField(Chart.of(x, y), (deep, -deep))
    yield "run", Trajectory(long, [np.sin(long), np.cos(long)], ("x", "y"), monitors={"energy": long})
    yield "snake", derive(gallery.load("wheeled-snake"), "nonholonomic")


@pytest.mark.thorough
def test_nothing_takes_long_or_is_long():
    for name, thing in huge():
        shown = quickly(2.0, lambda thing=thing: bundle(thing))
        assert len(shown["text/html"]) < LONGEST, name
        assert len(shown["text/plain"]) < 5_000 or isinstance(thing, dict | list | tuple), name
    assert "and 2940 more" in seen({f"e{k}": symbol("x") for k in range(3_000)})


# -- a notebook ----------------------------------------------------------------------------------------------
@pytest.fixture
def shell(tmp_path):
    made = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}), ipython_dir=str(tmp_path))
    made.shown = []
    hook = made.displayhook
    hook.write_format_data = lambda data, *_: made.shown.append(data)
    hook.write_output_prompt = hook.finish_displayhook = lambda: None
    return made


def run_cell(shell, source):
    """Return what a cell shows, if anything; a cell that fails fails the test."""
    shell.shown.clear()
    done = shell.run_cell(source, silent=False, store_history=False)
    done.raise_error()
    return shell.shown[-1] if shell.shown else None


def test_others_are_shown_as_ever(shell):
    run_cell(shell, "%load_ext dalembert")
    run_cell(
        shell,
        "class A:\n    def _repr_html_(self): return '<b>mine</b>'\n"
        "class B:\n    def _repr_mimebundle_(self, include=None, exclude=None): return {'text/x': 'mine'}",
    )
    assert run_cell(shell, "A()")["text/html"] == "<b>mine</b>"
    assert run_cell(shell, "B()")["text/x"] == "mine"
    assert run_cell(shell, "[1, 2]") == {"text/plain": "[1, 2]"}
    assert bundle(7) is bundle([7]) is bundle(ValueError("no")) is bundle(System) is None
    assert "text/html" in run_cell(shell, "from dalembert.expr import symbol; (symbol('x'),)")
    shell.display_formatter.active_types = ["text/plain"]  # as in a terminal
    fall = "from dalembert import System; System.of(name='fall', coordinates='z', lagrangian=\"z'^2/2\")"
    assert run_cell(shell, fall) == {"text/plain": "fall\n  L = z'^2/2\n  coordinates: z"}


@pytest.mark.thorough
def test_the_tutorial_runs_from_top_to_bottom(shell):
    notebook = json.loads(TUTORIAL.read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert 10 <= len(cells) <= 15
    assert not any(cell["outputs"] for cell in cells)  # outputs grow stale; the tests make them
    shown = {cell["id"]: run_cell(shell, "".join(cell["source"])) for cell in cells}
    pages = {name: data["text/html"] for name, data in shown.items() if data is not None}
    assert set(shown) - set(pages) == {"load"}
    assert sum(map(len, pages.values())) < LONGEST
    words = {name: Reader(page).text for name, page in pages.items()}
    assert "rolls_in_x (linear)" in words["system"]
    assert all(shown[name]["text/latex"].count(r"\ddot{s} &=") == 1 for name in ("nonholonomic", "chaplygin"))
    assert words["questions"].startswith("no")
    assert words["measure"].count("counterexample") == 2
    assert "svg" in Reader(pages["simulate"]).elements
    assert "Constant along the motion?yesenergy" in words["audit"]
    assert Reader(pages["film"]).elements == ["iframe"]
    assert words["refute"].startswith("nonot zero: value ")
    said = shell.user_ns
    rate = said["field_of"](said["rolling"]).rates([said["guess"]])[0]
    assert said["verdict"].witness is not None
    assert is_zero(rate + parse("mu*R*s*phi'*theta'", said["trolley"].vocabulary)).holds
    assert "nonholonomic" in words["compare"]
    assert "no invariant volume with a density that depends on the base only" in words["study"]
    assert "the whole report" in words["study"]
    assert Reader(pages["study"]).elements.count("iframe") == 2
    assert "script" not in Reader(pages["study"]).elements
    packed = pages["study"].split("atob('")[1].split("'")[0]
    report = gzip.decompress(base64.b64decode(packed)).decode()
    assert report == said["everything"].to_html()
    assert len(pages["study"]) < len(report)
    runs = simulate_ensemble(said["rolling"], {"theta'": np.linspace(0.1, 1, 5)}, 1, samples=9)
    kinds = all_shown([*said.values(), runs])
    assert {"Nonholonomic", "Chaplygin", "Vakonomic", "Comparison", "Study", "Part", "Distribution", "Frame"} <= kinds
    assert {"Audit", "Drift", "Trajectory", "Ensemble"} <= kinds
    assert len(kinds) > 40
    assert id(said["rolling"]) not in symmetry_search._FOUND  # looking starts no search


SAID = {  # what a lesson tells in its words is what its cells show
    "rolling_disc": {
        "growth": "[2, 3, 4]",
        "guess": "m*x' is constant along the motions (nonholonomic). counterexample",
        "suffices": "proved",
        "eccentric": "counterexample",
        "discover": "psi' a function of J1, E",
    },
    "two_skates": {"kept": "proved", "wrong": "counterexample", "motions": "[plot: paths of (x, y)]"},
    "sleigh_and_measure": {
        "steady": "Exponentially stable across the family",
        "discover": "no: The motion preserves a smooth positive measure",
        "balanced": "yes: The motion preserves a smooth positive measure",
    },
    "top_and_routh": {"routh": "state: theta, theta'", "sleeping": "R.w3^2 > 4*g*I1*l*m/I3^2"},
    "bicycle": {"thresholds": "4.292383", "speeds": "[plot: eigenvalues over v]"},
}


@pytest.mark.thorough("two_skates", "sleigh_and_measure", "top_and_routh", "bicycle")
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_a_lesson_runs_and_shows_what_it_tells(lesson, shell):
    """Every cell runs, nearly all show something, and what the words around them promise is there."""
    cells = [cell for cell in json.loads(lesson.read_text())["cells"] if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] for cell in cells)
    shown = {cell["id"]: run_cell(shell, "".join(cell["source"])) for cell in cells}
    quiet = {name for name, data in shown.items() if data is None}
    assert quiet <= {"load", "low", "potential", "ends", "parts"}  # these print, or only import
    for name, said in SAID[lesson.stem].items():
        assert said in " ".join(shown[name]["text/plain"].split()), name
    assert sum(len(data.get("text/html", "")) for data in shown.values() if data) < 2 * LONGEST


def test_every_lesson_is_run_and_told():
    page = (ROOT / "docs" / "teaching.md").read_text()
    assert {lesson.stem for lesson in LESSONS} == set(SAID) == {name for name in SAID if f"`{name}`" in page}


def test_what_a_search_finds_and_what_is_steady_is_shown_in_words():
    """By sentences and formulas, as the commands say it, and not by the fields of records."""
    sleigh = gallery.load("chaplygin-sleigh")
    found = plain_of(discover(BALL))
    assert "First integrals" in found
    assert "energy proved" in found
    assert "search," not in found
    family = plain_of(steady(derive(sleigh, "reduced")))
    assert "xi_2 = 0" in family
    assert "Exponentially stable across the family" in family


@pytest.mark.thorough
def test_steady_motions_along_a_label_are_drawn():
    along = html_of(
        steady(
            derive(gallery.load("falling-rolling-disc"), "nonholonomic"),
            at={"theta": 0},
            over=("phi'", [1, 3]),
            exact=False,
        )
    )
    assert "<svg" in along
    assert "1.808314132" in Reader(along).text
