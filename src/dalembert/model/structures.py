"""One-forms, generators, momenta and bundles of a statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from dalembert.errors import kind_of
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import ZERO, Expr, symbol
from dalembert.expr.symbols import DOMAINS, Symbol
from dalembert.expr.truth import freed_from, vanish
from dalembert.expr.vocabulary import Vocabulary, fault_of_name
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import VectorField
from dalembert.geometry.quaternions import left_field, right_field, turned_vector
from dalembert.model.faults import Path
from dalembert.model.kinds import Point
from dalembert.model.parts import Bundle, Generator, OneForm
from dalembert.model.reading import Place, Reader
from dalembert.model.table import Table

CONNECTIONS: Final = ("trivial", "mechanical", "constraint")
"""Connections that have a name."""
SIDES: Final = {"left": left_field, "right": right_field}
"""How a rotation may be turned: about an axis of space, or of the body."""
IN_PARAMETERS: Final = "it is a number or an expression in parameters"

_CONNECTION: Final = Place("a connection", 0)
_ADAPTED: Final = Place("an adapted coordinate", 0, time=False)
_INVERSE: Final = Place("a coordinate as a function of adapted ones", 0, time=False)
_LOOP: Final = Place("a loop", -1, remedy="its coordinates are functions of t and parameters")
_GENERATOR: Final = Place("a generator", 0, remedy="its components are functions of coordinates and t")
_MOMENTUM: Final = Place("the value of a momentum", -1, time=False, remedy=IN_PARAMETERS)


# -- one-forms -----------------------------------------------------------------------------------------------
def read_forms(
    reader: Reader, told: Any, path: Path, place: Place, points: Iterable[Point] = (), speeds: Iterable[Expr] = ()
) -> Table[str, OneForm]:
    """Return named one-forms on coordinates and speeds: that of a speed w has the value w on a velocity."""
    wholes = {point.name: point for point in points}
    known = {one.data.name: one for one in speeds}
    several = reader.entries(told, path, "w")
    forms = {name: _form(reader, value, where, place, wholes, known) for name, value, where in several}
    return Table({name: form for name, form in forms.items() if form is not None})


def _form(
    reader: Reader, told: Any, path: Path, place: Place, wholes: Mapping[str, Point], speeds: Mapping[str, Expr]
) -> OneForm | None:
    """Return a one-form given by coefficients, as ``{ z = "1", x = "-y" }``, or as text, as ``dz - y*dx``."""
    if isinstance(told, Mapping):
        read = _by_coordinate(reader, _by_parts(told, wholes), path, place, speeds)
    else:
        read = _form_from_text(reader, told, path, place)
    if read is None:
        return None
    form = _in_order(reader, read)
    if not form:
        reader.faults.add(path, "this one-form is zero", "remove it")
    return form or None


def _by_coordinate(
    reader: Reader, told: Mapping[Any, Any], path: Path, place: Place, more: Mapping[str, Expr] | None = None
) -> dict[Expr, Expr] | None:
    """Return expressions by coordinate, or by some further variables, if all of them can be read."""
    found: dict[Expr, Expr] = {}
    further = more or {}
    for key, value in told.items():
        where = (*path, str(key))
        coordinate = further.get(str(key))
        if coordinate is None:
            coordinate = reader.coordinate(key, where, known=list(further))
        read = reader.expression(value, where, place)
        if coordinate is not None and read is not None:
            found[coordinate] = read
    return found if len(found) == len(told) else None


def _form_from_text(reader: Reader, told: Any, path: Path, place: Place) -> dict[Expr, Expr] | None:
    words = reader.words
    signs = {f"d{name}": name for name in words.coordinates}
    signs = {sign: name for sign, name in signs.items() if sign not in words and not fault_of_name(sign)}
    more = _with_names(words, [*words.extra, *signs])
    equation = reader.equation(told, path, place, more)
    if equation is None:
        return None
    differentials = [more[sign] for sign in signs]
    coefficients = freed_from(gradient(equation.expression, differentials), differentials)
    (rest,) = substitute([equation.expression], dict.fromkeys(differentials, ZERO))
    if coefficients is None or not vanish([rest]):
        reader.faults.add(
            path, "this is not a one-form", "write one factor such as dx, for a coordinate x, in each term"
        )
        return None
    return {words[name]: c for name, c in zip(signs.values(), coefficients, strict=True)}


def _with_names(words: Vocabulary, names: Iterable[str]) -> Vocabulary:
    """Return a vocabulary with other further variables."""
    return Vocabulary(words.coordinates, words.parameters, words.functions, words.let, dict.fromkeys(names, "real"))


def _in_order(reader: Reader, components: Mapping[Expr, Expr]) -> Table[Expr, Expr]:
    """Return components in the order of the coordinates, then those of speeds, without zeros."""
    place = {name: i for i, name in enumerate(reader.words.coordinates)}
    ordered = sorted(components.items(), key=lambda entry: place.get(entry[0].data.name, len(place)))
    return Table((q, component) for q, component in ordered if not vanish([component]))


# -- symmetry and momentum -----------------------------------------------------------------------------------
def read_symmetry(reader: Reader, told: Any, points: Iterable[Point] = ()) -> Table[str, Generator]:
    """Return the generators, in their order; rotations may be turned ``left`` or ``right``, directions ``left``."""
    wholes = {point.name: point for point in points}
    several = [told] if isinstance(told, VectorField) else told
    found = {}
    for name, value, path in reader.entries(several, ("symmetry",), "e"):
        if isinstance(value, VectorField):
            value = dict(zip(value.chart.coordinates, value.components, strict=True))
        if not isinstance(value, Mapping):
            what = f"{kind_of(value)} stands where a generator is expected"
            reader.faults.add(path, what, 'write its components, as in { x = "1" }')
            continue
        value = _by_parts(value, wholes)
        time = reader.expression(value["t"], (*path, "t"), _GENERATOR) if "t" in value else ZERO
        turns = {key: told for key, told in value.items() if key in wholes}
        rest = {key: component for key, component in value.items() if key != "t" and key not in turns}
        components = _by_coordinate(reader, rest, path, _GENERATOR)
        turned = {key: _turn(reader, told, (*path, key), wholes[key]) for key, told in turns.items()}
        for key, turn in turned.items():
            if components is not None and turn is not None:
                components |= _turning(wholes[key], turn, reader, path, rest)
        if components is not None and time is not None and None not in turned.values():
            about = Table({key: turn for key, turn in turned.items() if turn is not None})
            found[name] = Generator(_in_order(reader, components), ZERO if vanish([time]) else time, about)
    return Table(found)


def _by_parts(told: Mapping[Any, Any], wholes: Mapping[str, Point]) -> dict[Any, Any]:
    """Return components by name: TOML reads ``R.q0 = "1"`` as the entry q0 of a table R."""
    found: dict[Any, Any] = {}
    for key, value in told.items():
        inner = isinstance(value, Mapping) and key in wholes
        found |= {f"{key}.{part}": one for part, one in value.items()} if inner else {key: value}
    return found


def _turn(reader: Reader, told: Any, path: Path, point: Point) -> tuple[str, int] | None:
    """Return on which side a rotation or a direction is turned, and about which axis."""
    words = told.split() if isinstance(told, str) else []
    sides = list(SIDES) if point.is_rotation else ["left"]
    if len(words) == 2 and words[0] in sides and words[1] in ("1", "2", "3"):
        return words[0], int(words[1])
    also = " or 'right 3'" if point.is_rotation else ": a direction has no axes of its own"
    remedy = f"write 'left 3' (about an axis of space){also}"
    reader.faults.add(path, f"{told!r} is no turn of a {point.kind}", remedy)
    return None


def _turning(
    point: Point, turn: tuple[str, int], reader: Reader, path: Path, beside: Mapping[Any, Any]
) -> dict[Expr, Expr]:
    """Return the components of a turn along the quaternion, or the unit vector."""
    for key in beside:
        if str(key).startswith(f"{point.name}."):
            reader.faults.add((*path, str(key)), f"'{point.name}' is turned already", "say it in one way")
    field = SIDES[turn[0]] if point.is_rotation else turned_vector
    return dict(zip(point.components, field(point.components, turn[1]), strict=True))


def read_momentum(reader: Reader, told: Any, generators: Iterable[str]) -> Table[str, Expr]:
    """Return the values of the momenta, by generator; a list has them in the order of the generators."""
    if isinstance(told, list | tuple):
        names = list(generators)
        if len(told) != len(names):
            reader.faults.add(("momentum",), f"{len(told)} momenta are given, but the generators number {len(names)}")
        told = dict(zip(names, told, strict=False))
    found = {}
    for name, value in reader.table(told, ("momentum",)).items():
        read = reader.expression(value, ("momentum", str(name)), _MOMENTUM)
        if read is not None:
            found[str(name)] = read
    return Table(found)


# -- bundles -------------------------------------------------------------------------------------------------
def read_bundle(reader: Reader, told: Any) -> Bundle:
    """Return base, fibre, connection and adapted coordinates."""
    told = reader.table(told, ("bundle",), ("base", "fibre", "connection", "adapted", "inverse", "loops"))
    adapted, unsolved = _adapted(reader, told.get("adapted", {}), bool(told.get("inverse")))
    new = {one.data.name: one for one in (*adapted, *unsolved)}
    return Bundle(
        reader.coordinates(told.get("base", []), ("bundle", "base"), new),
        reader.coordinates(told.get("fibre", []), ("bundle", "fibre"), new),
        _connection(reader, told.get("connection")),
        adapted,
        _inverse(reader, told.get("inverse", {}), new),
        _loops(reader, told.get("loops", {}), new),
        unsolved,
    )


def _adapted(reader: Reader, told: Any, by_inverse: bool) -> tuple[Table[Expr, Expr], tuple[Expr, ...]]:
    """Return new coordinates with what they are, and those that the inverse alone tells of."""
    found, unsolved = {}, []
    for name, value, path in reader.entries(told, ("bundle", "adapted"), "y"):
        domain: Any = "real"
        untold = False
        if isinstance(value, Mapping):
            stated = reader.table(value, path, ("value", "domain"))
            untold = by_inverse and "value" not in stated
            value, domain = stated.get("value"), stated.get("domain", "real")
        read = None if untold else reader.expression(value, path, _ADAPTED)
        fault = fault_of_name(name)
        if not fault and name in reader.words:
            fault = f"'{name}' is already declared"
        elif domain not in DOMAINS:
            fault = f"a domain is one of {', '.join(DOMAINS)}"
        if fault:
            reader.faults.add(path, fault)
        elif untold:
            unsolved.append(symbol(Symbol(name, domain=domain)))
        elif read is not None:
            found[symbol(Symbol(name, domain=domain))] = read
    return Table(found), tuple(unsolved)


def _inverse(reader: Reader, told: Any, new: Mapping[str, Expr]) -> Table[Expr, Expr]:
    words, path = reader.words, ("bundle", "inverse")
    domains = {name: one.data.domain for name, one in new.items()}
    more = Vocabulary(words.coordinates, words.parameters, words.functions, words.let, domains)
    found = {}
    for key, value in reader.table(told, path).items():
        coordinate = reader.coordinate(key, (*path, str(key)))
        read = reader.expression(value, (*path, str(key)), _INVERSE, more)
        if coordinate is not None and read is not None:
            found[coordinate] = read
    return Table(found)


def _loops(reader: Reader, told: Any, new: Mapping[str, Expr]) -> Table[str, Table[Expr, Expr]]:
    found = {}
    for name, stated in reader.table(told, ("bundle", "loops")).items():
        path, curve = ("bundle", "loops", str(name)), {}
        for key, value in reader.table(stated, path).items():
            known = str(key) in new
            coordinate = new[str(key)] if known else reader.coordinate(key, (*path, str(key)))
            read = reader.expression(value, (*path, str(key)), _LOOP)
            if coordinate is not None and read is not None:
                curve[coordinate] = read
        found[str(name)] = Table(curve)
    return Table(found)


def _connection(reader: Reader, told: Any) -> str | Table[str, OneForm] | None:
    path = ("bundle", "connection")
    if told is None:
        return None
    if isinstance(told, str) and told in CONNECTIONS:
        return told
    if isinstance(told, str) and told.isalpha():
        what = f"'{told}' is not one of the connections with a name: {', '.join(CONNECTIONS)}"
        reader.faults.add(path, what, "or give it by one-forms")
        return None
    return read_forms(reader, told, path, _CONNECTION)
