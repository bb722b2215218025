"""Whether a statement has parts of a machine: asked of every model, before anything that builds one is loaded."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

PARTS: Final = ("frames", "points", "bodies", "joints", "contacts")
"""The tables of a machine."""
ROBOTS: Final = (".urdf", ".mjcf", ".xml")
"""How the names of files end that hold a robot."""


def is_machine(tables: Mapping[str, Any]) -> bool:
    """Say whether a statement has parts."""
    return any(part in tables for part in PARTS)


def names_of_parts(tables: Mapping[str, Any]) -> set[str]:
    """Return the names of all parts, of which names with a point are made."""
    several = [tables[part] for part in PARTS if isinstance(tables.get(part), Mapping)]
    joints = tables.get("joints")
    told = [one for one in joints.values() if isinstance(one, Mapping)] if isinstance(joints, Mapping) else []
    names = [name for entries in several for name in entries] + [one.get("child") for one in told]
    forces = tables.get("forces")
    names += [name for name, told in forces.items() if is_load(told)] if names and isinstance(forces, Mapping) else []
    return {name for name in names if isinstance(name, str)} | ({"lambda"} if names else set())


def is_load(value: Any) -> bool:
    """Say whether an entry of [forces] is one on parts of a machine, and not a generalised force."""
    return isinstance(value, Mapping)
