"""dalembert: state a mechanical system once and get everything about it, with a verdict on every claim.

Names are loaded when they are first used, so that ``import dalembert`` is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what a type checker and an editor see; at run time __getattr__ does it
    from dalembert.analysis.audit import audit
    from dalembert.errors import (
        DalembertError,
        EvaluationError,
        ExpressionError,
        HypothesisError,
        ModelError,
        TextError,
    )
    from dalembert.expr import Expr, Function, Symbol
    from dalembert.expr.display import latex, mathml
    from dalembert.expr.field import normal, tidy
    from dalembert.expr.sympy_border import from_sympy, to_sympy
    from dalembert.expr.text import parse, parse_equation, text
    from dalembert.expr.truth import Verdict, Witness, constant, equal, generic_rank, is_zero, never_zero
    from dalembert.expr.vocabulary import Vocabulary
    from dalembert.mechanics.registry import claims, derive
    from dalembert.model.claim import Claim
    from dalembert.model.equations import Equations
    from dalembert.model.files import dumps, load, loads
    from dalembert.model.system import System
    from dalembert.model.trajectory import Trajectory
    from dalembert.numerics.ensemble import simulate_ensemble
    from dalembert.numerics.simulate import simulate

__version__ = "0.1.0"

_HOME = {
    "Claim": "model.claim",
    "DalembertError": "errors",
    "Equations": "model.equations",
    "EvaluationError": "errors",
    "Expr": "expr",
    "ExpressionError": "errors",
    "Function": "expr",
    "HypothesisError": "errors",
    "ModelError": "errors",
    "Symbol": "expr",
    "System": "model.system",
    "TextError": "errors",
    "Trajectory": "model.trajectory",
    "Verdict": "expr.truth",
    "Vocabulary": "expr.vocabulary",
    "Witness": "expr.truth",
    "audit": "analysis.audit",
    "claims": "mechanics.registry",
    "constant": "expr.truth",
    "derive": "mechanics.registry",
    "dumps": "model.files",
    "equal": "expr.truth",
    "from_sympy": "expr.sympy_border",
    "generic_rank": "expr.truth",
    "is_zero": "expr.truth",
    "latex": "expr.display",
    "load": "model.files",
    "loads": "model.files",
    "mathml": "expr.display",
    "never_zero": "expr.truth",
    "normal": "expr.field",
    "parse": "expr.text",
    "parse_equation": "expr.text",
    "simulate": "numerics.simulate",
    "simulate_ensemble": "numerics.ensemble",
    "text": "expr.text",
    "tidy": "expr.field",
    "to_sympy": "expr.sympy_border",
}

__all__ = [
    "Claim",
    "DalembertError",
    "Equations",
    "EvaluationError",
    "Expr",
    "ExpressionError",
    "Function",
    "HypothesisError",
    "ModelError",
    "Symbol",
    "System",
    "TextError",
    "Trajectory",
    "Verdict",
    "Vocabulary",
    "Witness",
    "audit",
    "claims",
    "constant",
    "derive",
    "dumps",
    "equal",
    "from_sympy",
    "generic_rank",
    "is_zero",
    "latex",
    "load",
    "loads",
    "mathml",
    "never_zero",
    "normal",
    "parse",
    "parse_equation",
    "simulate",
    "simulate_ensemble",
    "text",
    "tidy",
    "to_sympy",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its home."""
    try:
        home = _HOME[name]
    except KeyError:
        raise AttributeError(f"module 'dalembert' has no attribute '{name}'") from None
    value = globals()[name] = getattr(import_module(f"dalembert.{home}"), name)
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *_HOME})


def load_ipython_extension(shell: Any) -> None:
    """Show things typeset, plotted and moving in a notebook, after ``%load_ext dalembert``."""
    import_module("dalembert.present.notebook").register(shell)
