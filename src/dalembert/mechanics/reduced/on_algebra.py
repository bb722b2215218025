"""Systems on a Lie group by l(r, r', xi, a): Euler-Poincare, Lagrange-Poincare, Euler-Poincare-Suslov.

The table ``[algebra]`` states the brackets of the body velocities xi and how they carry advected parameters a along.
Without constraints the motion is Hamiltonian for the Lie-Poisson bracket of (mu, a), mu = dl/dxi,

    {mu_i, mu_j} = -C_ij^k mu_k,    {a^m, mu_i} = rho_i^m,    {a, a} = 0,

whose Casimirs are constant. The second derivation states the same system on the group, in coordinates of the second
kind g = exp(s1 e1) ... exp(sk ek), where xi = B(s) s' and a is what the flows of the rho_i make of a_0, and takes
Lagrange's multipliers there.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.readers import Floats
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Verdict, depends_on, generic_rank, never_zero, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import evaluate, substitute, symbols
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.flows import flow
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.casimirs import DEGREE, casimir_count, casimirs
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.groups.second_kind import second_kind
from dalembert.geometry.groups.standard_algebras import standard_algebra
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import divided_by, equations_of
from dalembert.mechanics.nonholonomic.saddle_point_form import nearest
from dalembert.mechanics.reduced.algebroid import InvariantSystem
from dalembert.mechanics.reduced.allowed_velocities import Allowed, allowed
from dalembert.mechanics.reduced.motion import motion_of
from dalembert.mechanics.reduced.powers import by_powers
from dalembert.mechanics.reduced.reduced import InvariantMotion, named_momenta, require_regular, shortened
from dalembert.model.algebra import NOT_BESIDE, Algebra, lie_poisson
from dalembert.model.claim import Claim, ClaimRole
from dalembert.model.equations import Equations, Saddle
from dalembert.model.system import System
from dalembert.records import dataclass, replace


@dataclass(frozen=True, repr=False)
class OnAlgebra(InvariantMotion):
    """The motion of body velocities, base coordinates and advected parameters."""

    @property
    def stated(self) -> Algebra:
        """The table ``[algebra]``."""
        assert self.system.algebra is not None
        return self.system.algebra

    @property
    def algebra(self) -> LieAlgebra:
        """The Lie algebra of the body velocities."""
        return self.invariant.algebra

    @property
    def matrices(self) -> list[list[list[float]]]:
        """Matrices of the basis, with which ``reconstruct_along`` follows g' = g xi: the place in the group.

        Where the algebra has no name they are those of the adjoint group, which is the group but for its centre.
        """
        name = self.stated.stated.get("name")
        if name is not None:
            return [[[float(e) for e in row] for row in m] for m in standard_algebra(str(name)).group]
        table = [[list(row) for row in self.algebra.ad(e)] for e in self.algebra.basis()]
        if self.algebra.centre() or symbols(e for rows in table for row in rows for e in row):
            what = "its adjoint group is not the group, as the algebra has a centre, or its brackets have parameters"
            raise refusal(
                "reduced", [Fault("[algebra]", what, "give matrices with these brackets by hand", kind="matrices")]
            )
        return [[[float(e) for e in evaluate(row, Floats({}))] for row in rows] for rows in table]

    @cached_property
    def momenta(self) -> tuple[Expr, ...]:
        """The symbols mu_i of the dual of the algebra."""
        return tuple(symbol(Symbol(f"mu_{name}")) for name in self.algebra.names)

    @cached_property
    def bracket(self) -> list[list[Expr]]:
        """The Lie-Poisson tensor on (mu, a)."""
        return lie_poisson(self.stated, self.momenta)

    @cached_property
    def casimirs(self) -> tuple[Expr, ...]:
        """Polynomials of (mu, a) of degree at most 2 that commute with all functions; independent ones."""
        return casimirs(self.bracket, [*self.momenta, *self.stated.advected])

    @property
    def casimir_count(self) -> int:
        """How many independent functions commute with all others at generic points, locally."""
        return casimir_count(self.bracket)

    def casimirs_of_motion(self) -> list[Expr]:
        """Return the Casimirs at mu = dl/dxi, as functions of the state."""
        slopes = gradient(self.invariant.lagrangian, list(self.invariant.xi))
        put = dict(zip(self.invariant.velocities, self.free.velocities, strict=True))
        values = substitute(slopes, {a: b for a, b in put.items() if a is not b})
        return substitute(list(self.casimirs), dict(zip(self.momenta, values, strict=True)))

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        names = self.algebra.names
        labels = [*(m.data.label for m in self.momenta), *(a.data.label for a in self.stated.advected)]
        brackets = {
            f"{labels[i]}, {labels[j]}": entry
            for i, row in enumerate(self.bracket)
            for j, entry in enumerate(row)
            if i < j and entry is not ZERO
        }
        return {
            "algebra": self.algebra.name(),
            "structure_constants": {
                f"{names[a]}, {names[b]}": {n: c for n, c in zip(names, row, strict=True) if c is not ZERO}
                for a, table in enumerate(self.algebra.constants)
                for b, row in enumerate(table)
                if a < b and any(c is not ZERO for c in row)
            },
            "momenta": list(self.motion.momenta),
            "momentum_equation": list(self.motion.momentum_rates),
            "lie_poisson_bracket": brackets,
            "casimirs": list(self.casimirs),
            "energy": self.motion.energy,
        }


def derive_on_algebra(system: System) -> OnAlgebra:
    """Return the motion of a system that states ``[algebra]``.

    >>> body = System.of(name="free body", parameters={"A": 1, "B": 2, "C": 3},
    ...     lagrangian="(A*w1^2 + B*w2^2 + C*w3^2)/2", algebra={"name": "so(3)", "velocities": ["w1", "w2", "w3"]})
    >>> derive_on_algebra(body).motion.momentum_rates[0]
    w2*w3*(B - C)
    >>> derive_on_algebra(body).casimirs
    (mu_e1^2 + mu_e2^2 + mu_e3^2,)
    """
    one = invariant_system(system)
    free = allowed(one, "reduced", [s.data.name for s in (*system.parameters, *system.speeds)])
    moving = motion_of(one, free)
    require_regular(moving)
    facts = (*system.facts, *free.facts)
    moving = shortened(moving, free, facts)
    taken = {s.data.name for s in (*system.q, *system.parameters, *system.speeds)}
    rates = one.carried(free.velocities)
    clock = symbol(TIME)
    kinematics = {x: rate for x, rate in rates.items() if x is not clock}
    assert system.algebra is not None
    size = len(one.base)
    equations = equations_of(
        system,
        "reduced",
        kinematics=kinematics,
        velocities=free.u,
        mass=moving.mass,
        force=moving.force,
        implicit=dict(free.unknowns),
        reconstruction=dict(zip(system.algebra.coordinates, free.velocities[size:], strict=True)),
        monitors={"energy": moving.energy} | {f"momentum {k}": p for k, p in enumerate(moving.momenta, 1)},
        momenta=named_momenta(moving, taken, facts),
        pivots=divided_by([*(e for row in moving.mass for e in row), *moving.force, *kinematics.values()], free.pivots),
    )
    said = f"the brackets are those of a Lie algebra ({one.algebra.name()})"
    claims = (Claim("algebra", said, "hypothesis", one.algebra.jacobi()),)
    if free.linear and not all(never_zero(pivot).holds for pivot in free.pivots):
        held = with_multipliers(one, free, equations)
        return OnAlgebra(system, one, free, moving, held, hypotheses=claims, plain=equations)
    return OnAlgebra(system, one, free, moving, equations, hypotheses=claims)


def with_multipliers(one: InvariantSystem, free: Allowed, framed: Equations) -> Equations:
    """Return the motion with all velocities and the constraints beside them: no frame is divided by that may fail."""
    w, names = list(one.velocities), tuple(one.constraints)
    slopes = gradient(one.lagrangian, w)
    pulls, drive = one.pulls(slopes), one.carried(w)
    functions = list(one.constraints.values())
    mass, rows = hessian(one.lagrangian, w), tuple(map(tuple, jacobian(functions, w)))
    force = [pull - rate for pull, rate in zip(pulls, tangent(slopes, drive), strict=True)]
    saddle = Saddle(names, rows, rows, tuple(-d for d in tangent(functions, drive)), len(rows))
    short = SimplificationBudget(1.0, largest=400)
    changing = [(dot(z, slopes), dot(z, pulls) + dot(tangent(z, drive), slopes)) for z in free.vertical]
    told = [tuple(by_powers(both, w, short, one.system.facts)) for both in changing]
    energy = by_powers([dot(slopes, w) - one.lagrangian], w, short, one.system.facts)
    clock, size = symbol(TIME), len(one.base)
    assert one.system.algebra is not None
    return replace(
        framed,
        kinematics={x: rate for x, rate in drive.items() if x is not clock},
        velocities=tuple(w),
        mass=tuple(map(tuple, mass)),
        force=tuple(by_powers(force, w, short, one.system.facts)),
        saddle=saddle,
        projection=(nearest(w, mass, rows, functions, len(rows)),),
        reconstruction=dict(zip(one.system.algebra.coordinates, w[size:], strict=True)),
        monitors={"energy": energy[0]} | {f"momentum {k}": both[0] for k, both in enumerate(told, 1)},
        momenta={p: (both[0], both[1]) for p, both in zip(framed.momenta, told, strict=True)},
        pivots=(),
    )


def invariant_system(system: System) -> InvariantSystem:
    """Return what ``[algebra]``, Lagrangian, constraints and forces state, in the velocities of the algebra."""
    stated = system.algebra
    assert stated is not None
    faults = []
    if system.lagrangian is None or system.order > 1:
        faults.append(Fault("lagrangian", "a Lagrangian of order 1 is needed beside [algebra]", "state one"))
    beside = {"virtual": system.virtual, "holonomic": system.holonomic, "symmetry": system.symmetry}
    not_taken = [table for table, told in beside.items() if told]
    faults += [
        Fault(f"[{table}]", f"it is not taken beside [algebra]: {NOT_BESIDE[table]}", "leave it out", kind="algebra")
        for table in not_taken
    ]
    moved = [*stated.advected, *(a.dot for a in stated.advected), *stated.coordinates]
    pushed = [q for q in system.forces if q in stated.advected]
    if pushed:
        faults.append(Fault("[forces]", f"{pushed[0].data.label} is advected, and no force moves it", "leave it out"))
    functions = [] if system.lagrangian is None else [system.lagrangian]
    functions += [*(c.expression for c in system.constraints.values()), *system.forces.values()]
    if depends_on(functions, moved[len(stated.advected) :]):
        what = "velocities of advected parameters, or coordinates of the algebra's velocities, occur"
        faults.append(Fault("[algebra]", what, "write them by the velocities of the algebra"))
    if faults:
        raise refusal("reduced", faults)
    assert system.lagrangian is not None
    base = tuple(q for q in system.q if q not in stated.advected and q not in stated.coordinates)
    put = {s.dot: xi for s, xi in zip(stated.coordinates, stated.velocities, strict=True)}
    lagrangian, *rest = substitute(
        [
            system.lagrangian,
            *(c.expression for c in system.constraints.values()),
            *(system.forces.get(q, ZERO) for q in (*base, *stated.coordinates)),
        ],
        put,
    )
    count = len(system.constraints)
    return InvariantSystem(
        system,
        base,
        stated.algebra,
        stated.velocities,
        lagrangian,
        dict(zip(system.constraints, rest[:count], strict=True)),
        tuple(rest[count:]),
        True,
        stated.advected,
    )


# -- the same on the group -------------------------------------------------------------------------------------
def meets_group(found: OnAlgebra, proofs: ProofBudget) -> Verdict:
    """Decide whether the motion is that of multipliers on the group, in coordinates of the second kind."""
    one, stated = found.invariant, found.stated
    fibre = stated.coordinates
    try:
        body, _ = second_kind(one.algebra, fibre)
        carried = _carried(one, fibre)
    except ExpressionError as fault:
        return Verdict("undecided", str(fault))
    size = len(one.base)
    xi = [total([(1, row[i] * s.dot) for row, s in zip(body, fibre, strict=True)]) for i in range(len(fibre))]
    q = [*one.base, *fibre]
    v = [x.dot for x in q]
    put = {**dict(zip(one.xi, xi, strict=True)), **carried}
    lagrangian, *functions = substitute([one.lagrangian, *one.constraints.values(), *one.forces], put)
    held, along = functions[: len(one.constraints)], functions[len(one.constraints) :]
    pushes = [*along[:size], *(dot(row, along[size:]) for row in body)]
    drive = {**dict(zip(q, v, strict=True)), symbol(TIME): ONE}
    rows = jacobian(held, v) if held else []
    matrix = [[*row, *(-c[i] for c in rows)] for i, row in enumerate(hessian(lagrangian, v))]
    matrix += [[*row, *[ZERO] * len(rows)] for row in rows]
    bias = tangent(gradient(lagrangian, v), drive)
    right = [p + f - b for p, f, b in zip(gradient(lagrangian, q), pushes, bias, strict=True)]
    accelerations = solve(matrix, [*right, *(-d for d in tangent(held, drive))])[: len(q)]
    # at velocities that are allowed: s' = B^-1 xi, with xi = V(r, a, u) and a as it is carried
    here = substitute(list(found.free.velocities), carried)
    rates = [*here[:size], *solve(list(zip(*body, strict=True)), here[size:])]
    at = dict(zip(v, rates, strict=True))
    moved = substitute(tangent(xi, {**drive, **dict(zip(v, accelerations, strict=True))}), at)
    shape = substitute(accelerations[:size], at)
    whole = found.in_coordinates.rates()
    seed = {**whole, symbol(TIME): ONE}
    changing = tangent(list(found.free.velocities), seed)
    wanted = substitute(changing, carried)
    gaps = [a - b for a, b in zip([*shape, *moved], wanted, strict=True)]
    parts = {f"the rate of {w.data.label}": gap for w, gap in zip(one.velocities, gaps, strict=True)}
    if found.plain is not None:  # the same with all velocities, where the constraints hold
        rates_of_all = found.equations.rates()
        there = dict(zip(one.velocities, found.free.velocities, strict=True))
        beside = substitute([rates_of_all[w] for w in one.velocities], there)
        pairs = zip(one.velocities, beside, changing, strict=True)
        parts |= {f"with multipliers, the rate of {w.data.label}": a - b for w, a, b in pairs}
    return proofs.all_vanish(parts, found.system.facts)


def _carried(one: InvariantSystem, fibre: Sequence[Expr]) -> dict[Expr, Expr]:
    """Return the advected parameters at g = exp(s1 e1) ... exp(sk ek), by their values at the neutral element."""
    if not one.advected:
        return {}
    chart = Chart(tuple(one.advected))
    point = {a: symbol(Symbol(f"{a.data.name} at the neutral element")) for a in one.advected}
    clock = symbol(Symbol("time of a flow", role="parameter"))
    for i, s in enumerate(fibre):
        images = flow(VectorField(chart, tuple(rho[i] for rho in one.advected.values())), clock)
        if images is None:
            raise ExpressionError("the flows of the advected parameters have no closed form.")
        point = dict(zip(one.advected, substitute(images, {**point, clock: s}), strict=True))
    return point


# -- brackets --------------------------------------------------------------------------------------------------
def hamiltonian(found: OnAlgebra, proofs: ProofBudget) -> Verdict:
    """Decide f' = {f, h} for f = mu, a: in l, dh/dmu = xi and dh/da = -dl/da."""
    one = found.invariant
    slopes = gradient(one.lagrangian, list(one.xi))
    put = dict(zip(found.momenta, slopes, strict=True))
    table = [substitute(row, put) for row in found.bracket]
    slope = [*one.xi, *(-c for c in gradient(one.lagrangian, list(one.advected)))]
    along = tangent([*slopes, *one.advected], found.in_coordinates.rates())
    labels = [*(m.data.label for m in found.momenta), *(a.data.label for a in one.advected)]
    parts = {name: rate - dot(row, slope) for name, rate, row in zip(labels, along, table, strict=True)}
    return proofs.all_vanish(parts, found.system.facts)


def casimirs_conserved(found: OnAlgebra, proofs: ProofBudget) -> list[Claim]:
    """Say how many Casimirs there are and which were found, and decide of each whether it is constant."""
    count, known = found.casimir_count, len(found.casimirs)
    said = f"the Casimirs of degree at most {DEGREE} are all that there are: {known} of {count}"
    verdict = generic_rank(found.bracket).verdict
    if known < count:
        verdict = Verdict("undecided", f"{count - known} more are of another form; the bracket: {verdict.evidence}")
    one = found.invariant
    role: ClaimRole = "question" if one.constraints or not vanish(one.forces, found.system.facts) else "check"
    claims = [Claim("Casimirs", said, "question", verdict)]
    rates = tangent(found.casimirs_of_motion(), {**found.in_coordinates.rates(), symbol(TIME): ONE})
    for k, (casimir, rate) in enumerate(zip(found.casimirs, rates, strict=True), 1):
        kept = proofs.is_zero(rate, found.system.facts)
        claims.append(Claim(f"Casimir {k} conserved", f"the Casimir {casimir!r} is conserved", role, kept))
    return claims
