"""Writes ``docs/api.md``, the reference of all names that the packages offer, from their docstrings: ``make api``."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["DOCUMENT", "FRONTS", "document"]

DOCUMENT = Path(__file__).resolve().with_name("api.md")
FRONTS = (
    "dalembert",
    "dalembert.gallery",
    "dalembert.bodies",
    "dalembert.expr",
    "dalembert.expr.display",
    "dalembert.expr.readers",
    "dalembert.geometry",
    "dalembert.geometry.groups",
    "dalembert.mechanics",
    "dalembert.mechanics.lagrangian",
    "dalembert.mechanics.nonholonomic",
    "dalembert.mechanics.second_order",
    "dalembert.mechanics.chaplygin",
    "dalembert.mechanics.routh",
    "dalembert.mechanics.vakonomic",
    "dalembert.mechanics.semisymplectic",
    "dalembert.analysis.discovery",
    "dalembert.analysis.extremals",
    "dalembert.studies",
    "dalembert.present",
    "dalembert.testing",
    "dalembert.testing.expression_laws",
    "dalembert.testing.geometry_laws",
    "dalembert.testing.frame_laws",
)
"""The packages whose names are for users, those for most of them first."""

_HEAD = """\
# All names

What each package offers, from the docstrings, by `make api`. [Names](reference.md) has the most used by what they are
for. The examples here are run where they stand, in the source.
"""
_WIDEST = 100
"""The longest signature on one line."""


def document() -> str:
    """Return the text of the page; a name that several packages offer is told of in the first."""
    parts, told = [_HEAD], {}
    for front in FRONTS:
        package = import_module(front)
        parts += [f"## {front}", _prose(_summary(package))]
        again = []
        for name in package.__all__:
            value = getattr(package, name)
            first = told.setdefault((name, id(value)), front)
            if first != front:
                again.append(f"`{name}`")
            elif isinstance(value, ModuleType):
                whole = f"{front}.{name}"
                shown = f"[`{whole}`](#{whole.replace('.', '')})" if whole in FRONTS else f"`{whole}`"
                parts += [f"### {name}", f"The package {shown}: {_prose(_summary(value))}"]
            elif callable(value):
                parts += [f"### {name}", *_entry(name, value)]
            else:
                parts += [f"### {name}", f"`{value!r}`"]
        if again:
            parts.append(f"And from above: {', '.join(again)}.")
    page = "\n\n".join(part.rstrip() for part in parts) + "\n"
    return re.sub(r"\(#(dalembert[\w.]+)\)", lambda link: f"(#{link[1].replace('.', '')})", page)


def _summary(package: ModuleType) -> str:
    """Return the first paragraph of a docstring."""
    return inspect.cleandoc(package.__doc__ or "").split("\n\n")[0]


def _entry(name: str, value: Any) -> Iterator[str]:
    """Yield the signature, what is said, an example, and the members of a class."""
    yield _fenced(f"class {name}" if isinstance(value, type) else _signature(name, value))
    doc = inspect.cleandoc(value.__doc__ or "")
    for part in doc.split("\n\n"):
        section = re.match(r"(\w+)\n-+\n", part)
        if part.startswith(">>> "):
            yield _fenced(part)
        elif section:
            yield f"{section[1]}:"
            yield "\n".join(_arguments(part[section.end() :]))
        elif part:
            yield _prose(part)
    if isinstance(value, type):
        members = [*_fields(value), *_methods(value)]
        if members:
            yield "\n".join(members)
        if "of" in vars(value):  # how one is made
            yield _fenced(_signature(f"{name}.of", value.of))


def _arguments(section: str) -> Iterator[str]:
    """Yield the arguments of a section of a docstring, each with what is said of it, as a list."""
    for name, said in re.findall(r"^(\S.*)\n((?: +.*(?:\n|$))*)", section, re.MULTILINE):
        yield f"- `{name}`: {_prose(' '.join(said.split()))}"


def _fields(kind: type) -> list[str]:
    """Return the fields of a record, with their types and what is said of them."""
    if not is_dataclass(kind):
        return []
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0].body
    said = {
        one.target.id: f": {_prose(' '.join(then.value.value.split()))}"
        for one, then in pairwise(body)
        if isinstance(one, ast.AnnAssign) and isinstance(then, ast.Expr)
    }
    shown = [one for one in fields(kind) if not one.name.startswith("_")]
    return [f"- `{one.name}`, `{_typed(one.type)}`{said.get(one.name, '')}" for one in shown]


def _methods(kind: type) -> list[str]:
    """Return what a class does, each in the first sentence of its docstring."""
    found = []
    for name, member in vars(kind).items():
        plain = inspect.unwrap(getattr(member, "__func__", getattr(member, "fget", getattr(member, "func", member))))
        if name.startswith("_") or not callable(plain) or isinstance(plain, type) or not plain.__doc__:
            continue
        shown = f"`.{name}`" if plain is not member and not hasattr(member, "__func__") else f"`.{name}(...)`"
        found.append(f"- {shown}: {_prose(inspect.cleandoc(plain.__doc__).split(chr(10) * 2)[0])}")
    return found


def _signature(name: str, function: Any) -> str:
    """Return how a function is called, on one line or with a line for each argument."""
    signature = inspect.signature(function)
    named = [one.replace(annotation=_Told(one.annotation)) for one in signature.parameters.values()]
    plain = signature.replace(parameters=named, return_annotation=_Told(signature.return_annotation))
    shown = f"{name}{_short(str(plain))}"
    if len(shown) <= _WIDEST:
        return shown
    listed = [_short(str(one)) for one in named]
    kinds = [one.kind for one in named]
    if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
        listed.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
    return "\n".join([f"{name}(", *(f"    {one}," for one in listed), f") -> {plain.return_annotation!r}"])


class _Told:
    """An annotation that is shown as it was written."""

    def __init__(self, annotation: Any) -> None:
        self._text = _typed(annotation)

    def __repr__(self) -> str:
        return self._text


def _typed(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _short(shown: str) -> str:
    """Return a signature without what a default is made of, or where it is in memory."""
    return re.sub(r"= (\w+)\([^()]*=[^()]*\)", r"= \1(...)", re.sub(r"<(?:function )?(\w+)[^>]*>", r"\1", shown))


def _fenced(code: str) -> str:
    return f"```python\n{textwrap.dedent(code)}\n```"


def _prose(text: str) -> str:
    """Return a docstring as Markdown shows it: code in single quotes, formulas as they are, roles by what they name."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text).replace("``", "`")
    parts = text.split("`")  # every other one is code
    shown = [part if i % 2 else re.sub(r"([*<|\[\]])", r"\\\1", part) for i, part in enumerate(parts)]
    return "`".join(shown)


if __name__ == "__main__":
    DOCUMENT.write_text(document())
