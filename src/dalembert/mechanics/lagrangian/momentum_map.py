"""The momentum map of a symmetry group, and for L = T - V what comes from the metric.

J_a = p_i E~_a^i for the fundamental fields E~_a of a left action. It is equivariant if E~_a^C(J_b) = -C_ab^c J_c, with
the structure constants of the group; it is where L is invariant. For L = T - V: the locked inertia tensor
I_ab = g(E~_a, E~_b), the mechanical connection I^-1 J, and the amended potential V_mu = V + mu_a (I^-1)^ab mu_b / 2.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient, hessian
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ZERO, Expr, Operand, total
from dalembert.expr.truth import Verdict, generic_rank, is_zero
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import substitute
from dalembert.geometry.connections.principal import PrincipalConnection, from_metric
from dalembert.geometry.groups.actions import Action, action_from_generators
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.tangent_bundle import complete_lift
from dalembert.mechanics.asked import refusal
from dalembert.model.claim import Claim, ClaimRole
from dalembert.model.system import System
from dalembert.records import dataclass

CITES: tuple[str, ...] = ()
"""Nobody in particular: this is common property."""


@dataclass(frozen=True, slots=True)
class MomentumMap:
    """The momenta of the generators, the algebra they belong to, and whether they turn with it."""

    system: System
    action: Action
    momenta: tuple[Expr, ...]
    claims: tuple[Claim, ...]


@dataclass(frozen=True, slots=True)
class SimpleMechanical:
    """A Lagrangian taken apart: half the metric on velocities, minus a potential."""

    metric: tuple[tuple[Expr, ...], ...]
    potential: Expr


# -- the momentum map ----------------------------------------------------------------------------------------
def check(system: System) -> tuple[Fault, ...]:
    """Return what forbids a momentum map."""
    faults = []
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "a momentum map needs one"))
    elif system.order > 1:
        faults.append(Fault("lagrangian", f"it is of order {system.order}", "a momentum map here is for order 1"))
    if not system.symmetry:
        faults.append(Fault("[symmetry]", "no generators are stated", "state at least one"))
    moving = [name for name, generator in system.symmetry.items() if generator.moves_time]
    faults += [
        Fault(f"[symmetry] {name}", "it moves time", "a momentum map is for actions on the coordinates alone")
        for name in moving
    ]
    if system.symmetry and not moving:
        try:
            _action(system)
        except ExpressionError as error:
            faults.append(Fault("[symmetry]", str(error)))
    return tuple(faults)


def _action(system: System) -> Action:
    return action_from_generators({name: g.on(system.chart) for name, g in system.symmetry.items()})


def derive(system: System) -> MomentumMap:
    """Return the momentum map of the generators that a system states, with its claims.

    >>> plane = System.of(name="plane", coordinates="x y", lagrangian="(x'^2 + y'^2)/2",
    ...                   symmetry={"turn": {"x": "-y", "y": "x"}})
    >>> derive(plane).momenta
    (x*y' - x'*y,)
    """
    faults = check(system)
    if faults:
        raise refusal("momentum", faults)
    lagrangian = system.lagrangian
    assert lagrangian is not None
    action = _action(system)
    slopes = gradient(lagrangian, system.v)
    momenta = tuple(dot(slopes, field.components) for field in action.generators)
    invariance = {
        name: is_zero(complete_lift(field)(lagrangian), system.facts)
        for name, field in zip(action.names, action.generators, strict=True)
    }
    # what follows from invariance is a check there, and a question elsewhere
    role: ClaimRole = "check" if all(verdict.holds for verdict in invariance.values()) else "question"
    claims = (
        Claim("closure", "the brackets of the generators are combinations of them", "hypothesis", action.closure),
        *(Claim(f"invariance {a}", f"L is invariant under {a}", "question", v) for a, v in invariance.items()),
        Claim("equivariance", "E~_a^C(J_b) = -C_ab^c J_c", role, equivariance(action, momenta, system.facts)),
    )
    return MomentumMap(system, action, momenta, claims)


def equivariance(action: Action, momenta: Sequence[Expr], facts: Sequence[tuple[Expr, Expr]] = ()) -> Verdict:
    """Decide E~_a^C(J_b) = -C_ab^c J_c for all pairs."""
    defects = {}
    for a, field in enumerate(action.generators):
        for b, moved in enumerate(complete_lift(field).apply(momenta)):
            turned = dot(momenta, action.algebra.constants[a][b])
            what = f"generator {action.names[a]} on the momentum of {action.names[b]}"
            defects[what] = moved + turned
    return all_vanish(defects, facts)


# -- what comes from a metric --------------------------------------------------------------------------------
def simple_mechanical(system: System) -> SimpleMechanical | None:
    """Return metric and potential of L = T - V, or None where L is something else.

    >>> fall = System.of(name="fall", coordinates="z", parameters={"m": 1, "g": 9.81}, lagrangian="m*z'^2/2 - m*g*z")
    >>> simple_mechanical(fall)
    SimpleMechanical(metric=((m,),), potential=g*m*z)
    """
    lagrangian = system.lagrangian
    if lagrangian is None or system.order != 1:
        return None
    rest = dict.fromkeys(system.v, ZERO)
    try:
        metric = [substitute(row, rest) for row in hessian(lagrangian, system.v)]
        potential = -substitute([lagrangian], rest)[0]
    except ExpressionError:  # it has no value at rest
        return None
    pairs = [(i, j) for i in range(len(system.v)) for j in range(len(system.v))]
    kinetic = total([(1, metric[i][j] * system.v[i] * system.v[j] / 2) for i, j in pairs])
    if is_zero(lagrangian - kinetic + potential, system.facts).holds is not True:
        return None
    return SimpleMechanical(tuple(map(tuple, metric)), potential)


def locked_inertia(parts: SimpleMechanical, action: Action) -> list[list[Expr]]:
    """Return I_ab = g(E~_a, E~_b)."""
    size = range(len(parts.metric))
    fields = [e.components for e in action.generators]
    lowered = [[total([(1, parts.metric[i][j] * x[i]) for i in size]) for j in size] for x in fields]
    return [[total([(1, low[j] * y[j]) for j in size]) for y in fields] for low in lowered]


def _regular_inertia(parts: SimpleMechanical, action: Action) -> list[list[Expr]]:
    inertia = locked_inertia(parts, action)
    found = generic_rank(inertia)
    if found.rank < len(inertia):
        raise ExpressionError(
            f"the locked inertia tensor has rank {found.rank} of {len(inertia)}, so the generators are not independent "
            "along the orbits; use fewer of them."
        )
    return inertia


def mechanical_connection(parts: SimpleMechanical, action: Action) -> PrincipalConnection:
    """Return the connection whose horizontal spaces are orthogonal to the orbits."""
    _regular_inertia(parts, action)
    return from_metric(parts.metric, action.generators)


def amended_potential(parts: SimpleMechanical, action: Action, values: Sequence[Operand]) -> Expr:
    """Return V + mu_a (I^-1)^ab mu_b / 2."""
    mu = action.algebra.element(values)
    answer = solve(_regular_inertia(parts, action), mu)
    return parts.potential + total([(1, m * x / 2) for m, x in zip(mu, answer, strict=True)])
