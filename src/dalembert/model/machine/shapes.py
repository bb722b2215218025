"""The shape of the parts of a machine, looked at before anything is built of them: a name is text, a table has keys.

What has another shape is told and left out, so that whoever builds a part need not ask.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Required, get_args, get_origin, get_type_hints

from dalembert.bodies import tables as stated
from dalembert.errors import kind_of
from dalembert.model.faults import Faults, Path
from dalembert.model.machine.stated import PARTS

_KINDS: Final[Mapping[str, tuple[type[Any], ...]]] = {
    "frames": (stated.Frame,),
    "points": (stated.Point,),
    "bodies": (stated.Body,),
    "joints": (stated.Joint, stated.Coupling),
    "contacts": (stated.Contact,),
}


def with_readable_parts(tables: Mapping[str, Any], faults: Faults) -> dict[str, Any]:
    """Return a statement without what cannot be the name of a part, or a table of parts; what is left out is told.

    >>> faults = Faults()
    >>> with_readable_parts({"joints": {"pin": {"type": "revolute", "child": 3}}, "bodies": 5}, faults)
    {'joints': {'pin': {'type': 'revolute'}}, 'bodies': {}}
    >>> len(faults)
    2
    """
    return {key: _readable(key, value, faults) if key in PARTS else value for key, value in tables.items()}


def _readable(table: str, told: Any, faults: Faults) -> dict[str, Any]:
    if not isinstance(told, Mapping):
        faults.add(
            (table,), f"{kind_of(told)} stands where a table is expected", f"write [{table}] and name = {{ ... }}"
        )
        return {}
    return {name: _part(entry, (table, str(name)), faults) for name, entry in told.items()}


def _part(told: Any, path: Path, faults: Faults) -> Any:
    if not isinstance(told, Mapping):
        return told
    hints = {key: hint for kind in _KINDS[path[0]] for key, hint in get_type_hints(kind, include_extras=True).items()}
    return {key: value for key, value in told.items() if _fits(value, hints.get(key), (*path, str(key)), faults)}


def _fits(value: Any, hint: Any, path: Path, faults: Faults) -> bool:
    """Say whether a value can be a name where one is expected, or a list of names; all else is looked at elsewhere."""
    hint = get_args(hint)[0] if get_origin(hint) is Required else hint
    several = Sequence[str] in {hint, *get_args(hint)} and isinstance(value, list | tuple)
    if several and all(isinstance(one, str) for one in value):
        return True
    if hint not in {str, str | Sequence[str], Sequence[str]} or (isinstance(value, str) and hint != Sequence[str]):
        return True
    faults.add(path, f"{kind_of(value)} stands where {'names are' if hint == Sequence[str] else 'a name is'} expected")
    return False
