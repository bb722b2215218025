"""Left-invariant problems that are stated on a Lie algebra: Lie-Poisson equations of the vakonomic motion.

With l(t, xi, a), constraints phi(t, xi, a) = 0 and advected parameters a' = rho_i(a) xi^i, of ``[algebra]``,

    mu = dl/dxi + lambda dphi/dxi,    phi = 0    give xi and lambda by mu,
    mu_i' = C_ji^k xi^j mu_k + rho_i^m d(l + lambda phi)/da^m,

which is f' = {f, h} for the Lie-Poisson bracket and h = mu xi - l. By another derivation the same motion makes the
action stationary on the group itself: there it solves the equations of l + lambda phi, in coordinates of the second
kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import gradient, hessian, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Verdict, depends_on, generic_rank, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.groups.casimirs import DEGREE, casimir_count, casimirs
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.groups.second_kind import second_kind
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import Derived, equations_of
from dalembert.mechanics.vakonomic.densities import lagrangian_of
from dalembert.mechanics.vakonomic.hamiltonian import by_schur
from dalembert.model.algebra import NOT_BESIDE, Algebra, lie_poisson
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass


@dataclass(frozen=True, repr=False)
class VakonomicOnAlgebra(Derived):
    """The motion of momenta on the dual of a Lie algebra, with velocities and multipliers that follow."""

    system: System
    lagrangian: Expr
    """l(t, xi, a)."""
    functions: dict[str, Expr]
    """phi, by name."""
    momenta: tuple[Expr, ...]
    """The symbols mu_i."""
    velocities: tuple[Expr, ...]
    """xi by mu and a."""
    multipliers: tuple[Expr, ...]
    """lambda by mu and a."""
    hamiltonian: Expr
    """h(mu, a)."""
    equations: Equations
    hypotheses: tuple[Claim, ...]

    @property
    def stated(self) -> Algebra:
        """The table ``[algebra]``."""
        assert self.system.algebra is not None
        return self.system.algebra

    @cached_property
    def bracket(self) -> list[list[Expr]]:
        """The Lie-Poisson tensor on (mu, a)."""
        return lie_poisson(self.stated, self.momenta)

    @property
    def variables(self) -> list[Expr]:
        """Mu and a."""
        return [*self.momenta, *self.stated.advected]

    @cached_property
    def casimirs(self) -> tuple[Expr, ...]:
        """Polynomials of (mu, a) of degree at most 2 that commute with all functions; independent ones."""
        return casimirs(self.bracket, self.variables)

    def objects(self) -> dict[str, Any]:
        """Return the geometric objects by the names of the JSON."""
        labels = [v.data.name for v in self.variables]
        pairs = [(i, j) for i in range(len(labels)) for j in range(i + 1, len(labels))]
        return {
            "algebra": self.stated.algebra.name(),
            "hamiltonian": self.hamiltonian,
            "energy": self.hamiltonian,
            "velocities": {x.data.name: v for x, v in zip(self.stated.velocities, self.velocities, strict=True)},
            "multipliers": dict(zip(self.functions, self.multipliers, strict=True)),
            "lie_poisson_bracket": {
                f"{labels[i]}, {labels[j]}": self.bracket[i][j] for i, j in pairs if not vanish([self.bracket[i][j]])
            },
            "casimirs": list(self.casimirs),
        }

    # -- theorems ------------------------------------------------------------------------------------------------
    def lie_poisson(self, proofs: ProofBudget) -> Verdict:
        """Decide f' = {f, h} for f = mu, a, with the slopes of h taken from its formula."""
        rates, slopes = self.equations.rates(), gradient(self.hamiltonian, self.variables)
        pairs = zip(self.variables, self.bracket, strict=True)
        return proofs.all_vanish({v.data.name: rates[v] - dot(row, slopes) for v, row in pairs}, self.system.facts)

    def on_group(self, proofs: ProofBudget) -> Verdict:
        """Decide the equations of l + lambda phi on the group, with s' and lambda along the motion."""
        fibre = self.stated.coordinates
        if self.stated.advected:
            return Verdict("undecided", "with advected parameters it is not decided here.")
        try:
            body, _ = second_kind(self.stated.algebra, fibre)
        except ExpressionError as fault:
            return Verdict("undecided", str(fault))
        xi = [total([(1, row[i] * s.dot) for row, s in zip(body, fibre, strict=True)]) for i in range(len(fibre))]
        letters = [symbol(Symbol(f"multiplier {name}")) for name in self.functions]
        joined = lagrangian_of(self.lagrangian, dict(zip(letters, self.functions.values(), strict=True)))
        (joined,) = substitute([joined], dict(zip(self.stated.velocities, xi, strict=True)))
        rates = solve([list(column) for column in zip(*body, strict=True)], list(self.velocities))  # s' at mu
        flow = {**self.equations.rates(), symbol(TIME): ONE, **dict(zip(fibre, rates, strict=True))}
        seed = {
            symbol(TIME): ONE,
            **dict(zip(fibre, (s.dot for s in fibre), strict=True)),
            **dict(zip((s.dot for s in fibre), tangent(rates, flow), strict=True)),
            **dict(zip(letters, tangent(list(self.multipliers), flow), strict=True)),
        }
        moved = tangent(gradient(joined, [s.dot for s in fibre]), seed)
        gaps = [a - b for a, b in zip(moved, gradient(joined, list(fibre)), strict=True)]
        put = {
            **dict(zip((s.dot for s in fibre), rates, strict=True)),
            **dict(zip(letters, self.multipliers, strict=True)),
        }
        named = {f"the equation of {s.data.name}": v for s, v in zip(fibre, substitute(gaps, put), strict=True)}
        return proofs.all_vanish(named, self.system.facts)

    def casimirs_conserved(self, proofs: ProofBudget) -> list[Claim]:
        """Say how many Casimirs there are and which were found, and decide of each that it is conserved."""
        count, known = casimir_count(self.bracket), len(self.casimirs)
        verdict = generic_rank(self.bracket).verdict
        if known < count:
            verdict = Verdict("undecided", f"{count - known} more are of another form; the bracket: {verdict.evidence}")
        said = f"the Casimirs of degree at most {DEGREE} are all that there are: {known} of {count}"
        found = [Claim("Casimirs", said, "question", verdict)]
        rates = tangent(list(self.casimirs), {**self.equations.rates(), symbol(TIME): ONE})
        for k, (one, rate) in enumerate(zip(self.casimirs, rates, strict=True), 1):
            kept = proofs.is_zero(rate, self.system.facts)
            found.append(Claim(f"Casimir {k} conserved", f"the Casimir {one!r} is conserved", "check", kept))
        return found

    def energy_conserved(self, proofs: ProofBudget) -> Verdict:
        """Decide h' = 0."""
        (rate,) = tangent([self.hamiltonian], {**self.equations.rates(), symbol(TIME): ONE})
        return proofs.is_zero(rate, self.system.facts)


def derive_on_algebra(system: System) -> VakonomicOnAlgebra:
    """Return the Lie-Poisson equations of a vakonomic problem that states ``[algebra]``.

    >>> plate = System.of(name="plate and ball", lagrangian="(w1^2 + w2^2)/2", constraints={"no spin": "w3 = 0"},
    ...     algebra={"name": "so(3)", "velocities": ["w1", "w2", "w3"]})
    >>> found = derive_on_algebra(plate)
    >>> found.hamiltonian, list(found.equations.rates().values())
    ((mu_e1^2 + mu_e2^2)/2, [-mu_e2*mu_e3, mu_e1*mu_e3, 0])
    """
    stated = system.algebra
    assert stated is not None
    assert system.lagrangian is not None
    xi = list(stated.velocities)
    put = {s.dot: x for s, x in zip(stated.coordinates, xi, strict=True)}
    lagrangian, *functions = substitute([system.lagrangian, *(c.expression for c in system.constraints.values())], put)
    mass, border = hessian(lagrangian, xi), jacobian(functions, xi)
    _refuse(system, lagrangian, functions, [*mass, *border])
    mu = tuple(symbol(Symbol(f"mu_{name}")) for name in stated.algebra.names)
    still = dict.fromkeys(xi, ZERO)
    slopes, rest = substitute(gradient(lagrangian, xi), still), substitute(functions, still)
    whole = [[*row, *(c[i] for c in border)] for i, row in enumerate(mass)] + [
        [*c, *[ZERO] * len(border)] for c in border
    ]
    rank = generic_rank(whole)
    if rank.rank < len(whole):
        what = f"the bordered Hessian of l + lambda phi has rank {rank.rank} of {len(whole)}"
        raise refusal("vakonomic", [Fault("lagrangian", what, "l has to be regular along the constraints")])
    found = [tidy(x) for x in by_schur(mass, border, [m - s for m, s in zip(mu, slopes, strict=True)], rest)]
    velocities, multipliers = tuple(found[: len(xi)]), tuple(found[len(xi) :])
    names = dict(zip(system.constraints, functions, strict=True))
    here = dict(zip(xi, velocities, strict=True))
    letters = [symbol(Symbol(f"multiplier {name}")) for name in names]
    pulls = gradient(lagrangian_of(lagrangian, dict(zip(letters, functions, strict=True))), list(stated.advected))
    pulls = substitute(pulls, {**here, **dict(zip(letters, multipliers, strict=True))})
    turned = [dot(row, mu) for row in stated.algebra.coad(velocities)]
    rates = {
        m: tidy(
            total([(1, turned[i]), *((1, rho[i] * p) for rho, p in zip(stated.advected.values(), pulls, strict=True))])
        )
        for i, m in enumerate(mu)
    }
    rates |= {a: tidy(dot(rho, velocities)) for a, rho in stated.advected.items()}
    energy = tidy(substitute([dot(mu, xi) - lagrangian], here)[0])
    watched = {"energy": energy} | {f"multiplier {n}": m for n, m in zip(names, multipliers, strict=True)}
    equations = equations_of(
        system,
        "vakonomic",
        kinematics=rates,
        reconstruction=dict(zip(stated.coordinates, velocities, strict=True)),
        monitors=watched,
    )
    said = f"the brackets are those of a Lie algebra ({stated.algebra.name()})"
    claims = (Claim("algebra", said, "hypothesis", stated.algebra.jacobi()),)
    return VakonomicOnAlgebra(system, lagrangian, names, mu, velocities, multipliers, energy, equations, claims)


def _refuse(system: System, lagrangian: Expr, functions: Sequence[Expr], slopes: Sequence[Sequence[Expr]]) -> None:
    """Refuse what the closed form does not take."""
    stated = system.algebra
    assert stated is not None
    xi = list(stated.velocities)
    faults = [
        Fault(f"[{table}]", f"it is not taken beside [algebra]: {NOT_BESIDE[table]}", "leave it out", kind="algebra")
        for table, told in {"symmetry": system.symmetry, "holonomic": system.holonomic}.items()
        if told
    ]
    if system.order > 1:
        faults.append(Fault("lagrangian", "a Lagrangian of order 1 is needed beside [algebra]", "state one"))
    own = {*stated.advected, *stated.coordinates}
    base = [q.data.name for q in system.q if q not in own]
    if base:
        what = f"{', '.join(base)} stand beside the velocities of a Lie algebra"
        faults.append(
            Fault(
                "[coordinates]",
                what,
                "state the problem in coordinates, or with advected parameters alone",
                kind="beside",
            )
        )
    if depends_on([lagrangian, *functions], [*stated.coordinates, *(a.dot for a in stated.advected)]):
        what = "velocities of advected parameters, or coordinates of the algebra's velocities, occur"
        faults.append(Fault("[algebra]", what, "write them by the velocities of the algebra"))
    if not faults and depends_on([entry for row in slopes for entry in row], xi):
        what = "the Lagrangian is not quadratic, or a constraint not affine, in the velocities of the algebra"
        faults.append(Fault("[algebra]", what, "state the problem in coordinates", kind="quadratic"))
    if faults:
        raise refusal("vakonomic", faults)
