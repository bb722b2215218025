"""Integrals of the reduced motion and integrability by quadratures (003, Theorem 7.1 and Remark 7.6).

A motion in dimension m with an invariant density and m - 2 independent integrals is integrable by quadratures: on the
common level sets, which are surfaces, the density is an integrating factor (Euler, Jacobi's last multiplier). With
coordinates z^i, z^j on a level set, integrals F_s, the other coordinates y and Delta = det(dF/dy), the form

    (rho / Delta) (X^i dz^j - X^j dz^i)

is closed there, and its potential is one more integral. Where an integral is found as k^s times a polynomial, that is
because X(k^s f) = k^s (X(f) + s h f).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice, permutations

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import diff, gradient, hessian, jacobian
from dalembert.expr.elementary import sqrt
from dalembert.expr.field import tidy
from dalembert.expr.graph import ONE, ZERO, Expr, Number, symbol, total
from dalembert.expr.linear import determinant
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Verdict, generic_rank, in_span, is_zero, negated, vanish
from dalembert.expr.walk import postorder, substitute
from dalembert.expr.work import Budget
from dalembert.geometry.constants import written_out
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.forms import one_form
from dalembert.geometry.integrals import independent
from dalembert.geometry.potentials import exponential, merged, potential
from dalembert.geometry.tangent_bundle import tangent_chart
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.mechanics.chaplygin.hamiltonisation import reduced_field
from dalembert.mechanics.second_order.field import SecondOrderField
from dalembert.mechanics.second_order.search.first_integrals import FirstIntegral, quick_ansatz
from dalembert.mechanics.second_order.search.linear_search import Ansatz, relations
from dalembert.records import dataclass

_QUICK = 120
_SECONDS = 0.3
_MOST_TRIES = 12
_PATIENCE = 1.0
"""After so much work no other pair of variables is tried."""
_LARGEST = 100
"""A form with more nodes than this is not integrated in closed form."""


# -- a search --------------------------------------------------------------------------------------------------
def find_integrals(base: AffineBase, rate: Expr, log_density: Expr | None) -> list[FirstIntegral]:
    """Return the energy, and what a quick search finds: polynomials in the velocities, also times a power of k.

    Those that the search finds are independent of each other; the energy may be a function of them.

    >>> x, y = symbol("x"), symbol("y")
    >>> base = AffineBase.of(Chart.of(x, y), [[1 + y**2, 0], [0, 1]], [[[0, y], [-y, 0]], [[0, 0], [0, 0]]])
    >>> from dalembert.expr import log
    >>> found = find_integrals(base, -y * y.dot / (1 + y**2), -log(1 + y**2) / 2)
    >>> [integral.expression for integral in found][1:]
    [y', x'*sqrt(y^2 + 1)]
    """
    field = _field(base)
    energy = tidy(base.energy, _SECONDS)
    verdict = is_zero(field.rates([energy])[0], base.facts)
    found: list[tuple[bool, FirstIntegral]] = []
    powers = [Fraction(0)]
    if log_density is not None and not vanish([log_density]) and base.dimension > 1:
        powers.append(Fraction(1, base.dimension - 1))
    for power in powers:
        functions = _candidates(base, field, power)
        rates = field.rates(functions)
        columns = [[r + power * rate * f] for f, r in zip(functions, rates, strict=True)]
        try:
            kept = relations(columns)
        except ExpressionError:  # too large, or with parts that have no normal form
            continue
        factor = exponential(power * log_density) if power and log_density is not None else ONE
        for weights, known in zip(kept.basis, kept.verdicts, strict=True):
            value = written_out(total([(1, w * f) for w, f in zip(weights, functions, strict=True) if w is not ZERO]))
            if value is not ZERO:
                curved = any(is_zero(e).holds is not True for row in hessian(value, base.velocities) for e in row)
                found.append((curved, FirstIntegral(merged(value, factor), known)))
    simple_first = [integral for _, integral in sorted(found, key=lambda pair: pair[0])]
    first = [FirstIntegral(energy, verdict, "energy")] if verdict.holds else []
    new = [i for i in simple_first if len(independent_integrals([*first, i], base)) > len(first)]
    return [*first, *independent_integrals(new, base)]


def _field(base: AffineBase) -> SecondOrderField:
    return SecondOrderField(base.chart.coordinates, (), (), (), tuple(map(written_out, base.accelerations())))


def _candidates(base: AffineBase, field: SecondOrderField, power: Number) -> list[Expr]:
    """Return functions that may be kept, or may be kept when multiplied by a power of the density."""
    if power:
        tries = [
            Ansatz(1, degree, harmonics=waves, homogeneous=True) for degree, waves in ((2, 2), (2, 1), (1, 1), (0, 0))
        ]
        ansatz = next((a for a in tries if a.size(field) <= _QUICK), None)
    else:
        ansatz = quick_ansatz(field, _QUICK)
    plain = [f for f in ansatz.functions(field) if f is not ONE] if ansatz else []
    return list(dict.fromkeys([*plain, *base.momenta]))


def independent_integrals(integrals: Sequence[FirstIntegral], base: AffineBase) -> list[FirstIntegral]:
    """Return those whose differential is no combination, at generic points, of the ones before."""
    places = independent([one.expression for one in integrals], tangent_chart(base.chart).coordinates)
    return [integrals[k] for k in places]


# -- the last multiplier ---------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class LastIntegral:
    """An integral by the last multiplier."""

    expression: Expr
    verdict: Verdict
    """That the motion keeps it."""
    used: tuple[Expr, ...]
    """The integrals whose level sets were used."""
    dropped: tuple[Expr, ...]
    """Coordinates on which neither motion nor density depend, left out at the start."""
    independent: Verdict
    """Whether it is independent of all integrals known before."""


def last_integral(base: AffineBase, density: Expr, integrals: Sequence[Expr]) -> LastIntegral | None:
    """Return one more integral by the last multiplier, or None where it was not integrated in closed form.

    ``density`` is with respect to dq dq'. The integrals have to be solved for some of the variables, each by a linear
    or a purely quadratic equation; roots are taken positive.
    """
    field = reduced_field(base)
    components = dict(zip(field.chart.coordinates, map(written_out, field.components), strict=True))
    dropped = tuple(q for q in base.chart.coordinates if _cyclic(q, [*components.values(), density]))
    kept = [z for z in field.chart.coordinates if z not in dropped]
    usable = [f for f in integrals if not any(_depends(f, q) for q in dropped)]
    if len(kept) < 2 or len(usable) < len(kept) - 2:
        return None
    budget = Budget(_PATIENCE)
    for chosen, pair, solved in islice(_levels(kept, usable), _MOST_TRIES):
        if budget.is_spent:
            return None
        found = _integrated(components, density, chosen, pair, solved)
        if found is not None:
            kept_by_motion = is_zero(field(found), base.facts)
            moves = generic_rank([gradient(found, list(field.chart.coordinates))]).rank
            if kept_by_motion.holds and moves:
                return LastIntegral(found, kept_by_motion, tuple(chosen), dropped, _news(found, integrals, field))
    return None


def _depends(expression: Expr, variable: Expr) -> bool:
    return variable in postorder([expression]) and is_zero(diff(expression, variable)).holds is not True


def _cyclic(coordinate: Expr, expressions: Sequence[Expr]) -> bool:
    return not any(_depends(e, coordinate) for e in expressions)


Level = tuple[Sequence[Expr], tuple[Expr, Expr], Mapping[Expr, Expr]]


def _levels(variables: Sequence[Expr], integrals: Sequence[Expr]) -> Iterator[Level]:
    """Yield integrals, two variables on their level sets, and the others by these and the constants of integration."""
    for chosen in combinations(integrals, len(variables) - 2):
        constants = _constants(chosen)
        for pair in combinations(variables, 2):
            for others in permutations([z for z in variables if z not in pair]):
                solved = _solved(chosen, constants, others)
                if solved is not None:
                    yield chosen, pair, solved
                    break


def _constants(integrals: Sequence[Expr]) -> list[Expr]:
    return [symbol(Symbol(f"level {k + 1}", role="parameter", domain="positive")) for k in range(len(integrals))]


def _solved(integrals: Sequence[Expr], constants: Sequence[Expr], others: Sequence[Expr]) -> dict[Expr, Expr] | None:
    """Return variables from F_s = c_s, one after the other; None where an equation is neither linear nor a square."""
    found: dict[Expr, Expr] = {}
    for integral, constant, y in zip(integrals, constants, others, strict=True):
        (value,) = substitute([integral], found)
        slope = diff(value, y)
        curve = diff(slope, y)
        if is_zero(slope).holds is not False or is_zero(diff(curve, y)).holds is not True:
            return None
        try:
            rest, linear, square = substitute([value, slope, curve], {y: ZERO})
        except ExpressionError:  # a pole at zero: then it is no polynomial
            return None
        if is_zero(curve).holds is True:
            image = (constant - rest) / linear
        elif is_zero(linear).holds is True:
            image = sqrt(2 * (constant - rest) / square)
        else:
            return None
        image = written_out(image)
        found = {z: written_out(e) for z, e in zip(found, substitute(list(found.values()), {y: image}), strict=True)}
        found[y] = image
    return found


def _integrated(
    components: Mapping[Expr, Expr],
    density: Expr,
    integrals: Sequence[Expr],
    pair: tuple[Expr, Expr],
    solved: Mapping[Expr, Expr],
) -> Expr | None:
    """Return the potential of the closed form on the level sets, the constants of integration put back."""
    i, j = pair
    try:
        delta = determinant(jacobian(list(integrals), list(solved))) if integrals else ONE
        if is_zero(delta).holds is not False:
            return None
        entries = [-components[j] * density / delta, components[i] * density / delta]
        entries = [written_out(e) for e in substitute(entries, dict(solved))]
        found = potential(one_form(Chart(pair), entries)) if len(postorder(entries)) <= _LARGEST else None
        return (
            None if found is None else substitute([found], dict(zip(_constants(integrals), integrals, strict=True)))[0]
        )
    except ExpressionError:  # a pole on the level sets, or something too large
        return None


def _news(found: Expr, integrals: Sequence[Expr], field: VectorField) -> Verdict:
    """Decide whether an integral is independent of others."""
    variables = list(field.chart.coordinates)
    dependent = in_span([gradient(f, variables) for f in integrals], [gradient(found, variables)], "its differential")
    said = (
        "it is a function of those known before" if dependent.holds else "its differential adds to those known before"
    )
    return negated(dependent, f"{said}; {dependent.evidence}")
