"""Routh's procedure where L is invariant up to total derivatives: G_mu is that of an affine action.

Where E~_a changes L by dF_a/dt, the momentum p_a = E~_a^V(L) - F_a is conserved, and

    E~_a^C(p_b) = -C_ab^c p_c + sigma_ab

with constants sigma, a cocycle: the group acts on momenta by affine maps, of which g_mu is what leaves mu alone, all xi
with xi^a (C_ab^c mu_c - sigma_ab) = 0. A charge in a uniform field has the translations of the plane: they commute, and
still none keeps the momentum of another. On N_mu the velocities along the group are known, the Euler-Lagrange equations
give those of the base, and coordinates that g_mu alone moves are divided out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from dalembert.errors import Fault
from dalembert.expr.calculus import diff, gradient, hessian, tangent, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import Verdict, depends_on, freed_from
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import Matrix, dot
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import Derived, divided_by, equations_of
from dalembert.mechanics.lagrangian.jets import euler_operators
from dalembert.mechanics.lagrangian.regularity import DIVIDES, divided_claims
from dalembert.mechanics.routh.adapted_coordinates import AdaptedChart, NoAdaptedCoordinates, adapted_chart
from dalembert.mechanics.routh.hypotheses import (
    Symmetry,
    affine_isotropy,
    cocycle_of,
    free_action,
    momenta_of,
    regular,
)
from dalembert.mechanics.routh.without_charts import rows
from dalembert.mechanics.theorem import Theorem, decided_by
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, replace

_PAPER = "Crampin-Mestdag, section"


@dataclass(frozen=True, repr=False)
class RouthWithCocycle(Derived):
    """The motion on N_mu, or on N_mu/G_mu, of a system whose L is invariant up to total derivatives."""

    system: System
    symmetry: Symmetry
    cocycle: Matrix
    """The constants sigma_ab."""
    isotropy: Matrix
    """A basis of g_mu of the affine action."""
    coordinates: AdaptedChart
    equations: Equations
    hypotheses: tuple[Claim, ...] = ()

    form = "cocycle"

    @property
    def action(self) -> Action:
        """The group by the stated generators."""
        return self.symmetry.action

    @cached_property
    def seed(self) -> Mapping[Expr, Expr]:
        """The rates of state and lift."""
        return {**self.equations.rates(), **self.equations.reconstruction, symbol(TIME): ONE}

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by the names of the JSON."""
        names = self.action.names
        return {
            "structure_constants": [[list(row) for row in rows] for rows in self.action.algebra.constants],
            "momenta": dict(zip(names, momenta_of(self.system, self.action, self.symmetry.gauges), strict=True)),
            "gauge_functions": dict(zip(names, self.symmetry.gauges, strict=True)),
            "cocycle": [list(row) for row in self.cocycle],
            "isotropy_basis": [list(row) for row in self.isotropy],
            "adapted_coordinates": {
                "base": [q.data.name for q in self.coordinates.base],
                "fibre": [q.data.name for q in self.coordinates.fibre],
                "lifted": [q.data.name for q in self.equations.reconstruction],
            },
        }


def derive_with_cocycle(system: System, symmetry: Symmetry) -> RouthWithCocycle:
    """Return the motion on a level set of momenta that are conserved with functions F_a in them.

    >>> from dalembert.mechanics.routh.hypotheses import symmetry_of
    >>> charge = System.of(name="charge", coordinates="x y", lagrangian="(x'^2 + y'^2)/2 + x*y'",
    ...     symmetry={"px": {"x": 1}, "py": {"y": 1}}, momentum=[0, 0])
    >>> found = derive_with_cocycle(charge, symmetry_of(charge, up_to_derivatives=True))
    >>> found.cocycle, found.equations.kinematics
    (((0, 1), (-1, 0)), {x: y, y: -x})
    """
    sigma = cocycle_of(system, symmetry)
    inside = affine_isotropy(symmetry, sigma)
    try:
        chart = adapted_chart(system, symmetry.action, inside, len(inside), {**system.defaults, **symmetry.defaults})
    except NoAdaptedCoordinates as missing:
        raise refusal("routh", missing.faults) from None
    equations = _motion(system, symmetry, chart, len(inside))
    equations = replace(equations, parameters={**equations.parameters, **symmetry.defaults})
    return RouthWithCocycle(system, symmetry, sigma, inside, chart, equations, symmetry.hypotheses)


def _motion(system: System, symmetry: Symmetry, chart: AdaptedChart, isotropy: int) -> Equations:
    assert system.lagrangian is not None
    put = dict(chart.inverse)
    put |= {q.dot: time_derivative(image) for q, image in chart.inverse.items()}
    lagrangian, *momenta = substitute([system.lagrangian, *momenta_of(system, symmetry.action, symmetry.gauges)], put)
    x, theta = list(chart.base), list(chart.fibre)
    q, v = [*x, *theta], [*(one.dot for one in x), *(one.dot for one in theta)]
    slopes = [gradient(p, v[len(x) :]) for p in momenta]
    if depends_on([e for row in slopes for e in row], v[len(x) :], system.facts):
        what = "its momenta are not linear in the velocities along the group, as is asked beside total derivatives"
        raise refusal("routh", [Fault("lagrangian", what, "use euler-lagrange", kind="linear momenta")])
    offset = substitute(momenta, dict.fromkeys(v[len(x) :], ZERO))
    shorten = SimplificationBudget(1.0, each=0.4, largest=400)
    iota = shorten.all(solve(slopes, [mu - o for mu, o in zip(symmetry.values, offset, strict=True)]))
    mass, force = _base_equations(lagrangian, q, v, len(x))
    energy = total([*((1, u * p) for u, p in zip(v, gradient(lagrangian, v), strict=True)), (-1, lagrangian)])
    flat = [*(e for row in mass for e in row), *force, energy]
    flat = shorten.all(substitute(flat, dict(zip(v[len(x) :], iota, strict=True))))
    rates = dict(zip(theta, iota, strict=True))
    moved = theta[:isotropy] if chart.straight else []
    kept = [rates[one] for one in theta if one not in moved]
    *flat, energy = flat  # it may contain what is lifted: of a weight that falls
    freed = freed_from([*flat, *kept], moved, system.facts) if moved else None
    if freed is None:
        moved = []
    else:
        flat, kept = freed[: len(flat)], freed[len(flat) :]
        rates |= dict(zip([one for one in theta if one not in moved], kept, strict=True))
    size = len(x)
    return equations_of(
        system,
        "routh",
        kinematics={one: one.dot for one in x} | {one: rates[one] for one in theta if one not in moved},
        velocities=tuple(v[:size]),
        mass=tuple(tuple(flat[i * size : (i + 1) * size]) for i in range(size)),
        force=tuple(flat[size * size :]),
        reconstruction={one: rates[one] for one in moved},
        configuration={one: image for one, image in chart.inverse.items() if image is not one},
        monitors={"energy": energy},
        pivots=divided_by([*flat, *iota], [], [system.lagrangian]),
    )


def _base_equations(
    lagrangian: Expr, q: Sequence[Expr], v: Sequence[Expr], size: int
) -> tuple[list[list[Expr]], list[Expr]]:
    """Return mass and force of x'', with theta'' eliminated from the Euler-Lagrange equations."""
    whole, slopes = hessian(lagrangian, v), gradient(lagrangian, v)
    bias = tangent(slopes, {**dict(zip(q, v, strict=True)), symbol(TIME): ONE})
    right = [pull - b for pull, b in zip(gradient(lagrangian, q), bias, strict=True)]
    inner = [row[size:] for row in whole[size:]]
    columns = [solve(inner, [row[j] for row in whole[size:]]) for j in range(size)]
    pushed = solve(inner, right[size:])
    mass = [
        [total([(1, whole[i][j]), (-1, dot(whole[i][size:], columns[j]))]) for j in range(size)] for i in range(size)
    ]
    return mass, [total([(1, right[i]), (-1, dot(whole[i][size:], pushed))]) for i in range(size)]


# -- theorems ------------------------------------------------------------------------------------------------
def _places(result: RouthWithCocycle) -> dict[Expr, Expr]:
    """Return stated coordinates, velocities and accelerations along the motions."""
    system, inverse = result.system, result.coordinates.inverse
    places = [inverse[q] for q in system.q]
    velocities = tangent(places, result.seed)
    found = dict(zip((*system.q, *system.v), (*places, *velocities), strict=True))
    return found | {q.dot.dot: a for q, a in zip(system.q, tangent(velocities, result.seed), strict=True)}


def motion_defects(result: RouthWithCocycle) -> dict[str, Expr]:
    """Return the Euler-Lagrange expressions of the stated L along the motions."""
    system = result.system
    assert system.lagrangian is not None
    expressions = substitute(euler_operators(system.lagrangian, system.q, 1), _places(result))
    return {f"the equation of {q!r}": e for q, e in zip(system.q, expressions, strict=True)}


def _full_equations(result: RouthWithCocycle, proofs: ProofBudget) -> Verdict:
    return proofs.all_vanish(motion_defects(result), result.system.facts)


def _level_set(result: RouthWithCocycle, proofs: ProofBudget) -> Verdict:
    found = substitute(momenta_of(result.system, result.action, result.symmetry.gauges), _places(result))
    pairs = zip(result.action.names, found, result.symmetry.values, strict=True)
    return proofs.all_vanish({f"the momentum {name}": p - mu for name, p, mu in pairs}, result.system.facts)


def _energy_balance(result: RouthWithCocycle, proofs: ProofBudget) -> Verdict:
    assert result.system.lagrangian is not None
    (power,) = substitute([diff(result.system.lagrangian, symbol(TIME))], _places(result))
    (rate,) = tangent([result.equations.monitors["energy"]], result.seed)
    return proofs.is_zero(rate + power, result.system.facts)


def _divided(result: RouthWithCocycle, _: ProofBudget) -> Verdict:
    if len(result.equations.reconstruction) == len(result.isotropy):
        return Verdict("proved", "by the components of its generators.")
    return Verdict("undecided", "none were found in closed form: the state is all of N_mu.")


THEOREMS = (
    *decided_by(rows.THEOREMS, {"full equations": _full_equations, "level set": _level_set}),
    Theorem("cocycle", "Souriau", "sigma is a cocycle of the Lie algebra", "check", rows.is_cocycle),
    Theorem("isotropy", "Souriau", "the basis of g_mu keeps mu under the affine action", "check", rows.isotropy),
    Theorem("energy balance", "Lagrange", "the energy changes by explicit time in L only", "check", _energy_balance),
    Theorem("adapted coordinates", f"{_PAPER} VI", "coordinates are known in which G_mu moves theta^A alone",
        "question", _divided),
    Theorem("regular", "Legendre", "L is regular", "hypothesis", lambda result, _: [regular(result.system)]),
    Theorem(DIVIDES, f"{_PAPER} III", "the reduced equations divide by nothing that vanishes", "question",
        lambda result, _: divided_claims(result.equations.pivots, result.system.facts, "the reduced equations")),
    Theorem("free action", f"{_PAPER} II", "the generators are independent", "hypothesis",
        lambda result, _: [free_action(result.action)]),
)  # fmt: skip
"""What is decided of a reduction with a cocycle."""
