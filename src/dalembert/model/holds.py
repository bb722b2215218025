"""Where equations hold: what they take for granted of their variables, found in the equations themselves.

A formalism adds nothing to this list and can forget nothing: it is read off the variables and coordinates that occur.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from dalembert.expr.graph import Expr, symbol
from dalembert.expr.text import text
from dalembert.expr.truth.signs import Range, ranges
from dalembert.expr.walk import postorder, symbols
from dalembert.model.remembered import worked_out
from dalembert.model.table import waits
from dalembert.records import dataclass

if TYPE_CHECKING:
    from dalembert.model.equations import Equations

Kind: TypeAlias = Literal["system", "representation"]

_RELATIONS: Final = {"positive": "> 0", "negative": "< 0", "nonzero": "!= 0"}
"""The conditions that declared domains stand for."""
_ANYTHING: Final = Range(-math.inf, math.inf, nonzero=False)
_SHOWN: Final = 80
"""The longest expression in a sentence."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A condition under which equations hold."""

    expression: Expr
    """Positive where the condition holds; unless it is ``signed`` it only has to keep the sign it begins with."""
    kind: Kind
    """``system``: the motion has no continuation; ``representation``: a declared range or other variables end."""
    declared: Expr | None = None
    """The coordinate whose declared range it is; without one the rates divide by the expression,"""
    power: Fraction | None = None
    """or go like this power of it, between 0 and 1, so that they have no Lipschitz bound where it vanishes."""

    @property
    def signed(self) -> bool:
        """Whether the expression must be positive, and not only different from zero."""
        return self.declared is not None and self.declared.data.domain != "nonzero"

    @property
    def condition(self) -> str:
        """The condition in words: ``r > 0``."""
        if self.declared is None:
            return f"{text(self.expression)} != 0"
        return f"{self.declared.data.label} {_RELATIONS[self.declared.data.domain]}"

    @property
    def sentence(self) -> str:
        """What happens where it fails: ``r leaves its declared range``."""
        if self.declared is not None:
            return f"{self.declared.data.label} leaves its declared range"
        written = text(self.expression)
        if self.power is not None:
            return f"the rates go like the power {self.power} of {written}, and have no Lipschitz bound where it is 0"
        return f"{written if len(written) <= _SHOWN else 'a longer expression'}, by which the rates divide, vanishes"


def holds_where(equations: Equations) -> tuple[Hold, ...]:
    """Return the conditions under which equations hold, without those that never fail.

    >>> from dalembert.expr import symbol
    >>> from dalembert.model.equations import Equations
    >>> r, x = symbol("r", domain="negative"), symbol("x")
    >>> [(one.expression, one.condition) for one in Equations("fall", "", {r: x, x: r}).holds_where]
    [(-r, 'r < 0')]
    """
    return *_declared_ranges(equations), *_poles(equations), *_rough_places(equations)


def _declared_ranges(equations: Equations) -> Iterator[Hold]:
    """Yield the declared ranges of variables and of stated coordinates: simplification relies on them."""
    own = (*equations.state, *equations.reconstruction, *equations.implicit)
    values = {**equations.configuration, **dict(zip(own, own, strict=True))}
    for coordinate, value in values.items():
        domain = coordinate.data.domain
        if domain in _RELATIONS and (value is coordinate or not _stays(value, domain)):
            yield Hold(-value if domain == "negative" else value, "representation", coordinate)


def _poles(equations: Equations) -> Iterator[Hold]:
    """Yield what the rates divide by, or take a logarithm of, as far as it is not decided to vanish nowhere.

    Linear systems are solved when there are numbers: where one is singular the steps collapse. What stands in a pivot
    belongs to the choice of velocities.
    """
    if equations.straight or waits(equations.mass):
        return

    quotients = [(node, base) for node, base in _quotients(entries_of(equations)) if not ranges([base])[0].nonzero]

    def open_ones() -> tuple[Expr, ...]:
        return tuple(dict.fromkeys(base for node, base in quotients if not _is_bounded(node, base)))

    chosen = set(postorder(list(equations.pivots)))
    for base in worked_out("open denominators", tuple(quotients), open_ones) if quotients else ():
        yield Hold(base, "representation" if base in chosen else "system")


def _rough_places(equations: Equations) -> Iterator[Hold]:
    """Yield what the rates go like a power between 0 and 1 of, as x/(x^2)^(1/3) does: motions may branch where it is 0.

    A root of order 2 of what is never negative, and smooth, has a Lipschitz bound.
    """
    if equations.straight or waits(equations.mass):
        return
    found: dict[Expr, Fraction] = {}
    for node in postorder(entries_of(equations)):
        powers: dict[Expr, Fraction] = {}
        for base, power in zip(node.args, node.data, strict=True) if node.op == "product" else ():
            core, times = base, Fraction(power)
            while core.op == "product" and len(core.args) == 1:
                core, times = core.args[0], times * core.data[0]
            powers[core] = powers.get(core, Fraction(0)) + times
        for core, power in powers.items():
            if not 0 < power < 1 or _is_parametric(core):
                continue
            anything: dict[Expr, Any] = {symbol(one): _ANYTHING for one in symbols([core])}
            smooth = power >= Fraction(1, 2) and ranges([core], anything)[0].sign == 1
            between = ranges([core])[0]
            if not smooth and between.low <= 0 <= between.high:
                found[core] = min(power, found.get(core, power))
    for core, power in found.items():
        yield Hold(core, "system", power=power)


def _is_parametric(value: Expr) -> bool:
    return all(one.role == "parameter" for one in symbols([value]))


def entries_of(equations: Equations) -> list[Expr]:
    """Return what the rates of equations are made of: those in closed form, and the entries of their linear system."""
    saddle = equations.saddle
    rows = equations.mass if saddle is None else (*equations.mass, *saddle.rows, *saddle.virtual, saddle.right)
    closed = [*equations.kinematics.values(), *equations.reconstruction.values(), *equations.force]
    return closed + [entry for row in rows for entry in row]


def _quotients(roots: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """Yield quotients and logarithms, each with what must not vanish in it."""
    for node in postorder(roots):
        if node.op == "product":
            yield from ((node, base) for base, power in zip(node.args, node.data, strict=True) if power < 0)
        elif node.op == "call" and node.data == "log":
            yield node, node.args[0]


def _is_bounded(node: Expr, base: Expr) -> bool:
    """Decide whether a quotient needs no condition: its divisor never vanishes, or goes away in lowest terms.

    The square of r/sqrt(r^2) is 1.
    """
    from dalembert.expr.truth import excludes_zero  # exact algebra, where ranges do not settle it
    from dalembert.expr.truth.pivots import denominator

    if excludes_zero(base) is not None:
        return True
    below = denominator(node**2) if node.op == "product" else None
    return below is not None and excludes_zero(below) is not None


def _stays(value: Expr, domain: str) -> bool:
    """Say whether the ranges that are declared for others keep a value in a domain."""
    found = ranges([value])[0]
    return found.nonzero and (domain == "nonzero" or found.sign == (1 if domain == "positive" else -1))
