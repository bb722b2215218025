"""Semi-symplectic manifolds (Patrick, Definitions 5.1 and 5.2): a 2-form that is non-degenerate on a distribution only.

(P, omega, K): to each function belongs the one field Y_f in K with omega(Y_f, k) = df(k) for all k in K. The
almost-Poisson bracket {f, g} = omega(Y_f, Y_g) = df(Y_g) is antisymmetric and a derivation; Jacobi's identity fails by
J(f, g, h) = {{f, g}, h} + cyclic.

Its vector fields have classes (Definition 5.4):

    locally semi-Hamiltonian       X = Y_f near each point: X lies in K, and some f has df = i_X omega on K
    infinitesimally semi-symplectic  L_X omega = 0 on K, [X, K] in K, and L_X preserves K-circ
    Noether                        both

Whether there is such an f is decided without looking for it: df is known on K, df([Y, Z]) = Y(df(Z)) - Z(df(Y)) gives
it on the brackets, and so on, until the fields close; f exists near generic points exactly if no value contradicts
another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations

from dalembert.errors import ExpressionError
from dalembert.expr.elementary import solve
from dalembert.expr.graph import Expr, total
from dalembert.expr.truth import Embedded, Fact, Rank, Verdict, all_hold, full_rank, generic_rank, in_span, is_zero
from dalembert.expr.truth.many import ProofBudget, all_vanish, nonzero_at_a_point, survivors
from dalembert.expr.walk import postorder
from dalembert.geometry.distributions import Distribution, involutive
from dalembert.geometry.fields import Chart, VectorField, bracket, combination
from dalembert.geometry.forms import Form, interior, lie_derivative, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.model.claim import Claim
from dalembert.records import dataclass

_MOST_NODES = 15_000
"""Nodes of a form whose changes are looked at."""


@dataclass(frozen=True)
class SemiSymplectic:
    """A manifold with a 2-form and a distribution on which it is non-degenerate.

    >>> from dalembert.expr import symbol
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> space = Chart.of(x, y, z)
    >>> contact = [VectorField.of(space, {x: 1, z: y}), VectorField.of(space, {y: 1})]
    >>> half = SemiSymplectic(space, Form.of(space, 2, {(0, 1): 1}), tuple(contact))
    >>> half.bracket(x, y), half.bracket(z, y), half.jacobi().holds
    (1, y, False)
    """

    chart: Chart
    form: Form
    basis: tuple[VectorField, ...]
    """Fields K_i that span K."""
    facts: tuple[Fact, ...] = ()
    observables: tuple[tuple[Expr, ...], ...] | None = None
    """K-circ, by one-forms that span it on K; None where it is all of K*."""
    tangent: tuple[VectorField, ...] | None = None
    """Fields that span the tangent spaces, where the chart is that of a space around: facts say what is in it."""

    def __post_init__(self) -> None:
        """Refuse what is not a 2-form and fields on one chart."""
        if self.form.degree != 2 or self.form.chart != self.chart or any(k.chart != self.chart for k in self.basis):
            raise ExpressionError("a semi-symplectic manifold needs a 2-form and fields, all on one chart.")

    @cached_property
    def gram(self) -> list[list[Expr]]:
        """The matrix omega(K_i, K_j)."""
        forms = [interior(k, self.form) for k in self.basis]
        return [[form(k) for k in self.basis] for form in forms]

    @property
    def dimension(self) -> int:
        """The dimension of P."""
        return self.chart.dimension if self.tangent is None else len(self.tangent)

    @property
    def kinds(self) -> tuple[Fact, ...]:
        """What the functions of the chart obey by what they are: of all facts those that ranks have to know."""
        return tuple(fact for fact in self.facts if isinstance(fact, Embedded))

    @property
    def too_large(self) -> str:
        """Why an overview does not look at how the form changes; nothing where it does."""
        size = len(postorder(self.form.terms.values()))
        return f"the form has {size} nodes, more than {_MOST_NODES}" if size > _MOST_NODES else ""

    def changes(self, field: VectorField) -> list[Expr]:
        """Return L_X omega on pairs of tangent fields."""
        form = lie_derivative(field, self.form)
        if self.tangent is None:
            return [form.component(i, j) for i, j in combinations(range(self.chart.dimension), 2)]
        return [form(a, b) for a, b in combinations(self.tangent, 2)]

    def regular(self) -> Rank:
        """Return the rank of omega on K, full at generic points where the manifold is semi-symplectic."""
        return generic_rank(self.gram, self.kinds)

    def field_of(self, *functions: Expr) -> list[VectorField]:
        """Return the semi-Hamiltonian field Y_f of each function: in K, with i_Y omega = df on K."""
        if not self.basis:
            return [VectorField.of(self.chart, {}) for _ in functions]
        gram = self.gram
        size = len(self.basis)
        across = [[gram[i][j] for i in range(size)] for j in range(size)]  # sum_i y_i omega(K_i, K_j) = df(K_j)
        slopes = [k.apply(list(functions)) for k in self.basis]
        return [self.combine(solve(across, [slope[n] for slope in slopes])) for n in range(len(functions))]

    def sharp(self, form: Sequence[Expr]) -> VectorField:
        """Return the field Y in K with i_Y omega = a 1-form on K, given by its components."""
        if not self.basis:
            return VectorField.of(self.chart, {})
        size, across = range(len(self.basis)), self.gram
        values = [dot(form, k.components) for k in self.basis]
        return self.combine(solve([[across[i][j] for i in size] for j in size], values))

    def admits(self, function: Expr) -> Verdict:
        """Decide df in K-circ: whether a function is a Hamiltonian here (Definition 5.3)."""
        if self.observables is None:
            return Verdict("proved", "K-circ is all of K*.")
        rows = [[one_form(self.chart, form)(k) for k in self.basis] for form in self.observables]
        return in_span(rows, [[k(function) for k in self.basis]], "df, for K-circ")

    def bullet(self) -> list[VectorField]:
        """Return fields that span K-bullet: the semi-Hamiltonian fields of functions with df in K-circ."""
        if self.observables is None:
            return list(self.basis)
        gram, size = self.gram, range(len(self.basis))
        across = [[gram[i][j] for i in size] for j in size]
        values = [[one_form(self.chart, form)(k) for k in self.basis] for form in self.observables]
        return [self.combine(solve(across, row)) for row in values]

    def characteristic(self) -> Verdict:
        """Decide whether the image of the bivector, its characteristic distribution, is K."""
        image = [list(column) for column in zip(*self.tensor, strict=True)]
        inside = in_span([k.components for k in self.basis], image, "the image of the bivector, for K")
        whole = full_rank(generic_rank(image), len(self.basis), "the bivector, beside K,")
        return all_hold({"inside K": inside, "all of K": whole})

    def bracket(self, left: Expr, right: Expr) -> Expr:
        """Return {f, g} = df(Y_g)."""
        return self.field_of(right)[0](left)

    @cached_property
    def tensor(self) -> list[list[Expr]]:
        """The bivector: entry (i, j) is {x^i, x^j}."""
        fields = self.field_of(*self.chart.coordinates)
        return [[field.components[i] for field in fields] for i in range(self.chart.dimension)]

    @property
    def jacobiator(self) -> dict[tuple[int, int, int], Expr]:
        """J(x^i, x^j, x^k) = {{x^i, x^j}, x^k} + cyclic on increasing indices, those that do not vanish."""
        return self._jacobiator[0]

    @cached_property
    def _jacobiator(self) -> tuple[dict[tuple[int, int, int], Expr], Verdict]:
        """The same, and the verdict that all others do vanish."""
        return survivors(self._on(list(combinations(range(self.chart.dimension), 3))), self.facts)

    def _on(self, triples: Sequence[tuple[int, int, int]]) -> dict[tuple[int, int, int], Expr]:
        """Return J on some triples of coordinates, whether it vanishes or not."""
        fields = self.field_of(*self.chart.coordinates)
        wanted: dict[int, dict[tuple[int, int], None]] = {}
        for i, j, k in triples:
            wanted.setdefault(k, {})[i, j] = None
            wanted.setdefault(i, {})[j, k] = None
            wanted.setdefault(j, {})[i, k] = None  # the others by the sign: the bracket is skew
        # moved[k][i, j] = Y_k({x^i, x^j}) = {{x^i, x^j}, x^k}, of many pairs at once: what they share is done once
        moved = {
            k: dict(zip(pairs, fields[k].apply([fields[j].components[i] for i, j in pairs]), strict=True))
            for k, pairs in wanted.items()
        }
        return {
            (i, j, k): total([(1, moved[k][i, j]), (1, moved[i][j, k]), (-1, moved[j][i, k])]) for i, j, k in triples
        }

    def jacobi(self) -> Verdict:
        """Decide Jacobi's identity; a triple of coordinates for which it fails is named."""
        return self._jacobi

    @cached_property
    def _jacobi(self) -> Verdict:
        if "_jacobiator" not in self.__dict__:  # where it fails, one triple shows it, and most need not be looked at
            first = self._first_triples()
            for triples in (first[:1], first[1:]):
                verdict = self._vanishes_on(nonzero_at_a_point(self._on(triples), self.facts))
                if verdict is not None and verdict.holds is False:
                    return verdict
        left, others = self._jacobiator
        there = self._vanishes_on(left)
        said = f"J vanishes on all triples of coordinates: {others.evidence}"
        return Verdict(others.kind, said, others.error_bits) if there is None else there

    def _first_triples(self) -> list[tuple[int, int, int]]:
        """Return triples with the first coordinate: with two more that have a bracket with it, if there are such.

        On a phase space J is zero on two functions of positions and another one that is linear in velocities.
        """
        size = self.chart.dimension
        fields = self.field_of(*self.chart.coordinates)
        meeting = nonzero_at_a_point({j: fields[j].components[0] for j in range(1, size)}, self.facts)
        return [(0, j, k) for j, k in combinations(meeting if len(meeting) > 1 else range(1, size), 2)]

    def _vanishes_on(self, left: Mapping[tuple[int, int, int], Expr]) -> Verdict | None:
        """Decide whether what is not zero everywhere is so on the manifold; None where nothing is left."""
        verdicts = {}
        for triple, value in left.items():
            said = "J({!r}, {!r}, {!r})".format(*(self.chart.coordinates[n] for n in triple))
            verdicts[said] = is_zero(value, self.facts)
            if verdicts[said].holds is False:
                break
        return all_hold(verdicts) if verdicts else None

    def involutive(self) -> Verdict:
        """Decide whether K is involutive."""
        return involutive(Distribution.from_fields(self.basis))

    def contains(self, field: VectorField) -> Verdict:
        """Decide whether a field lies in K."""
        return in_span([k.components for k in self.basis], [field.components], "the field, for K")

    def is_null_forcing(self, field: VectorField, proofs: ProofBudget | None = None) -> Verdict:
        """Decide i_Z omega = 0 on K (Definition 6.2)."""
        form = interior(field, self.form)
        parts = {f"on K_{i}": form(k) for i, k in enumerate(self.basis, 1)}
        return (proofs or ProofBudget(0.0)).all_vanish(parts, self.facts)

    def combine(self, weights: Sequence[Expr]) -> VectorField:
        """Return the field in K with these coefficients."""
        return combination(zip(weights, self.basis, strict=True))


# -- classes of vector fields ----------------------------------------------------------------------------------
def classes(manifold: SemiSymplectic, field: VectorField) -> list[Claim]:
    """Decide to which classes of Definition 5.4 a field belongs.

    >>> from dalembert.expr import symbol
    >>> from dalembert.geometry.fields import Chart
    >>> from dalembert.geometry.forms import Form
    >>> x, y, z = (symbol(n) for n in "xyz")
    >>> space = Chart.of(x, y, z)
    >>> contact = (VectorField.of(space, {x: 1, z: y}), VectorField.of(space, {y: 1}))
    >>> half = SemiSymplectic(space, Form.of(space, 2, {(0, 1): 1}), contact)
    >>> def answers(some):
    ...     return [claim.verdict.holds for claim in classes(half, some)]
    >>> answers(half.field_of(x * z)[0])
    [True, False, False]
    >>> answers(VectorField.of(space, {z: 1}))
    [False, True, False]
    >>> answers(VectorField.of(space, {y: y})), answers(VectorField.of(space, {y: y**2}))  # Y_f for f = -z
    ([True, False, False], [False, False, False])
    """
    hamiltonian = _locally_hamiltonian(manifold, field)
    symplectic = _semi_symplectic(manifold, field)
    both = all_hold({"locally semi-Hamiltonian": hamiltonian, "infinitesimally semi-symplectic": symplectic})
    return [
        Claim("locally semi-Hamiltonian", "X = Y_f for some f near generic points", "question", hamiltonian),
        Claim("infinitesimally semi-symplectic", "X preserves omega on K, K, and K-circ", "question", symplectic),
        Claim("Noether", "X is both", "question", both),
    ]


def _semi_symplectic(manifold: SemiSymplectic, field: VectorField) -> Verdict:
    basis = manifold.basis
    form = lie_derivative(field, manifold.form)
    parts = {f"L_X omega on K_{i}, K_{j}": form(a, b) for (i, a), (j, b) in combinations(enumerate(basis, 1), 2)}
    inside = Distribution.from_fields(basis)
    for i, k in enumerate(basis, 1):
        parts |= {f"[X, K_{i}] along {n}": e for n, e in enumerate(inside.leaving(bracket(field, k)), 1)}
    answers = {"omega and K": all_vanish(parts, manifold.facts)}
    if manifold.observables is not None:
        answers["K-circ"] = _keeps_observables(manifold, field)
    return all_hold(answers)


def _keeps_observables(manifold: SemiSymplectic, field: VectorField) -> Verdict:
    """Decide L_X alpha in K-circ, on K, for alpha in K-circ."""
    assert manifold.observables is not None
    forms = [one_form(manifold.chart, list(row)) for row in manifold.observables]
    rows, moved = (
        [[f(k) for k in manifold.basis] for f in some] for some in (forms, [lie_derivative(field, f) for f in forms])
    )
    return in_span(rows, moved, "what K-circ moves to")


def _locally_hamiltonian(manifold: SemiSymplectic, field: VectorField) -> Verdict:
    inside = manifold.contains(field)
    if inside.holds is not True:
        return inside
    form = interior(field, manifold.form)
    fields: list[VectorField] = list(manifold.basis)
    values: list[Expr] = [form(k) for k in fields]
    defects: dict[str, Expr] = {}
    done = 0
    while done < len(fields):  # a new field is bracketed with all before it
        for other in range(done):
            crossed = bracket(fields[other], fields[done])
            value = fields[other](values[done]) - fields[done](values[other])
            if generic_rank([x.components for x in (*fields, crossed)]).rank > len(fields):
                fields.append(crossed)
                values.append(value)
            else:
                weights = _weights(fields, crossed)
                known = dot(weights, values)
                defects[f"df on the bracket of the fields {other + 1} and {done + 1}"] = value - known
        done += 1
    return all_vanish(defects, manifold.facts)


def _weights(fields: Sequence[VectorField], field: VectorField) -> list[Expr]:
    """Return the coefficients of a field that is a combination of others."""
    columns = generic_rank([x.components for x in fields]).columns
    matrix = [[x.components[i] for x in fields] for i in columns]
    return solve(matrix, [field.components[i] for i in columns])
