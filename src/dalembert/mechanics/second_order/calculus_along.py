"""Calculus along the projection of a second-order field to E (Sarlet, Cantrijn, Saunders; section 3).

A vector field along the projection is tau T + xi^alpha X_alpha + xi^a d_a, with T = Gamma seen from E and functions of
(t, q, v) as coefficients; a 1-form along it is tau dt + a_alpha theta^alpha + c_a eta^a. Both are kept by coefficients.
Indices: Gam^alpha_beta = -(1/2) df^alpha/dv^beta is ``sode.connection[alpha][beta]``.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.expr.graph import ZERO, Expr, total
from dalembert.geometry.fields import VectorField, bracket, combination
from dalembert.geometry.forms import Form
from dalembert.mechanics.second_order.field import Row, SecondOrderField
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class Along:
    """A vector field (or 1-form) along the projection, by coefficients on T, X_alpha, d_a (on dt, theta, eta)."""

    tau: Expr
    across: Row
    """On X_alpha, or on theta^alpha."""
    fibre: Row
    """On d_a, or on eta^a."""

    def minus(self, other: Along) -> dict[str, Expr]:
        """Return the differences of the coefficients, by name."""
        left, right = (self.tau, *self.across, *self.fibre), (other.tau, *other.across, *other.fibre)
        return {f"coefficient {k}": a - b for k, (a, b) in enumerate(zip(left, right, strict=True))}


@dataclass(frozen=True, slots=True)
class Jacobi:
    """The Jacobi endomorphism Phi + Psi by its components; rows are those of the image.

    Phi takes X_alpha to ``phi[beta][alpha]`` X_beta and d_a to ``phi_fibre[beta][a]`` X_beta; Psi takes X_alpha to
    ``psi[a][alpha]`` d_a; both take T to zero.
    """

    phi: tuple[Row, ...]
    phi_fibre: tuple[Row, ...]
    psi: tuple[Row, ...]

    def Phi(self, field: Along) -> Along:
        """Return Phi of a vector field along the projection."""
        rows = zip(self.phi, self.phi_fibre, strict=True)
        moved = tuple(total([*_terms(row, field.across), *_terms(more, field.fibre)]) for row, more in rows)
        return Along(ZERO, moved, (ZERO,) * len(self.psi))

    def Psi(self, field: Along) -> Along:
        """Return Psi of a vector field along the projection."""
        return Along(ZERO, (ZERO,) * len(self.phi), tuple(total(_terms(row, field.across)) for row in self.psi))

    def __call__(self, field: Along) -> Along:
        """Return (Phi + Psi) of a vector field along the projection."""
        return Along(ZERO, self.Phi(field).across, self.Psi(field).fibre)

    def on_form(self, form: Along) -> Along:
        """Return the transpose on a 1-form: (a_be Phi^be_al + c_a C^a_al) theta^al + a_be Phi^be_a eta^a."""
        across = [
            total(
                [*_terms(form.across, [row[n] for row in self.phi]), *_terms(form.fibre, [row[n] for row in self.psi])]
            )
            for n in range(len(self.phi))
        ]
        fibre = [total(_terms(form.across, [row[k] for row in self.phi_fibre])) for k in range(len(self.psi))]
        return Along(ZERO, tuple(across), tuple(fibre))


def _terms(left: Sequence[Expr], right: Sequence[Expr]) -> list[tuple[int, Expr]]:
    return [(1, a * b) for a, b in zip(left, right, strict=True)]


def jacobi(sode: SecondOrderField) -> Jacobi:
    """Return Phi and Psi by the formulas of the paper.

    Phi^be_al = -[X_al(f^be) + Gam^g_al Gam^be_g + Gamma(Gam^be_al)], Phi^be_a = -df^be/dq^a, Psi^a_al = C^a_al.
    """
    gam = sode.connection
    size = range(len(gam))
    across, moved = sode.horizontal_derivatives, sode.connection_rates
    phi = tuple(
        tuple(
            -total([(1, across[be][al]), (1, moved[be][al]), *((1, gam[g][al] * gam[be][g]) for g in size)])
            for al in size
        )
        for be in size
    )
    fibre = tuple(tuple(-s for s in row) for row in sode.fibre_derivatives)
    return Jacobi(phi, fibre, sode.curvature)


# -- lifts and decomposition -----------------------------------------------------------------------------------
def horizontal_basis(sode: SecondOrderField) -> list[VectorField]:
    """Return X_alpha^H = X_alpha - Gam^be_alpha d/dv^be."""
    columns = zip(*sode.connection, strict=True)
    return [
        combination([(1, field), *((-g, v) for g, v in zip(column, sode.vertical, strict=True))])
        for field, column in zip(sode.horizontal, columns, strict=True)
    ]


def horizontal_lift(sode: SecondOrderField, field: Along) -> VectorField:
    """Return X^H = tau Gamma + xi^alpha X_alpha^H + xi^a d_a."""
    pairs = [(field.tau, sode.field), *zip(field.across, horizontal_basis(sode), strict=True)]
    return combination([*pairs, *zip(field.fibre, sode.fibre, strict=True)])


def vertical_lift(sode: SecondOrderField, field: Along) -> VectorField:
    """Return X^V = xi^alpha d/dv^alpha."""
    return combination(list(zip(field.across, sode.vertical, strict=True)))


def decompose(sode: SecondOrderField, field: VectorField) -> tuple[Along, Along]:
    """Return (X, Y) with field = X^H + Y^V, where Y has a part along the X_alpha only."""
    tau = sode.clock(field)
    across = tuple(form(field) for form in sode.contact)
    fibre = tuple(form(field) for form in sode.constraint_forms)
    rows = zip(sode.force_forms, sode.connection, strict=True)
    lifted = tuple(total([(1, form(field)), *_terms(row, across)]) for form, row in rows)
    return Along(tau, across, fibre), Along(ZERO, lifted, (ZERO,) * len(fibre))


def adjoint_lifts(sode: SecondOrderField, form: Along) -> tuple[Form, Form]:
    """Return the horizontal and the vertical lift of a 1-form along the projection.

    They are dual to those of vector fields: a^H(X^H) = a(X), a^H(X^V) = 0, a^V(X^H) = 0, a^V(X^V) = a_alpha xi^alpha.
    """
    flat = form.tau * sode.clock
    for value, one in zip(form.across, sode.contact, strict=True):
        flat = flat + value * one
    for value, one in zip(form.fibre, sode.constraint_forms, strict=True):
        flat = flat + value * one
    upright = Form(sode.chart, 1, {})
    for value, one, row in zip(form.across, sode.force_forms, sode.connection, strict=True):
        upright = upright + value * one
        for g, theta in zip(row, sode.contact, strict=True):
            upright = upright + (value * g) * theta
    return flat, upright


def curvature_of_field(sode: SecondOrderField, left: Along, right: Along) -> Along:
    """Return R(X, Y): the vertical part of [X^H, Y^H]. Phi is R(T, .)."""
    return decompose(sode, bracket(horizontal_lift(sode, left), horizontal_lift(sode, right)))[1]


# -- the dynamical covariant derivative ------------------------------------------------------------------------
def nabla(sode: SecondOrderField, field: Along) -> Along:
    """Return nabla X: a derivation with nabla T = 0, nabla X_al = Gam^be_al X_be, nabla d_a = -d_a(g^b) d_b."""
    moved = sode.field.apply([field.tau, *field.across, *field.fibre])
    size = len(field.across)
    across = [
        total([(1, m), *_terms(row, field.across)]) for m, row in zip(moved[1 : size + 1], sode.connection, strict=True)
    ]
    slopes = sode.velocity_derivatives
    fibre = [
        total([(1, m), *((-1, s * x) for s, x in zip(row, field.fibre, strict=True))])
        for m, row in zip(moved[size + 1 :], slopes, strict=True)
    ]
    return Along(moved[0], tuple(across), tuple(fibre))


def nabla_form(sode: SecondOrderField, form: Along) -> Along:
    """Return nabla of a 1-form: nabla dt = 0, nabla theta^al = -Gam^al_be theta^be, nabla eta^a = d_b(g^a) eta^b."""
    moved = sode.field.apply([form.tau, *form.across, *form.fibre])
    size = len(form.across)
    columns = zip(*sode.connection, strict=True)
    across = [
        total([(1, m), *((-1, g * a) for g, a in zip(column, form.across, strict=True))])
        for m, column in zip(moved[1 : size + 1], columns, strict=True)
    ]
    slopes = sode.velocity_derivatives
    fibre = [
        total([(1, m), *((1, slopes[b][a] * form.fibre[b]) for b in range(len(slopes)))])
        for a, m in enumerate(moved[size + 1 :])
    ]
    return Along(moved[0], tuple(across), tuple(fibre))


def pairing(form: Along, field: Along) -> Expr:
    """Return the value of a 1-form on a vector field, both along the projection."""
    return total([(1, form.tau * field.tau), *_terms(form.across, field.across), *_terms(form.fibre, field.fibre)])
