"""One page, several writers: every formula and every claim of the model is in what each of them writes."""

import pickle
import re
from dataclasses import replace
from html import unescape

import pytest

from dalembert import System, gallery
from dalembert.expr.display import latex, latex_equations, mathml, mathml_equations
from dalembert.expr.graph import ONE, ZERO, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.text import parse, text
from dalembert.expr.truth import Verdict, is_zero, vanish
from dalembert.expr.truth.spheres import RotationMatrix
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import substitute, symbols
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.nonholonomic.symmetry_search import first_integrals_of
from dalembert.mechanics.registry import claims
from dalembert.model import equations as model
from dalembert.model.claim import Claim
from dalembert.present import study_page
from dalembert.present.html_writer import html
from dalembert.present.integrals import momenta_told_of
from dalembert.present.json_export import _expressions, answer
from dalembert.present.latex_writer import in_latex
from dalembert.present.main_objects import symmetries_told
from dalembert.present.motion_equations import MASSES, _balances, cut_to_size, equations_blocks
from dalembert.present.page import (
    LISTED,
    OBJECT,
    WIDE,
    Claims,
    Code,
    Components,
    Equations,
    Group,
    Listing,
    Section,
    Words,
    blocks_in,
    claims_in,
    component_by_parts,
    formulas_in,
    size_written,
)  # fmt: skip
from dalembert.present.report import Part, summary_page
from dalembert.present.results import IN_A_MODEL, section_of, statement_blocks
from dalembert.present.shortening import Shortening
from dalembert.present.text_writer import brief, in_text, inline
from dalembert.present.typeset import typeset_html, typeset_latex
from dalembert.studies.parts import part_of

PLAIN = System.of(name="free", coordinates="x", lagrangian="x'^2")
SHOWN = [("heisenberg", "nonholonomic"), ("spherical-pendulum", "routh"), ("skateboard", "vakonomic")]


def squeezed(words):
    return "".join(words.split())


def visible(page):
    """Return what is seen of HTML, without spaces and without the marks that MathML has for those who hear it."""
    return re.sub("[\u2061-\u2064]", "", squeezed(unescape(re.sub("<[^>]*>", "", page))))


def texts(expression):
    """Return a formula as it is written in a line, and on a line of its own."""
    alone = in_text(Equations((Group("", ((None, expression),)),)))
    assert alone.strip()
    return {squeezed(text(expression)), squeezed(alone)}


WRITERS = {
    "html": (lambda page: visible(html(page)), lambda e: {visible(mathml(e))}, lambda w: visible(typeset_html(w))),
    "text": (lambda page: squeezed(in_text(page)), texts, squeezed),
    "narrow": (lambda page: squeezed(in_text(page, 60)), texts, squeezed),
    "latex": (
        lambda page: squeezed(in_latex(page)),
        lambda e: {squeezed(latex(e))},
        lambda w: squeezed(typeset_latex(w)),
    ),
}
"""What each writes of a page, and how a formula, in one way or another, and words look in it."""


def named(label, writer):
    """Return how a name with its indices looks as the left side of an equation."""
    pairs = [(label, ONE)]
    if writer == "html":
        return visible(mathml_equations(pairs)).removesuffix("=1")
    return squeezed(latex_equations(pairs)).removeprefix(r"\begin{aligned}").partition("&=")[0]


def missing(page, writer, write=None):
    """Return what of a page is not in what a writer makes of it: formulas, claims, titles of equations."""
    default, formula, words = WRITERS[writer]
    written = (write or default)(page)
    sides = [side for pair in formulas_in(page) for side in pair if side is not None]
    looks = [{words(side), named(side, writer)} if isinstance(side, str) else formula(side) for side in sides]
    lost = [side for side, ways in zip(sides, looks, strict=True) if not any(way in written for way in ways)]
    for claim in claims_in(page):
        said = (claim.answer, claim.verdict.basis, claim.sentence, claim.role, claim.verdict.evidence)
        lost += [claim] if not all(words(part) in written for part in said) else []
    titles = [group.title for block in blocks_in(page) if isinstance(block, Equations) for group in block.groups]
    return lost + [title for title in titles if words(title)[1:] not in written]  # a title begins with a large letter


@pytest.fixture(scope="module", params=SHOWN, ids=lambda one: one[0])
def shown(request):
    """Return a result, its claims, and its page with all that a report has, what was stated included."""
    result = derive(gallery.load(request.param[0]), request.param[1])
    decided = (*result.hypotheses, *claims(result, only="energy"))
    page = section_of(result, decided, first_integrals_of(result), effort=0.2)
    return result, decided, replace(page, blocks=(*statement_blocks(result.system), *page.blocks))


def without(page, kind):
    """Return a page whose first block of a kind has lost its last formula or claim, and what was lost."""
    for k, block in enumerate(page.blocks):
        if isinstance(block, kind) and kind is Claims:
            block, lost = replace(block, claims=block.claims[:-1]), block.claims[-1]
        elif isinstance(block, kind):
            first, *groups = block.groups
            block, lost = Equations((replace(first, pairs=first.pairs[:-1]), *groups)), first.pairs[-1]
        else:
            continue
        return replace(page, blocks=(*page.blocks[:k], block, *page.blocks[k + 1 :])), lost
    raise AssertionError(f"there are no {kind}")


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.thorough("heisenberg-html", "spherical-pendulum-html")
def test_a_writer_leaves_out_no_formula_and_no_claim(shown, writer):
    page = shown[2]
    assert len(formulas_in(page)) > 5
    assert claims_in(page)
    assert missing(page, writer) == []


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.thorough("latex", "narrow")
def test_a_writer_that_drops_something_is_caught(writer):
    """The wrong twins: writers that lose the last equation, or the last claim, of what they are given."""
    result = derive(gallery.load("skateboard"), "nonholonomic")
    decided = (*claims(result, only="energy"), Claim("c", "a 50% claim", "question", Verdict("undecided", "so & so.")))
    page = section_of(result, decided, effort=0.5)
    write = WRITERS[writer][0]
    assert missing(page, writer) == []
    assert missing(page, writer, lambda page: write(without(page, Claims)[0])) == [decided[-1]]
    lost = missing(page, writer, lambda page: write(without(page, Equations)[0]))
    assert lost
    assert set(lost) <= set(without(page, Equations)[1])


def test_a_brief_text_has_the_equations_and_counts_the_claims(shown):
    page = shown[2]
    kept = tuple(block for block in page.blocks if isinstance(block, Equations | Claims))
    lines = brief(Section("all", kept)).splitlines()
    *_, equations = [block for block in page.blocks if isinstance(block, Equations)]
    written = [f"  {left} = {right}" for group in equations.groups for left, right in group.pairs]
    assert [line for line in written if len(line) <= WIDE and line not in lines] == []
    assert any(line.startswith("  claims: ") for line in lines)


def field_of(told, result):
    """Return the rates in the JSON of derive, read back."""
    equations = result.equations
    tables = (equations.rates(), equations.reconstruction, equations.implicit, equations.monitors, result.objects())
    words = Vocabulary.covering([*_expressions(tables), *equations.state, *result.system.q])
    for name, body in told["let"]:
        words = words.with_let(name, parse(body, words))
    rates = told["field"] | told["lift"]
    return {words.symbol(name).dot: parse(rate, words) for name, rate in rates.items()}


def test_the_json_has_the_same_motion_and_the_same_claims(shown):
    """The equations shown hold for the field in the JSON, whose formulas are not made short."""
    result, decided, page = shown
    told = answer(result, decided=decided)
    assert told["claims"] == [claim.to_json() for claim in claims_in(page)]
    rates = field_of(told, result)
    *_, equations = [block for block in page.blocks if isinstance(block, Equations)]
    motion = [left - right for group in equations.groups[:1] for left, right in group.pairs]
    assert motion
    assert vanish(substitute(motion, rates))
    assert not vanish(substitute(motion, {rate: value + 1 for rate, value in rates.items()}))


def test_sentences_in_a_cell_stand_side_by_side_and_names_are_listed():
    several = (Words("It is so."), Words("It is not."))
    assert inline(Listing(several, form="plain")) == "It is so. It is not."
    assert inline(Listing((Words("x"), Words("y")), form="inline")) == "x, y"


def test_the_forces_of_a_statement_are_shown():
    cart = System.of(
        name="cart", coordinates="x y", lagrangian="x'^2 + y'^2", speeds={"v": "x'"}, forces={"v": "-3*v", "y": "7*x"}
    )
    shown, still = (squeezed(in_text(Section("", tuple(statement_blocks(one))))) for one in (cart, cart.but(forces={})))
    assert "v-3*x'" in shown
    assert "y7*x" in shown
    assert "force" not in still


def test_components_share_the_names_of_their_parts():
    """What is long only as a tree is written with named parts, once for all components; in a line it says its size."""
    system = System.of(name="arm", coordinates="x y", lagrangian="x'^2 + y'^2")
    x, y = system.q
    nested = x + y
    for _ in range(8):
        nested = nested**2 + x * nested + y / (nested + 1)
    block = Components((("1 2", component_by_parts(nested * x)), ("2 1", component_by_parts(-nested * y))), 2)
    page = html(block)
    assert "too long" not in page
    assert page.count("parts have names") == 1
    assert len(page) < 12_000
    assert "too long to be shown" in in_text(block)
    assert "too long to be shown" not in in_latex(block)
    assert in_latex(block).count("where") == 1


def test_an_object_that_is_there_already_is_told():
    result = derive(System.of(name="arm", coordinates="x y", lagrangian="x'^2 + y'^2"), "euler-lagrange")
    x, y = result.system.q
    objects = {"torsion": {"x": x * y + y, "y": y}, "other": {"x": y * (x + 1), "y": y}, "third": {"x": y, "y": y}}
    (section,) = [one for one in section_of(result, objects=objects).blocks if isinstance(one, Section)]
    told = [one.blocks[0] for one in section.blocks]
    assert [isinstance(one, Components) for one in told] == [True, False, True]
    assert told[1] == Words("the same components as those of the torsion")


def test_what_is_shown_of_rotations_is_short_by_their_relations():
    """A plate on a ball joint, pulled: decided on the rotations; without the relations it would not be the same."""
    matrix = RotationMatrix(tuple(symbol(Symbol(f"R.m{i}{j}")) for i in "123" for j in "123"))
    a, b, c, d, e, f, *_ = matrix.coordinates
    k = symbol("k")
    long = k * (a * (a**2 + b**2 + c**2) - d * (a * d + b * e + c * f)) / (3 - a**2 - b**2 - c**2)
    short = Shortening(modulo=matrix.relations)(long)
    assert text(short) == "k*R.m11/2"
    assert is_zero(long - short, [matrix]).holds is True
    assert is_zero(long - short).holds is False
    assert is_zero(long - 2 * short, [matrix]).holds is False


def test_found_symmetries_are_told_once():
    said = (Words(f"Found.{IN_A_MODEL}", "proved"), Code("[symmetry]"))
    pages = [Section(name, (Words("state:"), *said), anchor=name) for name in ("reduced", "vakonomic")]
    told = study_page._pages([Part(page.title, page=page) for page in pages])
    assert [len(page.blocks) for page in told] == [3, 1]


@pytest.mark.parametrize("terms", [3, 300])
def test_masses_that_would_push_the_motion_off_the_first_screen_are_below(terms):
    x = symbol("x")
    mass = total((1, symbol(f"m_{k}") * x**2) for k in range(terms))
    groups = (Group("motion", ((symbol("M_11") * x.dot, x),)), Group(MASSES, ((symbol("M_11"), mass),)))
    part = Part("euler-lagrange", page=Section("", (Equations(groups),), anchor="here"))
    (section,) = study_page._in_front(PLAIN, [part], "euler-lagrange")
    shown, said = section.blocks
    assert (MASSES in [group.title for group in shown.groups]) is (terms == 3)
    assert ("All 2 equations, with the formulas for the masses" in said.text) is (terms == 300)
    assert said.link == "here"


def test_of_equations_that_nobody_reads_the_first_screen_has_the_outline():
    x = symbol("x")
    force = total((1, symbol(f"f_{k}") * x**k) for k in range(2, 400))
    for left in (symbol("M_11") * x.dot.dot, x.dot.dot):
        part = Part("routh", page=Section("", (Equations((Group("motion", ((left, force),)),)),)))
        (section,) = study_page._in_front(PLAIN, [part], "routh")
        shown, said = section.blocks
        assert (shown.groups[0].pairs == ((left, symbol("f_1")),)) is (left is not x.dot.dot)
        assert ("formulas for the masses and forces" in said.text) is (left is not x.dot.dot)
    mu = symbol("mu_1", role="parameter")
    part = Part("routh", page=Section("", (Equations((Group("motion", ((x.dot, mu * x),)),)),)))
    (section,) = study_page._in_front(PLAIN, [part], "routh")
    assert "held fixed, at the values mu" in section.blocks[1].text


def test_forces_that_stand_below_have_no_name_of_a_control():
    """f1 is written as f_1: two of them on one page would be one letter for two things."""
    pushed = System.of(
        name="pushed", coordinates="x", parameters={"F": 1}, lagrangian="x'^2/2", forces={"x": "f1"}, controls={"f1": 1}
    )
    x = pushed.q[0]
    group = study_page._outlined(pushed, [Group("", ((2 * x.dot, x),))])
    assert [repr(right) for _, right in group.pairs] == ["Q_1"]


def test_a_mass_that_stands_in_two_rows_has_one_name():
    x, y = symbol("x"), symbol("y")
    long = total((1, symbol(f"a{k}") * x) for k in range(40))
    stated = model.Equations("two", "lagrange", {}, (x, y), ((ZERO,) * 2,) * 2, (ZERO,) * 2)
    told, behind = _balances(stated, [[ONE, long], [long, ONE]], [x, y])
    m = symbol("M_12", role="parameter")
    assert told == [(x.dot + m * y.dot, x), (m * x.dot + y.dot, y)]
    assert behind == [(m, long)]


CART = System.of(
    name="cart with a swinging basket",
    coordinates={"x": "real", "y": "real", "th": "angle", "ph": "angle"},
    parameters={"M": 12, "J": 2, "m": 5, "b": 0.4, "l": 0.3, "k": 3},
    let={"u": "x' - b*sin(th)*th' - l*sin(ph)*ph'", "v": "y' + b*cos(th)*th' + l*cos(ph)*ph'"},
    lagrangian="M*(x'^2 + y'^2)/2 + J*th'^2/2 + m*(u^2 + v^2)/2 + k*cos(th - ph)",
    constraints={"wheels": "x'*sin(th) = y'*cos(th)"},
    start={"x'": 1, "th'": 0.5, "ph": 0.6},
)


def test_balances_are_shown_where_solved_accelerations_are_much_longer():
    shown = in_text(equations_blocks(derive(CART, "nonholonomic").equations, Shortening(4.0))[1])
    assert "w'*(M + m)" in shown
    assert "cos(ph)" not in shown
    fall = System.of(name="fall", coordinates="z", parameters="m g", lagrangian="m*z'^2/2 - m*g*z")
    assert "z'' = -g" in in_text(equations_blocks(derive(fall, "euler-lagrange").equations, Shortening())[1])


def test_a_long_condition_in_a_sentence_is_typeset_term_by_term():
    long = " + ".join(f"m{k}*sin(q{k} - q{k + 1})" for k in range(1, 7))
    shown = typeset_html(f"it fails where {long} = 0")
    assert shown.count("<math>") == 7
    assert "sin(" not in shown
    assert typeset_html(f"it fails where sin({long}) = 0").count("<math>") == 0  # nothing to break it at


def test_parts_of_what_cancels_have_no_name():
    _, shown = equations_blocks(derive(CART, "nonholonomic").equations, lambda e: e)
    source = latex_equations([pair for group in shown.groups for pair in group.pairs])
    names = set(re.findall(r"^(c_\d+) &=", source, re.MULTILINE))
    assert names
    assert all(len(re.findall(rf"{name}(?!\d)", source)) > 1 for name in names)


def test_a_motion_without_a_time_is_followed_for_ten_and_says_so():
    spring = System.of(name="spring", coordinates="x", lagrangian="(x'^2 - x^2)/2", start={"x": 1})
    shown = html(part_of(spring, "euler-lagrange").page)
    assert "The model has no time in [run]; 10 is used." in shown
    assert "Its motion to t = 10" in shown


def test_what_is_too_long_says_so_and_what_is_zero_is_not_too_long():
    result = derive(System.of(name="x", coordinates="x y", lagrangian="x'^2 + y'^2"), "euler-lagrange")
    x, y = result.system.q
    long = total((1, (x + k) * (y + k * k) ** 2) for k in range(8_000))
    objects = {"torsion": {"x": long, "y": long - long}, "other": {"x": (long + 1) * y - long * y - y}}
    (section,) = [one for one in section_of(result, objects=objects).blocks if isinstance(one, Section)]
    first, second = (one.blocks[0].text for one in section.blocks)
    assert size_written([long]) > LISTED
    command = "dalembert derive MODEL --as euler-lagrange --json"
    assert first == f"1 of its 2 components does not vanish, and is too long to be shown; {command} writes it down."
    assert second == "it vanishes"


def test_what_stays_long_is_told_and_what_becomes_short_is_shown():
    result = derive(System.of(name="x", coordinates="x y", lagrangian="x'^2 + y'^2"), "euler-lagrange")
    x, y = result.system.q
    long = total((1, symbol(f"a{k}") * symbol(f"b{k}")) for k in range(900))
    objects = {"torsion": {"x": long}, "other": {"x": total((1, x * y**k) for k in range(20))}}
    (section,) = [one for one in section_of(result, objects=objects).blocks if isinstance(one, Section)]
    told, shown = (one.blocks[0] for one in section.blocks)
    assert size_written([long]) < OBJECT
    assert told.instead.startswith("it is too long to be shown")
    assert isinstance(shown, Components)
    label, _, written = told.text.rpartition(" = ")
    assert label == "x"
    assert parse(written, Vocabulary.of(" ".join(s.name for s in symbols([long])))) is long
    assert "a899*b899</pre>" in html(told)
    for write in (in_text, in_latex):  # a fold on a page only
        assert "a899" not in write(told)
        assert "derive MODEL" in write(told)


def test_shifts_off_a_constraint_on_positions_are_no_symmetries_of_the_motion():
    for name, told in (("slider-crank", False), ("chaplygin-sleigh", True)):
        result = derive(gallery.load(name), "nonholonomic")
        objects = result.objects()
        assert objects["symmetries"]  # of the equations, for all values of what is held
        assert (symmetries_told(objects, result.system) is not None) is told


def test_momenta_of_a_body_are_told_by_entries_of_its_rotation():
    """Nobody reads I*(R.w3*(R.q0^2 - R.q1^2 - R.q2^2 + R.q3^2) + ...)."""
    top = System.of(
        name="top",
        coordinates={"R": "rotation"},
        lagrangian="(R.w1^2 + R.w2^2 + 2*R.w3^2)/2 - R.m33",
        symmetry={"up": {"R": "left 3"}},
    )
    told = momenta_told_of(derive(top, "reduced").equations, "the momentum p_1 is conserved")
    assert "R.m33" in told
    assert "R.q" not in told


def test_momenta_in_straightened_coordinates_say_what_these_are():
    """Nobody who reads a summary has met x_base and xi_1."""
    pendulum = System.of(
        name="pendulum of Foucault",
        coordinates="x y",
        parameters={"Om": 0.1},
        lagrangian="(x'^2 + y'^2)/2 + Om*(x*y' - y*x') - (x^2 + y^2)/2",
        symmetry={"turn": {"x": "-y", "y": "x"}},
    )
    told = momenta_told_of(derive(pendulum, "reduced").equations, "the momentum p_1 is conserved")
    assert told == ("p_1 = x_base^2*(Om + xi_1), x = x_base*cos(s_turn), y = x_base*sin(s_turn), s_turn' = xi_1")


def test_equations_that_are_too_long_are_counted_in_every_writing_and_a_part_travels_whole():
    """The sizes are counted before anything is written; what is left out is said, on the page and above it."""
    x, y = (symbol(name) for name in "xy")
    long = x + y
    for _ in range(40):
        long = long**2 + x * long
    pairs = ((x.dot, y), (y.dot, long), ("w", long * x))
    whole, silent = cut_to_size([Group("", pairs)], 400)
    assert (whole, silent) == (Equations((Group("", pairs),)), None)
    cut, told = cut_to_size([Group("", pairs)], 100)
    assert (cut.groups, cut.more) == ((Group("", pairs[:1]),), 2)
    for write in (in_text, in_latex, html, lambda block: brief(Section("", (block,)))):
        assert "and 2 more" in write(cut)
        assert "more" not in write(replace(cut, more=0))
    hidden = Section("curvature", (Words("too long.", unshown=9_000),), folded=True, look="object")
    fall = System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z")
    part = Part("euler-lagrange", page=Section("", (cut, told, hidden)), discovery={"field": [long, x]})
    assert "too long to be shown: curvature; derive --as" in in_text(summary_page(fall, [part]))  # all stand as text
    part = replace(part, page=Section("", (cut, Words(told.blocks[0].instead), hidden)))
    summary = in_text(summary_page(fall, [part]))
    assert "too long to be shown: 2 equations of motion, curvature; derive --as euler-lagrange" in summary
    assert "too long" not in in_text(summary_page(fall, [replace(part, page=None)]))
    again = pickle.loads(pickle.dumps(part))  # noqa: S301 - our own
    assert again.page == part.page
    assert again.discovery["field"][0] is long
