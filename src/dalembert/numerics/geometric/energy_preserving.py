"""An integrator that keeps the energy to rounding, for any equations of motion that do so themselves.

With z' = f(z) and f . dH = 0 the field is f = S dH with the antisymmetric S = (f g^T - g f^T)/|g|^2, g = dH. The step

    (z1 - z0)/h = S(z_m) D,    D = g(z_m) + (H(z1) - H(z0) - g(z_m) . (z1 - z0)) (z1 - z0)/|z1 - z0|^2

at the midpoint z_m, with Gonzalez' discrete gradient D . (z1 - z0) = H(z1) - H(z0), gives H(z1) = H(z0). It needs no
Hamiltonian structure, so reduced and nonholonomic equations are as good as others. It is symmetric and of order 2, and
is composed to higher even orders. Where z stands still D does not exist, and the step is not found. Quaternions keep
their unit: with H and f taken at q/|q|, both dH and f are orthogonal to q, and so is the step at its midpoint.
Source: O. Gonzalez, J. Nonlinear Sci. 6 (1996) 449; R. I. McLachlan, G. R. W. Quispel, N. Robidoux, Phil. Trans. R.
Soc. A 357 (1999) 1021.
"""

from __future__ import annotations

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ONE, Expr, symbol, total
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


def scheme_of(equations: Equations, order: int = 2, keeps: str = "energy", spheres: Spheres = ()) -> Scheme:
    """Return the scheme that keeps a monitor of equations; refused where the motion itself does not keep it.

    ``spheres`` are the quaternions among the variables.
    """
    _refuse(equations, order, keeps, spheres)
    rates = all_rates(equations)
    variables = tuple(rates)
    (energy,) = on_spheres([equations.monitors[keeps]], spheres)
    slope, inner, middle = midpoint(equations, variables)
    moved = on_spheres(list(rates.values()), spheres, variables)
    roots = [*moved, *gradient(energy, variables), *on_spheres(list(equations.implicit.values()), spheres)]
    found = substitute(roots, middle)
    size = len(variables)
    f, g, implicit = found[:size], found[size : 2 * size], found[2 * size :]
    (end,) = substitute([energy], {v: v + STEP * k for v, k in zip(variables, slope, strict=True)})
    rest = (end - energy - STEP * _dot(g, slope)) / (STEP * _dot(slope, slope))  # D = g + rest * slope
    norm = _dot(g, g)
    forward = 1 + rest * _dot(g, slope) / norm
    sideways = rest * _dot(f, slope) / norm
    residuals = {k: k - forward * a + sideways * b for k, a, b in zip(slope, f, g, strict=True)}
    residuals |= dict(zip(inner.values(), implicit, strict=True))
    begin = dict(zip(slope, rates.values(), strict=True)) | {new: u for u, new in inner.items()}
    after = tuple(v + STEP * k for v, k in zip(variables, slope, strict=True))
    return composed(Scheme(NAME, 2, variables, after, residuals, begin, tuple(equations.parameters)), order)


def _dot(a: list[Expr], b: list[Expr]) -> Expr:
    return total([(1, x * y) for x, y in zip(a, b, strict=True)])


def _refuse(equations: Equations, order: int, keeps: str, spheres: Spheres) -> None:
    """Raise unless the monitor is there, is a function of the state alone and does not change along the motion."""
    refuse_odd(NAME, order)
    if keeps not in equations.monitors:
        hint = suggestion(keeps, list(equations.monitors)) or "the equations have no monitors"
        raise HypothesisError(NAME, [Fault("monitors", f"there is no '{keeps}' in these equations", hint)])
    energy = equations.monitors[keeps]
    unknowns = sorted(u.data.label for u in equations.implicit if depends_on([energy], [u]))
    if unknowns:
        said = f"it contains the implicit unknown '{unknowns[0]}'"
        raise HypothesisError(NAME, [Fault(f"monitors, {keeps}", said, "state it in the state variables")])
    if depends_on([energy], [symbol(TIME)]):
        raise HypothesisError(NAME, [Fault(f"monitors, {keeps}", "it contains time", "keep another integral")])
    change = tangent([energy], {**all_rates(equations), symbol(TIME): ONE})
    verdict = is_zero(on_spheres(change, spheres)[0])
    if verdict.holds is not True:
        word = "is not constant along the motions" if verdict.holds is False else "was not shown to be constant"
        remedy = "leave out what changes it, or use an engine that does not force it to be kept"
        raise HypothesisError(NAME, [Fault(f"monitors, {keeps}", f"it {word}", remedy)])
