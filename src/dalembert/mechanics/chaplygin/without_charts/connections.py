"""The affine side of a reduced motion without charts (003, sections 4 and 6): questions on Hamel's connections.

All of them are about the tensor K~, with g~(B(X, Y), Z) = K~(X, Y, Z) and g~(C(X, Y), Z) = K~(Z, X, Y): a connection
LC + S is metric where g~(S(X, Y), Z) is skew in Y and Z, and connections coincide where their tensors S do. So they are
decided on spanning fields with all slots below, where neither Levi-Civita's connection nor an inverse metric is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import product

from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.truth import Verdict
from dalembert.expr.truth.many import ProofBudget, all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.chaplygin.connections import propositions
from dalembert.mechanics.chaplygin.connections import total as on_total_space
from dalembert.mechanics.chaplygin.without_charts.reduction import ReductionWithoutCharts
from dalembert.mechanics.theorem import Theorem

Lowered = Callable[[Callable[[int, int, int], Expr], int, int, int], list[Expr]]

_ASKED: dict[str, Lowered] = {
    "Hamel's contorsion is skew": lambda k, a, b, c: [k(a, b, c), k(b, a, c)],
    "Hamel's second connection is metric": lambda k, a, b, c: [k(b, a, c), k(c, a, b)],
    "mean of Hamel's connections is metric": lambda k, a, b, c: [k(a, b, c), k(b, a, c), k(a, c, b), k(c, a, b)],
    "mean of Hamel's connections is Levi-Civita's": lambda k, a, b, c: [k(a, b, c), k(b, a, c)],
    "reduced connection is the mean of Hamel's": lambda k, a, b, c: [k(c, a, b)],
    "reduced connection is Levi-Civita's": lambda k, a, b, c: [k(a, b, c), k(b, a, c), -k(c, a, b)],
}
"""What has to add up to zero on all (a, b, c), by the names of the questions."""


def _decided(row: Theorem) -> Theorem:
    """Return a question on an ``AffineBase`` as one on a reduction without charts."""

    def decide(r: ReductionWithoutCharts, _: ProofBudget) -> Verdict:
        def lowered(a: int, b: int, c: int) -> Expr:
            return r.tensor[a][b][c]

        names = [w.data.label for w in r.velocities]
        parts = {
            f"on {names[a]}, {names[b]}, {names[c]}": total([(1, e) for e in _ASKED[row.name](lowered, a, b, c)])
            for a, b, c in product(range(len(names)), repeat=3)
        }
        return all_vanish(parts, r.facts)

    return replace(row, decide=decide)


def _free_motions(r: ReductionWithoutCharts, _: ProofBudget) -> Verdict:
    """Decide whether free motions that begin in D obey the constraints: d/dt (mu u) = 0 with M u' = F, V left out."""
    framed = r.framed
    u, free = framed.velocities, framed.frame.free
    still = substitute(list(free.force), dict.fromkeys(u, ZERO))
    rates = solve(free.mass, [f - s for f, s in zip(free.force, still, strict=True)])
    allowed = dict(zip(u, [dot(r.velocities, column) for column in zip(*r.fields, strict=True)], strict=True))
    parts = {}
    for name, row in zip(framed.constraints, framed.rows, strict=True):
        lost = total([(1, dot(row, rates)), (1, dot(framed.manifold.along(u, row), u))])
        parts[f"the constraint {name}"] = r.on_states(substitute([lost], allowed))[0]
    return all_vanish(parts, r.facts)


THEOREMS = (
    *(_decided(row) for row in propositions.THEOREMS if row.name in _ASKED),
    replace(on_total_space.FREE_MOTIONS, decide=_free_motions, needs=lambda r: not r.framed.system.stated_forces),
)
"""Questions on the connections of a reduction without charts, as ``propositions`` asks them."""
