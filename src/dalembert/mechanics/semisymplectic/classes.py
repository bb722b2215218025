"""The classes of vector fields on a semi-symplectic manifold (Patrick, Definition 5.4).

    locally semi-Hamiltonian       X = Y_f near each point: X lies in K, and some f has df = i_X omega on K
    infinitesimally semi-symplectic  L_X omega = 0 on K, [X, K] in K, and L_X preserves K-circ
    Noether                        both

Whether there is such an f is decided without looking for it: df is known on K, df([Y, Z]) = Y(df(Z)) - Z(df(Y)) gives
it on the brackets, and so on, until the fields close; f exists near generic points exactly if no value contradicts
another.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, total
from dalembert.expr.truth import Verdict, all_hold, generic_rank, in_span
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import VectorField, bracket
from dalembert.geometry.forms import interior, lie_derivative, one_form
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.model.claim import Claim

__all__ = ["classes"]


def classes(manifold: SemiSymplectic, field: VectorField) -> list[Claim]:
    """Decide to which classes of Definition 5.4 a field belongs.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> from dalembert.geometry.forms import Form
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> space = Chart.of(x, y, z)
    >>> contact = (VectorField.of(space, {x: 1, z: y}), VectorField.of(space, {y: 1}))
    >>> half = SemiSymplectic(space, Form.of(space, 2, {(0, 1): 1}), contact)
    >>> def answers(some):
    ...     return [claim.verdict.holds for claim in classes(half, some)]
    >>> answers(half.field_of(x * z)[0])
    [True, False, False]
    >>> answers(VectorField.of(space, {z: 1}))
    [False, True, False]
    >>> answers(VectorField.of(space, {y: y})), answers(VectorField.of(space, {y: y**2}))  # Y_f for f = -z
    ([True, False, False], [False, False, False])
    """
    hamiltonian = _locally_hamiltonian(manifold, field)
    symplectic = _semi_symplectic(manifold, field)
    both = all_hold({"locally semi-Hamiltonian": hamiltonian, "infinitesimally semi-symplectic": symplectic})
    return [
        Claim("locally semi-Hamiltonian", "X = Y_f for some f near generic points", "question", hamiltonian),
        Claim("infinitesimally semi-symplectic", "X preserves omega on K, K, and K-circ", "question", symplectic),
        Claim("Noether", "X is both", "question", both),
    ]


def _semi_symplectic(manifold: SemiSymplectic, field: VectorField) -> Verdict:
    basis = manifold.basis
    form = lie_derivative(field, manifold.form)
    parts = {f"L_X omega on K_{i}, K_{j}": form(a, b) for (i, a), (j, b) in combinations(enumerate(basis, 1), 2)}
    inside = Distribution.from_fields(basis)
    for i, k in enumerate(basis, 1):
        parts |= {f"[X, K_{i}] along {n}": e for n, e in enumerate(inside.leaving(bracket(field, k)), 1)}
    answers = {"omega and K": all_vanish(parts, manifold.facts)}
    if manifold.observables is not None:
        answers["K-circ"] = _keeps_observables(manifold, field)
    return all_hold(answers)


def _keeps_observables(manifold: SemiSymplectic, field: VectorField) -> Verdict:
    """Decide L_X alpha in K-circ, on K, for alpha in K-circ."""
    assert manifold.observables is not None
    forms = [one_form(manifold.chart, list(row)) for row in manifold.observables]
    rows, moved = (
        [[f(k) for k in manifold.basis] for f in some] for some in (forms, [lie_derivative(field, f) for f in forms])
    )
    return in_span(rows, moved, "what K-circ moves to")


def _locally_hamiltonian(manifold: SemiSymplectic, field: VectorField) -> Verdict:
    inside = manifold.contains(field)
    if inside.holds is not True:
        return inside
    form = interior(field, manifold.form)
    fields: list[VectorField] = list(manifold.basis)
    values: list[Expr] = [form(k) for k in fields]
    defects: dict[str, Expr] = {}
    done = 0
    while done < len(fields):  # a new field is bracketed with all before it
        for other in range(done):
            crossed = bracket(fields[other], fields[done])
            value = fields[other](values[done]) - fields[done](values[other])
            if generic_rank([x.components for x in (*fields, crossed)]).rank > len(fields):
                fields.append(crossed)
                values.append(value)
            else:
                weights = _weights(fields, crossed)
                known = total([(1, w * v) for w, v in zip(weights, values, strict=True)])
                defects[f"df on the bracket of the fields {other + 1} and {done + 1}"] = value - known
        done += 1
    return all_vanish(defects, manifold.facts)


def _weights(fields: Sequence[VectorField], field: VectorField) -> list[Expr]:
    """Return the coefficients of a field that is a combination of others."""
    columns = generic_rank([x.components for x in fields]).columns
    matrix = [[x.components[i] for x in fields] for i in columns]
    return solve(matrix, [field.components[i] for i in columns])
