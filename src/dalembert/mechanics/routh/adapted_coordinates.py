"""Coordinates (x^i, theta^A, theta^alpha) for Routh's procedure: the group moves no x^i, and G_mu no theta^alpha.

Where the stated coordinates are not of that kind they are replaced: by those in [bundle] adapted and inverse, or by new
ones in which the generators are straight, where these are found in closed form (``geometry.straighten``).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from dalembert.errors import ExpressionError, Fault, HypothesisError
from dalembert.expr.graph import Constant, Expr
from dalembert.expr.symbols import TIME
from dalembert.expr.truth import freed_from, is_zero, vanish
from dalembert.geometry.fields import Chart, VectorField, combination
from dalembert.geometry.groups.actions import Action
from dalembert.geometry.groups.matrices import Matrix
from dalembert.geometry.straighten import carried, composed, straighten
from dalembert.mechanics.asked import refusal
from dalembert.model.system import System
from dalembert.records import dataclass, replace


class NoAdaptedCoordinates(HypothesisError):
    """No coordinates were found in closed form that the group leaves alone."""


@dataclass(frozen=True, slots=True)
class AdaptedChart:
    """Coordinates x^i on the base and theta^a along the orbits, those of G_mu first."""

    chart: Chart
    base: tuple[Expr, ...]
    fibre: tuple[Expr, ...]
    inverse: dict[Expr, Expr]
    """Each stated coordinate as a function of these."""
    forward: dict[Expr, Expr]
    """Each of these as a function of the stated ones, on one branch of angles and roots."""
    generators: tuple[VectorField, ...]
    """The stated generators in these coordinates."""
    straight: bool = False
    """Whether G_mu moves the first coordinates of the fibre only, as many as it has dimensions."""

    def moved_to(self, chart: Chart, inverse: Mapping[Expr, Expr], forward: Mapping[Expr, Expr]) -> AdaptedChart:
        """Return the same in newer coordinates, of which the present ones are functions, and the other way round."""
        return replace(
            self,
            chart=chart,
            inverse=composed(self.inverse, inverse),
            forward=composed(forward, self.forward),
            generators=tuple(carried(e, chart, inverse) for e in self.generators),
        )


def names_of(system: System) -> set[str]:
    """Return all names that mean something in a system, which nothing new may bear."""
    known = {s.data.name for s in (*system.q, *system.parameters, *system.controls, *system.speeds)}
    return known | {f.name for f in system.functions} | set(system.let) | {TIME.name}


def adapted_chart(
    system: System, action: Action, basis: Matrix, isotropy: int, at: Mapping[Expr, Constant] | None = None
) -> AdaptedChart:
    """Return coordinates adapted to an action and to the subgroup with the first vectors of a basis of its algebra.

    ``basis`` has its vectors by the stated generators as rows, and the first ``isotropy`` of them span that of G_mu;
    ``at`` has values of the parameters in them at which the coordinates should be ones.
    """
    same = {q: q for q in action.chart.coordinates}
    stated = AdaptedChart(action.chart, (), (), same, same, action.generators)
    given = _as_given(system, stated)
    split = _split(system, given, action)
    return _straight_for_isotropy(system, split, basis[:isotropy], at or {})


def _as_given(system: System, present: AdaptedChart) -> AdaptedChart:
    """Return the coordinates of [bundle], if there are other ones than those stated."""
    bundle = system.bundle
    if bundle is None or not (bundle.adapted or bundle.unsolved):
        return present
    if not bundle.inverse:
        names = ", ".join(q.data.name for q in bundle.adapted)
        what = f"the stated coordinates are not given as functions of {names}"
        raise refusal("routh", [Fault("[bundle] inverse", what, "give as many of them as are new")])
    chart = Chart((*(q for q in system.q if q not in bundle.inverse), *bundle.adapted, *bundle.unsolved))
    inverse = {q: bundle.inverse.get(q, q) for q in system.q}
    return present.moved_to(chart, inverse, {q: bundle.adapted.get(q, q) for q in chart.coordinates})


def _unmoved(present: AdaptedChart, fields: Sequence[VectorField]) -> list[Expr]:
    """Return the coordinates that all fields leave alone."""
    coordinates = enumerate(present.chart.coordinates)
    return [q for i, q in coordinates if vanish([field.components[i] for field in fields])]


def _split(system: System, present: AdaptedChart, action: Action) -> AdaptedChart:
    """Return coordinates on base and fibre: those of [bundle], those that are not moved, or straightened ones."""
    wanted = present.chart.dimension - action.dimension
    unmoved = _unmoved(present, present.generators)
    stated = system.bundle.base if system.bundle is not None else ()
    fibre = system.bundle.fibre if system.bundle is not None else ()
    base = [q for q in stated or [q for q in present.chart.coordinates if q not in fibre] if q in unmoved]
    for q in stated:
        if q not in unmoved:
            place = present.chart.place(q)
            names = zip(action.names, present.generators, strict=True)
            guilty = next(name for name, e in names if is_zero(e.components[place]).holds is not True)
            what = f"the base coordinate '{q!r}' is moved by the generator {guilty}"
            raise refusal("routh", [Fault("[bundle] base", what, "the group moves coordinates of the fibre only")])
    if len(unmoved) == wanted:
        base = unmoved
    if len(base) != wanted:
        if system.bundle is not None and (system.bundle.adapted or system.bundle.unsolved or stated):
            what = f"{wanted} base coordinates are needed that no generator moves, and there are {len(base)}"
            raise refusal("routh", [Fault("[bundle]", what)])
        return _straight_for_group(system, present, action)
    rest = tuple(q for q in present.chart.coordinates if q not in base)
    return replace(present, base=tuple(base), fibre=rest)


def _straight_for_group(system: System, present: AdaptedChart, action: Action) -> AdaptedChart:
    """Return coordinates in which the generators are straightened one after the other."""
    found = _one_by_one(present, [_unit(action, a) for a in range(action.dimension)], names_of(system))
    if found is None:
        what = f"no coordinates were found in closed form that {', '.join(action.names)} leave alone"
        remedy = "give such coordinates in [bundle] adapted, and the stated ones by them in inverse"
        raise NoAdaptedCoordinates("routh", [Fault("[symmetry]", what, remedy, kind="base")])
    straightened, moving = found
    base = tuple(q for q in straightened.chart.coordinates if q not in moving)
    return replace(straightened, base=base, fibre=tuple(moving))


def _unit(action: Action, place: int) -> list[int]:
    return [int(place == b) for b in range(action.dimension)]


def _one_by_one(
    present: AdaptedChart,
    rows: Sequence[Sequence[Expr | int]],
    taken: Collection[str],
    at: Mapping[Expr, Constant] | None = None,
) -> tuple[AdaptedChart, list[Expr]] | None:
    """Return coordinates in which combinations of generators are straight one after the other, and those they move.

    Each is looked at on the coordinates that its predecessors leave alone, which it must not leave.
    """
    moving: list[Expr] = []
    for row in rows:
        field = combination(zip(row, present.generators, strict=True))
        rest = Chart(tuple(q for q in present.chart.coordinates if q not in moving))
        parts = freed_from([field.components[present.chart.place(q)] for q in rest.coordinates], moving)
        if parts is None:
            return None
        try:
            names = [*taken, *(q.data.name for q in present.chart.coordinates)]
            step = straighten(VectorField(rest, tuple(parts)), names, at)
        except ExpressionError:  # a pole where the flow begins
            return None
        if step is None:
            return None
        inverse = {q: step.inverse.get(q, q) for q in present.chart.coordinates}
        if any(image is not q for q, image in inverse.items()):
            forward = {**step.forward, **{q: q for q in moving}}
            present = present.moved_to(Chart((*step.chart.coordinates, *moving)), inverse, forward)
        moving.append(step.along)
    return present, moving


def _straight_for_isotropy(
    system: System, present: AdaptedChart, vectors: Matrix, at: Mapping[Expr, Constant]
) -> AdaptedChart:
    """Return coordinates of the fibre in which G_mu moves the first ones only, if they are found."""
    found = _ordered(present, vectors)
    if found is not None:
        return found
    if system.bundle is not None and (system.bundle.adapted or system.bundle.unsolved):
        return _arranged(present)
    tried = _one_by_one(present, vectors, names_of(system), at)
    if tried is None:
        return _arranged(present)
    kept = [q for q in tried[0].chart.coordinates if q in present.base]
    rest = [q for q in tried[0].chart.coordinates if q not in present.base]
    return _ordered(replace(tried[0], base=tuple(kept), fibre=tuple(rest)), vectors) or _arranged(present)


def _ordered(present: AdaptedChart, vectors: Matrix) -> AdaptedChart | None:
    """Return the fibre with the coordinates first that G_mu moves, if these are as many as its dimension."""
    fields = [combination(zip(row, present.generators, strict=True)) for row in vectors]
    still = [q for q in _unmoved(present, fields) if q in present.fibre] if fields else list(present.fibre)
    moved = [q for q in present.fibre if q not in still]
    if len(moved) != len(vectors):
        return None
    return _arranged(replace(present, fibre=(*moved, *still), straight=True))


def _arranged(present: AdaptedChart) -> AdaptedChart:
    """Return the same with the coordinates of the base first, then those of the fibre."""
    chart = Chart((*present.base, *present.fibre))
    places = [present.chart.place(q) for q in chart.coordinates]
    fields = tuple(VectorField(chart, tuple(e.components[i] for i in places)) for e in present.generators)
    return replace(present, chart=chart, generators=fields)
