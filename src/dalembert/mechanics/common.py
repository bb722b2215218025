"""What all formalisms do alike: fill the record of equations, and differentiate along the motions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ONE, Expr, symbol
from dalembert.expr.symbols import TIME
from dalembert.model.equations import Equations
from dalembert.model.system import System

__all__ = ["along", "equations_of"]


def equations_of(system: System, formalism: str, **parts: Any) -> Equations:
    """Return equations of a system, with what it says of parameters and functions."""
    return Equations(
        system=system.name,
        formalism=formalism,
        parameters=system.defaults,
        functions={f: system.definitions.get(f) for f in system.functions},
        **parts,
    )


def along(equations: Equations, functions: Sequence[Expr]) -> list[Expr]:
    """Return the rates of functions of time and state along the motions."""
    return tangent(functions, {**equations.rates(), symbol(TIME): ONE})
