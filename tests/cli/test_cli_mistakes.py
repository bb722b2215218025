"""Whatever a user gets wrong ends in one sentence on stderr and a status, never in a traceback."""

import os
import subprocess
import sys

import pytest
from commanding import command

from dalembert import gallery
from dalembert.cli import options
from dalembert.studies.studying import study

SLED = """
name = "sled"
lagrangian = "m*(x'^2 + y'^2)/2 + J*theta'^2/2"
[coordinates]
x = "real"
y = "real"
theta = "angle"
[parameters]
m = 1.0
J = 1.0
[constraints]
blade = "x'*sin(theta) = y'*cos(theta)"
[symmetry]
e1 = { x = "1" }
"""
BLADE = "blade = \"x'*sin(theta) = y'*cos(theta)\""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub.zarr").mkdir()
    (tmp_path / "sub.html").mkdir()
    (tmp_path / "link.html").symlink_to("also.json")
    (tmp_path / "sled.toml").write_text(SLED)
    (tmp_path / "binary.toml").write_bytes(bytes(range(128, 256)))


MISTAKES = [
    ("stduy kepler", "No such command 'stduy'. Did you mean 'study', 'steady'? See dalembert --help."),
    ("derive kepler --quux", "No such option: --quux. See dalembert derive --help."),
    ("derive", "Missing argument 'SYSTEM'. See dalembert derive --help."),
    ("study keppler", "the gallery has no system 'keppler'; did you mean 'kepler'?"),
    ("study nowhere.toml", "nowhere.toml: the model cannot be read: there is no such file or folder."),
    ("study ./nowhere", "nowhere: the model cannot be read: there is no such file or folder."),
    ("study sub", "'sub' is a folder; name a model file in it."),
    ("study binary.toml", "binary.toml, line 1: a model file must be UTF-8 text, and this is not."),
    ("study kepler -o sub.html", "'sub.html' cannot be written: it is a folder."),
    ("study kepler -o no/where.html", "'no/where.html' cannot be written: there is no such folder."),
    ("study kepler --json no/where.json", "'no/where.json' cannot be written: there is no such folder."),
    ("study kepler -o a.html --json a.html", "the output must end in .json, not 'a.html'."),
    ("study kepler -o a.pdf", "the output must end in .html, not 'a.pdf'."),
    ("study kepler -o link.html --json also.json", "two outputs cannot both go to 'link.html'; give each a name of"),
    ("study kepler --seconds nan", "--seconds takes a positive number, not nan."),
    ("extremal heisenberg --sphere a.svg", "--sphere needs the multiplier that varies: give --vary NAME=LOW:HIGH."),
    ("extremal heisenberg --cut area", "--vary, --cut and --axes are for pictures: give --front, --sphere or --locus"),
    ("extremal heisenberg --front a.svg --vary area=1:2 --cut 1", "--cut is for a sphere or a cut locus"),
    ("extremal heisenberg --locus a.png --vary area=1:2", "the output must end in .svg, not 'a.png'."),
    ("sweep sled.toml -o out.zarr", "no formalism given; give --as FORMALISM, or [run] formalism in the model."),
    (
        "derive kepler --as euler-lagrange --code ada",
        "there is no code for 'ada'; use one of c, jax, casadi, julia, js.",
    ),
    ("check kepler x --as magic", "there is no formalism 'magic'; use one of euler-lagrange, nonholonomic, "),
    ("check kepler magic --as euler-lagrange", "no claim has a name like 'magic'; there are: regular, energy balance,"),
    ("cite kepler --as magic", "there is no formalism 'magic'; use one of euler-lagrange, nonholonomic, "),
    ("gallery magik", "the gallery has no system 'magik'; "),
    ("gallery kepler:3", "'kepler' is one system and has no size; write 'kepler'."),
    ("simulate kepler --as euler-lagrange -o no/run.csv", "'no/run.csv' cannot be written: there is no such folder."),
    ("simulate kepler --as euler-lagrange -o sub.zarr", "'sub.zarr' exists already and is no Zarr store of"),
    ("simulate kepler --as euler-lagrange --plot sub.html", "'sub.html' cannot be written: it is a folder."),
    ("simulate kepler --as euler-lagrange --samples few", "Invalid value for '--samples': "),
    ("sweep kepler --over k=1,2", "Missing option '-o' / '--output'. See dalembert sweep --help."),
    ("sweep kepler --as euler-lagrange -o a.zarr --scheduler home", "--scheduler takes an address such as tcp://"),
]


@pytest.mark.parametrize(("words", "sentence"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_a_mistake_ends_in_a_sentence(words, sentence, monkeypatch):
    def never(*_, **__):
        raise AssertionError("the work was begun.")

    for work in (
        "dalembert.studies.studying.study",
        "dalembert.numerics.simulate.simulate",
        "dalembert.analysis.sweep.sweep",
    ):
        monkeypatch.setattr(work, never)
    ended = command(*words.split())
    assert ended.status == 2
    assert ended.out == ""
    assert ended.err.startswith(sentence)
    assert ended.err.count("\n") == 1


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("J*theta", "K*theta", "line 3, lagrangian: column 21: unknown name 'K'."),
        (
            BLADE,
            'a = "x\' = 1"\nb = "x\' = 2"',
            "line 13, [constraints] b: it contradicts the constraints before it; correct one of them, or remove it.",
        ),
        (BLADE, "blade = \"x' = x'\"", "line 12, [constraints] blade: both sides are the same, so it says nothing;"),
        (
            BLADE,
            "blade = \"x' = x'*(sin(theta)^2 + cos(theta)^2)\"",
            "line 12, [constraints] blade: it always holds, so it says nothing; remove it.",
        ),
    ],
)
def test_a_mistake_in_a_model_is_told_with_its_line(old, new, sentence, tmp_path):
    assert old in SLED
    (tmp_path / "sled.toml").write_text(SLED.replace(old, new))
    for words in (("study", "sled.toml"), ("derive", "sled.toml", "--as", "nonholonomic")):
        ended = command(*words)
        assert (ended.status, ended.out) == (2, "")
        assert ended.err.startswith(f"sled.toml, {sentence}")


def test_a_file_named_without_its_ending_is_told_how(tmp_path):
    (tmp_path / "sled.toml").write_text(SLED)
    assert command("derive", "sled").err == "the gallery has no system 'sled'; the model file is written sled.toml.\n"


@pytest.mark.thorough
def test_a_lagrangian_that_is_not_invariant_is_a_reason_and_no_failure_of_a_study(tmp_path):
    free = SLED.replace(BLADE, "").replace("[constraints]", "").replace("theta'^2/2", "theta'^2/2 - m*x^2")
    (tmp_path / "free.toml").write_text(free)
    sentence = "[symmetry] e1: L is not invariant under it: not zero: value"
    asked = command("derive", "free.toml", "--as", "routh")
    assert (asked.status, asked.out) == (1, "")
    assert asked.err.startswith(f"routh: {sentence}")
    told = command("study", "free.toml", "-o", "free.html")
    assert told.status == 0
    assert f"  routh           {sentence}" in told.out
    assert "euler-lagrange  applies" in told.out
    assert told.out.endswith("the report is free.html\n")
    assert "routh: does not apply" in told.err


def test_a_hypothesis_that_fails_in_chaplygin_is_named(tmp_path):
    (tmp_path / "sled.toml").write_text(SLED.replace("theta'^2/2", "theta'^2/2 - m*x^2"))
    ended = command("derive", "sled.toml", "--as", "chaplygin")
    assert (ended.status, ended.out) == (1, "")
    assert "e1" in ended.err
    assert "invariant" in ended.err


def test_what_is_there_is_not_touched_by_a_refusal(tmp_path):
    (tmp_path / "kept.html").write_text("kept")
    assert command("study", "kepler", "-o", "kept.html", "--json", "no/where.json").status == 2
    assert (tmp_path / "kept.html").read_text() == "kept"
    assert command("study", "kepler", "-o", "new.html", "--json", "no/where.json").status == 2
    assert not (tmp_path / "new.html").exists()


# -- interrupts, pipes, terminals ----------------------------------------------------------------------------
def test_an_interrupt_ends_in_a_line(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setenv("DALEMBERT_CACHE", "off")  # where what derive says may be kept
    monkeypatch.setattr("dalembert.mechanics.derivation.derive", interrupted)
    ended = command("derive", "kepler", "--as", "euler-lagrange")
    assert (ended.status, ended.out, ended.err) == (130, "", "stopped.\n")


@pytest.mark.thorough
def test_an_interrupted_study_waits_for_nothing():
    told = []

    def progress(line):
        told.append(line)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(gallery.load("skateboard"), progress, formalisms=["routh", "semisymplectic", "vakonomic"])
    assert told == ["routh: does not apply"]


def test_nobody_need_read_to_the_end():
    words = [sys.executable, "-m", "dalembert.cli.main", "gallery"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_colours_are_for_terminals_that_want_them(monkeypatch):
    assert (options.width(), options.paint("proved", "proved")) == (None, "proved")
    monkeypatch.setattr(options, "_is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "77")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert options.width() == 77
    assert options.paint("proved", "proved") == "\x1b[32mproved\x1b[0m"
    assert options.paint("energy", "energy") == "energy"
    monkeypatch.setenv("NO_COLOR", "1")
    assert options.paint("proved", "proved") == "proved"


def test_a_model_file_may_have_any_name(tmp_path):
    """File names are bytes; what is no UTF-8 in them comes as lone surrogates, which the cache has to take, too."""
    name = os.fsdecode(b"sl\xe9d.toml")
    try:
        (tmp_path / name).write_text(SLED)
    except OSError:
        pytest.skip("the file system has UTF-8 names only")
    assert command("derive", name, "--as", "nonholonomic", "--equations").status == 0
    assert "no system 'keppl" in command("derive", "keppl\udcff").err


NASTY = ["\x1b[2J", "\x1b]0;theirs\x07", "\x9b31m", "\u202e", "\r", "\x7f", "\u2028", "\u2066", "\U000e0001", "\b"]


@pytest.mark.parametrize("nasty", NASTY, ids=ascii)
def test_a_name_of_somebody_elses_does_nothing_to_the_terminal(nasty, tmp_path):
    """A model from elsewhere may have any letters in its names, and so may its file and a claim about it."""
    in_toml = "".join(f"\\U{ord(letter):08x}" for letter in nasty)
    (tmp_path / "nasty.toml").write_text(SLED.replace("[symmetry]\n", f'"c{in_toml}d" = "x\' = 1"\n[symmetry]\n'))
    (tmp_path / f"file{nasty}.toml").write_text(SLED.replace("[symmetry]", f'[symmetry]\n"{in_toml}" = 1'))
    said = [
        command("derive", "nasty.toml"),
        command("derive", f"file{nasty}.toml"),
        command("derive", f"none{nasty}.toml"),
        command("check", "sled.toml", "--that", f"x'{nasty} conserved"),
        command(f"derive{nasty}", "sled.toml"),
        command("derive", f"--{nasty}", "sled.toml"),
        command("simulate", "sled.toml", "--start", f"{nasty}=1"),
    ]
    assert said[0].status == said[2].status == 2
    for one in said:
        assert (one.out + one.err).replace("\n", "").isprintable(), one
    units = nasty.encode("utf-16-be").hex()
    assert "\\u" + units[:4] in said[0].err
