"""Where equations hold: what they take for granted of their variables, found in the equations themselves.

A formalism adds nothing to this list and can forget nothing: it is read off the variables and coordinates that occur.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dalembert.expr.graph import Expr
from dalembert.expr.text import text
from dalembert.expr.truth.signs import ranges
from dalembert.expr.walk import postorder
from dalembert.model.remembered import remembered
from dalembert.model.table import waits
from dalembert.records import dataclass

if TYPE_CHECKING:
    from dalembert.model.equations import Equations

Kind: TypeAlias = Literal["system", "representation"]

_RELATIONS: Final = {"positive": "> 0", "negative": "< 0", "nonzero": "!= 0"}
"""The conditions that declared domains stand for."""
_SHOWN: Final = 80
"""The longest expression in a sentence."""


@dataclass(frozen=True, slots=True)
class Hold:
    """A condition under which equations hold."""

    expression: Expr
    """Positive where the condition holds; unless it is ``signed`` it only has to keep the sign it begins with."""
    kind: Kind
    """``system``: the motion has no continuation; ``representation``: a declared range or other variables end."""
    condition: str
    """The condition in words: ``r > 0``."""
    sentence: str
    """What happens where it fails: ``r leaves its declared range``."""
    signed: bool = True
    declared: bool = False
    """Whether it is a declared range; else the rates divide by it."""


def holds_where(equations: Equations) -> tuple[Hold, ...]:
    """Return the conditions under which equations hold, without those that never fail.

    >>> from dalembert.expr import symbol
    >>> from dalembert.model.equations import Equations
    >>> r, x = symbol("r", domain="negative"), symbol("x")
    >>> [(one.expression, one.condition) for one in Equations("fall", "", {r: x, x: r}).holds_where]
    [(-r, 'r < 0')]
    """
    return *_declared_ranges(equations), *_poles(equations)


def _declared_ranges(equations: Equations) -> Iterator[Hold]:
    """Yield the declared ranges of variables and of stated coordinates: simplification relies on them."""
    own = (*equations.state, *equations.reconstruction, *equations.implicit)
    values = {**equations.configuration, **dict(zip(own, own, strict=True))}
    for coordinate, value in values.items():
        name, domain = coordinate.data.label, coordinate.data.domain
        if domain in _RELATIONS and (value is coordinate or not _stays(value, domain)):
            yield Hold(
                -value if domain == "negative" else value,
                "representation",
                f"{name} {_RELATIONS[domain]}",
                f"{name} leaves its declared range",
                signed=domain != "nonzero",
                declared=True,
            )


def _poles(equations: Equations) -> Iterator[Hold]:
    """Yield what the rates divide by, or take a logarithm of, as far as it is not decided to vanish nowhere.

    Linear systems are solved when there are numbers: where one is singular the steps collapse. What stands in a pivot
    belongs to the choice of velocities.
    """
    if equations.straight or waits(equations.mass):
        return

    def open_ones() -> tuple[Expr, ...]:
        found: dict[Expr, None] = {}
        for node, bases in _quotients(entries_of(equations)):
            bases = [base for base in bases if base not in found and not ranges([base])[0].nonzero]
            found.update((base, None) for base in bases if not _is_bounded(node, base))
        return tuple(found)

    chosen = set(postorder(list(equations.pivots)))
    for base in remembered(equations, "open denominators", open_ones):
        written = text(base)
        shown = written if len(written) <= _SHOWN else "a longer expression"
        kind: Kind = "representation" if base in chosen else "system"
        yield Hold(base, kind, f"{written} != 0", f"{shown}, by which the rates divide, vanishes", signed=False)


def entries_of(equations: Equations) -> list[Expr]:
    """Return what the rates of equations are made of: those in closed form, and the entries of their linear system."""
    saddle = equations.saddle
    rows = equations.mass if saddle is None else (*equations.mass, *saddle.rows, *saddle.virtual, saddle.right)
    closed = [*equations.kinematics.values(), *equations.reconstruction.values(), *equations.force]
    return closed + [entry for row in rows for entry in row]


def _quotients(roots: Sequence[Expr]) -> Iterator[tuple[Expr, list[Expr]]]:
    """Yield quotients and logarithms with what must not vanish in them."""
    for node in postorder(roots):
        if node.op == "product":
            yield node, [base for base, power in zip(node.args, node.data, strict=True) if power < 0]
        elif node.op == "call" and node.data == "log":
            yield node, [node.args[0]]


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
