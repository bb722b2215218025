"""Which letters integrals are sought in, one choice after the other.

First what the symmetries leave as it is, with the speeds of the equations, with names that a model gives to
combinations of velocities, with roots of the mass matrix's determinant, and with powers whose slopes are the forces;
then what all symmetries but one leave; then all letters, with names for speeds and without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Final

from dalembert.analysis.discovery.densities import mass_factors
from dalembert.analysis.discovery.first_integrals import one_sum
from dalembert.analysis.discovery.letters import MOST_SPECIAL, Letters, kept_by, letters_of, steep
from dalembert.analysis.discovery.point_symmetries import SymmetryAlgebra
from dalembert.analysis.motions import Motions
from dalembert.expr.calculus import gradient
from dalembert.expr.elementary import sincos
from dalembert.expr.graph import ZERO, Expr, product, symbol
from dalembert.expr.readers.floats import value_somewhere
from dalembert.expr.truth import depends_on, generic_rank, vanish
from dalembert.expr.walk import postorder, substitute
from dalembert.mechanics.common import facts_of
from dalembert.model.parts import Generator

_QUICK, _DEEP = (1, 2), (1, 2, 3, 4)
_MOST_NAMES, _MOST_TRIED = 6, 30
"""So many names of combinations of velocities are taken for speeds, of no more than so many."""
_MOST_FACTOR: Final = 60
"""Roots are taken of factors of so many nodes."""
MOST_NODES: Final = 1_500
"""What is more than a first search is made of equations of no more nodes."""


def alphabets(
    motions: Motions, algebra: SymmetryAlgebra | None, *, deep: bool
) -> Iterator[tuple[Letters, Sequence[int]]]:
    """Yield letters that all symmetries leave as they are, those that all but one do, then all there are."""
    degrees = _DEEP if deep else _QUICK
    whole = letters_of(motions.system, motions.names.equations)
    basis = () if algebra is None else algebra.basis
    lasting = [one.generator for one in basis if not one.generator.moves_time]
    reduced = invariant_letters(motions, whole, lasting) if lasting else whole
    if reduced is None or reduced == whole:
        yield whole, degrees
        yield from _otherwise(motions, whole, lasting, degrees)
        return
    yield reduced, degrees
    yield from _otherwise(motions, reduced, lasting, degrees)
    told = [reduced, whole]
    for k in range(len(lasting) if len(lasting) > 1 else 0):
        wider = invariant_letters(motions, whole, [*lasting[:k], *lasting[k + 1 :]])
        if wider is not None and wider not in told:
            told.append(wider)
            yield wider, degrees[:1]
    named = _by_names(motions, whole, ())
    if named is not None and named not in (whole, *told):
        yield named, degrees[:1]
    small = not motions.system.points and len(postorder(list(motions.names.drive.values()))) <= MOST_NODES
    yield whole, _QUICK if small else degrees[:1]


def invariant_letters(motions: Motions, whole: Letters, generators: Sequence[Generator]) -> Letters | None:
    """Return the letters that some symmetries leave as they are; angular velocities of bodies among them."""
    fields = [motions.pushed(one) for one in generators]
    speeds, names = list(whole.speeds), dict(whole.names)
    for point in motions.system.points:
        for name in (*point.body, *point.space) if point.is_rotation else ():
            if name not in speeds:
                speeds.append(motions.names.expression(name))
                names[speeds[-1]] = name
    facts = facts_of(motions.system)
    positions = kept_by(whole.positions, fields, facts)
    angles = [q for q in motions.names.equations.kinematics if q.data.domain == "angle"]
    turning = [q for q in angles if sincos(q)[0] not in positions]  # they may turn together
    pairs = [wave for a, b in combinations(turning, 2) for both in (a - b, a + b) for wave in sincos(both)]
    positions += kept_by(pairs, fields, facts)
    special, moving = (kept_by(some, fields, facts) for some in (whole.special, speeds))
    return Letters(tuple(positions), tuple(special), tuple(moving), names) if moving else None


def _otherwise(
    motions: Motions, letters: Letters, generators: Sequence[Generator], degrees: Sequence[int]
) -> Iterator[tuple[Letters, Sequence[int]]]:
    """Yield letters with other speeds, and with roots and denominators that do not stand in the equations."""
    named = _by_names(motions, letters, generators)
    if named is not None and named != letters:
        yield named, degrees[1:]
    rooted = with_roots(motions, letters, generators)
    if rooted is not None:
        yield rooted, degrees
    fields = [motions.pushed(one) for one in generators]
    powers = kept_by(steep(motions.names.equations), fields, facts_of(motions.system))
    if powers:  # beside speeds squared: a letter more takes place from all others, so that these are tried apart
        yield replace(letters, special=(*powers, *letters.special)[:MOST_SPECIAL]), degrees[1:]


def with_roots(motions: Motions, letters: Letters, generators: Sequence[Generator]) -> Letters | None:
    """Return letters with powers of the factors of det Z^T M Z, of which densities and their roots are made."""
    opened = {name: letter for letter, name in letters.names.items()}
    factors = [f for f in substitute(mass_factors(motions, letters), opened) if f not in letters.positions]
    fields = [motions.pushed(one) for one in generators]
    small = [f for f in factors if f.op == "sum" and len(postorder([f])) <= _MOST_FACTOR]
    small = [f for f in small if not depends_on([f], motions.names.equations.velocities)]
    kept = kept_by(small, fields, facts_of(motions.system))[:2]
    powers = [product([(_upright(f), e)]) for f in kept for e in (Fraction(1, 2), Fraction(-1, 2), -1, -2)]
    return replace(letters, special=tuple(powers)) if powers else None


def _upright(factor: Expr) -> Expr:
    """Return a factor, or minus it where it is negative at a point: the sign of a factor is anyone's choice.

    >>> x = symbol("x", domain="angle")
    >>> _upright(-2 - sincos(x)[0]), _upright(sincos(x)[0] + 2)
    (sin(x) + 2, sin(x) + 2)
    """
    return one_sum(-factor) if value_somewhere(factor) < 0 else factor


def _by_names(motions: Motions, letters: Letters, generators: Sequence[Generator]) -> Letters | None:
    """Return letters with other speeds: names that the model gives to combinations of velocities, if these span all.

    Angular velocities by angles make coefficients short that are long by the rates of the angles.
    """
    equations = motions.names.equations
    still = dict.fromkeys(equations.velocities, ZERO)
    fields = [motions.pushed(one) for one in generators]
    speeds, names, slopes = [], dict(letters.names), []
    for name in motions.system.let:
        value = motions.names.expression(name)
        row = gradient(value, equations.velocities)
        if value not in still and not depends_on(row, equations.velocities) and vanish(substitute([value], still)):
            speeds.append(value)
            slopes.append(row)
            names[value] = symbol(name)
        if len(speeds) > _MOST_TRIED:
            return None
    kept = kept_by(speeds, fields, facts_of(motions.system))
    rows = [row for value, row in zip(speeds, slopes, strict=True) if value in kept]
    if len(kept) > _MOST_NAMES or not rows or generic_rank(rows).rank < len(equations.velocities):
        return None
    return Letters(letters.positions, letters.special, tuple(kept), names)
