"""The formalism ``chaplygin``: how it is derived, and the theorems about what comes out."""

from __future__ import annotations

from dalembert.mechanics.chaplygin.chaplygin import derive
from dalembert.mechanics.registry import Formalism
from dalembert.mechanics.theorem import Theorem

__all__ = ["FORMALISM"]

_THEOREMS: tuple[Theorem, ...] = ()

FORMALISM = Formalism(
    name="chaplygin",
    title="Chaplygin reduction",
    sentence="The symmetry, which the constraints complement, is divided out; what is left moves on the base.",
    cites=("cantrijn-cortes-de-leon-martin-de-diego-2002",),
    derive=derive,
    theorems=_THEOREMS,
)
