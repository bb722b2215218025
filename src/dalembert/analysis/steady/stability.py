"""Spectral stability decided from a characteristic polynomial with exact coefficients.

With lambda^k split off, k being the multiplicity of the eigenvalue 0:

* where p is a polynomial in lambda^2 no motion decays, and stability is that all roots of it are real, negative and
  simple: its coefficients and the minors of Hermite's matrix (sums of powers of the roots) are positive;
* else stability is that all roots have negative real parts: the coefficients and every second of Hurwitz' determinants
  are positive (Routh, Hurwitz, Lienard and Chipart).

Factors of p are taken one by one. Where one occurs more than once its roots are not simple; they may do no harm, which
the matrix decides: there is no Jordan block where the product of the different factors annihilates it.

Each is one inequality on the parameters. Their signs are decided where they can be; what is left is the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from dalembert.analysis.steady.conditions import Answer, Condition, Known, answer_of, conditions, long_conditions, told
from dalembert.analysis.steady.spectral_factors import annihilates, spectral_factors
from dalembert.expr.field import tidy
from dalembert.expr.graph import ZERO, Expr, number, total
from dalembert.expr.linear.exact import determinant
from dalembert.expr.truth import vanish
from dalembert.expr.walk import substitute
from dalembert.records import dataclass

Kind = Literal["conservative", "dissipative", "mixed", "trivial"]
_WHAT: dict[Kind, str] = {
    "conservative": "spectrally stable (all eigenvalues but 0 are imaginary and simple)",
    "dissipative": "exponentially stable across the family (all eigenvalues but 0 have negative real parts)",
    "mixed": "spectrally stable (no eigenvalue has a positive real part, and those that are imaginary are simple)",
    "trivial": "without eigenvalues but 0",
}


@dataclass(frozen=True, slots=True, eq=False)
class SpectralStability:
    """What the characteristic polynomial says."""

    kind: Kind
    zeros: int
    """The multiplicity of the eigenvalue 0."""
    blocks: bool
    """Whether the eigenvalue 0 has a Jordan block: then deviations grow as powers of time."""
    conditions: tuple[Condition, ...]
    answer: Answer
    """Whether all other eigenvalues are as stability asks."""
    repeated: Literal["", "harmless", "blocks"] = ""
    """Whether eigenvalues on the imaginary axis are repeated, with or without Jordan blocks."""
    rate: Expr | None = None
    """How fast what is across the family decays, where one eigenvalue says so."""

    @property
    def is_linear(self) -> bool:
        """Whether spectral stability, where it holds, is stability of the linear part: 0 has no Jordan block."""
        return self.kind in ("conservative", "mixed") and self.answer != "no" and not self.blocks

    @property
    def long(self) -> list[str]:
        """The open conditions that the sentence only counts."""
        return long_conditions(self.conditions)

    @property
    def sentence(self) -> str:
        """What was decided, in words."""
        what = _WHAT[self.kind]
        if self.repeated == "harmless":
            what = what.replace("simple", "simple or without Jordan blocks")
        if self.repeated == "blocks":
            return "not linearly stable: repeated eigenvalues have Jordan blocks."
        if self.kind == "trivial" or self.answer == "yes":
            return f"{what}."
        if self.answer == "no":
            if any(c.sign == -1 for c in self.conditions):
                return "unstable for all parameter values."
            failing = next(c for c in self.conditions if c.sign == 0)
            return f"nowhere {what}: {failing.said} is needed."
        return f"{what} if and only if {told(self.conditions)}."


def spectral_stability(
    polynomial: Sequence[Expr],
    kernel: int,
    label: Expr | None = None,
    known: Known | None = None,
    matrix: Sequence[Sequence[Expr]] = (),
) -> SpectralStability:
    """Decide from the coefficients of a characteristic polynomial, the constant one first, the last one being 1.

    ``kernel`` is the dimension of the kernel of the matrix; ``label`` is what inequalities are solved for; the
    ``matrix`` is looked at where eigenvalues are repeated.

    >>> from dalembert.expr import symbol
    >>> w, k = symbol("w"), symbol("k", role="parameter", domain="positive")
    >>> print(spectral_stability([w**2 - k, ZERO, 1 + ZERO], 0, w).sentence)
    spectrally stable (all eigenvalues but 0 are imaginary and simple) if and only if w^2 > k.
    """
    known = known or Known()
    polynomial = substitute(list(polynomial), known.put)
    zeros = 0
    while zeros < len(polynomial) - 1 and vanish([polynomial[zeros]], known.facts):
        zeros += 1
    rest = list(polynomial[zeros:])
    if len(rest) == 1:
        return SpectralStability("trivial", zeros, zeros > kernel, (), "yes")
    even = len(rest) % 2 == 1 and vanish(rest[1::2], known.facts)
    split = spectral_factors(rest[::2] if even else rest)
    imaginary = [even or (len(f) % 2 == 1 and vanish(f[1::2], known.facts)) for f in split.factors]
    asked: list[Expr] = []
    for factor, still in zip(split.factors, imaginary, strict=True):
        asked += _negative_and_simple(factor if even else factor[::2]) if still else _hurwitz(factor)
    asked += [e**2 for i, j, e in split.apart if imaginary[i] and imaginary[j]]
    repeated: Literal["", "harmless", "blocks"] = ""
    if any(still and n > 1 for still, n in zip(imaginary, split.times, strict=True)):
        once = [e for c in split.product for e in ((c, ZERO) if even else (c,))]
        rows = [substitute(list(row), known.put) for row in matrix]
        harmless = bool(rows) and annihilates([*[ZERO] * zeros, *once], rows, known.facts)
        repeated = "harmless" if harmless else "blocks"
    found = tuple(conditions(asked, label, known))
    kind: Kind = "conservative" if all(imaginary) else "mixed" if any(imaginary) else "dissipative"
    answer = "no" if repeated == "blocks" else answer_of(found)
    alone = tidy(rest[0]) if len(rest) == 2 else None
    return SpectralStability(kind, zeros, zeros > kernel, found, answer, repeated, alone)


def _negative_and_simple(polynomial: Sequence[Expr]) -> list[Expr]:
    """Return what is positive if and only if all roots are real, negative and simple; the leading coefficient is 1."""
    degree = len(polynomial) - 1
    sums = _power_sums(polynomial, 2 * degree - 2)
    hermite = [[sums[i + j] for j in range(degree)] for i in range(degree)]
    minors = [determinant([row[:k] for row in hermite[:k]]) for k in range(2, degree + 1)]
    return [*polynomial[:-1], *minors]


def _power_sums(polynomial: Sequence[Expr], most: int) -> list[Expr]:
    """Return the sums of the powers of the roots (Newton)."""
    degree = len(polynomial) - 1
    sums = [number(degree)]
    for k in range(1, most + 1):
        terms = [(-1, polynomial[degree - i] * sums[k - i]) for i in range(1, min(k, degree + 1)) if i <= degree]
        if k <= degree:
            terms.append((-k, polynomial[degree - k]))
        else:
            terms = [(-1, polynomial[degree - i] * sums[k - i]) for i in range(1, degree + 1)]
        sums.append(tidy(total(terms)))
    return sums


def _hurwitz(polynomial: Sequence[Expr]) -> list[Expr]:
    """Return the coefficients and every second of Hurwitz' determinants (Lienard and Chipart); the leading one is 1."""
    degree = len(polynomial) - 1
    high = list(polynomial[::-1])

    def entry(i: int, j: int) -> Expr:
        k = 2 * j - i + 1
        return high[k] if 0 <= k <= degree else ZERO

    sizes = range(degree - 1, 1, -2)
    minors = [determinant([[entry(i, j) for j in range(k)] for i in range(k)]) for k in sorted(sizes)]
    return [*polynomial[:-1], *minors]
