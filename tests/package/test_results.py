"""Numerics, analysis and studies know equations and their system: nobody asks a result what else it has, or is."""

import ast
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

import dalembert
from dalembert.mechanics.registry import Result
from dalembert.model.equations import Equations

SOURCE = Path(dalembert.__file__).parent
ASKED = {name for name in vars(Result) if not name.startswith("_")} | {field.name for field in fields(Equations)}
ASKING = {"getattr", "hasattr"}


@cache
def trees(folder: str) -> dict[str, ast.Module]:
    return {
        str(path.relative_to(SOURCE)): ast.parse(path.read_text()) for path in sorted((SOURCE / folder).rglob("*.py"))
    }


@cache
def kinds_of_results() -> set[str]:
    """Return the names of what formalisms derive: the classes of mechanics that build on ``Derived``, and records."""
    classes = [
        node for tree in trees("mechanics").values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)
    ]
    found = {"Derived"}
    while True:
        more = {one.name for one in classes if found & {ast.unparse(base) for base in one.bases}} - found
        if not more:
            return {*found, "Result", "Equations"}
        found |= more


def asked(tree: ast.AST, kinds: set[str]) -> list[str]:
    """Return where something is asked for an attribute of results by its name, or whether it is one of these kinds."""
    found = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=verb), args=[_, ast.Constant(value=name), *_]) if verb in ASKING:
                wrong = name in ASKED
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]):
                wrong = bool(kinds & {part.id for part in ast.walk(kind) if isinstance(part, ast.Name)})
            case ast.MatchClass(cls=ast.Name(id=name)):
                wrong = name in kinds
            case _:
                wrong = False
        if wrong:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
    return found


@pytest.mark.parametrize("folder", ["numerics", "analysis", "studies"])
def test_nobody_asks_a_result_what_it_has_or_is(folder):
    kinds = kinds_of_results()
    assert {name: found for name, tree in trees(folder).items() if (found := asked(tree, kinds))} == {}


@pytest.mark.parametrize(
    "wrong",
    [
        "form = getattr(result, 'saddle_form', None)",
        "if hasattr(result, 'initial_state'): pass",
        "plain = given if isinstance(given, Equations) else given.equations",
        "if isinstance(result, Routh | System): pass",
        "match result:\n    case Nonholonomic(): pass",
    ],
)
def test_a_question_is_seen(wrong):
    assert len(asked(ast.parse(wrong), kinds_of_results())) == 1


@pytest.mark.parametrize("right", ["getattr(key, 'name', key)", "isinstance(value, Expr)", "equations.saddle is None"])
def test_what_is_asked_of_other_things_is_not(right):
    assert asked(ast.parse(right), kinds_of_results()) == []
