"""The formalism ``routh``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from dalembert.mechanics.registry import Formalism
from dalembert.mechanics.routh.routh import derive
from dalembert.mechanics.theorem import Theorem

__all__ = ["FORMALISM"]

_THEOREMS: tuple[Theorem, ...] = ()

FORMALISM = Formalism(
    name="routh",
    title="Routh reduction",
    sentence="The momenta of the symmetry are held fixed, and the symmetry is divided out.",
    cites=("crampin-mestdag-2008",),
    derive=derive,
    theorems=_THEOREMS,
)
