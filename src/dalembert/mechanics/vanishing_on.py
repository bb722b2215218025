"""Is an expression zero wherever some equations hold? What is not zero elsewhere may be so there.

Equations are solved for variables, so that the points where they hold are the values of the others: where an equation
is affine in a variable for that one, where it is quadratic by both of its roots. A yes has to hold on sheets that cover
these points, so nothing may be divided by that could vanish; a no needs a single one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from dalembert.errors import DalembertError, ExpressionError
from dalembert.expr.calculus import diff
from dalembert.expr.elementary import sqrt
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import ZERO, Expr
from dalembert.expr.truth import (
    Fact,
    Verdict,
    Where,
    all_hold,
    excludes_zero,
    is_constant,
    is_zero,
    nonzero_at,
    nonzero_together,
    seems_zero,
    vanish,
    vanishing,
)
from dalembert.expr.walk import postorder, substitute, symbols
from dalembert.expr.work import Budget, charge
from dalembert.mechanics.common import carried
from dalembert.records import dataclass, field, replace

_MOST_SHEETS = 16
_MOST_NODES = 400
_MOST_TERMS = 2_000
"""Expressions up to this size are divided, and decided by values of parameters."""
_READING = 2e-4
"""What it takes to find out how one node of an equation depends on a variable, in nominal seconds."""
_MOST_WORK = 4.0
_CONSTANT, _NEVER_ZERO, _GENERIC = 2, 1, 0
"""What a leading coefficient is worth: where it could vanish, solutions could be missed."""


@dataclass(frozen=True)
class Held:
    """Equations that hold, to be solved for some of the variables once something asks for it.

    >>> from dalembert.expr import symbol
    >>> x, y = symbol("x"), symbol("y")
    >>> circle = Held((x**2 + y**2 - 1,), (x, y))
    >>> circle.vanishes(x**4 - (1 - y**2)**2).holds, circle.vanishes(x**4 - (1 - y**2)).holds
    (True, False)
    """

    equations: tuple[Expr, ...]
    variables: tuple[Expr, ...]
    facts: tuple[Fact, ...] = ()

    def vanishes(self, expression: Expr) -> Verdict:
        """Decide whether an expression is zero wherever the equations hold."""
        everywhere = seems_zero(expression, self.facts)
        if everywhere is not None and everywhere.holds is True:
            return everywhere
        if not self._held:
            return is_zero(expression, self.facts)
        there = (*self.facts, *map(Where, self._held))
        refuted, zeros = nonzero_at(expression, there)
        if refuted is not None:
            return refuted
        covered = self._covered(expression)
        if covered is not None:
            return covered
        if everywhere is not None:  # it has no values that could be read, for this reason
            return everywhere
        points = [] if zeros else [sheet for sheet in self._points if not sheet.open]
        found = self._refuted(points, expression)
        if found is not None:
            return found
        if len(postorder([expression])) <= _MOST_NODES:
            given = is_zero(expression, there)  # by parameters, which have a sign to obey
            if given.holds is not None:
                return given
        why = "it is not shown to be zero everywhere, and the equations that hold are not solved in closed form"
        if zeros:
            why = f"its values at {zeros} points where the equations hold do not tell it from zero, which shows nothing"
        elif points:
            why = "where the equations that hold could be solved no value but zero was found, which shows nothing"
        return Verdict("undecided", f"{why}.")

    def vanish_each(self, expressions: Sequence[Expr]) -> list[Verdict | DalembertError]:
        """Decide of each expression whether it is zero wherever the equations hold, or say why that has no answer.

        Most that are not show it at one point, where all are read together.

        >>> from dalembert.expr import symbol
        >>> x, y = symbol("x"), symbol("y")
        >>> [one.holds for one in Held((x**2 + y**2 - 1,), (x, y)).vanish_each([x, x**4 - (1 - y**2)**2, y])]
        [False, True, False]
        """
        there = (*self.facts, *map(Where, self._held))
        several = bool(self._held) and len(expressions) > 1
        at_once = nonzero_together(expressions, there) if several else [None] * len(expressions)
        together = zip(expressions, at_once, strict=True)
        return [self._vanishes_or_why(e) if found is None else found for e, found in together]

    def _vanishes_or_why(self, expression: Expr) -> Verdict | DalembertError:
        try:
            return self.vanishes(expression)
        except DalembertError as fault:
            return fault

    def sheet(self) -> Mapping[Expr, Expr] | None:
        """Return some variables by the others on a sheet of points where the equations hold; None if none is solved.

        >>> from dalembert.expr import symbol
        >>> x, y = symbol("x"), symbol("y")
        >>> Held((x * y - 1,), (x, y)).sheet()
        {x: 1/y}
        """
        return next((sheet.given for sheet in self._points if not sheet.open), None)

    @cached_property
    def _held(self) -> tuple[Expr, ...]:
        return tuple(e for e in self.equations if not vanish([e], self.facts))

    @cached_property
    def _free(self) -> list[Expr]:
        return [v for v in self.variables if v.data.domain == "real"]  # values of the others have a sign to obey

    @cached_property
    def _cover(self) -> list[_Sheet]:
        """Sheets on which all points lie where the equations hold; other points may lie on them as well."""
        return list(_sheets([_Sheet(self._held)], self._free, self.facts, _NEVER_ZERO))

    @cached_property
    def _points(self) -> list[_Sheet]:
        """The same, solved further by what could vanish: where nothing stays open the equations hold."""
        return list(_sheets(self._cover, self._free, self.facts, _GENERIC))

    def _covered(self, expression: Expr) -> Verdict | None:
        """Return that an expression is zero on the whole cover, or None: on some sheets there may be other points."""
        verdicts: dict[str, Verdict] = {}
        for number, sheet in enumerate(self._cover, 1):
            try:
                (value,) = substitute([expression], sheet.given)
            except ExpressionError:  # it has no value there
                return None
            verdict = seems_zero(value, carried(self.facts, sheet.given))
            if verdict is None or verdict.holds is not True:
                if len(sheet.open) != 1 or not _divides(sheet.open[0], value):
                    return None
                verdict = Verdict("proved", "the equation that holds divides its numerator.")
            verdicts[_named(number, self._cover)] = verdict
        return all_hold(verdicts)

    def _refuted(self, sheets: Sequence[_Sheet], expression: Expr) -> Verdict | None:
        """Return that an expression is not zero on one of some sheets of points where the equations hold, or None."""
        for number, sheet in enumerate(sheets, 1):
            (value,) = substitute([expression], sheet.given)
            verdict = is_zero(value, carried(self.facts, sheet.given))
            if verdict.holds is False:
                return all_hold({_named(number, sheets): verdict})
        return None


def _named(number: int, sheets: Sequence[_Sheet]) -> str:
    return f"on the branch {number}" if len(sheets) > 1 else "where the equations hold"


@dataclass(frozen=True, slots=True)
class _Sheet:
    """Points where equations hold: some variables given by the others."""

    open: tuple[Expr, ...]
    """What is not solved."""
    given: Mapping[Expr, Expr] = field(default_factory=dict)

    def solved(self, place: int, variable: Expr, value: Expr) -> _Sheet:
        """Return the sheet with one more variable given, by one of the open equations."""
        rest = self.open[:place] + self.open[place + 1 :]
        found = substitute([*rest, *self.given.values()], {variable: value})
        given = dict(zip(self.given, found[len(rest) :], strict=True))
        return _Sheet(tuple(found[: len(rest)]), {**given, variable: value})

    def without_repeated(self, facts: Sequence[Fact]) -> _Sheet:
        """Return the sheet without open equations that hold on all of it, as those do that repeat others."""
        return replace(
            self, open=tuple(e for e, zero in zip(self.open, vanishing(self.open, facts), strict=True) if not zero)
        )


@dataclass(frozen=True, slots=True)
class _Solvable:
    """An equation that is affine or quadratic in a variable: a v^2 + b v + c = 0."""

    place: int
    variable: Expr
    a: Expr | None
    b: Expr
    c: Expr
    worth: int
    """That of the leading coefficient."""

    @property
    def roots(self) -> list[Expr]:
        """What the variable may be."""
        if self.a is None:
            return [-self.c / self.b]
        root = sqrt(self.b**2 - 4 * self.a * self.c)
        return [(root - self.b) / (2 * self.a), (-root - self.b) / (2 * self.a)]

    @property
    def rank(self) -> tuple[int, bool]:
        """What is worth most is taken first: no root where it can be helped."""
        return self.worth, self.a is None


def _sheets(begin: Sequence[_Sheet], free: Sequence[Expr], facts: Sequence[Fact], least: int) -> Iterator[_Sheet]:
    """Yield the sheets that equations consist of, solved as far as leading coefficients of such a worth allow it."""
    waiting, count, budget = list(begin), len(begin), Budget(_MOST_WORK)
    while waiting:
        sheet = waiting.pop()
        if budget.is_spent:
            yield sheet
            continue
        best = _best(way for way in _solvable(sheet, free, facts) if way.worth >= least)
        more = 0 if best is None else len(best.roots) - 1
        if best is None or count + more > _MOST_SHEETS:
            yield sheet
            continue
        count += more
        parts = (sheet.solved(best.place, best.variable, root) for root in best.roots)
        waiting += [part.without_repeated(facts) for part in parts]


def _best(ways: Iterator[_Solvable]) -> _Solvable | None:
    """Return the way that is worth most, the first of those than which there are no better ones."""
    best: _Solvable | None = None
    for way in ways:
        if best is None or way.rank > best.rank:
            best = way
        if best.rank == (_CONSTANT, True):
            break
    return best


def _solvable(sheet: _Sheet, free: Sequence[Expr], facts: Sequence[Fact]) -> Iterator[_Solvable]:
    """Yield what can be solved next: for any variable that an equation is affine or quadratic in."""
    for place, equation in enumerate(sheet.open):
        present, price = symbols([equation]), _READING * len(postorder([equation]))
        for v in free:
            if v.data not in present or v in sheet.given:
                continue
            charge(price)
            slope = diff(equation, v)
            bend = diff(slope, v)
            if vanish([bend], facts):
                b, c = substitute([slope, equation], {v: ZERO})
                if not vanish([b], facts):
                    yield _Solvable(place, v, None, b, c, _worth(b))
            elif vanish([diff(bend, v)], facts):
                a, b, c = substitute([bend / 2, slope, equation], {v: ZERO})
                yield _Solvable(place, v, a, b, c, _worth(a))


def _divides(equation: Expr, value: Expr) -> bool:
    """Say whether a fraction of polynomials is seen to be a multiple of an equation, so that it is zero with it."""
    roots = [value, equation]
    if len(postorder(roots)) > _MOST_NODES:
        return False
    try:
        field = Field(roots, _MOST_TERMS)
        rest = divmod(field.read(value).above, field.read(equation).above)[1]
    except ExpressionError:
        return False
    return bool(rest.is_zero())


def _worth(leading: Expr) -> int:
    if excludes_zero(leading) is None:
        return _GENERIC
    return _CONSTANT if is_constant(leading) else _NEVER_ZERO
