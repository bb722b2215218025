"""Robots in XML: which language a file is in, and which other files it may open."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from dalembert.errors import Fault, ModelError
from dalembert.model.machine.mjcf import tables_of_mjcf
from dalembert.model.machine.urdf import tables_of_urdf
from dalembert.model.machine.xml import elements

_MOST_BYTES: Final = 1_000_000


def tables_of_robot(text: str, folder: Path | None = None, *, wheels: bool = False) -> dict[str, Any]:
    """Return the tables of a robot in URDF or MJCF; files that it includes are in its folder, or are refused.

    >>> tables_of_robot('<robot name="stone"><link name="stone"/></robot>')["notes"]
    "Its root link 'stone' is held. Read from URDF."
    """
    root = elements(text)
    if root.tag == "robot":
        return tables_of_urdf(root, wheels=wheels)
    if root.tag == "mujoco":
        return tables_of_mjcf(root, None if folder is None else lambda name: _included(folder, name))
    what = f"the root of a URDF is <robot>, that of an MJCF <mujoco>, and this is <{root.tag[:40]}>"
    raise ModelError([Fault("", what, line=root.line)])


def _included(folder: Path, name: str) -> str:
    """Return the text of a file in a folder, or in one inside it."""
    try:
        path = (folder / name).resolve()
        if not path.is_relative_to(folder.resolve()):
            raise ModelError([Fault("", f"the file '{name[:60]}' is outside of the folder of the model")])
        with path.open("rb") as stream:
            data = stream.read(_MOST_BYTES + 1)
        if len(data) > _MOST_BYTES:
            raise ModelError([Fault("", f"the file '{name[:60]}' has more than {_MOST_BYTES} bytes")])
        return data.decode("utf-8-sig")
    except (OSError, ValueError):
        raise ModelError([Fault("", f"the file '{name[:60]}' that is included cannot be read")]) from None
