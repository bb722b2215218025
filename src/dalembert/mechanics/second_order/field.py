"""Second-order fields on a constraint manifold (Sarlet, Cantrijn, Saunders; section 2), wherever they come from.

Coordinates are (t, q^alpha, q^a, v^alpha). The constraints q'^a = B^a_alpha v^alpha + B^a =: g^a are a connection, and

    Gamma = d_t + v^alpha d_alpha + g^a d_a + f^alpha d/dv^alpha

is a second-order field on it. With it goes the frame Gamma, X_alpha = d_alpha + B^a_alpha d_a, d_a, d/dv^alpha and its
dual dt, theta^alpha = dq^alpha - v^alpha dt, eta^a = dq^a - B^a_alpha dq^alpha - B^a dt, omega^alpha = dv^alpha -
f^alpha dt.
No Lagrangian is needed: a system given by its equations will do.

What has been computed of a field is kept: searches write the same derivatives of f and g down a thousand times, once
for each unknown constant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol, Self

from dalembert.errors import DalembertError, ExpressionError, Fault, HypothesisError
from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.field import normal
from dalembert.expr.field.worker import wake
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, vanish
from dalembert.expr.walk import postorder, substitute
from dalembert.expr.work import Budget
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import Chart, VectorField, coordinate_field
from dalembert.geometry.forms import Form, coordinate_form
from dalembert.model.equations import Equations
from dalembert.model.system import System

Row = tuple[Expr, ...]
Matrix = tuple[Row, ...]
_MOST_NODES = 200
"""Formulas up to this size are brought to a normal form, in which what cancels is gone,"""
_SECONDS = 1.2
"""if all of it takes no longer than this."""


class Constrained(Protocol):
    """What a nonholonomic result has that is needed here."""

    @property
    def system(self) -> System: ...
    @property
    def distribution(self) -> Distribution: ...
    @property
    def drift(self) -> Row: ...
    @property
    def acceleration(self) -> Row: ...


@dataclass(frozen=True)
class SecondOrderField:
    """A second-order field on a constraint manifold.

    >>> from dalembert.expr import ZERO
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> sode = SecondOrderField((x, y), (z,), ((y, ZERO),), (ZERO,), (-x, -y))
    >>> sode.dependent_velocities
    (x'*y,)
    >>> sode.curvature
    ((y', -x'),)
    """

    independent: Row
    """q^alpha."""
    dependent: Row
    """q^a."""
    coefficients: tuple[Row, ...]
    """B^a_alpha, rows by dependent coordinates."""
    drift: Row
    """B^a."""
    acceleration: Row
    """f^alpha."""
    facts: tuple[Fact, ...] = ()
    """Equations that verdicts may use."""

    @classmethod
    def of(cls, result: Constrained) -> Self:
        """Return the field of a nonholonomic result."""
        q, distribution = result.system.q, result.distribution
        return cls(
            tuple(q[i] for i in distribution.independent),
            tuple(q[a] for a in distribution.dependent),
            distribution.coefficients,
            result.drift,
            result.acceleration,
            tuple(result.system.facts),
        )

    @classmethod
    def from_equations(cls, system: System) -> Self:
        """Return the field of a system given by ``[equations]``: accelerations of the independent coordinates.

        The other velocities come from the constraints, which are linear or affine in them; first-order equations
        among ``[equations]`` count as constraints.

        >>> system = System.of(name="s", coordinates="x y z", equations={"x''": "-x", "y''": "-y", "z'": "y*x'"})
        >>> SecondOrderField.from_equations(system).dependent
        (z,)
        """
        faults = stated_faults(system)
        if faults:
            raise HypothesisError("second-order field", faults)
        q = system.q
        accelerated = [i for i in range(len(q)) if q[i].dot.dot in system.equations]
        places = [i for i in range(len(q)) if i not in accelerated]
        matrix = system.constraint_matrix()
        distribution = Distribution.from_forms(system.chart, matrix.rows, places)
        square = [[row[a] for a in places] for row in matrix.rows]
        drift = tuple(solve(square, [-r for r in matrix.remainder])) if places else ()
        bare = cls(
            tuple(q[i] for i in accelerated),
            tuple(q[a] for a in places),
            distribution.coefficients,
            drift,
            tuple(system.equations[q[i].dot.dot] for i in accelerated),
            tuple(system.facts),
        )
        put = {a.dot: g for a, g in zip(bare.dependent, bare.dependent_velocities, strict=True)}
        return replace(bare, acceleration=tuple(substitute(bare.acceleration, put)))

    # -- coordinates and functions -----------------------------------------------------------------------------
    @property
    def coordinates(self) -> Row:
        """All coordinates, independent ones first."""
        return self.independent + self.dependent

    @property
    def velocities(self) -> Row:
        """v^alpha."""
        return tuple(q.dot for q in self.independent)

    @cached_property
    def dependent_velocities(self) -> Row:
        """g^a = B^a_alpha v^alpha + B^a, the velocities that the constraints give."""
        pairs = zip(self.coefficients, self.drift, strict=True)
        return tuple(total([(1, b), *((1, s * v) for s, v in zip(r, self.velocities, strict=True))]) for r, b in pairs)

    @property
    def base(self) -> Chart:
        """The chart (t, q^alpha, q^a) of E."""
        return Chart((symbol(TIME), *self.coordinates))

    @property
    def chart(self) -> Chart:
        """The chart (t, q^alpha, q^a, v^alpha) of the constraint manifold."""
        return Chart((*self.base.coordinates, *self.velocities))

    @cached_property
    def curvature(self) -> Matrix:
        """C^a_alpha = Gamma(B^a_alpha) - X_alpha(g^a), rows by dependent coordinates."""
        size = len(self.independent)
        moved = self.rates([b for row in self.coefficients for b in row])
        across = [field.apply(self.dependent_velocities) for field in self.horizontal]
        return tuple(tuple(moved[k * size + n] - across[n][k] for n in range(size)) for k in range(len(self.dependent)))

    @cached_property
    def connection(self) -> Matrix:
        """Gamma^alpha_beta = -(1/2) df^alpha/dv^beta, rows by alpha: the connection that the field brings along."""
        return tuple(tuple(-slope / 2 for slope in row) for row in jacobian(self.acceleration, self.velocities))

    # -- derivatives -------------------------------------------------------------------------------------------
    def rates(self, functions: Sequence[Expr]) -> list[Expr]:
        """Return Gamma of functions.

        >>> x = symbol("x")
        >>> SecondOrderField((x,), (), (), (), (-x,)).rates([x * x.dot])
        [x'^2 - x^2]
        """
        return self.field.apply(functions)

    @cached_property
    def connection_rates(self) -> Matrix:
        """Gamma(Gamma^alpha_beta), rows by alpha."""
        return tuple(tuple(self.rates(row)) for row in self.connection)

    @cached_property
    def horizontal_derivatives(self) -> Matrix:
        """X_beta(f^alpha), rows by alpha."""
        return tuple(zip(*(field.apply(self.acceleration) for field in self.horizontal), strict=True))

    @cached_property
    def fibre_derivatives(self) -> Matrix:
        """df^alpha/dq^a, rows by alpha."""
        return tuple(map(tuple, jacobian(self.acceleration, self.dependent)))

    @cached_property
    def velocity_derivatives(self) -> Matrix:
        """dg^b/dq^a, rows by b."""
        return tuple(map(tuple, jacobian(self.dependent_velocities, self.dependent)))

    # -- the adapted frame and its dual, on the constraint manifold ----------------------------------------------
    @cached_property
    def field(self) -> VectorField:
        """Gamma."""
        return VectorField(self.chart, (ONE, *self.velocities, *self.dependent_velocities, *self.acceleration))

    @cached_property
    def horizontal(self) -> tuple[VectorField, ...]:
        """X_alpha."""
        columns = zip(*self.coefficients, strict=True) if self.coefficients else ((),) * len(self.independent)
        return tuple(
            VectorField.of(self.chart, {q: ONE, **dict(zip(self.dependent, column, strict=True))})
            for q, column in zip(self.independent, columns, strict=True)
        )

    @property
    def fibre(self) -> tuple[VectorField, ...]:
        """d_a."""
        return tuple(coordinate_field(self.chart, q) for q in self.dependent)

    @property
    def vertical(self) -> tuple[VectorField, ...]:
        """d/dv^alpha."""
        return tuple(coordinate_field(self.chart, v) for v in self.velocities)

    @property
    def clock(self) -> Form:
        """The form dt."""
        return coordinate_form(self.chart, symbol(TIME))

    @property
    def contact(self) -> tuple[Form, ...]:
        """theta^alpha."""
        clock = self.clock
        return tuple(coordinate_form(self.chart, q) - q.dot * clock for q in self.independent)

    @property
    def constraint_forms(self) -> tuple[Form, ...]:
        """eta^a, on the constraint manifold."""
        return self.constraint_forms_on(self.chart)

    def constraint_forms_on(self, chart: Chart) -> tuple[Form, ...]:
        """Return eta^a = dq^a - B^a_alpha dq^alpha - B^a dt, on E or on the constraint manifold."""
        forms = []
        for q, row, b in zip(self.dependent, self.coefficients, self.drift, strict=True):
            terms: dict[tuple[int, ...], Any] = {(0,): -b, (chart.place(q),): ONE}
            terms |= {(chart.place(x),): -s for x, s in zip(self.independent, row, strict=True)}
            forms.append(Form.of(chart, 1, terms))
        return tuple(forms)

    @property
    def force_forms(self) -> tuple[Form, ...]:
        """omega^alpha = dv^alpha - f^alpha dt."""
        clock = self.clock
        pairs = zip(self.velocities, self.acceleration, strict=True)
        return tuple(coordinate_form(self.chart, v) - f * clock for v, f in pairs)


def stated_faults(system: System) -> Sequence[Fault]:
    """Return what forbids a second-order field from ``[equations]``."""
    accelerated = [q for q in system.q if q.dot.dot in system.equations]
    rest = len(system.q) - len(accelerated)
    faults = []
    if not accelerated:
        faults.append(
            Fault("[equations]", "they give no acceleration", "state \"x''\" for the independent coordinates")
        )
    if rest != len(system.constraints):
        count = len(system.constraints)
        what = f"{rest} coordinates have no acceleration, and there are {count} constraints"
        faults.append(Fault("[constraints]", what, "give one constraint for each coordinate without acceleration"))
    faults += [
        Fault(
            system.constraints[name].place,
            "it is not linear in the velocities",
            "a connection needs linear constraints",
        )
        for name in system.constraints
        if system.kind_of(name) == "nonlinear"
    ]
    if system.dependent and set(system.dependent) & set(accelerated):
        faults.append(Fault("[fibration]", "a dependent coordinate has an acceleration", "leave it out of one of them"))
    return faults


# -- for searches --------------------------------------------------------------------------------------------
def field_of(source: Constrained | System | Equations) -> SecondOrderField:
    """Return the field of a nonholonomic motion, of a system stated by [equations], or of unconstrained equations.

    >>> from dalembert.mechanics.nonholonomic.linear_constraints import derive
    >>> skate = System.of(name="skate", coordinates={"phi": "angle", "x": "real", "y": "real"},
    ...     lagrangian="(x'^2 + y'^2 + phi'^2)/2", constraints={"blade": "y'*cos(phi) = x'*sin(phi)"})
    >>> field_of(derive(skate)).coefficients
    ((0, sin(phi)/cos(phi)),)
    """
    if isinstance(source, System):
        return _short(SecondOrderField.from_equations(source))
    if not isinstance(source, Equations):
        return _short(SecondOrderField.of(source))
    free = tuple(q for q, speed in source.kinematics.items() if q.dot in source.velocities and vanish([speed - q.dot]))
    if len(free) < len(source.kinematics) or source.implicit:
        raise ExpressionError(
            f"the {source.formalism} equations of '{source.system}' are not second-order equations in coordinates."
        )
    rates = source.rates()
    return _short(SecondOrderField(free, (), (), (), tuple(rates[q.dot] for q in free)))


def _short(sode: SecondOrderField) -> SecondOrderField:
    """Return a field with its formulas in normal form where that is quick: what cancels is the number 0 then."""
    wake()
    budget = Budget(_SECONDS)
    rows = [tuple(_normal(e, budget) for e in row) for row in (*sode.coefficients, sode.drift, sode.acceleration)]
    return replace(sode, coefficients=tuple(rows[:-2]), drift=rows[-2], acceleration=rows[-1])


def _normal(expression: Expr, budget: Budget) -> Expr:
    """Return the normal form of a formula of middle size, if the budget allows it and it is no longer."""
    size, left = len(postorder([expression])), budget.left
    if size < 6 or size > _MOST_NODES or left <= 0.0:
        return expression
    try:
        short = normal(expression, left)
    except DalembertError:
        return expression
    return short if len(postorder([short])) <= size else expression
