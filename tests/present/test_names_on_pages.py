"""One quantity looks the same wherever a page names it: in formulas, in sentences, beside the fields of a start."""

import re
from dataclasses import replace

import pytest

from dalembert import System, derive, simulate
from dalembert.expr import symbol
from dalembert.expr.display.layout import Layout
from dalembert.expr.display.names import identifier, label_part
from dalembert.expr.display.writers import LatexWriter, MathmlWriter
from dalembert.mechanics.registry import MainObject
from dalembert.model import equations as model
from dalembert.model.equations import Saddle
from dalembert.present.html_writer import html
from dalembert.present.latex_document import latex_document
from dalembert.present.latex_writer import in_latex
from dalembert.present.living import _looks, living_block, living_of
from dalembert.present.main_objects import main_groups
from dalembert.present.motion_equations import equations_blocks
from dalembert.present.naming import names_used
from dalembert.present.page import Equations, Group, Section, Table, Words
from dalembert.present.results import result_page, statement_blocks
from dalembert.present.text_writer import in_text
from dalembert.present.typeset import typeset_html, typeset_latex


def look(name: str) -> str:
    """Return a name as formulas have it."""
    return MathmlWriter(Layout([])).write(identifier(name))


def untypeset(html: str) -> str:
    return re.sub(r"<math>.*?</math>", "", html)


@pytest.mark.parametrize("name", ["R.m13", "R_in_S.m13", "R.w3", "S.q0", "R_in_S.s2"])
def test_parts_of_rotations_look_in_sentences_as_in_formulas(name):
    alone = typeset_html(f"here {name} is seen")
    assert look(name) in alone
    assert look(name) != look(name.replace("S", "T").replace("R.", "Q."))  # another rotation looks otherwise
    assert name not in alone


@pytest.mark.parametrize("part", ["m13", "w1", "s2", "q0"])
def test_words_of_a_name_that_stand_beside_a_letter_have_no_underscore(part):
    assert "_" not in look(f"R_in_n_turn.{part}")
    assert "n turn" in look(f"R_in_n_turn.{part}")


def test_a_long_formula_is_cut_within_its_brackets():
    inner = " + ".join(f"R_in_S.m{k}3*(R_in_S.s{k} + S.w{k})" for k in (1, 2, 3))
    told = f"Here p_1 = C*({inner})/60. (reduced)"
    html = typeset_html(told)
    assert untypeset(html).split() == ["Here", ".", "(reduced)"]
    assert html.count("<math>") == 4  # a line can be broken before = and within the brackets
    seen = re.sub(r"<[^>]*>|[\s\N{INVISIBLE TIMES}]", "", html)
    parts = "+".join(f"R{k}3S(ωR/S,{k}+ΩS,{k})" for k in (1, 2, 3))
    assert seen == f"Herep1=C({parts})/60.(reduced)"  # every letter is there, in its order
    assert typeset_latex(told).count("$") == 8


@pytest.mark.parametrize(
    "formula", ["f({})", "({})^2", "cos({})", "C*({}, x)", "C*({}"], ids=["of", "power", "call", "comma", "open"]
)
def test_brackets_that_hold_no_term_are_not_cut(formula):
    long = " + ".join(f"R.m{k}3*(R.s{k} + S.w{k})" for k in (1, 2, 3))
    assert 'form="prefix"' in typeset_html(f"p_1 = C*({long} + R.m11*R.m12)")
    assert 'form="prefix"' not in typeset_html(f"p_1 = {formula.format(f'{long} + R.m11*R.m12')}")


def test_fields_of_a_start_have_the_names_of_formulas_and_keep_their_own():
    system = System.of(
        name="mass", coordinates="x_1", parameters={"mass_1": 2}, lagrangian="mass_1*x_1'^2/2", start={"x_1'": 1}
    )
    result = derive(system, "euler-lagrange")
    made = living_of(result, simulate(result, time=1))
    looks = made.data["looks"]
    assert set(looks) == {"x_1", "x_1'", "mass_1"}
    looks |= _looks(["S.q0", "R.w3", "p_x_1", "p_R_w2"])
    assert all(looks[name] == f"<math>{look(name)}</math>" for name in looks if not name.endswith("'"))
    assert len(set(looks.values())) == len(looks)  # none looks like another
    page = living_block(made)
    assert '"aria-label": label, "data-name": label' in page  # what is typed and saved goes by the name itself
    assert "{ title: label }" in page
    assert "name.innerHTML = data.looks[label]" in page


def test_the_multiplier_of_a_constraint_is_called_as_in_formulas():
    force = symbol("f")
    table = {"no_spin": force, "rolls_in_x": force, "blade": force, "the wheel rolls": force, "wheel (left)": force}
    (group,) = main_groups({"multipliers": table}, [MainObject("multipliers", "lambda", "_")], lambda e: e)
    assert [left for left, _ in group.pairs] == [
        *("lambda_no_spin", "lambda_rolls_in_x", "lambda_blade", "lambda_the_wheel_rolls", "lambda_5")
    ]
    itself = {"no_spin": symbol("lambda_no_spin"), "blade": symbol("lambda_no_spin")}
    (group,) = main_groups({"multipliers": itself}, [MainObject("multipliers", "lambda", "_")], lambda e: e)
    assert [left for left, _ in group.pairs] == ["lambda_blade"]  # the other one says that it is itself


@pytest.mark.parametrize(
    ("name", "latex"),
    [
        ("p_R_w1", r"p_{\Omega_1}"),
        ("p_S_w2", r"p_{\Omega_{S, 2}}"),
        ("lambda_left_rolls_1", r"\lambda_{\mathrm{left\ rolls\ 1}}"),
        ("lambda_rolls_in_x", r"\lambda_{\mathrm{rolls\ in\ x}}"),
        ("R_in_S", "R^S"),
        ("Omega^e1_heading_turn", r"\Omega_{\mathrm{heading}, \mathrm{turn}}^{e_1}"),
        ("gamma^e1_S_w2", r"\gamma_{\Omega_{S, 2}}^{e_1}"),
        ("C^a_i_j", "C_{i, j}^a"),
        ("a_1_2", "a_{1, 2}"),
        ("x2_base", r"x_{2, \mathrm{base}}"),
        ("{J_e1, J_turn}", r"\{J_{e_1}, J_{\mathrm{turn}}\}"),
    ],
)
def test_names_of_several_words_and_of_what_turns(name, latex):
    assert LatexWriter(Layout([])).write(label_part(name)) == latex


def test_a_momentum_or_multiplier_that_is_zero_beside_others_is_shown_so():
    table = {"one": symbol("f"), "other": symbol("f") - symbol("f")}
    for letter in ("lambda", "J"):
        (group,) = main_groups({"x": table}, [MainObject("x", letter, "_")], lambda e: e)
        assert [str(right) for _, right in group.pairs] == ["f", "0"]
    (group,) = main_groups({"x": table}, [MainObject("x", "B", "_")], lambda e: e)
    assert len(group.pairs) == 1  # of other objects that is understood


def test_body_velocities_are_told_by_the_speeds_that_are_the_same():
    plane = System.of(name="plane", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - y^2", symmetry={"along": {"x": 1}})
    result = derive(plane, "reduced")
    shown = result_page(result, objects=result.objects())
    groups = {g.title: dict(g.pairs) for b in shown.blocks if isinstance(b, Equations) for g in b.groups}
    assert [str(e) for e in groups["with the speeds"].values()] == ["x'"]
    assert {str(k): str(e) for k, e in groups["body velocities"].items()} == {"xi_along": "xi_1"}


def test_what_is_stated_on_positions_is_shown_as_it_is_stated():
    bead = System.of(
        name="bead",
        coordinates="x y",
        lagrangian="(x'^2 + y'^2)/2",
        holonomic={"ring": "x^2 + y^2 = 1"},
    )
    (table,) = (b for b in statement_blocks(bead) if isinstance(b, Table) and b.head)
    assert "'" not in repr(table.rows[0][1])


WIDE = 1 / sum((symbol(f"x{k}") ** 2 for k in range(30)), symbol("y"))


def test_parts_of_formulas_have_no_names_of_the_system_or_the_theory():
    shown = (Equations((Group("", (("L", WIDE),)),)), Words("It is", formulas=(WIDE,)))
    for write in (html, in_latex, in_text):
        assert "c_1" in write(Section("plain", shown)).replace("<mi>c</mi><mn>1</mn>", "c_1").replace("c1", "c_1")
    system = System.of(
        name="disc", coordinates="a", parameters={"k2": 1}, lagrangian="k2*a'^2/2", symmetry={"c1": {"a": 1}}
    )
    assert {"a", "k2", "c1"} <= names_used(system)
    apart = Section("apart", shown, names=names_used(system))
    for write, letter in ((html, "<mi>b</mi><mn>1</mn>"), (in_latex, "b_1"), (in_text, "b1"), (latex_document, "b_1")):
        assert letter in write(apart)
        assert not re.search(r"<mi>[cka]</mi><mn>1</mn>|\b[cka]_?1\b", write(apart))
    assert "k_1" in in_latex(Section("beside e_1", shown, names=frozenset({"e1"})))  # c_1 is read as that
    result = derive(system, "euler-lagrange")
    assert "c1" in result_page(result).names


def test_multipliers_of_kept_constraints_are_called_by_these():
    w, x = symbol("w"), symbol("x")
    one, zero = w / w, w - w
    held = Saddle(("left rolls", "rear_touches"), ((one,), (x,)), ((one,), (x,)), (zero, zero), 1)
    equations = replace(_equations_of(w), saddle=held)
    _, shown = equations_blocks(equations, lambda e: e)
    written = in_latex(Section("", (shown,)))
    assert r"\lambda_{\mathrm{left\ rolls}}" in written
    assert r"\lambda_{\mathrm{rear\ touches}}" in written
    assert "lambda_1" not in written


def _equations_of(w):
    return model.Equations("one", "by hand", {}, (w,), ((w / w,),), (w - w,))
