"""The 1-form beta that decides on invariant measures: closed or not, its periods, its potential (003, section 7).

On the base, beta_e = B^c_ec + B^c_ce, and h = beta_e q'^e is minus the divergence of the reduced motion with respect to
omega^n (20). A density k that depends on the base only is invariant where d(ln k) = beta. A closed form has such a
potential on the cover of the base; on the base itself only where its periods are zero: the integrals around each angle
coordinate, and around the holes of the domain, which a chart cannot know and the user declares as loops.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.calculus import diff
from dalembert.expr.graph import ONE, PI, ZERO, Constant, Expr, Number, number, symbol, total
from dalembert.expr.readers import Floats
from dalembert.expr.readers.balls import integral_ball
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import Fact, Verdict, all_hold, is_zero, never_zero, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import evaluate, postorder, substitute, symbols
from dalembert.geometry.constants import written_out
from dalembert.geometry.fields import Chart
from dalembert.geometry.forms import Form, d, one_form
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.potentials import potential, with_positive_logarithms
from dalembert.mechanics.chaplygin.connections.base import AffineBase
from dalembert.records import dataclass

_POINTS = 256
_LOOKS = 8
"""For so many values of what is held the loop is looked at."""
_MULTIVALUED = frozenset({"atan", "asin", "acos"})


@dataclass(frozen=True, slots=True)
class Loop:
    """A closed curve on the base: some coordinates as functions of a parameter, the others held at any values."""

    name: str
    parameter: Expr
    curve: Mapping[Expr, Expr]
    start: Expr = ZERO
    end: Expr = 2 * PI

    def __post_init__(self) -> None:
        """Refuse a curve that does not close."""
        for q, value in self.curve.items():
            begin, end = (substitute([value], {self.parameter: s})[0] for s in (self.start, self.end))
            turns = (end - begin) / (2 * PI) if q.data.domain == "angle" else end - begin
            whole = turns.value is not None and Fraction(turns.value).denominator == 1
            if not (whole and (q.data.domain == "angle" or turns is ZERO)) and is_zero(end - begin).holds is not True:
                raise ExpressionError(f"the loop '{self.name}' does not close: {q!r} ends at another value.")


@dataclass(frozen=True, slots=True)
class Period:
    """The integral of a 1-form around a loop."""

    loop: Loop
    value: Expr | None
    """In closed form, where it was found."""
    zero: Verdict
    """Whether it is zero."""


@dataclass(frozen=True, slots=True)
class MeasureForm:
    """beta, and what is decided about it."""

    form: Form
    rate: Expr
    """h = beta_e q'^e."""
    closed: Verdict
    potential: Expr | None
    """ln k on the cover, in closed form where it was found."""
    periods: tuple[Period, ...]
    exact: Verdict
    whole: Verdict
    """Whether beta is shown to be defined on the whole chart, so that there are no holes to go around."""

    @property
    def local(self) -> bool:
        """Whether a potential exists on the cover but not, as far as shown, on the base."""
        return self.closed.holds is True and self.exact.holds is not True


def form_of(base: AffineBase) -> Form:
    """Return beta, its components in normal form where they are small."""
    size = range(base.dimension)
    cube = base.contorsion_hamel
    entries = [total([(1, cube[c][e][c] + cube[c][c][e]) for c in size]) for e in size]
    return one_form(base.chart, [written_out(entry) for entry in entries])


def measure_form(
    base: AffineBase, loops: Sequence[Loop] = (), values: Mapping[Expr, Constant] | None = None
) -> MeasureForm:
    """Return beta with its verdicts; ``loops`` go around the holes of the domain, ``values`` are for quadratures.

    >>> x, y = symbol("x"), symbol("y")
    >>> base = AffineBase.of(Chart.of(x, y), [[1 + y**2, 0], [0, 1]], [[[0, y], [-y, 0]], [[0, 0], [0, 0]]])
    >>> found = measure_form(base)
    >>> found.potential, found.exact.holds
    (-log(y^2 + 1)/2, True)
    """
    form = form_of(base)
    curl = d(form)
    closed = all_vanish({f"d beta on {_pair(base.chart, i)}": value for i, value in curl.terms.items()}, base.facts)
    rate = total([(1, form.component(e) * v) for e, v in enumerate(base.velocities)])
    whole = _defined(form)
    if closed.holds is not True:
        exact = Verdict(closed.kind, f"it is not closed: {closed.evidence}", witness=closed.witness)
        if closed.holds is None:
            exact = Verdict("undecided", f"it is not known to be closed: {closed.evidence}")
        return MeasureForm(form, rate, closed, None, (), exact, whole)
    found = _potential(form)
    periods = tuple(
        period_of(form, loop, found, values or {}, base.facts) for loop in (*coordinate_loops(base.chart), *loops)
    )
    return MeasureForm(form, rate, closed, found, periods, _exactness(found, periods, whole, closed), whole)


def _potential(form: Form) -> Expr | None:
    try:
        found = potential(form)
    except ExpressionError:  # with parts that have no normal form
        return None
    short = None if found is None else with_positive_logarithms(found)
    return short if short is not None and (d(short, form.chart) - form).is_zero().holds else found


def _pair(chart: Chart, indices: Sequence[int]) -> str:
    return ", ".join(repr(chart.coordinates[i]) for i in indices)


def _defined(form: Form) -> Verdict:
    """Decide whether beta is smooth on the whole chart: no pole, no root or logarithm of what may vanish."""
    return all_hold({f"{n!r} is never zero": never_zero(n) for n in _delicate(list(form.terms.values()))})


def _delicate(expressions: Sequence[Expr]) -> list[Expr]:
    """Return what must not vanish for expressions to be smooth."""
    bases: list[Expr] = []
    for node in postorder(expressions):
        if node.op == "product":
            pairs = zip(node.args, node.data, strict=True)
            bases += [n for n, e in pairs if n.op != "number" and (e < 0 or e.denominator != 1)]
        elif node.op == "power" or (node.op == "call" and node.data == "log"):
            bases.append(node.args[0])
        elif node.op == "call" and node.data in {"asin", "acos"}:
            bases.append(1 - node.args[0] ** 2)
        elif node.op == "factor":
            size = node.data
            bases.append(expanded_determinant([node.args[i : i + size] for i in range(0, size * size, size)]))
    return list(dict.fromkeys(bases))


def expanded_determinant(rows: Sequence[tuple[Expr, ...]]) -> Expr:
    """Return a determinant by its first row, without division."""
    if not rows:
        return ONE
    minors = [[row[:j] + row[j + 1 :] for row in rows[1:]] for j in range(len(rows))]
    return total([((-1) ** j, rows[0][j] * expanded_determinant(minor)) for j, minor in enumerate(minors)])


def _exactness(found: Expr | None, periods: Sequence[Period], whole: Verdict, closed: Verdict) -> Verdict:
    """Put closedness, periods and holes together."""
    verdicts = {f"the period around {period.loop.name}": period.zero for period in periods}
    together = all_hold({"closed": closed, **verdicts})
    if together.holds is not True:
        return together
    single = found is not None and not _multivalued(found)
    if single or whole.holds is True:
        how = "beta is the differential of a function in closed form" if single else "closed, without periods"
        return Verdict(together.kind, f"{how}; {together.evidence}", together.error_bits)
    return Verdict(
        "undecided",
        f"closed, and no period is left, but the domain may have holes: {whole.evidence} Declare a loop around each.",
    )


def _multivalued(expression: Expr) -> bool:
    return any(node.op == "call" and node.data in _MULTIVALUED for node in postorder([expression]))


# -- periods ---------------------------------------------------------------------------------------------------
def coordinate_loops(chart: Chart) -> list[Loop]:
    """Return the circle of each angle coordinate, the others held."""
    return [Loop(q.data.name, q, {q: q}) for q in chart.coordinates if q.data.domain == "angle"]


def period_of(
    form: Form,
    loop: Loop,
    found: Expr | None = None,
    values: Mapping[Expr, Constant] | None = None,
    facts: Sequence[Fact] = (),
) -> Period:
    """Return the period of a closed 1-form around a loop: in closed form where possible, else by quadrature.

    >>> phi = symbol("phi", domain="angle")
    >>> circle = Chart.of(phi)
    >>> period_of(one_form(circle, [3]), coordinate_loops(circle)[0]).value
    6*pi
    """
    s = loop.parameter
    curve = dict(loop.curve)
    slopes = [diff(curve[q], s) if q in curve else ZERO for q in form.chart.coordinates]
    entries = substitute([form.component(e) for e in range(form.chart.dimension)], curve)
    integrand = dot(entries, slopes)
    value = _exact_integral(integrand, loop, found, curve)
    zero = is_zero(value, facts) if value is not None else _by_quadrature(integrand, loop, values or {})
    return Period(loop, value, _on_domain(zero, entries, loop))


def _on_domain(zero: Verdict, entries: Sequence[Expr], loop: Loop) -> Verdict:
    """Return the verdict on a vanishing period, seen that the loop has to lie in the domain.

    Where a denominator vanishes on the loop for all values of what is held, there is no such loop to go around.
    """
    for base in _delicate(entries):
        if loop.parameter not in postorder([base]):
            continue
        held = sorted(symbols([base]) - {loop.parameter.data}, key=lambda s: s.label)
        draws = [{symbol(s): number(_some(s, place + k)) for place, s in enumerate(held)} for k in range(_LOOKS)]
        seen = [never_zero(substitute([base], draw)[0]).holds for draw in (draws if held else draws[:1])]
        if not held and seen == [False] and _covers(loop, base):
            return Verdict("proved", f"no circle of {loop.name} lies in the domain, as {base!r} vanishes on each.")
        if True not in seen and zero.holds is not True:
            what = f"{base!r} may vanish on every circle of {loop.name}"
            return Verdict("undecided", f"{what}; whether one lies in the domain is not known.")
    return zero


def _covers(loop: Loop, base: Expr) -> bool:
    """Say whether a loop meets every value that something has: its parameter goes once round, and that comes round."""
    whole = vanish([loop.end - loop.start - 2 * PI])
    return whole and vanish([substitute([base], {loop.parameter: loop.parameter + 2 * PI})[0] - base])


def _exact_integral(integrand: Expr, loop: Loop, found: Expr | None, curve: Mapping[Expr, Expr]) -> Expr | None:
    """Return an integral around a loop: by symmetry, of a constant, or by a potential that is single-valued."""
    s, length = loop.parameter, loop.end - loop.start
    if is_zero(integrand).holds:
        return ZERO
    if is_zero(diff(integrand, s)).holds:
        return length * substitute([integrand], {s: loop.start})[0]
    mirrored = substitute([integrand], {s: loop.start + loop.end - s})[0]
    shifted = substitute([integrand], {s: s + length / 2})[0]
    if is_zero(mirrored + integrand).holds or is_zero(shifted + integrand).holds:
        return ZERO  # one half of the way undoes the other
    if found is not None and not _multivalued(found):
        begin, end = (substitute(substitute([found], dict(curve)), {s: at})[0] for at in (loop.start, loop.end))
        return end - begin
    return None


def _by_quadrature(integrand: Expr, loop: Loop, values: Mapping[Expr, Constant]) -> Verdict:
    """Return the verdict on a vanishing period: refuted by balls that contain the integral, or measured."""
    import numpy as np

    (integrand,) = substitute([integrand], {p: value for p, value in values.items() if isinstance(value, Expr)})
    names = {symbol(n.data) for n in postorder([integrand]) if n.op == "symbol"} - {loop.parameter}
    rational = {p: value for p, value in values.items() if not isinstance(value, Expr)}
    given = {n: rational.get(n, _some(n.data, k)) for k, n in enumerate(sorted(names, key=lambda n: n.stamp))}
    at = ", ".join(f"{n.data.label} = {v}" for n, v in given.items())
    where = f" at {at}" if at else ""
    try:
        begin, end = (float(v) for v in evaluate([loop.start, loop.end], Floats(given)))
        found = [
            float(np.mean(evaluate([integrand], Floats({**given, loop.parameter: _grid(begin, end, n)}))[0]))
            * (end - begin)
            for n in (_POINTS, 2 * _POINTS)
        ]
    except DalembertError as fault:
        return Verdict("undecided", f"the period is not known in closed form, and a quadrature fails: {fault}")
    error = abs(found[1] - found[0])
    if abs(found[1]) <= 1e-9 + 10 * error:
        return Verdict("measured", f"by quadrature the period is {found[1]:.3g} with an error of {error:.1g}{where}.")
    enclosed = integral_ball(integrand, loop.parameter, (loop.start, loop.end), given)
    if enclosed is not None and not enclosed.contains(0):
        low, high = float(enclosed.lower()), float(enclosed.upper())
        return Verdict("refuted", f"the period lies between {low:.6g} and {high:.6g}{where}.")
    return Verdict(
        "undecided", f"by quadrature the period is {found[1]:.4g}, error {error:.1g}{where}; that is no proof."
    )


def _grid(begin: float, end: float, count: int) -> object:
    import numpy as np

    return begin + (end - begin) * np.arange(count) / count


def _some(name: Symbol, place: int) -> Number:
    """Return a value for a symbol that has none."""
    return Fraction(-1 if name.domain == "negative" else 1) * (1 + Fraction(5 * place % 11 - 5, 6))
