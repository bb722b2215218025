"""The theorems on Routh's procedure with rotations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Protocol

from dalembert.expr.calculus import hessian, partial_time, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME
from dalembert.expr.text import text
from dalembert.expr.truth import Fact, Verdict
from dalembert.expr.truth.many import ProofBudget, components_of
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import Matrix, dot
from dalembert.mechanics.common import along, facts_of, points_of
from dalembert.mechanics.lagrangian.multipliers import by_multipliers
from dalembert.mechanics.routh.hypotheses import Symmetry, momenta_of
from dalembert.mechanics.routh.without_charts.derived import RouthWithoutCharts
from dalembert.mechanics.theorem import Theorem
from dalembert.model.claim import Claim
from dalembert.model.system import System

_PAPER = "Crampin-Mestdag, section"


class WithCocycle(Protocol):
    """A motion on N_mu whose momenta may have functions F_a in them."""

    @property
    def system(self) -> System: ...
    @property
    def symmetry(self) -> Symmetry: ...
    @property
    def action(self) -> Action: ...
    @property
    def cocycle(self) -> Matrix: ...
    @property
    def isotropy(self) -> Matrix: ...


def _at_states(result: RouthWithoutCharts, expressions: Sequence[Expr]) -> list[Expr]:
    """Return expressions where velocities obey n n' = 0, by free ones."""
    equations = result.equations
    table = {v: v + change for part in equations.projection for v, change in part.items() if v in equations.velocities}
    return substitute(expressions, table)


def _flow(result: RouthWithoutCharts) -> dict[Expr, Expr]:
    return {**result.equations.rates(), **result.equations.reconstruction, symbol(TIME): ONE}


def _stated(result: RouthWithoutCharts) -> dict[Expr, Expr]:
    """Return the stated coordinates and their velocities along the motion."""
    system = result.system
    places = [result.equations.configuration.get(q, q) for q in system.q]
    return dict(zip((*system.q, *system.v), (*places, *tangent(places, _flow(result))), strict=True))


def _facts(result: RouthWithoutCharts) -> tuple[Fact, ...]:
    return points_of(result.level.frame.system)


def _full_equations(result: RouthWithoutCharts, proofs: ProofBudget) -> Verdict:
    """Compare accelerations with those of multipliers on unit lengths, in the space around."""
    system, put = result.system, _stated(result)
    wanted = substitute(by_multipliers(system)[0], put)
    found = tangent([put[v] for v in system.v], _flow(result))
    apart = [a - b for a, b in zip(found, wanted, strict=True)]
    return proofs.all_vanish(components_of(_at_states(result, apart), system.q), _facts(result))


def _spin(result: RouthWithoutCharts) -> dict[Expr, Expr]:
    """Return what Pi is on N_mu, by coordinates."""
    orbit = result.on_orbit
    return {} if orbit is None else dict(zip(orbit.spin, orbit.frame.opened(list(orbit.spin.values())), strict=True))


def _on_orbit(result: RouthWithoutCharts, proofs: ProofBudget) -> list[Claim]:
    """Decide that Pi = B mu stays so along the motions, and what functions of Pi are constant."""
    orbit = result.on_orbit
    assert orbit is not None
    flow, spin = _flow(result), _spin(result)
    turned = substitute(tangent(list(spin.values()), {q: e for q, e in flow.items() if q not in spin}), spin)
    there = substitute([flow[one] for one in spin], spin)
    parts = {f"the rate of {one.data.name}": a - b for one, a, b in zip(spin, there, turned, strict=True)}
    rank = result.action.dimension - len(result.isotropy)
    said = f"Pi = B mu moves on the coadjoint orbit of mu, of dimension {rank}, and the motion there is that on N_mu"
    claims = [Claim("coadjoint orbit", said, "check", proofs.all_vanish(_named(result, parts), _facts(result)))]
    for k, one in enumerate(result.casimirs, 1):
        if symbols([one]) & {pi.data for pi in spin}:
            (value,) = substitute([one], dict(zip(orbit.seen, orbit.momentum, strict=True)))
            kept = proofs.is_zero(_at_states(result, tangent([one], flow))[0], _facts(result))
            claims.append(Claim(f"Casimir {k}", f"{text(one)} = {text(value)} along the motions", "check", kept))
    return claims


def _named(result: RouthWithoutCharts, parts: Mapping[str, Expr]) -> dict[str, Expr]:
    return dict(zip(parts, _at_states(result, list(parts.values())), strict=True))


def _level_set(result: RouthWithoutCharts, proofs: ProofBudget) -> Verdict:
    """Decide p_a = mu_a from the stated Lagrangian and quaternions."""
    found = substitute(momenta_of(result.system, result.action, result.symmetry.gauges), _stated(result))
    if result.on_orbit is not None:
        found = substitute(found, _spin(result))
    apart = [p - mu for p, mu in zip(found, result.symmetry.values, strict=True)]
    names = [f"the momentum {name}" for name in result.action.names]
    return proofs.all_vanish(dict(zip(names, _at_states(result, apart), strict=True)), _facts(result))


def _energy_balance(result: RouthWithoutCharts, proofs: ProofBudget) -> Verdict:
    assert result.system.lagrangian is not None
    equations = result.equations
    (rate,) = along(equations, [equations.monitors["energy"]])
    (power,) = substitute([partial_time(result.system.lagrangian)], _stated(result))
    return proofs.is_zero(_at_states(result, [rate + power])[0], _facts(result))


def isotropy(result: WithCocycle, proofs: ProofBudget) -> list[Claim]:
    """Check xi^a (C_ab^c mu_c - sigma_ab) = 0 of a basis of g_mu; without sigma where L itself is invariant."""
    algebra, mu, size = result.action.algebra, result.symmetry.values, range(result.action.dimension)
    sigma = result.cocycle or [[ZERO for _ in size] for _ in size]
    parts = {
        f"vector {k} with {name}": total([(1, row[a] * (dot(algebra.constants[a][b], mu) - sigma[a][b])) for a in size])
        for k, row in enumerate(result.isotropy, 1)
        for b, name in enumerate(result.action.names)
    }
    count = len(result.isotropy)
    said = f"C_Ab^c mu_c = 0: g_mu, of dimension {count}, leaves mu alone"
    if result.cocycle:
        said = f"xi^a (C_ab^c mu_c - sigma_ab) = 0: g_mu of dimension {count} keeps mu, affinely"
    return [Claim("isotropy", said, "check", proofs.all_vanish(parts, facts_of(result.system)))]


def is_cocycle(result: WithCocycle, proofs: ProofBudget) -> Verdict:
    """Decide that sigma is antisymmetric, and sigma([a, b], c) and its cyclic companions add up to zero."""
    sigma, constants, size = result.cocycle, result.action.algebra.constants, range(result.action.dimension)
    names = result.action.names
    parts = {f"{names[a]}, {names[b]}": sigma[a][b] + sigma[b][a] for a in size for b in size if a <= b}
    for a, b, c in combinations(size, 3):
        turns = ((a, b, c), (b, c, a), (c, a, b))
        whole = total([(1, constants[i][j][d] * sigma[d][k]) for i, j, k in turns for d in size])
        parts[f"{names[a]}, {names[b]}, {names[c]}"] = whole
    return proofs.all_vanish(parts, result.system.facts)


def _invariant(result: RouthWithoutCharts, proofs: ProofBudget) -> Verdict:
    """Decide that the generators of g_mu do not change mass and force."""
    level = result.level
    mass, force = level.equations
    functions = [*(e for row in mass for e in row), *force]
    parts: dict[str, Expr] = {}
    for k, row in enumerate(result.isotropy, 1):
        field = [dot(row, column) for column in zip(*level.generators.values(), strict=True)]
        units = dict(zip(level.frame.velocities, field, strict=True))
        rates = {z: e for z, e in level.frame.drive.items() if z.data.role != "time"}
        moved = tangent(functions, dict(zip(rates, substitute(list(rates.values()), units), strict=True)))
        parts |= {f"function {i} along vector {k}": e for i, e in enumerate(moved, 1)}
    return proofs.all_vanish(parts, level.frame.facts)


def _adapted(result: RouthWithoutCharts, _: ProofBudget) -> Verdict:
    if result.level.base.invariant:
        return Verdict("proved", "they are rates of entries and coordinates that stand still along the orbits.")
    return Verdict("undecided", "none were found among entries and coordinates: the state is all of N_mu.")


def _hessian(result: RouthWithoutCharts, proofs: ProofBudget) -> Verdict:
    """Decide bX_i^V bX_j^V(R) = g_ij - g^ab g_ia g_jb."""
    level = result.level
    v = level.base.names
    wanted = hessian(level.routhian, v)
    parts = {
        f"{a.data.label}, {b.data.label}": wanted[i][j] - level.reduced_mass[i][j]
        for i, a in enumerate(v)
        for j, b in enumerate(v)
    }
    return proofs.all_vanish(parts, level.frame.facts)


THEOREMS = (
    Theorem("full equations", f"{_PAPER} VI",
        "the motions on level sets, in the stated coordinates, obey the Euler-Lagrange equations of L", "check",
        _full_equations, "Fixing the momenta of the symmetry reduces the motion, and reconstruction gives it back.",
        topic="reduction"),
    Theorem("level set", f"{_PAPER} III", "the motions have the momentum mu in the stated coordinates", "check",
        _level_set),
    Theorem("energy balance", "Lagrange", "the energy changes by explicit time in L only", "check", _energy_balance),
    Theorem("isotropy", f"{_PAPER} IV", "the basis of g_mu leaves mu alone", "check", isotropy),
    Theorem("cocycle", "Souriau", "sigma is a cocycle of the Lie algebra", "check", is_cocycle,
        needs=lambda result: bool(result.cocycle)),
    Theorem("reduced field is G_mu-invariant", f"{_PAPER} VI", "generators of g_mu do not change the reduced field",
        "check", _invariant, needs=lambda result: result.level.base.invariant),
    Theorem("coadjoint orbit", f"{_PAPER} VI", "Pi moves on the coadjoint orbit of mu, as on N_mu", "check", _on_orbit,
        needs=lambda result: result.on_orbit is not None),
    Theorem("adapted coordinates", f"{_PAPER} VI",
        "velocities of Q/G are known that no generator changes", "question", _adapted),
)  # fmt: skip
"""What is decided of a system with rotations."""

LAWS = (Theorem("reduced mass", f"{_PAPER} III", "bX_i^V bX_j^V(R) = g_ij - g^ab g_ia g_jb", "check", _hessian),)
"""Identities of every such system."""
