"""The site: every page is in its navigation, and the names in the reference exist."""

import re
from importlib import import_module
from pathlib import Path

import dalembert

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"


def test_the_navigation_has_every_page():
    named = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert named == {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}


def test_the_names_of_the_reference_exist():
    offered, verbs = (DOCS / "reference.md").read_text().split("Verbs of the modules:")
    names = set(re.findall(r"`(\w+)`", offered))
    assert names == set(dalembert.__all__)
    for row in verbs.strip().splitlines()[2:]:
        modules, told = row.strip("| ").split(" | ")
        first, *others = re.findall(r"`([\w.]+)`", modules)
        home = first.rpartition(".")[0]
        for module in (first, *(f"{home}.{other}" for other in others)):
            for verb in re.findall(r"`(\w+)`", told):
                assert hasattr(import_module(module), verb), (module, verb)
