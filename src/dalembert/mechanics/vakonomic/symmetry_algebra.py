"""The Lie algebra of the symmetries of (L, S), and that the momentum map turns with it (Garcia, Rodrigo; section 3).

Sym is a Lie algebra, and mu~ a map to its dual (Definition 4). With J_D = p_j xi_(j) - H tau - F on phase space,

    {J_a, J_b} = C_ab^c J_c + Sigma_ab,    [D_a, D_b] = -C_ab^c D_c,

where the constants Sigma_ab can differ from zero only where L changes by total derivatives DF. The brackets of the
fields and those of the functions are taken apart from each other: that they agree is decided. What commutes with all
J_c as a function of the J alone are the Casimirs of the algebra.

H need not be in closed form: dH/dx_j = -p_j' and dH/dp_j = x_j' by the Hamiltonian form.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.graph import Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import Verdict, vanish
from dalembert.expr.truth.many import ProofBudget
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.groups.actions import Action, action_from_generators
from dalembert.geometry.groups.algebra import LieAlgebra
from dalembert.geometry.groups.casimirs import casimirs
from dalembert.geometry.groups.matrices import dot
from dalembert.mechanics.common import points_of
from dalembert.mechanics.vakonomic.hamiltonian import HamiltonianForm
from dalembert.mechanics.vakonomic.noether import ConstrainedMomentum
from dalembert.model.claim import Claim
from dalembert.records import dataclass


@dataclass(frozen=True)
class SymmetryAlgebra:
    """Symmetries of (L, S) that close under the bracket, with their momenta."""

    form: HamiltonianForm
    action: Action
    """The generators as fields on (q, t)."""
    momenta: tuple[ConstrainedMomentum, ...]

    @property
    def algebra(self) -> LieAlgebra:
        """The Lie algebra, with the signs of a left action."""
        return self.action.algebra

    @cached_property
    def letters(self) -> tuple[Expr, ...]:
        """A symbol for each momentum."""
        return tuple(symbol(Symbol(f"J_{one.name}")) for one in self.momenta)

    @cached_property
    def slopes(self) -> list[tuple[list[Expr], list[Expr]]]:
        """Of each momentum what it changes by with positions, and with costates."""
        form = self.form
        size = len(form.positions)
        rates = list(form.rates.values())
        forward, pushed = rates[:size], rates[size:]
        found = []
        for one in self.momenta:
            generator = form.system.symmetry[one.name]
            moved, tau = form.moved(generator), generator.time
            fixed = symbol(Symbol("the energy"))
            plain = total(
                [(-1, fixed * tau), (-1, one.gauge), *((1, p * x) for p, x in zip(form.costates, moved, strict=True))]
            )
            by_x, by_p = gradient(plain, list(form.positions)), gradient(plain, list(form.costates))
            by_x = [a + tau * b for a, b in zip(by_x, pushed, strict=True)]
            by_p = [a - tau * b for a, b in zip(by_p, forward, strict=True)]
            both = substitute([*by_x, *by_p], {fixed: form.hamiltonian})
            found.append((both[:size], both[size:]))
        return found

    @cached_property
    def brackets(self) -> dict[tuple[int, int], Expr]:
        """The canonical brackets {J_a, J_b}, as functions on phase space."""
        return {
            (a, b): dot(self.slopes[a][0], self.slopes[b][1]) - dot(self.slopes[a][1], self.slopes[b][0])
            for a, b in combinations(range(len(self.momenta)), 2)
        }

    @cached_property
    def remainders(self) -> dict[tuple[int, int], Expr]:
        """{J_a, J_b} - C_ab^c J_c on phase space: the cocycle Sigma_ab."""
        values = [one.momentum for one in self.momenta]
        constants = self.algebra.constants
        left = {(a, b): value - dot(constants[a][b], values) for (a, b), value in self.brackets.items()}
        return dict(zip(left, self.form.on_motions(list(left.values())), strict=True))

    @property
    def has_casimirs(self) -> bool:
        """Whether Casimirs are looked for: of strict symmetries, which have no cocycle, that do not all commute."""
        return not self.algebra.is_abelian and all(one.kind == "symmetry" for one in self.momenta)

    @cached_property
    def casimirs(self) -> tuple[Expr, ...]:
        """Polynomials of the J of degree at most 2 that commute with all of them."""
        if not self.has_casimirs:
            return ()
        return casimirs(self.algebra.coadjoint_matrix(self.letters), self.letters)

    def objects(self) -> dict[str, Any]:
        """Return the algebra by the names of the JSON."""
        names = self.algebra.names
        brackets = {
            f"{names[a]}, {names[b]}": dot(self.algebra.constants[a][b], self.letters) for a, b in self.brackets
        }
        return {
            "name": self.algebra.name(),
            "momentum_brackets": {pair: value for pair, value in brackets.items() if not vanish([value])},
            "casimirs": list(self.casimirs),
        }

    # -- theorems ------------------------------------------------------------------------------------------------
    def equivariance(self, proofs: ProofBudget) -> list[Claim]:
        """Say whether the momenta have the brackets of their generators, or with constants besides."""
        names, facts = self.algebra.names, points_of(self.form.system)
        parts = {f"{{{names[a]}, {names[b]}}}": rest for (a, b), rest in self.remainders.items()}
        verdict = proofs.all_vanish(parts, facts)
        strict = all(one.kind == "symmetry" for one in self.momenta)
        said = "the momentum map is equivariant: {J_a, J_b} = C_ab^c J_c"
        found = [Claim("equivariance", said, "check" if strict else "question", verdict)]
        if verdict.holds is not False:
            return found
        variables = [symbol(TIME), *self.form.positions, *self.form.costates]
        slopes = [slope for rest in parts.values() for slope in gradient(rest, variables)]
        constant = proofs.all_vanish({f"derivative {k}": one for k, one in enumerate(slopes, 1)}, facts)
        beyond = "it is up to constants: {J_a, J_b} = C_ab^c J_c + Sigma_ab, with a cocycle Sigma"
        return [*found, Claim("equivariance up to a cocycle", beyond, "check", constant)]

    def casimirs_commute(self, proofs: ProofBudget) -> list[Claim]:
        """Decide of each Casimir, as a function on phase space, whether it commutes with all momenta."""
        values = dict(zip(self.letters, (one.momentum for one in self.momenta), strict=True))
        found = []
        for k, casimir in enumerate(self.casimirs, 1):
            by_letter = substitute(gradient(casimir, list(self.letters)), values)
            size = range(len(self.momenta))
            rates = {
                f"with {self.momenta[b].name}": total([(1, by_letter[a] * self._between(a, b)) for a in size])
                for b in size
            }
            rates = dict(zip(rates, self.form.on_motions(list(rates.values())), strict=True))
            verdict = proofs.all_vanish(rates, points_of(self.form.system))
            said = f"{casimir!r} commutes with all momenta"
            found.append(Claim(f"Casimir {k}", said, "check", verdict))
        return found

    def _between(self, a: int, b: int) -> Expr:
        if a == b:
            return total([])
        return self.brackets[a, b] if a < b else -self.brackets[b, a]


def symmetry_algebra(form: HamiltonianForm, momenta: Sequence[ConstrainedMomentum]) -> SymmetryAlgebra:
    """Return the algebra of those generators that are symmetries of (L, S); refused where they do not close."""
    kept = tuple(one for one in momenta if one.is_symmetry)
    q, clock = form.system.q, symbol(TIME)
    chart = Chart((*q, clock))
    fields = {}
    for one in kept:
        generator = form.system.symmetry[one.name]
        fields[one.name] = VectorField.of(chart, {**generator.components, clock: generator.time})
    return SymmetryAlgebra(form, action_from_generators(fields), kept)


def closes(form: HamiltonianForm, momenta: Sequence[ConstrainedMomentum]) -> list[Claim]:
    """Say which Lie algebra the symmetries form; the bracket of two is one, but it need not have been stated."""
    try:
        found = symmetry_algebra(form, momenta)
    except ExpressionError as error:
        said = "the stated symmetries of (L, S) are a basis of a Lie algebra"
        return [Claim("symmetry algebra", said, "question", Verdict("refuted", str(error)))]
    name = found.algebra.name()
    called = name if name != "unknown" else f"of dimension {found.algebra.dimension}, which has no name here"
    said = f"the symmetries of (L, S) form a Lie algebra: {called}"
    return [Claim("symmetry algebra", said, "question", found.action.closure)]
