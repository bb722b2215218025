"""dalembert: state a mechanical system once and get everything about it, with a verdict on every claim.

Names are loaded when they are first used, so that ``import dalembert`` is cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what a type checker and an editor see; at run time __getattr__ does it
    from dalembert.errors import DalembertError, EvaluationError, ExpressionError, TextError
    from dalembert.expr import Expr, Function, Symbol
    from dalembert.expr.sympy_border import from_sympy, to_sympy
    from dalembert.expr.text import parse, parse_equation, text
    from dalembert.expr.truth import Verdict, Witness, constant, equal, generic_rank, is_zero, never_zero
    from dalembert.expr.vocabulary import Vocabulary

__version__ = "0.1.0"

_HOME = {
    "DalembertError": "errors",
    "EvaluationError": "errors",
    "Expr": "expr",
    "ExpressionError": "errors",
    "Function": "expr",
    "Symbol": "expr",
    "TextError": "errors",
    "Verdict": "expr.truth",
    "Vocabulary": "expr.vocabulary",
    "Witness": "expr.truth",
    "constant": "expr.truth",
    "equal": "expr.truth",
    "from_sympy": "expr.sympy_border",
    "generic_rank": "expr.truth",
    "is_zero": "expr.truth",
    "never_zero": "expr.truth",
    "parse": "expr.text",
    "parse_equation": "expr.text",
    "text": "expr.text",
    "to_sympy": "expr.sympy_border",
}

__all__ = [
    "DalembertError",
    "EvaluationError",
    "Expr",
    "ExpressionError",
    "Function",
    "Symbol",
    "TextError",
    "Verdict",
    "Vocabulary",
    "Witness",
    "constant",
    "equal",
    "from_sympy",
    "generic_rank",
    "is_zero",
    "never_zero",
    "parse",
    "parse_equation",
    "text",
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
