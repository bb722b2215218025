"""What a shell offers when one presses the tab key. It must come at once, so nothing heavy is read for it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from dalembert.mechanics.registry import formalism_names

LANGUAGES = ("c", "jax", "casadi", "julia", "js")
ENGINES = ("native", "scipy", "taylor", "stiff")
CLAIMS = (
    "energy conserved",
    "energy balance",
    "regular",
    "multipliers",
    "constrained Lagrangian suffices",
    "first integrals",
)
"""Claims that many systems have. The whole list of a system takes a derivation."""

SCHEMAS = ("model", "derive", "check", "study", "simulate")
"""What there are schemas of."""


def systems(incomplete: str) -> list[str]:
    """Return names of the gallery, then model files and folders."""
    files = (Path(__file__).parents[1] / "gallery").iterdir()
    stems = (file.stem for file in files if file.suffix in {".toml", ".py"} and file.stem != "__init__")
    names = sorted(stem.replace("_", "-") for stem in stems)
    return _beginning(names, incomplete) + _models(incomplete)


def _models(incomplete: str) -> list[str]:
    """Return model files, and folders in which there may be some."""
    folder, slash, begin = incomplete.rpartition("/")
    try:
        entries = sorted(Path(folder + slash or ".").iterdir())
    except OSError:
        return []
    found = [entry.name + "/" * entry.is_dir() for entry in entries if entry.is_dir() or entry.suffix == ".toml"]
    return [folder + slash + name for name in _beginning(found, begin) if begin.startswith(".") or name[0] != "."]


def formalisms(incomplete: str) -> list[str]:
    """Return names of formalisms.

    >>> formalisms("n")
    ['nonholonomic']
    """
    return _beginning(formalism_names(), incomplete)


def languages(incomplete: str) -> list[str]:
    """Return languages that equations are written in."""
    return _beginning(LANGUAGES, incomplete)


def engines(incomplete: str) -> list[str]:
    """Return engines that motions are followed by."""
    return _beginning(ENGINES, incomplete)


def schemas(incomplete: str) -> list[str]:
    """Return what there are schemas of.

    >>> schemas("d")
    ['derive']
    """
    return _beginning(SCHEMAS, incomplete)


def claims(incomplete: str) -> list[str]:
    """Return names of claims."""
    return _beginning(CLAIMS, incomplete)


def _beginning(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
