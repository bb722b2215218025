"""What holds for every second-order field (Sarlet, Cantrijn, Saunders; sections 2 and 3), decided for a given one.

Left sides are computed from definitions (Lie derivatives, brackets, Nijenhuis tensors), right sides are the formulas of
the paper, with its misprints corrected: the Nijenhuis tensor of N1 has C^a_beta dt ^ theta^beta, and L_Gamma X^H has
Gam^alpha_beta xi^beta. Where a law speaks of any field or 1-form, its coefficients are unspecified functions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import jet
from dalembert.expr.graph import ONE, ZERO, Expr
from dalembert.expr.symbols import Function
from dalembert.expr.truth.many import all_vanish, components_of
from dalembert.geometry.fields import VectorField, bracket, combination
from dalembert.geometry.forms import Form, coordinate_form, wedge
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tensors import Endomorphism, identity, nijenhuis, outer
from dalembert.mechanics.second_order.calculus_along import (
    Along,
    adjoint_lifts,
    curvature_of_field,
    decompose,
    horizontal_lift,
    jacobi,
    nabla,
    nabla_form,
    pairing,
    vertical_lift,
)
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.tensors import (
    SecondOrderTensors,
    Torsion,
    contracted,
    horizontal_coefficients,
    sum_of_outer,
)
from dalembert.model.claim import Claim

Parts = Mapping[str, Expr]


def second_order_identities(sode: SecondOrderField) -> list[Claim]:
    """Return every law of sections 2 and 3 as a claim on this field.

    >>> from dalembert.expr import symbol
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> field = SecondOrderField((x, y), (z,), ((y, ZERO),), (x,), (-x * z, x.dot * y.dot))
    >>> [law.name for law in second_order_identities(field) if law.verdict.holds is not True]
    []
    """
    tensors = SecondOrderTensors(sode)
    laws = {**_algebra(tensors), **_coordinates(tensors), **_torsions(tensors), **_lifts(sode), **_derivative(sode)}
    return [Claim(name, name, "check", all_vanish(parts, sode.facts)) for name, parts in laws.items()]


def any_along(sode: SecondOrderField, name: str) -> Along:
    """Return a field or 1-form along the projection with unspecified functions as coefficients."""
    point = sode.chart.coordinates
    free = [jet(Function(f"{name}{k}", len(point)), point) for k in range(sode.base.dimension)]
    size = len(sode.independent)
    return Along(free[0], tuple(free[1 : size + 1]), tuple(free[size + 1 :]))


# -- endomorphisms ---------------------------------------------------------------------------------------------
def _entries(tensor: Endomorphism) -> Parts:
    q = tensor.chart.coordinates
    return {
        f"the image of d/d{q[j]!r} along {q[i]!r}": entry
        for i, row in enumerate(tensor.matrix)
        for j, entry in enumerate(row)
    }


def _algebra(t: SecondOrderTensors) -> dict[str, Parts]:
    """Return the identities between S, N, their Lie derivatives, U and the projectors."""
    S, N, LS, LN, U = t.S, t.N, t.moved_S, t.moved_N, t.U
    unit = identity(t.sode.chart)
    laws = {
        "S S = 0": S @ S,
        "N N = N": N @ N - N,
        "S N = 0": S @ N,
        "N S = 0": N @ S,
        "(L_G S)^2 = I - Gamma dt - N": LS @ LS - (t.unit - N),
        "L_G S . N = 0": LS @ N,
        "N . L_G S = 0": N @ LS,
        "S . L_G N = 0": S @ LN,
        "L_G N . S = 0": LN @ S,
        "L_G S . L_G N = L_G N . N": LS @ LN - LN @ N,
        "L_G N . L_G S = -N . L_G N": LN @ LS + N @ LN,
        "U = L_G S . (I + L_G N)": U - LS @ (unit + LN),
        "U^2 = I - Gamma dt - N + L_G N . N": U @ U - (t.unit - N + LN @ N),
    }
    for name, H, V in (("", t.P_H, t.P_V), ("U", t.P_HU, t.P_VU)):
        laws[f"P_H{name} is a projector"] = H @ H - H
        laws[f"P_V{name} is a projector"] = V @ V - V
        laws[f"P_H{name} P_V{name} = 0"] = H @ V
        laws[f"P_V{name} P_H{name} = 0"] = V @ H
        laws[f"P_H{name} + P_V{name} = I"] = H + V - unit
    return {name: _entries(tensor) for name, tensor in laws.items()}


def _coordinates(t: SecondOrderTensors) -> dict[str, Parts]:
    """Return the coordinate formulas of L_Gamma S, L_Gamma N and of the two horizontal projectors."""
    s = t.sode
    chart, contact, eta = s.chart, s.contact, s.constraint_forms
    slopes = jacobian(s.acceleration, s.velocities)
    moved_S = sum_of_outer(chart, s.vertical, s.force_forms) - sum_of_outer(chart, s.horizontal, contact)
    moved_N = Endomorphism.of(chart, [[0] * chart.dimension for _ in range(chart.dimension)])
    steep = jacobian(s.acceleration, s.dependent)
    for be, vertical in enumerate(s.vertical):
        for al, theta in enumerate(contact):
            moved_S = moved_S - slopes[be][al] * outer(vertical, theta)
        for k, form in enumerate(eta):
            moved_N = moved_N - steep[be][k] * outer(vertical, form)
    for field, row in zip(s.fibre, s.curvature, strict=True):
        for c, theta in zip(row, contact, strict=True):
            moved_N = moved_N - c * outer(field, theta)
    laws = {
        "L_G S in coordinates": t.moved_S - moved_S,
        "L_G N in coordinates": t.moved_N - moved_N,
        "P_H in coordinates": t.P_H - _projector(s, alternative=False),
        "P_HU in coordinates": t.P_HU - _projector(s, alternative=True),
    }
    return {name: _entries(tensor) for name, tensor in laws.items()}


def _projector(s: SecondOrderField, *, alternative: bool) -> Endomorphism:
    """Return the horizontal projector by its connection coefficients, those from U where ``alternative``."""
    rows = [[ONE if i == j else ZERO for j in range(s.chart.dimension)] for i in range(s.base.dimension)]
    none = [ZERO] * len(s.independent)
    rows += [[*row, *none] for row in horizontal_coefficients(s, alternative=alternative)]
    return Endomorphism.of(s.chart, rows)


# -- curvature of the constraint connection --------------------------------------------------------------------
def _torsions(t: SecondOrderTensors) -> dict[str, Parts]:
    """Return the formulas of the Nijenhuis tensors, and what Psi is; those on E where the constraints are affine."""
    s = t.sode
    psi = sum_of_outer(s.chart, [], [])
    for field, row in zip(s.fibre, s.curvature, strict=True):
        for c, theta in zip(row, s.contact, strict=True):
            psi = psi + c * outer(field, theta)
    forms = _curvature_forms(s, s.contact, s.clock, s.curvature)
    tense = [form + more for form, more in zip(forms, _tension_forms(s), strict=True)]
    return {
        "Nijenhuis tensor of N1": _difference(t.torsion, s, tense),
        "Psi = i_Gamma Nijenhuis(N1) = C theta d_a": _entries(t.Psi - psi),
        **(_torsions_on_E(t) if s.is_affine else {}),
    }


def _torsions_on_E(t: SecondOrderTensors) -> dict[str, Parts]:
    """Return the formulas of the Nijenhuis tensor of N0, and that Psi comes from it."""
    s = t.sode
    base, count = s.base, s.base.dimension
    flat = [coordinate_form(base, q) for q in s.independent]
    clock = coordinate_form(base, base.coordinates[0])
    still = VectorField.of(s.chart, {s.chart.coordinates[0]: ONE, **dict(zip(s.dependent, s.drift, strict=True))})
    rates = [
        [still(b) - field(rest) for b, field in zip(row, s.horizontal, strict=True)]
        for row, rest in zip(s.coefficients, s.drift, strict=True)
    ]
    other = nijenhuis(identity(base) - t.N0)
    seen = contracted(base, s.field.components[:count], t.torsion0)
    return {
        "Nijenhuis tensor of N0": _difference(t.torsion0, s, _curvature_forms(s, flat, clock, rates)),
        "Nijenhuis tensors of N0 and I - N0 agree": {
            f"{pair} {q!r}": c
            for pair, field in t.torsion0.items()
            for q, c in zip(base.coordinates, (field - other[pair]).components, strict=True)
        },
        "Psi = i_T Nijenhuis(N0)": {
            f"{i} {j}": seen.matrix[i][j] - t.Psi.matrix[i][j] for i in range(count) for j in range(count)
        },
    }


def _tension_forms(s: SecondOrderField) -> list[Form]:
    """Return (d^2 g^a/dv^al dv^be) omega^be ^ theta^al, for each a: what constraints that are not affine add."""
    result = []
    for rows in s.tension:
        form = Form(s.chart, 2, {})
        for theta, row in zip(s.contact, rows, strict=True):
            for omega, entry in zip(s.force_forms, row, strict=True):
                form = form + entry * wedge(omega, theta)
        result.append(form)
    return result


def _curvature_forms(
    s: SecondOrderField, forms: Sequence[Form], clock: Form, rates: Sequence[Sequence[Expr]]
) -> list[Form]:
    """Return (1/2)(X_al(B^a_be) - X_be(B^a_al)) w^al ^ w^be + rate^a_be dt ^ w^be, for each a."""
    result = []
    for row, rate in zip(s.coefficients, rates, strict=True):
        across = [field.apply(row) for field in s.horizontal]
        form = Form(clock.chart, 2, {})
        for al, be in combinations(range(len(row)), 2):
            form = form + (across[al][be] - across[be][al]) * wedge(forms[al], forms[be])
        for r, one in zip(rate, forms, strict=True):
            form = form + r * wedge(clock, one)
        result.append(form)
    return result


def _difference(torsion: Torsion, s: SecondOrderField, forms: Sequence[Form]) -> Parts:
    """Return a tensor on pairs of coordinate fields, less the 2-forms times d_a."""
    start = 1 + len(s.independent)
    parts: dict[str, Expr] = {}
    for pair, field in torsion.items():
        values = list(field.components)
        for k, form in enumerate(forms):
            values[start + k] = values[start + k] - form.component(*pair)
        parts |= {f"{pair} along {q!r}": v for q, v in zip(field.chart.coordinates, values, strict=True)}
    return parts


# -- lifts, curvature of the field, covariant derivative -------------------------------------------------------
def _apart(left: VectorField, *right: VectorField) -> Parts:
    difference = combination([(1, left), *((-1, field) for field in right)])
    return components_of(difference.components, difference.chart.coordinates)


def _lifts(s: SecondOrderField) -> dict[str, Parts]:
    """Return the laws of lifts, of decomposition and of their duals."""
    tensors = SecondOrderTensors(s)
    X, a = any_along(s, "xi"), any_along(s, "a")
    point = s.chart.coordinates
    Z = VectorField(s.chart, tuple(jet(Function(f"zeta{k}", len(point)), point) for k in range(len(point))))
    first, second = decompose(s, Z)
    level, upright = horizontal_lift(s, X), vertical_lift(s, X)
    flat, lifted = adjoint_lifts(s, a)
    across = dot(a.across, X.across)
    endomorphism = jacobi(s)
    return {
        "Z = X^H + Y^V": _apart(Z, horizontal_lift(s, first), vertical_lift(s, second)),
        "P_H(Z) = X^H": _apart(tensors.P_H(Z), horizontal_lift(s, first)),
        "X^V = S(X^H)": _apart(upright, tensors.S(level)),
        "T^H = Gamma": _apart(s.field, horizontal_lift(s, _canonical(s))),
        "lifts of 1-forms are dual": {
            "a^H(X^H)": flat(level) - pairing(a, X),
            "a^H(X^V)": flat(upright),
            "a^V(X^H)": lifted(level),
            "a^V(X^V)": lifted(upright) - across,
        },
        "Phi + Psi on 1-forms is the transpose": {
            "": pairing(endomorphism.on_form(a), X) - pairing(a, endomorphism(X)),
        },
    }


def _derivative(s: SecondOrderField) -> dict[str, Parts]:
    """Return the laws of R, Phi and the dynamical covariant derivative."""
    X, Y, a = any_along(s, "xi"), any_along(s, "chi"), any_along(s, "a")
    T, J = _canonical(s), jacobi(s)
    moved, none = nabla(s, X), (ZERO,) * len(s.dependent)
    factor = jet(Function("F", s.chart.dimension), s.chart.coordinates)
    scaled = Along(factor * X.tau, tuple(factor * x for x in X.across), tuple(factor * x for x in X.fibre))
    plain, steep = curvature_of_field(s, X, Y), curvature_of_field(s, scaled, Y)
    inner = nabla(s, Along(ZERO, (ZERO,) * len(X.across), X.fibre))
    (rate,) = s.field.apply([pairing(a, X)])
    return {
        "Phi = i_T R": curvature_of_field(s, T, X).minus(J.Phi(X)),
        "R is a tensor": steep.minus(Along(ZERO, tuple(factor * r for r in plain.across), none)),
        "L_G X^V = -X^H + (nabla X)^V": _apart(
            bracket(s.field, vertical_lift(s, X)),
            vertical_lift(s, moved),
            -horizontal_lift(s, Along(ZERO, X.across, none)),
        ),
        "L_G X^H = (nabla X + Psi(X))^H + Phi(X)^V": _apart(
            bracket(s.field, horizontal_lift(s, X)),
            horizontal_lift(s, moved),
            horizontal_lift(s, J.Psi(X)),
            vertical_lift(s, J.Phi(X)),
        ),
        "nabla is dual on 1-forms": {"": rate - pairing(nabla_form(s, a), X) - pairing(a, moved)},
        "nabla T = 0": nabla(s, T).minus(Along(ZERO, (ZERO,) * len(X.across), none)),
        "nabla N = 0": inner.minus(Along(ZERO, (ZERO,) * len(X.across), moved.fibre)),
    }


def _canonical(s: SecondOrderField) -> Along:
    """Return T."""
    return Along(ONE, (ZERO,) * len(s.independent), (ZERO,) * len(s.dependent))
