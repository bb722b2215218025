"""A system on its phase space, as the discrete principles need it: positions q and momenta p, velocities implicit.

    q' = v,    p' = dL/dq + Q + lambda_a A^a(t, q),    dL/dv(t, q, v) = p

with the multipliers lambda found from the rate of the constraints g^a(t, q, v) = 0. Nothing is inverted, so any
regular Lagrangian will do. These are equations like any others: every engine can follow them, which is how the
integrators of this package are checked.
"""

from __future__ import annotations

from fractions import Fraction

from dalembert.errors import Fault, HypothesisError
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import generic_rank
from dalembert.expr.vocabulary import Vocabulary
from dalembert.expr.walk import substitute
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass


@dataclass(frozen=True, slots=True)
class PhaseSpace:
    """The parts of equations on a phase space, read off the equations themselves."""

    equations: Equations
    q: tuple[Expr, ...]
    p: tuple[Expr, ...]
    v: tuple[Expr, ...]
    multipliers: tuple[Expr, ...]
    momenta: tuple[Expr, ...]
    """dL/dv, in t, q and v."""
    force: tuple[Expr, ...]
    """dL/dq + Q, without the force of the constraints."""
    virtual: tuple[tuple[Expr, ...], ...]
    """A^a, a row for each constraint."""
    constraints: tuple[Expr, ...]
    """g^a(t, q, v)."""
    positions: tuple[Expr | None, ...]
    """For each constraint the function of t and q whose rate it is, if it is holonomic."""

    @classmethod
    def of(cls, equations: Equations) -> PhaseSpace:
        """Return the parts of what :func:`phase_space` made, values put in or not."""
        size = len(equations.state) // 2
        q, p = equations.state[:size], equations.state[size:]
        unknowns = tuple(equations.implicit)
        v, multipliers = unknowns[:size], unknowns[size:]
        momenta = tuple(r + one for r, one in zip(list(equations.implicit.values())[:size], p, strict=True))
        rates = [equations.kinematics[one] for one in p]
        free = tuple(substitute(rates, dict.fromkeys(multipliers, ZERO)))
        rows = tuple(tuple(gradient(rate, multipliers)[a] for rate in rates) for a in range(len(multipliers)))
        names = [name.removeprefix(_RATE) for name in equations.monitors if name.startswith(_RATE)]
        constraints = tuple(equations.monitors[_RATE + name] for name in names)
        positions = tuple(equations.monitors.get(_PLACE + name) for name in names)
        return cls(equations, q, p, v, multipliers, momenta, free, rows, constraints, positions)


_RATE, _PLACE = "constraint ", "holonomic "
_DISCRETE = "discrete mechanics: Marsden, West"


def faults_of(system: System) -> tuple[Fault, ...]:
    """Return what forbids these equations of a system."""
    faults = []
    if system.lagrangian is None:
        faults.append(Fault("lagrangian", "there is none", "state one", hypothesis=f"a Lagrangian ({_DISCRETE})"))
    elif system.order > 1:
        what = f"it is of order {system.order}"
        asked = f"a Lagrangian on TQ, of order 1 ({_DISCRETE})"
        faults.append(Fault("lagrangian", what, "follow it with an engine of simulate", hypothesis=asked))
    faults += [
        Fault(
            system.constraints[name].place,
            "it is not linear or affine in the velocities",
            "follow it with an engine of simulate",
            hypothesis="constraints that are a distribution, or an affine one (Cortes, Martinez)",
        )
        for name in system.constraints
        if system.kind_of(name) == "nonlinear"
    ]
    rows = len(system.virtual_matrix())
    if not faults and rows != len(system.constraints):
        said = f"there are {rows} one-forms for {len(system.constraints)} constraints"
        asked = "virtual displacements by as many one-forms as there are constraints (d'Alembert's principle)"
        faults.append(Fault("[virtual]", said, "state as many", hypothesis=asked))
    return tuple(faults) or _degenerate(system)


def _degenerate(system: System) -> tuple[Fault, ...]:
    """Return what keeps the momenta from determining velocities, at any point."""
    rank = generic_rank(hessian(_lagrangian(system), system.v)).rank
    if rank == len(system.q):
        return ()
    said = f"its Hessian has rank {rank} of {len(system.q)}, so that momenta do not determine velocities"
    remedy = "give every velocity an inertia, or follow it with an engine of simulate if the constraints determine it"
    return (Fault("lagrangian", said, remedy, hypothesis=f"a Lagrangian on TQ that is regular ({_DISCRETE})"),)


def _lagrangian(system: System) -> Expr:
    """Return the Lagrangian with (q q')^2/2 added for each rotation and direction.

    It vanishes with its slopes where q has unit length, so that no motion is changed; without it the momenta of a
    rotation would not say how a quaternion changes its length.
    """
    assert system.lagrangian is not None
    along = [total([(1, q * q.dot) for q in sphere]) for sphere in system.spheres]
    return total([(1, system.lagrangian), *((Fraction(1, 2), rate**2) for rate in along)])


def phase_space(system: System, what: str = "phase space") -> Equations:
    """Return the equations of a system on its phase space, or raise ``HypothesisError`` naming ``what`` is refused.

    >>> pendulum = System.of(name="pendulum", coordinates={"a": "angle"}, lagrangian="a'^2 + cos(a)")
    >>> found = phase_space(pendulum)
    >>> found.kinematics, found.implicit
    ({a: a', p_a: -sin(a)}, {a': 2*a' - p_a})
    """
    faults = faults_of(system)
    if faults or system.lagrangian is None:
        raise HypothesisError(what, faults)
    q, v, time, lagrangian = system.q, system.v, symbol(TIME), _lagrangian(system)
    p = _fresh([f"p_{one.data.name}" for one in q], system.vocabulary)
    multipliers = _fresh([f"lambda_{name}" for name in system.constraints], system.vocabulary)
    momenta, slopes = gradient(lagrangian, v), gradient(lagrangian, q)
    virtual = system.virtual_matrix()
    force = [
        total([
            (1, slope),
            (1, system.forces.get(one, ZERO)),
            *((1, a * row[i]) for a, row in zip(multipliers, virtual, strict=True)),
        ])
        for i, (one, slope) in enumerate(zip(q, slopes, strict=True))
    ]  # fmt: skip
    drift = tangent(momenta, {time: ONE, **dict(zip(q, v, strict=True))})
    acceleration = solve(jacobian(momenta, v), [f - d for f, d in zip(force, drift, strict=True)])
    constraints = [c.expression for c in system.constraints.values()]
    along = {time: ONE, **dict(zip(q, v, strict=True)), **dict(zip(v, acceleration, strict=True))}
    implicit = {one: momentum - name for one, momentum, name in zip(v, momenta, p, strict=True)}
    implicit |= dict(zip(multipliers, tangent(constraints, along), strict=True))
    energy = total([*((1, one * m) for one, m in zip(v, momenta, strict=True)), (-1, lagrangian)])
    monitors = {"energy": energy}
    monitors |= {_RATE + name: c for name, c in zip(system.constraints, constraints, strict=True)}
    monitors |= {_PLACE + name: equation.expression for name, equation in system.holonomic.items()}
    return Equations(
        system.name,
        what,
        dict(zip((*q, *p), (*v, *force), strict=True)),
        implicit=implicit,
        monitors=monitors,
        parameters=system.defaults,
    )


def _fresh(names: list[str], taken: Vocabulary) -> tuple[Expr, ...]:
    """Return variables of names that nothing in the system has."""
    found = []
    for name in names:
        while name in taken:
            name += "_"
        found.append(symbol(name))
    return tuple(found)
