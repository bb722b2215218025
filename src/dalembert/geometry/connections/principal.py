"""Principal connections: the connection form, horizontal projection, horizontal lifts, curvature.

For a left action with fundamental fields E~_a the form gamma obeys gamma^a(E~_b) = 1 where a = b, else 0, and is
equivariant. Its kernel is horizontal. The curvature is Omega = d gamma (h, h) = -gamma([h, h]), so that
[X^h, Y^h] = [X, Y]^h - Omega(X, Y)_Q.

The structure equation of a *left* action has a minus: since [E~_b, E~_c] = -C_bc^a E~_a,

    Omega = d gamma - 1/2 [gamma, gamma],  by components  Omega^a = d gamma^a - 1/2 C_bc^a gamma^b ^ gamma^c,

with [gamma, gamma](X, Y) = 2 [gamma(X), gamma(Y)] and C the constants of the Lie algebra of the group. (Books on
bundles let the group act on the right; there the sign is plus.) Bianchi's identity is d Omega^a = C_bc^a gamma^b ^
Omega^c.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, as_expr
from dalembert.expr.truth import Verdict, all_hold, is_zero
from dalembert.geometry.fields import Chart, VectorField, bracket, combination, coordinate_field
from dalembert.geometry.forms import Form, d, lie_derivative, one_form, wedge
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tensors import Endomorphism, identity, outer
from dalembert.records import dataclass

Constants = Sequence[Sequence[Sequence[Operand]]]


@dataclass(frozen=True, slots=True)
class PrincipalConnection:
    """A connection form with values in a Lie algebra: one 1-form for each generator."""

    chart: Chart
    generators: tuple[VectorField, ...]
    forms: tuple[Form, ...]

    def vertical_part(self, field: VectorField) -> VectorField:
        """Return gamma(X)_Q, the part along the orbits."""
        return combination([(form(field), e) for form, e in zip(self.forms, self.generators, strict=True)])

    def horizontal_part(self, field: VectorField) -> VectorField:
        """Return X - gamma(X)_Q; of a field that projects to the base this is the horizontal lift of the projection."""
        return field - self.vertical_part(field)

    def horizontal_lift(self, components: Mapping[Expr, Operand]) -> VectorField:
        """Return the horizontal lift of a field on the base, given by its components on base coordinates."""
        return self.horizontal_part(VectorField.of(self.chart, components))

    def horizontal(self) -> Endomorphism:
        """Return the projector on the horizontal spaces along the orbits; half its bracket with itself is -Omega_Q."""
        result = identity(self.chart)
        for form, field in zip(self.forms, self.generators, strict=True):
            result = result - outer(field, form)
        return result

    def reproduces_generators(self, *, effort: float = 0.0) -> Verdict:
        """Decide gamma^a(E~_b) = delta^a_b."""
        verdicts = {}
        for a, form in enumerate(self.forms):
            for b, field in enumerate(self.generators):
                value = form(field) - (ONE if a == b else ZERO)
                verdicts[f"form {a + 1} on generator {b + 1}"] = is_zero(value, effort=effort)
        return all_hold(verdicts)


def given(generators: Sequence[VectorField], forms: Sequence[Form]) -> PrincipalConnection:
    """Return the connection with these forms; that they reproduce the generators is for the caller to ask."""
    if len(generators) != len(forms) or not generators:
        raise ExpressionError(f"{len(generators)} generators need as many connection forms, not {len(forms)}.")
    chart = generators[0].chart
    if any(e.chart != chart for e in generators) or any(form.chart != chart or form.degree != 1 for form in forms):
        raise ExpressionError("generators and connection forms (of degree 1) must live on one chart.")
    return PrincipalConnection(chart, tuple(generators), tuple(forms))


def from_forms(
    generators: Sequence[VectorField],
    rows: Sequence[Sequence[Expr]],
    short: Callable[[Expr], Expr] = lambda entry: entry,
) -> PrincipalConnection:
    """Return the connection whose horizontal spaces are annihilated by 1-forms mu^k, given by rows of components.

    gamma = (mu^k(E~_b))^-1 mu^k: as many forms as generators, and independent along the orbits.
    """
    if len(rows) != len(generators):
        raise ExpressionError(f"{len(rows)} forms cannot complement the orbits of {len(generators)} generators.")
    leaving = [[dot(mu, e.components) for e in generators] for mu in rows]
    columns = [list(map(short, solve(leaving, list(column)))) for column in zip(*rows, strict=True)]
    return given(generators, [one_form(generators[0].chart, list(form)) for form in zip(*columns, strict=True)])


def from_metric(metric: Sequence[Sequence[Operand]], generators: Sequence[VectorField]) -> PrincipalConnection:
    """Return the mechanical connection: horizontal is what is orthogonal to the orbits.

    gamma = I^-1 J with the locked inertia I_ab = g(E~_a, E~_b) and J_a(X) = g(E~_a, X).
    """
    rows = [[as_expr(entry) for entry in row] for row in metric]
    return from_forms(generators, [[dot(row, e.components) for row in rows] for e in generators])


def trivial(chart: Chart, generators: Sequence[VectorField], base: Sequence[Expr]) -> PrincipalConnection:
    """Return the connection whose horizontal spaces are spanned by the coordinate fields of the base."""
    fibre = [i for i, q in enumerate(chart.coordinates) if q not in base]
    if len(fibre) != len(generators):
        raise ExpressionError(f"{len(generators)} generators need as many fibre coordinates, not {len(fibre)}.")
    for e in generators:
        for q in base:
            if is_zero(e.components[chart.place(q)]).holds is not True:
                raise ExpressionError(f"a generator moves the base coordinate '{q!r}', so the bundle is not adapted.")
    return from_forms(generators, [[ONE if i == j else ZERO for j in range(chart.dimension)] for i in fibre])


def curvature_form(connection: PrincipalConnection, left: VectorField, right: VectorField) -> list[Expr]:
    """Return Omega(X, Y) by components: d gamma on the horizontal parts."""
    x, y = connection.horizontal_part(left), connection.horizontal_part(right)
    return [d(form)(x, y) for form in connection.forms]


def curvature_by_bracket(connection: PrincipalConnection, left: VectorField, right: VectorField) -> list[Expr]:
    """Return Omega(X, Y) by a second derivation: -gamma([hX, hY])."""
    moved = bracket(connection.horizontal_part(left), connection.horizontal_part(right))
    return [-form(moved) for form in connection.forms]


def curvature_forms(connection: PrincipalConnection) -> list[Form]:
    """Return the components Omega^a of the curvature as 2-forms, by their values on the coordinate fields."""
    chart = connection.chart
    parts = [connection.horizontal_part(coordinate_field(chart, q)) for q in chart.coordinates]
    result = []
    for form in connection.forms:
        slopes = d(form)
        pairs = combinations(range(chart.dimension), 2)
        result.append(Form.of(chart, 2, {(i, j): slopes(parts[i], parts[j]) for i, j in pairs}))
    return result


def structure_equation(connection: PrincipalConnection, constants: Constants) -> list[Form]:
    """Return d gamma^a - 1/2 C_bc^a gamma^b ^ gamma^c: the curvature, if the connection is equivariant.

    ``constants[b][c][a]`` are those of the Lie algebra of the group, [E~_b, E~_c] = -C_bc^a E~_a.
    """
    result = []
    for a, form in enumerate(connection.forms):
        value = d(form)
        for b, c in combinations(range(len(connection.forms)), 2):  # the half goes with b < c
            value = value - as_expr(constants[b][c][a]) * wedge(connection.forms[b], connection.forms[c])
        result.append(value)
    return result


def equivariance(connection: PrincipalConnection, constants: Constants, *, effort: float = 0.0) -> Verdict:
    """Decide whether L_{E~_b} gamma^a = C_bc^a gamma^c: gamma turns with the group as a connection must.

    ``constants[b][c][a]`` are those of the Lie algebra of the group, [E~_b, E~_c] = -C_bc^a E~_a.
    """
    verdicts = {}
    count = len(connection.generators)
    for b, field in enumerate(connection.generators):
        for a, form in enumerate(connection.forms):
            wanted = Form(connection.chart, 1, {})
            for c in range(count):
                wanted = wanted + as_expr(constants[b][c][a]) * connection.forms[c]
            defect = lie_derivative(field, form) - wanted
            verdicts[f"form {a + 1} moved by generator {b + 1}"] = defect.is_zero(effort=effort)
    return all_hold(verdicts)
