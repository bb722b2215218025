"""The face: equations in, source text out."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from dalembert.errors import DalembertError
from dalembert.numerics.codegen.model import source_of

__all__ = ["LANGUAGES", "code"]

LANGUAGES = ("c", "jax", "casadi", "julia")


def code(equations: Any, language: str = "c") -> str:
    """Return equations of motion as source code: ``c`` (C99), ``jax``, ``casadi`` or ``julia``.

    ``equations`` is an ``Equations`` or what a formalism derived. Linear systems are written out in an order fixed
    once, L D L^T where the matrix is symmetric; where a pivot of that order vanishes the code divides by zero.

    >>> from dalembert.expr.graph import ONE, symbol
    >>> from dalembert.model.equations import Equations
    >>> x, k = symbol("x"), symbol("k", role="parameter")
    >>> spring = Equations("spring", "by hand", {x: x.dot}, (x.dot,), ((ONE,),), (-k * x,), parameters={k: 4})
    >>> [line.strip() for line in code(spring, "c").splitlines() if "dy[" in line]
    ['dy[0] = x_dot;', 'dy[1] = -k*x;']
    """
    if language not in LANGUAGES:
        raise DalembertError(f"there is no code for '{language}'; use one of {', '.join(LANGUAGES)}.")
    writer = import_module(f"dalembert.numerics.codegen.{language}")
    text: str = writer.write(source_of(equations, writer.DIALECT))
    return text
