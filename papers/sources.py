"""Where the library has a formula: the objects that its test uses, each with the file it is defined in.

A test names what it calls, so the names are followed from its body through the helpers beside it to what they import.
Objects of ``mechanics`` count first, then those of ``geometry``; among these the nearest to the body of the test. What
a test reads of a result (``found.routhian``) counts where a single class of the library has it. A list may state the
source of a test itself (``SOURCES``), where the test checks the library by other means. What the folder of a paper says
of a formula by its number, in a docstring or as the place of a theorem, comes before all that: there it is derived or
decided.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path

import dalembert
from dalembert.mechanics.registry import formalism, formalism_names

__all__ = ["Source", "cited", "defined_in", "named_in", "sources"]

SOURCE = Path(dalembert.__file__).parent
HERE = Path(__file__).resolve().parent
LAYERS = ("mechanics", "geometry")
SHARED = (
    "mechanics/common.py",
    "mechanics/derivation.py",
    "mechanics/registry.py",
    "geometry/fields.py",
    "geometry/groups/matrices.py",
)
"""Files that every test could name, and that say nothing of a formula."""
HOMES = {
    "crampin-mestdag-2008": ("routh",),
    "sarlet-cantrijn-saunders-1995": ("second_order", "nonholonomic"),
    "garcia-rodrigo-2004": ("vakonomic",),
    "cantrijn-cortes-de-leon-martin-de-diego-2002": ("chaplygin",),
    "patrick-2007": ("semisymplectic",),
}
"""The folders of ``mechanics`` that follow a paper."""
_PLACE = r"(?:[A-Z\d]+\.)?\d+"
_STATEMENT = re.compile(
    rf"(?<!after )\b(Theorem|Proposition|Corollary|Lemma|Remark)s? ({_PLACE})((?: to | and |, ){_PLACE})*"
)
_CLASS, _MEMBER = re.compile(r"class (\w+)"), re.compile(r"    (?:(?:def|class) (\w+)|(\w+)(?:: | = ))")
_NUMBER = re.compile(r"(?<!after )(?<![\w)])\((\d+)\)")


@dataclass(frozen=True, slots=True, order=True)
class Source:
    """An object of the library, and the file below ``src/dalembert`` that defines it."""

    file: str
    name: str


@dataclass(frozen=True, slots=True)
class _File:
    """A file of ``papers/``: what it imports from the library, from its neighbours, and what it defines."""

    library: dict[str, tuple[str, str]] = field(default_factory=dict)
    neighbours: dict[str, tuple[Path, str]] = field(default_factory=dict)
    defined: dict[str, ast.stmt] = field(default_factory=dict)


def sources(path: Path, test: str) -> tuple[Source, ...]:
    """Return the objects that a test of a file is about; none where it computes with plain expressions alone."""
    found: dict[str, list[tuple[int, Source]]] = {layer: [] for layer in LAYERS}
    for depth, source in _reached(path, test):
        layer = source.file.partition("/")[0]
        if layer in LAYERS and source.file not in SHARED:
            found[layer].append((depth, source))
    for layer in LAYERS:
        if found[layer]:
            nearest = min(depth for depth, _ in found[layer])
            return tuple(sorted({source for depth, source in found[layer] if depth == nearest}))
    return ()


def named_in(text: str) -> set[str]:
    """Return the statements and the numbers of formulas that a text names.

    >>> sorted(named_in("Proposition 3.1, (5) and (6); Propositions 5.1 to 5.3 of f(2)"))
    ['(5)', '(6)', 'Proposition 3.1', 'Proposition 5.1', 'Proposition 5.2', 'Proposition 5.3']
    """
    found = {f"({number})" for number in _NUMBER.findall(text)}
    for match in _STATEMENT.finditer(text):
        kind, first, *_ = match.groups()
        places = re.findall(_PLACE, match[0])
        if " to " in match[0] and len(places) == 2:
            section, _, start = first.rpartition(".")
            last = int(places[1].rpartition(".")[2])
            places = [f"{section}.{k}".lstrip(".") for k in range(int(start), last + 1)]
        found |= {f"{kind} {place}" for place in places}
    return found


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def cited(key: str) -> dict[str, tuple[Source, ...]]:
    """Return the objects that speak of each statement and each number of a paper, in the folders that follow it."""
    found: dict[str, dict[Source, None]] = {}
    for home in HOMES[key]:
        for path in sorted((SOURCE / "mechanics" / home).rglob("*.py")):
            for name, text in _spoken(_tree(path).body):
                source = Source(path.relative_to(SOURCE).as_posix(), name)
                for place in named_in(text):
                    found.setdefault(place, {})[source] = None
    return {place: tuple(several) for place, several in found.items()}


def _spoken(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield docstrings of functions, classes and methods, and the places of theorems, each with who says it."""
    for statement in body:
        match statement:
            case ast.FunctionDef(name=name):
                yield name, _words(statement)
            case ast.ClassDef(name=owner, body=members):
                yield owner, _words(statement)
                yield from ((f"{owner}.{one.name}", _words(one)) for one in members if isinstance(one, ast.FunctionDef))
            case ast.Assign(value=value):
                words = (node.value for node in ast.walk(value) if isinstance(node, ast.Constant))
                places = [w for w in words if isinstance(w, str) and _STATEMENT.search(w)]
                yield from ((name, place) for name in _bound(statement) for place in places)


def _words(one: ast.FunctionDef | ast.ClassDef) -> str:
    """Return a docstring without its examples."""
    return (ast.get_docstring(one) or "").partition(">>>")[0]


def defined_in(source: Source) -> bool:
    """Say whether the file is there and defines the object, at its top or in a class."""
    path = SOURCE / source.file
    return path.exists() and source.name in _names(path)


@cache
def _names(path: Path) -> frozenset[str]:
    """Return what a file defines: ``name`` at its top, ``Class.name`` in a class."""
    top = _tree(path).body
    inner = [(one.name, statement) for one in top if isinstance(one, ast.ClassDef) for statement in one.body]
    members = {f"{owner}.{name}" for owner, statement in inner for name in _bound(statement)}
    return frozenset(members | {name for statement in top for name in _bound(statement)})


def _bound(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.Assign(targets=targets):
            yield from (node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name))


def _reached(path: Path, test: str) -> Iterator[tuple[int, Source]]:
    """Yield objects of the library with their distance from the body of a test, nearest first."""
    seen, level, depth = {(path, test)}, [(path, test)], 0
    while level:
        further = []
        for where, name in level:
            for used in _uses(where, name):
                if isinstance(used, Source):
                    yield depth, used
                else:
                    there = used if isinstance(used, tuple) else (where, used)
                    if there not in seen and there[1] in _read(there[0]).defined:
                        seen.add(there)
                        further.append(there)
        level, depth = further, depth + 1


@cache
def _uses(path: Path, name: str) -> frozenset[Source | tuple[Path, str] | str]:
    file = _read(path)
    return frozenset(_used(file, file.defined[name]))


def _used(file: _File, statement: ast.stmt) -> Iterator[Source | tuple[Path, str] | str]:
    """Yield what a statement uses: objects of the library, and names of this file and of its neighbours."""
    for node in ast.walk(statement):
        match node:
            case ast.Call(args=[_, ast.Constant(value=str(how)), *_]) if how in formalism_names():
                home = formalism(how).derive.__module__.partition(".")[2]
                yield Source(f"{home.replace('.', '/')}.py", "derive")
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in file.library:
                yield from _of_library(*file.library[name], attribute)
            case ast.Attribute(attr=attribute):
                yield from _only_owner(attribute)
            case ast.Name(id=name) if name in file.library:
                yield from _of_library(*file.library[name])
            case ast.Name(id=name) if name in file.neighbours:
                yield file.neighbours[name]
            case ast.Name(id=name):
                yield name


def _of_library(module: str, name: str, attribute: str = "") -> Iterator[Source]:
    """Yield an object by the file that defines it, which is not always the one it is imported from."""
    value = getattr(import_module(module), name, None)
    if value is None or isinstance(value, type(ast)):  # a module: what is taken from it counts
        if attribute:
            yield from _of_library(f"{module}.{name}", attribute)
        return
    home = getattr(value, "__module__", module)
    if home.startswith("dalembert."):
        yield Source(home.removeprefix("dalembert.").replace(".", "/") + ".py", getattr(value, "__qualname__", name))


@cache
def _owners() -> dict[str, set[Source]]:
    """Return what classes of the library have, by name, with every class that has it.

    All files are read for that, line by line, which takes a tenth of the time of parsing them.
    """
    owners: dict[str, set[Source]] = {}
    for path in SOURCE.rglob("*.py"):
        home, owner, quoted = path.relative_to(SOURCE).as_posix(), "", False
        for line in path.read_text().splitlines():
            if not quoted and (opened := _CLASS.match(line)):
                owner = opened[1]
            elif not quoted and owner and (member := _MEMBER.match(line)):
                owners.setdefault(member[1] or member[2], set()).add(Source(home, f"{owner}.{member[1] or member[2]}"))
            elif line[:1] not in ("", " ", ")", "#") and not quoted:
                owner = ""
            quoted ^= line.count('"""') % 2 == 1
    return owners


def _only_owner(attribute: str) -> Iterator[Source]:
    owners = _owners().get(attribute, set())
    if len(owners) == 1 and not any(hasattr(kind, attribute) for kind in (str, list, dict, set, tuple, int, float)):
        yield from owners


@cache
def _read(path: Path) -> _File:
    file = _File()
    for statement in _tree(path).body:
        match statement:
            case ast.ImportFrom(module=str(module), level=0, names=names) if module.split(".")[0] == "dalembert":
                file.library.update({one.asname or one.name: (module, one.name) for one in names})
            case ast.ImportFrom(module=str(module), level=level, names=names):
                home = path.parent if level else HERE.parent
                there = home / (module.replace(".", "/") + ".py")
                if there.exists():
                    file.neighbours.update({one.asname or one.name: (there, one.name) for one in names})
            case _:
                file.defined.update(dict.fromkeys(_bound(statement), statement))
    return file
