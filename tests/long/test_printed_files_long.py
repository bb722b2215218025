"""A system of the gallery, printed and kept as a file of one's own, has the same equations in every formalism.

pytest tests/long/test_printed_files_long.py     some minutes
"""

import json
from pathlib import Path

import pytest
from commanding import command

from dalembert import gallery
from dalembert.mechanics.registry import formalism_names


def told(system: str, how: str) -> tuple[int, object]:
    """Return how ``derive`` ends and what it says, without the name of the file."""
    shown = command("derive", system, "--as", how, "--equations", "--json")
    return shown.status, json.loads(shown.out) if shown.status == 0 else shown.err.replace(system, "it")


@pytest.mark.parametrize("name", gallery.names())
def test_a_printed_system_has_the_same_equations(name: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_bytes(command("gallery", name).out.encode())
    found = {how: (told(name, how), told(str(mine), how)) for how in formalism_names()}
    assert {how for how, (ours, own) in found.items() if ours != own} == set()
    assert any(ours[0] == 0 for ours, _ in found.values())


def test_another_system_has_others(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    mine.write_text(command("gallery", "kepler").out.replace("x'^2", "2*x'^2").replace("r'^2", "2*r'^2"))
    assert told(str(mine), "euler-lagrange") != told("kepler", "euler-lagrange")
