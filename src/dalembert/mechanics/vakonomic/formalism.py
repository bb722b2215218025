"""The formalism ``vakonomic``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from dalembert.mechanics.registry import Formalism
from dalembert.mechanics.theorem import Theorem
from dalembert.mechanics.vakonomic.vakonomic import derive

__all__ = ["FORMALISM"]

_THEOREMS: tuple[Theorem, ...] = ()

FORMALISM = Formalism(
    name="vakonomic",
    title="Vakonomic equations",
    sentence="The action is stationary among the curves that obey the constraints. This is not d'Alembert's motion.",
    cites=("garcia-rodrigo-2004",),
    derive=derive,
    theorems=_THEOREMS,
    variational=True,
)
