"""Laws that spectra obey, as an audit of what is found: a spectrum that breaks one is not shown.

At a steady motion of an unconstrained or holonomic system without forces beside the Lagrangian, modulo symmetries that
commute and keep the energy, the linear part is Hamiltonian across the level of the momenta, and the momenta stay: the
characteristic polynomial is even or odd, so that its trace is 0. Where the equations have no values, as where a chart
ends, nothing of this holds of what Newton's method or a closed form leads to. Constrained motions obey no such law: the
Chaplygin sleigh keeps its energy, and its eigenvalue is -m a u/(I + m a^2).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.expr.calculus import tangent
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.truth import Fact, Sphere, vanish
from dalembert.model.trajectory import Array

_OFF = 1e-6
"""Coefficients of the wrong parity that are larger, for a matrix of norm 1, are more than rounding."""
_FORMALISMS = frozenset({"euler-lagrange", "nonholonomic", "reduced", "routh"})


def is_even(matrix: Array) -> bool:
    """Say whether the characteristic polynomial of a matrix is that of minus the matrix, up to rounding.

    >>> is_even(np.array([[0.0, 1.0], [-4.0, 0.0]])), is_even(np.array([[0.0, 1.0], [-4.0, -0.1]]))
    (True, False)
    """
    norm = float(np.linalg.norm(matrix)) if matrix.size else 0.0
    if not np.isfinite(norm):
        return False
    return not norm or bool(np.all(np.abs(np.poly(matrix / norm)[1::2]) < _OFF))


def is_hamiltonian(field: SteadyField) -> bool:
    """Say whether the spectra of a motion modulo its symmetries are symmetric under s -> -s.

    >>> from dalembert import derive, gallery
    >>> from dalembert.analysis.steady.steady_field import steady_field
    >>> is_hamiltonian(steady_field(derive(gallery.load("spherical-pendulum"), "euler-lagrange")))
    True
    >>> is_hamiltonian(steady_field(derive(gallery.load("chaplygin-sleigh"), "nonholonomic")))
    False
    """
    system, equations = field.words.system, field.problem.equations
    if system is None or system.lagrangian is None or system.order > 1 or equations.formalism not in _FORMALISMS:
        return False
    tied = any(c.origin != "holonomic" for c in system.stated_constraints.values())
    energy = equations.monitors.get("energy")
    if tied or system.virtual or system.forces or system.controls or energy is None:
        return False
    facts: list[Fact] = [Sphere(q) for q in system.spheres if set(field.state).issuperset(q)]
    fields = [dict(one.components) for one in field.symmetries]
    kept = [tangent([energy], one)[0] for one in fields]
    gaps = [gap for one, other in combinations(fields, 2) for gap in _bracket(field.state, one, other)]
    return vanish([*kept, *gaps], facts)


def _bracket(state: Sequence[Expr], one: dict[Expr, Expr], other: dict[Expr, Expr]) -> list[Expr]:
    there = tangent([other.get(v, ZERO) for v in state], one)
    back = tangent([one.get(v, ZERO) for v in state], other)
    return [a - b for a, b in zip(there, back, strict=True)]
