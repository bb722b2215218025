"""What the names of a system mean in terms of equations: stated coordinates by state and lift variables.

A formalism may move in variables of its own; ``configuration`` says what the stated coordinates are there. Their
velocities and accelerations follow by differentiating along the motions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from dalembert.errors import ExpressionError
from dalembert.expr.calculus import define, jacobian, tangent
from dalembert.expr.elementary import solve
from dalembert.expr.graph import ONE, Expr, symbol, total
from dalembert.expr.symbols import TIME, Function, Symbol
from dalembert.expr.text import parse, parse_equation
from dalembert.expr.vocabulary import Vocabulary, fault_of_name, is_name, is_part
from dalembert.expr.walk import substitute, symbols
from dalembert.model.equations import Equations
from dalembert.model.faults import quoted
from dalembert.model.kept import Shelf
from dalembert.model.reactions import reaction
from dalembert.model.system import System
from dalembert.numerics.field import all_rates
from dalembert.records import dataclass


def unknown_rates(equations: Equations) -> dict[Expr, Expr]:
    """Return the rates of implicit unknowns: (dr/du) u' = -(dr/dt + dr/dy y'), their residuals differentiated."""
    unknowns, residuals = list(equations.implicit), list(equations.implicit.values())
    if not unknowns:
        return {}
    drift = tangent(residuals, {**all_rates(equations), symbol(TIME): ONE})
    return dict(zip(unknowns, solve(jacobian(residuals, unknowns), [-d for d in drift]), strict=True))


@dataclass(frozen=True)
class NameResolver:
    """Reads expressions in the names of a system, and writes them in the variables of equations.

    >>> x, w = symbol("x"), symbol("w")
    >>> NameResolver(Equations("falling", "by hand", {x: 2 * w}, (w,), ((ONE,),), (-3 * ONE,))).expression("x'' + x'")
    2*w - 6
    """

    equations: Equations
    system: System | None = None
    definitions: tuple[tuple[Function, tuple[tuple[Expr, ...], Expr]], ...] = ()
    """Values of unspecified functions, where texts may use them."""

    @cached_property
    def kept(self) -> Shelf:
        """What was prepared for these equations, by what it is for."""
        return Shelf()

    @property
    def variables(self) -> tuple[Expr, ...]:
        """All that has a value along a motion: state, lift and implicit unknowns."""
        return (*self.equations.state, *self.equations.reconstruction, *self.equations.implicit)

    @property
    def coordinates(self) -> tuple[Expr, ...]:
        """The coordinates as they were stated, or those of ``configuration`` where nothing was."""
        return self.system.q if self.system is not None else tuple(self.equations.configuration)

    @cached_property
    def drive(self) -> dict[Expr, Expr]:
        """How fast everything changes along the motions."""
        rates = all_rates(self.equations)
        return {**rates, **unknown_rates(self.equations), symbol(TIME): ONE}

    @cached_property
    def _known(self) -> dict[Symbol, Expr]:
        found = {v.data: v for v in self.variables}
        for q, expression in self.equations.configuration.items():
            found.setdefault(q.data, expression)
        return found

    def meaning(self, one: Symbol) -> Expr | None:
        """Return a symbol of the system in terms of the equations' variables, or None where it means nothing there."""
        if one.role != "variable":
            return symbol(one)
        known = self._known
        if one in known:
            return known[one]
        if not one.order:
            return self._speed(one)
        domains = {v.name: v for v in known if not v.order}
        below = Symbol(one.name, order=one.order - 1) if one.order > 1 else domains.get(one.name, Symbol(one.name))
        base = self.meaning(below)
        if base is None:
            return None
        known[one] = tangent([base], self.drive)[0]
        return known[one]

    def _speed(self, one: Symbol) -> Expr | None:
        """Return what a speed or multiplier is that is no variable of the equations, if that has a value in them."""
        expression = None if self.system is None else self._stated(self.system, one)
        if expression is None or any(self.meaning(part) is None for part in symbols([expression])):
            return None
        self._known[one] = self.translated(expression)
        return self._known[one]

    @staticmethod
    def _stated(system: System, one: Symbol) -> Expr | None:
        """Return what a speed or a multiplier is by coordinates and velocities."""
        known = system.speeds.get(symbol(one))
        return reaction(system, symbol(one)) if known is None and one.name in system.multiplier_names else known

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The names that texts may use: those of the system, and of the variables of the equations."""
        system = self.system.vocabulary if self.system is not None else Vocabulary()
        spoken = [s for s in self._known if is_name(s.name) or is_part(s.name)]
        own = {s.name: s.domain if not s.order else "real" for s in spoken}
        own |= {s.name: s.domain for s in spoken if not s.order}
        parameters = {p.data.name: p.data.domain for p in self.equations.parameters}
        moving = {one.data.name for one in self.variables} & {one.data.name for one in self._stated_speeds}
        return Vocabulary(
            system.coordinates,
            {**parameters, **system.parameters},
            system.functions,
            {name: expression for name, expression in system.let.items() if name not in moving},
            {**{n: d for n, d in own.items() if n not in system or n in moving}, **system.extra},
        )

    @property
    def _stated_speeds(self) -> tuple[Expr, ...]:
        return () if self.system is None else tuple(self.system.speeds)

    def expression(self, given: str | Expr) -> Expr:
        """Return what a text, or an expression in stated names, is in terms of the equations' variables."""
        read = parse(given, self.vocabulary) if isinstance(given, str) else given
        return self.translated(read)

    def observed(self, given: str | Expr) -> Expr:
        """Return the same of a text in which monitors count as names, as of anything that is asked of a motion.

        >>> x, w = symbol("x"), symbol("w")
        >>> falling = Equations("falling", "by hand", {x: 2 * w}, (w,), ((ONE,),), (-3 * ONE,), monitors={"drop": -x})
        >>> NameResolver(falling).observed("drop + x''")
        -x - 6
        """
        if isinstance(given, Expr):
            return self.translated(given)
        monitors = self.equations.monitors
        if given in monitors and given not in self.vocabulary:  # a monitor may be called anything, as "momentum e1"
            return monitors[given]
        return self._with_monitors(parse(given, self._wider))

    def difference(self, given: str | Expr) -> Expr:
        """Return left - right of an equation, or an expression as it is; monitors count as names."""
        if isinstance(given, Expr):
            return self.translated(given)
        left, right = parse_equation(given, self._wider)
        return self._with_monitors(left - right)

    @cached_property
    def _named_monitors(self) -> tuple[str, ...]:
        """The monitors that text can name."""
        return tuple(n for n in self.equations.monitors if n not in self.vocabulary and not fault_of_name(n))

    @cached_property
    def _wider(self) -> Vocabulary:
        """The names with those of monitors: to the parser a monitor is one more parameter."""
        known = self.vocabulary
        parameters = {**known.parameters, **dict.fromkeys(self._named_monitors, "real")}
        return Vocabulary(known.coordinates, parameters, known.functions, known.let, known.extra)

    def _with_monitors(self, read: Expr) -> Expr:
        """Return what was read translated, with monitors put in, which are in the equations' own variables."""
        put = {symbol(n, role="parameter"): self.equations.monitors[n] for n in self._named_monitors}
        return substitute([self.translated(read)], put)[0]

    def translated(self, expression: Expr) -> Expr:
        """Return an expression in stated names in terms of the equations' variables."""
        return self.all_translated([expression])[0]

    def all_translated(self, expressions: Sequence[Expr]) -> list[Expr]:
        """Return several expressions in stated names in terms of the equations' variables, what they share once."""
        plain = define(list(expressions), dict(self.definitions))
        algebra = None if self.system is None else self.system.algebra
        nameless = () if algebra is None else algebra.coordinates  # nothing is a function of these
        table = {}
        for one in symbols(plain):
            meaning = self.meaning(one)
            if meaning is None or symbol(one) in nameless:
                raise ExpressionError(f"{quoted(one.label)} has no value in the {self.equations.formalism} equations.")
            table[symbol(one)] = meaning
        return substitute(plain, table)


def drive_whatever(words: NameResolver) -> tuple[dict[Expr, Expr], list[Expr]]:
    """Return how fast everything changes, and what is zero besides.

    Where multipliers are not unique they may be whatever they are, free symbols, and so the rates of velocities that
    have no kinetic energy, as those of points of contact; on these no force is left.
    """
    from dalembert.expr.truth import vanish

    equations, saddle = words.equations, words.equations.saddle
    if saddle is None or saddle.rank == len(saddle.rows):
        return words.drive, []
    weights = [symbol(f"multiplier {name}") for name in saddle.names]
    columns = zip(equations.force, zip(*saddle.virtual, strict=True), strict=True)
    pushed = [total([(1, f), *((1, a * w) for a, w in zip(c, weights, strict=True))]) for f, c in columns]
    heavy = [k for k, row in enumerate(equations.mass) if not vanish(list(row))]
    light = [k for k in range(len(pushed)) if k not in heavy]
    rates = solve([[equations.mass[i][j] for j in heavy] for i in heavy], [pushed[i] for i in heavy])
    moved = dict(zip((equations.velocities[k] for k in heavy), rates, strict=True))
    moved |= {equations.velocities[k]: symbol(f"rate {k}") for k in light}
    return {**equations.kinematics, **moved, symbol(TIME): ONE}, [pushed[k] for k in light]
