"""A result in the terminal and in LaTeX: tidy equations, then the claims with their verdicts."""

from __future__ import annotations

from dalembert.expr.display import latex_equations
from dalembert.expr.field import tidy
from dalembert.expr.text import text
from dalembert.expr.walk import tree_size
from dalembert.mechanics.formalisms import Result

__all__ = ["in_latex", "in_text"]

_LONG = 4_000


def in_text(result: Result, seconds: float = 1.0) -> str:
    """Return the equations, line by line, and the claims."""
    equations = result.equations
    lines = [f"{equations.system}, {equations.formalism}"]
    for name, rate in equations.rates().items():
        short = tidy(rate, seconds)
        shown = text(short) if tree_size(short) < _LONG else "(long; see --json, where shared parts are named)"
        lines.append(f"  {name.data.label}' = {shown}")
    lines.append("claims")
    lines += [f"  {c.verdict.kind:<10} {c.statement} [{c.role}]: {c.verdict.evidence}" for c in result.claims]
    return "\n".join(lines)


def in_latex(result: Result, seconds: float = 1.0) -> str:
    """Return the equations as an aligned system."""
    rates = result.equations.rates().items()
    return latex_equations([(name.dot, tidy(rate, seconds)) for name, rate in rates])
