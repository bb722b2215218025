"""What was found, put into a model: the text stays as it is written, with an entry more."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping
from typing import Any

from dalembert.errors import DalembertError
from dalembert.lab.looking import FACTS, SYMMETRY, model_key, stated

INTEGRALS = "integrals"


def insert(text: str, kind: str, entries: Mapping[str, str], of: str) -> dict[str, Any]:
    r"""Return a model with entries of [symmetry], or of [facts.integrals], more; what is there already stays.

    Entries of [symmetry] are tables as text, of integrals expressions. A model that would be wrong is refused, and
    one that is not the model in which they were found: ``of`` is the key of that.

    >>> fall = 'lagrangian = "z\'^2/2"\n[coordinates]\nz = "real"\n'
    >>> print(insert(fall, "symmetry", {"e1": '{ z = "1" }'}, model_key(fall))["text"])
    lagrangian = "z'^2/2"
    [coordinates]
    z = "real"
    <BLANKLINE>
    [symmetry]
    e1 = { z = "1" }
    """
    import tomlkit

    if of != model_key(text):
        raise DalembertError("these results are of another model; search again in this one.")
    stated(text)
    document = tomlkit.parse(text)
    table = _table(document, SYMMETRY) if kind == SYMMETRY else _table(_table(document, FACTS), INTEGRALS)
    there = [_plain(value) for value in table.values()]
    told = {name: value if kind == INTEGRALS else _inline(value) for name, value in entries.items()}
    new = {name: value for name, value in told.items() if _plain(value) not in there}
    for name, value in new.items():
        table[_free(name, table)] = value
    made = _spaced(tomlkit.dumps(document), text) if new else text
    stated(made)
    return {"text": made, "inserted": len(new)}


def _table(parent: Any, name: str) -> MutableMapping[str, Any]:
    import tomlkit

    if name not in parent:
        parent[name] = tomlkit.table()
    found = parent[name]
    if not isinstance(found, MutableMapping):
        raise DalembertError(f"[{name}] of this model is no table, so that nothing is put into it.")
    return found


def _spaced(made: str, before: str) -> str:
    """Return a text with an empty line behind a new entry that would stand right above the next table."""
    old, lines = set(before.split("\n")), made.split("\n")
    news = [
        line not in old and next_one.startswith("[") for line, next_one in zip(lines, [*lines[1:], ""], strict=True)
    ]
    return "\n".join(f"{line}\n" if new and line else line for line, new in zip(lines, news, strict=True))


def _plain(value: Any) -> Any:
    """Return an entry so that those that say the same are equal: 1 or "1"."""
    return {str(key): str(part) for key, part in value.items()} if isinstance(value, Mapping) else str(value)


def _inline(value: str) -> Any:
    import tomlkit

    try:
        told = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        told = None
    if not isinstance(told, dict):
        raise DalembertError(f"a generator is a table of components, not {value[:60]}.")
    return tomlkit.parse(f"value = {value}")["value"]


def _free(name: str, table: Mapping[str, Any]) -> str:
    """Return a name that is not taken yet: e1 where it is free, else e2, and so on."""
    plain = name.rstrip("0123456789") or name
    return next(n for n in (name, *(f"{plain}{k}" for k in range(1, 10_000))) if n not in table)
