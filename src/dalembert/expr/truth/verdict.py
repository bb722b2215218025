"""Verdicts: what was decided, how, and what a sceptic can check."""

from __future__ import annotations

import decimal
import math
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final, Literal

from dalembert.errors import WrongKind
from dalembert.records import dataclass, field
from dalembert.shown import Shown

Kind = Literal["proved", "certain", "refuted", "measured", "undecided"]
Basis = Literal["proved", "certain", "counterexample", "measured", "undecided"]
"""How an answer, yes or no, is known."""
_FLOATS: Final = 300
"""Powers of ten that a float has."""
_IN_PROSE: Final = 4
"""Significant digits of a number in a sentence."""
_SHORT: Final = 12
"""Letters of a fraction in a sentence."""
_BALL: Final = re.compile(r"\[?([-+\d.e]+)(?: \+/- ([-+\d.e]+)\])?")
"""A number with the radius of its error, if it has one."""


@dataclass(frozen=True, slots=True)
class Witness(Shown):
    """A point where an expression is not zero.

    ``point`` gives rational inputs by name (``tan(phi/2)`` stands for the angle phi where that makes the value exact),
    ``functions`` a polynomial for each unspecified function, ``value`` the value there: a fraction when ``exact``, else
    a ball, centre and radius, that excludes zero. What the equations of a question give is in ``functions`` too.
    """

    point: Mapping[str, Fraction]
    value: str
    exact: bool
    functions: Mapping[str, str] = field(default_factory=dict)
    near: bool = False
    """Whether the true point, which obeys equations, is only close to this one; the value holds at that one."""

    def __str__(self) -> str:
        """Return the point and the value in one line.

        >>> print(Witness({"x": Fraction(-11, 4)}, "[0.9243023786 +/- 3.25e-11]", exact=False))
        value 0.9243 at x = -11/4
        """
        return f"value {self.value_and_point}"

    @property
    def value_and_point(self) -> str:
        """The value and the point: short fractions as they are, all other numbers with four digits."""
        shown = {name: _digits(value) if self.near else _fraction(value) for name, value in self.point.items()}
        near = self.near or any(Fraction(shown[name]) != value for name, value in self.point.items())
        at = [f"{name} = {value}" for name, value in shown.items()]
        at += [f"{name} = {body}" for name, body in self.functions.items()]
        where = f" {'near' if near else 'at'} {', '.join(at)}" if at else ""
        return f"{_fraction(Fraction(self.value)) if self.exact else _in_prose(self.value)}{where}"

    summary = __str__


@dataclass(frozen=True, slots=True)
class Verdict(Shown):
    """The answer to a question about expressions.

    ``proved`` and ``refuted`` are proofs; ``certain`` is a yes whose probability of being wrong is at most
    ``2**error_bits``; ``measured`` comes from numbers along a run; ``undecided`` says in words why.

    >>> Verdict("proved", "it is the number 0").holds
    True
    """

    kind: Kind
    evidence: str
    error_bits: float | None = None
    witness: Witness | None = None
    size: float | None = None
    """The largest difference that was measured."""

    @property
    def holds(self) -> bool | None:
        """True for a yes, False for a no, None when it is not known."""
        return {"proved": True, "certain": True, "measured": True, "refuted": False, "undecided": None}[self.kind]

    @property
    def answer(self) -> Literal["yes", "no", "open"]:
        """The answer to the question whether it holds."""
        return "open" if self.holds is None else "yes" if self.holds else "no"

    @property
    def basis(self) -> Basis:
        """How the answer is known, yes or no: what is refuted has a counterexample, or else a proof of its opposite.

        >>> Verdict("refuted", "a minor vanishes", error_bits=-90.0).basis, Verdict("proved", "it is 0").basis
        ('certain', 'proved')
        """
        if self.kind != "refuted":
            return self.kind
        if self.witness is not None:
            return "counterexample"
        return "proved" if self.error_bits is None else "certain"

    @property
    def bound(self) -> float | None:
        """The probability that a ``certain`` verdict is wrong, as a number."""
        return None if self.error_bits is None else math.ldexp(1.0, max(math.floor(self.error_bits), -1000))

    def __bool__(self) -> bool:
        """Refuse: three answers do not fit into two."""
        raise WrongKind("a verdict has three answers; ask .holds is True, .holds is False or .holds is None.")

    def __str__(self) -> str:
        """Return kind and evidence in one line."""
        return f"{self.kind}: {self.evidence}"

    summary = __str__


_WIDE: Final = decimal.Context(prec=40, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
"""A number of a ball may have an exponent that a fraction would write out."""


def _digits(value: Fraction | decimal.Decimal) -> str:
    """Return a number with as many digits as a sentence has.

    >>> _digits(Fraction(1, 3)), _digits(decimal.Decimal("-1.23456e-100000000"))
    ('0.3333', '-1.235e-100000000')
    """
    if isinstance(value, Fraction):
        value = _WIDE.divide(decimal.Decimal(value.numerator), decimal.Decimal(value.denominator))
    usual = value.is_zero() or abs(value.adjusted()) < _FLOATS
    return f"{float(value):.{_IN_PROSE}g}" if usual else f"{value:.{_IN_PROSE - 1}e}"


def _fraction(value: Fraction) -> str:
    """Return a fraction, or as many digits as a sentence has if it is long.

    >>> _fraction(Fraction(-81, 4)), _fraction(Fraction(10**9 + 1, 3 * 10**8))
    ('-81/4', '3.333')
    """
    return str(value) if len(str(value)) <= _SHORT else _digits(value)


def _in_prose(value: str) -> str:
    """Return the middle of a ball with as many digits as a sentence has, or the ball if it has fewer.

    >>> [_in_prose(ball) for ball in ("[-0.8775825619 +/- 9.63e-12]", "[0.12 +/- 3.1e-3]", "4.0000000000000000000")]
    ['-0.8776', '[0.12 +/- 3.1e-3]', '4']
    """
    ball = _BALL.fullmatch(value)
    if ball is None:
        return value
    try:
        middle, radius = (_WIDE.create_decimal(one or "0") for one in ball.groups())
        return _digits(middle) if _WIDE.compare(_WIDE.scaleb(radius, _IN_PROSE), _WIDE.abs(middle)) < 0 else value
    except decimal.DecimalException:  # an exponent of twenty digits
        return value


def all_hold(verdicts: Mapping[str, Verdict]) -> Verdict:
    """Return one verdict for several statements together; the one that decides it is named.

    >>> yes, no = Verdict("proved", "so it is."), Verdict("refuted", "not at all.")
    >>> print(all_hold({"the first": yes, "the second": no}))
    refuted: the second: not at all.
    """
    for wanted in (False, None):
        for name, verdict in verdicts.items():
            if verdict.holds is wanted:
                return Verdict(verdict.kind, f"{name}: {verdict.evidence}", witness=verdict.witness)
    if len(verdicts) == 1:
        return next(iter(verdicts.values()))
    kind, error = weakest(verdicts.values())
    if kind == "proved":
        return Verdict(
            "proved",
            f"each of {len(verdicts)} parts is proved." if verdicts else "nothing that could differ from zero is left.",
        )
    return Verdict(kind, next(v.evidence for v in verdicts.values() if v.kind == kind), error)


def agreement(verdicts: Mapping[str, Verdict]) -> Verdict:
    """Return the verdict on "all of these or none": two that differ refute it, one that is open leaves it open.

    >>> yes, no = Verdict("proved", "so it is."), Verdict("refuted", "not at all.")
    >>> agreement({"first": yes, "second": no}).kind
    'refuted'
    >>> agreement({"first": no, "second": no}).kind
    'proved'
    """
    answers = {verdict.holds for verdict in verdicts.values()}
    if {True, False} <= answers:
        yes = ", ".join(name for name, v in verdicts.items() if v.holds is True)
        no = ", ".join(name for name, v in verdicts.items() if v.holds is False)
        said, measured = f"{yes} hold, but not {no}", [n for n, v in verdicts.items() if v.kind == "measured"]
        if measured:  # a number refutes nothing
            return Verdict("undecided", f"{said}; and {', '.join(measured)} is only measured.")
        return Verdict("refuted", f"{said}.")
    if None in answers:
        name, verdict = next((n, v) for n, v in verdicts.items() if v.holds is None)
        return Verdict("undecided", f"{name}: {verdict.evidence}")
    said = f"{'all hold' if answers == {True} else 'none holds'}: {', '.join(verdicts)}."
    kind, bits = weakest(verdicts.values())
    return Verdict(kind, said, bits)


def weakest(verdicts: Iterable[Verdict]) -> tuple[Kind, float | None]:
    """Return how sure several answers are together, yes or no: ``measured`` if one is, else ``certain``; and the error.

    >>> weakest([Verdict("certain", "", -90.0), Verdict("proved", ""), Verdict("certain", "", -90.0)])
    ('certain', -89.0)
    >>> weakest([Verdict("certain", "", -90.0), Verdict("measured", "to 1e-9")])
    ('measured', None)
    """
    found = list(verdicts)
    kinds = {v.kind for v in found}
    if kinds & {"undecided", "measured"}:
        return ("undecided" if "undecided" in kinds else "measured"), None
    bits = [v.error_bits for v in found if v.error_bits is not None]
    sure: Kind = "certain" if "certain" in kinds or bits else "proved"
    return sure, max(bits) + math.log2(len(bits)) if bits else None
