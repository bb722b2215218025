"""[facts]: what a model says of its system is read with its faults, kept, written back, and decided."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import sympy
from commanding import command as run

from dalembert import ModelError, System, dumps, gallery, loads
from dalembert.analysis.facts import check_facts
from dalembert.expr import symbol
from dalembert.expr.truth import Verdict
from dalembert.model.parts import Known

SLED = """name = "sled"
lagrangian = "(x'^2 + y'^2 + phi'^2)/2"
[coordinates]
x = "real"
y = "real"
phi = "angle"
[constraints]
blade = "y'*cos(phi) = x'*sin(phi)"
[symmetry]
along = { x = 1 }
[facts]
"""


# -- reading -------------------------------------------------------------------------------------------------
def test_what_is_left_out_is_not_said() -> None:
    assert loads(SLED).known == Known()
    assert "[facts]" not in dumps(loads(SLED))
    assert loads(SLED + "holonomic = false").known == Known(holonomic=False)
    assert check_facts(loads(SLED)) == ()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("dimension = 0", "[facts] dimension: a dimension must be a whole number from 1 to 500."),
        ("dimension = true", "[facts] dimension: a dimension must be a whole number from 1 to 500."),
        ("energy_conserved = 1", "[facts] energy_conserved: a number stands where true or false is expected."),
        ("regullar = true", "[facts] regullar: unknown key 'regullar'; did you mean 'regular'?"),
        ('symmetries = { alon = "none" }', "[facts] symmetries.alon: 'alon' is not a generator; did you mean 'along'?"),
        (
            'symmetries = { along = "yes" }',
            "[facts] symmetries.along: this is one of symmetry, up to a total derivative, none, not 'yes'.",
        ),
        ("algebra = 3", "[facts] algebra: a number stands where text is expected."),
        ('constraints = { knife = "linear" }', "[facts] constraints.knife: 'knife' is not a constraint; known: blade."),
        (
            "constraints = { blade = 1 }",
            "[facts] constraints.blade: this is one of linear, affine, nonlinear, holonomic, not a number.",
        ),
        ("growth = 3", "[facts] growth: a number stands where a list is expected."),
        ("growth = [2, 2.5]", "[facts] growth: a dimension must be a whole number from 1 to 500."),
        ('integrals = "x"', None),
        ('integrals = { turning = "fhi\'" }', "integrals.turning: column 1: unknown name 'fhi'; did you mean 'phi'?"),
        ('varying = { a = "x +" }', "[facts] varying.a: column 4: "),
        ('critical = { push = "lambda_knife" }', "unknown name 'lambda_knife'; did you mean 'lambda_blade'?"),
        ('integrals = { push = "lambda_blade" }', "unknown name 'lambda_blade'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_one_sentence(line: str, sentence: str | None) -> None:
    if sentence is None:  # a single function needs no name
        assert dict(loads(SLED + line).known.integrals) == {"f1": "x"}
        return
    with pytest.raises(ModelError) as caught:
        loads(SLED + line)
    assert len(caught.value.faults) == 1
    assert f"line {SLED.count(chr(10)) + 1}, " in str(caught.value)
    assert sentence in str(caught.value)


def test_a_constraint_that_cannot_be_read_is_not_told_twice() -> None:
    text = SLED.replace("cos(phi)", "cos(ph)") + 'constraints = { blade = "linear" }\ncritical = { a = "lambda_blade" }'
    with pytest.raises(ModelError) as caught:
        loads(text)
    assert [fault.where for fault in caught.value.faults] == ["[constraints] blade"]


def test_functions_may_be_graphs_or_sympy() -> None:
    x, vx = sympy.symbols("x vx")
    free = {"name": "free", "lagrangian": vx**2 / 2, "coordinates": {x: vx}}
    facts = {"integrals": {"speed": 2 * vx, "also": symbol("x").dot}, "varying": {"place": "x"}, "dimension": 1}
    system = System.of(**free, facts=facts)
    assert dict(system.known.integrals) == {"speed": "2*x'", "also": "x'"}
    assert loads(dumps(system)) == system


def test_facts_are_of_this_system_and_of_no_other() -> None:
    disc = gallery.load("vertical-rolling-disc")
    assert disc.but(start={"phi'": 1}, run={"time": 1}, name="disc", notes=None).known == disc.known != Known()
    assert disc.but(parameters={"m": 1, "R": 2, "I1": 1, "I2": 1}).known == Known()
    assert disc.but(symmetry=None, facts={"dimension": 4}).known == Known(dimension=4)


def test_notes_of_several_lines_are_written_so() -> None:
    kepler = gallery.load("kepler")
    assert kepler.metadata["notes"] in dumps(kepler)
    for hard in ("\nfirst", "a\r\nb", 'a\n"""b\\', "one", "a\x07\nb"):
        assert loads(dumps(kepler.but(notes=hard))).metadata["notes"] == hard


# -- deciding ------------------------------------------------------------------------------------------------
SLICE = ["elastica", "heisenberg", "magnetic", "vertical-rolling-disc", "wheeled-snake:1", "disc-on-moving-plane"]


@pytest.mark.parametrize("name", SLICE)
def test_facts_of_the_gallery_are_decided(name: str) -> None:
    claims = check_facts(gallery.load(name))
    assert {claim.verdict.holds for claim in claims} == {True}


WRONG = {
    "dimension": ({"dimension": 5}, ["dimension"]),
    "energy_conserved": ({"energy_conserved": False}, ["energy conserved"]),
    "regular": ({"regular": False}, ["regular"]),
    "symmetries": (
        {"symmetries": {"e1": "none", "e2": "up to a total derivative"}},
        ["symmetry e1", "symmetry e2"],
    ),
    "algebra": ({"algebra": "se(2)"}, ["algebra"]),
    "constraints": (
        {"constraints": {"rolls_in_x": "affine", "rolls_in_y": "nonlinear"}},
        ["constraint rolls_in_x", "constraint rolls_in_y"],
    ),
    "growth": ({"growth": (2, 4)}, ["growth"]),
    "holonomic": ({"holonomic": True}, ["holonomic"]),
    "integrals": ({"integrals": {"x": "x", "rolling": "phi'"}}, ["integral x"]),
    "varying": ({"varying": {"twice": "2*phi'", "x": "x"}}, ["varying twice"]),
    "critical": ({"critical": {"x": "x'", "multiplier": "lambda_rolls_in_x"}}, ["critical x", "critical multiplier"]),
}


@pytest.mark.parametrize("key", WRONG)
def test_a_wrong_fact_is_refuted_and_no_other(key: str) -> None:
    disc = gallery.load("vertical-rolling-disc")
    said, refuted = WRONG[key]
    claims = check_facts(replace(disc, known=Known(**said)))
    assert [claim.name for claim in claims if claim.failed] == [f"fact: {name}" for name in refuted]
    assert all(claim.verdict.holds is not None for claim in claims)


def test_a_constraint_on_positions_is_told_from_one_on_velocities() -> None:
    rod = System.of(
        name="rod",
        coordinates="x y",
        lagrangian="(x'^2 + y'^2)/2 - y",
        holonomic={"rod": "x^2 + y^2 = 1"},
        facts={
            "constraints": {"rod": "holonomic"},
            "integrals": {"length": "x^2 + y^2", "energy": "(x'^2 + y'^2)/2 + y"},
            "varying": {"height": "y"},
            "holonomic": True,
        },
    )
    assert [claim.verdict.holds for claim in check_facts(rod)] == [True] * 5
    (claim,) = check_facts(replace(rod, known=Known(constraints={"rod": "linear"})))
    assert claim.failed


@pytest.mark.parametrize(
    ("rate", "holonomic"), [("t*x'", False), ("t*x' + y'*cos(t)", False), ("2*x' - y'", True), ("y*x'", False)]
)
def test_directions_that_move_are_involutive_in_space_and_time(rate: str, holonomic: bool) -> None:
    """y' = t*x' is involutive at each time, and no constraint on positions."""
    for said in (True, False):
        system = System.of(
            name="moving",
            coordinates="x y z",
            lagrangian="(x'^2 + y'^2 + z'^2)/2",
            constraints={"c": f"z' = {rate}"},
            facts={"holonomic": said},
        )
        (claim,) = check_facts(system)
        assert claim.verdict.holds is (said == holonomic)
        (growth,) = check_facts(replace(system, known=Known(growth=(2,) if holonomic else (2, 3))))
        assert growth.verdict.holds is (None if "t" in rate else True)


def test_what_has_no_answer_says_why() -> None:
    given = System.of(
        name="given", coordinates="x", equations={"x''": "-x"},
        facts={"regular": True, "energy_conserved": True, "holonomic": True, "integrals": {"e": "x'^2 + x^2"}},
    )  # fmt: skip
    told = {claim.name: claim.verdict for claim in check_facts(given)}
    assert told.pop("fact: integral e").holds is True
    assert {verdict.kind for verdict in told.values()} == {"undecided"}
    assert told["fact: regular"] == Verdict("undecided", "there is no Lagrangian.")


# -- the command ---------------------------------------------------------------------------------------------
def test_the_command_checks_facts(tmp_path: Path) -> None:
    model = tmp_path / "mine.toml"
    model.write_text(gallery.text("nonholonomic-particle"))
    shown = run("check", str(model), "fact")
    assert shown.status == 0, shown.err
    assert shown.out.count("(check)") == len(check_facts(gallery.load("nonholonomic-particle")))
    wrong = gallery.text("nonholonomic-particle").replace("energy_conserved = true", "energy_conserved = false")
    assert wrong != model.read_text()
    model.write_text(wrong)
    shown = run("check", str(model), "fact: energy")
    assert shown.status == 1
    assert "FAILS" in shown.out
