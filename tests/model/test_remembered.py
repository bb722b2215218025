"""What follows from a model is kept on disc: read as it was made, made anew where it is damaged, stale nowhere."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest
from commanding import command
from sweeping import files_of

from dalembert import cache, derive, gallery
from dalembert.analysis.discovery.discover import Discovery
from dalembert.analysis.discovery.discover import discover as _searched
from dalembert.cli.main import main
from dalembert.expr import sin, symbol
from dalembert.mechanics import derivation
from dalembert.model.equations import Equations
from dalembert.model.packing import packed, unpacked
from dalembert.model.remembered import come_from, origin_of, recalled, remembered, remembered_equations, worked_out
from dalembert.model.system import System
from dalembert.numerics.start_search import Search
from dalembert.present.report import Part
from dalembert.studies.studying import Study

MODEL = """
name = "sledge"
lagrangian = "m*(x'^2 + y'^2)/2 + J*theta'^2/2 - m*g*y*sin(slope)"
[coordinates]
x = "real"
y = "real"
theta = "angle"
[parameters]
m = 2
J = 0.5
g = 9.81
slope = "pi/10"
[constraints]
blade = "x'*sin(theta) = y'*cos(theta)"
[start]
theta = 0.3
"x'" = 1
"theta'" = 0.7
[run]
time = 1
[run.events]
across = "x = 0.5"
"""
ASKED = ["--as", "nonholonomic"]
compiling = import_module("dalembert.numerics.dop853.compiled")


def _study(system: System, *_: object, **__: object) -> Study:
    """Return a study of which the parts are made elsewhere: what is tried is what becomes of it."""
    return Study(system, (Part("routh", faults=("[symmetry]: there is none.",)),), ())


def _discovery(*_: object, **__: object) -> Discovery:
    return _searched(System.of(name="fall", coordinates="z", lagrangian="z'^2/2 - z"))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "kept"
    monkeypatch.setenv(cache.VARIABLE, str(place))
    return place


@pytest.mark.parametrize("name", ["kepler", "heavy-top", "slider-crank", "wheeled-snake:3", "elastica"])
def test_systems_travel_whole(name: str) -> None:
    system = gallery.load(name)
    back = unpacked(packed(system))
    assert back == system
    assert back.mechanism == system.mechanism
    assert list(back.vocabulary.let) == list(system.vocabulary.let)


def test_equations_travel_whole() -> None:
    equations = replace(derive(gallery.load("slider-crank"), "nonholonomic").equations, saddle_form=None, lifting=None)
    back = unpacked(packed(replace(equations, initial_state=None)))
    assert back == equations
    assert (back.pivots, dict(back.named), dict(back.turning)) == (
        equations.pivots,
        dict(equations.named),
        dict(equations.turning),
    )


@pytest.mark.parametrize(
    "told",
    [
        '{"value": ["expression", 0], "nodes": [["sum", ["tuple", 0, ["tuple", 1]], [0]]], "roots": [0]}',
        '{"value": ["expression", 1], "nodes": [["pi", null, []]], "roots": [0]}',
        '{"value": ["expression", -1], "nodes": [["pi", null, []]], "roots": [0]}',
        '{"value": ["expression", 0], "nodes": [["pi", null, []]], "roots": [-1]}',
        '{"value": ["expression", 0], "nodes": [["run", null, []]], "roots": [0]}',
        '{"value": ["record", "Path", {}], "nodes": [], "roots": []}',
        '{"value": ["record", "Verdict", {"kind": "proved"}], "nodes": [], "roots": []}',
        '{"value": ["record", "Equation", {"left": 1, "right": 2, "more": 3}], "nodes": [], "roots": []}',
        '{"value": ["eval", "1"], "nodes": [], "roots": []}',
        "[1, 2",
        '"text"',
        "[" * 100_000,
    ],
)
def test_what_was_not_packed_is_refused(told: str) -> None:
    with pytest.raises(ValueError, match="nothing was packed here"):
        unpacked(told.encode())


def test_a_model_seen_before_is_not_derived_again(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sledge.toml"
    file.write_text(MODEL)

    def told() -> str:
        assert main(["simulate", str(file), *ASKED]) == 0
        return capsys.readouterr().out

    alone = _without_cache(told, monkeypatch, folder)
    first = told()
    assert first == alone
    derived: list[str] = []
    usual = derivation.derive

    def counted(system: object, name: str) -> object:
        derived.append(name)
        return usual(system, name)  # type: ignore[arg-type]

    monkeypatch.setattr(derivation, "derive", counted)
    assert told() == first
    assert not derived
    # another text is another model
    file.write_text(MODEL.replace("m*g*y*sin(slope)", "m*g*y*cos(slope)"))
    assert told() != first
    assert derived
    # what is damaged is made anew
    file.write_text(MODEL)
    for number, entry in enumerate(sorted(folder.iterdir())):
        data = bytearray(entry.read_bytes())
        if number % 2:
            entry.write_bytes(data[: len(data) // 2])
        else:
            data[-1] ^= 1
            entry.write_bytes(data)
    assert told() == first
    # another program finds nothing
    derived.clear()
    monkeypatch.setattr(cache, "program", lambda: "another")
    assert told() == first
    assert derived


OTHERS = {
    "derive": [],
    "equations": ["--equations"],
    "steady": ["--at", "theta=0"],
    "control": [],
    "sweep": ["--over", "theta=0.1,0.2", "--time", "1", "--observe", "x"],
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.thorough("derive", "steady")
def test_other_commands_derive_nothing_twice(
    name: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sledge.toml"
    file.write_text(MODEL)

    def told(store: str) -> str:
        command = "derive" if name == "equations" else name
        target = ["-o", str(tmp_path / f"{store}.zarr")] if name == "sweep" else []
        assert main([command, str(file), *ASKED, *OTHERS[name], *target]) == 0
        said = capsys.readouterr().out
        return str(files_of(tmp_path / f"{store}.zarr")) if target else said

    alone = _without_cache(lambda: told("alone"), monkeypatch, folder)
    assert told("first") == alone

    def never(*_: object) -> object:
        raise AssertionError("it is derived again")

    monkeypatch.setattr(derivation, "derive", never)
    assert told("second") == alone
    file.write_text(MODEL.replace("m*g*y*sin(slope)", "m*g*y*cos(slope)"))
    with pytest.raises(AssertionError, match="derived again"):
        told("third")


@pytest.mark.parametrize(
    ("words", "asked", "found"),
    [
        (("study", "sledge.toml", "-o", "page.html", "--json", "-"), "dalembert.studies.studying.study", _study),
        (("discover", "sledge.toml", "-o", "page.html"), "dalembert.analysis.discovery.discover.discover", _discovery),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_a_search_says_is_kept(words, asked, found, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file, page = Path("sledge.toml"), Path("page.html")
    file.write_text(MODEL)
    monkeypatch.setattr(asked, found)
    first, written = command(*words), page.read_text()
    page.unlink()
    monkeypatch.setattr(asked, lambda *_, **__: pytest.fail("it is searched again"))
    again = command(*words)
    assert (first.status, again.status, again.out) == (0, 0, first.out)
    assert page.read_text() == written
    file.write_text(MODEL.replace("m*g*y*sin(slope)", "m*g*y*cos(slope)"))
    with pytest.raises(pytest.fail.Exception, match="searched again"):
        command(*words)


@pytest.mark.usefixtures("folder")
def test_what_became_of_a_motion_is_kept_unless_it_ended_early_or_files_are_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sledge.toml").write_text(MODEL)
    Path("burst.toml").write_text(
        'name = "burst"\nlagrangian = "x\'^2/2 + x^4"\ncoordinates = "x"\nstart = { x = 1 }\nrun = { time = 9 }\n'
    )
    words, early = ("simulate", "sledge.toml", "--time", "0.1", "--json", *ASKED), ("simulate", "burst.toml")
    first = command(*words)
    assert command(*early).status == 1
    monkeypatch.setattr("dalembert.numerics.simulate.simulate", lambda *_, **__: pytest.fail("it moves again"))
    assert (first.status, command(*words).out) == (0, first.out)
    for other in ((*words, "-o", "run.csv"), (*words, "--set", "m=2"), early):
        with pytest.raises(pytest.fail.Exception, match="moves again"):
            command(*other)


def test_another_motion_writes_no_code_and_looks_for_a_start_only_if_it_is_another(folder, tmp_path, monkeypatch):
    """The times, starts and values of motions make no difference to code, and times none to where they begin."""
    monkeypatch.chdir(tmp_path)
    Path("sledge.toml").write_text(MODEL)
    words = ("simulate", "sledge.toml", "--json", *ASKED, "--time")
    others = [("0.5",), ("0.5", "--start", "theta=0.4"), ("0.5", "--set", "m=3"), ("0.5", "--start", "x'=2")]
    alone = json.loads(
        _without_cache(lambda: json.dumps([command(*words, *one).out for one in others]), monkeypatch, folder)
    )
    _forget_code()
    command(*words, "0.1")
    _forget_code()
    searched: list[None] = []
    usual = Search.found
    monkeypatch.setattr(Search, "found", lambda self: (searched.append(None), usual(self))[1])
    for writer in ("rates_function", "advance_function", "step_function"):
        monkeypatch.setattr(compiling, writer, lambda *_: pytest.fail("code is written again"))
    for one, wanted, starts in zip(others, alone, (0, 1, 2, 3), strict=True):
        assert command(*words, *one).out == wanted
        assert len(searched) == starts
    assert len({*alone}) == len(alone)
    # the wrong twin: other equations of the same shape have other code
    Path("sledge.toml").write_text(MODEL.replace("m*g*y", "m*g*x"))
    with pytest.raises(pytest.fail.Exception, match="written again"):
        command(*words, "0.5")


@pytest.mark.usefixtures("folder")
def test_a_study_that_was_stopped_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("sledge.toml").write_text(MODEL)
    parts = (Part("routh", stopped="it was stopped after 1 s."),)
    monkeypatch.setattr("dalembert.studies.studying.study", lambda system, *_, **__: Study(system, parts, ()))
    assert command("study", "sledge.toml", "--seconds", "1").status == 1
    monkeypatch.setattr("dalembert.studies.studying.study", _study)
    assert command("study", "sledge.toml", "--seconds", "1").status == 0


def _forget_code() -> None:
    """Be as a process that has compiled nothing."""
    for kept in (compiling._cached, compiling._code, compiling._prepared, compiling.method):
        kept.cache_clear()


def _without_cache(told: object, monkeypatch: pytest.MonkeyPatch, folder: Path) -> str:
    monkeypatch.setenv(cache.VARIABLE, cache.OFF)
    found: str = told()  # type: ignore[operator]
    assert not folder.exists()
    monkeypatch.setenv(cache.VARIABLE, str(folder))
    return found


@pytest.mark.usefixtures("folder")
def test_an_entry_of_another_form_is_made_anew() -> None:
    assert recalled(("a", "b"), lambda: 3) == 3
    name = cache.key("what follows", cache.program(), "a", "b")
    for told in (b'{"value": ["record", "Path", {}], "nodes": [], "roots": []}', b"\xff"):
        cache.keep(name, told)  # with a good checksum
        assert recalled(("a", "b"), lambda: 4) == 4
        assert recalled(("a", "b"), lambda: 5) == 4
    assert json.loads(cache.look(name) or b"")["value"] == 4
    assert worked_out("a", [symbol("x")], lambda: 6) == 6
    assert worked_out("a", [symbol("x")], lambda: 7) == 6
    assert worked_out("a", [symbol("y")], lambda: 8) == 8


@pytest.mark.usefixtures("folder")
def test_what_is_changed_comes_from_nowhere() -> None:
    x = symbol("x")
    equations = come_from(Equations("swing", "by hand", {x: x.dot, x.dot: -sin(x)}), "a swing")
    assert remembered(equations, "size", lambda: 2) == 2
    assert remembered(equations, "size", lambda: 3) == 2
    changed = replace(equations, monitors={"x": x})
    assert origin_of(changed) is None
    assert remembered(changed, "size", lambda: 3) == 3


@pytest.mark.usefixtures("folder")
def test_recipes_are_followed_on_the_equations_themselves() -> None:
    x = symbol("x")
    made: list[int] = []

    def make() -> Equations:
        made.append(1)
        return Equations("swing", "by hand", {x: -x}, lifting=lambda _: None, saddle_form=lambda *_: one)

    one = Equations("swing", "by hand", {x: -2 * x})
    owner = come_from(Equations("swing", "by hand", {x: -x}), "another swing")
    assert remembered_equations(owner, "itself", make).lifting is not None
    made.clear()
    found = remembered_equations(owner, "itself", make)
    assert found.initial_state is None
    assert not made
    assert found.saddle_form is not None
    assert found.saddle_form(1, 1) is one
    assert made
