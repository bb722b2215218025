"""Everything that can go wrong, as one tree.

::

    DalembertError                what a caller may catch to catch all of it
    ├── ExpressionError           an expression that cannot be built or read
    │   └── TextError             ... from text: has ``column`` and ``text``
    ├── ModelError                a system stated with faults: has ``faults``
    ├── HypothesisError           a formalism that does not apply to a system: has ``formalism`` and ``faults``
    ├── EvaluationError           a value that does not exist at the point asked for
    ├── WrongKind                 something of a kind that is not taken here; is a ``TypeError`` too
    └── MissingExtra              an optional package that is not installed

A message is one sentence: what is wrong, where, and what to do; one per fault, each on its own line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, time
from decimal import Decimal
from numbers import Real
from typing import Any

from dalembert.records import dataclass, replace
from dalembert.shown import Shown


@dataclass(frozen=True, slots=True)
class Fault(Shown):
    """Something wrong with a system: where, what, and what to do.

    >>> print(Fault("[constraints] rolls", "it contains no velocities", "move it to [holonomic]", line=7))
    line 7, [constraints] rolls: it contains no velocities; move it to [holonomic].
    """

    where: str
    what: str
    remedy: str = ""
    line: int | None = None
    hypothesis: str = ""
    """Of a theorem that does not apply: what it asks for that fails here, and where it stands."""
    kind: str = ""
    """Which of the things that a theorem asks of its table fails: a word for which the theorem has its own sentence."""

    def __str__(self) -> str:
        """Return the sentence."""
        place = ", ".join(part for part in (f"line {self.line}" if self.line else "", self.where) if part)
        said = "; ".join(part.removesuffix(".") for part in (self.what, self.remedy) if part)
        asked = f" The theorem asks for {self.hypothesis}." if self.hypothesis else ""
        return (f"{place}: " if place else "") + said + ("" if said.endswith("?") else ".") + asked

    summary = __str__


def alike(faults: Iterable[Fault]) -> list[Fault]:
    """Return faults with those put together that say the same of several things in one table, each of these once.

    >>> both = [Fault(f"[constraints] {name}", "it is nonlinear", "solve it") for name in ("front", "rear")]
    >>> [str(fault) for fault in alike([*both, both[0]])]
    ['[constraints] front, rear: it is nonlinear; solve it.']
    """
    found: dict[Fault, dict[str, None]] = {}
    for fault in faults:
        table, _, name = fault.where.partition(" ")
        found.setdefault(replace(fault, where=table), {})[name] = None
    return [replace(fault, where=f"{fault.where} {', '.join(names)}".strip()) for fault, names in found.items()]


class DalembertError(Exception):
    """The root of all errors that a user can cause or meet."""


class ExpressionError(DalembertError):
    """An expression that cannot be built: a division by zero, a number too large, a wrong arity."""


class TextError(ExpressionError):
    """Text that is not an expression, with the place where reading stopped."""

    def __init__(self, message: str, text: str = "", column: int | None = None) -> None:
        """Keep the sentence; ``column`` counts from 1."""
        self.text = text
        self.column = column
        super().__init__(message if column is None else f"column {column}: {message}")


class ModelError(DalembertError):
    """A system that is stated with faults; all of them are in ``faults``, one sentence each."""

    def __init__(self, faults: Iterable[Fault], source: str = "") -> None:
        """Keep the faults; ``source`` is the name of the file they are in."""
        self.faults = tuple(faults)
        self.source = source
        super().__init__("\n".join(_from(source, fault) for fault in self.faults))

    def __reduce__(self) -> tuple[type[ModelError], tuple[tuple[Fault, ...], str]]:
        """Travel between processes by the faults, from which the message is made again."""
        return type(self), (self.faults, self.source)


def _from(source: str, fault: Fault) -> str:
    """Return the sentence of a fault in a file."""
    return f"{source}{', ' if fault.line or fault.where else ': '}{fault}" if source else str(fault)


class HypothesisError(DalembertError):
    """A formalism that does not apply to a system; every hypothesis that fails is in ``faults``."""

    def __init__(self, formalism: str, faults: Iterable[Fault]) -> None:
        """Keep the faults and the formalism they forbid."""
        self.formalism = formalism
        self.faults = tuple(faults)
        super().__init__("\n".join(f"{formalism}: {fault}" for fault in alike(self.faults)))

    def asking(self, asks: Mapping[str, str]) -> HypothesisError:
        """Return the refusal with the hypothesis that fails, by the kind of each of its faults, else by its table.

        >>> print(HypothesisError("reduction", [Fault("[forces] x", "there are some")]).asking({"[forces]": "none"}))
        reduction: [forces] x: there are some. The theorem asks for none.
        """
        told = [_told(fault, asks) for fault in self.faults]
        faults = [replace(fault, hypothesis=one) for fault, one in zip(self.faults, told, strict=True)]
        return HypothesisError(self.formalism, faults)

    def __reduce__(self) -> tuple[type[HypothesisError], tuple[str, tuple[Fault, ...]]]:
        """Travel between processes by the faults, from which the message is made again."""
        return type(self), (self.formalism, self.faults)


def _told(fault: Fault, asks: Mapping[str, str]) -> str:
    """Return what a theorem asks for that fails with a fault."""
    return fault.hypothesis or asks.get(fault.kind) or asks.get(fault.where.partition(" ")[0], "")


class EvaluationError(DalembertError):
    """A value that does not exist where it was asked for: a pole, an even root of a negative number."""


class MissingExtra(DalembertError, ImportError):
    """An optional package that is needed here and is not installed."""


class WrongKind(DalembertError, TypeError):
    """Something of a kind that is not taken where it was given."""


_KINDS: tuple[tuple[Any, str], ...] = (
    (type(None), "nothing"),
    (bool, "true or false"),
    (str, "text"),
    (Real | Decimal, "a number"),
    (Mapping, "a table"),
    (list | tuple, "a list"),
    (date | time, "a date"),
)
_OURS = {
    "Ensemble": "an ensemble of motions",
    "Equations": "equations alone",
    "Expr": "an expression",
    "System": "a system",
    "Trajectory": "a motion",
    "Verdict": "a verdict",
}


def kind_of(value: Any) -> str:
    """Return what something is, in words for people who did not write this package.

    >>> kind_of({}), kind_of(1.5), kind_of(Fault("", ""))
    ('a table', 'a number', 'something of type Fault')
    """
    name = type(value).__name__
    formalism = getattr(getattr(value, "equations", None), "formalism", None)
    if isinstance(formalism, str):
        round_ones = getattr(getattr(value, "system", None), "points", ())
        beside = f" of a system in which '{round_ones[0].name}' is a {round_ones[0].kind}" if round_ones else ""
        return f"what '{formalism}' derived{beside}"
    if name in _OURS:
        return _OURS[name]
    return next((word for kind, word in _KINDS if isinstance(value, kind)), f"something of type {name}")


def expect(value: Any, kinds: Any, said: str) -> None:
    """Raise ``WrongKind`` unless a value is of one of some kinds; ``said`` is the sentence up to what it is instead.

    >>> expect(3, str, "the name of a formalism is text")
    Traceback (most recent call last):
        ...
    dalembert.errors.WrongKind: the name of a formalism is text, not a number.
    """
    if not isinstance(value, kinds):
        raise WrongKind(f"{said}, not {kind_of(value)}.")
