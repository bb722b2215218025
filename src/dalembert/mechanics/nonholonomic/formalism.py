"""The formalism ``nonholonomic``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from dalembert.mechanics.nonholonomic.lagrange_dalembert import derive
from dalembert.mechanics.registry import Formalism
from dalembert.mechanics.theorem import Theorem

__all__ = ["FORMALISM"]

_THEOREMS: tuple[Theorem, ...] = ()

FORMALISM = Formalism(
    name="nonholonomic",
    title="Nonholonomic equations",
    sentence="By d'Alembert's principle: the forces of the constraints do no work in virtual displacements.",
    cites=("sarlet-cantrijn-saunders-1995", "patrick-2007"),
    derive=derive,
    theorems=_THEOREMS,
)
