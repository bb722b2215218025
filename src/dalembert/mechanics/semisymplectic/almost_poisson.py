"""Semi-Poisson manifolds that are stated: an almost-Poisson bracket and a Hamiltonian (Patrick, section 5).

A bivector B whose characteristic field K = image B is a distribution is the same as a semi-symplectic manifold with
K-circ = K*: on K stands omega(Y_f, Y_g) = {f, g}. With coordinates x^I of which the minor B^II is regular and as large
as the rank of B, K is spanned by Y_I = {., x^I}, and omega = -(1/2) (B^II)^-1_kl dx^k ^ dx^l does it. That this form
and K give the stated bracket back is decided.
"""

from __future__ import annotations

from itertools import combinations

from dalembert.errors import Fault
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import ONE, ZERO, Expr, Operand, total
from dalembert.expr.truth import Verdict, generic_rank
from dalembert.expr.truth.many import ProofBudget, surviving
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import Form
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.common import equations_of
from dalembert.mechanics.semisymplectic.gauge_momenta import SemiHamiltonianSystem
from dalembert.mechanics.semisymplectic.manifold import SemiSymplectic
from dalembert.mechanics.semisymplectic.symmetry import SymmetryGroup
from dalembert.mechanics.theorem import Theorem
from dalembert.model.claim import Claim
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass


@dataclass(frozen=True, repr=False)
class AlmostPoissonSystem(SemiHamiltonianSystem[SymmetryGroup]):
    """A stated bracket with its Hamiltonian, as a semi-symplectic manifold."""

    system: System
    manifold: SemiSymplectic
    field: VectorField
    """Y_H, by the stated bracket."""
    equations: Equations
    distribution: None = None
    """There is no configuration space on which virtual displacements were one."""

    @property
    def energy(self) -> Expr:
        """H."""
        assert self.system.bracket is not None
        return self.system.bracket.hamiltonian

    def stated(self) -> list[list[Expr]]:
        """Return the stated bivector."""
        assert self.system.bracket is not None
        return self.system.bracket.tensor(self.system.q)

    def objects(self) -> dict[str, object]:
        """Return the geometric objects by the names of the JSON."""
        names = [str(x.data.label) for x in self.system.q]
        size = range(len(names))
        rows = self.stated()
        pairs = {(i, j): rows[i][j] for i in size for j in size if i < j}
        triples = self._jacobiator()
        return {
            "basis": [_named(names, k) for k in self.manifold.basis],
            "form": self.manifold.gram,
            "bracket": {f"{names[i]}, {names[j]}": e for (i, j), e in surviving(pairs, self.manifold.facts).items()},
            "jacobiator": {", ".join(names[i] for i in triple): value for triple, value in triples.items()},
            "semi_hamiltonian_part": _named(names, self.semi_hamiltonian_part),
            "energy": self.energy,
        }

    def _jacobiator(self) -> dict[tuple[int, int, int], Expr]:
        """Return {{x^i, x^j}, x^k} + cyclic by the stated bracket, where it does not vanish."""
        rows, chart = self.stated(), self.manifold.chart
        size = range(len(rows))
        fields = [VectorField.of(chart, [row[j] for row in rows]) for j in size]
        found = {
            (i, j, k): total([(1, fields[k](rows[i][j])), (1, fields[i](rows[j][k])), (1, fields[j](rows[k][i]))])
            for i, j, k in combinations(size, 3)
        }
        return surviving(found, self.manifold.facts)


def derive_stated(system: System) -> AlmostPoissonSystem:
    """Return the semi-symplectic manifold of a stated bracket, or raise ``HypothesisError``.

    >>> top = System.of(name="top", coordinates="x y z", parameters="a b c", bracket={
    ...     "x, y": "z", "y, z": "x", "z, x": "y", "hamiltonian": "(x^2/a + y^2/b + z^2/c)/2"})
    >>> found = derive_stated(top)
    >>> found.manifold.jacobi().holds, len(found.manifold.basis)
    (True, 2)
    """
    assert system.bracket is not None
    chart = Chart(system.q)
    rows = system.bracket.tensor(system.q)
    rank = generic_rank(rows)
    if not rank.rank:
        fault = Fault("[bracket]", "all brackets are zero, so that nothing moves", "state some pairs")
        raise refusal("semisymplectic", [fault])
    places = rank.rows
    fields = [VectorField.of(chart, [row[j] for row in rows]) for j in range(len(rows))]
    square = [[rows[i][j] for j in places] for i in places]
    unit = [[ONE if i == j else ZERO for i in range(len(places))] for j in range(len(places))]
    inverse = [solve(square, column) for column in unit]  # columns
    terms: dict[tuple[int, ...], Operand] = {
        (places[k], places[m]): -inverse[m][k] for k in range(len(places)) for m in range(k + 1, len(places))
    }
    manifold = SemiSymplectic(chart, Form.of(chart, 2, terms), tuple(fields[j] for j in places), tuple(system.facts))
    energy = system.bracket.hamiltonian
    slopes = VectorField.of(chart, [ZERO] * len(rows))
    for x, field in zip(system.q, fields, strict=True):
        slopes = slopes + VectorField.of(chart, {x: ONE})(energy) * field
    rates = dict(zip(system.q, SimplificationBudget(1.0).all(slopes.components), strict=True))
    equations = equations_of(system, "semisymplectic", kinematics=rates, monitors={"energy": energy})
    return AlmostPoissonSystem(system, manifold, slopes, equations)


def _named(names: list[str], field: VectorField) -> dict[str, Expr]:
    return {n: c for n, c in zip(names, field.components, strict=True) if c is not ZERO}


# -- theorems ------------------------------------------------------------------------------------------------
def gives_the_bracket(result: AlmostPoissonSystem, proofs: ProofBudget) -> Verdict:
    """Decide whether omega on K gives the stated bracket back."""
    stated, found = result.stated(), result.manifold.tensor
    q = result.system.q
    parts = {
        f"{{{q[i]!r}, {q[j]!r}}}": stated[i][j] - found[i][j] for i in range(len(q)) for j in range(len(q)) if i < j
    }
    return proofs.all_vanish(parts, result.manifold.facts)


def energy_conserved(result: AlmostPoissonSystem, proofs: ProofBudget) -> Verdict:
    """Decide {H, H} = 0 along the motion."""
    return proofs.is_zero(result.field(result.energy), result.manifold.facts)


def involutive(result: AlmostPoissonSystem, _: ProofBudget) -> Verdict:
    """Decide whether K is involutive."""
    return result.manifold.involutive()


def symmetries(result: AlmostPoissonSystem, proofs: ProofBudget) -> list[Claim]:
    """Decide of each generator X whether L_X B = 0 and X(H) = 0."""
    rows, chart, found = result.stated(), result.manifold.chart, []
    size = range(len(rows))
    columns = [VectorField.of(chart, [row[j] for row in rows]) for j in size]  # {., x^j}
    for name, one in result.system.symmetry.items():
        x = one.on(chart)
        parts = {
            f"the bracket of {chart.coordinates[i]!r} and {chart.coordinates[j]!r}": total(
                [(1, x(rows[i][j])), (-1, columns[j](x.components[i])), (1, columns[i](x.components[j]))]
            )
            for i, j in combinations(size, 2)
        }
        verdict = proofs.all_vanish({**parts, "the Hamiltonian": x(result.energy)}, result.manifold.facts)
        said = f"{name} is a symmetry: it leaves bracket and Hamiltonian as they are"
        found.append(Claim(f"symmetry {name}", said, "question", verdict))
    return found


THEOREMS = (
    Theorem(
        "symmetry",
        "Patrick, section 5",
        "generators are symmetries of bracket and Hamiltonian",
        "question",
        symmetries,
    ),
    Theorem(
        "bracket",
        "Patrick, section 5",
        "the 2-form on K = image B gives the stated bracket back",
        "check",
        gives_the_bracket,
    ),
    Theorem(
        "involutive",
        "Patrick, section 5",
        "the characteristic distribution K is involutive",
        "question",
        involutive,
    ),
    Theorem(
        "energy conserved",
        "Patrick, section 5",
        "the energy is conserved",
        "check",
        energy_conserved,
        yes="The energy is conserved.",
        topic="conserved",
    ),
)
