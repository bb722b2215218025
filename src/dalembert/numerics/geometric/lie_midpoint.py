"""The midpoint rule on groups of rotations: derived equations of any formalism, with the unit of quaternions kept.

A rotation moves by q' = q w/2. With k = q_m w/2 at the midpoint q_m = (q0 + q1)/2 of the step, which is inside the
sphere, and w taken at the rotation q_m/|q_m| in its direction, q1 - q0 = h k is orthogonal to q_m, so that |q1| = |q0|
and

    q1 = q0 (1 + h w/4)/(1 - h w/4),

the Cayley transform of a turn by the angular velocity at the middle of the geodesic from q0 to q1. A direction n moves
the same way, n1 - n0 = h |n_m| T v_m with T = 1 - n n^T at n_m/|n_m|; with all else taken at T v_m, its velocity (or
costate) v stays tangent: n v changes by h |n_m| (n v' + v n') = 0. All other variables
obey the implicit midpoint rule. The step is symmetric and of order 2, and is composed to higher even orders. It keeps
what the midpoint rule keeps: integrals that are quadratic in the other variables, as the energy of a free body and the
length of its angular momentum; and no chart is used, so none can fail.
Source: A. Iserles, H. Z. Munthe-Kaas, S. P. Norsett, A. Zanna, Lie-group methods, Acta Numerica 9 (2000) 215;
D. Lewis, J. C. Simo, J. Nonlinear Sci. 4 (1994) 253.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dalembert.expr.elementary import sqrt
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.walk import substitute
from dalembert.model.equations import Equations
from dalembert.numerics.field import all_rates
from dalembert.numerics.geometric.scheme import STEP, Scheme, composed, refuse_odd

NAME = "lie-midpoint"
CITES = (
    "A. Iserles et al., Acta Numerica 9 (2000) 215",
    "D. Lewis, J. C. Simo, J. Nonlinear Sci. 4 (1994) 253",
)

Spheres = Sequence[Sequence[Expr]]


def scheme_of(
    equations: Equations, order: int = 2, spheres: Spheres = (), tangents: Mapping[Expr, Expr] | None = None
) -> Scheme:
    """Return the scheme of an even order; ``spheres`` are the unit vectors among the variables.

    ``tangents`` says what is added to velocities and costates of directions that are not tangent.
    """
    refuse_odd(NAME, order)
    rates = all_rates(equations)
    variables = tuple(rates)
    slope, inner, middle = midpoint(equations, variables)
    right = {v: v + change for v, change in (tangents or {}).items()}
    there = substitute([*rates.values(), *equations.implicit.values()], right)
    moved = on_spheres(there[: len(rates)], spheres, variables)
    found = substitute([*moved, *on_spheres(there[len(rates) :], spheres)], middle)
    residuals = {k: k - rate for k, rate in zip(slope, found[: len(slope)], strict=True)}
    residuals |= dict(zip(inner.values(), found[len(slope) :], strict=True))
    begin = dict(zip(slope, rates.values(), strict=True)) | {new: u for u, new in inner.items()}
    after = tuple(v + STEP * k for v, k in zip(variables, slope, strict=True))
    return composed(Scheme(NAME, 2, variables, after, residuals, begin, tuple(equations.parameters)), order)


def midpoint(equations: Equations, variables: Sequence[Expr]) -> tuple[list[Expr], dict[Expr, Expr], dict[Expr, Expr]]:
    """Return mean rates as unknowns, names of implicit unknowns halfway, and what everything is there."""
    half, time = Fraction(1, 2), symbol(TIME)
    slope = [symbol(Symbol(f"{v.data.label} mean rate")) for v in variables]
    inner = {u: symbol(Symbol(f"{u.data.label} halfway")) for u in equations.implicit}
    middle = {v: v + half * STEP * k for v, k in zip(variables, slope, strict=True)}
    return slope, inner, {**middle, time: time + half * STEP, **inner}


def on_spheres(expressions: list[Expr], spheres: Spheres, variables: Sequence[Expr] = ()) -> list[Expr]:
    """Return expressions taken at the unit vectors in the direction of those that are there.

    Where they are the rates of ``variables``, those of unit vectors grow with the length of these, so that they stay
    tangent to spheres of any size.
    """
    table: dict[Expr, Expr] = {}
    lengths: dict[Expr, Expr] = {}
    for q in spheres:
        length = sqrt(total([(1, one**2) for one in q]))
        table |= {one: one / length for one in q}
        lengths |= dict.fromkeys(q, length)
    found = substitute(expressions, table)
    return (
        [e * lengths[v] if v in lengths else e for v, e in zip(variables, found, strict=True)] if variables else found
    )
