"""Wrong twins, made by the machine: each sign, factor and index of a test is changed once, and the test must then fail.

A test of a formula states the formula. Change one thing in what it states, and what it states is wrong; a test that
still passes does not look at that thing. The changes are those in which formulas are misprinted:

- the sign of one term, in Python or in a formula that is read from text;
- one factor, exponent or divisor, by one more;
- two neighbouring indices, exchanged.

What a test states only to see it refuted is left alone, and so is what does not concern a formula, where the change
leaves no statement at all. Equality is asked at one point modulo a prime, where a difference is a proof.
"""

from __future__ import annotations

import ast
import copy
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest

from dalembert.expr import Expr, truth
from dalembert.expr.truth import Verdict, all_hold
from dalembert.expr.truth.decide import at_one_point
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import Form
from dalembert.geometry.tensors import Endomorphism
from papers import exact

__all__ = ["Outcome", "Twin", "all_tests", "digest", "outcome", "passes", "twins"]

HERE = Path(__file__).resolve().parent
_SIGN = re.compile(r"(?<= )[+-](?= )|(?<![\w'])-(?=[\w(])")
"""A sign in a formula that is text: between spaces, or at the head of a formula or a parenthesis."""
_FORMULA = re.compile(r"[\w') ] [+-] [\w(]|^-\w|\(-\w")
_REFUSING = {"differ"}
_EITHER = "# either way"
"""What a line says in which a change leaves the statement true: a free constant, an equation that is linear."""
_EQUALITIES = {"same", "equal", "same_on_level", "along"}
ParameterSet = type(pytest.param())
_WATCH, _TURN = "__changed__", "__turned__"


Outcome = Literal["refuted", "alive", "void", "senseless"]
"""What became of a twin: the test fails; it passes; the change changed no value; no statement was left."""


@dataclass(frozen=True, slots=True)
class Twin:
    """One change: in which function, at which line, and of what kind."""

    function: str
    line: int
    kind: str
    place: int
    """The number of the change among those of its function."""


def twins(path: Path, test: str) -> list[Twin]:
    """Return all changes of what a test states, in its body and in the helpers beside it that it calls."""
    functions = _functions(path)
    return [
        Twin(name, change.node.lineno, change.kind, place)
        for name in _reached(path, test)
        for place, change in enumerate(_changes(functions[name]))
    ]


def outcome(module: ModuleType, path: Path, test: str, twin: Twin) -> Outcome:
    """Run a test with one change in it."""
    functions = _functions(path)
    changed = copy.deepcopy(functions[twin.function])
    list(_changes(changed))[twin.place].make()
    seen: list[bool] = []
    scope = {**vars(module), _WATCH: partial(_watch, seen), _TURN: partial(_turn, seen)}
    for name in _callers(path, test, twin.function):
        function = changed if name == twin.function else copy.deepcopy(functions[name])
        if name == test:
            function.decorator_list = []
        tree = ast.fix_missing_locations(ast.Module([function], []))
        exec(compile(tree, str(path), "exec"), scope)  # noqa: S102 - a test of ours, with one sign changed
    with _at_one_point():
        for values in _parameters(getattr(module, test)):
            try:
                scope[test](**values)
            except AssertionError:
                return "refuted"
            except Exception:  # noqa: BLE001 - whatever it is, no formula was refuted
                return "senseless"
    spared = _EITHER in _lines(path)[twin.line - 1]
    return "alive" if any(seen) and not spared else "void"


def passes(module: ModuleType, test: str) -> bool:
    """Say whether a test passes as it stands, where equality is asked at one point."""
    with _at_one_point():
        for values in _parameters(getattr(module, test)):
            try:
                getattr(module, test)(**values)
            except Exception:  # noqa: BLE001 - what fails without a change says nothing with one
                return False
    return True


def _watch(seen: list[bool], stated: object, changed: object) -> object:
    """Note whether a change changes a value, and return the changed one."""
    if not any(seen) and not isinstance(changed, bool):
        both = isinstance(stated, Expr) and isinstance(changed, Expr)
        seen.append(not both or not _seems_same([stated], [changed]))  # type: ignore[list-item]
    return changed


def _turn(seen: list[bool], side: Any) -> Any:
    """Return a side of an equation with the opposite sign, and note whether it is not zero on both."""
    if isinstance(side, Endomorphism | VectorField):
        seen.append(side.is_zero().holds is False)
        return -1 * side
    turned = [-one for one in side]
    seen.append(not _seems_same(list(side), turned))
    return turned


# -- changes -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Change:
    """An expression of a test, what kind of change it is, and how it is made."""

    node: ast.expr
    kind: str
    make: Callable[[], None]


def _changes(function: ast.FunctionDef) -> Iterator[_Change]:
    """Yield what can be changed in a function."""
    for node, put in _stated(function):
        for kind, other in _others(node):
            yield _Change(node, kind, partial(put, other))


def _others(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """Yield what may be misprinted in the place of an expression."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub() as op, left=left, right=right):
            yield "sign", ast.BinOp(left, ast.Sub() if isinstance(op, ast.Add) else ast.Add(), right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            yield "sign", operand
        case ast.BinOp(op=ast.Mult() | ast.Div() | ast.Pow() as op, left=left, right=right):
            if _number(left) and not isinstance(right, ast.List):
                yield "factor", ast.BinOp(_more(left), op, right)
            if _number(right) and not isinstance(left, ast.List):
                yield "factor", ast.BinOp(left, op, _more(right))
        case ast.Tuple(elts=[ast.Constant(value=1), second, *more]) if not isinstance(
            second, ast.Constant | ast.UnaryOp
        ):
            yield "sign", ast.Tuple([ast.Constant(-1), second, *more], ast.Load())
        case ast.Call(func=ast.Name(id=name), args=[*first, last]) if name in _EQUALITIES:
            yield "side", ast.Call(node.func, [*first, ast.Call(ast.Name(_TURN, ast.Load()), [last], [])], [])
        case ast.Subscript(value=ast.Subscript(value=array, slice=first), slice=second, ctx=ast.Load()):
            if _index(first) and _index(second) and ast.dump(first) != ast.dump(second):
                yield "indices", ast.Subscript(ast.Subscript(array, second, ast.Load()), first, ast.Load())
        case ast.Constant(value=str(text)) if _FORMULA.search(text):
            for sign in _SIGN.finditer(text):
                turned = "+" if sign[0] == "-" else "-"
                yield "sign", ast.Constant(text[: sign.start()] + turned + text[sign.end() :])


def _number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int and node.value > 1


def _more(node: ast.expr) -> ast.expr:
    assert isinstance(node, ast.Constant)
    assert isinstance(node.value, int)
    return ast.Constant(node.value + 1)


def _index(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Constant) and type(node.value) is int)


def _stated(function: ast.FunctionDef) -> list[tuple[ast.expr, Callable[[ast.expr], None]]]:
    """Return the expressions of a function that it states, in the order of the text, with what replaces each."""
    outside = _refused(function)
    found: list[tuple[ast.expr, Callable[[ast.expr], None]]] = []

    def visit(node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            children = value if isinstance(value, list) else [value]
            for place, child in enumerate(children):
                if not isinstance(child, ast.AST) or id(child) in outside or _is_data(child) or _is_text(child):
                    continue
                if isinstance(child, ast.expr):
                    found.append((child, partial(_replace, node, name, place, child)))
                if not (isinstance(node, ast.Subscript) and name == "slice"):
                    visit(child)

    visit(ast.Module(function.body, []))
    return found


def _replace(parent: ast.AST, name: str, place: int, stated: ast.expr, other: ast.expr) -> None:
    """Put a change in the place of what is stated; both are computed, so that it is seen whether they differ."""
    watched = ast.Call(ast.Name(_WATCH, ast.Load()), [stated, copy.deepcopy(other)], [])
    new: ast.expr = other if isinstance(parent, ast.JoinedStr) else watched
    if isinstance(getattr(parent, name), list):
        getattr(parent, name)[place] = new
    else:
        setattr(parent, name, new)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_data(node: ast.AST) -> bool:
    """Say whether a part of a test states a system or counts something, and no formula."""
    match node:
        case (
            ast.Call(func=ast.Attribute(value=ast.Name(id="System"), attr="of"))
            | ast.Call(func=ast.Attribute(attr="but"))
        ):
            return True
        case ast.Tuple(elts=several) if all(isinstance(one, ast.Constant | ast.UnaryOp) for one in several):
            return True
        case ast.Call(func=ast.Name(id="range" | "symbol" | "unknown" | "tilted" | "direction")):
            return True
        case _:
            return False


def _refused(function: ast.FunctionDef) -> set[int]:
    """Return the assertions that something is wrong, and the assignments that only these read."""
    outside = {id(node) for node in ast.walk(function) if isinstance(node, ast.Assert) and _negative(node.test)}
    while True:
        read = _read_outside(function, outside)
        more = {
            id(node)
            for node in ast.walk(function)
            if isinstance(node, ast.Assign | ast.FunctionDef) and node is not function and _bound(node).isdisjoint(read)
        }
        if more <= outside:
            return outside
        outside |= more


def _bound(node: ast.AST) -> set[str]:
    if isinstance(node, ast.FunctionDef):
        return {node.name}
    assert isinstance(node, ast.Assign)
    return {one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)}


def _read_outside(function: ast.FunctionDef, outside: set[int]) -> set[str]:
    found: set[str] = set()

    def visit(node: ast.AST) -> None:
        if id(node) not in outside:
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                found.add(node.id)
            for child in ast.iter_child_nodes(node):
                visit(child)

    visit(function)
    return found


def _negative(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not()):
            return True
        case ast.Call(func=ast.Name(id="all"), args=[ast.GeneratorExp(elt=each)]):
            return _negative(each)
        case ast.Call(func=ast.Name(id="any"), args=[ast.GeneratorExp(elt=each)]):
            return _negative(each)
        case ast.Call(func=ast.Name(id=name)):
            return name in _REFUSING
        case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=False)]) | ast.Compare(ops=[ast.Gt()]):
            return True
        case _:
            return False


# -- which functions ---------------------------------------------------------------------------------------------------
def all_tests(path: Path) -> list[str]:
    """Return the names of the tests of a file."""
    return [name for name in _functions(path) if name.startswith("test_")]


def digest(path: Path, test: str) -> str:
    """Return a number for what a test and its helpers say."""
    functions = _functions(path)
    spans = [(functions[name].lineno, functions[name].end_lineno) for name in _reached(path, test)]
    said = [line for first, last in spans for line in _lines(path)[first - 1 : last]]
    return sha256("\n".join(said).encode()).hexdigest()[:8]


@cache
def _functions(path: Path) -> dict[str, ast.FunctionDef]:
    return {one.name: one for one in ast.parse(path.read_text()).body if isinstance(one, ast.FunctionDef)}


@cache
def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines()


@cache
def _calls(path: Path) -> dict[str, list[str]]:
    """Return which functions of a file each of them names."""
    functions = _functions(path)
    used = {name: {node.id for node in ast.walk(one) if isinstance(node, ast.Name)} for name, one in functions.items()}
    return {name: [one for one in functions if one in names and one != name] for name, names in used.items()}


def _reached(path: Path, test: str) -> list[str]:
    found = [test]
    for name in found:
        found += [one for one in _calls(path)[name] if one not in found]
    return found


def _callers(path: Path, test: str, changed: str) -> list[str]:
    """Return the functions between a test and the one that is changed, both included, which must see the change."""
    reached = _reached(path, test)
    return [name for name in _functions(path) if name in reached and changed in _reached(path, name)]


def _parameters(function: Any) -> Iterator[dict[str, Any]]:
    """Yield the arguments that pytest would give to a test."""
    several = []
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            names, values = mark.args[:2]
            names = [n.strip() for n in names.split(",")] if isinstance(names, str) else list(names)
            plain = [one if len(names) > 1 or isinstance(one, ParameterSet) else (one,) for one in values]
            rows = [one.values if isinstance(one, ParameterSet) else one for one in plain]
            several.append([dict(zip(names, row, strict=True)) for row in rows])
    for parts in product(*several):
        yield {name: value for part in parts for name, value in part.items()}


# -- equality ----------------------------------------------------------------------------------------------------------
_same, _is_zero = exact.same, truth.is_zero


def _seems_same(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    found = at_one_point([a - b for a, b in zip(left, right, strict=True)])
    return not any(found[1]) if found else _same(left, right)


def _seem_to_differ(left: Sequence[Expr], right: Sequence[Expr]) -> bool:
    return not _seems_same(left, right)


def _seems_zero(*expressions: Expr) -> Verdict:
    found = at_one_point(expressions)
    if found is None:
        return all_hold({str(n): _is_zero(one) for n, one in enumerate(expressions)})
    return Verdict("refuted" if any(found[1]) else "certain", "at one point modulo a prime.")


@contextmanager
def _at_one_point() -> Iterator[None]:
    """Let the tests of the papers ask at one point whether things are equal."""
    fast = {"same": (_same, _seems_same), "differ": (exact.differ, _seem_to_differ), "is_zero": (_is_zero, _seems_zero)}
    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith("papers.") and name != __name__:
                for known, (slow, quick) in fast.items():
                    if vars(module).get(known) is slow:
                        patch.setattr(module, known, quick)
        patch.setattr(Form, "is_zero", lambda form, **_: _seems_zero(*form.terms.values()))
        patch.setattr(VectorField, "is_zero", lambda field, **_: _seems_zero(*field.components))
        patch.setattr(
            Endomorphism, "is_zero", lambda tensor, **_: _seems_zero(*(e for row in tensor.matrix for e in row))
        )
        yield
