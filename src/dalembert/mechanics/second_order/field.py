"""Second-order fields on a constraint manifold (Sarlet, Cantrijn, Saunders; section 2), wherever they come from.

Coordinates are (t, q^alpha, q^a, v^alpha). The constraints q'^a = B^a_alpha v^alpha + B^a =: g^a are a connection, and

    Gamma = d_t + v^alpha d_alpha + g^a d_a + f^alpha d/dv^alpha

is a second-order field on it. With it goes the frame Gamma, X_alpha = d_alpha + B^a_alpha d_a, d_a, d/dv^alpha and its
dual dt, theta^alpha = dq^alpha - v^alpha dt, eta^a = dq^a - B^a_alpha dq^alpha - B^a dt, omega^alpha = dv^alpha -
f^alpha dt.
No Lagrangian is needed: a system given by its equations will do.

Constraints q'^a = g^a(t, q, v) that are not affine (the remark in section 2, the outlook in section 7) have B^a_alpha =
dg^a/dv^alpha and B^a = g^a - B^a_alpha v^alpha, which are functions of the velocities too. Brackets with Gamma are as
before, so L_Gamma S and N, both connections, Phi, nabla and the equations of symmetries keep their form; Psi, whose
C^a_alpha = Gamma(B^a_alpha) - X_alpha(g^a), now depends on Gamma. What is new is [d/dv^beta, X_alpha] = (d^2 g^a /
dv^alpha dv^beta) d_a, the tension of the constraint: it is zero if and only if the constraints are affine, and a
further part of the Nijenhuis tensor of N.

What has been computed of a field is kept: searches write the same derivatives of f and g down a thousand times, once
for each unknown constant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, Self

from dalembert.errors import DalembertError, ExpressionError, Fault
from dalembert.expr.calculus import hessian, jacobian
from dalembert.expr.elementary import solve
from dalembert.expr.field import normal
from dalembert.expr.field.normal import SimplificationBudget, tidy
from dalembert.expr.field.worker import wake
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Fact, depends_on, vanish
from dalembert.expr.walk import postorder, substitute
from dalembert.expr.work import Budget
from dalembert.geometry.fields import Chart, VectorField, coordinate_field
from dalembert.geometry.forms import Form, coordinate_form
from dalembert.mechanics.asked import refusal
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, replace

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
    def second_order_field(self) -> SecondOrderField: ...


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
    """B^a_alpha = dg^a/dv^alpha, rows by dependent coordinates."""
    drift: Row
    """B^a = g^a - B^a_alpha v^alpha."""
    acceleration: Row
    """f^alpha."""
    facts: tuple[Fact, ...] = ()
    """Equations that verdicts may use."""

    @classmethod
    def solved(cls, velocities: Mapping[Expr, Expr], acceleration: Row, facts: Sequence[Fact] = ()) -> Self:
        """Return the field with q' as given by coordinate: independent are those whose velocity stays as it is.

        >>> x, y, z = (symbol(n) for n in "xyz")
        >>> SecondOrderField.solved({x: x.dot, y: y.dot, z: x.dot * y.dot}, (ZERO, ZERO)).coefficients
        ((y', x'),)
        """
        given = {q: g for q, g in velocities.items() if g is not q.dot}
        free = tuple(q for q in velocities if q not in given)
        speeds = [q.dot for q in free]
        slopes = tuple(map(tuple, jacobian(list(given.values()), speeds)))
        if depends_on([b for row in slopes for b in row], speeds):
            rest = [
                tidy(total([(1, g), *((-1, b * v) for b, v in zip(row, speeds, strict=True))]))
                for g, row in zip(given.values(), slopes, strict=True)
            ]
        else:
            rest = substitute(list(given.values()), dict.fromkeys(speeds, ZERO))
        return cls(free, tuple(given), slopes, tuple(rest), acceleration, tuple(facts))

    @classmethod
    def from_equations(cls, system: System) -> Self:
        """Return the field of a system given by ``[equations]``: accelerations of the independent coordinates.

        The other velocities come from the constraints, which are affine in these; first-order equations among
        ``[equations]`` count as constraints.

        >>> system = System.of(name="s", coordinates="x y z", equations={"x''": "-x", "y''": "-y", "z'": "y*x'"})
        >>> SecondOrderField.from_equations(system).dependent
        (z,)
        """
        faults = stated_faults(system)
        if faults:
            raise refusal("second-order field", faults)
        q = system.q
        dependent = [one for one in q if one.dot.dot not in system.equations]
        free = tuple(one for one in q if one.dot.dot in system.equations)
        functions = [c.expression for c in system.constraints.values()]
        square = jacobian(functions, [one.dot for one in dependent])
        at_rest = substitute(functions, {one.dot: ZERO for one in dependent})
        put = dict(zip((one.dot for one in dependent), solve(square, [-f for f in at_rest]), strict=True))
        forces = tuple(substitute([system.equations[one.dot.dot] for one in free], put))
        velocities = {**{one: one.dot for one in free}, **{one: put[one.dot] for one in dependent}}
        return cls.solved(velocities, forces, system.facts)

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
    def is_affine(self) -> bool:
        """Whether the constraints are affine in the velocities, so that they are a connection on E."""
        return not depends_on([b for row in self.coefficients for b in row], self.velocities)

    @cached_property
    def tension(self) -> tuple[Matrix, ...]:
        """d^2 g^a/dv^alpha dv^beta by a, then alpha: zero where the constraints are affine.

        >>> x, y, z = (symbol(n) for n in "xyz")
        >>> SecondOrderField.solved({x: x.dot, y: y.dot, z: x.dot * y.dot}, (ZERO, ZERO)).tension
        (((0, 1), (1, 0)),)
        """
        return tuple(tuple(map(tuple, jacobian(row, self.velocities))) for row in self.coefficients)

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
    given = [q.dot for q in system.q if q not in accelerated]
    faults += [
        Fault(
            system.constraints[name].place,
            "it is not affine in the velocities that it has to give",
            "solve it for one of " + ", ".join(map(repr, given)),
        )
        for name, constraint in system.constraints.items()
        if not vanish([e for row in hessian(constraint.expression, given) for e in row])
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
        return _short(source.second_order_field())
    free = tuple(q for q, speed in source.kinematics.items() if q.dot in source.velocities and vanish([speed - q.dot]))
    if len(free) < len(source.kinematics) or source.implicit:
        raise ExpressionError(
            f"the {source.formalism} equations of '{source.system}' are not second-order equations in coordinates."
        )
    rates = source.rates()
    return _short(SecondOrderField(free, (), (), (), tuple(rates[q.dot] for q in free)))


def _short(sode: SecondOrderField) -> SecondOrderField:
    """Return a field with its formulas in normal form where that is quick: what cancels is the number 0 then.

    For velocities of dependent coordinates, which all derivatives contain, short forms are searched beside that. In a
    normal form r*tan(s) is a fraction with the heading in it where only that and the heading plus s occur.
    """
    wake()
    normal_form, short = _NormalForms(), SimplificationBudget(_SECONDS, largest=_MOST_NODES)
    *rows, acceleration = (tuple(map(normal_form, row)) for row in (*sode.coefficients, sode.drift, sode.acceleration))
    shorter = [tuple(min(e, short(e), key=lambda one: _size((one,))) for e in row) for row in rows]
    if _size(*shorter, acceleration) < _size(*rows, acceleration):
        rows = shorter
    return replace(sode, coefficients=tuple(rows[:-1]), drift=rows[-1], acceleration=acceleration)


def _size(*rows: Row) -> int:
    return len(postorder([e for row in rows for e in row]))


class _NormalForms:
    """Normal forms of formulas of middle size, as far as a budget allows it and where they are no longer."""

    def __init__(self) -> None:
        self._budget = Budget(_SECONDS)
        self._most = _MOST_NODES

    def __call__(self, expression: Expr) -> Expr:
        size, left = len(postorder([expression])), self._budget.left
        if size < 6 or size > self._most or left <= 0.0:
            return expression
        try:
            short = normal(expression, left)
        except DalembertError:  # what is as large is not tried any more
            self._most = size - 1
            return expression
        return short if len(postorder([short])) <= size else expression
