"""Second-order fields on a constraint manifold (Sarlet, Cantrijn, Saunders; section 2), wherever they come from.

Coordinates are (t, q^alpha, q^a, v^alpha). The constraints q'^a = B^a_alpha v^alpha + B^a =: g^a are a connection, and

    Gamma = d_t + v^alpha d_alpha + g^a d_a + f^alpha d/dv^alpha

is a second-order field on it. With it goes the frame Gamma, X_alpha = d_alpha + B^a_alpha d_a, d_a, d/dv^alpha and its
dual dt, theta^alpha = dq^alpha - v^alpha dt, eta^a = dq^a - B^a_alpha dq^alpha - B^a dt, omega^alpha = dv^alpha -
f^alpha dt.
No Lagrangian is needed: a system given by its equations will do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact
from dalembert.expr.walk import substitute
from dalembert.geometry.distributions import Distribution
from dalembert.geometry.fields import Chart, VectorField, coordinate_field
from dalembert.geometry.forms import Form, coordinate_form
from dalembert.model.system import System

__all__ = ["Constrained", "Sode", "stated_faults"]

Row = tuple[Expr, ...]


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


@dataclass(frozen=True, slots=True)
class Sode:
    """A second-order field on a constraint manifold.

    >>> from dalembert.expr import ZERO
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> sode = Sode((x, y), (z,), ((y, ZERO),), (ZERO,), (-x, -y))
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
        >>> Sode.from_equations(system).dependent
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
    def velocities(self) -> Row:
        """v^alpha."""
        return tuple(q.dot for q in self.independent)

    @property
    def dependent_velocities(self) -> Row:
        """g^a = B^a_alpha v^alpha + B^a, the velocities that the constraints give."""
        pairs = zip(self.coefficients, self.drift, strict=True)
        return tuple(total([(1, b), *((1, s * v) for s, v in zip(r, self.velocities, strict=True))]) for r, b in pairs)

    @property
    def base(self) -> Chart:
        """The chart (t, q^alpha, q^a) of E."""
        return Chart((symbol(TIME), *self.independent, *self.dependent))

    @property
    def chart(self) -> Chart:
        """The chart (t, q^alpha, q^a, v^alpha) of the constraint manifold."""
        return Chart((*self.base.coordinates, *self.velocities))

    @property
    def curvature(self) -> tuple[Row, ...]:
        """C^a_alpha = Gamma(B^a_alpha) - X_alpha(g^a), rows by dependent coordinates."""
        size = len(self.independent)
        moved = self.field.apply([b for row in self.coefficients for b in row])
        across = [field.apply(self.dependent_velocities) for field in self.horizontal]
        return tuple(tuple(moved[k * size + n] - across[n][k] for n in range(size)) for k in range(len(self.dependent)))

    @property
    def connection(self) -> tuple[Row, ...]:
        """Gamma^alpha_beta = -(1/2) df^alpha/dv^beta, rows by alpha: the connection that the field brings along."""
        return tuple(tuple(-slope / 2 for slope in row) for row in jacobian(self.acceleration, self.velocities))

    # -- the adapted frame and its dual, on the constraint manifold ----------------------------------------------
    @property
    def field(self) -> VectorField:
        """Gamma."""
        return VectorField(self.chart, (ONE, *self.velocities, *self.dependent_velocities, *self.acceleration))

    @property
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
        Fault(f"[constraints] {name}", "it is not linear in the velocities", "a connection needs linear constraints")
        for name in system.constraints
        if system.kind_of(name) == "nonlinear"
    ]
    if system.dependent and set(system.dependent) & set(accelerated):
        faults.append(Fault("[fibration]", "a dependent coordinate has an acceleration", "leave it out of one of them"))
    return faults
