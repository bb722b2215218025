"""Hamiltonisation: Stanchenko's condition, conformal symplecticity, and the Hamiltonian in new time (003, section 7).

With theta = p_a dq^a, omega = omega_L* - Xi and a function F on the base, N = exp F, the conditions are

    dF ^ theta = Xi (18),    dF ^ omega = -d omega (19).

By the coefficients of q'^e, (18) says F_a g~_be - F_b g~_ae = K~_eab. Contracted with g~^be that leaves no choice:
dF = beta/(n - 1). So both conditions are decided by putting that in; and F exists where beta is exact. Then N omega is
symplectic, canonical in (q, P) with P_a = N p_a, and in the new time d tau = N dt the motion is Hamiltonian with
H = g~^ab P_a P_b / (2 N^2) + V.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product

from dalembert.errors import Fault
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.graph import ONE, ZERO, Expr, symbol, total
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Fact, Verdict, all_hold
from dalembert.expr.truth.many import ProofBudget, all_vanish, components_of
from dalembert.expr.walk import substitute, symbols
from dalembert.geometry.fields import VectorField
from dalembert.geometry.forms import Form, d, one_form, wedge
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.potentials import exponential, merged
from dalembert.geometry.straighten import fresh
from dalembert.geometry.tangent_bundle import cartan_one_form, second_order_field, tangent_chart
from dalembert.mechanics.asked import refusal
from dalembert.mechanics.chaplygin.connections.base import AffineBase, Matrix
from dalembert.mechanics.chaplygin.measure.divergence_form import MeasureForm
from dalembert.mechanics.chaplygin.rows import check, vanishing
from dalembert.model.equations import Equations
from dalembert.records import dataclass, replace


# -- forms on the tangent bundle of the base -------------------------------------------------------------------
def two_form(base: AffineBase) -> Form:
    """Return Xi on T(Q/G) (14)."""
    table = base.gyroscopic_two_form
    pairs = combinations(range(base.dimension), 2)
    return Form.of(tangent_chart(base.chart), 2, {(a, b): table[a][b] for a, b in pairs})


def almost_symplectic_form(base: AffineBase) -> Form:
    """Return omega = -d theta - Xi (17)."""
    return -d(cartan_one_form(base.chart, base.kinetic_energy)) - two_form(base)


def reduced_field(base: AffineBase) -> VectorField:
    """Return the reduced motion as a field on T(Q/G)."""
    return second_order_field(base.chart, base.gyroscopic_accelerations())


# -- the conditions --------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class ConformalFactor:
    """The function F of (18) and (19), or why there is none."""

    form: Form
    """The only candidate for dF, on the base: beta/(n - 1)."""
    stanchenko: Verdict
    """Whether (18) has a solution on the base."""
    conformal: Verdict
    """Whether (19) has one."""
    local: Verdict
    """Whether (18) has a solution on the cover of the base."""
    function: Expr | None
    """F, on the cover unless ``stanchenko`` holds; None where there is none or it was not found in closed form."""


def conformal_factor(base: AffineBase, beta: MeasureForm) -> ConformalFactor:
    """Return F with dF ^ theta = Xi, or a proof that there is none.

    >>> from dalembert.geometry.fields import Chart
    >>> from dalembert.mechanics.chaplygin.measure.divergence_form import measure_form
    >>> x, y = symbol("x"), symbol("y")
    >>> base = AffineBase.of(Chart.of(x, y), [[1 + y**2, 0], [0, 1]], [[[0, y], [-y, 0]], [[0, 0], [0, 0]]])
    >>> found = conformal_factor(base, measure_form(base))
    >>> found.function, found.stanchenko.holds, found.conformal.holds
    (-log(y^2 + 1)/2, True, True)
    """
    size = base.dimension
    share = Fraction(1, max(size - 1, 1))  # on a line Xi = 0 = beta, and constants will do
    form = share * beta.form
    pointwise = _stanchenko(base, form)
    weak = _conformally_symplectic(base, form)
    names = ("(18) at each point", "beta is closed")
    local = all_hold(dict(zip(names, (pointwise, beta.closed), strict=True)))
    strong = all_hold({"(18) at each point": pointwise, "beta is exact": beta.exact})
    conformal = all_hold({"(19) at each point": weak, "beta is exact": beta.exact})
    found = None if local.holds is not True or beta.potential is None else share * beta.potential
    return ConformalFactor(form, strong, conformal, local, found)


def _stanchenko(base: AffineBase, form: Form) -> Verdict:
    """Decide F_a g~_be - F_b g~_ae = K~_eab for the candidate dF."""
    size, q = range(base.dimension), base.chart.coordinates
    slope, g = [form.component(a) for a in size], base.metric
    defects = {
        f"dF ^ theta = Xi on {q[a]!r}, {q[b]!r}, with the velocity of {q[e]!r}": slope[a] * g[b][e]
        - slope[b] * g[a][e]
        - base.tensor[e][a][b]
        for e, (a, b) in product(size, combinations(size, 2))
    }
    return all_vanish(defects, base.facts)


def _conformally_symplectic(base: AffineBase, form: Form) -> Verdict:
    """Decide dF ^ omega = -d omega on the tangent bundle for the candidate dF."""
    omega = almost_symplectic_form(base)
    up = one_form(omega.chart, [*(form.component(a) for a in range(base.dimension)), *[ZERO] * base.dimension])
    rest = wedge(up, omega) + d(omega)
    names = [repr(q) for q in omega.chart.coordinates]
    return all_vanish({" ^ ".join(f"d{names[i]}" for i in at): value for at, value in rest.terms.items()}, base.facts)


# -- the Hamiltonian side --------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Hamiltonisation:
    """The reduced motion as a Hamiltonian one in the time tau with d tau = N dt."""

    motion: AffineBase
    """The reduced motion."""
    base: AffineBase
    """The same with the tensor K~ that the form omega is made of: none where alpha = 0 and omega_L* will do."""
    function: Expr
    """F, a function of the base coordinates."""
    momenta: tuple[Expr, ...]
    """The names P_a of the new momenta."""
    on_cover: bool = False
    """Whether N lives on the cover of the base only."""

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What the user assumes."""
        return self.base.facts

    @cached_property
    def factor(self) -> Expr:
        """N = exp F."""
        return exponential(self.function)

    @cached_property
    def momentum_values(self) -> tuple[Expr, ...]:
        """P_a = N g~_ab q'^b."""
        return tuple(merged(self.factor, p) for p in self.base.momenta)

    @cached_property
    def hamiltonian(self) -> Expr:
        """H(q, P) = g~^ab P_a P_b / (2 N^2) + V~."""
        raised = self.base.raised(self.momenta)
        square = dot(self.momenta, raised)
        return square * exponential(-2 * self.function) / 2 + self.base.potential

    @cached_property
    def bracket(self) -> Matrix:
        """The Poisson tensor of N omega in the variables (q, q'): {q^a, q'^b} = g~^ab / N, and {q'^a, q'^b}.

        {f, g} = df(Y_g) with i_{Y_g} (N omega) = dg, so that f changes with tau as {f, E}.
        """
        base, size = self.base, range(self.base.dimension)
        inverse = base.inverse
        slopes = [gradient(p, list(base.chart.coordinates)) for p in base.momenta]
        xi = base.gyroscopic_two_form
        omega = [[slopes[a][b] - slopes[b][a] - xi[a][b] for b in size] for a in size]
        half = [[total([(1, omega[a][b] * inverse[a][e]) for a in size]) for e in size] for b in size]
        lower = [[total([(1, inverse[c][b] * half[b][e]) for b in size]) / self.factor for e in size] for c in size]
        mixed = [[inverse[a][b] / self.factor for b in size] for a in size]
        top = [[*[ZERO] * len(size), *mixed[a]] for a in size]
        down = [[*(-mixed[b][a] for b in size), *lower[a]] for a in size]
        return tuple(tuple(row) for row in (*top, *down))

    def equations(self) -> Equations:
        """Return Hamilton's equations in tau; the time of the clock is lifted."""
        base = self.base
        q = base.chart.coordinates
        speeds = gradient(self.hamiltonian, list(self.momenta))
        pulls = [-slope for slope in gradient(self.hamiltonian, list(q))]
        return Equations(
            system="reduced motion",
            formalism="hamiltonisation",
            kinematics=dict(zip((*q, *self.momenta), (*speeds, *pulls), strict=True)),
            reconstruction={_fresh("clock", base): ONE / self.factor},
            monitors={"hamiltonian": self.hamiltonian},
        )


def hamiltonise(base: AffineBase, factor: ConformalFactor) -> Hamiltonisation:
    """Return the motion in Hamiltonian form, or raise ``HypothesisError`` where none was found in closed form.

    Where alpha = 0 the motion is Hamiltonian as it is, also where Xi is not zero and (18) has no solution.
    """
    names = tuple(_fresh(f"P_{q.data.name}", base) for q in base.chart.coordinates)
    if factor.function is not None:
        return Hamiltonisation(base, base, factor.function, names, factor.stanchenko.holds is not True)
    if all_vanish(components_of(base.gyroscopic_form, base.chart.coordinates), base.facts).holds:
        size = range(base.dimension)
        nothing = tuple(tuple(tuple(ZERO for _ in size) for _ in size) for _ in size)
        return Hamiltonisation(base, replace(base, tensor=nothing), ZERO, names)
    why = factor.local.evidence if factor.local.holds is not True else "beta was not integrated in closed form."
    fault = Fault("dF ^ theta = Xi", f"no function F that solves it is known: {why}", "the motion keeps its own time")
    raise refusal("hamiltonisation", [fault])


def _fresh(name: str, base: AffineBase) -> Expr:
    """Return a variable whose name nothing on the base uses."""
    entries: Sequence[Expr] = [*base.chart.coordinates, base.potential, *(e for row in base.metric for e in row)]
    return symbol(Symbol(fresh(name, {s.name for s in symbols(entries)})))


# -- theorems --------------------------------------------------------------------------------------------------
def _components(form: Form) -> dict[str, Expr]:
    return {str(at): value for at, value in form.terms.items()}


def _derivative(one: Hamiltonisation) -> dict[str, Expr]:
    return _components(d(one.factor * almost_symplectic_form(one.base)))


def _not_canonical(one: Hamiltonisation) -> dict[str, Expr]:
    omega = one.factor * almost_symplectic_form(one.base)
    theta = one_form(omega.chart, [*one.momentum_values, *[ZERO] * one.base.dimension])
    return _components(omega + d(theta))


def _jacobi(one: Hamiltonisation, proofs: ProofBudget) -> Verdict:
    """Decide P^il d_l P^jk + cyclic = 0 on every three variables."""
    chart = tangent_chart(one.base.chart)
    table, size = one.bracket, range(chart.dimension)
    fields = [VectorField(chart, row) for row in table]  # row i: the field {z^i, .}
    defects = {
        ", ".join(repr(chart.coordinates[n]) for n in (i, j, k)): total(
            [(1, fields[i](table[j][k])), (1, fields[j](table[k][i])), (1, fields[k](table[i][j]))]
        )
        for i, j, k in combinations(size, 3)
    }
    return proofs.all_vanish(defects, one.facts)


def _other_rates(one: Hamiltonisation) -> dict[str, Expr]:
    chart = tangent_chart(one.base.chart)
    slopes = gradient(one.base.energy, list(chart.coordinates))
    motion = reduced_field(one.motion).components
    return {
        f"the rate of {q!r}": dot(row, slopes) - x / one.factor
        for q, row, x in zip(chart.coordinates, one.bracket, motion, strict=True)
    }


def _not_hamilton(one: Hamiltonisation) -> dict[str, Expr]:
    base, values = one.base, one.momentum_values
    here = substitute(list(one.equations().kinematics.values()), dict(zip(one.momenta, values, strict=True)))
    field = reduced_field(one.motion)
    there = tangent(
        [*base.chart.coordinates, *values], dict(zip(field.chart.coordinates, field.components, strict=True))
    )
    names = [*base.chart.coordinates, *one.momenta]
    return {f"the rate of {n!r}": h - t / one.factor for n, h, t in zip(names, here, there, strict=True)}


IN_NEW_TIME = vanishing(
    "Hamiltonian in the new time",
    "section 7",
    "with d tau = N dt, Hamilton's equations of H(q, P) are the reduced motion",
    _not_hamilton,
)
"""That a ``Hamiltonisation`` moves as the system does."""

LAWS = (
    vanishing("N omega is closed", "(19)", "d(N omega) = 0", _derivative),
    vanishing("new momenta", "section 7", "N omega = dq^a ^ dP_a with P_a = N p_a", _not_canonical),
    check("Jacobi identity", "section 7", "the bracket of N omega is a Poisson bracket", _jacobi),
    vanishing(
        "motion by the bracket",
        "section 7",
        "in the new time, d tau = N dt, each function has the rate {f, E}",
        _other_rates,
    ),
)
"""Identities of every ``Hamiltonisation``."""
