"""Which functions of a motion are functions of others, on the points that it can pass: where its constraints hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import gradient, tangent
from dalembert.expr.elementary import sqrt
from dalembert.expr.field.quotients import Field
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import TIME, Symbol
from dalembert.expr.truth import generic_rank, vanishing
from dalembert.expr.walk import substitute, symbols
from dalembert.mechanics.vanishing_on import Held
from dalembert.model.equations import Equations
from dalembert.model.system import System
from dalembert.records import dataclass, field

_MOST_TERMS = 400
"""Of an equation that is freed from denominators."""


@dataclass(frozen=True)
class Surface:
    """The points of the motions of some equations: variables that are free, but for equations that hold there.

    That functions depend on each other is decided by the ranks of their differentials at generic points, at first of
    all points and then of those where the equations hold.

    >>> from dalembert.expr import cos, sin, symbol
    >>> x, y, a = symbol("x"), symbol("y"), symbol("a")
    >>> blade = Surface((x, y, a, x.dot, y.dot), (x.dot * sin(a) - y.dot * cos(a),))
    >>> along = x.dot * cos(a) + y.dot * sin(a)
    >>> blade.are_functions([y.dot / sin(a)], [along]), blade.are_functions([y.dot], [along])
    (True, False)
    """

    variables: tuple[Expr, ...]
    equations: tuple[Expr, ...] = ()
    """What is zero there."""
    chart: Mapping[Expr, Expr] = field(default_factory=dict)
    """Components of rotations by variables that are free."""
    whole: Equations | None = None
    """The equations of motion."""

    @classmethod
    def of(cls, whole: Equations, system: System | None = None) -> Surface:
        """Return where the motions of equations go, by their state; with the system its constraints are known."""
        chart, variables = _chart(whole.state)
        plain = cls((*variables, *whole.implicit, symbol(TIME)), (), chart, whole)
        held = list(whole.implicit.values())
        if system is not None:
            held += [e.left - e.right for name, e in system.holonomic.items() if name not in system.units]
            held += [c.expression for name, c in system.constraints.items() if name not in system.units]
        seen = [e for e in (plain.seen(one, whole) for one in held) if e is not None]
        there = tuple(e for e, zero in zip(seen, vanishing(seen), strict=True) if not zero)
        return cls(plain.variables, there, chart, whole)

    def seen(self, formula: Expr, own: Equations) -> Expr | None:
        """Return a formula of some equations by these variables; None where it has letters of its own."""
        value = self._spelled(formula, own)
        return None if value is None else substitute([value], self.chart)[0]

    def _spelled(self, formula: Expr, own: Equations) -> Expr | None:
        """Return a formula of some equations by the state of the whole motion."""
        whole = self.whole
        if whole is None:
            return None
        rates = {q.dot: rate for q, rate in whole.kinematics.items()}
        (spelled,) = substitute([formula], _in_space(formula, own))
        (spelled,) = substitute([spelled], own.named)
        (plain,) = substitute([spelled], {w: e for w, e in own.turning.items() if w not in (*whole.state, *own.speeds)})
        (plain,) = substitute([plain], {u: e for u, e in own.speeds.items() if u not in whole.state})
        (value,) = substitute([plain], rates)
        known = {v.data for v in (*whole.state, *whole.implicit, *whole.parameters)} | {TIME}
        return value if known.issuperset(symbols([value])) else None

    def are_told(self, some: Sequence[Expr], own: Equations, others: Sequence[Expr]) -> bool:
        """Say whether formulas of a reduced motion are functions of others of the whole one.

        They are compared by the variables of the reduced motion and of its reconstruction, by which all that the whole
        one has is known: variables of the base may have no formula by the stated coordinates.
        """
        whole = self.whole
        spelled = [self._spelled(e, whole) for e in others] if whole is not None and own.reconstruction else []
        there = [e for e in spelled if e is not None]
        if whole is None or not there:
            return False
        place = {q: own.configuration.get(q, q) for q in whole.kinematics}
        drive = {**own.kinematics, **own.reconstruction}
        rates = dict(zip((q.dot for q in place), tangent(list(place.values()), drive), strict=True))
        (*there,) = substitute(substitute(there, whole.speeds), {**rates, **place})
        chart, variables = _chart((*own.state, *own.reconstruction))
        (*there,) = substitute(there, chart)
        (*here,) = substitute(some, {**own.named, **chart})
        known = {v.data for v in (*variables, *own.parameters)} | {TIME}
        if not known.issuperset(symbols([*there, *here])):
            return False
        return Surface((*variables, symbol(TIME))).are_functions(here, there)

    def are_functions(self, some: Sequence[Expr], others: Sequence[Expr]) -> bool:
        """Say whether all of some functions are functions of others; what is not decided is not said."""
        if not some or not others:
            return False
        rows = [gradient(e, self.variables) for e in (*others, *some)]
        if _is_spanned(rows, len(others)):
            return True
        if not self.equations or self._points is None:
            return False
        held, given = self._points
        on = [*held, *(substitute(row, given) for row in rows)]
        return _is_spanned(on, len(held) + len(others))

    @cached_property
    def _points(self) -> tuple[list[list[Expr]], Mapping[Expr, Expr]] | None:
        """The differentials of the equations at points where they hold, and these points: some letters by the others.

        For values of parameters that nobody chose, a point may as well choose some of them: loops are closed by lengths
        where they are not by angles.
        """
        fixed = {
            symbol(s): symbol(Symbol(s.name, role=s.role)) for s in symbols(self.equations) if s.role == "parameter"
        }
        held = map(_numerator, substitute(self.equations, fixed))
        sheet = Held(tuple(held), (*self.variables, *fixed.values())).sheet()
        if sheet is None:
            return None
        given = {**sheet, **{p: sheet.get(free, free) for p, free in fixed.items()}}
        return [substitute(gradient(e, self.variables), given) for e in self.equations], given


def _numerator(equation: Expr) -> Expr:
    """Return what is zero where an equation holds, without what rotations divide by, unless it is large."""
    try:
        fractions = Field([equation], _MOST_TERMS)
        return fractions.to_expr(fractions.read(equation).above)
    except ExpressionError:
        return equation


def _is_spanned(rows: Sequence[Sequence[Expr]], first: int) -> bool:
    """Say whether the first of some rows span all of them at generic points."""
    return generic_rank(rows).rank == generic_rank(rows[:first]).rank


def _chart(variables: Sequence[Expr]) -> tuple[dict[Expr, Expr], list[Expr]]:
    """Return unit quaternions by three numbers each, after Cayley, and these with the rest of the variables.

    So what is the same for units alone is the same, and entries of rotations have no roots; without rotations there is
    nothing to do.
    """
    known = {v.data.name: v for v in variables}
    chart: dict[Expr, Expr] = {}
    numbers: list[Expr] = []
    for name in [n.removesuffix(".q0") for n in known if n.endswith(".q0")]:
        seen = [symbol(Symbol(f"{name}.t{k}")) for k in "123"]
        length = sqrt(ONE + total((1, t**2) for t in seen))
        chart |= {known[f"{name}.q{k}"]: t / length for k, t in zip("0123", (ONE, *seen), strict=True)}
        numbers += seen
    return chart, [*(v for v in variables if v not in chart), *numbers]


def _in_space(formula: Expr, own: Equations) -> dict[Expr, Expr]:
    """Return the angular velocities in space that a formula has, by those in the body and the entries of rotations."""
    known = {one.data.name: one for one in (*own.named, *own.turning, *own.state)}
    found = {}
    for one in symbols([formula]):
        whole, point, part = one.name.partition(".")
        names = [(f"{whole}.m{part[1:]}{j}", f"{whole}.w{j}") for j in "123"]
        if point and part.startswith("s") and all(known.keys() >= {*pair} for pair in names):
            found[symbol(one)] = total((1, known[m] * known[w]) for m, w in names)
    return found
