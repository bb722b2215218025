"""Nonholonomic dynamics as a projection of the free field (Cantrijn, Cortes, de Leon, Martin de Diego; section 3).

Let the free field Gamma_L solve i_Gamma omega_L = dE (forces, and time as a further coordinate, change nothing), let D
be the constraint manifold f_i = 0 in the space of velocities, and F its bundle of directions with annihilator F^o =
S*((TD)^o), spanned by mu_i = (df_i/dq'^A) dq^A. Then F-perp = sharp(F^o) is spanned by the vertical fields

    Z_i = -W^AB mu_iB d/dq'^A,    W the inverse of the Hessian of L,    C_ij = Z_j(f_i) = -mu W mu^T.

The constraints are admissible where the mu_i are as many as the f_i, and compatible with L where C is regular: there
the tangent space splits into TD + F-perp, and the constrained motion is the free one projected to TD,

    X = Gamma_L - C^ij Gamma_L(f_j) Z_i.

The paper has linear constraints that do not know of time. Nothing changes for affine and time-dependent ones, with D in
the space (t, q, q') and d_t in Gamma_L. What is needed is that L is regular by itself, not only on the constraint. Both
conditions are decided on D, where they are meant, at a generic point of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, hessian, jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, full_rank, generic_rank
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.lagrangian.regularity import idle_by
from dalembert.model.system import System
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Projection:
    """The free field, the directions of projection, and the field that results; all on (t, q, q')."""

    free: VectorField
    """Gamma_L."""
    directions: tuple[VectorField, ...]
    """Z_i, a basis of F-perp."""
    matrix: tuple[tuple[Expr, ...], ...]
    """C_ij = Z_j(f_i)."""
    admissible: Verdict
    compatible: Verdict
    field: VectorField
    """X, the constrained motion; it means something on the constraint only."""

    @property
    def accelerations(self) -> tuple[Expr, ...]:
        """All q'', in the order of the coordinates; on the constraint."""
        return self.field.components[1 + self.free.chart.dimension // 2 :]


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the projection: no linear constraint, or no Lagrangian that is regular without them."""
    if system.lagrangian is None or system.order > 1:
        return (Fault("lagrangian", "there is none of order 1", "the projection needs the free motion"),)
    if not system.constraints:
        return (Fault("[constraints]", "there are none", "there is nothing to project to"),)
    bent = [name for name in system.constraints if system.kind_of(name) == "nonlinear"]
    if bent:
        what = f"'{bent[0]}' is not linear in the velocities"
        return (Fault("[constraints]", what, "nonlinear constraints are not covered here"),)
    forms = system.constraint_matrix().rows
    rank = generic_rank(forms)
    if rank.rank < len(forms):
        what = f"they are not admissible: the forms S*(df) have rank {rank.rank} of {len(forms)}"
        return (Fault("[constraints]", what, "remove those that follow from the others"),)
    mass = hessian(system.lagrangian, system.v)
    rank = generic_rank([substitute(row, _on_constraint(system)) for row in mass])
    if rank.rank < len(mass):
        what = f"it is not regular without the constraints: {idle_by(rank.rank, mass, system.v)}"
        return (Fault("lagrangian", what, "there is no free motion to project; use the multipliers"),)
    return ()


def project(system: System) -> Projection:
    """Return the free field projected to the constraint, or raise ``HypothesisError``.

    >>> skate = System.of(name="skate", coordinates="x y z", lagrangian="(x'^2 + y'^2 + z'^2)/2",
    ...     constraints={"c": "z' = y*x'"})
    >>> project(skate).matrix
    ((-y^2 - 1,),)
    """
    faults = check(system)
    if faults:
        raise refusal("projection", faults)
    assert system.lagrangian is not None
    free = _free_field(system)
    functions = [c.expression for c in system.constraints.values()]
    forms = jacobian(functions, system.v)
    mass = hessian(system.lagrangian, system.v)
    still = [ZERO] * (1 + len(system.q))
    directions = [VectorField(free.chart, (*still, *(-w for w in solve(mass, row)))) for row in forms]
    # Z_j(f_i) by the pairing of mu_i with Z_j, as Z_j is vertical
    matrix = [
        [total([(1, m * z) for m, z in zip(row, field.components[len(still) :], strict=True)]) for field in directions]
        for row in forms
    ]
    put = _on_constraint(system)
    compatible = _full_rank([substitute(row, put) for row in matrix], "C")
    if compatible.holds is False:
        fault = Fault("[constraints]", "they are not compatible with the Lagrangian", "they do not fix the motion")
        raise refusal("projection", [fault])
    weights = solve(matrix, free.apply(functions))
    components = [
        total([(1, c), *((-1, w * z.components[i]) for w, z in zip(weights, directions, strict=True))])
        for i, c in enumerate(free.components)
    ]
    rows = tuple(tuple(row) for row in matrix)
    field = VectorField(free.chart, tuple(components))
    return Projection(free, tuple(directions), rows, _full_rank(forms, "S*(df)"), compatible, field)


def _on_constraint(system: System) -> dict[Expr, Expr]:
    """Return as many velocities as there are constraints, by the others."""
    matrix = system.constraint_matrix()
    chosen = generic_rank(matrix.rows).columns
    square = [[row[a] for a in chosen] for row in matrix.rows]
    rest = [i for i in range(len(system.q)) if i not in chosen]
    right = [
        total([(-1, r), *((-1, row[i] * system.v[i]) for i in rest)])
        for row, r in zip(matrix.rows, matrix.remainder, strict=True)
    ]
    return {system.v[a]: value for a, value in zip(chosen, solve(square, right), strict=True)}


def _free_field(system: System) -> VectorField:
    """Return d_t + q' d_q + W (dL/dq - d_t p - q' dp/dq + Q) d/dq'."""
    lagrangian = system.lagrangian
    assert lagrangian is not None
    chart = Chart((symbol(TIME), *system.q, *system.v))
    carried = VectorField(chart, (ONE, *system.v, *[ZERO] * len(system.v)))
    moved = carried.apply(gradient(lagrangian, system.v))
    pull = gradient(lagrangian, system.q)
    right = [p - m + system.forces.get(q, ZERO) for q, p, m in zip(system.q, pull, moved, strict=True)]
    return VectorField(chart, (ONE, *system.v, *solve(hessian(lagrangian, system.v), right)))


def _full_rank(rows: Sequence[Sequence[Expr]], what: str) -> Verdict:
    return full_rank(generic_rank(rows), len(rows), what)
