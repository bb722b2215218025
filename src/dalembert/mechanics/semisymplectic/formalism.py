"""The formalism ``semisymplectic``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from dalembert.mechanics.registry import Formalism
from dalembert.mechanics.semisymplectic.semisymplectic import derive
from dalembert.mechanics.theorem import Theorem

__all__ = ["FORMALISM"]

_THEOREMS: tuple[Theorem, ...] = ()

FORMALISM = Formalism(
    name="semisymplectic",
    title="Semi-symplectic geometry",
    sentence="The motion on the constrained phase space, by a 2-form and its almost-Poisson bracket.",
    cites=("patrick-2007",),
    derive=derive,
    theorems=_THEOREMS,
)
