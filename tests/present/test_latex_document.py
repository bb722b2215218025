"""Documents of LaTeX: a strict reader has nothing to say of them, and would have of broken ones."""

import shutil
import subprocess

import pytest
from latex_reader import faults

from dalembert import gallery
from dalembert.cli.study import _papers
from dalembert.errors import DalembertError
from dalembert.expr.graph import symbol
from dalembert.expr.truth import Verdict
from dalembert.mechanics.derivation import derive
from dalembert.mechanics.registry import claims
from dalembert.model.claim import Claim
from dalembert.present.bibliography import bibtex
from dalembert.present.latex_document import latex_document
from dalembert.present.page import Claims, Code, Components, Equations, Formula, Group, Section, Words
from dalembert.present.results import result_page, section_of

SLEIGH = ("chaplygin-sleigh", "chaplygin")
x, theta1 = symbol("x"), symbol("theta1")


@pytest.fixture(scope="module")
def sleigh():
    result = derive(gallery.load(SLEIGH[0]), SLEIGH[1])
    decided = (*result.hypotheses, *claims(result, only="measure"))
    return latex_document(result_page(result, decided, (), result.objects()), bibtex(result.system, [SLEIGH[1]]))


def test_it_has_equations_connection_curvature_measure_and_propositions(sleigh):
    assert faults(sleigh) == []
    for title in ("reconstruction", "connection", "curvature", "gyroscopic form", "measure form"):
        assert f"\n{title}\n" in sleigh
    assert sleigh.count(r"\begin{proposition}") > 1
    assert r"\textbf{no} (counterexample, question)" in sleigh
    assert "refuted" not in sleigh
    assert "@article" in sleigh


BREAKS = [
    (r"\end{fitting}", ""),
    (r"\frac{", r"\frac{{"),
    (r"\sin", r"\sinus"),
    ("$", ""),
    (r"\maketitle", r"\maketitle 50% more"),
    (r"\maketitle", r"\maketitle a_b"),
    (r"\maketitle", r"\maketitle a & b"),
    (r"\theta}^2", r"\theta}^2^2"),
    (r"\Omega_{y, \theta}^{e_1}", r"\Omega_{y, \theta}_{e_1}"),
    (r"\left(", "("),
]


@pytest.mark.parametrize(("old", "new"), BREAKS, ids=range(len(BREAKS)))
def test_what_is_broken_is_found(sleigh, old, new):
    broken = sleigh.replace(old, new, 1)
    assert broken != sleigh
    assert faults(broken)


def test_words_of_a_user_cannot_end_anything():
    claim = Claim("50% & {", r"\end{document} of x_1^2 $ #", "question", Verdict("undecided", r"\input{~} a_b"))
    page = Section(
        r"\name_{", (Words("a^b_c & $x"), Formula(x**2 * theta1), Claims((claim,)), Code("\\end{verbatim}\n$")), level=1
    )
    assert faults(latex_document(page)) == []


@pytest.mark.parametrize(("name", "formalism"), [("heisenberg", "semisymplectic"), ("se2-routh", "routh")])
@pytest.mark.thorough("heisenberg-semisymplectic", "se2-routh-routh")
def test_all_objects_of_a_formalism(name, formalism):
    result = derive(gallery.load(name), formalism)
    assert faults(latex_document(section_of(result, effort=0.2))) == []


def test_nothing_is_written_over(tmp_path):
    folder = tmp_path / "paper"
    assert [path.name for path in _papers(folder, "a: b")] == ["a-b.tex", "references.bib"]
    (folder / "references.bib").write_text("mine")
    with pytest.raises(DalembertError, match="is there already and is not written over"):
        _papers(folder, "a: b")
    with pytest.raises(DalembertError):
        _papers(folder / "references.bib", "a")
    assert (folder / "references.bib").read_text() == "mine"


def compiled(document, folder):
    """Return what a compiler complains of: errors, and lines that are wider than the sheet."""
    (folder / "paper.tex").write_text(document, encoding="utf-8")
    words = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-draftmode", "paper.tex"]
    said = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace", check=False).stdout
    return [line for line in said.splitlines() if line.startswith(("!", "Overfull"))]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="NO DOCUMENT WAS COMPILED: there is no pdflatex here")
def test_a_compiler_takes_it_and_nothing_is_wider_than_the_sheet(sleigh, tmp_path):
    assert compiled(sleigh, tmp_path) == []
    left, right = (sum((symbol(f"{letter}{k}") for k in range(n)), symbol("x")) for letter, n in (("a", 8), ("b", 19)))
    wide = latex_document(Section("wide", (Equations((Group("", ((left, right),)),)),), level=1))
    assert compiled(wide, tmp_path) == []
    assert any(line.startswith("Overfull") for line in compiled(wide.replace("{fitting}\n", "{align*}\n"), tmp_path))
    assert compiled(wide.replace("{fitting}\n", "{fittest}\n"), tmp_path)[0].startswith("!")


def _sum(letter, many):
    return sum((symbol(f"{letter}{k}") ** 2 * symbol(f"{letter}slide") for k in range(many)), symbol(letter))


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="NO DOCUMENT WAS COMPILED: there is no pdflatex here")
def test_wide_fractions_left_sides_labels_and_typed_formulas_fit(tmp_path):
    fraction = _sum("a", 12) / _sum("b", 13)  # the denominator has a name: the numerator needs one too
    shared = _sum("d", 12) ** 2
    typed = "foot' = " + "*".join(f"cos(foot{k})" for k in range(30))  # one term, as it is typed
    components = Components(
        (
            ("reconstruction theta", Formula(shared)),
            ("energy", Formula(sum((symbol(f"n{k}") * shared for k in range(9)), fraction))),
        )
    )
    left = [_sum("e", 6), _sum("f", 3)]
    balances = Equations((Group("", tuple((one, _sum("h", 7)) for one in left)),))
    claim = Claim("a claim", "something holds", "question", Verdict("undecided", f"not zero at {typed}"))
    document = latex_document(Section("wide", (components, balances, Claims((claim,))), level=1))
    assert compiled(document, tmp_path) == []
    assert document.count("reconstruction") == 1  # the label of a component is no name for it in others
    assert any("Overfull" in line for line in compiled(document.replace(r"\allowbreak{}", ""), tmp_path))
