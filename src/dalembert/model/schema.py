"""The shape of a model file as a JSON Schema: what editors complete from, and what other programs check a file with.

It says which tables and keys there are and what kind of value each takes; that names are declared, that expressions
can be read and that constraints fit together is for ``loads`` to say. It refuses nothing that ``loads`` takes.
Parts of machines come from the typed tables that Python's users write, domains and signs from the tuples that are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any, Final, Literal, Required, Union, get_args, get_origin, get_type_hints, is_typeddict

from dalembert.bodies import tables as parts
from dalembert.expr.symbols import DOMAINS
from dalembert.model.algebra import ALGEBRA_KEYS
from dalembert.model.declarations import SIGNS
from dalembert.model.facts import CONSTRAINTS_AS, SYMMETRIES_AS
from dalembert.model.kinds import KINDS
from dalembert.model.reading import MOST_ENTRIES
from dalembert.model.structures import CONNECTIONS
from dalembert.model.symmetries import EVIDENT

Schema = dict[str, Any]
DRAFT: Final = "http://json-schema.org/draft-07/schema#"
"""The version that editors of TOML read."""


def model_schema() -> Schema:
    """Return the JSON Schema of a model file.

    >>> schema = model_schema()
    >>> schema["properties"]["coordinates"]["anyOf"][0]["additionalProperties"]["enum"]
    ['real', 'angle', 'positive', 'negative', 'nonzero', 'rotation', 'direction']
    """
    return {
        "$schema": DRAFT,
        "title": "A mechanical system, as dalembert reads it",
        "type": "object",
        "properties": {name: {"description": said, **shape} for name, (said, shape) in _tables().items()},
        "additionalProperties": False,
        "definitions": {"formula": _WRITTEN},
    }


# -- kinds of values -----------------------------------------------------------------------------------------
_WRITTEN: Final[Schema] = {
    "description": 'An expression: text such as "m*x\'^2/2", or a number.',
    "type": ["string", "number"],
}
_FORMULA: Final[Schema] = {"$ref": "#/definitions/formula"}
_TEXT: Final[Schema] = {"type": "string"}
_WHOLE: Final[Schema] = {"type": "integer"}
_ANSWER: Final[Schema] = {"type": "boolean"}
_ANYTHING: Final[Schema] = {}


def _one_of(*shapes: Schema) -> Schema:
    return {"anyOf": list(shapes)}


def _word(words: Sequence[str]) -> Schema:
    return {"enum": list(words)}


def _list_of(shape: Schema) -> Schema:
    return {"type": "array", "items": shape}


def _by_name(shape: Schema) -> Schema:
    """Return a table whose keys are names that the model gives."""
    return {"type": "object", "additionalProperties": shape, "maxProperties": MOST_ENTRIES}


def _record(keys: Mapping[str, Schema], needed: Sequence[str] = (), said: str = "") -> Schema:
    """Return a table with keys of its own."""
    shape: Schema = {"type": "object", "properties": dict(keys), "additionalProperties": False}
    if needed:
        shape["required"] = list(needed)
    return {"description": said, **shape} if said else shape


def _several(shape: Schema) -> Schema:
    """Return what is named one by one, numbered in a list, or single."""
    return _one_of(_by_name(shape), _list_of(shape), shape)


_NAMES: Final = _one_of(_list_of(_TEXT), _TEXT)
_COMPONENTS: Final = _by_name(_one_of(_FORMULA, _by_name(_FORMULA)))
"""By coordinate; ``R.w1 = 1`` is the entry w1 of a table R in TOML."""


# -- from the types of Python --------------------------------------------------------------------------------
def _of_type(hint: Any) -> Schema:
    """Return the shape of what a type of the parts of machines admits."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Required:
        return _of_type(inner[0])
    if origin is Literal:
        return _word(inner)
    if is_typeddict(hint):
        return _of_part(hint)
    if hint in {str, bool}:
        return _TEXT if hint is str else _ANSWER
    if hint == parts.Formula:
        return _FORMULA
    if origin in {Union, UnionType}:
        there = [_of_type(one) for one in inner if one not in get_args(parts.Formula)]
        if set(get_args(parts.Formula)) <= set(inner):
            there.insert(0, _FORMULA)
        elif str in inner:
            there.insert(0, _TEXT)
        return _one_of(*there)
    if origin is Sequence:
        return _list_of(_of_type(inner[0]))
    assert hint is Any, hint
    return _ANYTHING


def _of_part(part: type[Any]) -> Schema:
    """Return the shape of a part of a machine from its typed table."""
    hints = get_type_hints(part, include_extras=True)
    needed = [key for key, hint in hints.items() if get_origin(hint) is Required]
    said = (part.__doc__ or "").partition("\n")[0].replace("``", "")
    return _record({key: _of_type(hint) for key, hint in hints.items()}, needed, said)


# -- all tables ----------------------------------------------------------------------------------------------
def _tables() -> dict[str, tuple[str, Schema]]:
    """Return what each table says, and its shape."""
    values = _by_name(_one_of(_FORMULA, _list_of(_ANYTHING), _by_name(_ANYTHING)))
    valued = _one_of(_FORMULA, _record({"value": _FORMULA, "sign": _word([*SIGNS])}))
    algebra = _record(dict.fromkeys(ALGEBRA_KEYS, _ANYTHING), ["velocities"])
    arguments = _one_of(_list_of(_TEXT), _WHOLE)
    free = "Free text, numbers, lists and tables, kept as they are."
    return {
        "name": ("The name of the system, one line.", _TEXT),
        "lagrangian": ("The Lagrangian in t, coordinates and derivatives; above the first table.", _FORMULA),
        "notes": (free, _ANYTHING),
        "source": (free, _ANYTHING),
        "references": (free, _ANYTHING),
        "drawing": ("What to draw of the mechanism: a list of shapes.", _by_name(_ANYTHING)),
        "coordinates": (
            "Coordinates with their domains, in the order of the chart; rotations and directions have parts.",
            _one_of(_by_name(_word([*DOMAINS, *KINDS])), _NAMES),
        ),
        "parameters": (
            "Parameters with their values; positive unless a sign is told.",
            _one_of(_by_name(valued), _NAMES),
        ),
        "functions": (
            "Unspecified functions: of which arguments, and a value where they are to be integrated.",
            _several(_one_of(_record({"of": arguments, "value": _FORMULA}), arguments)),
        ),
        "let": ("Named expressions, in order.", _several(_FORMULA)),
        "speeds": ("Names for what is affine in the velocities; equations are in these.", _several(_FORMULA)),
        "equations": ("Instead of a Lagrangian: x'' or x' of some coordinates.", _COMPONENTS),
        "constraints": ("Equations in t, coordinates and velocities.", _several(_FORMULA)),
        "holonomic": ("Equations on positions; their rates are constraints.", _several(_FORMULA)),
        "forces": (
            "Generalised forces by coordinate or speed; of a machine also loads by name.",
            _by_name(_one_of(_FORMULA, *map(_of_part, get_args(parts.Load)), _by_name(_FORMULA))),
        ),
        "controls": (
            "Inputs in forces or equations, with the value for a run.",
            _one_of(_by_name(_one_of(_FORMULA, _record({}), _list_of(_TEXT))), _NAMES),
        ),
        "virtual": ("One-forms that annihilate virtual displacements.", _several(_one_of(_FORMULA, _COMPONENTS))),
        "fibration": (
            "Which velocities the constraints give.",
            _one_of(_record({"dependent": _NAMES, "other": _NAMES}), _NAMES),
        ),
        "bundle": ("Base, fibre and connection of a reduction.", _bundle()),
        "symmetry": (
            f'Generators by component, or "{EVIDENT}".',
            _one_of(_word([EVIDENT]), _by_name(_COMPONENTS), _list_of(_COMPONENTS)),
        ),
        "momentum": ("The value of the momentum of each generator.", _one_of(_by_name(_FORMULA), _list_of(_FORMULA))),
        "assume": ("Equations used as facts.", _several(_FORMULA)),
        "start": (
            "The initial state: coordinates, velocities, speeds, multipliers, costates p.x, guesses near.x.",
            values,
        ),
        "end": ("The final state of a boundary problem.", values),
        "run": ("How to integrate, where nothing else is said.", _run()),
        "subsystem": ("Candidate subsystems and reduction data.", _by_name(_ANYTHING)),
        "facts": ("What is known to come out; check SYSTEM fact decides it.", _facts()),
        "frames": ("Frames, turned from the ground or from another one.", _by_name(_of_part(parts.Frame))),
        "points": ("Points at an offset from others.", _by_name(_one_of(_of_part(parts.Point), _list_of(_FORMULA)))),
        "bodies": ("Rigid bodies.", _by_name(_of_part(parts.Body))),
        "joints": ("Joints, gears and belts.", _by_name(_one_of(_of_part(parts.Joint), _of_part(parts.Coupling)))),
        "contacts": ("Where bodies touch, and how.", _by_name(_of_part(parts.Contact))),
        "stops": ("Functions at whose zeros a motion ends.", _several(_FORMULA)),
        "bracket": (
            "An almost-Poisson bracket by pairs of coordinates, and a hamiltonian.",
            {"type": "object", "required": ["hamiltonian"], "additionalProperties": _FORMULA},
        ),
        "algebra": ("The Lie algebra of velocities that belong to no coordinates.", algebra),
    }


def _bundle() -> Schema:
    adapted = _one_of(_FORMULA, _record({"value": _FORMULA, "domain": _word(DOMAINS)}))
    return _record(
        {
            "base": _NAMES,
            "fibre": _NAMES,
            "connection": _one_of(_word(CONNECTIONS), _several(_one_of(_FORMULA, _COMPONENTS))),
            "adapted": _several(adapted),
            "inverse": _by_name(_FORMULA),
            "loops": _by_name(_by_name(_FORMULA)),
        }
    )


def _run() -> Schema:
    numbers = dict.fromkeys(("time", "begin", "tolerance", "max_step"), _FORMULA)
    return _record({**numbers, "samples": _FORMULA, "engine": _TEXT, "formalism": _TEXT, "events": _by_name(_TEXT)})


def _facts() -> Schema:
    return _record(
        {
            "dimension": _WHOLE,
            "energy_conserved": _ANSWER,
            "regular": _ANSWER,
            "symmetries": _by_name(_word(SYMMETRIES_AS)),
            "algebra": _TEXT,
            "constraints": _by_name(_word(CONSTRAINTS_AS)),
            "growth": _list_of(_WHOLE),
            "holonomic": _ANSWER,
            **dict.fromkeys(("integrals", "varying", "critical"), _by_name(_FORMULA)),
        }
    )
