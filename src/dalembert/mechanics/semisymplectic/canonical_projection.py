"""The canonical projection of a semi-symplectic manifold and its curvature (Patrick, sections 2 and 5).

The laws of the bracket are decided here too: Propositions 5.1 to 5.4.

Where omega is defined on all of TP and is non-degenerate on K, TP = K + K^(omega-perp), and kappa is the projection on
K along its omega-orthogonal complement: omega(kappa w, k) = omega(w, k) for k in K. Its curvature is the 2-form
Delta_kappa(X, Y) = kappa[kappa X, kappa Y] - [kappa X, kappa Y], vertical and zero exactly if K is involutive, and
d_kappa alpha = (d alpha)(kappa ., ..., kappa .) obeys d_kappa^2 f = -<df, Delta_kappa>.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product

from dalembert.expr.elementary import jet, solve
from dalembert.expr.graph import ZERO, Expr, total
from dalembert.expr.symbols import Function
from dalembert.expr.truth import agreement, all_hold
from dalembert.expr.truth.many import all_vanish
from dalembert.geometry.distributions import expanded_determinant
from dalembert.geometry.fields import VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, d, interior, lie_derivative, one_form
from dalembert.geometry.tensors import Endomorphism
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.model.claim import Claim
from dalembert.records import dataclass

Parts = Mapping[str, Expr]


@dataclass(frozen=True, slots=True)
class CanonicalProjection:
    """kappa: TP -> K along the omega-orthogonal complement of K.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y, z, w = (symbol(n) for n in "xyzw")
    >>> space = Chart.of(x, y, z, w)
    >>> tilted = (VectorField.of(space, {x: 1, z: y}), VectorField.of(space, {y: 1}))
    >>> half = SemiSymplectic(space, Form.of(space, 2, {(0, 1): 1, (2, 3): 1}), tilted)
    >>> CanonicalProjection(half).of(VectorField.of(space, {w: 1})).components
    (0, y, 0, 0)
    """

    manifold: SemiSymplectic

    def of(self, field: VectorField) -> VectorField:
        """Return kappa(X)."""
        return self.of_all([field])[0]

    def of_all(self, fields: Sequence[VectorField]) -> list[VectorField]:
        """Return kappa of several fields, with one factorisation."""
        basis, gram = self.manifold.basis, self.manifold.gram
        across = [[row[j] for row in gram] for j in range(len(basis))]
        found = []
        for field in fields:
            form = interior(field, self.manifold.form)
            found.append(combination(zip(solve(across, [form(k) for k in basis]), basis, strict=True)))
        return found

    def tensor(self) -> Endomorphism:
        """Return kappa as an endomorphism."""
        chart = self.manifold.chart
        images = self.of_all([coordinate_field(chart, q) for q in chart.coordinates])
        size = range(chart.dimension)
        return Endomorphism.of(chart, [[images[j].components[i] for j in size] for i in size])

    def curvature(self, left: VectorField, right: VectorField) -> VectorField:
        """Return Delta_kappa(X, Y) = kappa[kappa X, kappa Y] - [kappa X, kappa Y]."""
        leaving = bracket(self.of(left), self.of(right))
        return self.of(leaving) - leaving

    def differential(self, function: Expr) -> Form:
        """Return d_kappa f = kappa^* df."""
        chart = self.manifold.chart
        images = self.of_all([coordinate_field(chart, q) for q in chart.coordinates])
        return one_form(chart, [image(function) for image in images])


def any_functions(manifold: SemiSymplectic, names: Sequence[str] = ("f", "g", "h")) -> list[Expr]:
    """Return unspecified functions on P."""
    point = manifold.chart.coordinates
    return [jet(Function(name, len(point)), point) for name in names]


def semisymplectic_laws(manifold: SemiSymplectic, functions: Sequence[Expr] | None = None) -> list[Claim]:
    """Return Propositions 5.1 to 5.3 and the facts after Corollary 5.1 as claims, for any f, g, h unless given.

    The facts need a closed form, Proposition 5.3 an involutive K; each is stated where that holds. Signs and factors
    are those that are right: kappa^* L_Yf omega = -<df, Delta>, d omega(Yf, Yg, Yh) = -J(f, g, h).
    """
    f, g, h = any_functions(manifold) if functions is None else functions
    laws = _bracket_laws(manifold, f, g, h)
    if d(manifold.form).is_zero().holds:
        laws |= _projection_laws(manifold, f, g, h)
    if manifold.involutive().holds:
        laws |= _involutive_laws(manifold, f, g, h)
    claims = [Claim(name, name, "check", all_vanish(parts, manifold.facts)) for name, parts in laws.items()]
    return [*claims, _poisson(manifold)]


def _poisson(manifold: SemiSymplectic) -> Claim:
    """Decide Proposition 5.4: the bracket is Poisson exactly if K is involutive and d omega = 0 on it."""
    three = d(manifold.form)
    parts = {
        f"on K_{i}, K_{j}, K_{k}": three(a, b, c)
        for (i, a), (j, b), (k, c) in combinations(enumerate(manifold.basis, 1), 3)
    }
    closed, involutive, jacobi = all_vanish(parts, manifold.facts), manifold.involutive(), manifold.jacobi()
    said = "[B, B] = 0 exactly if K is involutive and d omega = 0"
    both = all_hold({"K is involutive": involutive, "d omega = 0 on K": closed})
    verdict = agreement({"Jacobi's identity": jacobi, "K is involutive and d omega = 0 on it": both})
    return Claim(said, said, "check", verdict)


def _jacobiator(manifold: SemiSymplectic, f: Expr, g: Expr, h: Expr) -> Expr:
    y = manifold.field_of(f, g, h)
    # {{f, g}, h} = Y_h(Y_g(f))
    return total([(1, y[2](y[1](f))), (1, y[0](y[2](g))), (1, y[1](y[0](h)))])


def _bracket_laws(manifold: SemiSymplectic, f: Expr, g: Expr, h: Expr) -> dict[str, Parts]:
    """Return Propositions 5.1 and 5.2."""
    of_f, of_g, product, of_bracket = manifold.field_of(f, g, f * g, manifold.bracket(f, g))
    leibniz = product - combination([(f, of_g), (g, of_f)])
    jacobi = _jacobiator(manifold, f, g, h)
    tensor = manifold.tensor
    size = range(manifold.chart.dimension)
    slopes = [d(e, manifold.chart) for e in (g, h)]
    moved = [of_f.apply(row) for row in tensor]
    steps = [of_f.apply(list(e)) for e in ([s.component(i) for i in size] for s in slopes)]
    gone = [lie_derivative(of_f, s) for s in slopes]
    # (L_Y B)(dg, dh) = Y(B(dg, dh)) - B(L_Y dg, dh) - B(dg, L_Y dh)
    terms = []
    for i in size:
        for j in size:
            gi, hj = slopes[0].component(i), slopes[1].component(j)
            whole = moved[i][j] * gi * hj + tensor[i][j] * (steps[0][i] * hj + gi * steps[1][j])
            lost = tensor[i][j] * (gone[0].component(i) * hj + gi * gone[1].component(j))
            terms += [(1, whole), (-1, lost)]
    return {
        "Y_fg = f Y_g + g Y_f": {str(i): c for i, c in enumerate(leibniz.components)},
        "{f, g} = omega(Y_f, Y_g)": {"": manifold.form(of_f, of_g) - manifold.bracket(f, g)},
        "-([Y_f, Y_g] + Y_{f, g})(h) = J(f, g, h)": {"": -(bracket(of_f, of_g) + of_bracket)(h) - jacobi},
        "L_Yf B(dg, dh) = J(f, g, h)": {"": total([*terms, (-1, jacobi)])},
        "i_[B, B] (df ^ dg ^ dh)/2 = J(f, g, h)": {
            "": contracted(schouten(manifold), (f, g, h), manifold) / 2 - jacobi
        },
    }


def schouten(manifold: SemiSymplectic) -> dict[tuple[int, int, int], Expr]:
    """Return the Schouten bracket [B, B] of the bivector, on increasing triples of coordinates.

    B = (1/2) Y_j ^ d_j with Y_j = {., x^j}, and [X ^ Y, U ^ V] = [X, U] ^ Y ^ V - [X, V] ^ Y ^ U - [Y, U] ^ X ^ V +
    [Y, V] ^ X ^ U: it is made of brackets of fields, where Jacobi's identity is made of brackets of functions.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> space = Chart.of(x, y, z)
    >>> contact = (VectorField.of(space, {x: 1, z: y}), VectorField.of(space, {y: 1}))
    >>> schouten(SemiSymplectic(space, Form.of(space, 2, {(0, 1): 1}), contact))
    {(0, 1, 2): -2}
    """
    chart = manifold.chart
    size = range(chart.dimension)
    across = [coordinate_field(chart, q) for q in chart.coordinates]
    along = [VectorField.of(chart, [row[j] for row in manifold.tensor]) for j in size]
    turned = [[bracket(along[j], across[k]) for k in size] for j in size]
    terms: dict[tuple[int, int, int], list[tuple[Fraction, Expr]]] = {t: [] for t in combinations(size, 3)}
    for j, k in product(size, size):
        wedges = [
            (1, bracket(along[j], along[k]), across[j], across[k]),
            (-1, turned[j][k], across[j], along[k]),
            (1, turned[k][j], along[j], across[k]),  # -[d_j, Y_k] = [Y_k, d_j]
        ]
        for sign, *three in wedges:
            rows = [field.components for field in three]
            for triple, found in terms.items():
                value = expanded_determinant([[row[i] for i in triple] for row in rows])
                if value is not ZERO:
                    found.append((Fraction(sign, 4), value))
    return {triple: total(found) for triple, found in terms.items()}


def contracted(
    trivector: Mapping[tuple[int, int, int], Expr], functions: Sequence[Expr], manifold: SemiSymplectic
) -> Expr:
    """Return i_T (df ^ dg ^ dh) with i_(X ^ Y ^ Z) = i_X i_Y i_Z, which is minus the value of T on df, dg, dh."""
    slopes = [[d(f, manifold.chart).component(i) for i in range(manifold.chart.dimension)] for f in functions]
    minors = {triple: expanded_determinant([[row[i] for i in triple] for row in slopes]) for triple in trivector}
    return total([(-1, value * minors[triple]) for triple, value in trivector.items()])


def _projection_laws(manifold: SemiSymplectic, f: Expr, g: Expr, h: Expr) -> dict[str, Parts]:
    """Return facts 1 to 4 after Corollary 5.1."""
    kappa = CanonicalProjection(manifold)
    basis = manifold.basis
    of_f, of_g, of_h = manifold.field_of(f, g, h)
    first = interior(of_f, manifold.form) - kappa.differential(f)
    moved = lie_derivative(of_f, manifold.form)
    pairs = list(combinations(range(len(basis)), 2))
    second = {
        f"on K_{i + 1}, K_{j + 1}": moved(basis[i], basis[j]) + kappa.curvature(basis[i], basis[j])(f) for i, j in pairs
    }
    third_form = interior(bracket(of_f, of_g), manifold.form) + d(manifold.bracket(f, g), manifold.chart)
    third = {
        f"on K_{i}": third_form(k) + kappa.curvature(of_f, k)(g) - kappa.curvature(of_g, k)(f)
        for i, k in enumerate(basis, 1)
    }
    curved = [
        (1, kappa.curvature(of_f, of_g)(h)),
        (1, kappa.curvature(of_g, of_h)(f)),
        (1, kappa.curvature(of_h, of_f)(g)),
    ]
    return {
        "i_Yf omega = d_kappa f": {str(i): e for i, e in first.terms.items()},
        "kappa^* L_Yf omega = -<df, Delta>": second,
        "(i_[Yf, Yg] omega + d{f, g}) on K = -<dg, Delta(Yf, .)> + <df, Delta(Yg, .)>": third,
        "J(f, g, h) = <dh, Delta(Yf, Yg)> + cyclic": {"": total(curved) - _jacobiator(manifold, f, g, h)},
    }


def _involutive_laws(manifold: SemiSymplectic, f: Expr, g: Expr, h: Expr) -> dict[str, Parts]:
    """Return Proposition 5.3, with its factor corrected."""
    of_f, of_g, of_h = manifold.field_of(f, g, h)
    jacobi = _jacobiator(manifold, f, g, h)
    return {
        "L_Yf omega(Yg, Yh) = d omega(Yf, Yg, Yh)": {
            "": lie_derivative(of_f, manifold.form)(of_g, of_h) - d(manifold.form)(of_f, of_g, of_h)
        },
        "d omega(Yf, Yg, Yh) = -J(f, g, h)": {"": d(manifold.form)(of_f, of_g, of_h) + jacobi},
    }
