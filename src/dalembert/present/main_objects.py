"""The main objects of a formalism as equations, with their indices up and down, and what they say in words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from dalembert.errors import DalembertError
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.walk import substitute, symbols, tree_size, unroll
from dalembert.geometry.fields import Chart, VectorField
from dalembert.mechanics.registry import MainObject
from dalembert.model.system import System
from dalembert.present.combinations import field_combination
from dalembert.present.entries import zeros
from dalembert.present.page import (
    LISTED,
    OBJECT,
    Equations,
    Group,
    Listing,
    Pair,
    Section,
    Words,
    size_written,
    written_elsewhere,
)

_MOST: Final = 12
"""Components of an object that are read at a glance,"""
_TREE: Final = 160
"""and nodes of each, as a tree."""
_WORD: Final = 9
"""Letters of a name that can be an index."""
_PERSONS: Final = (
    "hessian",
    "lagrangian",
    "hamiltonian",
    "routhian",
    "noether",
    "koiller",
    "hamel",
    "levi civita",
    "cartan",
)
SPEEDS: Final = "with the speeds"
"""The title of what the speeds are that equations of motion have."""
_VELOCITIES: Final = "body velocities"
"""The title of velocities along generators, of which the equations may have some as their speeds."""
_MULTIPLIER: Final = "lambda"
"""In formulas, that of a constraint has its whole name below."""
_SAID_ZERO: Final = ("J", _MULTIPLIER)
"""Of rates, and of momenta and multipliers beside others, it says something that one of them is zero."""
_ROTATES: Final = {"w": "Omega", "s": "omega"}


def main_groups(
    objects: Mapping[str, object], main: Sequence[MainObject], short: Callable[[Expr], Expr], whose: str = ""
) -> Iterator[Group | Words]:
    """Yield the main objects of a formalism under their names; of one that is too large to be read, how to get it.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> table = {"y": {"x": x, "z": y - y}}
    >>> list(main_groups({"connection": table}, [MainObject("connection", "B", "^_")], lambda e: e))
    [Group(title='connection', pairs=(('B^y_x', x),))]
    >>> both = [MainObject(name, "Delta", "__^") for name in ("curvature curvature", "curvature")]
    >>> list(main_groups({"curvature": {"complement": table, "curvature": {}}}, both, lambda e: e))
    [Group(title='curvature', pairs=(('Delta^a_i_j', 0),))]
    """
    said: set[str] = set()
    for one in main:
        value: Any = _found(objects, one.name)
        title = one.title or spoken(one.name)
        if isinstance(value, str):  # why it is left out
            yield Words(f"The {title} is {value}.")
            continue
        whole = one.letter in {"", "'"}
        entries = [((key,), e) for key, e in (value or {}).items()] if whole else list(_entries(value))
        if one.letter == _MULTIPLIER and isinstance(value, Mapping):
            entries = [((held_by(key, k),), e) for k, (key, e) in enumerate(value.items(), 1)]
        if value is None or title in said:  # it is inside another one, or by itself
            continue
        # a part of an object that has no entries is not what stands beside it: on a line a 2-form has no pair, and is 0
        if not entries and not (" " in one.name and "__" in one.indices):
            continue
        said.add(title)
        told = _told(one, entries, short, whose)
        if told:
            yield told if isinstance(told, Words) else Group(title, told)


def named_once(told: Iterable[Group | Words], motion: Equations) -> list[Group | Words]:
    """Return main objects beside the equations of motion: no letter that these have gets a second name.

    >>> from dalembert.expr import symbol
    >>> x, u = symbol("x"), symbol("u")
    >>> motion = Equations((Group("with the speeds", ((u, 2 * x.dot),)),))
    >>> velocities = Group("body velocities", (("xi_e1", 2 * x.dot),))
    >>> named_once([velocities, Group("", (("ell", symbol("xi_e1") ** 2),))], motion)[1].pairs
    (('ell', u^2),)
    """
    names: dict[str, Expr] = {}
    found: list[Group | Words] = []
    for one in told:
        if isinstance(one, Words):
            found.append(one)
            continue
        pairs = _by_speeds(one, motion).pairs
        again = {symbol(s): names[s.label] for s in symbols([e for _, e in pairs]) if s.label in names}
        right = substitute([e for _, e in pairs], again)
        found.append(Group(one.title, tuple(zip((left for left, _ in pairs), right, strict=True))))
        if one.title == _VELOCITIES:
            names |= {left: e for left, e in pairs if isinstance(left, str) and e.op == "symbol"}
    return found


def _by_speeds(told: Group, motion: Equations) -> Group:
    """Return names of velocities by those of the speeds that stand above and are the same: each is defined once."""
    if told.title != _VELOCITIES:
        return told
    speeds = [pair for group in motion.groups if group.title == SPEEDS for pair in group.pairs]
    known = {right: left for left, right in speeds if isinstance(left, Expr)}
    same = [(left, known.get(right, right)) for left, right in told.pairs]
    return Group(told.title, tuple((left, right) for left, right in same if str(left) != _name(right)))


def _name(side: object) -> str:
    return str(side.data.name) if isinstance(side, Expr) and side.op == "symbol" else ""


def spoken(name: str) -> str:
    """Return the name of an object as it is said.

    >>> spoken("reduced_lagrangian"), spoken("curvature curvature")
    ('reduced Lagrangian', 'curvature')
    """
    words = name.rpartition(" ")[2].replace("_", " ")
    for person in _PERSONS:
        words = words.replace(person, person.capitalize())
    return words


def _found(objects: Mapping[str, object], name: str) -> object:
    value: Any = objects
    for key in name.split(" "):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _told(
    one: MainObject, entries: Sequence[tuple[tuple[str, ...], Expr]], short: Callable[[Expr], Expr], whose: str
) -> Any:
    told = list(zip(entries, zeros([e for _, e in entries]), strict=True))
    if one.letter == "'" or (one.letter in _SAID_ZERO and not all(none for _, none in told)):
        there = [(i, ZERO if none else e) for (i, e), none in told]
    else:
        there = [(i, e) for (i, e), none in told if not none]
    if not there:
        return ((_bare(one), ZERO),)
    name = one.title or spoken(one.name)
    if (size := size_written([e for _, e in there])) > OBJECT:
        are, them = ("are", "them") if _several(name) else ("is", "it")
        return Words(f"The {name} {are} too long to be shown{written_elsewhere(size, whose, them)}.")
    kept = _once(there, one.indices)
    if len(kept) > _MOST:
        has = "have" if _several(name) else "has"
        return Words(f"The {name} {has} {len(kept)} components that are not zero; they are among the objects.")
    shown: list[Expr] = []
    try:
        for _, e in kept:  # no further one is worth its work where one stays long
            shown += unroll([short(e)])
            if tree_size(shown[-1]) > _TREE:
                break
    except DalembertError:  # a solve of a singular system has no formula
        return Words(f"The {name} {'have' if _several(name) else 'has'} no formula at generic points.")
    if tree_size(shown[-1]) > _TREE:
        said = "are long; they are" if _several(name) else "is long; it is"
        parts = f", with {'their' if _several(name) else 'its'} parts named"
        there_too = size_written([e for _, e in kept]) <= LISTED  # of more it is told there that it is too long
        return Words(f"The {name} {said} among the objects{parts if there_too else ''}.")
    pairs: list[Pair] = [(_label(one, i), e) for (i, _), e in zip(kept, shown, strict=True)]
    pairs = [(left, e) for (left, e), (_, long) in zip(pairs, kept, strict=True) if e is not ZERO or long is ZERO]
    return tuple((left, e) for left, e in pairs if left != _named(e)) if pairs else ((_bare(one), ZERO),)


def _several(name: str) -> bool:
    """Say whether the name of an object is that of several.

    >>> [_several(name) for name in ("multipliers", "Noether momenta", "bracket", "curvature")]
    [True, True, False, False]
    """
    return name.endswith(("s", "ta")) and not name.endswith("ss")


def _named(expression: Expr) -> str:
    """Return the letter that a formula is, where it is one: that lambda is lambda says nothing."""
    return str(expression.data.label) if expression.op == "symbol" else ""


def _bare(one: MainObject) -> str:
    """Return the letter of an object all of whose components vanish, with indices that stand for all of them.

    >>> [_bare(MainObject("x", *given)) for given in (("B", "^"), ("C", "__^"), ("{}", ""), ("H", ""))]
    ['B^a', 'C^a_i_j', '{ , }', 'H']
    """
    if one.letter.startswith("{"):
        return "{ , }"
    above, below = iter("abc"), iter("ijkl")
    return _label(one, [next(above if sign == "^" else below) for sign in one.indices])


def _label(one: MainObject, indices: Sequence[str]) -> str:
    """Return a letter with its indices; what is no letter and no short name has a number."""
    if one.letter.startswith("{"):  # of what is named, or of what has its names below
        of = one.letter.strip("{}")
        return f"{{{', '.join(f'{of}_{index}' if of else index for index in indices)}}}"
    if one.letter in {"", "'"}:
        return f"{indices[0]}{one.letter}"
    if not indices:
        return one.letter
    signs = one.indices or "_"
    placed = [(signs[min(k, len(signs) - 1)], index) for k, index in enumerate(indices)]
    above = "".join(index for sign, index in placed if sign == "^")
    below = "".join(f"_{index}" for sign, index in placed if sign == "_")
    return f"{one.letter}{f'^{above}' if above else ''}{below}"


def _once(there: Sequence[tuple[tuple[str, ...], Expr]], signs: str) -> list[tuple[tuple[str, ...], Expr]]:
    """Leave out what is, with two neighbours below exchanged, the same or the opposite of what is there."""
    at = signs.find("__")
    kept: dict[tuple[str, ...], Expr] = {}
    for index, entry in there:
        if at >= 0 and at + 1 < len(index):
            other = kept.get((*index[:at], index[at + 1], index[at], *index[at + 2 :]))
            if other is not None and any(zeros([entry + other, entry - other])):
                continue
        kept[index] = entry
    return list(kept.items())


def _entries(value: object, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Expr]]:
    """Yield the components of a table by their indices."""
    if isinstance(value, Expr):
        yield before, value
    elif isinstance(value, Mapping):
        for k, (key, part) in enumerate(value.items(), 1):
            names = str(key).split(", ")
            bracket = len(names) == 2 and not before and isinstance(part, Expr)
            indices = names if bracket else [_index(name, k) for name in names]
            yield from _entries(part, (*before, *indices))
    elif isinstance(value, list | tuple):
        for k, part in enumerate(value, 1):
            yield from _entries(part, (*before, str(k)))


def _index(name: str, number: int) -> str:
    """Return a name as an index; angular velocities by their letters, what is long or no name by its number.

    >>> _index("theta'", 1), _index("R.w2", 1), _index("xi_1", 1), _index("the front wheel rolls", 3)
    ('theta', 'Omega2', 'xi1', '3')
    >>> _index("rolls_in_x", 2), _index("rear_turn", 2)
    ('2', 'rear turn')
    """
    plain = name.rstrip("'")
    whole, point, part = plain.partition(".")
    if point:
        if whole != "R" and part[:1] in _ROTATES:
            return f"{whole}_{part}"
        plain = f"{_ROTATES.get(part[:1], part[:1]) if whole == 'R' else whole}{part[1:]}"
    several = plain.count("_") > 1  # a sentence, not a name with an index
    stem, _, below = plain.partition("_")
    plain = f"{stem} {below}" if below.isalpha() and len(stem) > 1 else f"{stem}{below}"
    word = plain.replace(" ", "")
    return plain if word.isalnum() and len(word) <= _WORD and not several else str(number)


def held_by(constraint: str, number: int) -> str:
    """Return the index of a multiplier as formulas have it: the whole name of its constraint, if that is a name.

    >>> held_by("rolls_in_x", 2), held_by("left rolls 1", 1), held_by("wheel (left)", 3)
    ('rolls_in_x', 'left_rolls_1', '3')
    """
    name = constraint.replace(" ", "_")
    return name if name.isidentifier() else _index(constraint, number)


# -- in words --------------------------------------------------------------------------------------------------
def growth_told(objects: Mapping[str, object]) -> Words | None:
    """Return the growth vector of the constraints, and what it says.

    >>> growth_told({"growth_vector": [2, 3]}).text
    'Growth vector (2, 3): brackets of the allowed directions reach 3 dimensions in 1 step.'
    """
    grown = objects.get("growth_vector")
    if not isinstance(grown, list) or not grown:
        return None
    steps = len(grown) - 1
    if not steps:
        said = "the allowed directions are closed under brackets: the constraints are integrable."
    else:
        several = f"{steps} step{'s' * (steps != 1)}"
        said = f"brackets of the allowed directions reach {grown[-1]} dimensions in {several}."
    return Words(f"Growth vector ({', '.join(map(str, grown))}): {said}")


def symmetries_told(objects: Mapping[str, object], system: System) -> Section | None:
    """Return the symmetries of the motion that a search found, as vector fields; nothing where there is none.

    Beside constraints on positions they are those of motions for all values of what is held, and so no answer here:
    the slide of a crank is not free to be shifted. What ``discover`` finds is.
    """
    found = objects.get("symmetries")
    if not isinstance(found, list) or not found or system.points or system.holonomic:
        return None
    chart = Chart.of(*system.q)
    fields = []
    for one in found:
        along = one.get("generator", {}) if isinstance(one, Mapping) else {}
        components = tuple(along.get(q.data.name, ZERO) for q in chart.coordinates)
        if along and all(isinstance(c, Expr) and tree_size(c) <= _TREE for c in components):
            fields.append(field_combination(VectorField(chart, components)))
    return Section("Symmetries of the motion", (Listing(tuple(fields), form="inline"),), level=3) if fields else None
