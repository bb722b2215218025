"""Where equations hold: what they take for granted of their variables, found in the equations themselves.

A formalism adds nothing to this list and can forget nothing: it is read off the variables and coordinates that occur.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from dalembert.expr.graph import Expr
from dalembert.expr.truth.signs import ranges
from dalembert.records import dataclass

if TYPE_CHECKING:
    from dalembert.model.equations import Equations

Kind: TypeAlias = Literal["system", "representation"]

_RELATIONS: Final = {"positive": "> 0", "negative": "< 0", "nonzero": "!= 0"}
"""The conditions that declared domains stand for."""


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


def holds_where(equations: Equations) -> tuple[Hold, ...]:
    """Return the conditions under which equations hold, without those that never fail.

    >>> from dalembert.expr import symbol
    >>> from dalembert.model.equations import Equations
    >>> r, x = symbol("r", domain="negative"), symbol("x")
    >>> [(one.expression, one.condition) for one in Equations("fall", "", {r: x, x: r}).holds_where]
    [(-r, 'r < 0')]
    """
    return tuple(_declared_ranges(equations))


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
            )


def _stays(value: Expr, domain: str) -> bool:
    """Say whether the ranges that are declared for others keep a value in a domain."""
    found = ranges([value])[0]
    return found.nonzero and (domain == "nonzero" or found.sign == (1 if domain == "positive" else -1))
