"""An integrator that keeps the energy to rounding, for any equations of motion that do so themselves.

With z' = f(z) and f . dH = 0 the field is f = S dH with the antisymmetric S = (f g^T - g f^T)/|g|^2, g = dH. The step

    (z1 - z0)/h = S(z_m) D,    D = g(z_m) + (H(z1) - H(z0) - g(z_m) . (z1 - z0)) (z1 - z0)/|z1 - z0|^2

at the midpoint z_m, with Gonzalez' discrete gradient D . (z1 - z0) = H(z1) - H(z0), gives H(z1) = H(z0). It needs no
Hamiltonian structure, so reduced and nonholonomic equations are as good as others. It is symmetric and of order 2, and
is composed to higher even orders. Where z stands still D does not exist, and the step is not found. Quaternions keep
their unit: with H and f taken at q/|q|, both dH and f are orthogonal to q, and so is the step at its midpoint. Of a
direction n with its velocity v the parts of f and g along (n, 0) and (v, n) are taken off, so that n n and n v, which
are quadratic, are kept too: H is kept whatever vectors f and g are, and what is taken off is of the order of h^2.
Source: O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449; R. I. McLachlan, G. R. W. Quispel, N. Robidoux, Phil. Trans. R.
Soc. A 357 (1999) 1021.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import depends_on, is_zero
from dalembert.expr.walk import substitute
from dalembert.model.equations import Equations
from dalembert.model.faults import suggestion
from dalembert.numerics.field import all_rates
from dalembert.numerics.geometric.lie_midpoint import Spheres, midpoint, on_spheres
from dalembert.numerics.geometric.scheme import STEP, Scheme, composed, refuse_odd

NAME = "energy-preserving"
CITES = (
    "O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449",
    "R. I. McLachlan et al., Phil. Trans. R. Soc. A 357 (1999) 1021",
)


def scheme_of(
    equations: Equations,
    order: int = 2,
    keeps: str = "energy",
    spheres: Spheres = (),
    tangents: Mapping[Expr, Expr] | None = None,
) -> Scheme:
    """Return the scheme that keeps a monitor of equations; refused where the motion itself does not keep it.

    ``spheres`` are the unit vectors among the variables; ``tangents`` says what is added to velocities of directions
    that are not tangent, three for each of them, which come last among the unit vectors.
    """
    right = {v: v + change for v, change in (tangents or {}).items()}
    _refuse(equations, order, keeps, spheres, right)
    rates = all_rates(equations)
    variables = tuple(rates)
    (energy,) = on_spheres([equations.monitors[keeps]], spheres)
    slope, inner, middle = midpoint(equations, variables)
    moved = on_spheres(list(rates.values()), spheres, variables)
    roots = [*moved, *gradient(energy, variables), *on_spheres(list(equations.implicit.values()), spheres)]
    found = substitute(roots, middle)
    size = len(variables)
    f, g, implicit = found[:size], found[size : 2 * size], found[2 * size :]
    moving = list(right)
    for k, n in enumerate(spheres[len(spheres) - len(moving) // 3 :]):
        f, g = (_along_sphere(row, variables, middle, n, moving[3 * k : 3 * k + 3]) for row in (f, g))
    (end,) = substitute([energy], {v: v + STEP * k for v, k in zip(variables, slope, strict=True)})
    rest = (end - energy - STEP * _dot(g, slope)) / (STEP * _dot(slope, slope))  # D = g + rest * slope
    norm = _dot(g, g)
    forward = 1 + rest * _dot(g, slope) / norm
    across = _dot(f, g) if right else ZERO  # else it vanishes, as the motion keeps H
    sideways = (across + rest * _dot(f, slope)) / norm
    residuals = {k: k - forward * a + sideways * b for k, a, b in zip(slope, f, g, strict=True)}
    residuals |= dict(zip(inner.values(), implicit, strict=True))
    begin = dict(zip(slope, rates.values(), strict=True)) | {new: u for u, new in inner.items()}
    after = tuple(v + STEP * k for v, k in zip(variables, slope, strict=True))
    return composed(Scheme(NAME, 2, variables, after, residuals, begin, tuple(equations.parameters)), order)


def _along_sphere(
    row: Sequence[Expr], variables: Sequence[Expr], middle: Mapping[Expr, Expr], n: Sequence[Expr], v: Sequence[Expr]
) -> list[Expr]:
    """Return a row less its parts along the gradients of n n and n v, at the midpoint."""
    unit = dict(zip(n, (middle[one] for one in n), strict=True))
    beside = dict(zip([*n, *v], [*(middle[one] for one in v), *(middle[one] for one in n)], strict=True))
    normals = [[table.get(one, ZERO) for one in variables] for table in (unit, beside)]
    (a, b), (_, c) = ([_dot(one, other) for other in normals] for one in normals)
    first, second = (_dot(normal, row) for normal in normals)
    below = a * c - b**2
    parts = ((c * first - b * second) / below, (a * second - b * first) / below)
    return [total([(1, one), (-1, parts[0] * x), (-1, parts[1] * y)]) for one, x, y in zip(row, *normals, strict=True)]


def _dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    return total([(1, x * y) for x, y in zip(a, b, strict=True)])


_INTEGRAL = "a first integral that is a function of the state alone (discrete gradients: Gonzalez)"


def _refuse(equations: Equations, order: int, keeps: str, spheres: Spheres, right: Mapping[Expr, Expr]) -> None:
    """Raise unless the monitor is there, is a function of the state alone and does not change along the motion."""
    refuse_odd(NAME, order)
    if keeps not in equations.monitors:
        hint = suggestion(keeps, list(equations.monitors)) or "the equations have no monitors"
        raise HypothesisError(NAME, [Fault("monitors", f"there is no '{keeps}' in these equations", hint)])
    energy = equations.monitors[keeps]
    unknowns = sorted(u.data.label for u in equations.implicit if depends_on([energy], [u]))
    if unknowns:
        said = f"it contains the implicit unknown '{unknowns[0]}'"
        fault = Fault(f"monitors, {keeps}", said, "state it in the state variables", hypothesis=_INTEGRAL)
        raise HypothesisError(NAME, [fault])
    if depends_on([energy], [symbol(TIME)]):
        fault = Fault(f"monitors, {keeps}", "it contains time", "keep another integral", hypothesis=_INTEGRAL)
        raise HypothesisError(NAME, [fault])
    change = tangent([energy], {**all_rates(equations), symbol(TIME): ONE})
    verdict = is_zero(on_spheres(substitute(change, right), spheres)[0])
    if verdict.holds is not True:
        word = "is not constant along the motions" if verdict.holds is False else "was not shown to be constant"
        remedy = "leave out what changes it, or use an engine that does not force it to be kept"
        raise HypothesisError(NAME, [Fault(f"monitors, {keeps}", f"it {word}", remedy, hypothesis=_INTEGRAL)])
