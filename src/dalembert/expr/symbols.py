"""Names: coordinates, velocities, parameters, time, unspecified functions.

A :class:`Symbol` is what a leaf of an expression stands for. It knows three things: its *role* (does it change
with time?), its *domain* (what is assumed of it) and, for a variable, how often it has been differentiated:
``x''`` is the variable ``x`` of order 2.
"""

from __future__ import annotations

import zlib
from typing import Literal, get_args

from dalembert.errors import ExpressionError
from dalembert.records import dataclass, field

Role = Literal["variable", "parameter", "time"]
Domain = Literal["real", "angle", "positive", "negative", "nonzero"]
DOMAINS: tuple[str, ...] = get_args(Domain)


def _stamp(*parts: object) -> int:
    """Return a number that is the same in every process (``hash`` of a string is not)."""
    data = "\x00".join(map(str, parts)).encode()
    return zlib.crc32(data) << 32 | zlib.adler32(data)


@dataclass(frozen=True, slots=True)
class Symbol:
    """A named quantity.

    >>> x = Symbol("x")
    >>> x.dot
    Symbol(name='x', role='variable', domain='real', order=1)
    >>> x.dot.label
    "x'"

    Parameters
    ----------
    name
        The name without primes.
    role
        ``variable`` (changes with time: coordinates, quasi-velocities, multipliers), ``parameter`` or ``time``.
    domain
        What is assumed: ``real``, ``angle`` (a real number modulo a full turn), ``positive``, ``negative``,
        ``nonzero``. A derivative of a variable is always just ``real``.
    order
        How many times a variable has been differentiated by time.
    """

    name: str
    role: Role = "variable"
    domain: Domain = "real"
    order: int = 0
    stamp: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse what makes no sense, and note the stamp that orders symbols alike in every process."""
        if self.domain not in DOMAINS:
            raise ExpressionError(
                f"'{self.name}' has the unknown domain '{self.domain}'; use one of {', '.join(DOMAINS)}."
            )
        if self.order and (self.role != "variable" or self.domain != "real"):
            raise ExpressionError(f"'{self.label}' is a derivative, so it must be a real variable.")
        object.__setattr__(self, "stamp", _stamp(self.name, self.role, self.domain, self.order))

    @property
    def label(self) -> str:
        """The name with its primes, as text has it."""
        return self.name + "'" * self.order

    @property
    def dot(self) -> Symbol:
        """The time derivative of a variable, as a symbol of its own."""
        if self.role != "variable":
            raise ExpressionError(f"'{self.name}' is a {self.role}: it has no velocity.")
        return Symbol(self.name, order=self.order + 1)


TIME = Symbol("t", role="time")
"""The one symbol for time."""


@dataclass(frozen=True, slots=True)
class Function:
    """An unspecified function of ``arity`` arguments; only its name and its slots are known."""

    name: str
    arity: int
    stamp: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse a function of nothing."""
        if self.arity < 1:
            raise ExpressionError(f"the function '{self.name}' needs at least one argument.")
        object.__setattr__(self, "stamp", _stamp("function", self.name, self.arity))
