"""A robot in MJCF as the tables of a machine, with notes of what has no place in it."""

from __future__ import annotations

from typing import Any

from dalembert.model.machine.mjcf.actuators import add_actuators
from dalembert.model.machine.mjcf.document import Document, Open
from dalembert.model.machine.mjcf.equalities import add_equalities
from dalembert.model.machine.mjcf.places import in_text
from dalembert.model.machine.mjcf.tree import Robot
from dalembert.model.machine.xml import Element, several


def tables_of_mjcf(root: Element, read: Open | None = None) -> dict[str, Any]:
    """Return the tables of a robot; ``read`` returns the text of a file that it includes.

    >>> from dalembert.model.machine.xml import elements
    >>> tables = tables_of_mjcf(elements('''<mujoco model="pendulum"><worldbody>
    ...   <body name="bob" pos="0 0 2"><joint name="pin" axis="0 1 0" range="-90 90"/>
    ...     <geom type="capsule" size="0.05" fromto="0 0 0 0 0 -1" mass="2"/></body>
    ... </worldbody></mujoco>'''))
    >>> tables["joints"]["pin"]["at"], tables["run"]["events"]["upper limit of pin"]
    (['0', '0', '2'], 'pin = pi*(1/2) rising stop')
    >>> tables["notes"]
    'Read from MJCF without contacts. A motion ends where a joint reaches its limit.'
    """
    document = Document.of(root, read)
    robot = Robot(document)
    robot.grow()
    add_equalities(robot)
    add_actuators(robot)
    tables = robot.tables
    if any(True for _ in _geoms(root)) and document.setting("flag", "contact", "enable") == "enable":
        document.omit("contacts")
    pull = several(document.setting("option", "gravity", "0 0 -9.81"), root, "gravity", 3)
    if any(pull) and tables["bodies"] and document.setting("flag", "gravity", "enable") == "enable":
        tables["forces"] = {"weight": {"gravity": in_text(pull)}, **tables["forces"]}
    events = tables.pop("events")
    stated = {
        "name": root.get("model") or "robot",
        "notes": _notes(document, limited=bool(events)),
        "lagrangian": " + ".join(robot.energies),
        **tables,
        "run": {"events": events} if events else {},
    }
    return {key: value for key, value in stated.items() if value}


def _geoms(element: Element) -> Any:
    """Yield the geoms of the world."""
    for child in element.children:
        if child.tag == "geom":
            yield child
        elif child.tag in {"worldbody", "body"}:
            yield from _geoms(child)


def _notes(document: Document, *, limited: bool) -> str:
    left = ", ".join(document.left_out)
    said = [f"Read from MJCF without {left}." if left else "Read from MJCF."]
    said += ["A motion ends where a joint reaches its limit."] if limited else []
    return " ".join([*said, *document.remarks])
