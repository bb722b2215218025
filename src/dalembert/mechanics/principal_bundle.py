"""Coordinates in which a free action moves only some: base coordinates r^a on Q/G, fibre coordinates s^i along orbits.

They are found in one of three ways, in this order: as the user states them in ``[bundle]``; at a glance, where as many
coordinates as there should be are moved by no generator; or by *straightening the orbits*,

    q = Phi^1_{s1} o ... o Phi^k_{sk} (r, c),

with the flows Phi^i of the generators in closed form (translations, rotations, linear and affine maps, ...) and k
coordinates held at constants c. A bundle comes with a section s = const, where invariant functions are read off as
functions on the base, and where the fields that commute with the generators agree with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, islice, product

from dalembert.errors import ExpressionError, Fault
from dalembert.expr.calculus import jacobian, time_derivative
from dalembert.expr.elementary import solve
from dalembert.expr.field.normal import SimplificationBudget
from dalembert.expr.graph import PI, ZERO, Expr, as_expr, symbol, total
from dalembert.expr.linear import constant_null_space, inverse
from dalembert.expr.symbols import Symbol
from dalembert.expr.truth import depends_on, generic_rank, is_zero, vanish
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import substitute
from dalembert.geometry.fields import Chart, VectorField
from dalembert.geometry.flows import flow
from dalembert.geometry.groups.matrices import dot
from dalembert.geometry.straighten import fresh_names
from dalembert.model.parts import Bundle
from dalembert.records import dataclass, field, replace

_MOST_SECTIONS = 60
_MOST_TRANSVERSALS = 6
_SHORTENING = 0.5


@dataclass(frozen=True, slots=True)
class PrincipalBundle:
    """A chart of base and fibre coordinates, with the generators in it."""

    chart: Chart
    base: tuple[Expr, ...]
    fibre: tuple[Expr, ...]
    generators: tuple[VectorField, ...]
    configuration: Mapping[Expr, Expr] = field(default_factory=dict)
    """Stated coordinates by those of the chart; those left out are in the chart themselves."""
    projection: Mapping[Expr, Expr] = field(default_factory=dict)
    """Coordinates of the chart by stated ones, where they are known and not stated ones themselves."""
    section: Mapping[Expr, Expr] = field(default_factory=dict)
    """The values of the fibre coordinates at which invariant functions are read off."""
    origin: str = "evident"
    """``evident``, ``stated`` or ``straightened``."""

    @property
    def places(self) -> tuple[int, ...]:
        """The positions of the base coordinates in the chart."""
        return tuple(self.chart.place(r) for r in self.base)

    def carry(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return expressions in stated coordinates and velocities as such in those of the chart."""
        put = dict(self.configuration)
        put |= {q.dot: time_derivative(value) for q, value in self.configuration.items()}
        return substitute(expressions, put) if put else list(expressions)

    def on_base(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return invariant functions as functions on the base: their values on the section."""
        return substitute(expressions, self.section)


# -- three ways to find one ----------------------------------------------------------------------------------
def evident_bundle(chart: Chart, generators: Sequence[VectorField]) -> PrincipalBundle | None:
    """Return the bundle whose base coordinates no generator moves, if they are as many as they should be.

    >>> x, z = symbol("x"), symbol("z")
    >>> chart = Chart.of(x, z)
    >>> evident_bundle(chart, [VectorField.of(chart, {z: 1})]).base
    (x,)
    """
    q = chart.coordinates
    still = [i for i in range(len(q)) if vanish([e.components[i] for e in generators])]
    if len(still) != len(q) - len(generators):
        return None
    fibre = tuple(x for i, x in enumerate(q) if i not in still)
    return PrincipalBundle(chart, tuple(q[i] for i in still), fibre, tuple(generators))


def linear_bundle(chart: Chart, generators: Sequence[VectorField], taken: Iterable[str] = ()) -> PrincipalBundle | None:
    """Return the bundle whose base coordinates are sums of stated ones that no generator moves, if there are enough.

    Of a vehicle with several absolute angles these are the relative ones; the fibre is made of stated coordinates.

    >>> x, a, b = symbol("x"), symbol("a", domain="angle"), symbol("b", domain="angle")
    >>> chart = Chart.of(x, a, b)
    >>> found = linear_bundle(chart, [VectorField.of(chart, {x: 1}), VectorField.of(chart, {a: 1, b: 1})])
    >>> found.base, found.fibre, found.configuration
    ((b_base,), (x, a), {b: a + b_base})
    """
    q = chart.coordinates
    found = constant_null_space([[e.components[i] for e in generators] for i in range(len(q))]).basis
    if len(found) != len(q) - len(generators):
        return None
    rows = [list(map(Fraction, row)) for row in found]
    leads: list[int] = []
    for k, row in enumerate(rows):  # the last coordinates are led by, so that the first ones stay as they are
        lead = max(i for i, c in enumerate(row) if c)
        rows[k] = row = [c / row[lead] for c in row]
        for n, other in enumerate(rows):
            if n != k and other[lead]:
                rows[n] = [c - other[lead] * d for c, d in zip(other, row, strict=True)]
        leads.append(lead)
    by_lead = dict(sorted(zip(leads, rows, strict=True)))
    free = fresh_names([f"{x.data.name}_base" for x in q], {*taken, *(x.data.name for x in q)})
    fibre = tuple(x for i, x in enumerate(q) if i not in by_lead)
    base, configuration, projection = [], {}, {}
    for i, row in by_lead.items():
        rest = total([(c, x) for x, c in zip(q, row, strict=True) if c and x is not q[i]])
        if rest is ZERO:
            base.append(q[i])
            continue
        whole = all(c == int(c) for c in row) and all(
            x.data.domain == "angle" for x, c in zip(q, row, strict=True) if c
        )
        base.append(symbol(Symbol(free[i], domain="angle" if whole else "real")))
        configuration[q[i]], projection[base[-1]] = base[-1] - rest, q[i] + rest
    new = Chart((*base, *fibre)) if configuration else chart
    moved = _moved(new, configuration, chart, generators)
    return PrincipalBundle(new, tuple(base), fibre, moved, configuration, projection)


def stated_bundle(
    chart: Chart, generators: Sequence[VectorField], names: Sequence[str], bundle: Bundle
) -> PrincipalBundle | list[Fault]:
    """Return the bundle with the coordinates of ``[bundle]``, or what is wrong with them."""
    q, size = chart.coordinates, chart.dimension - len(generators)
    if len(bundle.base) != size:
        what = f"it names {len(bundle.base)} coordinates, but Q/G has dimension {chart.dimension} - {len(generators)}"
        return [Fault("[bundle] base", what, f"name {size} functions that no generator moves")]
    meaning = {r: bundle.adapted.get(r, r) for r in bundle.base}
    faults = [
        Fault("[bundle] base", f"'{r.data.label}' is moved by the generator {name}", "name what no generator moves")
        for r, value in meaning.items()
        for name, e in zip(names, generators, strict=True)
        if is_zero(e(value)).holds is not True
    ]
    if faults:
        return faults
    fibre = bundle.fibre or _chosen_fibre(chart, list(meaning.values()), bundle)
    if len(fibre) != len(generators):
        what = f"it names {len(fibre)} coordinates, but the orbits have dimension {len(generators)}"
        return [Fault("[bundle] fibre", what)]
    new = Chart((*bundle.base, *fibre))
    meaning |= {s: bundle.adapted.get(s, s) for s in fibre}
    found = _solved_for(q, new, meaning, bundle)
    if isinstance(found, list):
        return found
    if all(r in q for r in new.coordinates):
        new = chart
    moved = _moved(new, found, chart, generators)
    known = {r: value for r, value in meaning.items() if r is not value}
    return PrincipalBundle(new, bundle.base, tuple(fibre), moved, found, known, origin="stated")


def _chosen_fibre(chart: Chart, base: Sequence[Expr], bundle: Bundle) -> tuple[Expr, ...]:
    """Return stated coordinates that complete the functions on the base to coordinates, the last ones first."""
    chosen: list[Expr] = []
    rows = jacobian(list(base), list(chart.coordinates))
    for q in reversed(chart.coordinates):
        more = [*rows, *jacobian([*chosen, q], list(chart.coordinates))]
        if q not in bundle.inverse and len(more) <= chart.dimension and generic_rank(more).rank == len(more):
            chosen.append(q)
    return tuple(reversed(chosen))


def _solved_for(
    q: Sequence[Expr], new: Chart, meaning: Mapping[Expr, Expr], bundle: Bundle
) -> dict[Expr, Expr] | list[Fault]:
    """Return the stated coordinates that are not in a chart by those that are: as stated, or by a linear solve."""
    missing = [x for x in q if x not in new.coordinates]
    if all(x in bundle.inverse for x in missing):
        found = {x: bundle.inverse[x] for x in missing}
    else:
        rows = {r: value for r, value in meaning.items() if r not in q}
        slopes = jacobian(list(rows.values()), missing)
        if depends_on([e for row in slopes for e in row], missing):
            names = ", ".join(x.data.label for x in missing if x not in bundle.inverse)
            return [
                Fault("[bundle] inverse", f"{names} cannot be solved for", "give them by base and fibre coordinates")
            ]
        rest = substitute(list(rows.values()), dict.fromkeys(missing, ZERO))
        right = [r - c for r, c in zip(rows, rest, strict=True)]
        # written out, since a linear solve within a sine could not be seen through
        found = {x: dot(row, right) for x, row in zip(missing, inverse(slopes), strict=True)}
    back = substitute(list(meaning.values()), found)
    verdict = all_vanish({r.data.label: b - r for r, b in zip(meaning, back, strict=True)})
    if verdict.holds is not True:
        return [Fault("[bundle] inverse", f"it does not undo the adapted coordinates: {verdict.evidence}")]
    return found


def straightened_bundle(
    chart: Chart, generators: Sequence[VectorField], names: Sequence[str], taken: Iterable[str] = ()
) -> PrincipalBundle | None:
    """Return the bundle in coordinates along the flows of the generators, where these have a closed form.

    New coordinates get names that are not ``taken``.

    >>> x, y = symbol("x"), symbol("y")
    >>> chart = Chart.of(x, y)
    >>> found = straightened_bundle(chart, [VectorField.of(chart, [-y, x])], ["turn"])
    >>> found.base, found.configuration[x]
    ((x_base,), x_base*cos(s_turn))
    """
    q = chart.coordinates
    used = {*taken, *(x.data.name for x in q)}
    flows = []
    for e in generators:
        time = symbol(Symbol("time of a flow", role="parameter"))
        images = flow(e, time)
        if images is None:
            return None
        flows.append((time, images))
    still = {i for i in range(len(q)) if vanish([e.components[i] for e in generators])}
    touched = [i for i in range(len(q)) if i not in still]
    free = fresh_names([*(f"{x.data.name}_base" for x in q), *(f"s_{name}" for name in names)], used)
    base = {x: x if i in still else symbol(Symbol(free[i], domain=x.data.domain)) for i, x in enumerate(q)}
    fibre = [symbol(Symbol(name)) for name in free[len(q) :]]
    best: tuple[dict[Expr, Expr], list[Expr]] | None = None
    for held in islice(_transversals(chart, generators, touched), _MOST_TRANSVERSALS):
        point = [held.get(x, base[x]) for x in q]
        for s, (time, images) in reversed(list(zip(fibre, flows, strict=True))):
            point = substitute(images, {**dict(zip(q, point, strict=True)), time: s})
        whole = all(_covers(image, x) for x, image in zip(q, point, strict=True))
        best = (held, point) if whole or best is None else best
        if whole:
            break
    if best is None:
        return None
    held, point = best
    configuration = {x: value for x, value in zip(q, point, strict=True) if value is not x}
    rest = tuple(base[x] for x in q if x not in held)
    new = Chart((*rest, *fibre))
    if generic_rank(jacobian(point, list(new.coordinates))).rank < chart.dimension:
        return None
    moved = _moved(new, configuration, chart, generators)
    return PrincipalBundle(new, rest, tuple(fibre), moved, configuration, origin="straightened")


def _covers(image: Expr, coordinate: Expr) -> bool:
    """Say whether a stated coordinate takes all values of its sign, for all that is seen of its bounds."""
    bounds = ranges([image])[0]
    return coordinate.data.domain != "real" or (bounds.low < 0 < bounds.high)


def partial_cover(bundle: PrincipalBundle) -> str:
    """Say where straightened coordinates are ones, if that is seen not to be everywhere; nothing if it is."""
    said = []
    for q, image in bundle.configuration.items():
        if not _covers(image, q):
            said.append(f"{q.data.label} {'>' if ranges([image])[0].low >= 0 else '<'} 0")
    return " and ".join(said)


def _transversals(
    chart: Chart, generators: Sequence[VectorField], touched: Sequence[int]
) -> Iterator[dict[Expr, Expr]]:
    """Yield constants for k coordinates such that the orbits cross where they have these values."""
    q = chart.coordinates
    for places in combinations(reversed(touched), len(generators)):
        for values in islice(product(*(_values(q[i]) for i in places)), _MOST_SECTIONS):
            held = {q[i]: value for i, value in zip(places, values, strict=True)}
            try:
                rows = [substitute([e.components[i] for i in places], held) for e in generators]
            except ExpressionError:  # a pole there
                continue
            if generic_rank(rows).rank == len(generators):
                yield held
                break  # other values of the same coordinates serve no better


def _values(coordinate: Expr) -> list[Expr]:
    """Return values to try for a coordinate, in order."""
    if coordinate.data.domain == "angle":
        return [ZERO, PI / 2, PI / 4]
    return [as_expr(v) for v in ((1, 2) if coordinate.data.domain == "positive" else (0, 1, Fraction(1, 2)))]


def _moved(
    new: Chart, configuration: Mapping[Expr, Expr], chart: Chart, generators: Sequence[VectorField]
) -> tuple[VectorField, ...]:
    """Return fields in a new chart."""
    if new is chart:
        return tuple(generators)
    images = [configuration.get(x, x) for x in chart.coordinates]
    slopes = jacobian(images, list(new.coordinates))
    result, short = [], SimplificationBudget(_SHORTENING)
    for e in generators:
        there = substitute(list(e.components), dict(configuration))
        result.append(VectorField(new, tuple(short(c) for c in solve(slopes, there))))
    return tuple(result)


# -- sections ------------------------------------------------------------------------------------------------
def with_section(bundle: PrincipalBundle, forms: Sequence[Sequence[Expr]], probes: Sequence[Expr]) -> PrincipalBundle:
    """Return a bundle with a section: values of the fibre coordinates at which nothing is singular.

    There the generators span the fibre directions, the forms (of the constraints, if any) are independent on them,
    and the probes have values.
    """
    places = [bundle.chart.place(s) for s in bundle.fibre]
    across = [[e.components[i] for i in places] for e in bundle.generators]
    leaving = [[dot(form, e.components) for e in bundle.generators] for form in forms]
    for values in islice(product(*(_values(s) for s in bundle.fibre)), _MOST_SECTIONS):
        section = dict(zip(bundle.fibre, values, strict=True))
        try:
            matrices = [[substitute(row, section) for row in rows] for rows in (across, leaving)]
            substitute(probes, section)
        except ExpressionError:  # a pole there
            continue
        if all(generic_rank(m).rank == len(bundle.fibre) for m in matrices if m):
            return replace(bundle, section=section)
    names = ", ".join(s.data.label for s in bundle.fibre)
    raise ExpressionError(f"no values of {names} were found at which everything is defined; state others in [bundle].")
