"""A refusal names the hypothesis of the theorem that fails, and where the paper states it: every sentence is walked."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import dalembert.mechanics
from dalembert import System, derive, refusals
from dalembert.errors import Fault, HypothesisError
from dalembert.mechanics import asked
from dalembert.mechanics.asked import Asked
from dalembert.mechanics.registry import formalism

NAMES = ("euler-lagrange", "routh", "chaplygin", "reduced", "vakonomic", "semisymplectic", "nonholonomic")
FOLDERS = {"euler-lagrange": "lagrangian"}
HOME = Path(dalembert.mechanics.__file__).parent
SHARED = [HOME / name for name in ("common.py", "principal_bundle.py", "derivation.py")]
PLACE = re.compile(
    r"sections? (\d|[IVX])|\((Bloch-Krishnaprasad-Marsden-Murray|"
    r"Euler, Poincare, Suslov|Hamilton's principle|Boltzmann, Hamel|Ado's theorem|"
    r"d'Alembert's principle|Lie-Poisson reduction)\)"
)
TABLE = re.compile(r"^(\[[a-z]+\]|lagrangian)( |$)")
OWN_THEOREMS = re.compile(r"^(mechanical connection|dF|the |variations|section|datum|momenta|)")
"""What is asked for apart, by a function that is called for one theorem, and whose refusal has that theorem's name."""

PLAIN = System.of(name="plain", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 - x^2 - x*y^4")
SKATE = System.of(
    name="skate", coordinates={"x": "real", "y": "real", "th": "angle"}, lagrangian="(x'^2 + y'^2 + th'^2)/2 - x*y",
    constraints={"blade": "y'*cos(th) = x'*sin(th)"}, symmetry={"up": {"y": 1}},
)  # fmt: skip
REFUSED = [
    PLAIN,
    SKATE,
    PLAIN.but(symmetry={"along": {"x": 1}}),
    PLAIN.but(lagrangian="x'^2/2 - x", symmetry={"up": {"y": 1}}),
    PLAIN.but(lagrangian="x''^2/2 + y'^2", symmetry={"up": {"y": 1}}),
    PLAIN.but(lagrangian="(x'^2 + y'^2)/2", symmetry={"e1": {"x": 1}, "e2": {"y": 1}, "e3": {"x": "-y", "y": "x"}}),
    PLAIN.but(lagrangian="(x'^2 + y'^2)/2", forces={"y": "-y'^3"}, symmetry={"up": {"y": 1}}),
    PLAIN.but(lagrangian="sqrt(1 + x'^2 + y'^2)", symmetry={"up": {"y": 1}}, momentum=[3]),
    SKATE.but(lagrangian="(x'^2 + y'^2 + th'^2)/2", symmetry={"turn": {"th": 1}}),
    SKATE.but(lagrangian="(x'^2 + y'^2 + th'^2)/2", constraints={"fast": "x'^2 + y'^2 = 1"}, symmetry={"up": {"y": 1}}),
    SKATE.but(lagrangian="(x'^2 + y'^2 + th'^2)/2", constraints={"a": "x' = 0", "b": "y' = 0", "c": "th' = 0"}),
]  # fmt: skip


def faults_in(path: Path) -> Iterator[tuple[ast.expr, str]]:
    """Where each fault that a file can tell is said to be, and its kind."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Fault":
            kinds = [word.value for word in node.keywords if word.arg == "kind"]
            said = [one.value for one in kinds if isinstance(one, ast.Constant)]
            yield node.args[0], str(said[0]) if said else ""


def beginning(where: ast.expr) -> str | None:
    """The text that a place begins with; None where it is made elsewhere."""
    if isinstance(where, ast.JoinedStr):
        where = where.values[0]
    return where.value if isinstance(where, ast.Constant) and isinstance(where.value, str) else None


@pytest.mark.parametrize("name", NAMES)
def test_every_table_of_which_a_refusal_is_said_has_a_hypothesis(name: str) -> None:
    asks = formalism(name).asks
    assert all(PLACE.search(said) for said in asks.values())
    paths = (*(HOME / FOLDERS.get(name, name)).rglob("*.py"), *SHARED)
    told = [beginning(where) for path in paths for where, _ in faults_in(path)]
    known = [TABLE.match(one) for one in told if one is not None and one != "["]
    assert len([one for one in known if one]) > 8
    missing = {one.group(1) for one in known if one} - set(asks)
    assert not missing
    assert all(TABLE.match(one) or OWN_THEOREMS.match(one) for one in told if one not in (None, "["))


def kinds_without_a_row(name: str, asks: Asked) -> set[str]:
    paths = (HOME / FOLDERS.get(name, name)).rglob("*.py")
    return {kind for path in paths for _, kind in faults_in(path) if kind} - set(asks)


def test_every_kind_of_fault_has_a_hypothesis_of_its_own() -> None:
    """A reduction that is asked for apart has rows of its own."""
    for name in NAMES:
        asks = {**formalism(name).asks, **(asked.SEMISYMPLECTIC_REDUCTION if name == "semisymplectic" else {})}
        asks |= asked.HAMILTON if name == "euler-lagrange" else {}
        assert not kinds_without_a_row(name, asks)
    twin = {kind: said for kind, said in asked.ROUTH.items() if kind != "free"}
    assert kinds_without_a_row("routh", twin) == {"free"}


SECTIONS = {
    "Crampin-Mestdag": {"I", "II", "III", "IV", "V", "VI", "VII", "VIII", "VIII.A", "VIII.B"},
    "Sarlet-Cantrijn-Saunders": set("1234567"),
    "Garcia-Rodrigo": {*"1234", "4.1", "4.2"},
    "Cantrijn-Cortes-de Leon-Martin de Diego": {
        *"1234567", "2.1", "2.2", "3.1", "3.2", "4.1", "4.2", "5.1", "5.2", "7.1", "7.2",
    },
    "Patrick": {*"123456", "4.1", "4.2", "4.3", "5.1", "5.2", "5.3"},
}  # fmt: skip
"""The sections that the papers have."""


def sections_beyond(said: str) -> set[str]:
    """Return the sections that are named of a paper which has none of that number."""
    found = set()
    for paper, known in SECTIONS.items():
        for one, more in re.findall(rf"{paper}, sections? ([\w.]+?)(?: and ([\w.]+?))?(?=[;,)]|$)", said):
            found |= {f"{paper} {number}" for number in (one, more) if number} - {f"{paper} {n}" for n in known}
    return found


def test_the_papers_have_the_sections_that_are_named() -> None:
    rows = [row for name in NAMES for row in (*formalism(name).theorems, *formalism(name).laws)]
    told = [said for name in NAMES for said in formalism(name).asks.values()] + [row.place for row in rows]
    assert len([said for said in told if "section" in said]) > 200
    assert set().union(*map(sections_beyond, told)) == set()
    assert sections_beyond("x (Patrick, sections 5 and 7.1)") == {"Patrick 7.1"}
    assert sections_beyond("Garcia-Rodrigo, section 5") == {"Garcia-Rodrigo 5"}


DRIVEN = SKATE.but(lagrangian="(x'^2 + y'^2 + cos(t)^2*th'^2)/2", symmetry={"up": {"y": 1}})
OPEN = PLAIN.but(lagrangian="(x'^2 + y'^2)/2", symmetry={"along": {"x": 1}, "turn": {"x": "-y", "y": "x"}})


@pytest.mark.parametrize(
    ("system", "name", "said", "not_said"),
    [
        (DRIVEN, "chaplygin", "do not depend on time", "regular"),
        (DRIVEN, "semisymplectic", "for all times", "regular"),
        (PLAIN.but(symmetry={"along": {"x": 1}}), "routh", "leaves invariant", "freely"),
        (OPEN, "routh", "with constants", "freely"),
        (PLAIN.but(lagrangian="x''^2/2 + y'^2", symmetry={"up": {"y": 1}}), "routh", "of order 1", "g_ab"),
        (PLAIN, "semisymplectic", "symplectic", "constant rank"),
    ],
)
def test_the_hypothesis_that_fails_is_named_and_no_other(system: System, name: str, said: str, not_said: str) -> None:
    told = [fault.hypothesis for fault in refusals(system, name)]
    assert any(said in one for one in told)
    assert not any(not_said in one for one in told)


def without_hypothesis(faults: tuple[Fault, ...]) -> list[str]:
    return [str(fault) for fault in faults if not PLACE.search(fault.hypothesis)]


def test_refusals_say_what_the_theorem_asks_for() -> None:
    told = {(name, k): refusals(system, name) for name in NAMES for k, system in enumerate(REFUSED)}
    assert len([faults for faults in told.values() if faults]) > 25
    for faults in told.values():
        assert not without_hypothesis(faults)
        assert all("The theorem asks for" in str(fault) for fault in faults)


def test_a_refusal_without_a_hypothesis_is_seen() -> None:
    silent = replace(formalism("routh"), asks={})
    error = silent.refused(HypothesisError("routh", [Fault("[forces] x", "there are some")]))
    assert without_hypothesis(error.faults) == ["[forces] x: there are some."]


def test_a_reduction_that_is_refused_says_what_section_it_fails() -> None:
    """The reduction of semi-symplectic systems is asked for apart, by its own theorem."""
    pushed = SKATE.but(lagrangian="(x'^2 + y'^2 + th'^2)/2", forces={"x": "-x'"})
    turned = SKATE.but(lagrangian="(x'^2 + y'^2 + th'^2)/2", virtual={"blade": {"x": "sin(th)", "y": "-2*cos(th)"}})
    for system in (pushed, turned):
        with pytest.raises(HypothesisError) as refused:
            derive(system, "semisymplectic").reduce()
        assert refused.value.formalism == "reduction"
        assert not without_hypothesis(refused.value.faults)
