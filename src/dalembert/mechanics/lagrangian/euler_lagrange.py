"""Euler-Lagrange equations of any regular Lagrangian, of any order, with forces and explicit time.

For order 1: M q'' = dL/dq - D_0(dL/dq') + Q with M = d^2 L/dq'^2 and D_0 the time derivative at fixed velocities; for
order r the same with the highest derivatives, by jets. The geometry is that of omega_L = -d theta_L = dq ^ dp and
i_X omega_L = dE - Q.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from dalembert.errors import ExpressionError, Fault, expect
from dalembert.expr.calculus import hessian, partial_time
from dalembert.expr.graph import ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, full_rank, generic_rank
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import symbols
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import Form, d, interior, one_form
from dalembert.geometry.tangent_bundle import cartan_one_form, second_order_field
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import Derived, along, equations_of, faults_of_algebra, is_complete, optional, points_of
from dalembert.mechanics.lagrangian.definite import definite
from dalembert.mechanics.lagrangian.jets import derivative, energy, euler_operators, momenta
from dalembert.mechanics.lagrangian.kinetic_metric import kinetic_geometry
from dalembert.mechanics.lagrangian.lifted_rates import free_motion, free_motion_on_rotations, lifted_rates
from dalembert.mechanics.lagrangian.noether import NoetherMomentum, noether_momenta, noether_on_spheres
from dalembert.mechanics.lagrangian.on_spheres import (
    equations_in,
    obeys_multipliers,
    of_unit_length,
    unit_projection,
)
from dalembert.mechanics.lagrangian.regularity import idle, regularity_claim
from dalembert.mechanics.lagrangian.speeds import equations_in_speeds, speed_frame
from dalembert.mechanics.lagrangian.tangent_frame import TangentFrame
from dalembert.mechanics.lagrangian.tangent_speeds import stated_speeds
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.model.table import LaterRows
from dalembert.records import dataclass, replace

_LONG = 16
"""From so many coordinates on, the mass matrix is written down when it is asked for."""


@dataclass(frozen=True, slots=True, repr=False)
class EulerLagrange(Derived):
    """The equations of an unconstrained system, and what belongs to them."""

    system: System
    order: int
    hessian: Sequence[tuple[Expr, ...]]
    """d^2 L/dq_(r)^2."""
    momenta: dict[Expr, tuple[Expr, ...]]
    """Ostrogradsky's momenta of each coordinate; for order 1 just dL/dq'."""
    energy: Expr
    cartan_form: Form
    """theta_L on the jets up to q_(2r-1): the sum of p_(k) dq_(k-1)."""
    noether: tuple[NoetherMomentum, ...]
    equations: Equations
    """In the speeds that are stated, if any are."""
    beside: Equations | None = None
    """Where speeds are stated, the same motion by coordinates and their derivatives, or by angular velocities."""

    @property
    def in_coordinates(self) -> Equations:
        """The equations by coordinates and their derivatives, of which theorems speak."""
        return self.equations if self.beside is None else self.beside

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by the names of the JSON."""
        alone = self.order == 1
        form, geometry = self.cartan_form, kinetic_geometry(self.system)
        return {
            "momenta": {q.data.name: p[0] if alone else list(p) for q, p in self.momenta.items()},
            "energy": self.energy,
            "hessian": [list(row) for row in self.hessian],
            "cartan_form": (
                {u.data.label: p[0] for u, p in self.momenta.items()}  # along the forms of which the u are components
                if self.system.points
                else {form.chart.coordinates[i].data.label: v for (i,), v in form.terms.items()}
            ),
            "noether_momenta": {n.name: n.momentum for n in self.noether},
            **({} if geometry is None or not geometry.is_small else optional("kinetic_geometry", geometry.objects)),
        }


def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids the Euler-Lagrange equations of a system."""
    expect(system, System, "a formalism takes a system")
    faults = faults_of_algebra(system)
    if faults:
        return tuple(faults)
    if system.lagrangian is None:
        faults.append(
            Fault("lagrangian", "there is none", "state one, or use nonholonomic, which takes [equations] too")
        )
    faults += [
        Fault(
            system.constraints[name].place,
            "the Euler-Lagrange equations do not take constraints",
            "use nonholonomic or vakonomic",
        )
        for name in system.constraints
        if name not in system.units
    ]
    if system.points and system.order > 1:
        what = "rotations and directions are taken with Lagrangians of order 1"
        faults.append(Fault("lagrangian", what, "state one without accelerations", kind="order"))
    if system.lagrangian is not None and not faults:
        faults += _singular(system)
    return tuple(faults)


def is_long(system: System) -> bool:
    """Say whether the mass matrix waits until it is asked for: a motion of many coordinates does without."""
    return system.order == 1 and not system.points and len(system.q) >= _LONG and is_complete(system)


def _top(system: System) -> list[Expr]:
    return [derivative(q, system.order) for q in system.q]


def _singular(system: System) -> list[Fault]:
    """Return why a Lagrangian is singular, if it is: the coordinates at fault, or the rank."""
    assert system.lagrangian is not None
    if is_long(system) and free_motion(system) is not None:  # it is definite somewhere
        return []
    if system.points and (frame := TangentFrame(system)).is_long and free_motion_on_rotations(frame) is not None:
        return []
    verdict = _regular(system)
    if verdict.holds is not False:
        return []
    present = symbols([system.lagrangian])
    missing = [] if system.points else [v for v in _top(system) if v.data not in present]
    lower = ", ".join(f"'{v.data.label}'" for v in missing)
    what = f"it does not contain {lower}" if lower else f"it is singular: {verdict.evidence}"
    remedy = "every coordinate needs its highest derivative in L, so that accelerations follow"
    return [Fault("lagrangian", what, remedy, kind="regular")]


def _regular(system: System) -> Verdict:
    """Decide whether the Hessian has full rank at a generic point."""
    assert system.lagrangian is not None
    try:
        if system.points:
            matrix, velocities = _mass_on_spheres(system)
        else:
            velocities = _top(system)
            matrix = hessian(system.lagrangian, velocities)
        found = generic_rank(matrix, points_of(system))
    except ExpressionError as error:
        return Verdict("undecided", f"the rank of its Hessian was not found: {error}")
    verdict = full_rank(found, len(matrix), "its Hessian")
    why = idle(matrix, velocities) if verdict.holds is False else ""
    return replace(verdict, evidence=f"{why}, for {verdict.evidence}") if why else verdict


def _mass_on_spheres(system: System) -> tuple[list[list[Expr]], list[Expr]]:
    """Return the Hessian by the velocities of a frame, and these; beside directions it has more rows than these."""
    frame = TangentFrame(system)
    mass = of_unit_length(frame)[0] if frame.directions else hessian(frame.stated_lagrangian, frame.velocities)
    return frame.opened_rows(mass), list(frame.velocities)


def derive(system: System) -> EulerLagrange:
    """Return the Euler-Lagrange equations, or raise ``HypothesisError`` with every reason why there are none.

    >>> pendulum = System.of(name="pendulum", coordinates={"phi": "angle"}, parameters={"g": 9.81},
    ...                      lagrangian="phi'^2/2 + g*cos(phi)")
    >>> derive(pendulum).equations.rates()[pendulum.v[0]]
    -g*sin(phi)
    """
    faults = check(system)
    if faults:
        raise refusal("euler-lagrange", faults)
    if system.points:
        return _without_chart(system)
    lagrangian, order = system.lagrangian, system.order
    assert lagrangian is not None
    whole = energy(lagrangian, system.q, order)
    by_order = momenta(lagrangian, system.q, order)
    found = noether_momenta(system)
    monitors = {"energy": whole} | {f"momentum {n.name}": n.momentum for n in found if n.is_symmetry}
    plain = replace(motion(system), monitors=monitors)
    size = len(system.q)
    moving = speed_frame(system, "euler-lagrange") if order == 1 else None
    return EulerLagrange(
        system,
        order,
        LaterRows(size, lambda: hessian(lagrangian, _top(system))),
        {q: tuple(several[i] for several in by_order) for i, q in enumerate(system.q)},
        whole,
        _cartan_form(system, by_order),
        found,
        plain if moving is None else equations_in_speeds(system, moving, "euler-lagrange", monitors),
        None if moving is None else plain,
    )


def _without_chart(system: System) -> EulerLagrange:
    """Return the equations of a system with rotations or directions, in the frame of their tangent spaces."""
    assert system.lagrangian is not None
    frame = TangentFrame(system)
    free, found = frame.free, noether_on_spheres(frame)
    monitors = {"energy": free.energy} | {f"momentum {n.name}": n.momentum for n in found if n.is_symmetry}
    plain, in_speeds = equations_in(frame, "euler-lagrange", monitors), _in_stated_speeds(frame, monitors)
    whole, *parts = frame.opened([free.energy, *free.momenta, *(n.momentum for n in found)])
    size = len(free.momenta)
    return EulerLagrange(
        system,
        1,
        LaterRows(size, lambda: frame.opened_rows(free.mass)),
        {u: (p,) for u, p in zip(frame.velocities, parts[:size], strict=True)},
        whole,
        _cartan_form(system, momenta(system.lagrangian, system.q, 1)),
        tuple(replace(n, momentum=p) for n, p in zip(found, parts[size:], strict=True)),
        plain if in_speeds is None else in_speeds,
        None if in_speeds is None else plain,
    )


def _in_stated_speeds(frame: TangentFrame, monitors: dict[str, Expr]) -> Equations | None:
    """Return the equations in speeds that are stated, unless there are directions: those have no frame of speeds."""
    if frame.directions or not frame.system.stated_speeds:
        return None
    found = stated_speeds(frame, (), "euler-lagrange").equations("euler-lagrange", monitors)
    return replace(found, projection=unit_projection(frame))


def motion(system: System) -> Equations:
    """Return the equations alone, the highest derivatives as unknowns of one linear system; nothing is checked."""
    lagrangian, order = system.lagrangian, system.order
    assert lagrangian is not None
    operators = euler_operators(lagrangian, system.q, order, highest=2 * order - 1)
    sign = (-1) ** (order + 1)  # the Euler operator contains (-1)^r H q_(2r)
    mass = LaterRows(len(system.q), lambda: ([sign * e for e in row] for row in hessian(lagrangian, _top(system))))
    return equations_of(
        system,
        "euler-lagrange",
        kinematics={derivative(q, k): derivative(q, k + 1) for k in range(2 * order - 1) for q in system.q},
        velocities=tuple(derivative(q, 2 * order - 1) for q in system.q),
        mass=mass if is_long(system) else tuple(mass),
        force=tuple(e + system.forces.get(q, ZERO) for q, e in zip(system.q, operators, strict=True)),
        lifting=partial(lifted_rates, system) if order == 1 else None,
    )


def _cartan_form(system: System, by_order: list[list[Expr]]) -> Form:
    """Return theta_L on the jets up to q_(2r-1)."""
    chart = Chart(tuple(derivative(q, k) for k in range(2 * system.order) for q in system.q))
    parts = [p for several in by_order for p in several]
    return one_form(chart, [*parts, *[ZERO] * len(parts)])


# -- theorems ------------------------------------------------------------------------------------------------
def regular(result: EulerLagrange, _: ProofBudget) -> list[Claim]:
    """Say that the Hessian is regular, and where it is not."""
    system = result.system
    matrix, facts = (
        TangentFrame(system).by_name(result.equations.mass) if system.points else (result.hessian, points_of(system))
    )
    frame = TangentFrame(system)
    shown = definite(frame.stated_lagrangian, frame.velocities, frame.facts) if system.order == 1 else None
    return [regularity_claim(matrix, _regular(system), "the Lagrangian", facts, definite=shown)]


def energy_balance(result: EulerLagrange, proofs: ProofBudget) -> Verdict:
    """Decide E' = -dL/dt + Q q'."""
    system = result.system
    assert system.lagrangian is not None
    (rate,) = along(result.in_coordinates, [result.energy])
    power = total([(1, force * q.dot) for q, force in system.forces.items()])
    gain = partial_time(system.lagrangian) - power
    if system.points:
        frame = TangentFrame(system)
        (gain,) = frame.opened(frame.put([gain]))
    return proofs.is_zero(rate + gain, points_of(system))


def energy_conserved(result: EulerLagrange, proofs: ProofBudget) -> Verdict:
    """Decide E' = 0."""
    (rate,) = along(result.in_coordinates, [result.energy])
    return proofs.is_zero(rate, points_of(result.system))


def is_chart_free(result: EulerLagrange) -> bool:
    """Say whether there are rotations or directions, so that the equations are not those of coordinates."""
    return bool(result.system.points)


def agrees_with_multipliers(result: EulerLagrange, proofs: ProofBudget) -> Verdict:
    """Decide whether the accelerations are those of multipliers that keep unit lengths."""
    return obeys_multipliers(TangentFrame(result.system), result.equations, proofs)


def solves_symplectic_equation(result: EulerLagrange, proofs: ProofBudget) -> Verdict:
    """Decide i_X omega_L = dE - Q for the field found by the coordinate equations."""
    system = result.system
    assert system.lagrangian is not None
    field = acceleration_field(system, result.in_coordinates)
    omega = (-1) * d(cartan_one_form(system.chart, system.lagrangian))
    work = one_form(field.chart, [*(system.forces.get(q, ZERO) for q in system.q), *[ZERO] * len(system.q)])
    defect = interior(field, omega) - d(result.energy, field.chart) + work
    names = [q.data.label for q in field.chart.coordinates]
    return proofs.all_vanish({f"the component of d{names[i]}": v for (i,), v in defect.terms.items()}, system.facts)


def accelerations(result: EulerLagrange) -> list[Expr]:
    """Return q'' by coordinates and velocities, for order 1."""
    rates = result.in_coordinates.rates()
    return [rates[v] for v in result.system.v]


def is_autonomous(result: EulerLagrange) -> bool:
    """Say whether L is of order 1, by coordinates of a chart, and does not depend on time."""
    assert result.system.lagrangian is not None
    return result.order == 1 and not result.system.points and not depends_on([result.system.lagrangian], [symbol(TIME)])


def acceleration_field(system: System, equations: Equations) -> VectorField:
    """Return the second-order field on the tangent bundle that equations of order 1 give."""
    rates = equations.rates()
    return second_order_field(system.chart, tuple(rates[v] for v in system.v))
