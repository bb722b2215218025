"""Invariant measures on Lie algebras: Euler-Poincare equations, and Suslov's problem with any number of constraints.

With inertia A and constraints <a^i, omega> = 0 the motion on the algebra is A omega' = ad*_omega A omega + lambda_i
a^i. On the subspace D of allowed omega its divergence is the form

    theta = T + G_ij ad*_(A^-1 a^i) a^j,    T(Y) = tr ad_Y,    (G_ij) the inverse of <a^i, A^-1 a^j>,

and there is an invariant measure if and only if theta vanishes on D, that is theta = mu_i a^i; then it is the
standard one. Without constraints: if and only if the algebra is unimodular (Kozlov); with one constraint this is
Jovanovic's condition, with more that of Zenkov and Bloch.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, Operand, as_expr, total
from dalembert.expr.truth import Verdict, generic_rank
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.matrices import dot
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class AlgebraMeasure:
    """The divergence of a motion on a Lie algebra, and whether a measure is invariant."""

    theta: tuple[Expr, ...]
    """The divergence, as a form on the algebra; on D it is the one of the motion."""
    exists: Verdict


def measure_on_algebra(
    algebra: LieAlgebra, inertia: Sequence[Sequence[Operand]], constraints: Sequence[Sequence[Operand]] = ()
) -> AlgebraMeasure:
    """Return the divergence of Euler-Poincare-Suslov equations, and whether they have an invariant measure.

    >>> from dalembert.geometry.groups import lie_algebra
    >>> so3 = lie_algebra("ijk", {("i", "j"): {"k": 1}, ("j", "k"): {"i": 1}, ("k", "i"): {"j": 1}})
    >>> straight, skew = [[2, 0, 0], [0, 3, 0], [0, 0, 4]], [[2, 0, 1], [0, 3, 0], [1, 0, 4]]
    >>> [measure_on_algebra(so3, inertia, [[0, 0, 1]]).exists.kind for inertia in (straight, skew)]
    ['certain', 'refuted']
    >>> affine = lie_algebra("ab", {("a", "b"): {"b": 1}})
    >>> measure_on_algebra(affine, [[1, 0], [0, 1]]).exists.kind
    'refuted'
    """
    size = range(algebra.dimension)
    rows = [[as_expr(e) for e in row] for row in inertia]
    forms = [algebra.element(row) for row in constraints]
    if [len(row) for row in rows] != [algebra.dimension] * algebra.dimension:
        raise ExpressionError(f"the inertia is a matrix of {algebra.dimension} rows and columns.")
    raised = [solve(rows, list(form)) for form in forms]
    theta = [total([(1, algebra.constants[k][b][b]) for b in size]) for k in size]
    gram = [[dot(a, r) for r in raised] for a in forms]
    for k, pulled in enumerate(forms):
        weights = solve(gram, [as_expr(int(i == k)) for i in range(len(forms))])
        mixed = [total([(1, w * r[n]) for w, r in zip(weights, raised, strict=True)]) for n in size]
        theta = [t + e for t, e in zip(theta, (dot(row, pulled) for row in algebra.coad(mixed)), strict=True)]
    with_form = generic_rank([*forms, theta])
    if with_form.verdict.holds is None:
        return AlgebraMeasure(tuple(theta), with_form.verdict)
    if with_form.rank > len(forms):
        return AlgebraMeasure(
            tuple(theta),
            Verdict("refuted", f"theta is no combination of the constraints: {with_form.verdict.evidence}"),
        )
    verdict = with_form.verdict
    return AlgebraMeasure(
        tuple(theta),
        Verdict("certain" if verdict.error_bits is not None else "proved", verdict.evidence, verdict.error_bits),
    )
