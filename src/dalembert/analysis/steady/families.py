"""Steady motions in closed form: families with free parameters, where F = xi^a X_a is solved by exact algebra.

The orbit is used up first: a variable that a symmetry shifts is put to 0. The constants xi enter linearly and are
eliminated with pivots that vanish nowhere. What is left are polynomial equations in velocities, lengths and tangents of
half the angles; they are split into factors and solved where they are linear (``expr.linear.strata``). A half turn has
no such tangent and is tried by itself. Every family is put into F - xi^a X_a again, and decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product as choices
from typing import Any

from dalembert.analysis.steady.conditions import sign_of
from dalembert.analysis.steady.steady_field import SteadyField
from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import atan
from dalembert.expr.field import Field, OutOfWork, tidy
from dalembert.expr.field.meter import TooLarge
from dalembert.expr.graph import PI, ZERO, Expr, product
from dalembert.expr.linear.strata import Place, vanishing
from dalembert.expr.linear.system import Space
from dalembert.expr.readers import Floats
from dalembert.expr.text import text
from dalembert.expr.truth import Fact, Sphere, Verdict, is_constant, never_zero, vanish
from dalembert.expr.truth import vanishing as zero_ones
from dalembert.expr.truth.many import all_vanish
from dalembert.expr.walk import evaluate, postorder, substitute, symbols
from dalembert.records import dataclass, field, replace

_MOST_FAMILIES = 24
_NOT_ZERO = 1e-9
_TIDY = 0.3
_MOST_NODES = 700
"""Larger equations are left to numbers."""
_MOST_TERMS = 1_500
_MOST_LOOKED_AT = 8_000
"""Terms of equations that are split into factors, altogether."""


@dataclass(frozen=True, slots=True, eq=False)
class SteadyFamily:
    """Steady motions in closed form, modulo the symmetry."""

    values: Mapping[Expr, Expr]
    """The state variables in terms of the free ones; what is not named is free."""
    free: tuple[Expr, ...]
    turning: Mapping[str, Expr]
    """The constants xi by symmetry."""
    relations: tuple[Expr, ...]
    """What vanishes besides, where it could not be solved."""
    nonzero: tuple[Expr, ...]
    """What does not vanish on it: where it does, there is another family, or the equations are not valid."""
    verdict: Verdict
    """That F = xi^a X_a there."""
    put: Mapping[Expr, Expr] = field(default_factory=dict)
    """All that is put into an expression of state and xi."""
    positive: tuple[Expr, ...] = ()
    """What is positive on it, since a coordinate has a sign."""

    @property
    def conditions(self) -> tuple[str, ...]:
        """What holds on it besides, in words."""
        state = {v.data for v in self.free}
        apart = [e for e in self.nonzero if state & symbols([e])]
        return (
            *(f"{text(e)} = 0" for e in self.relations),
            *(f"{text(e)} is not 0" for e in apart),
            *(f"{text(e)} > 0" for e in self.positive),
        )


def steady_families(steady: SteadyField, at: Mapping[Expr, Expr] | None = None) -> tuple[SteadyFamily, ...] | None:
    """Return the families in closed form, those with most freedom first; None where the algebra does not allow it.

    ``at`` gives exact values to variables of the state, or to expressions of it.
    """
    equations = steady.problem.equations
    if equations.implicit or len(postorder([*steady.defects])) > _MOST_NODES:
        return None
    try:
        found = list(_solved(steady, at or {}))
    except (ExpressionError, TooLarge, OutOfWork, OverflowError):
        return None
    found = [one for one in found if not _for_other_parameters(steady, one)]
    if any(one.verdict.holds is not True for one in found):
        return None
    found = list({(frozenset(one.values.items()), one.relations): one for one in found}.values())  # each once
    return tuple(sorted(found, key=lambda one: (-len(one.free) + len(one.relations), len(one.relations))))


def _for_other_parameters(steady: SteadyField, family: SteadyFamily) -> bool:
    """Say whether a family needs a relation between parameters alone which their values do not obey."""
    values = dict(zip(steady.problem.equations.parameters, steady.problem.parameters.tolist(), strict=True))
    own = {p.data for p in values}
    alone = [r for r in family.relations if own.issuperset(symbols([r]))]
    return any(abs(x) > _NOT_ZERO for x in evaluate(alone, Floats(values)))


def _solved(steady: SteadyField, at: Mapping[Expr, Expr]) -> Iterator[SteadyFamily]:
    rows, known, _ = eliminated(steady, at, names=False)
    held = {v: e for v, e in known.items() if v in steady.state}
    turning = {x: e for x, e in known.items() if x in steady.xi}
    open_ = set(symbols(rows))
    unknown = [v for v in (*steady.state, *steady.xi) if v.data in open_]
    angles = [v for v in unknown if v.data.domain == "angle"]
    for chosen in choices((False, True), repeat=len(angles)):
        turned = {v: PI for v, half in zip(angles, chosen, strict=True) if half}
        if len(angles) > 3 and len(turned) > 1:
            continue
        try:
            there = _known_zero(substitute(rows, turned))
        except ExpressionError:  # the equations do not exist there
            continue
        rest = [v for v in unknown if v not in turned]
        for place in _places(there, rest):
            if (found := _valid(steady, _family(steady, {**held, **turned}, turning, place, angles))) is not None:
                yield found


def _valid(steady: SteadyField, family: SteadyFamily) -> SteadyFamily | None:
    """Return the part of a family where equations are valid and coordinates have their signs, None if it is empty."""
    facts: list[Fact] = [*map(Sphere, _round(steady)), *((r, ZERO) for r in family.relations)]
    apart, positive = [], []
    for end in steady.ends:
        try:
            (value,) = substitute([end], family.put)
        except ExpressionError:  # it has a pole there
            return None
        if vanish([value], facts):
            return None
        apart += [e for e in _moving(tidy(value, _TIDY), family.free) if never_zero(e).kind != "proved"]
    for v, e in family.values.items():
        wanted = {"positive": 1, "negative": -1}.get(v.data.domain)
        if wanted is not None:
            sign = sign_of(e)
            if sign is not None and sign != wanted:
                return None
            positive += [] if sign == wanted else [wanted * e]
    nonzero = [*family.nonzero]
    for e in apart:
        nonzero += [] if any(vanish([e - s * other]) for other in nonzero for s in (1, -1)) else [e]
    return replace(family, nonzero=tuple(nonzero), positive=tuple(positive))


def _moving(value: Expr, free: Sequence[Expr]) -> list[Expr]:
    """Return the factors of the numerator of a value that depend on what is free."""
    whole, own = _bare(value), {v.data for v in free}
    if whole.op == "product":
        return [e for base in whole.args for e in _moving(base, free)]
    return [whole] if own & symbols([whole]) else []


def eliminated(
    steady: SteadyField, at: Mapping[Expr, Expr], names: bool = True
) -> tuple[list[Expr], dict[Expr, Expr], list[int]]:
    """Return the equations that are left, what is known of the unknowns, and which equation of the field each was.

    The variables that symmetries shift are 0, those held have their values, xi and (with ``names``) variables that an
    equation says to be 0 are eliminated where nothing is divided by that could vanish.
    """
    held = {v: value for v, value in at.items() if v in steady.state}
    beside = [label - value for label, value in at.items() if label not in steady.state]
    known = {**_gauge(steady, held), **held}
    rows = dict(enumerate(substitute([*steady.defects, *steady.relations, *beside], known)))
    if names:
        rows, known = _without_zeros(rows, known, steady.state)
    rows = _open(rows)
    for one in steady.xi:
        for k, row in rows.items():
            (slope,) = gradient(row, [one])
            if slope is not ZERO and never_zero(slope).kind == "proved":
                rest = substitute([row], {one: ZERO})[0]
                value = -rest / slope if names else tidy(-rest / slope)
                rows = _open(_put({i: e for i, e in rows.items() if i != k}, {one: value}))
                known = {**_put(known, {one: value}), one: value}
                break
    return list(rows.values()), known, list(rows)


def _put(table: Mapping[Any, Expr], put: Mapping[Expr, Expr]) -> dict[Any, Expr]:
    return dict(zip(table, substitute(list(table.values()), put), strict=True))


def _open(rows: Mapping[int, Expr]) -> dict[int, Expr]:
    """Return what is not zero."""
    return {k: row for (k, row), gone in zip(rows.items(), zero_ones(list(rows.values())), strict=True) if not gone}


def _without_zeros(
    rows: Mapping[int, Expr], known: Mapping[Expr, Expr], state: Sequence[Expr]
) -> tuple[dict[int, Expr], dict[Expr, Expr]]:
    """Return the equations and what is known, variables that an equation says to be 0 put in."""
    rows, known = dict(rows), dict(known)
    while True:
        found = next(((k, row) for k, row in rows.items() if row in state), None)
        if found is None:
            return rows, known
        rows = _put({k: row for k, row in rows.items() if k != found[0]}, {found[1]: ZERO})
        known = {**_put(known, {found[1]: ZERO}), found[1]: ZERO}


def _known_zero(rows: Sequence[Expr]) -> list[Expr]:
    """Return what is not zero."""
    return [row for row, gone in zip(rows, zero_ones(rows), strict=True) if not gone]


def _gauge(steady: SteadyField, held: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
    """Return the variables that symmetries shift, put to 0, as long as each shifts one more."""
    put: dict[Expr, Expr] = {}
    left = [dict(one.components) for one in steady.symmetries]
    while True:
        for components in left:
            values = dict(zip(components, substitute(list(components.values()), put), strict=True))
            moved = [v for v, e in values.items() if e is not ZERO and not vanish([e])]
            shifted = [v for v in moved if v not in put]
            if len(shifted) == 1 and shifted[0] not in held and is_constant(values[shifted[0]]):
                put[shifted[0]] = ZERO
                left.remove(components)
                break
        else:
            return put


def _places(rows: Sequence[Expr], unknown: Sequence[Expr]) -> list[Place]:
    """Return the parts of the space of unknowns where all rows vanish."""
    short = [tidy(row) for row in rows]
    field_ = Field([*short, *unknown], _MOST_TERMS)
    nodes = field_.generators.nodes()
    places: dict[int, Expr] = {}
    for k, node in enumerate(nodes):
        inside = [v for v in unknown if v in postorder([node])]
        if inside:
            places[k] = node
    space = Space(field_, places)
    whole: Place | None = Place(space)
    quotients = [field_.read(row) for row in short]
    assert whole is not None
    whole = whole.without([(q.below,) for q in quotients if not q.below.is_constant()])
    if whole is None:
        return []
    found = vanishing(whole, [q.above for q in quotients], _MOST_FAMILIES, _MOST_LOOKED_AT)
    solved = [place for place in found if not place.unresolved]
    if found and not solved:  # that none was solved does not mean that there is none
        raise ExpressionError("the equations of steady motions are not solved in closed form.")
    return solved


def _family(
    steady: SteadyField, known: Mapping[Expr, Expr], turning: Mapping[Expr, Expr], place: Place, angles: Sequence[Expr]
) -> SteadyFamily:
    """Return a part as a family, with angles in place of the tangents of their halves."""
    write = place.space.field.to_expr
    tangents = {s: v for v in angles for s in [_half_tangent(v)]}
    values: dict[Expr, Expr] = dict(known)
    for node, value in place.values().items():
        values[tangents.get(node, node)] = 2 * atan(tidy(value)) if node in tangents else tidy(value)
    relations = () if place.implicit is None else (_bare(tidy(write(place.implicit))),)
    nonzero = tuple(_bare(tidy(write(group[0]))) for group in place.nonzero if len(group) == 1)
    idle = {x: ZERO for x in steady.xi if x not in turning and x not in values}  # where the action is not free
    turned = dict(zip(turning, substitute(list(turning.values()), {**values, **idle}), strict=True))
    put = {**values, **idle, **turned}
    free = tuple(v for v in steady.state if v not in values)
    facts: list[Fact] = [Sphere(q) for q in _round(steady)]
    defects = substitute([*steady.defects, *steady.relations], put)
    try:
        verdict = all_vanish(
            {f"component {k}": e for k, e in enumerate(defects, 1)}, [*facts, *((r, ZERO) for r in relations)]
        )
    except ExpressionError as fault:
        verdict = Verdict("undecided", str(fault))
    named = {one.name: tidy(put.get(x, x)) for one, x in zip(steady.symmetries, steady.xi, strict=True)}
    shown = {v: e for v, e in values.items() if v in steady.state}
    return SteadyFamily(shown, free, named, relations, nonzero, verdict, put)


def _bare(expression: Expr) -> Expr:
    """Return what vanishes where an expression does: its numerator, without a factor that is a number."""
    node = expression
    if node.op == "sum" and len(node.args) == 1 and not node.data[0]:
        node = node.args[0]
    if node.op != "product":
        return expression if node.op != "symbol" else node
    return product([(base, power) for base, power in zip(node.args, node.data, strict=True) if power > 0])


def _half_tangent(angle: Expr) -> Expr:
    from dalembert.expr.elementary import sincos

    s, c = sincos(angle)
    return s / (1 + c)


def _round(steady: SteadyField) -> list[tuple[Expr, ...]]:
    system = steady.words.system
    return [] if system is None else [q for q in system.spheres if set(steady.state).issuperset(q)]
