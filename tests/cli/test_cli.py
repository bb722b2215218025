"""The command line: what it prints, what it writes, and how it ends."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from commanding import command as run

from dalembert import gallery
from dalembert.mechanics.registry import formalism_names
from dalembert.model.files import loads

MADE_UP = """
name = "made up"
lagrangian = "m*(x'^2 + y'^2 + (1 + x^2)*z'^2)/2 + J*a'^2/2 + k*x'*a'*sin(a) - V(x, z) - m*g*y + t*x*z'"
[coordinates]
x = "real"
y = "real"
z = "real"
a = "angle"
[parameters]
m = 1.3
J = 0.7
k = 0.2
g = 2.0
[functions]
V = { of = ["x", "z"], value = "x^2*z + z^3/3 + x" }
[constraints]
first = "z' = sin(a)*x' + y*a' + t"
second = "x' + y'*cos(a)/2 = x*a' + 0.3*y"
[forces]
x = "-0.1*x'"
a = "cos(t)*y'"
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "made_up.toml"
    path.write_text(MADE_UP)
    return str(path)


def test_the_gallery_has_a_line_about_each_system() -> None:
    shown = run("gallery")
    assert shown.status == 0
    lines = shown.out.splitlines()
    for name in gallery.names():
        (line,) = [one for one in lines if one.split()[:1] in ([name], [f"{name}:N"])]
        assert gallery.about(name) in line
    assert "NAME:N has N links, 1 to 100" in shown.out
    told = json.loads(run("gallery", "--json").out)
    assert [one["name"] for one in told] == list(gallery.names())
    assert {one["name"] for one in told if one["links"]} == {
        "arm", "car-with-trailers", "pendulum", "snake", "tree", "wheeled-snake",
    }  # fmt: skip


def test_a_system_of_the_gallery_is_printed_as_its_model_file() -> None:
    shown = run("gallery", "wheeled-snake:2")
    assert shown.status == 0
    assert 'notes = """A snake on wheels: n links in a chain on a plane' in shown.out
    assert loads(shown.out) == gallery.load("wheeled-snake:2")
    told = json.loads(run("gallery", "wheeled-snake:2", "--json").out)
    assert set(told) == {"name", "about", "links", "source", "model", "known"}
    assert loads(told["model"]) == gallery.load("wheeled-snake:2")
    assert told["known"]["algebra"] == "se(2)"


def test_a_model_file_of_the_gallery_is_printed_byte_for_byte_and_is_a_start(tmp_path: Path) -> None:
    file = Path(gallery.__file__).with_name("falling-rolling-disc.toml")
    shown = run("gallery", "falling-rolling-disc")
    assert shown.out.encode() == file.read_bytes()
    assert "# the velocity of the centre" in shown.out
    assert json.loads(run("gallery", "falling-rolling-disc", "--json").out)["model"] == shown.out
    mine = tmp_path / "mine.toml"
    mine.write_bytes(shown.out.encode())
    told = [run("expand", name).out for name in (str(mine), "falling-rolling-disc")]
    assert told[0] == told[1]
    mine.write_text(shown.out.replace("m*g*R*cos(theta)", "2*m*g*R*cos(theta)"))
    assert run("expand", str(mine)).out != told[0]


def test_derive_in_json_has_what_the_documents_promise(model: str) -> None:
    shown = run("derive", model, "--as", "nonholonomic", "--json")
    assert shown.status == 0, shown.err
    answer = json.loads(shown.out)
    wanted = {"system", "formalism", "parameters", "state", "let", "field", "lift", "configuration", "implicit"}
    wanted |= {"monitors", "objects", "claims", "discovery"}
    assert set(answer) == wanted
    assert answer["state"][:4] == ["x", "y", "z", "a"]
    assert set(answer["field"]) == set(answer["state"])
    assert set(answer["configuration"]) == {"x", "y", "z", "a"}
    assert {c["verdict"] for c in answer["claims"] if c["role"] == "check"} <= {"proved", "certain"}
    assert {"constrained_lagrangian", "connection", "drift", "constraint_curvature", "multipliers"} <= set(
        answer["objects"]
    )


def test_text_and_latex_are_readable() -> None:
    text = run("derive", "vertical-rolling-disc", "--as", "nonholonomic")
    assert text.status == 0, text.err
    assert "  x'    = R*phi'*cos(psi)\n" in text.out
    latex = run("derive", "vertical-rolling-disc", "--as", "nonholonomic", "--latex")
    assert r"\dot{x} &= R \dot{\phi} \cos\psi" in latex.out


def test_study_writes_one_report_that_needs_nothing_else(tmp_path: Path) -> None:
    page, answers = tmp_path / "page.html", tmp_path / "answers.json"
    shown = run("study", "vertical-rolling-disc", "-o", str(page), "--json", str(answers))
    assert shown.status == 0, shown.err
    assert not shown.err, "progress is for a terminal"
    assert "The energy is conserved." in shown.out
    body = page.read_text()
    assert len(body) < 1_500_000
    assert "too long to be shown" not in body
    assert body.count("<math") >= 2
    known = ("http://www.w3.org/1998/Math/MathML", "http://www.w3.org/2000/svg")
    for outside in ("http://", "https://", "<script src", "<link", "@import"):
        assert outside not in body.replace(known[0], "").replace(known[1], "")
    for formula in body.split("<math")[1:]:
        ET.fromstring("<math" + formula.split("</math>")[0] + "</math>")
    assert "Not applicable: " in body
    assert 'class="living"' in body
    assert "Nonholonomic against vakonomic" in body
    assert "@article{" in body
    told = json.loads(answers.read_text())
    assert set(told["sections"]) == {"nonholonomic", "reduced", "chaplygin", "vakonomic", "semisymplectic"}
    assert set(told["not_applicable"]) == {"euler-lagrange", "routh"}
    assert {claim["verdict"] for claim in told["agreement"]} <= {"proved", "certain", "measured"}


def test_a_claim_is_decided_again() -> None:
    shown = run("check", "vertical-rolling-disc", "energy conserved", "--as", "nonholonomic")
    assert shown.status == 0, shown.err
    assert shown.out.startswith("  yes  The energy is conserved (nonholonomic).  proved")
    wrong = run("check", "vertical-rolling-disc", "no such claim", "--as", "nonholonomic")
    assert wrong.status == 2
    assert "there are: regular" in wrong.err


def test_whom_to_cite() -> None:
    shown = run("cite", "two-wheeled-robot", "--as", "chaplygin")
    assert shown.status == 0, shown.err
    assert shown.out.count("@article{") == 1
    assert "Chaplygin" in shown.out
    assert "@misc{two-wheeled-robot" in shown.out
    told = json.loads(run("cite", "two-wheeled-robot", "--as", "chaplygin", "--json").out)
    assert [paper["year"] for paper in told["papers"]] == [2002]
    assert told["bibtex"] == shown.out.strip()


@pytest.mark.parametrize(
    ("words", "status", "sentence"),
    [
        (("derive", "vertical-rolling-disc", "--as", "euler-lagrange"), 1, "do not take constraints"),
        (("derive", "no-such-system", "--as", "nonholonomic"), 2, "no-such-system"),
        (("derive", "no-such-file.toml", "--as", "nonholonomic"), 2, "no-such-file.toml"),
        (("derive", "kepler", "--as", "nonholonomic"), 1, "use euler-lagrange"),
        (("derive", "kepler", "--as", "astrology"), 2, "there is no formalism 'astrology'"),
        (("derive", "kepler", "--as", "euler-lagrange", "--json", "--latex"), 2, "choose one of"),
    ],
)
def test_mistakes_end_in_a_sentence_and_a_status(words: tuple[str, ...], status: int, sentence: str) -> None:
    shown = run(*words)
    assert shown.status == status
    assert sentence in shown.err
    assert "Traceback" not in shown.err


def test_a_faulty_model_file_is_told_with_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "faulty.toml"
    path.write_text(MADE_UP.replace("sin(a)*x'", "sin(b)*x'"))
    shown = run("derive", str(path), "--as", "nonholonomic")
    assert shown.status == 2
    assert "line 17" in shown.err
    assert "unknown name 'b'" in shown.err


def test_controls_are_told_with_their_values(tmp_path: Path) -> None:
    path = tmp_path / "pushed.toml"
    tables = ("[coordinates]", 'x = "real"', "[forces]", 'x = "2*u"', "[controls]", 'u = "sin(t)"')
    path.write_text("\n".join(('name = "pushed"', 'lagrangian = "x\'^2/2"', *tables)))
    told = json.loads(run("derive", str(path), "--as", "euler-lagrange", "--json").out)
    assert told["controls"] == {"u": "sin(t)"}


def test_the_help_names_every_formalism() -> None:
    shown = " ".join(run("derive", "--help").out.replace("│", " ").split())
    assert all(name in shown for name in formalism_names())
