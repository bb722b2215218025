"""Identities of mechanics in true and false twins, one file per theme."""

from __future__ import annotations

from types import ModuleType

from bench.identities import (
    brackets,
    branches,
    curvature,
    energy,
    functions,
    growth,
    integrals,
    momentum,
    nonholonomic,
    roots,
    snakes,
    symplectic,
    turns,
)
from bench.identities.record import Identity, Pair

__all__ = ["BY_NAME", "IDENTITIES", "PAIRS", "Identity", "Pair"]

_THEMES = (
    energy, nonholonomic, snakes, momentum, integrals, brackets, curvature, symplectic, functions, turns, roots,
    branches, growth,
)  # fmt: skip


def _pairs(module: ModuleType) -> list[Pair]:
    """Return the pairs that a theme defines, alone or in a tuple, in the order of the file."""
    found: list[Pair] = []
    for value in vars(module).values():
        found += [v for v in (value if isinstance(value, tuple) else (value,)) if isinstance(v, Pair)]
    return found


PAIRS: tuple[Pair, ...] = tuple(pair for module in _THEMES for pair in _pairs(module))
IDENTITIES: tuple[Identity, ...] = tuple(identity for pair in PAIRS for identity in pair.identities)
BY_NAME: dict[str, Identity] = {identity.name: identity for identity in IDENTITIES}
